// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/agent/folder.h"

namespace coxswain::agent {

/// Speaks the protocol on `in` and `out` until the desktop closes the channel. Returns an exit status.
int serve(const Folder& base, int in, int out);

} // namespace coxswain::agent
