// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/agent/channel.h"
#include "cluster/agent/folder.h"

namespace coxswain::agent {

/// Files by content, and folders made of them. Each function carries out the request of its name; parameters
/// and answers are described there. All throw Failure.

/// {"digests": [sha256…]} → {"missing": [those that are not in the store]}
nlohmann::json missing(const Folder& base, const nlohmann::json& request);

/// {"digest", "size"} and data, or {"digest", "size", "file": an absolute path on this machine} → {}. The
/// content is verified while it is written; a store entry is complete or absent.
nlohmann::json put(const Folder& base, const nlohmann::json& request, Channel& channel);

/// {"root", "files": [{"path", "digest", "mode"}…]} → {"made": false when that very tree was there already}.
/// The tree appears whole or not at all, made of hard links into the store (copies where links are
/// impossible).
nlohmann::json install(const Folder& base, const nlohmann::json& request);

/// {"path", "mode"} and data → {}: a small file, put in place whole.
nlohmann::json write(const Folder& base, const nlohmann::json& request, Channel& channel);

/// Throws Failure("no_space") unless `bytes` fit, with a reserve.
void requireSpace(const Folder& base, std::uint64_t bytes);

} // namespace coxswain::agent
