// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/agent/folder.h"

#include <map>
#include <string>
#include <vector>

namespace coxswain::agent {

/// Starts this very program with `arguments` in a session of its own, as a process of `job`, its outputs in
/// the job's out/agent.log. It outlives this process and the SSH session. Throws Failure.
void startDetached(const Folder& base, const std::string& job, const std::vector<std::string>& arguments);

/// Path of this program. /proc/self/exe, so that it holds after an upgrade replaced the file.
std::string ownProgram();

/// The job's own folder for temporary files (Open MPI's session), made when it is not there: what a killed
/// job leaves lies in the job's folder, not in /tmp.
std::string temporaryFolder(const Folder& base, const std::string& job);

/// Replaces this process. Only returns (errno set) when the program cannot be executed.
void execute(const std::vector<std::string>& argv, const std::map<std::string, std::string>& environment);

} // namespace coxswain::agent
