// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/remote/hostpool.h"
#include "tests/remote/sshfixture.h"
#include "trainer/wire/sha256.h"

#include <QElapsedTimer>
#include <QRandomGenerator>
#include <QTest>
#include <QTimer>

#include <optional>
#include <thread>

using namespace coxswain;
using namespace coxswain::remote;
using namespace coxswain::test;
using core::ErrorCode;
using core::Expected;

/// What happens on the wire: much data, cut cables, dead agents, many hosts.
class SshTrafficTest : public QObject {
    Q_OBJECT

    std::optional<SshFixture> m_ssh;
    QString m_file;
    QString m_digest;
    qint64 m_size = 0;

    Expected<void> put(HostSession& session, const CancelToken& cancel, std::chrono::milliseconds limit,
                       const std::function<void(qint64)>& progress) {
        auto agent = session.agent(cancel);
        if (!agent)
            return core::fail(agent.error());
        return (*agent)->put(m_file, m_digest, m_size, HostSession::within(limit, cancel), progress);
    }

private slots:
    void initTestCase() {
        m_ssh.emplace("10.83.0", 3);
        m_file = m_ssh->home.path() + "/big";
        QByteArray content(160 << 20, Qt::Uninitialized);
        QRandomGenerator(7).fillRange(reinterpret_cast<quint32*>(content.data()), content.size() / 4);
        m_size = content.size();
        m_digest =
            QString::fromStdString(wire::sha256Hex({content.constData(), std::size_t(content.size())}));
        SshFixture::write(m_file, content);
    }
    void cleanupTestCase() { m_ssh.reset(); }
    void cleanup() {
        for (int node = 1; node <= 3; ++node)
            m_ssh->hosts.in(node, "rm -rf /root/.coxswain/store");
    }

    void bigFile() {
        HostSession session(m_ssh->host(1), m_ssh->options);
        QVERIFY(session.agent({}).has_value());
        qint64 sent = 0;
        QElapsedTimer timer;
        timer.start();
        const auto done = put(session, {}, 60s, [&](qint64 bytes) { sent += bytes; });
        const double seconds = double(timer.nsecsElapsed()) / 1e9;
        QVERIFY2(done.has_value(), done ? "" : qPrintable(done.error().text()));
        QCOMPARE(sent, m_size);
        QCOMPARE(m_ssh->hosts.in(1, "sha256sum < /root/.coxswain/store/" + m_digest).left(64),
                 m_digest.toLatin1());
        qInfo("160 MiB over SSH, verified: %.2f s, %.0f MB/s", seconds, double(m_size) / seconds / 1e6);
    }

    void cutInTheMiddle() {
        HostPool pool(m_ssh->options);
        std::optional<core::Error> error;
        QElapsedTimer timer;
        std::atomic<qint64> sent = 0;
        m_ssh->hosts.run({"limit", "2", "400mbit"});
        pool.run<bool>(
            m_ssh->host(2),
            [&](HostSession& session, const CancelToken& cancel) -> Expected<bool> {
                auto done = put(session, cancel, 8s, [&](qint64 bytes) { sent += bytes; });
                return done ? Expected<bool>(true) : core::fail(done.error());
            },
            this, [&](Expected<bool> result) { error = result ? core::Error{} : result.error(); });
        // What the node sends is limited, not what it gets: cut early.
        QTRY_VERIFY_WITH_TIMEOUT(sent > 4 << 20, 10000);
        m_ssh->hosts.run({"cut", "2"});
        timer.start();
        QVERIFY2(sent < m_size, "it was through before the cable was cut");
        QTRY_VERIFY_WITH_TIMEOUT(error, 20000);
        m_ssh->hosts.run({"heal", "2"});
        m_ssh->hosts.run({"unlimit", "2"});
        QVERIFY2(error->code == ErrorCode::Timeout || error->code == ErrorCode::Lost,
                 qPrintable(error->text()));
        QVERIFY2(timer.elapsed() < 12000, qPrintable(QString::number(timer.elapsed())));
        QCOMPARE(error->host, m_ssh->host(2).toString());

        // The next work connects anew, and what was cut is not taken for whole.
        std::optional<QStringList> missing;
        pool.run<QStringList>(
            m_ssh->host(2),
            [&](HostSession& session, const CancelToken& cancel) -> Expected<QStringList> {
                auto agent = session.agent(cancel);
                if (!agent)
                    return core::fail(agent.error());
                return (*agent)->missing({m_digest}, HostSession::within(10s, cancel));
            },
            this, [&](Expected<QStringList> list) { missing = list.value_or(QStringList{"error"}); });
        QTRY_VERIFY_WITH_TIMEOUT(missing, 20000);
        QCOMPARE(*missing, QStringList{m_digest});
    }

    void cancelInTheMiddle() {
        HostPool pool(m_ssh->options);
        std::atomic<qint64> sent = 0;
        std::optional<ErrorCode> code;
        const CancelToken token = pool.run<bool>(
            m_ssh->host(1),
            [&](HostSession& session, const CancelToken& cancel) -> Expected<bool> {
                auto done = put(session, cancel, 60s, [&](qint64 bytes) { sent += bytes; });
                return done ? Expected<bool>(true) : core::fail(done.error());
            },
            this, [&](Expected<bool> result) { code = result ? ErrorCode::Internal : result.error().code; });
        QTRY_VERIFY_WITH_TIMEOUT(sent > 4 << 20, 10000);
        QElapsedTimer timer;
        timer.start();
        token.cancel();
        QTRY_VERIFY(code);
        QCOMPARE(*code, ErrorCode::Cancelled);
        QVERIFY2(timer.elapsed() < 1000, qPrintable(QString::number(timer.elapsed())));
        QTRY_COMPARE(m_ssh->hosts.in(1, "ls -A /root/.coxswain/store"), "");
    }

