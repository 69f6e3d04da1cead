// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/dist/communicator.h"

#include <chrono>
#include <memory>

namespace coxswain::trainer {

/// NCCL over each rank's current CUDA device. `bootstrap` carries the unique id to all ranks. Every call
/// waits at most `limit`: then the communicator is aborted and DeadlineError thrown. Collective.
std::unique_ptr<Communicator> makeNcclCommunicator(Communicator& bootstrap, std::chrono::milliseconds limit);

} // namespace coxswain::trainer
