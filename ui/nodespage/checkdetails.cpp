// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/nodespage/checkdetails.h"

#include "ui/checktexts.h"
#include "ui/nodefacts.h"
#include "ui/theme.h"
#include "ui/widgets/copyline.h"
#include "ui/widgets/icons.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace coxswain::ui {
namespace {

QLabel* paragraph(const QString& name) {
    auto* label = new QLabel;
    label->setObjectName(name);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

QLabel* caption(const QString& text) {
    auto* label = new QLabel(text);
    label->setProperty("role", QStringLiteral("muted"));
    return label;
}

} // namespace

CheckDetails::CheckDetails(const Theme& theme, QWidget* parent)
    : QFrame(parent), m_theme(theme), m_symbol(new QLabel),
      m_title(paragraph(QStringLiteral("detailsTitle"))), m_body(new QWidget),
      m_observed(paragraph(QStringLiteral("detailsObserved"))),
      m_expected(paragraph(QStringLiteral("detailsExpected"))),
      m_why(paragraph(QStringLiteral("detailsWhy"))), m_fixTitle(caption(tr("What to do"))),
      m_fix(paragraph(QStringLiteral("detailsFix"))), m_command(new CopyLine) {
    setProperty("card", true);
    setObjectName(QStringLiteral("checkDetails"));
    m_title->setProperty("role", QStringLiteral("heading"));
    m_command->setObjectName(QStringLiteral("detailsCommand"));
    auto* heading = new QHBoxLayout;
    heading->addWidget(m_symbol);
    heading->addWidget(m_title, 1);
    auto* body = new QVBoxLayout(m_body);
    body->setContentsMargins(0, 0, 0, 0);
    body->setSpacing(3);
    body->addWidget(caption(tr("Observed")));
    body->addWidget(m_observed);
    body->addWidget(caption(tr("Expected")));
    body->addWidget(m_expected);
    body->addWidget(caption(tr("Why it matters")));
    body->addWidget(m_why);
    body->addWidget(m_fixTitle);
    body->addWidget(m_fix);
    body->addWidget(m_command);
    auto* column = new QVBoxLayout(this);
    column->addLayout(heading);
    column->addWidget(m_body);
    column->addStretch();
    show(nullptr);
}

void CheckDetails::show(const core::CheckResult* check) {
    m_body->setVisible(check != nullptr);
    m_symbol->setVisible(check != nullptr);
    if (!check) {
        m_title->setText(tr("Select a cell to see what was observed, why it matters and what to do."));
        return;
    }
    m_symbol->setPixmap(icons::severity(check->severity, m_theme.colours().of(check->severity)));
    const QString where = check->host.isEmpty() ? tr("all nodes") : nodefacts::displayName(check->host);
    m_title->setText(
        tr("%1 – %2: %3")
            .arg(checktexts::title(check->id), where, checktexts::severityTitle(check->severity)));
    m_observed->setText(check->observed);
    m_expected->setText(check->expected);
    m_why->setText(checktexts::why(check->id));
    const QString command = checktexts::command(check->fix);
    m_fixTitle->setVisible(!check->fix.isEmpty());
    m_fix->setVisible(!check->fix.isEmpty() && command != check->fix);
    m_fix->setText(check->fix);
    m_command->setVisible(!command.isEmpty());
    m_command->setText(command);
}

} // namespace coxswain::ui
