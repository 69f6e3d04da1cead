// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <tl/expected.hpp>

#include <QMetaType>
#include <QString>

namespace coxswain::core {

enum class ErrorCode {
    Internal,       ///< a fault of ours
    BadInput,       ///< a person's text or file is wrong
    Cancelled,      ///< somebody asked for it
    Timeout,        ///< no answer within the deadline
    Resolve,        ///< the name is not known
    Connect,        ///< no TCP connection: refused, unreachable
    Lost,           ///< the connection broke
    HostKeyUnknown, ///< not in known_hosts, and nobody accepted it
    HostKeyChanged, ///< known_hosts has another key for that host
    HostKeyRevoked, ///< known_hosts marks the key @revoked
    AuthRefused,    ///< the server took none of the keys
    NoShell,        ///< first contact did not answer: no usable login shell
    NoPlace,        ///< nowhere to write and execute on the node
    NoSpace,        ///< the disk is full or too small
    Permission,     ///< the node's system refused
    Missing,        ///< a file, a program or a device is not there
    Damaged,        ///< content does not match its checksum, or a format is broken
    Protocol,       ///< the far end does not speak our protocol
    Conflict,       ///< somebody else uses it, or the state does not allow it
    Failed,         ///< a program ended badly
};

/// What went wrong, as data: the window makes the words around it, the command line prints text().
struct Error {
    ErrorCode code = ErrorCode::Internal;
    QString host;  ///< as the person named it; empty when it concerns no host
    QString tried; ///< what was attempted, such as "connect to 10.0.0.1 port 22"
    QString seen;  ///< what was observed
    QString fix;   ///< what to do, a command where there is one; may be empty

    /// "HOST: cannot TRIED: SEEN. FIX"
    QString text() const;
    bool operator==(const Error&) const = default;
};

/// A stable identifier such as "host_key_changed", for --json and for tests.
QString errorCodeName(ErrorCode code);
/// Internal for a text that is none of them.
ErrorCode errorCodeFromName(const QString& name);

template <class T>
using Expected = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(Error error) {
    return tl::unexpected<Error>(std::move(error));
}

} // namespace coxswain::core

Q_DECLARE_METATYPE(coxswain::core::Error)
