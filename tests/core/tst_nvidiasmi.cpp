// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/core/inventory.h"

#include <QTest>

using namespace coxswain::core;
using Kind = NvidiaState::Kind;

namespace {

const QByteArray goodRow =
    "0, GPU-aa, NVIDIA GeForce RTX 4090, 580.65.06, 24564, 24000, 564, 3, 41, 21.53, 00000000:01:00.0\n";

NvidiaSmiOutput says(const QByteArray& query, int status = 0) {
    NvidiaSmiOutput output;
    output.present = true;
    output.query = query;
    output.queryStatus = status;
    return output;
}

/// "0:usable 1:GPU is lost"
QString summary(const NvidiaState& state) {
    QStringList parts;
    for (const Gpu& gpu : state.gpus)
        parts.append(
            QStringLiteral("%1:%2").arg(gpu.index).arg(gpu.usable ? QStringLiteral("usable") : gpu.why));
    return parts.join(u' ');
}

} // namespace

Q_DECLARE_METATYPE(NvidiaState::Kind)

class NvidiaSmiTest : public QObject {
    Q_OBJECT
private slots:
    void everyCell() {
        auto output = says(goodRow);
        output.banner = "| NVIDIA-SMI 580.65.06    Driver Version: 580.65.06    CUDA Version: 13.0     |";
        const NvidiaState state = parseNvidiaSmi(output);
        QCOMPARE(state.kind, Kind::Working);
        QCOMPARE(state.driverVersion, QString("580.65.06"));
        QCOMPARE(state.cudaVersion, QString("13.0"));
        QCOMPARE(state.gpus.size(), 1);
        Gpu expected;
        expected.index = 0;
        expected.uuid = "GPU-aa";
        expected.name = "NVIDIA GeForce RTX 4090";
        expected.busId = "00000000:01:00.0";
        expected.memoryTotalMib = 24564;
        expected.memoryFreeMib = 24000;
        expected.memoryUsedMib = 564;
        expected.utilisationPercent = 3;
        expected.temperatureCelsius = 41;
        expected.powerWatt = 21.53;
        QCOMPARE(state.gpus[0], expected);
    }

