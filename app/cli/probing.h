// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/context.h"

namespace coxswain::cli {

struct Probed {
    core::HostName host;
    core::Expected<core::Inventory> inventory;
};

/// Connects to all hosts at once and waits for the last.
QList<Probed> probeAll(app::Context& context, const QList<core::HostName>& hosts);

} // namespace coxswain::cli
