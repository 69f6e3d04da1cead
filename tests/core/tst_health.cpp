// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/core/health.h"
#include "tests/core/samplenodes.h"

#include <QTest>

#include <functional>

using namespace coxswain::core;
using samples::goodGpu;
using samples::healthyNode;

namespace {

using Change = std::function<void(Inventory&)>;
constexpr qint64 gib = qint64(1) << 30;

CheckResult resultOf(const QList<CheckResult>& results, const QString& id) {
    for (const CheckResult& result : results)
        if (result.id == id)
            return result;
    return {};
}

} // namespace

Q_DECLARE_METATYPE(Change)

class HealthTest : public QObject {
    Q_OBJECT
private slots:
    void healthyNodeIsReady() {
        for (const char* runtime : {"cpu", "cu13", "auto"}) {
            const auto results = checkNode("n", healthyNode(1, 4), {runtime, gib, gib, true});
            QVERIFY(isReady(results));
            QSet<QString> ids;
            for (const CheckResult& result : results) {
                QCOMPARE(result.host, QString("n"));
                QVERIFY2(result.severity == Severity::Ok || result.severity == Severity::Info,
                         qPrintable(result.id));
                QVERIFY2(result.fix.isEmpty(), qPrintable(result.id));
                QVERIFY(!result.observed.isEmpty() && !result.expected.isEmpty());
                ids.insert(result.id);
            }
            QCOMPARE(ids.size(), results.size());
            QCOMPARE(ids, (QSet<QString>{"reachability", "architecture", "kernel", "cores", "memory", "disk",
                                         "shared_memory", "ssh_client", "os", "glibc", "driver", "gpu",
                                         "cuda_toolkit", "nccl"}));
        }
    }