    /// field/outputs.md, 1 to 8, in the places where the query's answer has them.
    void captured_data() {
        QTest::addColumn<QByteArray>("query");
        QTest::addColumn<int>("status");
        QTest::addColumn<Kind>("kind");
        QTest::addColumn<QString>("gpus");
        QTest::addColumn<QString>("observed");
        const auto row = [](const char* name, const QByteArray& query, int status, Kind kind,
                            const char* gpus, const char* observed) {
            QTest::newRow(name) << query << status << kind << QString(gpus) << QString(observed);
        };
        row("mismatch",
            "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.144\n", 18,
            Kind::Broken, "",
            "Failed to initialize NVML: Driver/library version mismatch; NVML library version: 550.144");
        row("no driver",
            "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that "
            "the latest NVIDIA driver is installed and running.\n",
            9, Kind::Broken, "",
            "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that "
            "the latest NVIDIA driver is installed and running.");
        row("no devices", "No devices were found\n", 6, Kind::NoGpus, "", "No devices were found");
        row("dead handle", "Unable to determine the device handle for GPU 0000:0B:00.0: Unknown Error\n", 255,
            Kind::Broken, "0:Unable to determine the device handle for GPU 0000:0B:00.0: Unknown Error",
            "Unable to determine the device handle for GPU 0000:0B:00.0: Unknown Error");
        row("lost handle",
            "Unable to determine the device handle for GPU 0000:02:00.0: GPU is lost. Reboot the system to "
            "recover this GPU\n",
            15, Kind::Broken,
            "0:Unable to determine the device handle for GPU 0000:02:00.0: GPU is lost. Reboot the system to "
            "recover this GPU",
            "Unable to determine the device handle for GPU 0000:02:00.0: GPU is lost. Reboot the system to "
            "recover this GPU");
        row("GB10", "0, GPU-aa, NVIDIA GB10, 580.65.06, [N/A], [N/A], [N/A], 0, 40, 12.0, 0000000F:01:00.0\n",
            0, Kind::Working, "0:usable", "");
        row("no permission",
            "0, GPU-aa, NVIDIA A100-SXM4-80GB, 535.161.08, [N/A], [N/A], [Insufficient Permissions], "
            "[Insufficient Permissions], 47, [Insufficient Permissions], 00000000:07:00.0\n",
            0, Kind::Working, "0:usable", "");
        row("lost cells",
            "0, [GPU is lost], [GPU is lost], 580.65.06, [GPU is lost], [GPU is lost], [GPU is lost], [GPU "
            "is lost], [GPU is lost], [GPU is lost], 00000000:01:00.0\n",
            0, Kind::Broken, "0:GPU is lost", "GPU is lost");
        row("lost in one sensor", goodRow.chopped(1).replace("21.53", "[GPU is lost]"), 0, Kind::Broken,
            "0:GPU is lost", "GPU is lost");
        row("not supported",
            "0, GPU-aa, Tesla K80, 470.1, 11441, 11441, 0, [Not Supported], Not Supported, [Not Supported], "
            "00000000:07:00.0\n",
            0, Kind::Working, "0:usable", "");
        row("requires reset",
            "0, GPU-aa, NVIDIA A100, 580.65.06, [GPU requires reset], [GPU requires reset], [GPU requires "
            "reset], [N/A], [N/A], [N/A], 00000000:07:00.0\n",
            0, Kind::Broken, "0:GPU requires reset", "GPU requires reset");
        row("memory unknown error", goodRow.chopped(1).replace("24564", "[Unknown Error]"), 0, Kind::Broken,
            "0:Unknown Error", "Unknown Error");
        row("power sensor unknown error", goodRow.chopped(1).replace("21.53", "[Unknown Error]"), 0,
            Kind::Working, "0:usable", "");
        row("ERR!", goodRow.chopped(1).replace("24564", "ERR!"), 0, Kind::Broken, "0:ERR!", "ERR!");
        row("header",
            "index, uuid, name, driver_version, memory.total [MiB], memory.free [MiB], memory.used [MiB], "
            "utilization.gpu [%], temperature.gpu, power.draw [W], pci.bus_id\n" +
                goodRow,
            0, Kind::Working, "0:usable", "");
        row("warnings around",
            "WARNING: infoROM is corrupted at gpu 0000:01:00.0\r\n" + goodRow +
                "WARNING: infoROM is corrupted at gpu 0000:01:00.0\n",
            0, Kind::Working, "0:usable",
            "WARNING: infoROM is corrupted at gpu 0000:01:00.0; WARNING: infoROM is corrupted at gpu "
            "0000:01:00.0");
        row("rows, then a dead one",
            goodRow + QByteArray(goodRow).replace("0, GPU-aa", "2, GPU-cc").replace("01:00.0", "03:00.0") +
                "Unable to determine the device handle for GPU 0000:02:00.0: Unknown Error\n",
            255, Kind::Working,
            "0:usable 1:Unable to determine the device handle for GPU 0000:02:00.0: Unknown Error 2:usable",
            "Unable to determine the device handle for GPU 0000:02:00.0: Unknown Error");
        row("silence", "", 0, Kind::Broken, "", "nvidia-smi says nothing and ends with status 0");
        row("segfault", "", 139, Kind::Broken, "", "nvidia-smi says nothing and ends with status 139");
        row("other rows", "NVIDIA GB10, [N/A], [N/A]\n", 0, Kind::Broken, "", "NVIDIA GB10, [N/A], [N/A]");
        row("same index twice", goodRow + goodRow, 0, Kind::Working, "0:usable", "");
        row("binary", QByteArray("\0\xff\xfe,,,,,,,,,,,\n", 16), 0, Kind::Broken, "", nullptr);
    }
    void captured() {
        QFETCH(QByteArray, query);
        QFETCH(int, status);
        QFETCH(Kind, kind);
        QFETCH(QString, gpus);
        QFETCH(QString, observed);
        const NvidiaState state = parseNvidiaSmi(says(query, status));
        QCOMPARE(state.kind, kind);
        QCOMPARE(summary(state), gpus);
        if (!observed.isNull())
            QCOMPARE(state.observed, observed);
        if (kind == Kind::Broken)
            QVERIFY(!state.observed.isEmpty());
    }

    void unknownIsNeverZero() {
        const NvidiaState state =
            parseNvidiaSmi(says("0, GPU-aa, NVIDIA GB10, [N/A], [N/A], [Not Supported], Not Supported, "
                                "[Insufficient Permissions], ERR!, [Unknown Error], [N/A]\n"));
        QCOMPARE(state.gpus.size(), 1);
        const Gpu& gpu = state.gpus[0];
        QVERIFY(!gpu.memoryTotalMib && !gpu.memoryFreeMib && !gpu.memoryUsedMib && !gpu.utilisationPercent &&
                !gpu.temperatureCelsius && !gpu.powerWatt);
        QCOMPARE(gpu.busId, QString());
        QCOMPARE(state.driverVersion, QString());
        QVERIFY(gpu.usable);
    }

