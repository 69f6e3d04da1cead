// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/agent/agentdriver.h"

#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <elf.h>

#include <cstring>

using namespace coxswain::test;

/// What lets the agent run on any node: no loader, no libraries, small.
class AgentBinaryTest : public QObject {
    Q_OBJECT
private slots:
    void isStatic() {
        const QByteArray file = readFile(QString::fromStdString(agentProgram()));
        QVERIFY(file.size() > qsizetype(sizeof(Elf64_Ehdr)));
        Elf64_Ehdr header;
        std::memcpy(&header, file.constData(), sizeof header);
        QVERIFY(std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0);
        int segments = 0;
        for (int i = 0; i < header.e_phnum; ++i) {
            Elf64_Phdr segment;
            std::memcpy(&segment, file.constData() + header.e_phoff + i * sizeof segment, sizeof segment);
            segments += segment.p_type == PT_LOAD;
            QVERIFY2(segment.p_type != PT_INTERP, "it wants a dynamic loader");
            QVERIFY2(segment.p_type != PT_DYNAMIC, "it wants shared libraries");
        }
        QVERIFY(segments > 0);
    }

    void isSmall() {
        const qint64 bytes = QFileInfo(QString::fromStdString(agentProgram())).size();
        QVERIFY2(bytes < 4 * 1000 * 1000, qPrintable(QString::number(bytes)));
        qInfo("coxswain-agent: %.2f MB", double(bytes) / 1e6);
    }

    void refusesOtherUse_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("nothing") << QStringList{};
        QTest::newRow("no base") << QStringList{"serve"};
        QTest::newRow("no job") << QStringList{"supervise", "--base", "/tmp"};
        QTest::newRow("unknown command") << QStringList{"reboot", "--base", "/tmp", "--job", "a"};
        QTest::newRow("unknown option") << QStringList{"serve", "--base", "/tmp", "--shell", "x"};
        QTest::newRow("two commands") << QStringList{"serve", "sample", "--base", "/tmp"};
    }
    void refusesOtherUse() {
        QFETCH(QStringList, arguments);
        std::vector<std::string> argv{agentProgram()};
        for (const QString& argument : arguments)
            argv.push_back(argument.toStdString());
        const Ended ended = runProgram(argv, {});
        QCOMPARE(ended.status, 2);
        QVERIFY2(ended.out.contains("usage: coxswain-agent"), ended.out.constData());
    }

    void refusesJobNamesThatArePaths() {
        QTemporaryDir base;
        for (const char* command : {"supervise", "sample", "launch", "rank"}) {
            const Ended ended = runProgram(
                {agentProgram(), command, "--base", base.path().toStdString(), "--job", "../escape"}, {});
            QCOMPARE(ended.status, 1);
            QVERIFY2(ended.out.contains("letters, digits"), ended.out.constData());
        }
        QCOMPARE(QDir(base.path()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot), QStringList{});
    }

    void missingBase() {
        const Ended ended = runProgram({agentProgram(), "serve", "--base", "/nonexistent/x"}, {});
        QCOMPARE(ended.status, 1);
        QVERIFY2(ended.out.contains("/nonexistent/x: No such file"), ended.out.constData());
    }
};

QTEST_APPLESS_MAIN(AgentBinaryTest)
#include "tst_agentbinary.moc"
