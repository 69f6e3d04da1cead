// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/jobpage/planpanel.h"

#include "ui/theme.h"
#include "ui/widgets/copyline.h"
#include "ui/widgets/icons.h"

#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>

namespace coxswain::ui {
namespace {

constexpr int rowHeight = 24;

QLabel* label(const QString& text, const QString& role) {
    auto* made = new QLabel(text);
    made->setProperty("role", role);
    return made;
}

} // namespace

PlanPanel::PlanPanel(const Theme& theme, QWidget* parent)
    : QFrame(parent), m_theme(theme), m_symbol(new QLabel), m_problem(new QLabel),
      m_check(new QPushButton(tr("Chec&k them now"))), m_facts(new QWidget), m_grid(new QGridLayout(m_facts)),
      m_nodes(new QTableWidget), m_command(new CopyLine),
      m_noCommand(label(tr("Save the job to get its command."), QStringLiteral("muted"))) {
    setObjectName(QStringLiteral("planPanel"));
    setProperty("card", true);
    m_problem->setObjectName(QStringLiteral("planProblem"));
    m_problem->setWordWrap(true);
    m_problem->setTextFormat(Qt::PlainText);
    m_check->setObjectName(QStringLiteral("planCheckButton"));
    m_check->setToolTip(tr("Log in to the chosen nodes and see what they have"));
    m_facts->setObjectName(QStringLiteral("planFacts"));
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setColumnStretch(1, 1);
    m_nodes->setObjectName(QStringLiteral("planNodes"));
    m_nodes->setAccessibleName(tr("What each node gets"));
    m_nodes->setColumnCount(5);
    m_nodes->setHorizontalHeaderLabels(
        {tr("Node"), tr("Ranks"), tr("Runs on"), tr("Batch"), tr("Memory per rank")});
    m_nodes->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_nodes->setSelectionMode(QAbstractItemView::NoSelection);
    m_nodes->setShowGrid(false);
    m_nodes->setWordWrap(false);
    m_nodes->verticalHeader()->hide();
    m_nodes->verticalHeader()->setDefaultSectionSize(rowHeight);
    m_nodes->horizontalHeader()->setStretchLastSection(true);
    m_command->setObjectName(QStringLiteral("planCommand"));

    auto* head = new QHBoxLayout;
    head->addWidget(m_symbol, 0, Qt::AlignTop);
    head->addWidget(m_problem, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 10, 12, 10);
    column->addWidget(label(tr("Plan"), QStringLiteral("heading")));
    column->addLayout(head);
    column->addWidget(m_check, 0, Qt::AlignLeft);
    column->addWidget(m_facts);
    column->addWidget(m_nodes, 100);
    column->addWidget(label(tr("The same on the command line"), QStringLiteral("muted")));
    column->addWidget(m_command);
    column->addWidget(m_noCommand);
    column->addStretch(1);
    connect(m_check, &QPushButton::clicked, this, &PlanPanel::checkRequested);
    connect(&theme, &Theme::changed, this, &PlanPanel::fillFacts);
}

void PlanPanel::show(const PlanView& view, const QString& command, bool checking) {
    m_view = view;
    const bool problem = !view.problem.isEmpty();
    const auto severity = view.toCheck.isEmpty() ? core::Severity::Warning : core::Severity::Unknown;
    m_symbol->setPixmap(icons::severity(severity, m_theme.colours().of(severity)));
    m_symbol->setVisible(problem);
    m_problem->setVisible(problem);
    m_problem->setText(view.problem);
    m_check->setVisible(!view.toCheck.isEmpty());
    m_check->setEnabled(!checking);
    m_check->setText(checking ? tr("Checking …") : tr("Chec&k now"));
    m_facts->setVisible(!problem);
    m_nodes->setVisible(!problem);
    fillFacts();
    fillNodes();
    m_command->setText(command);
    m_command->setVisible(!command.isEmpty());
    m_noCommand->setVisible(command.isEmpty());
}

void PlanPanel::fillFacts() {
    while (QLayoutItem* item = m_grid->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    int row = 0;
    for (const auto& fact : m_view.facts) {
        auto* text = new QLabel(fact.text);
        text->setObjectName(QStringLiteral("planFact%1").arg(row));
        text->setWordWrap(true);
        text->setTextFormat(Qt::PlainText);
        text->setToolTip(fact.toolTip);
        text->setTextInteractionFlags(Qt::TextSelectableByMouse);
        m_grid->addWidget(label(fact.title, QStringLiteral("muted")), row, 0, Qt::AlignTop);
        m_grid->addWidget(text, row, 1);
        if (fact.severity != core::Severity::Ok) {
            auto* symbol = new QLabel;
            symbol->setPixmap(icons::severity(fact.severity, m_theme.colours().of(fact.severity)));
            m_grid->addWidget(symbol, row, 2, Qt::AlignTop);
            text->setProperty("role", core::severityName(fact.severity));
        }
        ++row;
    }
}

void PlanPanel::fillNodes() {
    m_nodes->setRowCount(int(m_view.nodes.size()));
    for (int row = 0; row < m_view.nodes.size(); ++row) {
        const auto& node = m_view.nodes[row];
        const QString texts[] = {node.node, node.ranks, node.devices, node.lanes, node.memory};
        for (int column = 0; column < 5; ++column)
            m_nodes->setItem(row, column, new QTableWidgetItem(texts[column]));
        if (node.severity != core::Severity::Ok)
            m_nodes->item(row, 4)->setIcon(
                QIcon(icons::severity(node.severity, m_theme.colours().of(node.severity))));
    }
    m_nodes->resizeColumnsToContents();
    // As tall as its rows, the scroll bar below them included, where there is room.
    m_nodes->setMaximumHeight(m_nodes->horizontalHeader()->sizeHint().height() +
                              rowHeight * m_nodes->rowCount() + 20);
}

} // namespace coxswain::ui