    void nameWithCommas() {
        const NvidiaState state = parseNvidiaSmi(says("3, GPU-aa, \"NVIDIA A100, PCIe, 40GB\", 580.1, 40960, "
                                                      "40000, 960, 1, 30, 50.1, 00000000:07:00.0\n"));
        QCOMPARE(state.gpus[0].name, QString("NVIDIA A100, PCIe, 40GB"));
        QCOMPARE(state.gpus[0].memoryTotalMib, std::optional<qint64>(40960));
        QCOMPARE(state.gpus[0].busId, QString("00000000:07:00.0"));
    }

    void unitsAreTolerated() {
        const NvidiaState state = parseNvidiaSmi(
            says("0, GPU-aa, X, 580.1, 40960 MiB, 40000 MiB, 960 MiB, 7 %, 30, 50.1 W, 00000000:07:00.0\n"));
        QCOMPARE(state.gpus[0].memoryFreeMib, std::optional<qint64>(40000));
        QCOMPARE(state.gpus[0].utilisationPercent, std::optional<double>(7));
        QCOMPARE(state.gpus[0].powerWatt, std::optional<double>(50.1));
    }

    /// pains.md 2: the full query fails, queries with -i work for three of four.
    void oneDeadOfFour() {
        auto output =
            says("Unable to determine the device handle for GPU 0000:03:00.0: Unknown Error\n", 255);
        output.listed =
            "GPU 0: NVIDIA A (UUID: GPU-a)\nGPU 1: NVIDIA B (UUID: GPU-b)\nUnable to determine the device "
            "handle for gpu 0000:03:00.0: Unknown Error\nGPU 3: NVIDIA D (UUID: GPU-d)\n";
        for (const int index : {0, 1, 3})
            output.single.append(
                {index, QByteArray(goodRow).replace("0, GPU-aa", QByteArray::number(index) + ", GPU-" +
                                                                     char('a' + index))});
        output.single.append(
            {2, "Unable to determine the device handle for GPU 0000:03:00.0: Unknown Error\n"});
        output.single.append({4, "No devices were found\n"});
        const NvidiaState state = parseNvidiaSmi(output);
        QCOMPARE(state.kind, Kind::Working);
        QCOMPARE(summary(state), QString("0:usable 1:usable 2:Unable to determine the device handle for GPU "
                                         "0000:03:00.0: Unknown Error 3:usable"));
        QCOMPARE(state.gpus[2].busId, QString("0000:03:00.0"));
        QCOMPARE(state.gpus[3].uuid, QString("GPU-d"));
        QCOMPARE(state.driverVersion, QString("580.65.06"));
    }

    /// -i N says nothing for a GPU that -L lists.
    void listedButMute() {
        auto output = says("", 1);
        output.listed = "GPU 0: NVIDIA A (UUID: GPU-a)\n";
        output.single.append({0, ""});
        const NvidiaState state = parseNvidiaSmi(output);
        QCOMPARE(state.kind, Kind::Broken);
        QCOMPARE(summary(state), QString("0:nvidia-smi -i 0 says nothing"));
        QCOMPARE(state.gpus[0].name, QString("NVIDIA A"));
    }

    void absent() { QCOMPARE(parseNvidiaSmi({}).kind, Kind::Absent); }

    void hostileSizes() {
        QByteArray many;
        for (int i = 0; i < 5000; ++i)
            many += QByteArray(goodRow).replace("0, GPU-aa", QByteArray::number(i) + ", GPU-x");
        many += "0, " + QByteArray(1 << 20, 'x') + "\n";
        QVERIFY(parseNvidiaSmi(says(many)).gpus.size() <= 256);
        const auto state = parseNvidiaSmi(says(QByteArray(1 << 20, 'x')));
        QVERIFY(state.observed.size() <= 200);
    }

    void samples() {
        const auto sample = parseGpuSample("1, 2000, 24564, 98, 71, 402.55");
        QVERIFY(sample.has_value());
        QCOMPARE(sample->index, 1);
        QCOMPARE(sample->memoryUsedMib, std::optional<qint64>(2000));
        QCOMPARE(sample->memoryTotalMib, std::optional<qint64>(24564));
        QCOMPARE(sample->utilisationPercent, std::optional<double>(98));
        QCOMPARE(sample->temperatureCelsius, std::optional<double>(71));
        QCOMPARE(sample->powerWatt, std::optional<double>(402.55));
        const auto unknown = parseGpuSample("0, [N/A], [N/A], [Not Supported], [N/A], [N/A]");
        QVERIFY(unknown && !unknown->memoryUsedMib && !unknown->powerWatt);
        QVERIFY(!parseGpuSample("No devices were found"));
        QVERIFY(!parseGpuSample("index, memory.used [MiB], a, b, c, d"));
        QVERIFY(!parseGpuSample("0, 1"));
        QVERIFY(!parseGpuSample(""));
    }
};

QTEST_APPLESS_MAIN(NvidiaSmiTest)
#include "tst_nvidiasmi.moc"
