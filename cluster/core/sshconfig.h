// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/launchplan.h"

/// How mpirun's ssh on the head reaches the other nodes. Private to cluster/core.
namespace coxswain::core {

inline constexpr const char* sshConfigFile = "ssh_config";

/// job_key, known_hosts and ssh_config, for the head's job folder. The configuration is complete: nothing of
/// the user's or the system's is read, only the job's key is offered, only the pinned host keys are accepted.
QList<JobFile> sshFiles(const Plan& plan, const LaunchInput& input);

} // namespace coxswain::core
