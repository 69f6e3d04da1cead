// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/historypage/historypage.h"

#include "ui/historypage/historymodel.h"
#include "ui/runtexts.h"
#include "ui/widgets/emptystate.h"
#include "ui/widgets/noticebar.h"

#include <QDir>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QShortcut>
#include <QSortFilterProxyModel>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

namespace coxswain::ui {

HistoryPage::HistoryPage(const Theme& theme, QWidget* parent)
    : QWidget(parent), m_model(new HistoryModel(theme, this)), m_filtered(new QSortFilterProxyModel(this)),
      m_notices(new NoticeBar(theme)), m_stack(new QStackedWidget) {
    setObjectName(QStringLiteral("historyPage"));
    m_filtered->setSourceModel(m_model);
    m_filtered->setSortRole(HistoryModel::sortRole);
    m_filtered->setFilterKeyColumn(-1);
    m_filtered->setFilterCaseSensitivity(Qt::CaseInsensitive);
    auto* empty =
        new EmptyState(tr("No runs yet"),
                       tr("Every run that you start is kept here with its curves, events and log, and "
                          "opens without its nodes."),
                       tr("Set up a job"));
    connect(empty, &EmptyState::actionRequested, this, &HistoryPage::newJobRequested);
    m_stack->addWidget(empty);
    m_stack->addWidget(makeTable());
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 12, 16, 12);
    column->addWidget(makeToolBar());
    column->addWidget(m_notices);
    column->addWidget(m_stack, 1);
    refreshActions();
}

QWidget* HistoryPage::makeTable() {
    m_table = new QTableView;
    m_table->setObjectName(QStringLiteral("historyTable"));
    m_table->setAccessibleName(tr("Runs"));
    m_table->setModel(m_filtered);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(-1, Qt::AscendingOrder);
    m_table->setAlternatingRowColors(true);
    m_table->setShowGrid(false);
    m_table->setWordWrap(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(24);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setResizeContentsPrecision(50);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setSectionResizeMode(HistoryModel::Name, QHeaderView::Stretch);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &HistoryPage::refreshActions);
    connect(m_table, &QTableView::activated, this, &HistoryPage::openCurrent);
    auto* removeKey = new QShortcut(QKeySequence::Delete, m_table, nullptr, nullptr, Qt::WidgetShortcut);
    connect(removeKey, &QShortcut::activated, this, &HistoryPage::askDelete);
    return m_table;
}

QWidget* HistoryPage::makeToolBar() {
    auto* bar = new QWidget;
    auto* title = new QLabel(tr("History"));
    title->setProperty("role", QStringLiteral("title"));
    m_search = new QLineEdit;
    m_search->setObjectName(QStringLiteral("historySearch"));
    m_search->setPlaceholderText(tr("Search (Ctrl+F)"));
    m_search->setAccessibleName(tr("Search runs"));
    m_search->setClearButtonEnabled(true);
    m_search->setMaximumWidth(240);
    auto* findKey = new QShortcut(QKeySequence::Find, this);
    connect(findKey, &QShortcut::activated, m_search, qOverload<>(&QWidget::setFocus));
    const auto button = [](const QString& name, const QString& text, const QString& toolTip) {
        auto* made = new QPushButton(text);
        made->setObjectName(name);
        made->setToolTip(toolTip);
        return made;
    };
    m_open = button(QStringLiteral("openRunButton"), tr("&Open"),
                    tr("Show this run's curves, events and log (Enter)"));
    m_again = button(QStringLiteral("againButton"), tr("Run a&gain …"),
                     tr("Open the Job page with this run's settings"));
    m_export = button(QStringLiteral("exportCsvButton"), tr("&Export CSV …"),
                      tr("Write every step of every rank to a file"));
    m_delete = button(QStringLiteral("deleteRunButton"), tr("&Delete …"),
                      tr("Delete what this machine keeps of these runs (Delete)"));
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(title);
    row->addSpacing(12);
    row->addWidget(m_search, 1);
    row->addStretch(1);
    for (QPushButton* one : {m_open, m_again, m_export, m_delete})
        row->addWidget(one);
    connect(m_search, &QLineEdit::textChanged, m_filtered, &QSortFilterProxyModel::setFilterFixedString);
    connect(m_open, &QPushButton::clicked, this, &HistoryPage::openCurrent);
    connect(m_again, &QPushButton::clicked, this, [this] {
        if (const auto runs = selected(); runs.size() == 1)
            emit againRequested(runs.first().id);
    });
    connect(m_export, &QPushButton::clicked, this, &HistoryPage::askExport);
    connect(m_delete, &QPushButton::clicked, this, &HistoryPage::askDelete);
    return bar;
}

void HistoryPage::setRuns(const QList<job::RunRecord>& runs) {
    m_model->setRuns(runs);
    m_stack->setCurrentIndex(runs.isEmpty() ? 0 : 1);
    m_search->setEnabled(!runs.isEmpty());
    refreshActions();
}

QList<job::RunRecord> HistoryPage::selected() const {
    QList<job::RunRecord> runs;
    for (const QModelIndex& index : m_table->selectionModel()->selectedRows())
        runs.append(m_model->run(m_filtered->mapToSource(index).row()));
    return runs;
}

void HistoryPage::refreshActions() {
    const auto runs = selected();
    const bool one = runs.size() == 1;
    m_open->setEnabled(one);
    m_open->setText(one && runtexts::mayBeRunning(runs.first()) ? tr("&Attach") : tr("&Open"));
    m_again->setEnabled(one);
    m_export->setEnabled(one);
    m_delete->setEnabled(!runs.isEmpty());
}

void HistoryPage::openCurrent() {
    if (const auto runs = selected(); runs.size() == 1)
        emit openRequested(runs.first().id);
}

void HistoryPage::askExport() {
    const auto runs = selected();
    if (runs.size() != 1)
        return;
    auto* dialog = new QFileDialog(this, tr("Export as CSV"), QDir::homePath(), tr("CSV (*.csv)"));
    dialog->setObjectName(QStringLiteral("exportDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("csv"));
    dialog->selectFile(runs.first().name + QStringLiteral(".csv"));
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, id = runs.first().id](const QString& file) { emit exportRequested(id, file); });
    dialog->open();
}

void HistoryPage::askDelete() {
    const auto runs = selected();
    if (runs.isEmpty())
        return;
    QStringList ids;
    for (const auto& run : runs)
        ids.append(run.id);
    auto* box =
        new QMessageBox(QMessageBox::Warning, tr("Delete runs"),
                        runs.size() == 1 ? tr("Delete the run “%1” from this machine?").arg(runs.first().name)
                                         : tr("Delete %1 runs from this machine?").arg(runs.size()),
                        QMessageBox::Cancel, this);
    box->setObjectName(QStringLiteral("deleteDialog"));
    box->setInformativeText(
        tr("Its curves, events and log here are gone then. Models and checkpoints on nodes stay "
           "where they are."));
    box->addButton(tr("Delete"), QMessageBox::DestructiveRole)->setObjectName(QStringLiteral("deleteOk"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    connect(box, &QMessageBox::buttonClicked, this, [this, box, ids](QAbstractButton* pressed) {
        if (box->buttonRole(pressed) == QMessageBox::DestructiveRole)
            emit deleteRequested(ids);
    });
    box->open();
}

} // namespace coxswain::ui
