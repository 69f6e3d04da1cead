// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/core/inventory.h"

#include <nlohmann/json.hpp>

#include <QTest>

using namespace coxswain::core;
using nlohmann::json;

namespace {

json command(const char* out, int status = 0) {
    return {{"status", status}, {"out", out}, {"milliseconds", 3}};
}

json probe() {
    return {
        {"facts",
         {{"hostname", "node1"},
          {"user", "root"},
          {"home", "/root"},
          {"base", "/root/.coxswain"},
          {"architecture", "x86_64"},
          {"kernel", "6.1.0-28-amd64"},
          {"cores", 16},
          {"disk_free", 1000000000000},
          {"disk_total", 2000000000000},
          {"shared_memory_total", 67108864},
          {"interfaces", json::array({{{"name", "eth0"},
                                       {"address", "10.77.0.1"},
                                       {"prefix_length", 24},
                                       {"mac", "aa:bb:cc:dd:ee:ff"},
                                       {"mtu", 1500},
                                       {"up", true},
                                       {"loopback", false}}})}}},
        {"files",
         {{"/proc/meminfo",
           "MemTotal:       65852284 kB\nMemFree:         1000 kB\nMemAvailable:   60000000 kB\n"},
          {"/proc/cpuinfo", "processor\t: 0\nmodel name\t: AMD EPYC 7763 64-Core  Processor\nflags\t: a b\n"},
          {"/etc/os-release",
           "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\n"}}},
        {"commands",
         {{"glibc", command("ldd (Debian GLIBC 2.36-9+deb12u10) 2.36\nCopyright (C) 2022 Free Software "
                            "Foundation, Inc.\n")},
          {"nvcc",
           command(
               "nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 12.4, V12.4.131\n")},
          {"nccl", command("2.27.5\n")},
          {"ssh", command("OpenSSH_9.2p1 Debian-2+deb12u5, OpenSSL 3.0.15 3 Sep 2024\n")},
          {"nvidia-smi", {{"error", "not found"}}}}}};
}

Expected<Inventory> read(const json& document) {
    return parseInventory(QByteArray::fromStdString(document.dump()));
}

} // namespace

class InventoryTest : public QObject {
    Q_OBJECT
private slots:
    void wholeProbe() {
        const auto node = read(probe());
        QVERIFY(node.has_value());
        QCOMPARE(node->hostName, QString("node1"));
        QCOMPARE(node->base, QString("/root/.coxswain"));
        QCOMPARE(node->architecture, QString("x86_64"));
        QCOMPARE(node->cores, 16);
        QCOMPARE(node->memoryTotal, std::optional<qint64>(65852284LL * 1024));
        QCOMPARE(node->memoryAvailable, std::optional<qint64>(60000000LL * 1024));
        QCOMPARE(node->diskFree, std::optional<qint64>(1000000000000));
        QCOMPARE(node->sharedMemoryTotal, std::optional<qint64>(67108864));
        QCOMPARE(node->cpuModel, QString("AMD EPYC 7763 64-Core Processor"));
        QCOMPARE(node->os, QString("Debian GNU/Linux 12 (bookworm)"));
        QCOMPARE(node->glibc, QString("2.36"));
        QCOMPARE(node->cudaToolkit, QString("12.4"));
        QCOMPARE(node->nccl, QString("2.27.5"));
        QCOMPARE(node->sshClient, QString("OpenSSH_9.2p1 Debian-2+deb12u5, OpenSSL 3.0.15 3 Sep 2024"));
        QCOMPARE(node->interfaces, (QList<NetworkInterface>{
                                       {"eth0", "10.77.0.1", 24, "aa:bb:cc:dd:ee:ff", 1500, true, false}}));
        QCOMPARE(node->nvidia.kind, NvidiaState::Kind::Absent);
    }

    void nothingToldIsAbsent() {
        const auto node = read({{"facts", json::object()}});
        QVERIFY(node.has_value());
        QVERIFY(!node->memoryTotal && !node->diskFree && !node->sharedMemoryTotal);
        QCOMPARE(node->cores, 0);
        QVERIFY(node->architecture.isEmpty() && node->sshClient.isEmpty() && node->interfaces.isEmpty());
    }

    /// A node is not trusted: every value may be of another type, huge, or garbage.
    void everyValueReplaced() {
        const json good = probe();
        const QList<json> bad{nullptr,
                              -1,
                              1e300,
                              std::numeric_limits<std::uint64_t>::max(),
                              "x",
                              std::string(1 << 20, 'y'),
                              json::array({1, "2", nullptr}),
                              json::object({{"error", 5}}),
                              true,
                              std::string("\x1b[31m\n\0z", 8)};
        const json flat = good.flatten();
        for (const auto& [pointer, value] : flat.items()) {
            for (const json& replacement : bad) {
                json document = good;
                document[json::json_pointer(pointer)] = replacement;
                const auto node = read(document);
                QVERIFY(node.has_value());
                QVERIFY(!node->memoryTotal || *node->memoryTotal >= 0);
                QVERIFY(!node->diskFree || *node->diskFree >= 0);
                QVERIFY(node->cores >= 0);
                QVERIFY(node->hostName.size() <= 300 && !node->hostName.contains(QChar(0x1b)));
            }
        }
        for (const char* section : {"files", "commands"})
            for (const json& replacement : bad) {
                json document = good;
                document[section] = replacement;
                QVERIFY(read(document).has_value());
            }
    }

    void cutAtEveryByte() {
        const QByteArray good = QByteArray::fromStdString(probe().dump());
        for (qsizetype size = 0; size < good.size(); ++size) {
            const auto node = parseInventory(good.left(size));
            QVERIFY(!node.has_value());
            QCOMPARE(node.error().code, ErrorCode::Protocol);
        }
        QVERIFY(!parseInventory("[]"));
        QVERIFY(!parseInventory("{\"facts\": 3}"));
    }

    void deadGpuThroughTheProbe() {
        json document = probe();
        const std::string row =
            ", GPU-x, NVIDIA A100, 580.65.06, 40960, 40000, 960, 0, 30, 50, 00000000:01:00.0\n";
        document["commands"]["nvidia-smi"] = command("CUDA Version: 13.0");
        document["commands"]["nvidia-smi-query"] =
            command("Unable to determine the device handle for GPU 0000:03:00.0: Unknown Error\n", 255);
        document["commands"]["nvidia-smi-list"] = command("GPU 0: NVIDIA A100 (UUID: GPU-x)\n");
        document["commands"]["nvidia-smi-query-0"] = command(("0" + row).c_str());
        document["commands"]["nvidia-smi-query-1"] =
            command("Unable to determine the device handle for GPU 0000:03:00.0: Unknown Error\n", 255);
        const auto node = read(document);
        QVERIFY(node.has_value());
        QCOMPARE(node->nvidia.gpus.size(), 2);
        QVERIFY(node->nvidia.gpus[0].usable);
        QVERIFY(!node->nvidia.gpus[1].usable);
        QCOMPARE(node->nvidia.cudaVersion, QString("13.0"));
    }
};

QTEST_APPLESS_MAIN(InventoryTest)
#include "tst_inventory.moc"
