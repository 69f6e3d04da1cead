// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/error.h"
#include "cluster/core/knownhosts.h"
#include "cluster/remote/limits.h"

#include <QByteArray>
#include <QString>

#include <memory>
#include <optional>

namespace coxswain::remote {

/// A program's standard input and output at the far end. One thread uses it; closed by its destructor.
class ByteStream {
public:
    virtual ~ByteStream() = default;
    /// Waits for at least one byte; an empty answer is the end of the program's output.
    virtual core::Expected<QByteArray> read(qsizetype most, const Limits& limits) = 0;
    virtual core::Expected<void> write(const char* data, qsizetype bytes, const Limits& limits) = 0;
    /// What came on standard error so far, at most 64 KiB.
    virtual QByteArray errorOutput() = 0;
};

/// Starts programs on one host: this machine, or one over SSH. One thread uses it.
class HostTransport {
public:
    virtual ~HostTransport() = default;
    /// Connects when it is not connected, and gives `commandLine` to the login shell there.
    virtual core::Expected<std::unique_ptr<ByteStream>> start(const QByteArray& commandLine,
                                                              const Limits& limits) = 0;
    /// Ends the connection; the next start() makes a new one.
    virtual void disconnect() = 0;
    /// The key that the host proved to have, verified by known_hosts; nothing for this machine.
    virtual std::optional<core::HostKey> hostKey() const = 0;
    /// The files of the desktop are the files of this host.
    virtual bool isLocal() const = 0;
};

} // namespace coxswain::remote
