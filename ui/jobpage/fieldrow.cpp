// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/jobpage/fieldrow.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QStyle>
#include <QVBoxLayout>

namespace coxswain::ui {
namespace {

constexpr int titleWidth = 130;

} // namespace

void repolish(QWidget* widget) {
    widget->style()->unpolish(widget);
    widget->style()->polish(widget);
}

FieldRow::FieldRow(const QString& name, const QString& title, QWidget* editor, const QString& unit,
                   const QString& help, QWidget* parent)
    : QWidget(parent), m_editor(editor), m_line(new QHBoxLayout), m_note(new QLabel), m_help(help) {
    auto* label = new QLabel(title);
    label->setMinimumWidth(titleWidth);
    label->setBuddy(editor);
    editor->setObjectName(name);
    editor->setAccessibleName(title);
    m_note->setObjectName(name + QStringLiteral("Note"));
    m_note->setWordWrap(true);
    m_note->setTextFormat(Qt::PlainText);
    m_line->addWidget(label);
    m_line->addWidget(editor, 1);
    if (!unit.isEmpty()) {
        auto* unitLabel = new QLabel(unit);
        unitLabel->setProperty("role", QStringLiteral("muted"));
        m_line->addWidget(unitLabel);
    }
    auto* noteLine = new QHBoxLayout;
    noteLine->addSpacing(titleWidth + m_line->spacing());
    noteLine->addWidget(m_note, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(1);
    column->addLayout(m_line);
    column->addLayout(noteLine);
    showNote();
}

void FieldRow::addButton(QWidget* button) {
    m_line->addWidget(button);
}

void FieldRow::setHelp(const QString& help) {
    m_help = help;
    showNote();
}

void FieldRow::setError(const QString& error) {
    if (error == m_error)
        return;
    m_error = error;
    showNote();
}

void FieldRow::showNote() {
    const bool wrong = !m_error.isEmpty();
    m_note->setText(wrong ? m_error.left(1).toUpper() + m_error.mid(1) : m_help);
    m_note->setProperty("role", wrong ? QStringLiteral("error") : QStringLiteral("muted"));
    m_note->setVisible(!m_note->text().isEmpty());
    m_editor->setProperty("wrong", wrong);
    m_editor->setToolTip(wrong ? m_error : m_help);
    m_editor->setAccessibleDescription(m_editor->toolTip());
    repolish(m_note);
    repolish(m_editor);
}

} // namespace coxswain::ui
