// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/agent/agentdriver.h"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

#include <optional>
#include <thread>

using namespace coxswain::test;

class AgentProbeTest : public QObject {
    Q_OBJECT

    std::optional<QTemporaryDir> m_folder;

    /// The probe's answer on a node whose PATH begins with folder/bin.
    static AgentDriver::Reply probeIn(const QString& folder) {
        AgentDriver driver(
            folder,
            {{"HOME", "/root"}, {"USER", "fred"}, {"PATH", folder.toStdString() + "/bin:/usr/bin:/bin"}});
        return driver.ask("probe");
    }
    json probe(const std::map<QString, QByteArray>& programs) const {
        for (const auto& [name, script] : programs)
            writeFile(m_folder->path() + "/bin/" + name, "#!/bin/sh\n" + script, 0755);
        return probeIn(m_folder->path()).body;
    }

private slots:
    void init() { m_folder.emplace(); }

    void facts() {
        QElapsedTimer timer;
        timer.start();
        const json answer = probe({});
        const qint64 took = timer.elapsed();
        const json& facts = answer["facts"];
        QCOMPARE(facts["user"].get<std::string>(), "fred");
        QCOMPARE(facts["home"].get<std::string>(), "/root");
        QCOMPARE(facts["base"].get<std::string>(), m_folder->path().toStdString());
        QCOMPARE(facts["architecture"].get<std::string>(), "x86_64");
        QCOMPARE(QString::fromStdString(facts["kernel"].get<std::string>()),
                 QString::fromLatin1(readFile("/proc/sys/kernel/osrelease").trimmed()));
        QCOMPARE(facts["cores"].get<unsigned>(), std::thread::hardware_concurrency());
        QVERIFY(facts["disk_free"].get<std::int64_t>() > 0);
        QVERIFY(facts["disk_total"].get<std::int64_t>() >= facts["disk_free"].get<std::int64_t>());
        QVERIFY(facts["shared_memory_total"].get<std::int64_t>() > 0);
        bool loopback = false;
        for (const auto& interface : facts["interfaces"])
            if (interface["name"] == "lo" && interface["address"] == "127.0.0.1") {
                loopback = true;
                QCOMPARE(interface["prefix_length"].get<int>(), 8);
                QCOMPARE(interface["loopback"], json(true));
                QCOMPARE(interface["up"], json(true));
                QVERIFY(interface["mtu"].get<int>() > 1000);
            }
        QVERIFY(loopback);
        const json& files = answer["files"];
        QVERIFY(files["/proc/meminfo"].get<std::string>().find("MemTotal:") != std::string::npos);
        QVERIFY(files["/etc/os-release"].get<std::string>().find("ID=") != std::string::npos);
        QVERIFY(files["/proc/cpuinfo"].get<std::string>().find("model name") != std::string::npos);
        QVERIFY(answer["commands"]["glibc"]["out"].get<std::string>().find("GLIBC") != std::string::npos);
        QVERIFY2(took < 3000, qPrintable(QString::number(took)));
        qInfo("probe of this machine: %lld ms", took);
    }

    void commandTexts() {
        const json answer =
            probe({{"nvidia-smi", "case \"$*\" in\n"
                                  "  --query-gpu=*) echo '0, GPU-1, NVIDIA GB10, 580.1, [N/A], [N/A]';;\n"
                                  "  -L) echo 'GPU 0: NVIDIA GB10 (UUID: GPU-1)';;\n"
                                  "  *) echo 'CUDA Version: 13.0';;\nesac\n"},
                   {"nvcc", "echo release 12.8 >&2; exit 1\n"}});
        const json& commands = answer["commands"];
        QCOMPARE(commands["nvidia-smi-query"]["out"].get<std::string>(),
                 "0, GPU-1, NVIDIA GB10, 580.1, [N/A], [N/A]\n");
        QCOMPARE(commands["nvidia-smi-query"]["status"].get<int>(), 0);
        QCOMPARE(commands["nvidia-smi"]["out"].get<std::string>(), "CUDA Version: 13.0\n");
        QCOMPARE(commands["nvcc"]["out"].get<std::string>(), "release 12.8\n");
        QCOMPARE(commands["nvcc"]["status"].get<int>(), 1);
        QVERIFY(!commands.contains("nvidia-smi-query-0"));
    }

