// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/core/launchplan.h"
#include "tests/core/samplenodes.h"
#include "trainer/wire/bundle.h"

#include <QSet>
#include <QTest>

using namespace coxswain::core;
using namespace coxswain::core::samples;
namespace wire = coxswain::wire;

namespace {

const QString jobId = QStringLiteral("20261201-143005-9f3a2c");
const QString hash(64, u'a');

Plan planOf(int nodes, int gpus = 0, int ranksPerNode = 0) {
    QList<Candidate> list;
    for (int n = 1; n <= nodes; ++n)
        list.append({{{}, QStringLiteral("node%1").arg(n), 0}, healthyNode(n, gpus)});
    if (nodes > 1)
        list[1].inventory.base = QStringLiteral("/home/some one/.coxswain");
    wire::JobSpec spec = smallJob();
    spec.ranksPerNode = ranksPerNode;
    return *makePlan(spec, list);
}

LaunchInput inputOf(const Plan& plan) {
    LaunchInput input;
    input.jobId = jobId;
    input.attempt = 2;
    input.runtimeHash = hash;
    input.jobPrivateKey = "-----BEGIN OPENSSH PRIVATE KEY-----\nx\n-----END OPENSSH PRIVATE KEY-----\n";
    for (const PlannedNode& node : plan.nodes) {
        input.agentPath[node.index] = node.base + QStringLiteral("/agent/x/coxswain-agent");
        input.hostKey[node.index] = "ssh-ed25519 AAAA" + QByteArray::number(node.index) + "\n";
    }
    for (const PlannedNode& node : plan.nodes)
        input.user[node.index] = node.index == 2 ? QStringLiteral("plain") : QStringLiteral("root");
    input.sshPort[2] = 2222;
    return input;
}

const JobFile* fileOf(const LaunchPlan& launch, int node, const char* path) {
    const auto files = launch.files.constFind(node); // [] would give a copy, whose files die here
    for (const JobFile& file : *files)
        if (file.path == QLatin1StringView(path))
            return &file;
    return nullptr;
}

} // namespace

class LaunchPlanTest : public QObject {
    Q_OBJECT
private slots:
    void contexts() {
        const Plan plan = planOf(3, 0, 2);
        const auto launch = makeLaunchPlan(plan, inputOf(plan));
        const QString line = launch.arguments.join(u'|');
        QCOMPARE(line.mid(line.indexOf(QStringLiteral("--bind-to"))),
                 QString("--bind-to|none|--tag-output"
                         "|--host|10.0.0.1:2|-np|2|/root/.coxswain/agent/x/coxswain-agent|rank|--base|/root/"
                         ".coxswain|--job|" +
                         jobId +
                         "|--attempt|2|:"
                         "|--host|10.0.0.2:2|-np|2|/home/some "
                         "one/.coxswain/agent/x/coxswain-agent|rank|--base|/home/some one/.coxswain|--job|" +
                         jobId +
                         "|--attempt|2|:"
                         "|--host|10.0.0.3:2|-np|2|/root/.coxswain/agent/x/coxswain-agent|rank|--base|/root/"
                         ".coxswain|--job|" +
                         jobId + "|--attempt|2"));
    }

