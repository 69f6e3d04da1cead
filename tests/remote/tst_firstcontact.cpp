// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/remote/firstcontact.h"

#include <QDir>
#include <QProcess>
#include <QProcessEnvironment>
#include <QTemporaryDir>
#include <QTest>

#include <optional>

using namespace coxswain::remote;

namespace {

const QByteArray nonce = "coxswain0123456789abcdef";
const QByteArray digest(64, 'd');
// In the agent's place: says that it runs, and with which arguments.
const QByteArray program = "#!/bin/sh\necho started \"$@\"\n";

} // namespace

/// The one line that a login shell gets, in the shells that people have.
class FirstContactTest : public QObject {
    Q_OBJECT

    std::optional<QTemporaryDir> m_home;

    /// What comes out when `shell -c LINE` runs with the program's bytes on standard input.
    QByteArray contact(const QString& shell, QByteArray input = program,
                       QProcessEnvironment environment = {}) {
        if (environment.isEmpty())
            environment.insert("HOME", m_home->path());
        environment.insert("PATH", "/usr/bin:/bin");
        QProcess process;
        process.setProcessEnvironment(environment);
        process.start(shell, {"-c", QString::fromUtf8(firstContactLine(nonce, digest, program.size()))});
        process.write(input);
        process.closeWriteChannel();
        if (!process.waitForFinished(10000))
            qWarning("%s did not end", qPrintable(shell));
        return process.readAllStandardOutput();
    }
    static QList<FirstAnswer> answers(QByteArray& output) {
        QList<FirstAnswer> list;
        while (auto answer = takeFirstAnswer(output, nonce))
            list.append(*answer);
        return list;
    }

private slots:
    void init() { m_home.emplace(); }

    void takesAnswers_data() {
        QTest::addColumn<QByteArray>("received");
        QTest::addColumn<int>("kind"); // -1: not yet
        QTest::addColumn<QByteArray>("system");
        QTest::addColumn<QByteArray>("detail");
        QTest::addColumn<QByteArray>("rest");
        const auto row = [](const char* name, const QByteArray& received, int kind, const QByteArray& system,
                            const QByteArray& detail, const QByteArray& rest) {
            QTest::newRow(name) << received << kind << system << detail << rest;
        };
        row("nothing", "", -1, "", "", "");
        row("banner only", "Welcome\n", -1, "", "", "Welcome\n");
        row("half a line", nonce + " have Linux", -1, "", "", nonce + " have Linux");
        row("have", nonce + " have Linux x86_64 /root/.coxswain\nmore", FirstAnswer::Have, "Linux x86_64",
            "/root/.coxswain", "more");
        row("spaces in the base", nonce + " need Linux x86_64 /a b/c\n", FirstAnswer::Need, "Linux x86_64",
            "/a b/c", "");
        row("after a banner", "hi\nthere " + nonce + " go\n\5\0\0", FirstAnswer::Go, "", "", "\5");
        row("other system", nonce + " need Darwin arm64 /x\n", FirstAnswer::Need, "Darwin arm64", "/x", "");
        row("none", nonce + " none  /a is full; /b is a link;\n", FirstAnswer::None, "",
            "/a is full; /b is a link;", "");
        row("failed", nonce + " failed to write /x\n", FirstAnswer::Failed, "", "to write /x", "");
        row("the nonce in an echo of the command", "+ n=" + nonce + ";\n" + nonce + " go\n", FirstAnswer::Go,
            "", "", "");
        row("nothing after the word", nonce + " have\n", FirstAnswer::Failed, "", "have", "");
    }
    void takesAnswers() {
        QFETCH(QByteArray, received);
        QFETCH(int, kind);
        const auto answer = takeFirstAnswer(received, nonce);
        QCOMPARE(answer.has_value(), kind >= 0);
        QTEST(received, "rest");
        if (!answer)
            return;
        QCOMPARE(int(answer->kind), kind);
        QTEST(answer->system, "system");
        QTEST(answer->detail, "detail");
    }

    void shells_data() {
        QTest::addColumn<QString>("shell");
        for (const char* shell : {"/bin/sh", "/bin/bash", "/bin/dash", "/bin/csh", "/usr/bin/fish"})
            QTest::newRow(shell) << QString(shell);
    }
    void shells() {
        QFETCH(QString, shell);
        QVERIFY2(QFile::exists(shell), "run scripts/setup --tests");
        const QByteArray base = m_home->path().toUtf8() + "/.coxswain";
        QByteArray first = contact(shell);
        const auto said = answers(first);
        QCOMPARE(said.size(), 2);
        QCOMPARE(said[0].kind, FirstAnswer::Need);
        QCOMPARE(said[0].system, "Linux x86_64");
        QCOMPARE(said[0].detail, base);
        QCOMPARE(said[1].kind, FirstAnswer::Go);
        QCOMPARE(first, "started serve --base " + base + '\n');
        const QFileInfo agent(QString::fromUtf8(base + "/agent/" + digest + "/coxswain-agent"));
        QCOMPARE(agent.size(), program.size());
        QCOMPARE(QFileInfo(QString::fromUtf8(base)).permissions() & 0x0077, QFile::Permissions());

        QByteArray second = contact(shell, "");
        const auto again = answers(second);
        QCOMPARE(again.size(), 1);
        QCOMPARE(again[0].kind, FirstAnswer::Have);
        QCOMPARE(second, "started serve --base " + base + '\n');
        QCOMPARE(
            QDir(QString::fromUtf8(base)).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
            QStringList{"agent"});
    }

    void odd_homes() {
        QDir().mkpath(m_home->path() + "/it's a \"$(home)\"");
        QProcessEnvironment environment;
        environment.insert("HOME", m_home->path() + "/it's a \"$(home)\"");
        QByteArray output = contact("/bin/sh", program, environment);
        QCOMPARE(answers(output).size(), 2);
        QCOMPARE(output, "started serve --base " + environment.value("HOME").toUtf8() + "/.coxswain\n");
    }

    void interruptedUpload() {
        QByteArray output = contact("/bin/sh", program.left(5));
        const auto said = answers(output);
        QCOMPARE(said.size(), 2);
        QCOMPARE(said[1].kind, FirstAnswer::Failed);
        const QDir folder(m_home->path() + "/.coxswain/agent/" + QString::fromUtf8(digest));
        QCOMPARE(folder.entryList(QDir::Files), QStringList{});
        QByteArray second = contact("/bin/sh");
        QCOMPARE(answers(second).last().kind, FirstAnswer::Go);
    }
};

QTEST_GUILESS_MAIN(FirstContactTest)
#include "tst_firstcontact.moc"
