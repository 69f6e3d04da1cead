// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/remote/bytestream.h"
#include "cluster/remote/options.h"

namespace coxswain::remote {

class SshSession;

/// A host over SSH (libssh): one session, on which each start() opens a channel.
class SshTransport : public HostTransport {
public:
    SshTransport(core::HostName host, const RemoteOptions& options);
    ~SshTransport() override;

    core::Expected<std::unique_ptr<ByteStream>> start(const QByteArray& commandLine,
                                                      const Limits& limits) override;
    void disconnect() override;
    std::optional<core::HostKey> hostKey() const override { return m_hostKey; }
    bool isLocal() const override { return false; }

private:
    /// Several times where the server turns it away at once: sshd does so when many begin at once.
    core::Expected<void> connect(const Limits& limits);

    core::HostName m_host;
    const RemoteOptions& m_options;
    std::shared_ptr<SshSession> m_session;
    std::optional<core::HostKey> m_hostKey;
};

} // namespace coxswain::remote
