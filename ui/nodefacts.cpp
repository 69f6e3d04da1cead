// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/nodefacts.h"

#include "ui/checktexts.h"

#include <QCoreApplication>
#include <QMap>

namespace coxswain::ui::nodefacts {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("NodeFacts", text);
}

} // namespace

QString displayName(const core::HostName& host) {
    return host.isLocal() ? tr("This machine") : host.toString();
}

QString displayName(const QString& host) {
    return host == QStringLiteral("local") ? tr("This machine") : host;
}

int problems(const job::NodeStatus& node) {
    int count = 0;
    for (const auto& check : node.checks)
        count += check.severity == core::Severity::Error || check.severity == core::Severity::Warning;
    return count;
}

QStringList problemLines(const job::NodeStatus& node) {
    QStringList lines;
    for (const auto severity : {core::Severity::Error, core::Severity::Warning})
        for (const auto& check : node.checks)
            if (check.severity == severity)
                lines.append(tr("%1: %2").arg(checktexts::title(check.id), check.observed));
    return lines;
}

QString stateText(const job::NodeStatus& node) {
    using State = job::NodeStatus::State;
    switch (node.state) {
    case State::NotChecked:
        return tr("Not checked");
    case State::Checking:
        return tr("Checking …");
    case State::Failed:
        return tr("Not reached");
    case State::Reached:
        break;
    }
    const int count = problems(node);
    if (count == 0)
        return tr("Ready");
    return count == 1 ? tr("1 problem") : tr("%1 problems").arg(count);
}

core::Severity stateSeverity(const job::NodeStatus& node) {
    using State = job::NodeStatus::State;
    if (node.state == State::NotChecked || node.state == State::Checking)
        return core::Severity::Unknown;
    if (node.state == State::Failed)
        return core::Severity::Error;
    auto worst = core::Severity::Ok;
    for (const auto& check : node.checks) {
        if (check.severity == core::Severity::Error)
            return core::Severity::Error;
        if (check.severity == core::Severity::Warning)
            worst = core::Severity::Warning;
    }
    return worst;
}

QString address(const core::Inventory& inventory) {
    for (const auto& interface : inventory.interfaces)
        if (interface.up && !interface.loopback && !interface.address.contains(QLatin1Char(':')))
            return interface.address;
    return {};
}

QString gpus(const core::Inventory& inventory) {
    const auto& nvidia = inventory.nvidia;
    if (nvidia.gpus.isEmpty())
        return nvidia.kind == core::NvidiaState::Kind::Broken ? tr("driver fails") : tr("none");
    QStringList names;
    QMap<QString, int> counts;
    for (const auto& gpu : nvidia.gpus) {
        QString name = gpu.name.isEmpty() ? tr("GPU") : gpu.name;
        for (const char* maker : {"NVIDIA ", "GeForce "})
            if (name.startsWith(QLatin1String(maker)))
                name.remove(0, int(qstrlen(maker)));
        if (!gpu.usable)
            name = tr("%1 (unusable)").arg(name);
        if (!counts.contains(name))
            names.append(name);
        ++counts[name];
    }
    QStringList parts;
    for (const QString& name : names)
        parts.append(QStringLiteral("%1 × %2").arg(counts[name]).arg(name));
    return parts.join(QStringLiteral(" + "));
}

std::optional<GpuMemory> gpuMemory(const core::Inventory& inventory) {
    GpuMemory sum;
    bool any = false;
    for (const auto& gpu : inventory.nvidia.gpus) {
        if (!gpu.usable)
            continue;
        if (!gpu.memoryFreeMib || !gpu.memoryTotalMib)
            return std::nullopt;
        sum.freeMib += *gpu.memoryFreeMib;
        sum.totalMib += *gpu.memoryTotalMib;
        any = true;
    }
    return any ? std::optional(sum) : std::nullopt;
}

} // namespace coxswain::ui::nodefacts
