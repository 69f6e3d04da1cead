// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cluster/agent/channel.h"
#include "cluster/agent/folder.h"

namespace coxswain::agent {

/// Each function carries out the request of its name. All throw Failure.

/// {"job", "attempt"} → the SupervisorState once mpirun runs or could not be started. The supervisor is a
/// process in a session of its own that outlives this agent.
nlohmann::json supervise(const Folder& base, const nlohmann::json& request);

/// {"job", "attempt", "node", "interval_ms"} → {"started"}. Starts a sampler that outlives this agent, unless
/// this attempt has one on this node; it takes the place of an earlier attempt's.
nlohmann::json sample(const Folder& base, const nlohmann::json& request);

/// {"files": [{"path", "offset", "max"}…], "wait_ms"}: waits until some file has more than its offset, then
/// sends the new bytes of each in turn as data. → {"files": [{"bytes", "size", "absent"}…]}. Of *.jsonl and
/// *.log only whole lines are given, unless a line is longer than "max".
nlohmann::json read(const Folder& base, const nlohmann::json& request, Channel& channel);

/// {"job", "signal"} → {}: to the job's mpirun.
nlohmann::json signalJob(const Folder& base, const nlohmann::json& request);

/// {"job"} → {"processes": [{"pid", "command", "keeper"}…]}
nlohmann::json processes(const nlohmann::json& request);

/// {"job"} → {"left": [as above]}
nlohmann::json kill(const nlohmann::json& request);

/// {} → {"jobs": [{"job", "state": text of state.json or null, "processes": n}…]}
nlohmann::json listJobs(const Folder& base);

/// {"job"} removes that job's folder; {} removes all that was ever put on this node. → {"removed": bytes}.
/// Throws Failure("conflict") while processes of a job live.
nlohmann::json clean(const Folder& base, const nlohmann::json& request);

} // namespace coxswain::agent
