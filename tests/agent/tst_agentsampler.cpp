// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/agent/agentdriver.h"
#include "trainer/wire/metrics.h"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

using namespace coxswain;
using namespace coxswain::test;

/// The sampler beside a stand-in of the job: a sleeping process with its COXSWAIN_JOB.
class AgentSamplerTest : public QObject {
    Q_OBJECT

    std::optional<QTemporaryDir> m_folder;
    std::optional<AgentDriver> m_driver;
    std::string m_job;
    pid_t m_rank = -1;

    QString linesFile(int node = 2) const {
        return m_folder->path() + "/jobs/" + QString::fromStdString(m_job) +
               QString("/node-%1.jsonl").arg(node);
    }
    QList<wire::MetricsLine> lines() const {
        QList<wire::MetricsLine> list;
        for (const QByteArray& text : readFile(linesFile()).split('\n')) {
            if (text.isEmpty())
                continue;
            const auto line = wire::parseMetricsLine(text.toStdString());
            if (line && *line)
                list.append(**line);
            else
                qWarning("bad line: %s", text.constData());
        }
        return list;
    }
    void startRank() {
        const std::string variable = "COXSWAIN_JOB=" + m_job;
        m_rank = ::fork();
        if (m_rank == 0) {
            char* environment[] = {const_cast<char*>(variable.c_str()), nullptr};
            ::execle("/bin/sleep", "sleep", "60", nullptr, environment);
            ::_exit(127);
        }
    }
    void endRank() {
        if (m_rank > 0) {
            ::kill(m_rank, SIGKILL);
            ::waitpid(m_rank, nullptr, 0);
        }
        m_rank = -1;
    }
    /// With a folder for stand-ins of nvidia-smi.
    Environment environment() const {
        return {{"PATH", m_folder->path().toStdString() + "/bin:/usr/bin:/bin"}};
    }
    json sampleRequest(int attempt = 1) const {
        return {{"job", m_job}, {"attempt", attempt}, {"node", 2}, {"interval_ms", 100}};
    }
    json processes() { return m_driver->ask("processes", {{"job", m_job}}).body["processes"]; }

private slots:
    void init() {
        m_folder.emplace();
        m_job = "sampled-" + std::to_string(::getpid()) + '-' + QTest::currentTestFunction();
        QDir().mkpath(QFileInfo(linesFile()).path());
        m_driver.emplace(m_folder->path());
        startRank();
    }
    void cleanup() {
        endRank();
        QCOMPARE(m_driver->ask("kill", {{"job", m_job}}).body["left"], json::array());
    }

    void samples() {
        QVERIFY(m_driver->ask("sample", sampleRequest(3)).isAnswer());
        QTRY_VERIFY(lines().size() >= 5);
        QCOMPARE(modeOf(linesFile()), 0600);
        double before = 0;
        for (const wire::MetricsLine& line : lines()) {
            QCOMPARE(line.attempt, 3);
            QVERIFY(line.time > before);
            before = line.time;
            const auto* node = std::get_if<wire::NodeLine>(&line.body);
            QVERIFY(node);
            QVERIFY(!node->cpuPercent || (*node->cpuPercent >= 0 && *node->cpuPercent <= 100.001));
            QVERIFY(node->memoryTotal.value_or(0) > node->memoryUsed.value_or(1ll << 62));
            QVERIFY(node->memoryUsed.value_or(0) > 0);
            QVERIFY(node->diskFree.value_or(-1) >= 0);
            QVERIFY(node->networkReceived.value_or(-1) >= 0);
            QVERIFY(node->gpus.empty());
        }
        const auto all = lines();
        const double span = all.last().time - all.first().time;
        const double interval = span / double(all.size() - 1);
        QVERIFY2(interval > 0.08 && interval < 0.25, qPrintable(QString::number(interval)));
        QVERIFY(std::get<wire::NodeLine>(all.last().body).cpuPercent.has_value());
    }

    void outlivesTheAgentAndEndsWithTheJob() {
        // Its nvidia-smi must not count as a process of the job: the sampler would wait for its own child.
        writeFile(m_folder->path() + "/bin/nvidia-smi",
                  "#!/bin/sh\nwhile :; do echo '0, 1'; sleep 0.1; done\n", 0755);
        m_driver.emplace(m_folder->path(), environment());
        QVERIFY(m_driver->ask("sample", sampleRequest()).isAnswer());
        QTRY_VERIFY(!lines().isEmpty());
        m_driver->closeChannel();
        m_driver->waitForEnd();
        m_driver.emplace(m_folder->path());
        const auto seen = lines().size();
        QTRY_VERIFY(lines().size() > seen);

        QElapsedTimer timer;
        timer.start();
        endRank();
        QTRY_COMPARE_WITH_TIMEOUT(processes(), json::array(), 8000);
        QVERIFY2(timer.elapsed() > 2000, "a moment between two attempts must not end it");
        QVERIFY(lines().last().time > lines().first().time);
    }

