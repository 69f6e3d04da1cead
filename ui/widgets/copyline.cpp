// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/copyline.h"

#include <QClipboard>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>

namespace coxswain::ui {

CopyLine::CopyLine(QWidget* parent)
    : QWidget(parent), m_line(new QLineEdit), m_button(new QPushButton(tr("Copy"))) {
    m_line->setReadOnly(true);
    m_line->setObjectName(QStringLiteral("copyText"));
    m_line->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_line->setAccessibleName(tr("Command"));
    m_button->setObjectName(QStringLiteral("copyButton"));
    m_button->setToolTip(tr("Copy this command"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(m_line, 1);
    row->addWidget(m_button);
    connect(m_button, &QPushButton::clicked, this, &CopyLine::copy);
}

void CopyLine::setText(const QString& text) {
    m_line->setText(text);
    m_line->setCursorPosition(0);
    m_line->setToolTip(text);
    m_button->setEnabled(!text.isEmpty());
}

QString CopyLine::text() const {
    return m_line->text();
}

void CopyLine::copy() const {
    QGuiApplication::clipboard()->setText(m_line->text());
}

} // namespace coxswain::ui
