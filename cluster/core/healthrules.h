// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/health.h"

/// The rules behind checkNode(), in two groups; `host` is filled in by it. Private to cluster/core.
namespace coxswain::core {

/// The first driver that runs CUDA 13.
inline constexpr int cu13Driver = 580;

/// False for an unknown version.
bool isDriverAtLeast(const QString& version, int major);

QList<CheckResult> systemRules(const Inventory& inventory, const Requirements& needs);
QList<CheckResult> gpuRules(const Inventory& inventory, const Requirements& needs);

/// "13.4 GiB"
QString bytesText(qint64 bytes);

} // namespace coxswain::core