    void onePerNode() {
        QVERIFY(m_driver->ask("sample", sampleRequest()).isAnswer());
        QTRY_VERIFY(!lines().isEmpty());
        QVERIFY(m_driver->ask("sample", sampleRequest()).isAnswer()); // a desktop that attaches again
        QTest::qWait(300);
        int samplers = 0;
        for (const auto& process : processes())
            samplers +=
                process["command"].get<std::string>().find("coxswain-agent sample") != std::string::npos;
        QCOMPARE(samplers, 1);

        QVERIFY(m_driver->ask("sample", sampleRequest(2)).isAnswer()); // a restart of the job
        QTRY_COMPARE(lines().last().attempt, 2);
        const auto before = lines().size();
        QTRY_VERIFY(lines().size() > before + 3);
        for (qsizetype i = before; i < lines().size(); ++i)
            QCOMPARE(lines()[i].attempt, 2);
    }

    void refusesOddIntervals() {
        json request = sampleRequest();
        for (const int interval : {0, -5, 9}) {
            request["interval_ms"] = interval;
            QCOMPARE(m_driver->ask("sample", request).code(), "bad_input");
        }
    }

    void gpuRows_data() {
        QTest::addColumn<QByteArray>("script");
        QTest::addColumn<QStringList>("rows");
        // Texts from shared/field/outputs.md, in the columns of wire::gpuSampleFields.
        QTest::newRow("two") << QByteArray(
                                    "echo '0, 1024, 81559, 47, 41, 92.10'; echo '1, 5, 81559, 0, 40, 60.00'")
                             << QStringList{"0, 1024, 81559, 47, 41, 92.10", "1, 5, 81559, 0, 40, 60.00"};
        QTest::newRow("no permission")
            << QByteArray(
                   "echo '0, [Insufficient Permissions], [N/A], [Insufficient Permissions], 47, [N/A]'")
            << QStringList{"0, [Insufficient Permissions], [N/A], [Insufficient Permissions], 47, [N/A]"};
        QTest::newRow("one is lost") << QByteArray(
                                            "echo '0, 1, 2, 3, 4, 5'; echo '1, [GPU is lost], [GPU is lost], "
                                            "[GPU is lost], [GPU is lost], [GPU is lost]'")
                                     << QStringList{"0, 1, 2, 3, 4, 5",
                                                    "1, [GPU is lost], [GPU is lost], [GPU is "
                                                    "lost], [GPU is lost], [GPU is lost]"};
    }
    void gpuRows() {
        QFETCH(QByteArray, script);
        QFETCH(QStringList, rows);
        const QString starts = m_folder->path() + "/starts";
        writeFile(m_folder->path() + "/bin/nvidia-smi",
                  "#!/bin/sh\necho \"$@\" >> '" + starts.toUtf8() + "'\nwhile :; do " + script +
                      "; sleep 0.1; done\n",
                  0755);
        m_driver.emplace(m_folder->path(),
                         Environment{{"PATH", m_folder->path().toStdString() + "/bin:/bin:/usr/bin"}});
        QVERIFY(m_driver->ask("sample", sampleRequest()).isAnswer());
        const auto newest = [&] {
            QStringList list;
            const auto all = lines();
            if (!all.isEmpty())
                for (const auto& row : std::get<wire::NodeLine>(all.last().body).gpus)
                    list.append(QString::fromStdString(row));
            return list;
        };
        QTRY_COMPARE(newest(), rows);
        QTRY_VERIFY(lines().size() > 8);
        // Starting nvidia-smi for each sample costs up to seconds on a real node.
        QCOMPARE(readFile(starts).count('\n'), 1);
        QVERIFY(readFile(starts).contains(wire::gpuSampleFields));
    }

    void samplesWithoutWorkingGpus() {
        writeFile(m_folder->path() + "/bin/nvidia-smi",
                  "#!/bin/sh\necho 'Failed to initialize NVML: Driver/library version mismatch'\nexit 18\n",
                  0755);
        m_driver.emplace(m_folder->path(),
                         Environment{{"PATH", m_folder->path().toStdString() + "/bin:/bin"}});
        QVERIFY(m_driver->ask("sample", sampleRequest()).isAnswer());
        QTRY_VERIFY(lines().size() >= 4);
        QVERIFY(std::get<wire::NodeLine>(lines().last().body).gpus.empty());
    }
};

QTEST_GUILESS_MAIN(AgentSamplerTest)
#include "tst_agentsampler.moc"