    void nvidiaSmiThatFails_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("status");
        QTest::newRow("mismatch") << QByteArray("Failed to initialize NVML: Driver/library version mismatch\n"
                                                "NVML library version: 550.144\n")
                                  << 18;
        QTest::newRow("no driver")
            << QByteArray("NVIDIA-SMI has failed because it couldn't communicate with the "
                          "NVIDIA driver. Make sure that the latest NVIDIA driver is installed "
                          "and running.\n")
            << 9;
        QTest::newRow("no devices") << QByteArray("No devices were found\n") << 6;
        QTest::newRow("bytes that are no text") << QByteArray("\xff\xfe\x80\n") << 1;
    }
    void nvidiaSmiThatFails() {
        QFETCH(QByteArray, text);
        QFETCH(int, status);
        writeFile(m_folder->path() + "/text", text);
        const json answer = probe({{"nvidia-smi", "cat '" + m_folder->path().toUtf8() + "/text'; exit " +
                                                      QByteArray::number(status) + '\n'}});
        const json& query = answer["commands"]["nvidia-smi-query"];
        QCOMPARE(query["status"].get<int>(), status);
        const auto out = query["out"].get<std::string>();
        QVERIFY(out == text.toStdString() || !QString::fromUtf8(text).compare(QString::fromStdString(out)));
    }

    /// One dead GPU makes the query of all fail; the others must still be seen.
    void oneDeadGpu() {
        const json answer = probe({{"nvidia-smi", "case \"$*\" in\n"
                                                  "  '-i 1 '*|'--query-gpu='*) echo 'Unable to determine the "
                                                  "device handle for GPU 0000:0B:00.0: Unknown "
                                                  "Error'; exit 15;;\n"
                                                  "  '-i '*) echo \"$2, GPU-$2, NVIDIA A100\";;\n"
                                                  "  -L) printf 'GPU 0: A (UUID: GPU-0)\\nGPU 1: A (UUID: "
                                                  "GPU-1)\\nGPU 12: A (UUID: GPU-12)\\n';;\n"
                                                  "esac\n"}});
        const json& commands = answer["commands"];
        QCOMPARE(commands["nvidia-smi-query"]["status"].get<int>(), 15);
        QCOMPARE(commands["nvidia-smi-query-0"]["out"].get<std::string>(), "0, GPU-0, NVIDIA A100\n");
        QCOMPARE(commands["nvidia-smi-query-1"]["status"].get<int>(), 15);
        QCOMPARE(commands["nvidia-smi-query-12"]["out"].get<std::string>(), "12, GPU-12, NVIDIA A100\n");
        QVERIFY(!commands.contains("nvidia-smi-query-2"));
    }

    /// Sick drivers: nvidia-smi hangs, or goes and leaves its output open, or the other way round.
    void hangsAreBounded() {
        const std::map<QString, QByteArray> scripts{
            {"hangs", "echo begun; trap '' TERM; while :; do sleep 1; done\n"},
            {"leaves a child in a session of its own", "setsid sleep 25 &\nexit 0\n"},
            {"closes its output and stays", "exec >/dev/null 2>&1; sleep 25\n"},
            {"prints without end", "exec yes 'no end of it'\n"}};
        QElapsedTimer timer;
        timer.start();
        std::map<QString, json> answers;
        std::vector<std::thread> threads;
        for (const auto& [name, script] : scripts)
            threads.emplace_back(
                [this, script = script, folder = m_folder->path() + '/' + name, &answer = answers[name]] {
                    writeFile(folder + "/bin/nvidia-smi", "#!/bin/sh\n" + script, 0755);
                    answer = probeIn(folder).body;
                });
        for (auto& thread : threads)
            thread.join();
        QVERIFY2(timer.elapsed() < 14000, qPrintable(QString::number(timer.elapsed())));
        for (const auto& [name, answer] : answers) {
            QVERIFY2(answer.contains("commands"), qPrintable(name));
            const json& commands = answer["commands"];
            QVERIFY2(commands["nvidia-smi"]["error"].get<std::string>().find("10 s") != std::string::npos,
                     qPrintable(name));
            QVERIFY(commands["glibc"].contains("status")); // the others are not lost
            QVERIFY(answer.dump().size() < 16u << 20);
        }
    }

    void outputIsBounded() {
        const json answer = probe({{"nvcc", "head -c 5000000 /dev/zero | tr '\\0' x\n"}});
        QCOMPARE(answer["commands"]["nvcc"]["status"].get<int>(), 0);
        QCOMPARE(answer["commands"]["nvcc"]["out"].get<std::string>().size(), std::size_t(1) << 20);
    }

    void absentPrograms() {
        const json answer = probe({});
        if (QFile::exists("/usr/bin/nvcc") || QFile::exists("/usr/local/cuda/bin/nvcc"))
            QVERIFY(answer["commands"]["nvcc"].contains("status"));
        else
            QCOMPARE(answer["commands"]["nvcc"], json::parse(R"({"error": "not found"})"));
    }
};

QTEST_GUILESS_MAIN(AgentProbeTest)
#include "tst_agentprobe.moc"
