// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/agent/agentdriver.h"

#include <QTemporaryDir>
#include <QTest>

using namespace coxswain;
using namespace coxswain::test;
using agent::FrameKind;

class AgentProtocolTest : public QObject {
    Q_OBJECT
private slots:
    void headers_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<bool>("good");
        const auto row = [](const char* name, std::initializer_list<int> bytes, bool good) {
            QByteArray text;
            for (const int byte : bytes)
                text.append(char(byte));
            QTest::newRow(name) << text << good;
        };
        row("empty answer", {0, 0, 0, 0, 4}, true);
        row("request", {255, 0, 0, 0, 1}, true);
        row("1 MiB of data", {0, 0, 16, 0, 2}, true);
        row("more data", {1, 0, 16, 0, 2}, false);
        row("16 MiB of JSON", {0, 0, 0, 1, 5}, true);
        row("more JSON", {1, 0, 0, 1, 4}, false);
        row("end of data", {0, 0, 0, 0, 3}, true);
        row("end with data", {1, 0, 0, 0, 3}, false);
        row("kind 0", {0, 0, 0, 0, 0}, false);
        row("kind 6", {0, 0, 0, 0, 6}, false);
        row("text", {'H', 'e', 'l', 'l', 'o'}, false);
        row("all ones", {255, 255, 255, 255, 255}, false);
    }
    void headers() {
        QFETCH(QByteArray, bytes);
        QFETCH(bool, good);
        const auto* raw = reinterpret_cast<const unsigned char*>(bytes.constData());
        const auto header = agent::decodeHeader(raw);
        QCOMPARE(header.has_value(), good);
        if (header) {
            const auto again = agent::encodeHeader(*header);
            QCOMPARE(QByteArray(reinterpret_cast<const char*>(again.data()), int(again.size())), bytes);
        }
    }

    void greets() {
        QTemporaryDir base;
        const AgentDriver driver(base.path(), {{"HOME", "/somewhere"}, {"USER", "fred"}});
        const json& hello = driver.greeting().body;
        QVERIFY(driver.greeting().isAnswer());
        QCOMPARE(hello["protocol"].get<int>(), agent::protocolVersion);
        QCOMPARE(hello["pid"].get<pid_t>(), driver.pid());
        QCOMPARE(hello["uid"].get<uid_t>(), ::getuid());
        QCOMPARE(hello["user"].get<std::string>(), "fred");
        QCOMPARE(hello["home"].get<std::string>(), "/somewhere");
        QCOMPARE(hello["base"].get<std::string>(), base.path().toStdString());
        QCOMPARE(hello["program"].get<std::string>(), agentProgram());
        QVERIFY(!hello["hostname"].get<std::string>().empty());
    }

    void endsWithTheChannel() {
        QTemporaryDir base;
        AgentDriver driver(base.path());
        driver.closeChannel();
        QCOMPARE(driver.waitForEnd(), 0);
    }

    void conversationGoesOnAfterFailures() {
        QTemporaryDir base;
        AgentDriver driver(base.path());
        const auto unknown = driver.ask("reboot");
        QCOMPARE(unknown.kind, FrameKind::Failure);
        QCOMPARE(unknown.code(), "protocol");
        QVERIFY(unknown.body["tried"].get<std::string>().find("reboot") != std::string::npos);

        const auto incomplete = driver.ask("missing");
        QCOMPARE(incomplete.code(), "bad_input");
        const auto wrongType = driver.ask("missing", {{"digests", 7}});
        QCOMPARE(wrongType.code(), "bad_input");
        const auto nameless = driver.ask("", {{"request", 1}});
        QCOMPARE(nameless.kind, FrameKind::Failure);

        // Data that a failed request never read must not be taken for the next request's.
        const auto refused = driver.ask("put", json::object(), std::string(3'000'000, 'x'));
        QCOMPARE(refused.code(), "bad_input");
        const auto after = driver.ask("missing", {{"digests", json::array()}});
        QVERIFY(after.isAnswer());
        QCOMPARE(after.body, json::parse(R"({"missing": []})"));
    }

    void requestNameOfAnotherType() {
        QTemporaryDir base;
        AgentDriver driver(base.path());
        driver.send(FrameKind::Request, R"({"request": {"a": 1}})");
        const auto reply = driver.readReply();
        QCOMPARE(reply.kind, FrameKind::Failure);
        QVERIFY(driver.ask("list-jobs").isAnswer());
    }

    void endsOnWhatIsNotTheProtocol_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("text") << QByteArray("GET / HTTP/1.1\r\n\r\n");
        QTest::newRow("cut header") << QByteArray("\1\0\0", 3);
        QTest::newRow("huge") << QByteArray("\xff\xff\xff\xff\1", 5);
        QTest::newRow("cut payload") << QByteArray("\x20\0\0\0\1{", 6);
        QTest::newRow("not JSON") << QByteArray("\2\0\0\0\1{{", 7);
        QTest::newRow("not an object") << QByteArray("\2\0\0\0\1[]", 7);
        QTest::newRow("an answer") << QByteArray("\2\0\0\0\4{}", 7);
        QTest::newRow("deep") << QByteArray("\x10\x27\0\0\1", 5) + QByteArray(10000, '[');
    }
    void endsOnWhatIsNotTheProtocol() {
        QFETCH(QByteArray, bytes);
        QTemporaryDir base;
        AgentDriver driver(base.path());
        driver.sendBytes(bytes.toStdString());
        driver.closeChannel();
        QCOMPARE(driver.waitForEnd(), 1);
    }
};

QTEST_APPLESS_MAIN(AgentProtocolTest)
#include "tst_agentprotocol.moc"
