// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/error.h"
#include "trainer/wire/state.h"

#include <QList>
#include <QSet>

#include <variant>

namespace coxswain::core {

/// A job's way from click to clean. Connect to Launch wait for every node; FirstStep and Train follow.
enum class Phase { Idle, Connect, Check, Sync, Launch, FirstStep, Train, Stop, Clean, Ended };
enum class Outcome { None, Finished, Stopped, Failed };

/// "connect", … "ended"; "", "finished", "stopped", "failed"
QString phaseName(Phase phase);
QString outcomeName(Outcome outcome);

struct JobState {
    Phase phase = Phase::Idle;
    Outcome outcome = Outcome::None;
    int nodes = 0;
    QSet<int> waitingFor;       ///< nodes whose answer this phase still awaits
    bool touched = false;       ///< files or keys of the job may lie on the nodes: Clean comes before Ended
    bool launched = false;      ///< something may run on the nodes: they must be verified clean
    bool following = false;     ///< Follow was asked for
    bool stopRequested = false; ///< a person asked for the end
    bool endNow = false;        ///< … without a checkpoint
    QList<Error> errors;        ///< in the order in which they came; the first is the cause
};

namespace event {
struct Start {
    int nodes;
}; ///< a new run
struct Attach {
    int nodes;
    wire::SupervisorState state;
}; ///< a run that exists on its nodes
struct NodeDone {
    int node;
}; ///< answered what the phase asked
struct NodeFailed {
    int node;
    Error error;
}; ///< gave up on what the phase asked
struct ChecksDone {
    bool ready;
    Error error;
};                  ///< all inventories were judged and planned
struct Launched {}; ///< the supervisor has started mpirun
struct StepSeen {}; ///< some rank wrote a step line
struct SupervisorSeen {
    wire::SupervisorState state;
}; ///< from state.json on the head
struct StopRequested {
    bool now;
};                  ///< a person asks; Stop, then End now
struct StopSeen {}; ///< a rank says that it was asked to stop, by whomever
struct NodeClean {
    int node;
    QList<Error> left;
}; ///< processes and keys were looked for
} // namespace event

using Event = std::variant<event::Start, event::Attach, event::NodeDone, event::NodeFailed, event::ChecksDone,
                           event::Launched, event::StepSeen, event::SupervisorSeen, event::StopRequested,
                           event::StopSeen, event::NodeClean>;

/// What the carrier (cluster/job) has to do next.
enum class Effect {
    Connect,      ///< to every node
    Check,        ///< probe every node (NodeDone each), then judge and plan (ChecksDone)
    Sync,         ///< runtime, job files and shards to every node
    Launch,       ///< keys, samplers, supervisor (Launched)
    Follow,       ///< read all files of the job from where the run's folder ends, until Ended
    GracefulStop, ///< SIGUSR1 to mpirun
    Kill,         ///< end mpirun and all ranks now
    Cancel,       ///< what runs on the nodes' connections is of no use any more; answers to it are dropped
    Clean,  ///< on every node: kill what is left of the job, remove its keys, look again (NodeClean each)
    Report, ///< write the record; nothing comes after it
};
QString effectName(Effect effect);

struct Transition {
    JobState state;
    QList<Effect> effects;
};

/// Pure. An event that means nothing in the state changes nothing and has no effects. Rules:
/// - Before Sync nothing of the job is on a node: a failure or a stop ends the job at once. From Sync on,
/// Clean
///   comes first, on all nodes.
/// - A stop before FirstStep cancels. Later, a stop is graceful, and `now` ends the ranks.
/// - mpirun's exit 0 is Finished, or Stopped where a stop was asked for; any other exit is Failed, unless a
///   person wanted the end now.
/// - A node that is lost while the job trains does not fail it: the run is on the nodes, the carrier
/// reconnects. The carrier drops late answers to what an earlier phase asked.
Transition handle(const JobState& state, const Event& event);

/// What a person may do now.
bool canStop(const JobState& state);
bool canEndNow(const JobState& state);

} // namespace coxswain::core
