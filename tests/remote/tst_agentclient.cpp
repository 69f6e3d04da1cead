// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/remote/agentclient.h"
#include "cluster/remote/localtransport.h"
#include "tests/remote/fakes.h"
#include "trainer/wire/sha256.h"

#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <signal.h>

#include <thread>

using namespace coxswain;
using namespace coxswain::remote;
using namespace coxswain::test;
using namespace std::chrono_literals;
using core::ErrorCode;

namespace {

Limits within(std::chrono::milliseconds time = 20s) {
    return {Deadline(time), CancelToken()};
}

QString digestOf(const QByteArray& content) {
    return QString::fromStdString(wire::sha256Hex(content.toStdString()));
}

void writeFile(const QString& path, const QByteArray& content) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
}

const QByteArray greeting = answer(
    R"({"protocol":1,"program":"/b/agent","base":"/b","home":"/h","user":"u","hostname":"n","uid":7})");

/// A shell that has an agent, whose answers to requests are `after`.
ScriptedTransport withAgent(const QByteArray& hello, const QByteArray& after) {
    return ScriptedTransport([=](const QByteArray& line) -> ScriptedStream::Reply {
        const QByteArray nonce = line.mid(line.indexOf("n=") + 2, line.indexOf(';') - line.indexOf("n=") - 2);
        return [=, said = std::make_shared<int>(0)](const QByteArray& written) {
            if ((*said)++ == 0)
                return "motd\n" + nonce + " have Linux x86_64 /b\n" + hello;
            return written.isEmpty() || *said > 2 ? QByteArray() : after;
        };
    });
}

} // namespace

/// The client against this machine's real agent, and against nodes that lie.
class AgentClientTest : public QObject {
    Q_OBJECT

    std::optional<QTemporaryDir> m_home;

    core::Expected<std::unique_ptr<AgentClient>> startLocal(LocalTransport& transport) {
        return AgentClient::start(transport, "local", COXSWAIN_AGENT, 20s, CancelToken());
    }
    std::unique_ptr<AgentClient> local() {
        static LocalTransport transport;
        auto client = startLocal(transport);
        if (!client)
            qWarning("%s", qPrintable(client.error().text()));
        return client ? std::move(*client) : nullptr;
    }

private slots:
    void init() {
        m_home.emplace();
        qputenv("HOME", m_home->path().toUtf8());
    }

    void greets() {
        const auto client = local();
        QVERIFY(client);
        QCOMPARE(client->greeting().base, m_home->path() + "/.coxswain");
        QCOMPARE(client->greeting().home, m_home->path());
        QCOMPARE(client->greeting().uid, qint64(::getuid()));
        QVERIFY(client->greeting().program.startsWith(client->greeting().base + "/agent/"));
        QVERIFY(client->isLocal());
        const auto facts = client->probe(within());
        QVERIFY2(facts.has_value(), facts ? "" : qPrintable(facts.error().text()));
        QVERIFY(facts->contains("architecture"));
    }

    void storesAndInstalls() {
        const auto client = local();
        QVERIFY(client);
        const QByteArray content(3'000'000, 'c');
        writeFile(m_home->path() + "/file", content);
        const QString digest = digestOf(content);
        QCOMPARE(client->missing({digest}, within()).value(), QStringList{digest});
        qint64 progress = 0;
        const auto put = client->put(m_home->path() + "/file", digest, content.size(), within(),
                                     [&](qint64 bytes) { progress += bytes; });
        QVERIFY2(put.has_value(), put ? "" : qPrintable(put.error().text()));
        QCOMPARE(progress, content.size());
        QCOMPARE(client->missing({digest}, within()).value(), QStringList{});
        QVERIFY(client->install("runtime/x", {{"bin/a", digest, 0755}}, within()).has_value());
        QVERIFY(QFileInfo(m_home->path() + "/.coxswain/runtime/x/bin/a").isExecutable());

        const auto absent = client->install("runtime/y", {{"a", digestOf("other"), 0644}}, within());
        QVERIFY(!absent);
        QCOMPARE(absent.error().code, ErrorCode::Missing);
        QCOMPARE(absent.error().host, "local");
        // A failure is an answer: the conversation goes on.
        QVERIFY(client->write("jobs/j/job.json", "{}", 0600, within()).has_value());
        const auto gone = client->put(m_home->path() + "/gone", digest, 1, within(), [](qint64) {});
        QVERIFY(!gone);
        const auto space = client->requireSpace(qint64(1) << 60, within());
        QVERIFY(!space);
        QCOMPARE(space.error().code, ErrorCode::NoSpace);
        QVERIFY(client->requireSpace(1, within()).has_value());
    }

