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
    QSet<int> waitingFor;        ///< nodes whose answer this phase still awaits
    bool launched = false;       ///< something may run on the nodes: they must be verified clean
    bool stopRequested = false;  ///< a person asked for the end
    bool endNow = false;         ///< … without a checkpoint
    QList<Error> errors;         ///< in the order in which they came; the first is the cause
};

namespace event {
struct Start { int nodes; };                              ///< a new run
struct Attach { int nodes; wire::SupervisorState state; };///< a run that exists on its nodes
struct NodeDone { int node; };                            ///< answered what the phase asked
struct NodeFailed { int node; Error error; };             ///< gave up on what the phase asked
struct ChecksDone { bool ready; Error error; };           ///< all inventories were judged and planned
struct Launched {};                                       ///< the supervisor has started mpirun
struct StepSeen {};                                       ///< some rank wrote a step line
struct SupervisorSeen { wire::SupervisorState state; };   ///< from state.json on the head
struct StopRequested { bool now; };                       ///< a person asks; Stop, then End now
struct NodeClean { int node; QList<Error> left; };        ///< processes and keys were looked for
} // namespace event

using Event = std::variant<event::Start, event::Attach, event::NodeDone, event::NodeFailed, event::ChecksDone,
                           event::Launched, event::StepSeen, event::SupervisorSeen, event::StopRequested,
                           event::NodeClean>;

/// What the carrier (cluster/job) has to do next.
enum class Effect { Connect, Check, Sync, Launch, Follow, GracefulStop, Kill, Clean, Report };
QString effectName(Effect effect);

struct Transition {
    JobState state;
    QList<Effect> effects;
};

/// Pure. An event that means nothing in the state changes nothing and has no effects.
Transition handle(const JobState& state, const Event& event);

/// What a person may do now.
bool canStop(const JobState& state);
bool canEndNow(const JobState& state);

} // namespace coxswain::core
