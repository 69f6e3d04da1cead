// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/hostlist.h"
#include "cluster/remote/limits.h"

namespace coxswain::remote {

/// Resolves the name and opens a TCP connection to the first address that answers. Both can be cancelled. The
/// socket notices a dead peer within about 15 s (keepalive, TCP_USER_TIMEOUT). The caller closes it.
core::Expected<int> connectTo(const core::HostName& host, const Limits& limits);

} // namespace coxswain::remote
