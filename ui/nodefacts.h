// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/hostlist.h"
#include "cluster/job/nodes.h"

#include <QString>

#include <optional>

/// What is told of a node, in words. Empty texts mean that it is not known.
namespace coxswain::ui::nodefacts {

/// "This machine" for the local node, else its canonical name.
QString displayName(const core::HostName& host);
QString displayName(const QString& host);

/// "Not checked", "Checking …", "Ready", "3 problems", "Unreachable"
QString stateText(const job::NodeStatus& node);
/// What the state is worth: Unknown until the node was checked, else the worst of its checks.
core::Severity stateSeverity(const job::NodeStatus& node);

/// Checks that are a Warning or an Error.
int problems(const job::NodeStatus& node);
/// The first problems' titles with what was observed, the errors first; one line each.
QStringList problemLines(const job::NodeStatus& node);

/// The first IPv4 address that is up and not loopback.
QString address(const core::Inventory& inventory);
/// "4 × RTX 4090 + 1 × RTX 3090"; "none" where nvidia-smi is absent or finds none; a broken driver says so.
QString gpus(const core::Inventory& inventory);

struct GpuMemory {
    qint64 freeMib = 0;
    qint64 totalMib = 0;
};
/// Over all usable GPUs; nothing when there is none, or one of them does not tell.
std::optional<GpuMemory> gpuMemory(const core::Inventory& inventory);

} // namespace coxswain::ui::nodefacts
