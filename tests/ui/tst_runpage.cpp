// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/job/run.h"
#include "tests/ui/recordedrun.h"
#include "ui/runpage/eventsmodel.h"
#include "ui/runpage/nodeprogressmodel.h"
#include "ui/runpage/runpage.h"
#include "ui/runtexts.h"
#include "ui/theme.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include <qcustomplot.h>

using namespace coxswain;
using namespace coxswain::ui;
using samples::Recording;

namespace {

/// A run that is fed by the test instead of by nodes.
class FakeRun : public job::Run {
public:
    FakeRun(job::RunFolder folder, job::RunSnapshot snapshot, std::unique_ptr<core::MetricsStore> store)
        : Run(std::move(folder), std::move(snapshot), std::move(store)) {}

    bool canStop() const override { return m_snapshot.state.phase == core::Phase::Train; }
    bool canEndNow() const override {
        return m_snapshot.state.phase == core::Phase::Train || m_snapshot.state.phase == core::Phase::Stop;
    }
    void stop(bool now) override { stops.append(now); }

    void change(const std::function<void(job::RunSnapshot&)>& edit) {
        edit(m_snapshot);
        emit snapshotChanged();
    }
    void append(int rank, const wire::MetricsLine& line) {
        if (!m_store->append(core::SeriesId::Source::Rank, rank, line))
            qFatal("append");
        emit metricsAppended();
    }
    void print(const QByteArray& bytes) {
        m_log += bytes;
        emit logAppended(bytes);
    }

    QList<bool> stops;
};

template <class T>
T* child(const QWidget& parent, const char* name) {
    auto* found = parent.findChild<T*>(QString::fromLatin1(name));
    if (!found)
        qFatal("no %s", name);
    return found;
}

QStringList column(const QAbstractItemModel& model, int column) {
    QStringList texts;
    for (int row = 0; row < model.rowCount(); ++row)
        texts.append(model.index(row, column).data().toString());
    return texts;
}

} // namespace

class RunPageTest : public QObject {
    Q_OBJECT
private slots:
    void init() {
        m_theme = std::make_unique<Theme>(*qApp);
        m_folder = std::make_unique<QTemporaryDir>();
    }

    void finishedRunFromDisk() {
        const auto run = open({});
        RunPage page(*m_theme);
        page.resize(1200, 800);
        page.show();
        page.setRun(run.get());
        QCOMPARE(child<QLabel>(page, "runName")->text(), QString("verses"));
        QVERIFY(child<QLabel>(page, "runState")->text().startsWith("Finished after "));
        QCOMPARE(child<QLabel>(page, "runStep")->text(), QString("300 / 300"));
        QVERIFY(child<QLabel>(page, "runLoss")->text().startsWith("1.9"));
        QVERIFY(!child<QPushButton>(page, "stopButton")->isVisible());
        QVERIFY(child<QPushButton>(page, "runAgainButton")->isVisible());
        QVERIFY(!child<QWidget>(page, "failureCard")->isVisible());
        QVERIFY(!child<QWidget>(page, "phaseStrip")->isVisible());
        // One line a rank and the global one, and something in each of the other plots.
        auto* loss = child<QCustomPlot>(page, "lossPlotCanvas");
        int lines = 0;
        for (int i = 0; i < loss->graphCount(); ++i)
            lines += loss->graph(i)->dataCount() > 100;
        QCOMPARE(lines, 4);
        for (const char* name : {"latencyPlotCanvas", "memoryPlotCanvas", "ratePlotCanvas"})
            QVERIFY2(child<QCustomPlot>(page, name)->graph(1)->dataCount() > 100, name);
        QCOMPARE(child<QPlainTextEdit>(page, "logView")->toPlainText(),
                 QString("[1,0]<stderr>:model: 1.8 M parameters\n[1,1]<stderr>:training on cpu\n"));
        const auto* events = child<QTableView>(page, "eventsTable")->model();
        const QStringList what = column(*events, EventsModel::What);
        QCOMPARE(what.filter("Checkpoint").size(), 3);
        QCOMPARE(what.filter("Started on cpu").size(), 1);
        QCOMPARE(column(*events, EventsModel::Where)[int(what.indexOf("Started on cpu"))],
                 QString("all ranks"));
        page.setRun(nullptr);
        QVERIFY(!child<QWidget>(page, "runHeader")->isVisible());
    }

