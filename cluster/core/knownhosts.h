// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/error.h"
#include "cluster/core/hostlist.h"

#include <QByteArray>
#include <QList>
#include <QString>
#include <QStringList>

namespace coxswain::core {

/// A public host key as a server shows it.
struct HostKey {
    QByteArray type; ///< "ssh-ed25519"
    QByteArray blob; ///< the key as it travels, not in base64

    /// "SHA256:…", as ssh and ssh-keygen print it.
    QString fingerprint() const;
    bool operator==(const HostKey&) const = default;
};

/// One line of a known_hosts file that could be understood.
struct KnownHostLine {
    bool isRevoked = false; ///< @revoked: this key must never be accepted for these hosts
    QByteArray patterns;    ///< the first field: "name,[other]:2222,*.lab,!bad.lab" or "|1|salt|hash"
    HostKey key;
    QString file;
    int line = 0; ///< 1 is the first
};

/// Lines that make no sense are skipped, as ssh does, and so are certificate authorities, which Coxswain does
/// not use. `file` is only noted, for messages.
QList<KnownHostLine> parseKnownHosts(const QByteArray& text, const QString& file);

struct HostKeyVerdict {
    enum Kind {
        Known,
        Unknown, ///< no line names this host
        Changed, ///< lines name this host, none with this key
        Revoked,
    };
    Kind kind = Unknown;
    QList<KnownHostLine> lines; ///< that decided it: none for Unknown, the other keys for Changed
};

/// By ssh's rules: names without regard to case, "[host]:port" unless the port is 22 (a line for the bare
/// name then still makes its own key known), hashed names, wildcards and "!". One difference, on purpose: a
/// key of another type than the known one counts as Changed, since whoever stands between could choose the
/// type.
HostKeyVerdict judgeHostKey(const QList<KnownHostLine>& lines, const HostName& host, const HostKey& key);

/// What to ask a server for, best first: the types that known_hosts has for this host, then the others.
/// Names of signature algorithms, as libssh's SSH_OPTIONS_HOSTKEYS wants them.
QStringList hostKeyAlgorithms(const QList<KnownHostLine>& lines, const HostName& host);

/// The name that known_hosts uses: "host" or "[host]:port", in lower case.
QByteArray knownHostsName(const HostName& host);

/// The line to append, '\n' included. Not hashed, so that a person can find it.
QByteArray knownHostsLine(const HostName& host, const HostKey& key);

/// Why a host with this verdict is refused; both fingerprints for Changed. Not for Known. `fileForKeys` is
/// where keys that a person accepts are kept.
Error hostKeyError(const HostKeyVerdict& verdict, const HostName& host, const HostKey& seen,
                   const QString& fileForKeys);

} // namespace coxswain::core
