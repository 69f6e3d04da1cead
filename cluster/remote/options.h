// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/hostlist.h"
#include "cluster/core/knownhosts.h"
#include "cluster/remote/limits.h"

#include <QStringList>

#include <chrono>
#include <functional>

namespace coxswain::remote {

/// An unknown host shows its key: does the person know it?
struct HostKeyQuestion {
    core::HostName host;
    QString keyType;     ///< "ssh-ed25519"
    QString fingerprint; ///< "SHA256:…"
};

/// Asked in the host's own worker thread; may wait for a person, until the token is cancelled.
using HostKeyPrompt = std::function<bool(const HostKeyQuestion&, const CancelToken&)>;

/// How hosts are reached, the same for all of them.
struct RemoteOptions {
    QString agentProgram;       ///< file of coxswain-agent, sent to every host
    QStringList identityFiles;  ///< private keys to try first
    QString knownHostsFile;     ///< read and, for accepted keys, appended to
    QStringList moreKnownHosts; ///< only read: /etc/ssh/ssh_known_hosts
    HostKeyPrompt prompt;       ///< absent: unknown keys are refused
    std::chrono::milliseconds connectTimeout = std::chrono::seconds(15);
};

} // namespace coxswain::remote
