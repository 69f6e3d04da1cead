// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/agent/agentdriver.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <thread>

using namespace coxswain::test;

namespace {

const char* const publicKey =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPatLHtEWwGn9Xz47ek8035DRHio7gWBBK16MqbpiWoR";

json authorizeRequest(const char* job) {
    return {{"job", job},
            {"public_key", publicKey},
            {"from", {"10.0.0.1", "fe80::1"}},
            {"expires", "20990101000000"}};
}

} // namespace

/// The line that a job puts into authorized_keys, and its removal: other lines must never be touched.
class AgentKeysTest : public QObject {
    Q_OBJECT

    std::optional<QTemporaryDir> m_folder;
    std::optional<AgentDriver> m_driver;

    QString base() const { return m_folder->path() + "/base"; }
    QString keysFile() const { return m_folder->path() + "/home/.ssh/authorized_keys"; }
    Environment environment() const {
        return {{"HOME", m_folder->path().toStdString() + "/home"}, {"PATH", "/bin"}};
    }
    QByteArray expectedLine(const char* job) const {
        return "restrict,from=\"10.0.0.1,fe80::1\",expiry-time=\"20990101000000\",command=\"'" +
               QByteArray::fromStdString(agentProgram()) + "' launch --base '" + base().toUtf8() +
               "' --job " + job + "\" " + publicKey + " coxswain-job-" + job + '\n';
    }

private slots:
    void init() {
        m_folder.emplace();
        QDir().mkpath(base());
        QDir().mkpath(m_folder->path() + "/home");
        m_driver.emplace(base(), environment());
    }

    void keepsWhatIsThere_data() {
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QByteArray>("after"); // authorize and revoke
        const QByteArray own = "ssh-ed25519 AAAAown me@home\n";
        QTest::newRow("empty") << QByteArray("") << QByteArray("");
        QTest::newRow("one key") << own << own;
        QTest::newRow("no newline at the end") << own.chopped(1) << own;
        QTest::newRow("comments, blanks, options") << "# mine\n\n  from=\"a b\" " + own + "\n#end\n"
                                                   << "# mine\n\n  from=\"a b\" " + own + "\n#end\n";
        QTest::newRow("Windows lines")
            << QByteArray("ssh-rsa AAAA me\r\n") << QByteArray("ssh-rsa AAAA me\r\n");
        QTest::newRow("zeros and bytes")
            << QByteArray("ssh-rsa \0\xff\n", 11) << QByteArray("ssh-rsa \0\xff\n", 11);
        QTest::newRow("other jobs")
            << own + "ssh-ed25519 AAAAx coxswain-job-j10\nssh-ed25519 AAAAx coxswain-job-xj1\n"
            << own + "ssh-ed25519 AAAAx coxswain-job-j10\nssh-ed25519 AAAAx coxswain-job-xj1\n";
        QTest::newRow("names it, but is not its") << QByteArray("ssh-rsa A coxswain-job-j1 too\nssh-rsa A "
                                                                "not-coxswain-job-j1\n")
                                                  << QByteArray("ssh-rsa A coxswain-job-j1 too\nssh-rsa A "
                                                                "not-coxswain-job-j1\n");
        QTest::newRow("the job's own old key")
            << own + "ssh-ed25519 AAAAold coxswain-job-j1\n" + own << own + own;
    }
    void keepsWhatIsThere() {
        QFETCH(QByteArray, before);
        QFETCH(QByteArray, after);
        writeFile(keysFile(), before, 0600);
        const auto reply = m_driver->ask("authorize", authorizeRequest("j1"));
        QVERIFY2(reply.isAnswer(), reply.body.dump().c_str());
        QCOMPARE(readFile(keysFile()), after + expectedLine("j1"));
        QVERIFY(m_driver->ask("authorize", authorizeRequest("j1")).isAnswer()); // again: one line
        QCOMPARE(readFile(keysFile()), after + expectedLine("j1"));
        const auto revoked = m_driver->ask("revoke", {{"job", "j1"}});
        QCOMPARE(revoked.body, json::parse(R"({"removed": 1})"));
        QCOMPARE(readFile(keysFile()), after);
        QCOMPARE(m_driver->ask("revoke", {{"job", "j1"}}).body, json::parse(R"({"removed": 0})"));
        QCOMPARE(readFile(keysFile()), after);
        QCOMPARE(QDir(m_folder->path() + "/home/.ssh").entryList(QDir::Files),
                 QStringList{"authorized_keys"});
    }

    void makesTheFolder() {
        QVERIFY(m_driver->ask("authorize", authorizeRequest("j1")).isAnswer());
        QCOMPARE(readFile(keysFile()), expectedLine("j1"));
        QCOMPARE(modeOf(keysFile()), 0600);
        QCOMPARE(modeOf(m_folder->path() + "/home/.ssh"), 0700);
    }

