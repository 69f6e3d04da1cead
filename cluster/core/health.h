// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/inventory.h"
#include "cluster/core/network.h"

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

/// All about one node: "reachability" first, then the rules where it answered.
QList<CheckResult> judgeNode(const QString& host, const Expected<Inventory>& inventory,
                             const Requirements& needs);

/// Rules over nodes together: "subnet", "duplicate_address", "head_ssh" (the first node starts the others by
/// ssh), and "differs_kernel", "differs_os", "differs_driver", "differs_gpu", "differs_cores", given only
/// where they differ.
QList<CheckResult> checkTogether(const QStringList& hosts, const QList<Inventory>& nodes,
                                 const Requirements& needs);

/// True when no result is an Error: a job may start.
bool isReady(const QList<CheckResult>& results);

/// "cu13" when every node has a usable GPU and a driver of at least 580, else "cpu"; the reason in words.
struct RuntimeChoice {
    QString runtime;
    QString reason;
};
RuntimeChoice chooseRuntime(const QString& asked, const QStringList& hosts, const QList<Inventory>& nodes);

} // namespace coxswain::core
