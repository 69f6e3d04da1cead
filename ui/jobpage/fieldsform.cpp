// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/jobpage/fieldsform.h"

#include "ui/jobpage/fieldrow.h"
#include "ui/jobpage/fieldtexts.h"
#include "ui/jobpage/jobdocument.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QToolButton>
#include <QVBoxLayout>

namespace coxswain::ui {

FieldsForm::FieldsForm(JobDocument& document, QWidget* parent)
    : QWidget(parent), m_document(document), m_more(new QToolButton), m_folded(new QWidget) {
    auto* usual = new QWidget;
    for (QWidget* place : {usual, m_folded}) {
        auto* rows = new QVBoxLayout(place);
        rows->setContentsMargins(0, 0, 0, 0);
        rows->setSpacing(8);
    }
    m_more->setObjectName(QStringLiteral("advancedFields"));
    m_more->setText(tr("Ad&vanced"));
    m_more->setToolTip(tr("Show or hide what most jobs leave alone"));
    m_more->setAutoRaise(true);
    m_more->setCheckable(true);
    m_more->setArrowType(Qt::RightArrow);
    m_more->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_folded->setVisible(false);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    column->addWidget(usual);
    column->addWidget(m_more);
    column->addWidget(m_folded);
    for (const auto& info : wire::jobFields())
        addField(info, fieldtexts::isAdvanced(info) ? m_folded : usual);
    connect(m_more, &QToolButton::toggled, this, [this](bool open) {
        m_more->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
        m_folded->setVisible(open);
    });
    connect(&document, &JobDocument::replaced, this, &FieldsForm::readAll);
    connect(&document, &JobDocument::changed, this, &FieldsForm::showErrors);
    readAll();
    showErrors();
}

void FieldsForm::addField(const wire::FieldInfo& info, QWidget* place) {
    QWidget* editor = nullptr;
    if (info.type == wire::FieldInfo::Type::Choice) {
        auto* box = new QComboBox;
        for (const auto& choice : info.choices)
            box->addItem(QString::fromStdString(choice));
        connect(box, &QComboBox::currentTextChanged, this,
                [this, &info](const QString& text) { m_document.setField(info, text); });
        editor = box;
    } else if (info.type == wire::FieldInfo::Type::Flag) {
        auto* box = new QCheckBox;
        connect(box, &QCheckBox::toggled, this, [this, &info](bool on) {
            m_document.setField(info, on ? QStringLiteral("true") : QStringLiteral("false"));
        });
        editor = box;
    } else {
        auto* line = new QLineEdit;
        connect(line, &QLineEdit::textEdited, this,
                [this, &info](const QString& text) { m_document.setField(info, text); });
        editor = line;
    }
    auto* row = new FieldRow(QString::fromStdString("field." + info.path), fieldtexts::title(info), editor,
                             fieldtexts::unit(info), fieldtexts::help(info));
    place->layout()->addWidget(row);
    m_fields.append({info, editor, row, place == m_folded});
}

void FieldsForm::readAll() {
    for (const Field& field : m_fields) {
        const QString text = m_document.fieldText(field.info);
        const QSignalBlocker blocker(field.editor);
        if (auto* box = qobject_cast<QComboBox*>(field.editor))
            box->setCurrentIndex(box->findText(text));
        else if (auto* check = qobject_cast<QCheckBox*>(field.editor))
            check->setChecked(text == QLatin1String("true"));
        else if (auto* line = qobject_cast<QLineEdit*>(field.editor))
            line->setText(text);
    }
}

void FieldsForm::showErrors() {
    for (const Field& field : m_fields) {
        const QString error = m_document.errorAt(field.info.path);
        field.row->setError(error);
        if (!error.isEmpty() && field.advanced)
            m_more->setChecked(true);
    }
}

} // namespace coxswain::ui
