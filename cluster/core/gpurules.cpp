// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/core/fixes.h"
#include "cluster/core/healthrules.h"

#include <QVersionNumber>

#include <algorithm>

namespace coxswain::core {
namespace {

using Kind = NvidiaState::Kind;

/// A CPU job needs no GPU; before the runtime is chosen, a driver that is there and fails is an error: a node
/// that looks idle and ready must not be one without a working GPU.
Severity whenBroken(const Requirements& needs) {
    return needs.runtime == QStringLiteral("cpu") ? Severity::Info : Severity::Error;
}

Severity whenAbsent(const Requirements& needs) {
    const bool fixed = needs.runtime != QStringLiteral("cpu") && needs.runtime != QStringLiteral("auto");
    return fixed ? Severity::Error : Severity::Info;
}

QString fixFor(const QString& observed) {
    const QString known = knownFix(observed);
    return known.isEmpty()
               ? QStringLiteral(
                     "See the kernel's log: sudo dmesg | grep -iE 'nvrm|xid'; sudo reboot often helps")
               : known;
}

const char* const installDriver =
    "Install NVIDIA's driver, version 580 or newer: sudo apt-get install nvidia-driver, or from nvidia.com";

CheckResult driver(const Inventory& inventory, const Requirements& needs) {
    const NvidiaState& nvidia = inventory.nvidia;
    CheckResult result{QStringLiteral("driver"),
                       {},
                       Severity::Ok,
                       nvidia.driverVersion,
                       QStringLiteral("%1 or newer, for a GPU runtime").arg(cu13Driver),
                       {}};
    if (needs.runtime == QStringLiteral("cpu"))
        result.expected = QStringLiteral("not needed by the cpu runtime");
    if (nvidia.kind == Kind::Absent) {
        result.severity = whenAbsent(needs);
        result.observed = QStringLiteral("no nvidia-smi");
        if (result.severity == Severity::Error)
            result.fix = QLatin1StringView(installDriver);
    } else if (nvidia.kind == Kind::Broken && nvidia.gpus.isEmpty()) {
        result.severity = whenBroken(needs);
        result.observed = nvidia.observed;
        result.fix = fixFor(nvidia.observed);
    } else if (nvidia.driverVersion.isEmpty()) {
        result.severity = Severity::Unknown;
        result.observed = QStringLiteral("unknown");
    } else if (needs.runtime == QStringLiteral("cpu")) {
        result.severity = Severity::Info;
    } else if (!isDriverAtLeast(nvidia.driverVersion, cu13Driver)) {
        result.severity = needs.runtime == QStringLiteral("auto") ? Severity::Warning : Severity::Error;
        result.fix = QLatin1StringView(installDriver);
    }
    if (!nvidia.cudaVersion.isEmpty())
        result.observed += QStringLiteral(" (CUDA up to %1)").arg(nvidia.cudaVersion);
    return result;
}

CheckResult gpu(const Inventory& inventory, const Requirements& needs) {
    const NvidiaState& nvidia = inventory.nvidia;
    CheckResult result{QStringLiteral("gpu"),
                       {},
                       Severity::Ok,
                       {},
                       QStringLiteral("at least 1 that works, for a GPU runtime"),
                       {}};
    if (needs.runtime == QStringLiteral("cpu"))
        result.expected = QStringLiteral("not needed by the cpu runtime");
    const auto usable =
        std::count_if(nvidia.gpus.begin(), nvidia.gpus.end(), [](const Gpu& g) { return g.usable; });
    QStringList dead;
    for (const Gpu& g : nvidia.gpus)
        if (!g.usable)
            dead.append(QStringLiteral("GPU %1: %2").arg(g.index).arg(g.why));
    result.observed = QStringLiteral("%1 of %2 usable").arg(usable).arg(nvidia.gpus.size());
    if (!dead.isEmpty())
        result.observed += QStringLiteral("; ") + dead.join(QStringLiteral("; "));
    if (nvidia.kind == Kind::Absent || nvidia.kind == Kind::NoGpus) {
        result.severity = whenAbsent(needs);
        result.observed =
            nvidia.kind == Kind::Absent ? QStringLiteral("none seen: no nvidia-smi") : nvidia.observed;
        if (result.severity == Severity::Error)
            result.fix = nvidia.kind == Kind::Absent
                             ? QString::fromLatin1(installDriver)
                             : QStringLiteral("See whether the system sees one: lspci | grep -i nvidia; "
                                              "leave the node out, or set runtime to \"cpu\"");
    } else if (nvidia.kind == Kind::Broken) {
        result.severity = whenBroken(needs);
        if (nvidia.gpus.isEmpty())
            result.observed = nvidia.observed;
        result.fix = fixFor(nvidia.observed);
    } else if (!dead.isEmpty()) {
        result.severity = needs.runtime == QStringLiteral("cpu") ? Severity::Info : Severity::Warning;
        result.fix = fixFor(dead.first());
    } else if (needs.runtime == QStringLiteral("cpu")) {
        result.severity = Severity::Info;
    }
    return result;
}

CheckResult installed(const char* id, const QString& version) {
    return {QLatin1StringView(id),
            {},
            Severity::Info,
            version.isEmpty() ? QStringLiteral("not installed") : version,
            QStringLiteral("any, or none: the runtime brings its own"),
            {}};
}

} // namespace

bool isDriverAtLeast(const QString& version, int major) {
    const auto parsed = QVersionNumber::fromString(version);
    return !parsed.isNull() && parsed.majorVersion() >= major;
}

QList<CheckResult> gpuRules(const Inventory& inventory, const Requirements& needs) {
    return {driver(inventory, needs), gpu(inventory, needs), installed("cuda_toolkit", inventory.cudaToolkit),
            installed("nccl", inventory.nccl)};
}

} // namespace coxswain::core
