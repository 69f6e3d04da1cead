// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/agent/folder.h"

#include <nlohmann/json.hpp>

#include <string>

namespace coxswain::agent {

/// Note [Job key]: mpirun on the head reaches this node with an ed25519 key that was made for one job. Its
/// line in authorized_keys allows no terminal and no forwarding, only connections from the head's addresses,
/// expires, and runs nothing but `coxswain-agent launch`, which starts nothing but the bundle's orted. It is
/// removed when orted ends, and again when the desktop cleans the job.

/// {"job", "public_key": "ssh-ed25519 AAAA…", "from": [addresses], "expires": "YYYYMMDDHHMMSSZ"} → {}
nlohmann::json authorize(const Folder& base, const nlohmann::json& request);

/// {"job"} → {"removed": number of lines}. Removes the private key and temporary files of the job as well.
nlohmann::json revoke(const Folder& base, const nlohmann::json& request);

/// Removes the job's lines from authorized_keys; answers with their number.
int revokeKeysOf(const std::string& job);

/// Removes what a job must not leave behind in its folder: the private key and temporary files.
void forgetJob(const Folder& base, const std::string& job);

} // namespace coxswain::agent
