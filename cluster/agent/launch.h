// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/agent/folder.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace coxswain::agent {

/// orted's arguments out of what mpirun sends as a remote command ("OPAL_PREFIX=… ; export …; DIR/orted
/// ARGS"), without --daemonize; nothing for any other command.
std::optional<std::vector<std::string>> ortedArguments(std::string_view command);

/// The forced command of a job's key on a worker (Note [Job key]): starts this node's own orted with what
/// SSH_ORIGINAL_COMMAND asks, waits for it, and removes the job's key. 126 when anything else was asked.
int runLaunch(const Folder& base, const std::string& job);

/// What mpirun and orted start as each rank: becomes the bundle's trainer. Returns only when it cannot.
int runRank(const Folder& base, const std::string& job, int attempt);

} // namespace coxswain::agent
