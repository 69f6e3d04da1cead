// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/nodespage/nodespage.h"

#include "ui/nodefacts.h"
#include "ui/nodespage/addnodesdialog.h"
#include "ui/nodespage/checkdetails.h"
#include "ui/nodespage/checkmatrixmodel.h"
#include "ui/nodespage/nodesmodel.h"
#include "ui/widgets/emptystate.h"
#include "ui/widgets/noticebar.h"

#include <QCheckBox>
#include <QHeaderView>
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QShortcut>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

namespace coxswain::ui {
namespace {

constexpr int rowHeight = 24;

QPushButton* button(const QString& name, const QString& text, const QKeySequence& shortcut,
                    const QString& toolTip) {
    auto* made = new QPushButton(text);
    made->setObjectName(name);
    made->setShortcut(shortcut);
    made->setToolTip(shortcut.isEmpty() ? toolTip
                                        : QStringLiteral("%1 (%2)").arg(
                                              toolTip, shortcut.toString(QKeySequence::NativeText)));
    return made;
}

} // namespace

NodesPage::NodesPage(const Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_model(new NodesModel(theme, this)),
      m_sorted(new QSortFilterProxyModel(this)), m_matrixModel(new CheckMatrixModel(theme, this)),
      m_differences(new DifferencesFilter(*m_matrixModel, this)), m_notices(new NoticeBar(theme)),
      m_stack(new QStackedWidget) {
    setObjectName(QStringLiteral("nodesPage"));
    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(NodesModel::sortRole);

    auto* split = new QSplitter(Qt::Vertical);
    split->setChildrenCollapsible(false);
    auto* tableSide = makeTable();
    split->addWidget(tableSide);
    split->addWidget(makeMatrix());
    split->setStretchFactor(0, 2);
    split->setStretchFactor(1, 3);
    auto* empty =
        new EmptyState(tr("No nodes yet"),
                       tr("Add the machines that should train together. They need nothing but an SSH "
                          "server that lets you in; everything else is brought along."),
                       tr("Add nodes …"));
    connect(empty, &EmptyState::actionRequested, this, &NodesPage::openAddDialog);
    m_stack->addWidget(empty);
    m_stack->addWidget(split);

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 12, 16, 12);
    column->addWidget(makeToolBar());
    column->addWidget(m_notices);
    column->addWidget(m_stack, 1);
    refreshActions();
}

QWidget* NodesPage::makeToolBar() {
    auto* bar = new QWidget;
    auto* title = new QLabel(tr("Nodes"));
    title->setProperty("role", QStringLiteral("title"));
    auto* add = button(QStringLiteral("addNodesButton"), tr("&Add nodes …"), QKeySequence(tr("Ctrl+N")),
                       tr("Add nodes by name, address or range"));
    m_check = button(QStringLiteral("checkNodesButton"), tr("&Check"), QKeySequence(tr("F5")),
                     tr("Log in to the selected nodes, or all, and check whether they can run a job"));
    m_cancel = button(QStringLiteral("cancelCheckButton"), tr("Cancel"), QKeySequence(),
                      tr("Give up the checks that are under way"));
    m_clean = button(QStringLiteral("cleanNodesButton"), tr("Clean …"), QKeySequence(),
                     tr("Remove everything that was ever put on the selected nodes"));
    m_remove = button(QStringLiteral("removeNodesButton"), tr("Remove"), QKeySequence(),
                      tr("Take the selected nodes off this list (Delete); nothing happens to the nodes"));
    // The key belongs to the table: it must not take nodes away while a person edits text elsewhere.
    auto* removeKey = new QShortcut(QKeySequence::Delete, m_table, nullptr, nullptr, Qt::WidgetShortcut);
    connect(removeKey, &QShortcut::activated, m_remove, &QPushButton::click);
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(title);
    row->addStretch();
    for (QPushButton* one : {add, m_check, m_cancel, m_clean, m_remove})
        row->addWidget(one);
    connect(add, &QPushButton::clicked, this, &NodesPage::openAddDialog);
    connect(m_check, &QPushButton::clicked, this, [this] { emit checkRequested(shownHosts()); });
    connect(m_cancel, &QPushButton::clicked, this, [this] { emit cancelRequested(shownHosts()); });
    connect(m_clean, &QPushButton::clicked, this, &NodesPage::askClean);
    connect(m_remove, &QPushButton::clicked, this, [this] { emit removeRequested(selectedHosts()); });
    return bar;
}

QWidget* NodesPage::makeTable() {
    m_table = new QTableView;
    m_table->setObjectName(QStringLiteral("nodesTable"));
    m_table->setAccessibleName(tr("Nodes"));
    m_table->setModel(m_sorted);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(-1, Qt::AscendingOrder);
    m_table->setAlternatingRowColors(true);
    m_table->setShowGrid(false);
    m_table->setWordWrap(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(rowHeight);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->setMinimumHeight(110);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        refreshMatrix();
        refreshActions();
        emit shownChanged();
    });
    return m_table;
}

