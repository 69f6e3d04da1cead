// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace coxswain::agent {

/// What a program of the node printed (standard output and error together, at most 1 MiB), as the probe
/// reports it: {"status", "out", "milliseconds"}, or {"error"} when it could not be started or did not end
/// within `limit` (then it was killed). A program that a signal ended has status 128 + signal.
nlohmann::json runCommand(const std::vector<std::string>& argv, std::chrono::milliseconds limit);

/// The program's path by PATH and the usual system folders; empty when there is none.
std::string findProgram(const std::string& name);

} // namespace coxswain::agent
