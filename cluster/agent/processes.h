// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include <sys/types.h>

namespace coxswain::agent {

/// A process that carries COXSWAIN_JOB=<job> in its environment.
struct JobProcess {
    pid_t pid = 0;
    std::string command; ///< its arguments, separated by spaces
    /// The agent's own part in a job: it writes samples or waits for mpirun, and ends by itself.
    bool isKeeper = false;
    bool isSampler = false; ///< the keeper that writes samples
};

/// Every one that this user may look at.
std::vector<JobProcess> processesOf(const std::string& job);

/// SIGTERM, then SIGKILL, until none is left or `limit` has passed; keepers get time to end by themselves.
/// Answers with what is left.
std::vector<JobProcess> endProcessesOf(const std::string& job, std::chrono::milliseconds limit);

/// Letters, digits, '-', '_' and '.', not starting with a dot: safe as a file name. Throws Failure.
void requireJobName(const std::string& job);

} // namespace coxswain::agent