    void parameters_data() {
        QTest::addColumn<int>("nodes");
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("value");
        QTest::newRow("pml") << 3 << "pml"
                             << "ob1";
        QTest::newRow("btl") << 3 << "btl"
                             << "tcp,self,vader";
        QTest::newRow("btl's network") << 3 << "btl_tcp_if_include"
                                       << "10.0.0.0/24";
        QTest::newRow("out-of-band network") << 3 << "oob_tcp_if_include"
                                             << "10.0.0.0/24";
        QTest::newRow("keepalive") << 3 << "oob_tcp_keepalive_time"
                                   << "2";
        QTest::newRow("ssh") << 3 << "plm_rsh_agent"
                             << "ssh -F ssh_config";
        QTest::newRow("messages") << 3 << "orte_base_help_aggregate"
                                  << "0";
        QTest::newRow("one node needs no network") << 1 << "btl"
                                                   << "self,vader";
        QTest::newRow("one node: loopback") << 1 << "oob_tcp_if_include"
                                            << "127.0.0.0/8";
        QTest::newRow("one node: no ssh") << 1 << "plm_rsh_agent"
                                          << "";
    }
    void parameters() {
        QFETCH(int, nodes);
        QFETCH(QString, name);
        QFETCH(QString, value);
        const Plan plan = planOf(nodes);
        const auto arguments = makeLaunchPlan(plan, inputOf(plan)).arguments;
        const auto at = arguments.indexOf(name);
        QCOMPARE(at < 0 ? QString() : arguments.value(at + 1), value);
        if (at >= 0)
            QCOMPARE(arguments.value(at - 1), QString("--mca"));
    }

    void launchFile() {
        const Plan plan = planOf(3);
        const auto launch = makeLaunchPlan(plan, inputOf(plan));
        const auto file = wire::parseLaunchFile(fileOf(launch, 0, "launch.json")->content.toStdString());
        QVERIFY(file.has_value());
        const std::string bundle = "/root/.coxswain/runtime/" + hash.toStdString();
        QCOMPARE(file->argv[0], bundle + "/lib/ld-linux-x86-64.so.2");
        QCOMPARE(file->argv[3], bundle + "/bin/mpirun");
        QCOMPARE(file->argv.size(), std::size_t(4 + launch.arguments.size()));
        QCOMPARE(file->argv.back(), std::string("2"));
        QCOMPARE(file->environment.at("OPAL_PREFIX"), bundle);
        QCOMPARE(file->folder, "/root/.coxswain/jobs/" + jobId.toStdString());
        QVERIFY(!fileOf(launch, 1, "launch.json") && !fileOf(launch, 2, "launch.json"));
    }

    void jobAsTheRanksReadIt() {
        Plan plan = planOf(2, 0, 3);
        plan.nodes[1].threadsPerRank = 7;
        plan.spec.model.config = nullptr;
        plan.spec.model.folder = wire::Input{wire::Input::At::Desktop, "qwen"};
        const auto launch = makeLaunchPlan(plan, inputOf(plan));
        for (const int node : {0, 1}) {
            const auto spec = wire::parseJobSpec(
                nlohmann::json::parse(fileOf(launch, node, "job.json")->content.toStdString()));
            QVERIFY2(spec.has_value(), spec ? "" : spec.error()[0].text().c_str());
            QCOMPARE(spec->id, jobId.toStdString());
            QCOMPARE(spec->runtime, std::string("cpu"));
            QCOMPARE(spec->train.threadsPerRank, node == 0 ? 5 : 7);
            QVERIFY((spec->data.source == wire::Input{wire::Input::At::Node, "shards"}));
            QVERIFY((spec->model.folder == wire::Input{wire::Input::At::Node, "model"}));
            const auto file = wire::parseNodeFile(fileOf(launch, node, "node.json")->content.toStdString());
            QVERIFY(file.has_value());
            QCOMPARE(file->node, node);
            QCOMPARE(file->runtime, hash.toStdString());
            QVERIFY((file->environment ==
                     std::map<std::string, std::string>{{"OMP_NUM_THREADS", node == 0 ? "5" : "7"}}));
            QVERIFY(spec->nodes.empty());
        }
        plan.spec.model.folder = wire::Input{wire::Input::At::Shared, "/mnt/qwen"};
        const auto shared = wire::parseJobSpec(nlohmann::json::parse(
            fileOf(makeLaunchPlan(plan, inputOf(plan)), 0, "job.json")->content.toStdString()));
        QVERIFY((shared->model.folder == wire::Input{wire::Input::At::Shared, "/mnt/qwen"}));
    }