    void reads() {
        const auto client = local();
        QVERIFY(client);
        QVERIFY(client->write("jobs/j/rank-0.jsonl", "one\ntwo\nthr", 0600, within()).has_value());
        QVERIFY(client->write("jobs/j/rank-1.jsonl", "uno\n", 0600, within()).has_value());
        const auto news = client->read(
            {{"jobs/j/rank-0.jsonl", 4}, {"jobs/j/none.jsonl"}, {"jobs/j/rank-1.jsonl"}}, 0, within());
        QVERIFY2(news.has_value(), news ? "" : qPrintable(news.error().text()));
        QCOMPARE(news->size(), 3);
        QCOMPARE(news->at(0).bytes, "two\n");
        QCOMPARE(news->at(0).size, 11);
        QVERIFY(!news->at(0).absent);
        QVERIFY(news->at(1).absent && news->at(1).bytes.isEmpty());
        QCOMPARE(news->at(2).bytes, "uno\n");
    }

    void deadlineAndCancel() {
        const RemoteFile never{"never.jsonl"};
        auto client = local();
        QElapsedTimer timer;
        timer.start();
        const auto late = client->read({never}, 60000, within(200ms));
        QVERIFY(!late);
        QCOMPARE(late.error().code, ErrorCode::Timeout);
        QVERIFY2(timer.elapsed() < 2000, qPrintable(QString::number(timer.elapsed())));

        client = local();
        const CancelToken token;
        std::thread canceller([token] {
            std::this_thread::sleep_for(100ms);
            token.cancel();
        });
        timer.start();
        const auto cancelled = client->read({never}, 60000, {Deadline(30s), token});
        canceller.join();
        QVERIFY(!cancelled);
        QCOMPARE(cancelled.error().code, ErrorCode::Cancelled);
        QVERIFY2(timer.elapsed() < 2000, qPrintable(QString::number(timer.elapsed())));
    }

    void agentProgramIsMissing() {
        LocalTransport transport;
        const auto client = AgentClient::start(transport, "local", "/nonexistent/agent", 20s, CancelToken());
        QVERIFY(!client);
        QCOMPARE(client.error().code, ErrorCode::Missing);
    }

    /// What strange login shells say becomes an error that shows it.
    void strangeShells_data() {
        QTest::addColumn<QByteArray>("said"); // NONCE is replaced
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("shown");
        const auto row = [](const char* name, const QByteArray& said, ErrorCode code, const char* shown) {
            QTest::newRow(name) << said << int(code) << QString(shown);
        };
        row("nothing", "", ErrorCode::NoShell, "complaint on standard error");
        row("no account", "This account is currently not available.\n", ErrorCode::NoShell, "not available");
        row("noise without end", QByteArray(3 << 20, 'x'), ErrorCode::NoShell, "xxx");
        row("no place", "NONCE none  /root/.coxswain is full;\n", ErrorCode::NoPlace,
            "/root/.coxswain is full");
        row("another system", "NONCE have Darwin arm64 /x\n", ErrorCode::Missing, "Darwin arm64");
        row("another processor", "NONCE need Linux aarch64 /x\n", ErrorCode::Missing, "Linux aarch64");
        row("agent ends at once", "NONCE have Linux x86_64 /b\n", ErrorCode::Lost,
            "complaint on standard error");
        row("text instead of the protocol", "NONCE have Linux x86_64 /b\nSegmentation fault\n",
            ErrorCode::Protocol, "");
    }
    void strangeShells() {
        QFETCH(QByteArray, said);
        QFETCH(int, code);
        QFETCH(QString, shown);
        ScriptedTransport transport([=](const QByteArray& line) -> ScriptedStream::Reply {
            const QByteArray nonce =
                line.mid(line.indexOf("n=") + 2, line.indexOf(';') - line.indexOf("n=") - 2);
            return [=, done = std::make_shared<bool>(false)](const QByteArray&) {
                return std::exchange(*done, true) ? QByteArray() : QByteArray(said).replace("NONCE", nonce);
            };
        });
        const auto client = AgentClient::start(transport, "node1", COXSWAIN_AGENT, 20s, CancelToken());
        QVERIFY(!client);
        QVERIFY2(int(client.error().code) == code, qPrintable(client.error().text()));
        QVERIFY2(client.error().seen.contains(shown), qPrintable(client.error().text()));
        QCOMPARE(client.error().host, "node1");
        QVERIFY(client.error().seen.size() < 3000);
    }

    void hostileGreetings_data() {
        QTest::addColumn<QByteArray>("hello");
        QTest::newRow("other version") << answer(R"({"protocol":2})");
        QTest::newRow("no version") << answer("{}");
        QTest::newRow("version is text") << answer(R"({"protocol":"1"})");
        QTest::newRow("no object") << answer("[1]");
        QTest::newRow("no JSON") << answer("}{");
        QTest::newRow("a request") << frame(agent::FrameKind::Request, R"({"protocol":1})");
        QTest::newRow("too long") << QByteArray("\xff\xff\xff\xff\4", 5);
        QTest::newRow("deep") << answer(QByteArray(1'000'000, '['));
        QTest::newRow("failure without a code") << frame(agent::FrameKind::Failure, "{}");
    }
    void hostileGreetings() {
        QFETCH(QByteArray, hello);
        auto transport = withAgent(hello, {});
        const auto client = AgentClient::start(transport, "node1", COXSWAIN_AGENT, 20s, CancelToken());
        QVERIFY(!client);
        QVERIFY(client.error().code == ErrorCode::Protocol || client.error().code == ErrorCode::Internal);
    }