    void rules_data() {
        QTest::addColumn<QString>("id");
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("severities"); // for cpu, cu13 and auto
        QTest::addColumn<QString>("fix");        // a part of it, on the first that is a warning or an error
        const auto row = [](const char* name, const char* id, const char* severities, const char* fix,
                            Change change) {
            QTest::newRow(name) << QString(id) << change << QString(severities) << QString(fix);
        };
        row("arm", "architecture", "error error error", "x86_64",
            [](Inventory& n) { n.architecture = "aarch64"; });
        row("no architecture", "architecture", "unknown unknown unknown", "",
            [](Inventory& n) { n.architecture.clear(); });
        row("ancient", "kernel", "error error error", "Upgrade",
            [](Inventory& n) { n.kernel = "2.6.32-754.el6"; });
        row("oldest kernel", "kernel", "ok ok ok", "", [](Inventory& n) { n.kernel = "3.2.0-4-amd64"; });
        row("no kernel", "kernel", "unknown unknown unknown", "", [](Inventory& n) { n.kernel = "?"; });
        row("no cores", "cores", "unknown unknown unknown", "", [](Inventory& n) { n.cores = 0; });
        row("no memory", "memory", "unknown unknown unknown", "",
            [](Inventory& n) { n.memoryTotal.reset(); });
        row("small memory", "memory", "error error error", "more nodes",
            [](Inventory& n) { n.memoryTotal = gib / 2; });
        row("busy memory", "memory", "warning warning warning", "ps aux",
            [](Inventory& n) { n.memoryAvailable = gib / 2; });
        row("full disk", "disk", "error error error", "du -xsh", [](Inventory& n) { n.diskFree = 0; });
        row("disk a byte short", "disk", "error error error", "du",
            [](Inventory& n) { n.diskFree = gib - 1; });
        row("disk just enough", "disk", "ok ok ok", "", [](Inventory& n) { n.diskFree = gib; });
        row("no disk fact", "disk", "unknown unknown unknown", "", [](Inventory& n) { n.diskFree.reset(); });
        row("docker's shm", "shared_memory", "ok ok ok", "",
            [](Inventory& n) { n.sharedMemoryTotal = 64 << 20; });
        row("tiny shm", "shared_memory", "warning warning warning", "/dev/shm",
            [](Inventory& n) { n.sharedMemoryTotal = 1 << 20; });
        row("no shm fact", "shared_memory", "unknown unknown unknown", "",
            [](Inventory& n) { n.sharedMemoryTotal.reset(); });
        row("no os", "os", "unknown unknown unknown", "", [](Inventory& n) { n.os.clear(); });
        row("no ssh", "ssh_client", "info info info", "", [](Inventory& n) { n.sshClient.clear(); });
        row("no driver", "driver", "info error info", "Install NVIDIA's driver",
            [](Inventory& n) { n.nvidia = {}; });
        row("no gpu", "gpu", "info error info", "Install NVIDIA's driver",
            [](Inventory& n) { n.nvidia = {}; });
        row("driver 535", "driver", "info error warning", "580",
            [](Inventory& n) { n.nvidia.driverVersion = "535.161.08"; });
        row("driver 580.0", "driver", "info ok ok", "",
            [](Inventory& n) { n.nvidia.driverVersion = "580.0"; });
        row("driver unknown", "driver", "unknown unknown unknown", "",
            [](Inventory& n) { n.nvidia.driverVersion.clear(); });
        row("no devices", "gpu", "info error info", "lspci", [](Inventory& n) {
            n.nvidia.kind = NvidiaState::Kind::NoGpus;
            n.nvidia.observed = "No devices were found";
            n.nvidia.gpus.clear();
        });
        const Change broken = [](Inventory& n) {
            n.nvidia = {NvidiaState::Kind::Broken,
                        "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
                        {},
                        {},
                        {}};
        };
        row("driver broken", "driver", "info error error", "modprobe", broken);
        row("gpu of a broken driver", "gpu", "info error error", "modprobe", broken);
        row("mismatch", "driver", "info error error", "reboot", [](Inventory& n) {
            n.nvidia = {NvidiaState::Kind::Broken,
                        "Failed to initialize NVML: Driver/library version mismatch",
                        {},
                        {},
                        {}};
        });
        row("one of four dead", "gpu", "info warning warning", "reboot", [](Inventory& n) {
            n.nvidia.gpus[2].usable = false;
            n.nvidia.gpus[2].why = "GPU is lost";
        });
        row("all dead", "gpu", "info error error", "reset", [](Inventory& n) {
            n.nvidia.kind = NvidiaState::Kind::Broken;
            n.nvidia.observed = "GPU requires reset";
            for (Gpu& gpu : n.nvidia.gpus) {
                gpu.usable = false;
                gpu.why = "GPU requires reset";
            }
        });
        row("toolkit", "cuda_toolkit", "info info info", "", [](Inventory& n) { n.cudaToolkit = "12.4"; });
    }
    void rules() {
        QFETCH(QString, id);
        QFETCH(Change, change);
        QFETCH(QString, severities);
        QFETCH(QString, fix);
        QStringList seen;
        QString firstFix;
        for (const char* runtime : {"cpu", "cu13", "auto"}) {
            Inventory node = healthyNode(1, 4);
            change(node);
            const auto results = checkNode("n", node, {runtime, gib, gib, false});
            const CheckResult result = resultOf(results, id);
            seen.append(severityName(result.severity));
            const bool bad = result.severity == Severity::Error || result.severity == Severity::Warning;
            QVERIFY2(!bad || !result.fix.isEmpty(), "what is wrong has a fix");
            QVERIFY(!result.observed.isEmpty());
            if (firstFix.isEmpty() && bad)
                firstFix = result.fix;
            QCOMPARE(isReady(results),
                     !results.isEmpty() && !std::any_of(results.begin(), results.end(), [](const auto& r) {
                         return r.severity == Severity::Error;
                     }));
        }
        QCOMPARE(seen.join(u' '), severities);
        QVERIFY2(firstFix.contains(fix), qPrintable(firstFix));
    }

    void oneDeadOfFourIsNamed() {
        Inventory node = healthyNode(1, 4);
        node.nvidia.gpus[2].usable = false;
        node.nvidia.gpus[2].why = "GPU is lost";
        QCOMPARE(resultOf(checkNode("n", node, {"cu13", 0, 0, false}), "gpu").observed,
                 QString("3 of 4 usable; GPU 2: GPU is lost"));
    }

