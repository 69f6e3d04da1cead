// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/remote/bytestream.h"
#include "cluster/remote/options.h"

#include <libssh/libssh.h>

namespace coxswain::remote {

/// One libssh session: connected, verified and logged in by open(). Belongs to one thread. Every call waits
/// in run(), which a cancel token or a deadline ends.
class SshSession {
public:
    SshSession(core::HostName host, const RemoteOptions& options);
    ~SshSession();
    SshSession(const SshSession&) = delete;
    SshSession& operator=(const SshSession&) = delete;

    core::Expected<core::HostKey> open(const Limits& limits);
    /// After open() has failed: the server closed the connection before it showed its key, as sshd does with
    /// some of many that begin at once (MaxStartups). Another try may succeed.
    bool wasTurnedAway() const { return m_wasTurnedAway; }

    /// Repeats call() while it answers SSH_AGAIN (or SSH_AUTH_AGAIN), waiting for the network in between.
    /// `tried` is for the errors.
    template <class Call>
    core::Expected<int> run(const QString& tried, const Limits& limits, int again, Call&& call) {
        while (true) {
            const int status = call();
            if (status != again)
                return status;
            if (auto waited = wait(tried, limits); !waited)
                return core::fail(waited.error());
        }
    }
    /// Waits until something happens on the connection, and lets libssh take it in.
    core::Expected<void> wait(const QString& tried, const Limits& limits);
    core::Error error(core::ErrorCode code, const QString& tried, const QString& fix = {}) const;
    ssh_session handle() const { return m_session; }

private:
    core::Expected<core::HostKey> verifyHostKey(const Limits& limits);
    core::Expected<void> logIn(const Limits& limits);
    core::Expected<bool> tryKeyFile(const QString& file, const Limits& limits);

    core::HostName m_host;
    const RemoteOptions& m_options;
    ssh_session m_session;
    ssh_event m_event;
    QStringList m_keysTried;
    bool m_wasTurnedAway = false;
};

} // namespace coxswain::remote
