// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/wire/exitcode.h"

#include <exception>

namespace coxswain::trainer {

/// Threads of torch's operators in this process; 0: the cores that it may use, divided by the ranks on the host.
void useThreads(int threads, int ranksOnHost);

/// OutOfMemory for what torch throws when a device or the host has no memory left, else Internal.
wire::ExitCode exitCodeOf(const std::exception& error);

} // namespace coxswain::trainer