    void oneRank() {
        Recording recording;
        recording.ranks = 1;
        const auto run = open(recording);
        RunPage page(*m_theme);
        page.show();
        page.setRun(run.get());
        QVERIFY(page.findChild<QToolButton*>("rankChip0"));
        QVERIFY(!page.findChild<QToolButton*>("rankChip1"));
    }

    void whoFailedFirstLeads() {
        Recording recording;
        recording.killed = true;
        const auto run = open(recording);
        RunPage page(*m_theme);
        page.resize(1200, 800);
        page.show();
        page.setRun(run.get());
        const auto* card = child<QWidget>(page, "failureCard");
        QVERIFY(card->isVisible());
        QCOMPARE(child<QLabel>(*card, "failureHeadline")->text(),
                 QString("rank 1 on node2 was killed by SIGKILL"));
        QVERIFY(child<QLabel>(*card, "failureDetail")->text().contains("signal 9"));
        auto* consequences = child<QLabel>(*card, "failureConsequences");
        QVERIFY(!consequences->isVisible()); // folded
        QTest::mouseClick(child<QToolButton>(*card, "failureMore"), Qt::LeftButton);
        QVERIFY(consequences->isVisible());
        QVERIFY(consequences->text().contains("rank 2 on node3"));
        // It stands above the plots.
        QVERIFY(card->mapTo(&page, QPoint()).y() <
                child<QWidget>(page, "lossPlot")->mapTo(&page, QPoint()).y());
    }

    void aFailureWithoutACardShowsItsFirstError() {
        job::RunSnapshot snapshot = newSnapshot();
        auto run = live(snapshot);
        RunPage page(*m_theme);
        page.show();
        page.setRun(run.get());
        run->change([](job::RunSnapshot& s) {
            s.state.phase = core::Phase::Ended;
            s.state.outcome = core::Outcome::Failed;
            s.state.errors = {
                {core::ErrorCode::AuthRefused, "node2", "log in", "no key was accepted", "ssh-copy-id node2"},
                {core::ErrorCode::Cancelled, "node1", "connect", "cancelled", {}}};
        });
        const auto* card = child<QWidget>(page, "failureCard");
        QVERIFY(card->isVisible());
        QVERIFY(child<QLabel>(*card, "failureHeadline")->text().contains("no key was accepted"));
        QCOMPARE(child<QLineEdit>(*child<QWidget>(*card, "failureCommand"), "copyText")->text(),
                 QString("ssh-copy-id node2"));
    }

