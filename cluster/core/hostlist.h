// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/error.h"

#include <QList>
#include <QString>
#include <QStringView>

namespace coxswain::core {

/// A node as a person names it: [user@]host[:port]. "local" is this machine, without SSH.
struct HostName {
    QString user;     ///< empty: the desktop's own user name
    QString host;     ///< a name, an IPv4 address, or an IPv6 address without brackets
    quint16 port = 0; ///< 0: 22

    bool isLocal() const { return host == QStringLiteral("local"); }
    /// Canonical text, also the id of the node everywhere: parts that are default are left out.
    QString toString() const;
    bool operator==(const HostName&) const = default;
};

/// Splits on commas and white space, expands ranges ("gpu[01-08,12]", "10.0.0.[1-4]", several in one name),
/// drops repetitions and keeps the order. At most 4096 hosts. Errors say which word and what was expected.
Expected<QList<HostName>> parseHostList(QStringView text);

} // namespace coxswain::core