    void endsSoonWhileMuchIsSent() {
        auto pool = std::make_unique<HostPool>(m_ssh->options);
        std::atomic<qint64> sent = 0;
        pool->run<bool>(
            m_ssh->host(1),
            [&](HostSession& session, const CancelToken& cancel) -> Expected<bool> {
                return put(session, cancel, 60s, [&](qint64 bytes) { sent += bytes; }).has_value();
            },
            this, [](Expected<bool>) {});
        QTRY_VERIFY_WITH_TIMEOUT(sent > 4 << 20, 10000);
        QElapsedTimer timer;
        timer.start();
        pool.reset();
        QVERIFY2(timer.elapsed() < 2000, qPrintable(QString::number(timer.elapsed())));
    }

    /// The node stands still for 4 s, as an overloaded one does: that is not a failure.
    void stallIsNotAFailure() {
        HostSession session(m_ssh->host(3), m_ssh->options);
        const auto agent = session.agent({});
        QVERIFY(agent.has_value());
        m_ssh->hosts.run({"cut", "3"});
        QTimer::singleShot(4000, this, [this] { m_ssh->hosts.run({"heal", "3"}); });
        std::thread asker([&] {
            const auto facts = (*agent)->probe(within(20s));
            QVERIFY2(facts.has_value(), facts ? "" : qPrintable(facts.error().text()));
        });
        QTest::qWait(4500);
        asker.join();
    }

    void idleConnectionThatDied() {
        HostPool pool(m_ssh->options);
        QList<QString> results;
        const auto ask = [&] {
            pool.run<QString>(
                m_ssh->host(3),
                [](HostSession& session, const CancelToken& cancel) -> Expected<QString> {
                    auto agent = session.agent(cancel);
                    if (!agent)
                        return core::fail(agent.error());
                    auto facts = (*agent)->probe(HostSession::within(10s, cancel));
                    return facts ? Expected<QString>("good") : core::fail(facts.error());
                },
                this,
                [&](Expected<QString> result) {
                    results.append(result ? *result : core::errorCodeName(result.error().code));
                });
        };
        ask();
        QTRY_COMPARE_WITH_TIMEOUT(results, QList<QString>{"good"}, 15000);
        m_ssh->hosts.in(3, "pkill -9 -f '[s]shd: root@notty'");
        ask();
        QTRY_COMPARE_WITH_TIMEOUT(results.size(), 2, 15000);
        QCOMPARE(results[1], "lost");
        ask();
        QTRY_COMPARE_WITH_TIMEOUT(results.size(), 3, 15000);
        QCOMPARE(results[2], "good");
    }

    void killedAgent() {
        HostSession session(m_ssh->host(3), m_ssh->options);
        const auto agent = session.agent({});
        QVERIFY(agent.has_value());
        m_ssh->hosts.in(3, "pkill -9 -f '[c]oxswain-agent serve'");
        const auto facts = (*agent)->probe(within(10s));
        QVERIFY(!facts);
        QCOMPARE(facts.error().code, ErrorCode::Lost);
        session.dropIfBroken(facts.error());
        QVERIFY(session.agent({}).has_value());
    }

    void deadNode() {
        HostSession session(m_ssh->host(3), m_ssh->options);
        const auto agent = session.agent({});
        QVERIFY(agent.has_value());
        m_ssh->hosts.run({"cut", "3"});
        QElapsedTimer timer;
        timer.start();
        const auto news = (*agent)->read({{"jobs/x/rank-0.jsonl"}}, 1000, within(60s));
        m_ssh->hosts.run({"heal", "3"});
        QVERIFY(!news);
        QCOMPARE(news.error().code, ErrorCode::Lost); // by TCP's keepalive, long before the deadline
        QVERIFY2(timer.elapsed() < 25000, qPrintable(QString::number(timer.elapsed())));
        qInfo("a cut cable was noticed after %.1f s", double(timer.elapsed()) / 1e3);
    }

    void manyHostsAtOnce() {
        // Every user is a host of its own to the pool: 24 connections to three nodes.
        HostPool pool(m_ssh->options);
        int good = 0;
        QStringList errors;
        QElapsedTimer timer;
        timer.start();
        for (int i = 0; i < 24; ++i) {
            const int node = i % 3 + 1;
            const QString user = QString("user%1").arg(i);
            m_ssh->hosts.addUser(node, user);
        }
        qInfo("users made in %lld ms", timer.restart());
        for (int i = 0; i < 24; ++i)
            pool.run<QByteArray>(
                m_ssh->host(i % 3 + 1, QString("user%1").arg(i)),
                [](HostSession& session, const CancelToken& cancel) -> Expected<QByteArray> {
                    auto agent = session.agent(cancel);
                    if (!agent)
                        return core::fail(agent.error());
                    return (*agent)->probe(HostSession::within(20s, cancel));
                },
                this,
                [&](Expected<QByteArray> facts) {
                    if (facts)
                        ++good;
                    else
                        errors.append(facts.error().text());
                });
        QTRY_VERIFY_WITH_TIMEOUT(good + errors.size() == 24, 60000);
        QVERIFY2(errors.isEmpty(), qPrintable(errors.join('\n')));
        qInfo("24 hosts: connected, agents put there, probed in %lld ms", timer.elapsed());
    }
};

QTEST_GUILESS_MAIN(SshTrafficTest)
#include "tst_sshtraffic.moc"
