// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/agent/folder.h"

#include <nlohmann/json.hpp>

namespace coxswain::agent {

/// The raw facts of this node, for core::parseInventory:
///   facts     name → value: hostname, user, home, base, architecture, kernel, cores, disk_free, disk_total,
///             shared_memory_total (bytes), interfaces [{name, address, prefix_length, mac, mtu, up,
///             loopback}]
///   files     path → its text, or {"error"}
///   commands  name → what runCommand() answers
/// Judges nothing. Takes as long as the slowest program, at most 10 s.
nlohmann::json probe(const Folder& base);

/// The name of this user: USER or LOGNAME, else the number.
std::string userName();

} // namespace coxswain::agent
