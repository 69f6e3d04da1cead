// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/core/sshconfig.h"

#include "trainer/wire/layout.h"

namespace coxswain::core {
namespace {

// File names are relative to the job's folder, where mpirun and its ssh run. No ServerAliveInterval: mpirun
// takes a broken ssh for a dead node, and its own keepalive is the judge of that. curve25519 first: its
// exchange takes half the time of OpenSSH's default.
constexpr const char* commonOptions = R"(Host *
    IdentityFile job_key
    IdentitiesOnly yes
    IdentityAgent none
    UserKnownHostsFile known_hosts
    GlobalKnownHostsFile /dev/null
    StrictHostKeyChecking yes
    UpdateHostKeys no
    CheckHostIP no
    BatchMode yes
    PreferredAuthentications publickey
    PasswordAuthentication no
    KbdInteractiveAuthentication no
    ConnectTimeout 20
    ControlMaster no
    ControlPath none
    ClearAllForwardings yes
    ForwardAgent no
    ForwardX11 no
    PermitLocalCommand no
    RequestTTY no
    LogLevel ERROR
    KexAlgorithms curve25519-sha256,curve25519-sha256@libssh.org,ecdh-sha2-nistp256,diffie-hellman-group14-sha256
)";

QString alias(const PlannedNode& node) {
    return QStringLiteral("coxswain-node-%1").arg(node.index);
}

} // namespace

QList<JobFile> sshFiles(const Plan& plan, const LaunchInput& input) {
    QByteArray config;
    QByteArray knownHosts;
    for (const PlannedNode& node : plan.nodes) {
        if (node.index == 0)
            continue;
        const quint16 port = input.sshPort.value(node.index, 0);
        // Quoted: a user name may hold spaces (of a directory service), never a quote or a line's end.
        const QString user = input.user.value(node.index).remove(u'"').remove(u'\n').remove(u'\r');
        config += QStringLiteral("Host %1\n    User \"%2\"\n    Port %3\n    HostKeyAlias %4\n")
                      .arg(node.address, user, QString::number(port > 0 ? port : 22), alias(node))
                      .toUtf8();
        knownHosts += alias(node).toUtf8() + ' ' + input.hostKey.value(node.index).simplified() + '\n';
    }
    config += commonOptions;
    return {{QLatin1StringView(wire::layout::jobKeyFile), input.jobPrivateKey, 0600},
            {QStringLiteral("known_hosts"), knownHosts, 0600},
            {QLatin1StringView(sshConfigFile), config, 0600}};
}

} // namespace coxswain::core