QWidget* NodesPage::makeMatrix() {
    auto* side = new QWidget;
    auto* heading = new QLabel(tr("Checks"));
    heading->setProperty("role", QStringLiteral("heading"));
    auto* differences = new QCheckBox(tr("Only &differences"));
    differences->setObjectName(QStringLiteral("differencesCheckBox"));
    differences->setToolTip(tr("Show only checks in which the nodes differ"));
    auto* head = new QHBoxLayout;
    head->addWidget(heading);
    head->addStretch();
    head->addWidget(differences);

    m_matrix = new QTableView;
    m_matrix->setObjectName(QStringLiteral("checkMatrix"));
    m_matrix->setAccessibleName(tr("Checks by node"));
    m_matrix->setModel(m_differences);
    m_matrix->setSelectionMode(QAbstractItemView::SingleSelection);
    m_matrix->setWordWrap(false);
    m_matrix->horizontalHeader()->setDefaultSectionSize(170);
    m_matrix->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_matrix->verticalHeader()->setDefaultSectionSize(rowHeight);
    m_matrix->verticalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_details = new CheckDetails(m_theme);
    m_details->setMinimumWidth(290);
    auto* split = new QSplitter(Qt::Horizontal);
    split->setChildrenCollapsible(false);
    split->addWidget(m_matrix);
    split->addWidget(m_details);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 1);

    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 6, 0, 0);
    column->addLayout(head);
    column->addWidget(split, 1);
    connect(differences, &QCheckBox::toggled, this, [this](bool on) { m_differences->setActive(on); });
    const auto* selection = m_matrix->selectionModel();
    connect(selection, &QItemSelectionModel::currentChanged, this, &NodesPage::showDetails);
    connect(m_matrixModel, &QAbstractItemModel::dataChanged, this, &NodesPage::showDetails);
    connect(m_matrixModel, &QAbstractItemModel::modelReset, this, &NodesPage::showDetails);
    return side;
}

void NodesPage::setNodes(const QList<job::NodeStatus>& nodes) {
    const Hosts selected = selectedHosts();
    const bool grown = nodes.size() != m_nodes.size();
    m_nodes = nodes;
    m_model->setNodes(nodes);
    if (grown && !selected.isEmpty()) {
        QItemSelection selection;
        for (int row = 0; row < nodes.size(); ++row)
            if (selected.contains(nodes[row].host)) {
                const QModelIndex at = m_sorted->mapFromSource(m_model->index(row, 0));
                selection.select(at, at);
            }
        m_table->selectionModel()->select(selection,
                                          QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    }
    m_stack->setCurrentIndex(nodes.isEmpty() ? 0 : 1);
    m_table->resizeColumnsToContents();
    refreshMatrix();
    refreshActions();
    emit shownChanged();
}

void NodesPage::setTogether(const QList<core::CheckResult>& results) {
    if (m_together == results)
        return;
    m_together = results;
    refreshMatrix();
}

NodesPage::Hosts NodesPage::selectedHosts() const {
    Hosts hosts;
    for (const QModelIndex& index : m_table->selectionModel()->selectedRows())
        hosts.append(m_model->node(m_sorted->mapToSource(index).row()).host);
    return hosts;
}

NodesPage::Hosts NodesPage::shownHosts() const {
    Hosts hosts = selectedHosts();
    if (hosts.isEmpty())
        for (const auto& node : m_nodes)
            hosts.append(node.host);
    return hosts;
}

void NodesPage::refreshMatrix() {
    const Hosts shown = shownHosts();
    QList<job::NodeStatus> nodes;
    for (const auto& node : m_nodes)
        if (shown.contains(node.host))
            nodes.append(node);
    m_matrixModel->setNodes(nodes, m_together);
    showDetails();
}

void NodesPage::refreshActions() {
    const bool selected = m_table->selectionModel()->hasSelection();
    bool checking = false;
    for (const auto& node : m_nodes)
        checking = checking || node.state == job::NodeStatus::State::Checking;
    m_check->setEnabled(!m_nodes.isEmpty());
    m_check->setText(selected ? tr("&Check selected") : tr("&Check all"));
    m_cancel->setEnabled(checking);
    m_clean->setEnabled(selected);
    m_remove->setEnabled(selected);
}

void NodesPage::showDetails() {
    const QModelIndex current = m_matrix->selectionModel()->currentIndex();
    m_details->show(m_matrixModel->result(m_differences->mapToSource(current)));
}

void NodesPage::openAddDialog() {
    auto* dialog = new AddNodesDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] { emit addRequested(dialog->text()); });
    dialog->open();
}

void NodesPage::askClean() {
    const Hosts hosts = selectedHosts();
    QStringList names;
    for (const auto& host : hosts)
        names.append(nodefacts::displayName(host));
    auto* box = new QMessageBox(
        QMessageBox::Warning, tr("Clean nodes"),
        tr("Remove everything that Coxswain ever put on %1?").arg(names.join(QStringLiteral(", "))),
        QMessageBox::Cancel, this);
    box->setObjectName(QStringLiteral("cleanDialog"));
    box->setInformativeText(
        tr("The helper, runtimes, data shards, and all jobs with their checkpoints and models "
           "there are deleted. What was copied to this machine stays."));
    box->addButton(tr("Clean"), QMessageBox::DestructiveRole)->setObjectName(QStringLiteral("cleanOk"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    connect(box, &QMessageBox::buttonClicked, this, [this, box, hosts](QAbstractButton* pressed) {
        if (box->buttonRole(pressed) == QMessageBox::DestructiveRole)
            emit cleanRequested(hosts);
    });
    box->open();
}

} // namespace coxswain::ui
