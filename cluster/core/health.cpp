// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/core/health.h"

#include "cluster/core/healthrules.h"

#include <QMap>
#include <QVersionNumber>

#include <algorithm>

namespace coxswain::core {
namespace {

/// "gpu1, gpu2 have 5.10; gpu3 has 6.1": the rarest value last, since it is the one to look at.
QString differences(const QMap<QString, QStringList>& hostsByValue) {
    QList<std::pair<QString, QStringList>> groups;
    for (auto it = hostsByValue.begin(); it != hostsByValue.end(); ++it)
        groups.append({it.key(), it.value()});
    std::stable_sort(groups.begin(), groups.end(),
                     [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
    QStringList parts;
    for (const auto& [value, hosts] : groups) {
        const QString who = hosts.size() > 4 ? QStringLiteral("%1 nodes").arg(hosts.size())
                                             : hosts.join(QStringLiteral(", "));
        parts.append(QStringLiteral("%1: %2").arg(who, value));
    }
    return parts.join(QStringLiteral("; "));
}

/// Nodes of which the fact is not known take no part.
void compare(const char* id, Severity severity, const QStringList& hosts, const QList<Inventory>& nodes,
             QString (*fact)(const Inventory&), const QString& fix, QList<CheckResult>& results) {
    QMap<QString, QStringList> hostsByValue;
    for (qsizetype i = 0; i < nodes.size(); ++i)
        if (const QString value = fact(nodes[i]); !value.isEmpty())
            hostsByValue[value].append(hosts.value(i));
    if (hostsByValue.size() > 1)
        results.append({QLatin1StringView(id),
                        {},
                        severity,
                        differences(hostsByValue),
                        QStringLiteral("the same on all nodes"),
                        fix});
}

QString gpuNames(const Inventory& node) {
    QMap<QString, int> counts;
    for (const Gpu& gpu : node.nvidia.gpus)
        if (gpu.usable)
            ++counts[gpu.name.isEmpty() ? QStringLiteral("unknown GPU") : gpu.name];
    QStringList parts;
    for (auto it = counts.begin(); it != counts.end(); ++it)
        parts.append(QStringLiteral("%1 × %2").arg(it.value()).arg(it.key()));
    return parts.join(QStringLiteral(" + "));
}

void compareAll(const QStringList& hosts, const QList<Inventory>& nodes, QList<CheckResult>& results) {
    compare(
        "differs_kernel", Severity::Info, hosts, nodes, [](const Inventory& n) { return n.kernel; }, {},
        results);
    compare(
        "differs_os", Severity::Info, hosts, nodes, [](const Inventory& n) { return n.os; }, {}, results);
    compare(
        "differs_driver", Severity::Warning, hosts, nodes,
        [](const Inventory& n) { return n.nvidia.driverVersion; },
        QStringLiteral("Install the same NVIDIA driver on all nodes"), results);
    compare("differs_gpu", Severity::Warning, hosts, nodes, gpuNames,
            QStringLiteral("The slowest GPU sets the pace: use nodes of one kind together"), results);
    compare(
        "differs_cores", Severity::Warning, hosts, nodes,
        [](const Inventory& n) { return n.cores > 0 ? QString::number(n.cores) : QString(); },
        QStringLiteral("The slowest node sets the pace: use nodes of one kind together"), results);
}

} // namespace

QString severityName(Severity severity) {
    switch (severity) {
    case Severity::Ok:
        return QStringLiteral("ok");
    case Severity::Info:
        return QStringLiteral("info");
    case Severity::Warning:
        return QStringLiteral("warning");
    case Severity::Error:
        return QStringLiteral("error");
    case Severity::Unknown:
        break;
    }
    return QStringLiteral("unknown");
}

CheckResult unreachable(const QString& host, const Error& error) {
    QString observed = error.seen;
    if (!error.tried.isEmpty())
        observed = QStringLiteral("cannot %1: %2").arg(error.tried, error.seen);
    return {QStringLiteral("reachability"),
            host,
            Severity::Error,
            observed,
            QStringLiteral("an SSH login that starts the agent"),
            error.fix};
}

QList<CheckResult> checkNode(const QString& host, const Inventory& inventory, const Requirements& needs) {
    QList<CheckResult> results;
    results.append({QStringLiteral("reachability"),
                    host,
                    Severity::Ok,
                    QStringLiteral("reached, the agent answers"),
                    QStringLiteral("an SSH login that starts the agent"),
                    {}});
    results += systemRules(inventory, needs);
    results += gpuRules(inventory, needs);
    for (CheckResult& result : results)
        result.host = host;
    return results;
}

QList<CheckResult> checkTogether(const QStringList& hosts, const QList<Inventory>& nodes,
                                 const Requirements& needs) {
    QList<CheckResult> results;
    if (nodes.size() < 2)
        return results;
    const QString expected = QStringLiteral("an IPv4 network in which every node has an address");
    if (const auto subnet = commonSubnet(nodes)) {
        results.append({QStringLiteral("subnet"), {}, Severity::Ok, subnet->cidr, expected, {}});
    } else {
        QStringList seen;
        for (qsizetype i = 0; i < nodes.size(); ++i) {
            QStringList addresses;
            for (const NetworkInterface& interface : nodes[i].interfaces)
                if (interface.up && !interface.loopback)
                    addresses.append(
                        QStringLiteral("%1/%2").arg(interface.address).arg(interface.prefixLength));
            seen.append(QStringLiteral("%1: %2").arg(
                hosts.value(i),
                addresses.isEmpty() ? QStringLiteral("no address") : addresses.join(QStringLiteral(", "))));
        }
        results.append({QStringLiteral("subnet"),
                        {},
                        needs.several ? Severity::Error : Severity::Warning,
                        seen.join(QStringLiteral("; ")),
                        expected,
                        QStringLiteral("Compare `ip -4 addr` on the nodes; connect them to one network, or "
                                       "leave out the one that differs")});
    }
    const QStringList duplicates = duplicateAddresses(nodes);
    results.append({QStringLiteral("duplicate_address"),
                    {},
                    duplicates.isEmpty() ? Severity::Ok : Severity::Warning,
                    duplicates.isEmpty() ? QStringLiteral("none") : duplicates.join(QStringLiteral(", ")),
                    QStringLiteral("no address on two nodes"),
                    duplicates.isEmpty() ? QString()
                                         : QStringLiteral("Such networks (docker0, virbr0, or one machine "
                                                          "named twice) are not used; see `ip -4 addr`")});
    if (needs.several) {
        const bool there = !nodes[0].sshClient.isEmpty();
        results.append(
            {QStringLiteral("head_ssh"), hosts.value(0), there ? Severity::Ok : Severity::Error,
             there ? nodes[0].sshClient : QStringLiteral("no ssh program"),
             QStringLiteral("an OpenSSH client on the first node, which starts the others"),
             there ? QString()
                   : QStringLiteral("sudo apt-get install openssh-client, or name another node first")});
    }
    compareAll(hosts, nodes, results);
    return results;
}

QList<CheckResult> judgeNode(const QString& host, const Expected<Inventory>& inventory,
                             const Requirements& needs) {
    return inventory ? checkNode(host, *inventory, needs)
                     : QList<CheckResult>{unreachable(host, inventory.error())};
}

bool isReady(const QList<CheckResult>& results) {
    return std::none_of(results.begin(), results.end(),
                        [](const CheckResult& result) { return result.severity == Severity::Error; });
}

RuntimeChoice chooseRuntime(const QString& asked, const QStringList& hosts, const QList<Inventory>& nodes) {
    if (asked != QStringLiteral("auto"))
        return {asked, QStringLiteral("the job asks for it")};
    QString oldest;
    for (qsizetype i = 0; i < nodes.size(); ++i) {
        const NvidiaState& nvidia = nodes[i].nvidia;
        if (nvidia.kind != NvidiaState::Kind::Working)
            return {QStringLiteral("cpu"), QStringLiteral("%1 has no usable GPU").arg(hosts.value(i))};
        if (!isDriverAtLeast(nvidia.driverVersion, cu13Driver))
            return {
                QStringLiteral("cpu"),
                QStringLiteral("driver %1 of %2 is older than %3")
                    .arg(nvidia.driverVersion.isEmpty() ? QStringLiteral("(unknown)") : nvidia.driverVersion,
                         hosts.value(i))
                    .arg(cu13Driver)};
        if (oldest.isEmpty() ||
            QVersionNumber::fromString(nvidia.driverVersion) < QVersionNumber::fromString(oldest))
            oldest = nvidia.driverVersion;
    }
    if (nodes.isEmpty())
        return {QStringLiteral("cpu"), QStringLiteral("no node is chosen")};
    return {QStringLiteral("cu13"),
            QStringLiteral("every node has a usable GPU, and the lowest driver is %1").arg(oldest)};
}

} // namespace coxswain::core