    void unreachableNode() {
        const auto result = unreachable(
            "n", {ErrorCode::AuthRefused, "n", "log in as root", "the server took no key", "ssh-copy-id n"});
        QCOMPARE(result, (CheckResult{"reachability", "n", Severity::Error,
                                      "cannot log in as root: the server took no key",
                                      "an SSH login that starts the agent", "ssh-copy-id n"}));
        QVERIFY(!isReady({result}));
    }

    void together() {
        const QStringList hosts{"a", "b", "c"};
        QList<Inventory> nodes{healthyNode(1), healthyNode(2), healthyNode(3)};
        const Requirements needs{"cpu", 0, 0, true};
        auto results = checkTogether(hosts, nodes, needs);
        QVERIFY(isReady(results));
        QCOMPARE(resultOf(results, "subnet").observed, QString("10.0.0.0/24"));
        QCOMPARE(resultOf(results, "head_ssh").severity, Severity::Ok);
        QCOMPARE(results.size(), 3); // no differences

        nodes[2].kernel = "5.10.0";
        nodes[2].cores = 4;
        nodes[1].interfaces[1].address = "10.0.0.1";
        nodes[0].sshClient.clear();
        results = checkTogether(hosts, nodes, needs);
        QCOMPARE(resultOf(results, "subnet").severity, Severity::Error);
        QVERIFY(resultOf(results, "subnet").observed.contains("c: 10.0.0.3/24"));
        QCOMPARE(resultOf(results, "duplicate_address").observed, QString("10.0.0.1"));
        QCOMPARE(resultOf(results, "duplicate_address").severity, Severity::Warning);
        QCOMPARE(resultOf(results, "head_ssh").severity, Severity::Error);
        QCOMPARE(resultOf(results, "head_ssh").host, QString("a"));
        QCOMPARE(resultOf(results, "differs_kernel").observed, QString("a, b: 6.1.0-28-amd64; c: 5.10.0"));
        QCOMPARE(resultOf(results, "differs_cores").severity, Severity::Warning);

        QVERIFY(checkTogether({"a"}, {nodes[0]}, needs).isEmpty());
    }

    void manyNodesAreSummarised() {
        QStringList hosts;
        QList<Inventory> nodes;
        for (int n = 1; n <= 16; ++n) {
            hosts.append(QString("gpu%1").arg(n));
            nodes.append(healthyNode(n, 4));
        }
        nodes[6].nvidia.driverVersion = "570.1";
        const auto results = checkTogether(hosts, nodes, {"cu13", 0, 0, true});
        QCOMPARE(resultOf(results, "differs_driver").observed, QString("15 nodes: 580.65.06; gpu7: 570.1"));
    }

    void runtimes() {
        const QStringList hosts{"a", "b"};
        QList<Inventory> nodes{healthyNode(1, 2), healthyNode(2, 2)};
        QCOMPARE(chooseRuntime("auto", hosts, nodes).runtime, QString("cu13"));
        nodes[1].nvidia.driverVersion = "581.2";
        QVERIFY(chooseRuntime("auto", hosts, nodes).reason.contains("580.65.06"));
        nodes[1].nvidia.driverVersion = "570.1";
        QCOMPARE(chooseRuntime("auto", hosts, nodes).runtime, QString("cpu"));
        QCOMPARE(chooseRuntime("auto", hosts, nodes).reason, QString("driver 570.1 of b is older than 580"));
        nodes[0].nvidia = {};
        QCOMPARE(chooseRuntime("auto", hosts, nodes).reason, QString("a has no usable GPU"));
        QCOMPARE(chooseRuntime("cu13", hosts, nodes).runtime, QString("cu13"));
        QCOMPARE(chooseRuntime("cpu", hosts, {healthyNode(1, 1)}).runtime, QString("cpu"));
        QCOMPARE(chooseRuntime("auto", {}, {}).runtime, QString("cpu"));
    }
};

QTEST_APPLESS_MAIN(HealthTest)
#include "tst_health.moc"
