// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runpage/failurecardview.h"

#include "ui/checktexts.h"
#include "ui/theme.h"
#include "ui/widgets/copyline.h"
#include "ui/widgets/icons.h"

#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

namespace coxswain::ui {
namespace {

QLabel* text(const QString& name) {
    auto* label = new QLabel;
    label->setObjectName(name);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    return label;
}

} // namespace

FailureCardView::FailureCardView(const Theme& theme, QWidget* parent)
    : QFrame(parent), m_theme(theme), m_symbol(new QLabel),
      m_headline(text(QStringLiteral("failureHeadline"))), m_detail(text(QStringLiteral("failureDetail"))),
      m_fix(text(QStringLiteral("failureFix"))), m_command(new CopyLine), m_more(new QToolButton),
      m_consequences(text(QStringLiteral("failureConsequences"))) {
    setObjectName(QStringLiteral("failureCard"));
    setProperty("card", true);
    m_headline->setProperty("role", QStringLiteral("value"));
    m_command->setObjectName(QStringLiteral("failureCommand"));
    m_more->setObjectName(QStringLiteral("failureMore"));
    m_more->setAutoRaise(true);
    m_more->setCheckable(true);
    m_more->setArrowType(Qt::RightArrow);
    m_more->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_consequences->setProperty("role", QStringLiteral("muted"));
    auto* head = new QHBoxLayout;
    head->addWidget(m_symbol);
    head->addWidget(m_headline, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 8, 12, 8);
    column->setSpacing(4);
    column->addLayout(head);
    for (QWidget* one :
         {static_cast<QWidget*>(m_detail), static_cast<QWidget*>(m_fix), static_cast<QWidget*>(m_command)})
        column->addWidget(one);
    column->addWidget(m_more, 0, Qt::AlignLeft);
    column->addWidget(m_consequences);
    connect(m_more, &QToolButton::toggled, this, [this](bool open) {
        m_more->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
        m_consequences->setVisible(open);
    });
    connect(&theme, &Theme::changed, this, &FailureCardView::refreshSymbol);
    refreshSymbol();
    setVisible(false);
}

void FailureCardView::refreshSymbol() {
    m_symbol->setPixmap(icons::severity(core::Severity::Error, m_theme.colours().error, 20));
}

void FailureCardView::set(const job::RunSnapshot& snapshot) {
    const auto& failure = snapshot.record.failure;
    const auto& errors = snapshot.state.errors.isEmpty() ? snapshot.record.errors : snapshot.state.errors;
    const bool failed =
        snapshot.record.outcome == core::Outcome::Failed || snapshot.state.outcome == core::Outcome::Failed;
    if (failure) {
        QStringList consequences = failure->consequences;
        for (const auto& error : errors)
            consequences.append(error.text());
        show(failure->headline, failure->detail, failure->fix, consequences);
    } else if (failed && !errors.isEmpty()) {
        const auto& first = errors.first();
        QStringList consequences;
        for (const auto& error : errors.mid(1))
            consequences.append(error.text());
        core::Error words = first;
        words.fix.clear();
        show(words.text(), {}, first.fix, consequences);
    } else if (failed) {
        show(tr("The run failed, and nothing says why."),
             tr("See the log below for what mpirun printed last."), {}, {});
    } else {
        setVisible(false);
    }
}

void FailureCardView::show(const QString& headline, const QString& detail, const QString& fix,
                           const QStringList& consequences) {
    m_headline->setText(headline);
    m_detail->setText(detail);
    m_detail->setVisible(!detail.isEmpty());
    const QString command = checktexts::command(fix);
    m_fix->setText(fix);
    m_fix->setVisible(!fix.isEmpty() && fix != command);
    m_command->setText(command);
    m_command->setVisible(!command.isEmpty());
    m_more->setText(consequences.size() == 1 ? tr("1 thing that followed")
                                             : tr("%1 things that followed").arg(consequences.size()));
    m_more->setVisible(!consequences.isEmpty());
    m_consequences->setText(consequences.join(QLatin1Char('\n')));
    m_consequences->setVisible(m_more->isChecked() && !consequences.isEmpty());
    setVisible(true);
}

} // namespace coxswain::ui
