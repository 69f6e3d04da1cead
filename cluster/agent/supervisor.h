// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/agent/folder.h"

#include <string>

namespace coxswain::agent {

/// The detached process on the head node: starts mpirun as launch.json says, keeps state.json true, and ends
/// when mpirun has ended. Returns an exit status.
int runSupervisor(const Folder& base, const std::string& job, int attempt);

} // namespace coxswain::agent
