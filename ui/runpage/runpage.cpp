// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/runpage/runpage.h"

#include "ui/nodefacts.h"
#include "ui/plots/latencyplot.h"
#include "ui/plots/linesplot.h"
#include "ui/runpage/eventsmodel.h"
#include "ui/runpage/failurecardview.h"
#include "ui/runpage/logview.h"
#include "ui/runpage/nodeprogressmodel.h"
#include "ui/runpage/phasestrip.h"
#include "ui/runpage/ranklegend.h"
#include "ui/runpage/runheader.h"
#include "ui/runtexts.h"
#include "ui/theme.h"
#include "ui/widgets/emptystate.h"
#include "ui/widgets/noticebar.h"

#include <QCheckBox>
#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>

namespace coxswain::ui {
namespace {

constexpr int frameMilliseconds = 33;

QTableView* makeProgressTable(QAbstractItemModel* model, const QString& name) {
    auto* table = new QTableView;
    table->setObjectName(name);
    table->setModel(model);
    table->setItemDelegateForColumn(NodeProgressModel::Progress, new ProgressDelegate(table));
    table->setSelectionMode(QAbstractItemView::NoSelection);
    table->setShowGrid(false);
    table->setWordWrap(false);
    table->verticalHeader()->hide();
    auto* header = table->horizontalHeader();
    header->setStretchLastSection(true);
    header->resizeSection(NodeProgressModel::Name, 130);
    header->resizeSection(NodeProgressModel::Link, 120);
    header->resizeSection(NodeProgressModel::Progress, 170);
    header->resizeSection(NodeProgressModel::Amount, 250);
    return table;
}

QList<LinesMetric> lossMetrics() {
    return {{RunPage::tr("Loss"), Quantity::Plain, QStringLiteral("rank_loss"), QStringLiteral("loss"),
             RunPage::tr("all ranks"), false, false}};
}

QList<LinesMetric> memoryMetrics() {
    const auto one = [](const QString& title, const char* metric) {
        return LinesMetric{title, Quantity::Bytes, QString::fromLatin1(metric), {}, {}, false, true};
    };
    return {one(RunPage::tr("Memory, resident"), "memory.resident"),
            one(RunPage::tr("GPU memory, allocated"), "memory.gpu_allocated"),
            one(RunPage::tr("GPU memory, reserved"), "memory.gpu_reserved"),
            one(RunPage::tr("GPU memory, used on the device"), "memory.gpu_used")};
}

QList<LinesMetric> rateMetrics() {
    const auto shared = [](const QString& title, Quantity quantity, const char* metric, bool perSecond) {
        return LinesMetric{title,     quantity, {}, QString::fromLatin1(metric), RunPage::tr("all ranks"),
                           perSecond, perSecond};
    };
    return {shared(RunPage::tr("Throughput, tokens/s"), Quantity::Rate, "tokens", true),
            shared(RunPage::tr("Learning rate"), Quantity::Small, "learning_rate", false),
            shared(RunPage::tr("Gradient norm"), Quantity::Plain, "gradient_norm", false)};
}

} // namespace

RunPage::RunPage(const Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_events(new EventsModel(theme, this)),
      m_progress(new NodeProgressModel(this)), m_stack(new QStackedWidget), m_body(new QStackedWidget),
      m_header(new RunHeader(theme)), m_phases(new PhaseStrip(theme)), m_failure(new FailureCardView(theme)),
      m_notices(new NoticeBar(theme)), m_clean(new QLabel) {
    setObjectName(QStringLiteral("runPage"));
    m_clean->setObjectName(QStringLiteral("cleanNote"));
    m_clean->setWordWrap(true);
    m_body->addWidget(makeProgressTable(m_progress, QStringLiteral("syncTable")));
    m_body->addWidget(makePlots());
    auto* split = new QSplitter(Qt::Vertical);
    split->setChildrenCollapsible(false);
    split->addWidget(m_body);
    split->addWidget(makeLists());
    split->setStretchFactor(0, 4);
    split->setStretchFactor(1, 1);

    auto* shown = new QWidget;
    auto* column = new QVBoxLayout(shown);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    column->addWidget(m_header);
    column->addWidget(m_phases);
    column->addWidget(m_failure);
    column->addWidget(m_clean);
    column->addWidget(split, 1);
    m_stack->addWidget(makeEmpty());
    m_stack->addWidget(shown);
    auto* page = new QVBoxLayout(this);
    page->setContentsMargins(16, 12, 16, 12);
    page->addWidget(m_notices);
    page->addWidget(m_stack, 1);

    connect(m_header, &RunHeader::stopRequested, this, [this](bool now) {
        if (m_run)
            m_run->stop(now);
    });
    connect(m_header, &RunHeader::followRequested, this,
            [this] { emit attachRequested(m_run->snapshot().record.id); });
    connect(m_header, &RunHeader::againRequested, this,
            [this] { emit againRequested(m_run->snapshot().record.id); });
    connect(&theme, &Theme::changed, this, &RunPage::refresh);
    m_frame.setInterval(frameMilliseconds);
    connect(&m_frame, &QTimer::timeout, this, [this] {
        if (!isVisible())
            return;
        m_group.poll();
        if (m_eventsAreOld)
            refreshEvents();
    });
}

RunPage::~RunPage() = default;

QWidget* RunPage::makePlots() {
    auto* side = new QWidget;
    auto* follow = new QCheckBox(tr("&Follow the end"));
    follow->setObjectName(QStringLiteral("followEndCheckBox"));
    follow->setChecked(m_group.follows());
    follow->setToolTip(tr("Keep the newest step in view; double-click a plot for the whole run"));
    auto* head = new QHBoxLayout;
    head->addWidget(new RankLegend(m_group, m_theme), 1);
    head->addWidget(follow, 0, Qt::AlignTop);
    auto* grid = new QGridLayout;
    grid->setSpacing(6);
    const auto place = [grid](QWidget* plot, int row, int column) { grid->addWidget(plot, row, column); };
    place(new LinesPlot(QStringLiteral("lossPlot"), lossMetrics(), m_group, m_theme), 0, 0);
    place(new LatencyPlot(m_group, m_theme), 0, 1);
    place(new LinesPlot(QStringLiteral("memoryPlot"), memoryMetrics(), m_group, m_theme), 1, 0);
    place(new LinesPlot(QStringLiteral("ratePlot"), rateMetrics(), m_group, m_theme), 1, 1);
    for (int i = 0; i < 2; ++i) {
        grid->setColumnStretch(i, 1);
        grid->setRowStretch(i, 1);
    }
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->addLayout(head);
    column->addLayout(grid, 1);
    connect(follow, &QCheckBox::toggled, &m_group, &PlotGroup::setFollows);
    connect(&m_group, &PlotGroup::followsChanged, follow, &QCheckBox::setChecked);
    return side;
}

QWidget* RunPage::makeLists() {
    m_tabs = new QTabWidget;
    m_tabs->setObjectName(QStringLiteral("runTabs"));
    m_tabs->setDocumentMode(true);
    m_eventsTable = new QTableView;
    m_eventsTable->setObjectName(QStringLiteral("eventsTable"));
    m_eventsTable->setAccessibleName(tr("Events"));
    m_eventsTable->setModel(m_events);
    m_eventsTable->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_eventsTable->setSelectionMode(QAbstractItemView::SingleSelection);
    m_eventsTable->setShowGrid(false);
    m_eventsTable->setWordWrap(false);
    m_eventsTable->verticalHeader()->hide();
    m_eventsTable->verticalHeader()->setDefaultSectionSize(22);
    m_eventsTable->horizontalHeader()->setStretchLastSection(true);
    m_eventsTable->horizontalHeader()->resizeSection(EventsModel::Where, 140);
    m_eventsTable->horizontalHeader()->resizeSection(EventsModel::Step, 70);
    m_eventsTable->setMinimumHeight(70);
    m_eventsTable->setToolTip(tr("Press Enter or double-click an event to see its step in the plots"));
    m_log = new LogView;
    m_tabs->addTab(m_eventsTable, tr("E&vents"));
    m_tabs->addTab(m_log, tr("&Log"));
    m_tabs->addTab(makeProgressTable(m_progress, QStringLiteral("nodeProgressTable")), tr("N&odes"));
    connect(m_eventsTable, &QTableView::activated, this,
            [this](const QModelIndex& index) { showStepOf(index.row()); });
    return m_tabs;
}

QWidget* RunPage::makeEmpty() {
    auto* side = new QWidget;
    auto* empty =
        new EmptyState(tr("No run is shown"),
                       tr("Start a job to watch every rank live, or open an earlier run from History. "
                          "Closing this window never ends a run."),
                       tr("Set up a job"));
    connect(empty, &EmptyState::actionRequested, this, &RunPage::newJobRequested);
    m_offers = new QWidget;
    m_offers->setObjectName(QStringLiteral("runningOffers"));
    new QVBoxLayout(m_offers);
    auto* column = new QVBoxLayout(side);
    column->addWidget(empty, 3);
    column->addWidget(m_offers, 2, Qt::AlignTop);
    return side;
}

void RunPage::offerRuns(const QList<job::RunRecord>& running) {
    while (QLayoutItem* item = m_offers->layout()->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (const auto& record : running) {
        auto* button = new QPushButton(tr("Attach to “%1”, which may be running on %2")
                                           .arg(record.name, runtexts::nodesText(record.plan)));
        button->setObjectName(QStringLiteral("attach_") + record.id);
        connect(button, &QPushButton::clicked, this, [this, id = record.id] { emit attachRequested(id); });
        m_offers->layout()->addWidget(button);
        m_offers->layout()->setAlignment(button, Qt::AlignHCenter);
    }
}

void RunPage::setRun(job::Run* run) {
    if (m_run)
        disconnect(m_run, nullptr, this, nullptr);
    m_group.setStore(nullptr, {});
    m_events->clear();
    m_notices->clear();
    m_run = run;
    m_worldSize = -1;
    m_stack->setCurrentIndex(run ? 1 : 0);
    if (!run) {
        m_frame.stop();
        return;
    }
    m_log->reset(run->log());
    connect(run, &job::Run::snapshotChanged, this, &RunPage::refresh);
    connect(run, &job::Run::ended, this, &RunPage::refresh);
    connect(run, &job::Run::metricsAppended, this, [this] { m_eventsAreOld = true; });
    connect(run, &job::Run::logAppended, m_log, &LogView::append);
    refresh();
    m_frame.start();
}

void RunPage::refresh() {
    if (!m_run)
        return;
    const auto& snapshot = m_run->snapshot();
    if (snapshot.record.plan.worldSize != m_worldSize)
        readRanks();
    m_header->set(snapshot, snapshot.record.lastLoss, m_run->canStop(), m_run->canEndNow());
    m_phases->set(snapshot);
    m_phases->setVisible(!snapshot.phases.isEmpty()); // a run from disk has none
    m_failure->set(snapshot);
    const QString clean = runtexts::cleanText(snapshot);
    m_clean->setText(clean);
    m_clean->setVisible(!clean.isEmpty());
    m_progress->setNodes(snapshot.nodes);
    m_body->setCurrentIndex(m_group.hasData() || snapshot.step > 0 || !snapshot.live ? 1 : 0);
    refreshEvents();
}

void RunPage::readRanks() {
    const auto& plan = m_run->snapshot().record.plan;
    m_worldSize = plan.worldSize;
    QList<PlotRank> ranks;
    for (int rank = 0; rank < plan.worldSize; ++rank)
        ranks.append({rank, nodefacts::displayName(core::nodeOfRank(plan, rank).host)});
    m_group.setStore(&m_run->store(), ranks);
}

void RunPage::refreshEvents() {
    m_eventsAreOld = false;
    m_events->set(m_run->snapshot(), m_run->store().events());
}

void RunPage::showStepOf(int row) {
    if (const auto step = m_events->step(row)) {
        constexpr double around = 25;
        m_group.setRange(double(*step) - around, double(*step) + around);
        m_group.setCursor(double(*step));
    }
}

} // namespace coxswain::ui