    /// Wrong types, missing fields, sums that do not match: an error or a harmless value, never a crash.
    void hostileAnswers_data() {
        QTest::addColumn<QByteArray>("said");
        QTest::newRow("end") << QByteArray();
        QTest::newRow("empty") << answer("{}");
        QTest::newRow("wrong types") << answer(
            R"({"files":7,"missing":"x","processes":{},"left":1,"state":[],"removed":"y"})");
        QTest::newRow("wrong elements")
            << answer(R"({"files":[1,"a",null],"missing":[1,{}],"processes":[1,[]],"left":[""]})");
        QTest::newRow("odd numbers") << answer(
            R"({"files":[{"bytes":-5,"size":1e300,"absent":1}],"removed":18446744073709551615})");
        QTest::newRow("huge numbers")
            << answer(R"({"files":[{"bytes":9223372036854775807,"size":9223372036854775807}]})");
        QTest::newRow("more than was asked")
            << frame(agent::FrameKind::Data, QByteArray(1 << 20, 'x')).repeated(4) +
                   answer(R"({"files":[{"bytes":4194304,"size":4194304,"absent":false}]})");
        QTest::newRow("less than it says")
            << frame(agent::FrameKind::Data, "x") +
                   answer(R"({"files":[{"bytes":10,"size":10,"absent":false}]})");
        QTest::newRow("pid of another type")
            << answer(R"({"processes":[{"pid":"1","command":2,"keeper":3}]})");
        QTest::newRow("failure of wrong types")
            << frame(agent::FrameKind::Failure, R"({"code":7,"tried":[],"seen":{}})");
        QTest::newRow("bytes that are no text") << answer("{\"missing\":[\"\xff\xfe\"]}");
        QTest::newRow("two answers") << answer("{}") + answer("{}");
    }
    void hostileAnswers() {
        QFETCH(QByteArray, said);
        using Call = std::function<bool(AgentClient&)>; // true: it took the answer for good
        const QList<Call> calls{
            [](AgentClient& c) { return c.probe(within()).has_value(); },
            [](AgentClient& c) { return c.missing({digestOf("x")}, within()).has_value(); },
            [](AgentClient& c) { return c.processes("j", within()).has_value(); },
            [](AgentClient& c) { return c.killJob("j", within()).has_value(); },
            [](AgentClient& c) { return c.clean("j", within()).has_value(); },
            [](AgentClient& c) { return c.write("p", "x", 0600, within()).has_value(); },
        };
        for (const Call& call : calls) {
            auto transport = withAgent(greeting, said);
            auto client = AgentClient::start(transport, "node1", COXSWAIN_AGENT, 20s, CancelToken());
            QVERIFY2(client.has_value(), client ? "" : qPrintable(client.error().text()));
            const bool good = call(**client);
            QVERIFY(!good || said.contains('\4'));
        }
        for (const bool supervise : {false, true}) {
            auto transport = withAgent(greeting, said);
            auto client = AgentClient::start(transport, "node1", COXSWAIN_AGENT, 20s, CancelToken());
            QVERIFY(client.has_value());
            if (supervise)
                QVERIFY(!(*client)->supervise("j", 1, within()).has_value());
            else
                QVERIFY(!(*client)->read({{"a.jsonl", 0, 1 << 20}}, 0, within()).has_value());
        }
    }

    void failuresNameTheHost() {
        auto transport =
            withAgent(greeting, frame(agent::FrameKind::Failure,
                                      R"({"code":"no_space","tried":"write 5 bytes","seen":"3 are free"})"));
        auto client = AgentClient::start(transport, "me@node1", COXSWAIN_AGENT, 20s, CancelToken());
        const auto reply = (*client)->requireSpace(5, within());
        QVERIFY(!reply);
        QCOMPARE(reply.error().code, ErrorCode::NoSpace);
        QCOMPARE(reply.error().host, "me@node1");
        QCOMPARE(reply.error().tried, "write 5 bytes");
        QVERIFY(!reply.error().fix.isEmpty());
    }

    void deadAgentIsLost() {
        const auto client = local();
        QVERIFY(client);
        // The agent runs as a child of this process (exec all the way): the newest one.
        const QByteArray children = [] {
            QFile file(QStringLiteral("/proc/self/task/%1/children").arg(::gettid()));
            return file.open(QIODevice::ReadOnly) ? file.readAll().trimmed() : QByteArray();
        }();
        QVERIFY(!children.isEmpty());
        ::kill(children.split(' ').last().toInt(), SIGKILL);
        const auto reply = client->probe(within());
        QVERIFY(!reply);
        QCOMPARE(reply.error().code, ErrorCode::Lost);
    }
};

QTEST_GUILESS_MAIN(AgentClientTest)
#include "tst_agentclient.moc"