    void gpuEnvironment() {
        Plan plan = planOf(2, 4);
        plan.nodes[1].gpus = {0, 2, 3};
        plan.nodes[1].interfaceName = QStringLiteral("enp5s0");
        const auto launch = makeLaunchPlan(plan, inputOf(plan));
        const auto file = wire::parseNodeFile(fileOf(launch, 1, "node.json")->content.toStdString());
        QVERIFY((file->environment == std::map<std::string, std::string>{{"CUDA_DEVICE_ORDER", "PCI_BUS_ID"},
                                                                         {"CUDA_VISIBLE_DEVICES", "0,2,3"},
                                                                         {"OMP_NUM_THREADS", "4"},
                                                                         {"NCCL_SOCKET_IFNAME", "=enp5s0"}}));
        const Plan single = planOf(1, 4);
        const auto alone = wire::parseNodeFile(
            fileOf(makeLaunchPlan(single, inputOf(single)), 0, "node.json")->content.toStdString());
        QVERIFY(!alone->environment.contains("NCCL_SOCKET_IFNAME"));
    }

    void sshFiles() {
        const Plan plan = planOf(3);
        const auto launch = makeLaunchPlan(plan, inputOf(plan));
        QCOMPARE(fileOf(launch, 0, "known_hosts")->content,
                 QByteArray("coxswain-node-1 ssh-ed25519 AAAA1\ncoxswain-node-2 ssh-ed25519 AAAA2\n"));
        const QByteArray config = fileOf(launch, 0, "ssh_config")->content;
        QVERIFY(config.startsWith(
            "Host 10.0.0.2\n    User \"root\"\n    Port 22\n    HostKeyAlias coxswain-node-1\n"
            "Host 10.0.0.3\n    User \"plain\"\n    Port 2222\n    HostKeyAlias coxswain-node-2\nHost *\n"));
        for (const char* needed :
             {"StrictHostKeyChecking yes", "IdentityFile job_key", "IdentitiesOnly yes", "IdentityAgent none",
              "UserKnownHostsFile known_hosts", "GlobalKnownHostsFile /dev/null", "BatchMode yes"})
            QVERIFY2(config.contains(needed), needed);
        QCOMPARE(fileOf(launch, 0, "job_key")->mode, 0600);
        for (const int node : {1, 2})
            for (const char* secret : {"job_key", "known_hosts", "ssh_config"})
                QVERIFY(!fileOf(launch, node, secret));
        const Plan single = planOf(1);
        QVERIFY(!fileOf(makeLaunchPlan(single, inputOf(single)), 0, "job_key"));
    }

    void noSecretInArguments() {
        const Plan plan = planOf(3);
        const auto launch = makeLaunchPlan(plan, inputOf(plan));
        QVERIFY(!launch.arguments.join(u' ').contains("PRIVATE KEY"));
        QVERIFY(!fileOf(launch, 0, "launch.json")->content.contains("PRIVATE KEY"));
    }

    void userCannotInjectOptions() {
        const Plan plan = planOf(2);
        LaunchInput input = inputOf(plan);
        input.user[1] = QStringLiteral("x\"\nProxyCommand evil");
        const QByteArray config = fileOf(makeLaunchPlan(plan, input), 0, "ssh_config")->content;
        QVERIFY(!config.contains("\nProxyCommand"));
    }

    void jobIds() {
        QSet<QString> ids;
        for (int i = 0; i < 100; ++i) {
            const QString id = makeJobId();
            QVERIFY(isJobId(id));
            ids.insert(id);
        }
        QVERIFY(ids.size() > 95);
        for (const char* bad : {"", "20261201-143005-9f3a2", "20261201-143005-9F3A2C", "../../etc",
                                "20261201-143005-9f3a2c\n", "20261201-143005-9f3a2c/"})
            QVERIFY2(!isJobId(QString::fromLatin1(bad)), bad);
    }
};

QTEST_APPLESS_MAIN(LaunchPlanTest)
#include "tst_launchplan.moc"