    void liveFromConnectToClean() {
        auto run = live(newSnapshot());
        RunPage page(*m_theme);
        page.resize(1200, 800);
        page.show();
        page.setRun(run.get());
        QVERIFY(child<QLabel>(page, "runState")->text().contains("Connecting"));
        QVERIFY(child<QTableView>(page, "syncTable")->isVisible());
        QVERIFY(!child<QPushButton>(page, "stopButton")->isEnabled());

        run->change([](job::RunSnapshot& s) {
            s.phases.last().milliseconds = 850;
            s.phases.append({core::Phase::Sync, QDateTime::currentDateTime(), -1});
            s.state.phase = core::Phase::Sync;
            s.nodes[0].bytesTotal = 400 << 20;
            s.nodes[0].bytesDone = 100 << 20;
            s.nodes[0].bytesPerSecond = 100 << 20;
        });
        const auto* progress = child<QTableView>(page, "syncTable")->model();
        QCOMPARE(
            progress->index(0, NodeProgressModel::Progress).data(NodeProgressModel::permilleRole).toInt(),
            250);
        QCOMPARE(progress->index(0, NodeProgressModel::Amount).data().toString(),
                 QString("100 MiB of 400 MiB · 100 MiB/s · 3.0 s left"));
        QVERIFY(
            !progress->index(1, NodeProgressModel::Progress).data(NodeProgressModel::permilleRole).isValid());
        QVERIFY(child<QLabel>(page, "phase_connect")->text().contains("850 ms"));

        run->change([](job::RunSnapshot& s) {
            s.state.phase = core::Phase::Train;
            s.state.touched = true;
            s.step = 10;
            s.secondsLeft = 95;
            s.tokensPerSecond = 12300;
        });
        for (int step = 1; step <= 10; ++step)
            for (int rank = 0; rank < 3; ++rank)
                run->append(rank, {1, 1778000000.0 + step, samples::stepLine({}, rank, step)});
        QVERIFY(child<QWidget>(page, "lossPlot")->isVisible());
        QTRY_COMPARE(page.plots().to(), 10.0);
        auto* loss = child<QCustomPlot>(page, "lossPlotCanvas");
        QTRY_COMPARE(loss->graph(1)->dataCount(), 10);
        QCOMPARE(child<QLabel>(page, "runTimeLeft")->text(), QString("1 min 35 s"));
        QCOMPARE(child<QLabel>(page, "runSpeed")->text(), QString("12.3 k"));
        run->append(0, {1, 1778000011.0, wire::EventLine{"checkpoint", 10, "step-10"}});
        const auto* events = child<QTableView>(page, "eventsTable")->model();
        QTRY_VERIFY(column(*events, EventsModel::What).contains("Checkpoint: step-10"));
        run->print("hello\n");
        QVERIFY(child<QPlainTextEdit>(page, "logView")->toPlainText().contains("hello"));

        QTest::mouseClick(child<QPushButton>(page, "stopButton"), Qt::LeftButton);
        QCOMPARE(run->stops, QList<bool>{false});
        run->change([](job::RunSnapshot& s) { s.state.phase = core::Phase::Stop; });
        QVERIFY(!child<QPushButton>(page, "stopButton")->isEnabled());
        QTest::mouseClick(child<QPushButton>(page, "endNowButton"), Qt::LeftButton);
        QCOMPARE(run->stops, QList<bool>({false, true}));

        run->change([](job::RunSnapshot& s) {
            s.state.phase = core::Phase::Ended;
            s.state.outcome = core::Outcome::Stopped;
            s.nodes[0].link = s.nodes[1].link = job::NodeProgress::Link::Clean;
        });
        const auto* clean = child<QLabel>(page, "cleanNote");
        QVERIFY2(clean->text().contains("node3"), qPrintable(clean->text()));
        run->change([](job::RunSnapshot& s) { s.nodes[2].link = job::NodeProgress::Link::Clean; });
        QVERIFY(clean->text().contains("Every node is verified clean"));
        QVERIFY(clean->isVisible());
    }

    void aRunThatGoesOnElsewhereCanBeFollowed() {
        Recording recording;
        recording.ended = false;
        const auto run = open(recording);
        RunPage page(*m_theme);
        page.show();
        page.offerRuns({run->snapshot().record});
        QSignalSpy attach(&page, &RunPage::attachRequested);
        const QString id = run->snapshot().record.id;
        QTest::mouseClick(child<QPushButton>(page, qPrintable("attach_" + id)), Qt::LeftButton);
        QCOMPARE(attach.count(), 1);
        page.setRun(run.get());
        QTest::mouseClick(child<QPushButton>(page, "followRunButton"), Qt::LeftButton);
        QCOMPARE(attach.count(), 2);
        QCOMPARE(attach[1][0].toString(), id);
    }

