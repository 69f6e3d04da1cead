// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/core/launchplan.h"

#include "cluster/core/sshconfig.h"
#include "trainer/wire/bundle.h"
#include "trainer/wire/layout.h"

namespace coxswain::core {
namespace {

namespace layout = wire::layout;

QByteArray bytes(const std::string& text) {
    return QByteArray::fromStdString(text);
}

std::string runtimeFolder(const PlannedNode& node, const LaunchInput& input) {
    return node.base.toStdString() + '/' + layout::runtimeFolder + '/' + input.runtimeHash.toStdString();
}

/// The job as the node's ranks read it: resolved, and with what was synced to the job's folder.
JobFile jobFile(const Plan& plan, const PlannedNode& node, const LaunchInput& input) {
    wire::JobSpec spec = plan.spec;
    spec.id = input.jobId.toStdString();
    spec.nodes.clear(); // names of the desktop's, of no use there
    spec.runtime = plan.runtime.toStdString();
    spec.train.threadsPerRank = node.threadsPerRank;
    spec.data.source = {wire::Input::At::Node, layout::shardsFolder};
    if (spec.model.folder && spec.model.folder->at == wire::Input::At::Desktop)
        spec.model.folder = wire::Input{wire::Input::At::Node, layout::modelFolder};
    return {QLatin1StringView(layout::jobFile), bytes(wire::toJson(spec).dump(2) + '\n'), 0600};
}

JobFile nodeFile(const Plan& plan, const PlannedNode& node, const LaunchInput& input) {
    wire::NodeFile file;
    file.runtime = input.runtimeHash.toStdString();
    file.node = node.index;
    file.environment["OMP_NUM_THREADS"] = std::to_string(node.threadsPerRank);
    if (!node.gpus.isEmpty()) {
        QStringList indices;
        for (const int gpu : node.gpus)
            indices.append(QString::number(gpu));
        // nvidia-smi counts in the order of the bus, CUDA by default by speed: the indices are nvidia-smi's.
        file.environment["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID";
        file.environment["CUDA_VISIBLE_DEVICES"] = indices.join(u',').toStdString();
        // NCCL takes names of interfaces and no networks; "=" asks for exactly this name.
        if (plan.subnet && !node.interfaceName.isEmpty())
            file.environment["NCCL_SOCKET_IFNAME"] = '=' + node.interfaceName.toStdString();
    }
    return {QLatin1StringView(layout::nodeFileName), bytes(wire::toJsonText(file)), 0600};
}

/// Options for all app contexts. Design 8 and "Platform facts" say where each comes from.
QStringList globalArguments(const Plan& plan) {
    QStringList arguments;
    const auto mca = [&](const char* name, const QString& value) {
        arguments << QStringLiteral("--mca") << QLatin1StringView(name) << value;
    };
    mca("pml", QStringLiteral("ob1"));
    if (plan.subnet) {
        mca("btl", QStringLiteral("tcp,self,vader"));
        mca("btl_tcp_if_include", plan.subnet->cidr);
        mca("oob_tcp_if_include", plan.subnet->cidr);
        mca("btl_tcp_sndbuf", QStringLiteral("0")); // the kernel's choice
        mca("btl_tcp_rcvbuf", QStringLiteral("0"));
        // Without these a node whose cable is pulled goes unnoticed for 85 s.
        mca("oob_tcp_keepalive_time", QStringLiteral("2"));
        mca("oob_tcp_keepalive_intvl", QStringLiteral("1"));
        mca("oob_tcp_keepalive_probes", QStringLiteral("3"));
        // Relative to the job's folder, where mpirun runs: Open MPI splits this at spaces, and a base folder
        // may have some.
        mca("plm_rsh_agent", QStringLiteral("ssh -F %1").arg(QLatin1StringView(sshConfigFile)));
        mca("plm_rsh_no_tree_spawn", QStringLiteral("1"));
    } else {
        mca("btl", QStringLiteral("self,vader"));
        mca("oob_tcp_if_include", QStringLiteral("127.0.0.0/8"));
    }
    if (plan.runtime == QStringLiteral("cpu"))
        mca("mpi_yield_when_idle", QStringLiteral("1")); // cores are for computing
    // Each message as it comes, from each process: whoFailedFirst() reads them.
    mca("orte_base_help_aggregate", QStringLiteral("0"));
    arguments << QStringLiteral("--bind-to") << QStringLiteral("none") << QStringLiteral("--tag-output");
    return arguments;
}

QStringList mpirunArguments(const Plan& plan, const LaunchInput& input) {
    QStringList arguments = globalArguments(plan);
    for (const PlannedNode& node : plan.nodes) {
        if (node.index > 0)
            arguments << QStringLiteral(":");
        const QString ranks = QString::number(node.rankCount);
        arguments << QStringLiteral("--host") << node.address + u':' + ranks << QStringLiteral("-np")
                  << ranks;
        arguments << input.agentPath.value(node.index) << QStringLiteral("rank") << QStringLiteral("--base")
                  << node.base;
        arguments << QStringLiteral("--job") << input.jobId << QStringLiteral("--attempt")
                  << QString::number(input.attempt);
    }
    return arguments;
}

JobFile launchFile(const PlannedNode& head, const LaunchInput& input, const QStringList& arguments) {
    const std::string runtime = runtimeFolder(head, input);
    wire::LaunchFile file;
    file.argv = wire::bundleCommand(runtime, "bin/mpirun");
    for (const QString& argument : arguments)
        file.argv.push_back(argument.toStdString());
    file.environment = wire::bundleEnvironment(runtime);
    file.folder = head.base.toStdString() + '/' + layout::jobsFolder + '/' + input.jobId.toStdString();
    return {QLatin1StringView(layout::launchFile), bytes(wire::toJsonText(file)), 0600};
}

} // namespace

LaunchPlan makeLaunchPlan(const Plan& plan, const LaunchInput& input) {
    LaunchPlan launch;
    launch.arguments = mpirunArguments(plan, input);
    for (const PlannedNode& node : plan.nodes)
        launch.files[node.index] = {jobFile(plan, node, input), nodeFile(plan, node, input)};
    QList<JobFile>& head = launch.files[0];
    head.append(launchFile(plan.nodes.first(), input, launch.arguments));
    if (plan.nodes.size() > 1)
        head += sshFiles(plan, input);
    return launch;
}

} // namespace coxswain::core
