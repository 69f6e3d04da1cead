// SPDX-License-Identifier: GPL-3.0-or-later
// The main job on three hosts that have nothing but sshd, through coxswain-cli.
#include "cluster/core/metricsstore.h"
#include "tests/endtoend/cluster.h"

#include <QElapsedTimer>
#include <QFile>
#include <QJsonArray>
#include <QTest>
#include <QThread>

#include <csignal>
#include <numeric>

using namespace coxswain;
using namespace coxswain::test;

class TestRun : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { m_cluster = std::make_unique<Cluster>(QStringLiteral("10.87.0")); }
    void cleanupTestCase() { m_cluster.reset(); }

    /// Every rank's file has exactly one line a step, the store holds the same numbers, loss falls.
    void runsToTheEnd() {
        const auto result = m_cluster->cli(run(40));
        QVERIFY2(result.status == 0, result.err);
        const auto json = result.json();
        QCOMPARE(json[QStringLiteral("state")].toString(), QStringLiteral("finished"));
        QCOMPARE(json[QStringLiteral("ranks")].toInt(), 3);
        QCOMPARE(json[QStringLiteral("steps")].toInt(), 40);
        QVERIFY(json[QStringLiteral("last_loss")].toDouble() <
                json[QStringLiteral("first_loss")].toDouble() - 1);
        const QString folder = json[QStringLiteral("folder")].toString();
        const auto store = core::MetricsStore::open(folder + QStringLiteral("/store"));
        QVERIFY(store);
        for (int rank = 0; rank < 3; ++rank) {
            const auto seen = readSteps(folder + QStringLiteral("/rank-%1.jsonl").arg(rank));
            QCOMPARE(seen.steps, oneTo(40));
            const core::SeriesId series{core::SeriesId::Source::Rank, rank, QStringLiteral("loss")};
            const auto bins = (*store)->bins(series, core::Axis::Step, 1, 40, 1000);
            QCOMPARE(bins.size(), 40);
            for (int i = 0; i < 40; ++i)
                QCOMPARE(bins[i].mean, seen.losses[i]);
        }
        verifyClean();
    }

    void differentWorldsGiveTheSameLosses() {
        const auto three = m_cluster->cli(run(20, {QStringLiteral("train.warmup_steps=5")}));
        QVERIFY2(three.status == 0, three.err);
        const auto one = m_cluster->cli({QStringLiteral("run"), Cluster::job(), QStringLiteral("--json"),
                                         QStringLiteral("--nodes"), QStringLiteral("local"),
                                         QStringLiteral("--set"), QStringLiteral("train.steps=20"),
                                         QStringLiteral("--set"), QStringLiteral("train.warmup_steps=5")});
        QVERIFY2(one.status == 0, one.err);
        QCOMPARE(one.json()[QStringLiteral("ranks")].toInt(), 1);
        const auto a =
            readSteps(one.json()[QStringLiteral("folder")].toString() + QStringLiteral("/rank-0.jsonl"));
        const auto b =
            readSteps(three.json()[QStringLiteral("folder")].toString() + QStringLiteral("/rank-2.jsonl"));
        QCOMPARE(a.losses.size(), 20);
        QCOMPARE(b.losses.size(), 20);
        for (int i = 0; i < 20; ++i)
            QVERIFY2(std::abs(a.losses[i] - b.losses[i]) < 1e-4,
                     qPrintable(
                         QStringLiteral("step %1: %2 and %3").arg(i + 1).arg(a.losses[i]).arg(b.losses[i])));
    }

    /// kill -9 of the command line: the run goes on, attach shows all of it without a gap or a double.
    void attachAfterKill() {
        auto cli = m_cluster->start(run(60));
        QVERIFY(waitForNewRun());
        const QString folder = newestRunFolder();
        QVERIFY(waitForStep(folder, 0, 5, 60));
        ::kill(static_cast<pid_t>(cli->processId()), SIGKILL);
        cli->waitForFinished();
        QThread::sleep(2);
        const auto attached = m_cluster->cli(
            {QStringLiteral("attach"), folder.section(QLatin1Char('/'), -1), QStringLiteral("--json")});
        QVERIFY2(attached.status == 0, attached.err);
        QCOMPARE(attached.json()[QStringLiteral("state")].toString(), QStringLiteral("finished"));
        for (int rank = 0; rank < 3; ++rank)
            QCOMPARE(readSteps(folder + QStringLiteral("/rank-%1.jsonl").arg(rank)).steps, oneTo(60));
        // byte for byte what the nodes have
        QFile copy(folder + QStringLiteral("/rank-1.jsonl"));
        QVERIFY(copy.open(QIODevice::ReadOnly));
        QCOMPARE(copy.readAll(),
                 m_cluster->hosts().in(2, QStringLiteral("cat /root/.coxswain/jobs/%1/rank-1.jsonl")
                                              .arg(folder.section(QLatin1Char('/'), -1))));
        verifyClean();
    }

    void stopEndsAllRanksAtTheSameStep() {
        auto cli = m_cluster->start(run(2000));
        QVERIFY(waitForNewRun());
        const QString folder = newestRunFolder();
        QVERIFY(waitForStep(folder, 0, 5, 60));
        const auto stopped = m_cluster->cli({QStringLiteral("stop"), QStringLiteral("--json")}, 60);
        QVERIFY2(stopped.status == 0, stopped.err);
        const auto result = Cluster::finish(*cli, 30);
        QCOMPARE(result.json()[QStringLiteral("state")].toString(), QStringLiteral("stopped"));
        QCOMPARE(stopped.json()[QStringLiteral("state")].toString(), QStringLiteral("stopped"));
        const auto steps = readSteps(folder + QStringLiteral("/rank-0.jsonl")).steps;
        for (int rank = 1; rank < 3; ++rank)
            QCOMPARE(readSteps(folder + QStringLiteral("/rank-%1.jsonl").arg(rank)).steps, steps);
        QVERIFY(!m_cluster->hosts()
                     .in(1, QStringLiteral("ls /root/.coxswain/jobs/*/checkpoints/final/model.safetensors"))
                     .isEmpty());
        verifyClean();
    }

    void stopNow() {
        auto cli = m_cluster->start(run(2000));
        QVERIFY(waitForNewRun());
        QVERIFY(waitForStep({}, 0, 3, 60));
        ::kill(static_cast<pid_t>(cli->processId()), SIGKILL); // so that `stop` itself follows
        cli->waitForFinished();
        const auto stopped =
            m_cluster->cli({QStringLiteral("stop"), QStringLiteral("--now"), QStringLiteral("--json")}, 60);
        QVERIFY2(stopped.status == 0, stopped.err);
        QCOMPARE(stopped.json()[QStringLiteral("state")].toString(), QStringLiteral("stopped"));
        verifyClean();
    }

    /// kill -9 of a rank: all down within 10 s; rank, node and signal are named first.
    void aKilledRankIsNamed() {
        auto cli = m_cluster->start(run(2000));
        QVERIFY(waitForNewRun());
        QVERIFY(waitForStep({}, 0, 3, 60));
        m_cluster->hosts().in(2, QStringLiteral("pkill -9 -f '[c]oxswain-trainer'"));
        QElapsedTimer timer;
        timer.start();
        while (ranksLive() && timer.elapsed() < 20'000)
            QThread::msleep(100);
        QVERIFY2(timer.elapsed() < 10'000, qPrintable(QString::number(timer.elapsed())));
        const auto result = Cluster::finish(*cli, 40);
        QCOMPARE(result.status, 1);
        const auto failure = result.json()[QStringLiteral("failure")].toObject();
        QCOMPARE(failure[QStringLiteral("rank")].toInt(), 1);
        QCOMPARE(failure[QStringLiteral("node")].toString(), m_cluster->node(2));
        QCOMPARE(failure[QStringLiteral("signal")].toString(), QStringLiteral("SIGKILL"));
        verifyClean();
    }

    /// A node's cable is pulled: named within 15 s, and the job has ended on the others.
    void aLostNodeIsNamed() {
        auto cli = m_cluster->start(run(2000));
        QVERIFY(waitForNewRun());
        QVERIFY(waitForStep({}, 0, 3, 60));
        m_cluster->hosts().run({QStringLiteral("cut"), QStringLiteral("2")});
        QElapsedTimer timer;
        timer.start();
        bool named = false;
        while (!named && timer.elapsed() < 40'000) {
            QFile record(newestRunFolder() + QStringLiteral("/run.json"));
            named = record.open(QIODevice::ReadOnly) && record.readAll().contains("\"headline\"");
            QThread::msleep(100);
        }
        const qint64 took = timer.elapsed();
        const auto result = Cluster::finish(*cli, 90);
        m_cluster->hosts().run({QStringLiteral("heal"), QStringLiteral("2")});
        QVERIFY2(took < 15'000, qPrintable(QString::number(took)));
        QCOMPARE(result.status, 1);
        const auto failure = result.json()[QStringLiteral("failure")].toObject();
        QCOMPARE(failure[QStringLiteral("node")].toString(), m_cluster->node(2));
        QCOMPARE(m_cluster->leftProcesses(1), QByteArray());
        QCOMPARE(m_cluster->leftProcesses(3), QByteArray());
        waitUntilClean(2);
    }

    void theHeadIsLost() {
        auto cli = m_cluster->start(run(2000));
        QVERIFY(waitForNewRun());
        QVERIFY(waitForStep({}, 0, 3, 60));
        m_cluster->hosts().run({QStringLiteral("cut"), QStringLiteral("1")});
        QElapsedTimer timer;
        timer.start();
        const auto result = Cluster::finish(*cli, 90);
        m_cluster->hosts().run({QStringLiteral("heal"), QStringLiteral("1")});
        QCOMPARE(result.status, 1);
        QVERIFY2(result.json()[QStringLiteral("errors")]
                     .toArray()
                     .first()
                     .toObject()[QStringLiteral("text")]
                     .toString()
                     .contains(m_cluster->node(1)),
                 result.out);
        QCOMPARE(m_cluster->leftProcesses(2), QByteArray());
        QCOMPARE(m_cluster->leftProcesses(3), QByteArray());
        waitUntilClean(1);
    }

private:
    QStringList run(int steps, const QStringList& settings = {}) const {
        m_before = newestRunFolder();
        QStringList arguments{QStringLiteral("run"),
                              Cluster::job(),
                              QStringLiteral("--json"),
                              QStringLiteral("--nodes"),
                              m_cluster->nodes(),
                              QStringLiteral("--set"),
                              QStringLiteral("train.steps=%1").arg(steps)};
        for (const auto& setting : settings)
            arguments += {QStringLiteral("--set"), setting};
        return arguments;
    }
    bool waitForNewRun() const {
        return QTest::qWaitFor([this] { return newestRunFolder() != m_before; }, 10'000);
    }
    static QList<qint64> oneTo(int last) {
        QList<qint64> list(last);
        std::iota(list.begin(), list.end(), 1);
        return list;
    }
    bool ranksLive() const {
        for (int node = 1; node <= 3; ++node)
            if (m_cluster->leftProcesses(node).contains("coxswain-trainer"))
                return true;
        return false;
    }
    void waitUntilClean(int node) const {
        QTRY_COMPARE_WITH_TIMEOUT(m_cluster->leftProcesses(node), QByteArray(), 20'000);
    }
    void verifyClean() const {
        for (int node = 1; node <= 3; ++node) {
            QCOMPARE(m_cluster->leftProcesses(node), QByteArray());
            QVERIFY(!m_cluster->authorizedKeys(node).contains("coxswain"));
        }
    }

    std::unique_ptr<Cluster> m_cluster;
    mutable QString m_before;
};

QTEST_GUILESS_MAIN(TestRun)
#include "tst_run.moc"