    void eventsModel() {
        Recording recording;
        recording.nanSteps = {40};
        const auto run = open(recording);
        EventsModel model(*m_theme);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.set(run->snapshot(), run->store().events());
        const QStringList what = column(model, EventsModel::What);
        const int odd = int(what.indexOf("Not a finite number: the loss is NaN"));
        QVERIFY2(odd >= 0, qPrintable(what.join("; ")));
        QCOMPARE(model.step(odd), std::optional<qint64>(40));
        QCOMPARE(model.index(odd, EventsModel::Where).data().toString(), QString("rank 1 on node2"));
        QVERIFY(!model.step(int(what.indexOf("Started on cpu"))));

        // More events are more rows: what a person looks at stays where it is.
        QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
        auto events = run->store().events();
        events.append(
            {core::SeriesId::Source::Rank, 0, 1, 1779000000, wire::EventLine{"checkpoint", 999, {}}});
        model.set(run->snapshot(), events);
        QCOMPARE(reset.count(), 0);
        QCOMPARE(model.rowCount(), int(what.size()) + 1);
        model.clear();
        QCOMPARE(model.rowCount(), 0);
    }

    void anEventShowsItsStep() {
        const auto run = open({});
        RunPage page(*m_theme);
        page.resize(1200, 800);
        page.show();
        page.setRun(run.get());
        auto* table = child<QTableView>(page, "eventsTable");
        const QStringList what = column(*table->model(), EventsModel::What);
        const int row = int(what.indexOf("Checkpoint: checkpoints/step-200"));
        QVERIFY(row >= 0);
        table->setCurrentIndex(table->model()->index(row, 0));
        emit table->activated(table->currentIndex());
        QVERIFY(page.plots().from() > 150 && page.plots().to() < 250);
        QCOMPARE(page.plots().cursor(), std::optional<double>(200));
        auto* follow = child<QCheckBox>(page, "followEndCheckBox");
        QVERIFY(!follow->isChecked());
        follow->click();
        QCOMPARE(page.plots().to(), 300.0);
    }

    void progressModel() {
        NodeProgressModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QList<job::NodeProgress> nodes(2);
        nodes[0].host.host = "a";
        nodes[1].host.host = "b";
        model.setNodes(nodes);
        nodes[1].bytesTotal = 10;
        nodes[1].bytesDone = 30; // never more than all
        model.setNodes(nodes);
        QCOMPARE(model.index(1, NodeProgressModel::Progress).data(NodeProgressModel::permilleRole).toInt(),
                 1000);
        model.setNodes({});
        QCOMPARE(model.rowCount(), 0);
    }

private:
    std::unique_ptr<job::Run> open(const Recording& recording) {
        auto run = job::Run::openFolder(samples::record(m_folder->path(), recording));
        if (!run)
            qFatal("%s", qPrintable(run.error().text()));
        return std::move(*run);
    }

    static job::RunSnapshot newSnapshot() {
        job::RunSnapshot snapshot;
        snapshot.record = samples::recordOf({}, 2);
        snapshot.record.outcome = core::Outcome::None;
        snapshot.record.ended = {};
        snapshot.live = true;
        snapshot.steps = 300;
        snapshot.state.phase = core::Phase::Connect;
        snapshot.phases = {{core::Phase::Connect, QDateTime::currentDateTime(), -1}};
        for (const auto& node : snapshot.record.plan.nodes)
            snapshot.nodes.append({node.host, job::NodeProgress::Link::Connecting, 0, 0, 0, {}});
        return snapshot;
    }

    std::unique_ptr<FakeRun> live(const job::RunSnapshot& snapshot) {
        auto folder = job::RunFolder::create(m_folder->path(), snapshot.record);
        auto store = core::MetricsStore::open(m_folder->filePath("store"));
        if (!folder || !store)
            qFatal("no folder");
        return std::make_unique<FakeRun>(*folder, snapshot, std::move(*store));
    }

    std::unique_ptr<Theme> m_theme;
    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_MAIN(RunPageTest)
#include "tst_runpage.moc"