    void keepsModes() {
        writeFile(keysFile(), "", 0644);
        QVERIFY(m_driver->ask("authorize", authorizeRequest("j1")).isAnswer());
        QCOMPARE(modeOf(keysFile()), 0644);
    }

    void followsLinks() {
        // As people have it who keep their settings in a repository.
        const QString real = m_folder->path() + "/dotfiles/keys";
        writeFile(real, "ssh-rsa A me\n", 0600);
        QDir().mkpath(m_folder->path() + "/home/.ssh");
        QVERIFY(QFile::link("../../dotfiles/keys", keysFile()));
        QVERIFY(m_driver->ask("authorize", authorizeRequest("j1")).isAnswer());
        QVERIFY(QFileInfo(keysFile()).isSymLink());
        QCOMPARE(readFile(real), "ssh-rsa A me\n" + expectedLine("j1"));
    }

    void removesAllThatArePresent() {
        const QByteArray line = "ssh-ed25519 AAAA coxswain-job-j1";
        writeFile(keysFile(), line + '\n' + line + "  \r\nssh-rsa A me\n" + line, 0600);
        QCOMPARE(m_driver->ask("revoke", {{"job", "j1"}}).body, json::parse(R"({"removed": 3})"));
        QCOMPARE(readFile(keysFile()), "ssh-rsa A me\n");
    }

    void refusesWhatCouldAddOptionsOrLines_data() {
        QTest::addColumn<QByteArray>("field");
        QTest::addColumn<QByteArray>("value");
        const auto row = [](const char* name, const char* field, const char* value) {
            QTest::newRow(name) << QByteArray(field) << QByteArray(value);
        };
        row("line in the key", "public_key", "\"ssh-ed25519 AAAA\\nssh-rsa AAAA\"");
        row("comment in the key", "public_key", "\"ssh-ed25519 AAAA x\"");
        row("other kind", "public_key", "\"ssh-rsa AAAA\"");
        row("no key", "public_key", "\"ssh-ed25519 \"");
        row("options before the key", "public_key", "\"command=\\\"sh\\\" ssh-ed25519 AAAA\"");
        row("from closes the quotes", "from", "[\"10.0.0.1\\\",command=\\\"sh\"]");
        row("from is a pattern", "from", "[\"*\"]");
        row("from is a name", "from", "[\"host.lab\"]");
        row("from is empty", "from", "[]");
        row("from has an empty one", "from", "[\"\"]");
        row("expires closes the quotes", "expires", "\"2099\\\",command=\\\"sh\"");
        row("no expiry", "expires", "\"\"");
    }
    void refusesWhatCouldAddOptionsOrLines() {
        QFETCH(QByteArray, field);
        QFETCH(QByteArray, value);
        writeFile(keysFile(), "ssh-rsa A me\n", 0600);
        json request = authorizeRequest("j1");
        request[field.toStdString()] = json::parse(value.toStdString());
        QCOMPARE(m_driver->ask("authorize", request).code(), "bad_input");
        QCOMPARE(readFile(keysFile()), "ssh-rsa A me\n");
    }

    void refusesAnOddBase() {
        const QString odd = m_folder->path() + "/it's";
        QDir().mkpath(odd);
        AgentDriver driver(odd, environment());
        QCOMPARE(driver.ask("authorize", authorizeRequest("j1")).code(), "bad_input");
        QVERIFY(!QFile::exists(keysFile()));
    }

    void withoutHome() {
        AgentDriver driver(base(), {{"PATH", "/bin"}});
        QCOMPARE(driver.ask("authorize", authorizeRequest("j1")).code(), "missing");
        AgentDriver nowhere(base(), {{"HOME", "/nonexistent"}});
        QVERIFY(!nowhere.ask("authorize", authorizeRequest("j1")).isAnswer());
    }

    void manyAtOnceLoseNothing() {
        writeFile(keysFile(), "ssh-rsa A me\n", 0600);
        std::vector<std::thread> threads;
        std::atomic<int> good = 0;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&, t] {
                AgentDriver driver(base(), environment());
                for (int i = 0; i < 10; ++i)
                    good +=
                        driver.ask("authorize", authorizeRequest(qPrintable(QString("t%1-%2").arg(t).arg(i))))
                            .isAnswer();
            });
        for (auto& thread : threads)
            thread.join();
        QCOMPARE(good.load(), 40);
        QCOMPARE(readFile(keysFile()).count("\n"), 41);
        QCOMPARE(readFile(keysFile()).count("coxswain-job-t3-9\n"), 1);
    }
};

QTEST_APPLESS_MAIN(AgentKeysTest)
#include "tst_agentkeys.moc"
