// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/wire/result.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

/// How programs of a runtime bundle are started, wherever it lies: see resources/cmake/Bundle.cmake for its
/// tree.
namespace coxswain::wire {

/// argv for `program` of the bundle ("bin/mpirun"), through the bundle's own loader, so that neither
/// LD_LIBRARY_PATH nor anything of the node's libraries plays a part.
std::vector<std::string> bundleCommand(const std::string& bundle, const std::string& program);

/// What Open MPI and PMIx need to know when they run from another place than where they were built for.
std::map<std::string, std::string> bundleEnvironment(const std::string& bundle);

/// node.json in a job's folder: what the agent must know on this node to start orted and ranks.
struct NodeFile {
    std::string runtime;                            ///< hash: runtime/<hash> below the agent's base folder
    int node = 0;                                   ///< index in the plan
    std::map<std::string, std::string> environment; ///< for ranks on this node, such as NCCL_SOCKET_IFNAME
    bool operator==(const NodeFile&) const = default;
};

std::string toJsonText(const NodeFile& file);
Result<NodeFile> parseNodeFile(std::string_view text);

/// launch.json in the head's job folder: what the supervisor starts.
struct LaunchFile {
    std::vector<std::string> argv;
    std::map<std::string, std::string> environment;
    std::string folder; ///< working directory
    bool operator==(const LaunchFile&) const = default;
};

std::string toJsonText(const LaunchFile& file);
Result<LaunchFile> parseLaunchFile(std::string_view text);

} // namespace coxswain::wire
