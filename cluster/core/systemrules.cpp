// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/core/healthrules.h"

#include <QVersionNumber>

namespace coxswain::core {
namespace {

constexpr qint64 mebibyte = 1 << 20;
// Open MPI's vader puts one segment a rank there.
constexpr qint64 sharedMemoryNeed = 64 * mebibyte;
// What the agent, logs and metrics of a job take when nothing else is to be written.
constexpr qint64 diskFloor = 64 * mebibyte;
// The bundle's glibc 2.36 refuses older kernels ("FATAL: kernel too old").
const QVersionNumber oldestKernel(3, 2, 0);

QString orUnknown(const QString& text) {
    return text.isEmpty() ? QStringLiteral("unknown") : text;
}

CheckResult architecture(const Inventory& inventory) {
    CheckResult result{QStringLiteral("architecture"), {}, Severity::Ok, orUnknown(inventory.architecture),
                       QStringLiteral("x86_64"),       {}};
    if (inventory.architecture.isEmpty()) {
        result.severity = Severity::Unknown;
    } else if (inventory.architecture != QStringLiteral("x86_64")) {
        result.severity = Severity::Error;
        result.fix = QStringLiteral("Leave the node out: the runtimes are built for x86_64");
    }
    return result;
}

CheckResult kernel(const Inventory& inventory) {
    CheckResult result{QStringLiteral("kernel"),
                       {},
                       Severity::Ok,
                       orUnknown(inventory.kernel),
                       QStringLiteral("Linux 3.2 or newer"),
                       {}};
    const auto version = QVersionNumber::fromString(inventory.kernel);
    if (version.isNull()) {
        result.severity = Severity::Unknown;
    } else if (version < oldestKernel) {
        result.severity = Severity::Error;
        result.fix = QStringLiteral("Upgrade the node's system, or leave the node out");
    }
    return result;
}

CheckResult cores(const Inventory& inventory) {
    return {QStringLiteral("cores"),
            {},
            inventory.cores > 0 ? Severity::Ok : Severity::Unknown,
            inventory.cores > 0 ? QString::number(inventory.cores) : QStringLiteral("unknown"),
            QStringLiteral("at least 1 that this user may run on"),
            {}};
}

CheckResult memory(const Inventory& inventory, const Requirements& needs) {
    CheckResult result{QStringLiteral("memory"),
                       {},
                       Severity::Unknown,
                       QStringLiteral("unknown"),
                       needs.memoryBytes > 0
                           ? QStringLiteral("%1 for the node's ranks").arg(bytesText(needs.memoryBytes))
                           : QStringLiteral("known"),
                       {}};
    if (!inventory.memoryTotal)
        return result;
    const qint64 total = *inventory.memoryTotal;
    const qint64 available = inventory.memoryAvailable.value_or(total);
    result.severity = Severity::Ok;
    result.observed = QStringLiteral("%1 available of %2").arg(bytesText(available), bytesText(total));
    if (needs.memoryBytes > total) {
        result.severity = Severity::Error;
        result.fix = QStringLiteral(
            "Use more nodes, a smaller train.global_batch or train.sequence_length, or a smaller model");
    } else if (needs.memoryBytes > available) {
        result.severity = Severity::Warning;
        result.fix = QStringLiteral("See what uses it: ps aux --sort=-rss | head");
    }
    return result;
}

CheckResult disk(const Inventory& inventory, const Requirements& needs) {
    const qint64 needed = std::max(needs.diskBytes, diskFloor);
    CheckResult result{QStringLiteral("disk"),
                       {},
                       Severity::Unknown,
                       QStringLiteral("unknown"),
                       QStringLiteral("%1 free in %2").arg(bytesText(needed), orUnknown(inventory.base)),
                       {}};
    if (!inventory.diskFree)
        return result;
    result.severity = *inventory.diskFree < needed ? Severity::Error : Severity::Ok;
    result.observed = QStringLiteral("%1 free").arg(bytesText(*inventory.diskFree));
    if (inventory.diskTotal)
        result.observed += QStringLiteral(" of %1").arg(bytesText(*inventory.diskTotal));
    if (result.severity == Severity::Error)
        result.fix = QStringLiteral("Free some space; see what takes it: du -xsh %1 ~/* | sort -h")
                         .arg(inventory.base);
    return result;
}

CheckResult sharedMemory(const Inventory& inventory) {
    CheckResult result{QStringLiteral("shared_memory"),
                       {},
                       Severity::Unknown,
                       QStringLiteral("unknown"),
                       QStringLiteral("%1 in /dev/shm").arg(bytesText(sharedMemoryNeed)),
                       {}};
    if (!inventory.sharedMemoryTotal)
        return result;
    result.severity = Severity::Ok;
    result.observed = bytesText(*inventory.sharedMemoryTotal);
    if (*inventory.sharedMemoryTotal < sharedMemoryNeed) {
        result.severity = Severity::Warning;
        result.fix = QStringLiteral("sudo mount -o remount,size=1G /dev/shm (in Docker: --shm-size=1g)");
    }
    return result;
}

CheckResult information(const char* id, const QString& observed, const QString& expected) {
    return {QLatin1StringView(id), {},       observed.isEmpty() ? Severity::Unknown : Severity::Info,
            orUnknown(observed),   expected, {}};
}

CheckResult sshClient(const Inventory& inventory) {
    const bool there = !inventory.sshClient.isEmpty();
    return {QStringLiteral("ssh_client"),
            {},
            there ? Severity::Ok : Severity::Info,
            there ? inventory.sshClient : QStringLiteral("no ssh program"),
            QStringLiteral("needed only on the first of several nodes"),
            {}};
}

} // namespace

QString bytesText(qint64 bytes) {
    constexpr double step = 1024;
    double value = double(bytes);
    const char* unit = "B";
    for (const char* larger : {"KiB", "MiB", "GiB", "TiB"}) {
        if (value < step)
            break;
        value /= step;
        unit = larger;
    }
    return QStringLiteral("%1 %2")
        .arg(value, 0, 'f', value < 10 && *unit != 'B' ? 1 : 0)
        .arg(QLatin1StringView(unit));
}

QList<CheckResult> systemRules(const Inventory& inventory, const Requirements& needs) {
    QList<CheckResult> results{architecture(inventory),  kernel(inventory),      cores(inventory),
                               memory(inventory, needs), disk(inventory, needs), sharedMemory(inventory),
                               sshClient(inventory)};
    results.append(information("os", inventory.os, QStringLiteral("any Linux")));
    results.append(information("glibc", inventory.glibc, QStringLiteral("any: the runtime brings its own")));
    return results;
}

} // namespace coxswain::core
