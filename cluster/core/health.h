// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/inventory.h"

#include <QList>
#include <QString>

namespace coxswain::core {

enum class Severity { Ok, Info, Warning, Error, Unknown };

/// "ok", "info", "warning", "error", "unknown"
QString severityName(Severity severity);

/// One check's outcome on one node, as data; `id` is stable ("driver", "disk", "subnet" …).
struct CheckResult {
    QString id;
    QString host; ///< the node's name; empty for what concerns all of them
    Severity severity = Severity::Unknown;
    QString observed;
    QString expected;
    QString fix; ///< a command or a sentence; empty when there is nothing to fix

    bool operator==(const CheckResult&) const = default;
};

/// What the chosen job needs from a node.
struct Requirements {
    QString runtime = QStringLiteral("cpu"); ///< "cpu", "cu13", or "auto" before it is chosen
    qint64 diskBytes = 0;                    ///< that sync will write at most
    qint64 memoryBytes = 0;                  ///< that all ranks of a node need; 0: not known
    bool several = false;                    ///< more than one node takes part: needs ssh and a network
};

/// Rules over one node that was reached.
QList<CheckResult> checkNode(const QString& host, const Inventory& inventory, const Requirements& needs);

/// The "reachability" result of a node that was not reached.
CheckResult unreachable(const QString& host, const Error& error);

/// An IPv4 or IPv6 network in CIDR notation, "10.77.0.0/24"; empty when there is none.
struct Subnet {
    QString cidr;
    bool operator==(const Subnet&) const = default;
};

/// A subnet in which every node has an address that is up and not loopback; private container bridges
/// (the same address on two nodes) are no candidates. Prefers the largest MTU, then the order of the first node.
std::optional<Subnet> commonSubnet(const QList<Inventory>& nodes);

/// A node's address inside `subnet`; empty when it has none.
QString addressIn(const Inventory& node, const Subnet& subnet);

/// Rules over nodes together: common subnet, same address twice, what must agree.
QList<CheckResult> checkTogether(const QStringList& hosts, const QList<Inventory>& nodes, const Requirements& needs);

/// True when no result is an Error: a job may start.
bool isReady(const QList<CheckResult>& results);

/// "cu13" when every node has a usable GPU and a driver of at least 580, else "cpu"; the reason in words.
struct RuntimeChoice {
    QString runtime;
    QString reason;
};
RuntimeChoice chooseRuntime(const QString& asked, const QList<Inventory>& nodes);

} // namespace coxswain::core
