// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/core/launchplan.h"

#include "trainer/wire/bundle.h"
#include "trainer/wire/layout.h"

namespace coxswain::core {
namespace {

namespace layout = wire::layout;

QString jobFolder(const PlannedNode& node, const QString& jobId) {
    return node.base + QLatin1Char('/') + QLatin1StringView(layout::jobsFolder) + QLatin1Char('/') + jobId;
}

QString bundleOf(const PlannedNode& node, const QString& hash) {
    return node.base + QLatin1Char('/') + QLatin1StringView(layout::runtimeFolder) + QLatin1Char('/') + hash;
}

/// The job as the trainer reads it on `node`: everything chosen, inputs in the job's folder.
QByteArray jobJson(const Plan& plan, const PlannedNode& node, const QString& jobId) {
    wire::JobSpec spec = plan.spec;
    spec.id = jobId.toStdString();
    spec.nodes.clear();
    spec.runtime = plan.runtime.toStdString();
    spec.data.source = {wire::Input::At::Node, layout::shardsFolder};
    spec.train.threadsPerRank = node.threadsPerRank;
    return QByteArray::fromStdString(wire::toJson(spec).dump(2) + '\n');
}

QByteArray nodeJson(const Plan& plan, const PlannedNode& node, const QString& runtimeHash) {
    wire::NodeFile file{runtimeHash.toStdString(), node.index, {}};
    file.environment["OMP_NUM_THREADS"] = std::to_string(node.threadsPerRank);
    if (!node.gpus.isEmpty()) {
        QStringList visible; // a GPU that is left out must not be counted
        for (const int gpu : node.gpus)
            visible += QString::number(gpu);
        file.environment["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID";
        file.environment["CUDA_VISIBLE_DEVICES"] = visible.join(QLatin1Char(',')).toStdString();
    }
    if (plan.subnet && !node.interfaceName.isEmpty())
        file.environment["NCCL_SOCKET_IFNAME"] = "=" + node.interfaceName.toStdString();
    return QByteArray::fromStdString(wire::toJsonText(file));
}

/// Everything that mpirun's ssh may use, and nothing of the node's own configuration. Relative paths are relative to
/// the job's folder, where mpirun runs.
QByteArray sshConfig(const Plan& plan, const LaunchInput& input) {
    QByteArray text;
    for (const auto& node : plan.nodes.mid(1))
        text += "Host " + node.address.toUtf8() + "\n  Port " + QByteArray::number(input.sshPort.value(node.index, 22)) +
                "\n  User " + input.user.value(node.index).toUtf8() + '\n';
    return text + "Host *\n"
                  "  IdentityFile job_key\n"
                  "  IdentitiesOnly yes\n"
                  "  IdentityAgent none\n"
                  "  UserKnownHostsFile known_hosts\n"
                  "  GlobalKnownHostsFile /dev/null\n"
                  "  StrictHostKeyChecking yes\n"
                  "  BatchMode yes\n"
                  "  PasswordAuthentication no\n"
                  "  ForwardAgent no\n"
                  "  ForwardX11 no\n"
                  "  ControlMaster no\n"
                  "  ControlPath none\n"
                  "  ConnectTimeout 15\n"
                  "  ServerAliveInterval 5\n"
                  "  ServerAliveCountMax 3\n"
                  "  LogLevel ERROR\n";
}

QByteArray knownHosts(const Plan& plan, const LaunchInput& input) {
    QByteArray text;
    for (const auto& node : plan.nodes.mid(1)) {
        const quint16 port = input.sshPort.value(node.index, 22);
        const QByteArray address = node.address.toUtf8();
        text += (port == 22 ? address : '[' + address + "]:" + QByteArray::number(port)) + ' ' +
                input.hostKey.value(node.index) + '\n';
    }
    return text;
}

void addParameter(QStringList& arguments, const char* name, const QString& value) {
    arguments += {QStringLiteral("--mca"), QString::fromLatin1(name), value};
}

QStringList mpirunArguments(const Plan& plan, const LaunchInput& input) {
    QStringList arguments{QStringLiteral("--tag-output"), QStringLiteral("--bind-to"), QStringLiteral("none")};
    const bool several = plan.nodes.size() > 1;
    const QString network = several && plan.subnet ? plan.subnet->cidr : QStringLiteral("127.0.0.0/8");
    addParameter(arguments, "pml", QStringLiteral("ob1"));
    addParameter(arguments, "btl", several ? QStringLiteral("tcp,self,vader") : QStringLiteral("self,vader"));
    addParameter(arguments, "oob_tcp_if_include", network);
    if (several) {
        addParameter(arguments, "btl_tcp_if_include", network);
        // 0: the kernel chooses, which is several times faster than Open MPI's own fixed sizes.
        addParameter(arguments, "btl_tcp_sndbuf", QStringLiteral("0"));
        addParameter(arguments, "btl_tcp_rcvbuf", QStringLiteral("0"));
        addParameter(arguments, "plm_rsh_agent", QStringLiteral("ssh -F ssh_config"));
        addParameter(arguments, "plm_rsh_no_tree_spawn", QStringLiteral("1"));
        // A node whose cable is pulled is noticed after about five seconds instead of over 85.
        addParameter(arguments, "oob_tcp_keepalive_time", QStringLiteral("2"));
        addParameter(arguments, "oob_tcp_keepalive_intvl", QStringLiteral("1"));
        addParameter(arguments, "oob_tcp_keepalive_probes", QStringLiteral("3"));
    }
    if (plan.runtime == QLatin1String("cpu"))
        addParameter(arguments, "mpi_yield_when_idle", QStringLiteral("1")); // cores are for computing
    bool first = true;
    for (const auto& node : plan.nodes) {
        if (!std::exchange(first, false))
            arguments += QStringLiteral(":");
        const QString count = QString::number(node.rankCount);
        arguments += {QStringLiteral("-host"), node.address + QLatin1Char(':') + count, QStringLiteral("-np"), count,
                      input.agentPath.value(node.index), QStringLiteral("rank"), QStringLiteral("--base"), node.base,
                      QStringLiteral("--job"), input.jobId, QStringLiteral("--attempt"), QString::number(input.attempt)};
    }
    return arguments;
}

QByteArray launchJson(const Plan& plan, const LaunchInput& input, const QStringList& arguments) {
    const PlannedNode& head = plan.nodes.first();
    const std::string bundle = bundleOf(head, input.runtimeHash).toStdString();
    wire::LaunchFile launch;
    launch.argv = wire::bundleCommand(bundle, "bin/mpirun");
    for (const auto& argument : arguments)
        launch.argv.push_back(argument.toStdString());
    launch.environment = wire::bundleEnvironment(bundle);
    launch.folder = jobFolder(head, input.jobId).toStdString();
    return QByteArray::fromStdString(wire::toJsonText(launch));
}

} // namespace

LaunchPlan makeLaunchPlan(const Plan& plan, const LaunchInput& input) {
    LaunchPlan launch;
    launch.arguments = mpirunArguments(plan, input);
    for (const auto& node : plan.nodes) {
        auto& files = launch.files[node.index];
        files.append({QString::fromLatin1(layout::jobFile), jobJson(plan, node, input.jobId), 0600});
        files.append({QString::fromLatin1(layout::nodeFileName), nodeJson(plan, node, input.runtimeHash), 0600});
    }
    auto& head = launch.files[0];
    head.append({QString::fromLatin1(layout::launchFile), launchJson(plan, input, launch.arguments), 0600});
    if (plan.nodes.size() > 1) {
        head.append({QStringLiteral("ssh_config"), sshConfig(plan, input), 0600});
        head.append({QStringLiteral("known_hosts"), knownHosts(plan, input), 0600});
        head.append({QStringLiteral("job_key"), input.jobPrivateKey, 0600});
    }
    return launch;
}

} // namespace coxswain::core
