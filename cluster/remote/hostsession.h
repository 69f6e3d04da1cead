// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/remote/agentclient.h"
#include "cluster/remote/options.h"

namespace coxswain::remote {

/// One host's connection, as the work in its worker thread sees it. Connects when first asked for the agent,
/// and again after it was lost.
class HostSession {
public:
    HostSession(core::HostName host, const RemoteOptions& options);

    const core::HostName& host() const { return m_host; }
    /// The running agent; connects and starts it where that is needed.
    core::Expected<AgentClient*> agent(const CancelToken& cancel);
    /// Limits for one request.
    static Limits within(std::chrono::milliseconds time, const CancelToken& cancel) {
        return {Deadline(time), cancel};
    }
    std::optional<core::HostKey> hostKey() const { return m_transport->hostKey(); }

    /// After a request failed so that the connection is of no use (Lost, Timeout, Cancelled, Protocol): drops
    /// it.
    void dropIfBroken(const core::Error& error);

private:
    core::HostName m_host;
    const RemoteOptions& m_options;
    std::unique_ptr<HostTransport> m_transport;
    std::unique_ptr<AgentClient> m_agent;
};

} // namespace coxswain::remote
