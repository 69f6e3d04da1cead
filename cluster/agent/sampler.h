// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/agent/folder.h"

#include <chrono>
#include <string>

namespace coxswain::agent {

inline constexpr int minSampleInterval = 10; ///< milliseconds

/// The detached process that appends wire::NodeLine to the job's node-<n>.jsonl. Ends by itself a few seconds
/// after the last process of the job on this node has ended, or after five minutes without one.
int runSampler(const Folder& base, const std::string& job, int attempt, int node,
               std::chrono::milliseconds interval);

} // namespace coxswain::agent
