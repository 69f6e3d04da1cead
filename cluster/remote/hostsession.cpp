// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/remote/hostsession.h"

#include "cluster/remote/localtransport.h"
#include "cluster/remote/sshtransport.h"

namespace coxswain::remote {

HostSession::HostSession(core::HostName host, const RemoteOptions& options)
    : m_host(std::move(host)), m_options(options) {
    if (m_host.isLocal())
        m_transport = std::make_unique<LocalTransport>();
    else
        m_transport = std::make_unique<SshTransport>(m_host, options);
}

core::Expected<AgentClient*> HostSession::agent(const CancelToken& cancel) {
    if (!m_agent) {
        auto started = AgentClient::start(*m_transport, m_host.toString(), m_options.agentProgram,
                                          m_options.connectTimeout, cancel);
        if (!started) {
            m_transport->disconnect();
            return core::fail(started.error());
        }
        m_agent = std::move(*started);
    }
    return m_agent.get();
}

void HostSession::dropIfBroken(const core::Error& error) {
    using core::ErrorCode;
    if (error.code != ErrorCode::Lost && error.code != ErrorCode::Timeout &&
        error.code != ErrorCode::Cancelled && error.code != ErrorCode::Protocol)
        return;
    m_agent.reset();
    m_transport->disconnect();
}

} // namespace coxswain::remote
