// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/remote/hostpool.h"

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>
#include <QTimer>

#include <signal.h>

#include <atomic>
#include <thread>

using namespace coxswain;
using namespace coxswain::remote;
using namespace std::chrono_literals;
using core::ErrorCode;
using core::Expected;
using core::HostName;

namespace {

const HostName local{{}, "local", 0};

/// Never connects: its work does not ask for the agent.
HostName idle(int number) {
    return {{}, QStringLiteral("host%1").arg(number), 0};
}

} // namespace

class HostPoolTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_home;

    static RemoteOptions options() {
        RemoteOptions options;
        options.agentProgram = COXSWAIN_AGENT;
        return options;
    }
    /// Sleeps in steps, as work does that looks at its token.
    static Expected<int> waitForCancel(const CancelToken& token, std::chrono::seconds most) {
        const Deadline deadline(most);
        while (!deadline.hasPassed())
            if (token.isCancelled())
                return core::fail({ErrorCode::Cancelled, {}, {}, "cancelled", {}});
            else
                std::this_thread::sleep_for(2ms);
        return 0;
    }

private slots:
    void initTestCase() { qputenv("HOME", m_home.path().toUtf8()); }

    void resultsComeToThisThread() {
        HostPool pool(options());
        QString base;
        QThread* worked = nullptr;
        QThread* delivered = nullptr;
        pool.run<QString>(
            local,
            [&](HostSession& session, const CancelToken& token) -> Expected<QString> {
                worked = QThread::currentThread();
                auto agent = session.agent(token);
                if (!agent)
                    return core::fail(agent.error());
                return (*agent)->greeting().base;
            },
            this,
            [&](Expected<QString> result) {
                delivered = QThread::currentThread();
                base = result ? *result : result.error().text();
            });
        QVERIFY(base.isEmpty()); // nothing happens within run()
        QTRY_COMPARE(base, m_home.path() + "/.coxswain");
        QVERIFY(worked != QThread::currentThread());
        QCOMPARE(delivered, QThread::currentThread());
    }

    void oneSessionServesManyInOrder() {
        HostPool pool(options());
        QList<int> order;
        QSet<AgentClient*> agents;
        for (int i = 0; i < 20; ++i)
            pool.run<AgentClient*>(
                local, [](HostSession& session, const CancelToken& token) { return session.agent(token); },
                this,
                [&, i](Expected<AgentClient*> result) {
                    order.append(i);
                    agents.insert(result.value_or(nullptr));
                });
        QTRY_COMPARE(order.size(), 20);
        QVERIFY(std::is_sorted(order.begin(), order.end()));
        QCOMPARE(agents.size(), 1);
        QVERIFY(!agents.contains(nullptr));
    }

    void hostsWorkAtTheSameTime() {
        HostPool pool(options());
        std::atomic<int> inside = 0;
        int done = 0;
        for (int i = 0; i < 8; ++i)
            pool.run<bool>(
                idle(i),
                [&](HostSession&, const CancelToken&) -> Expected<bool> {
                    ++inside;
                    const Deadline deadline(10s);
                    while (inside < 8 && !deadline.hasPassed())
                        std::this_thread::sleep_for(1ms);
                    return inside == 8;
                },
                this, [&](Expected<bool> all) { done += *all; });
        QTRY_COMPARE_WITH_TIMEOUT(done, 8, 15000);
    }

    void thisThreadIsNeverBlocked() {
        HostPool pool(options());
        bool done = false;
        int ticks = 0;
        QTimer timer;
        timer.callOnTimeout([&] { ++ticks; });
        timer.start(10ms);
        pool.run<int>(
            idle(1), [](HostSession&, const CancelToken& token) { return waitForCancel(token, 1s); }, this,
            [&](Expected<int>) { done = true; });
        QTRY_VERIFY(done);
        QVERIFY2(ticks > 40, qPrintable(QString::number(ticks)));
    }

    void resultsForTheDeadAreDropped() {
        HostPool pool(options());
        auto context = std::make_unique<QObject>();
        bool delivered = false;
        std::atomic<bool> worked = false;
        pool.run<int>(
            idle(1),
            [&](HostSession&, const CancelToken&) -> Expected<int> {
                std::this_thread::sleep_for(50ms);
                worked = true;
                return 1;
            },
            context.get(), [&](Expected<int>) { delivered = true; });
        context.reset();
        QTRY_VERIFY(worked);
        QTest::qWait(50);
        QVERIFY(!delivered);
    }

    void cancelReachesQueuedAndRunning() {
        HostPool pool(options());
        QList<ErrorCode> codes;
        std::atomic<int> begun = 0;
        for (int i = 0; i < 3; ++i)
            pool.run<int>(
                idle(1),
                [&](HostSession&, const CancelToken& token) {
                    ++begun;
                    return waitForCancel(token, 30s);
                },
                this,
                [&](Expected<int> result) {
                    codes.append(result ? ErrorCode::Internal : result.error().code);
                });
        QTRY_COMPARE(begun.load(), 1);
        pool.cancel(idle(2)); // of another host: nothing happens
        QTest::qWait(30);
        QVERIFY(codes.isEmpty());
        pool.cancel(idle(1));
        const QList<ErrorCode> all(3, ErrorCode::Cancelled);
        QTRY_COMPARE(codes, all);
        QCOMPARE(begun.load(), 1); // the queued ones never began
        // Later work is not touched by it.
        bool later = false;
        pool.run<int>(
            idle(1), [](HostSession&, const CancelToken&) -> Expected<int> { return 7; }, this,
            [&](Expected<int> result) { later = result == 7; });
        QTRY_VERIFY(later);
    }

    void oneTokenCancelsOnePiece() {
        HostPool pool(options());
        QList<bool> good;
        const auto work = [](HostSession&, const CancelToken& token) { return waitForCancel(token, 1s); };
        const auto done = [&](Expected<int> result) { good.append(result.has_value()); };
        pool.run<int>(idle(1), work, this, done);
        const CancelToken second = pool.run<int>(idle(1), work, this, done);
        pool.run<int>(idle(1), work, this, done);
        second.cancel();
        const QList<bool> expected{true, false, true};
        QTRY_COMPARE(good, expected);
    }

    void endsSoonWithWorkUnderWay() {
        auto pool = std::make_unique<HostPool>(options());
        std::atomic<int> begun = 0;
        bool delivered = false;
        for (int i = 0; i < 4; ++i)
            for (int k = 0; k < 3; ++k)
                pool->run<int>(
                    idle(i),
                    [&](HostSession&, const CancelToken& token) {
                        ++begun;
                        return waitForCancel(token, 60s);
                    },
                    this, [&](Expected<int>) { delivered = true; });
        pool->run<AgentClient*>(
            local, [](HostSession& session, const CancelToken& token) { return session.agent(token); }, this,
            [](Expected<AgentClient*>) {});
        QTRY_COMPARE(begun.load(), 4);
        QElapsedTimer timer;
        timer.start();
        pool.reset();
        QVERIFY2(timer.elapsed() < 3000, qPrintable(QString::number(timer.elapsed())));
        QTest::qWait(50);
        QVERIFY(!delivered);
    }

    void aBrokenConnectionIsMadeAgain() {
        HostPool pool(options());
        QList<qint64> pids; // of the agents, as processes() of nothing cannot tell: from /proc
        const auto agentPid = [](HostSession& session, const CancelToken& token) -> Expected<qint64> {
            auto agent = session.agent(token);
            if (!agent)
                return core::fail(agent.error());
            QFile children(QStringLiteral("/proc/%1/task/%2/children").arg(::getpid()).arg(::gettid()));
            return children.open(QIODevice::ReadOnly) ? children.readAll().trimmed().toLongLong() : 0;
        };
        const auto note = [&](Expected<qint64> pid) { pids.append(pid.value_or(-1)); };
        pool.run<qint64>(local, agentPid, this, note);
        QTRY_COMPARE(pids.size(), 1);
        QVERIFY(pids[0] > 0);
        ::kill(pid_t(pids[0]), SIGKILL);
        std::optional<core::Error> error;
        pool.run<QByteArray>(
            local,
            [](HostSession& session, const CancelToken& token) -> Expected<QByteArray> {
                return (*session.agent(token))->probe(HostSession::within(10s, token));
            },
            this, [&](Expected<QByteArray> result) { error = result ? core::Error{} : result.error(); });
        QTRY_VERIFY(error);
        QCOMPARE(error->code, ErrorCode::Lost);
        pool.run<qint64>(local, agentPid, this, note);
        QTRY_COMPARE(pids.size(), 2);
        QVERIFY(pids[1] > 0 && pids[1] != pids[0]);
    }
};

QTEST_GUILESS_MAIN(HostPoolTest)
#include "tst_hostpool.moc"
