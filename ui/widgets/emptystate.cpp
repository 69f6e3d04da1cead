// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/emptystate.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace coxswain::ui {

EmptyState::EmptyState(const QString& title, const QString& text, const QString& action, QWidget* parent)
    : QWidget(parent), m_text(new QLabel(text)) {
    auto* heading = new QLabel(title);
    heading->setProperty("role", QStringLiteral("title"));
    m_text->setProperty("role", QStringLiteral("muted"));
    m_text->setWordWrap(true);
    m_text->setAlignment(Qt::AlignCenter);
    m_text->setMaximumWidth(520);
    auto* button = new QPushButton(action);
    button->setObjectName(QStringLiteral("emptyAction"));
    auto* column = new QVBoxLayout(this);
    column->setSpacing(12);
    column->addStretch();
    column->addWidget(heading, 0, Qt::AlignHCenter);
    // An alignment would take the label's height from its one-line hint.
    auto* row = new QHBoxLayout;
    row->addStretch();
    row->addWidget(m_text, 20);
    row->addStretch();
    column->addLayout(row);
    column->addWidget(button, 0, Qt::AlignHCenter);
    column->addStretch();
    connect(button, &QPushButton::clicked, this, &EmptyState::actionRequested);
}

void EmptyState::setText(const QString& text) {
    m_text->setText(text);
}

} // namespace coxswain::ui
