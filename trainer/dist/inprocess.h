// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/dist/communicator.h"

#include <chrono>
#include <vector>

namespace coxswain::trainer {

/// Ranks as threads of this process, for tests. A rank that does not come within `deadline` makes the call of
/// every other rank throw DeadlineError; abort() and destruction of a rank make them throw
/// CommunicationError.
std::vector<std::unique_ptr<Communicator>> makeInProcessWorld(int worldSize,
                                                              std::chrono::milliseconds deadline);

} // namespace coxswain::trainer
