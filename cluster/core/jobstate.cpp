// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/core/jobstate.h"

#include <utility>

namespace coxswain::core {
namespace {

constexpr std::pair<Phase, const char*> phaseNames[] = {
    {Phase::Idle, "idle"},   {Phase::Connect, "connect"}, {Phase::Check, "check"},
    {Phase::Sync, "sync"},   {Phase::Launch, "launch"},   {Phase::FirstStep, "first_step"},
    {Phase::Train, "train"}, {Phase::Stop, "stop"},       {Phase::Clean, "clean"},
    {Phase::Ended, "ended"},
};

constexpr std::pair<Effect, const char*> effectNames[] = {
    {Effect::Connect, "connect"}, {Effect::Check, "check"},   {Effect::Sync, "sync"},
    {Effect::Launch, "launch"},   {Effect::Follow, "follow"}, {Effect::GracefulStop, "graceful_stop"},
    {Effect::Kill, "kill"},       {Effect::Cancel, "cancel"}, {Effect::Clean, "clean"},
    {Effect::Report, "report"},
};

QSet<int> allNodes(int count) {
    QSet<int> nodes;
    for (int node = 0; node < count; ++node)
        nodes.insert(node);
    return nodes;
}

/// The exit of mpirun as an error; nothing for a good one.
std::optional<Error> exitError(const wire::SupervisorState& seen) {
    Error error{ErrorCode::Failed, {}, QStringLiteral("run the job"), {}, {}};
    if (!seen.message.empty())
        error.seen = QString::fromStdString(seen.message);
    else if (seen.signal)
        error.seen = QStringLiteral("mpirun was ended by signal %1").arg(*seen.signal);
    else if (!seen.exitStatus)
        error.seen = QStringLiteral("mpirun ended, and its exit status is not known");
    else if (*seen.exitStatus != 0)
        error.seen = QStringLiteral("mpirun ended with status %1").arg(*seen.exitStatus);
    else
        return std::nullopt;
    return error;
}

/// One transition: a copy of the state that the event's handler changes.
class Machine {
public:
    explicit Machine(const JobState& state) : m_state(state) {}
    Transition take() { return {std::move(m_state), std::move(m_effects)}; }

    void on(const event::Start& event) {
        if (m_state.phase != Phase::Idle || event.nodes < 1)
            return;
        m_state.nodes = event.nodes;
        enter(Phase::Connect, Effect::Connect);
    }

    void on(const event::Attach& event) {
        if (m_state.phase != Phase::Idle || event.nodes < 1)
            return;
        m_state.nodes = event.nodes;
        m_state.touched = m_state.launched = true;
        using Seen = wire::SupervisorState::Phase;
        if (event.state.phase == Seen::Starting) {
            m_state.phase = Phase::Launch;
            follow();
        } else {
            beginFirstStep();
        }
        if (event.state.phase == Seen::Exited)
            judgeExit(event.state);
    }

    void on(const event::NodeDone& event) {
        const bool awaited =
            m_state.phase == Phase::Connect || m_state.phase == Phase::Check || m_state.phase == Phase::Sync;
        if (!awaited || !m_state.waitingFor.remove(event.node) || !m_state.waitingFor.isEmpty())
            return;
        if (m_state.phase == Phase::Connect) {
            enter(Phase::Check, Effect::Check);
        } else if (m_state.phase == Phase::Sync) {
            m_state.launched = true;
            enter(Phase::Launch, Effect::Launch);
            m_state.waitingFor.clear();
        }
    }

    void on(const event::NodeFailed& event) {
        switch (m_state.phase) {
        case Phase::Connect:
        case Phase::Check:
        case Phase::Sync:
        case Phase::Launch:
            m_state.errors.append(event.error);
            finish(Outcome::Failed, true);
            break;
        case Phase::Clean:
            if (m_state.waitingFor.contains(event.node))
                nodeCleaned(event.node, {event.error});
            break;
        default: // Training goes on without us looking.
            break;
        }
    }

    void on(const event::ChecksDone& event) {
        if (m_state.phase != Phase::Check)
            return;
        if (event.ready) {
            m_state.touched = true;
            enter(Phase::Sync, Effect::Sync);
            return;
        }
        m_state.errors.append(event.error);
        finish(Outcome::Failed, true);
    }

    void on(const event::Launched&) {
        if (m_state.phase == Phase::Launch)
            beginFirstStep();
    }

    void on(const event::StepSeen&) {
        if (m_state.phase == Phase::FirstStep)
            m_state.phase = Phase::Train;
    }

    void on(const event::SupervisorSeen& event) {
        const bool launching = m_state.phase == Phase::Launch;
        if (!launching && !isRunning())
            return;
        using Seen = wire::SupervisorState::Phase;
        if (launching && event.state.phase != Seen::Starting)
            beginFirstStep();
        if (event.state.phase == Seen::Exited)
            judgeExit(event.state);
    }

    void on(const event::StopRequested& event) {
        if (canStop(m_state) && !isRunning()) {
            m_state.stopRequested = true;
            m_state.endNow = event.now;
            finish(Outcome::Stopped, true);
        } else if (event.now ? canEndNow(m_state) : canStop(m_state)) {
            m_state.stopRequested = true;
            m_state.endNow = event.now;
            m_state.phase = Phase::Stop;
            m_effects.append(event.now ? Effect::Kill : Effect::GracefulStop);
        }
    }

    void on(const event::StopSeen&) {
        if (!isRunning())
            return;
        m_state.stopRequested = true;
        m_state.phase = Phase::Stop;
    }

    void on(const event::NodeClean& event) {
        if (m_state.phase == Phase::Clean && m_state.waitingFor.contains(event.node))
            nodeCleaned(event.node, event.left);
    }

private:
    bool isRunning() const {
        return m_state.phase == Phase::FirstStep || m_state.phase == Phase::Train ||
               m_state.phase == Phase::Stop;
    }

    void enter(Phase phase, Effect effect) {
        m_state.phase = phase;
        m_state.waitingFor = allNodes(m_state.nodes);
        m_effects.append(effect);
    }

    void follow() {
        if (!m_state.following)
            m_effects.append(Effect::Follow);
        m_state.following = true;
    }

    void beginFirstStep() {
        m_state.phase = Phase::FirstStep;
        follow();
    }

    void judgeExit(const wire::SupervisorState& seen) {
        const auto error = exitError(seen);
        if (!error || m_state.endNow)
            return finish(m_state.stopRequested ? Outcome::Stopped : Outcome::Finished, false);
        m_state.errors.append(*error);
        finish(Outcome::Failed, false);
    }

    void finish(Outcome outcome, bool cancel) {
        m_state.outcome = outcome;
        if (cancel)
            m_effects.append(Effect::Cancel);
        if (m_state.touched)
            return enter(Phase::Clean, Effect::Clean);
        end();
    }

    void nodeCleaned(int node, const QList<Error>& left) {
        m_state.errors += left;
        m_state.waitingFor.remove(node);
        if (m_state.waitingFor.isEmpty())
            end();
    }

    void end() {
        m_state.phase = Phase::Ended;
        m_state.waitingFor.clear();
        m_effects.append(Effect::Report);
    }

    JobState m_state;
    QList<Effect> m_effects;
};

} // namespace

QString phaseName(Phase phase) {
    for (const auto& [known, name] : phaseNames)
        if (known == phase)
            return QString::fromLatin1(name);
    return {};
}

QString outcomeName(Outcome outcome) {
    switch (outcome) {
    case Outcome::Finished:
        return QStringLiteral("finished");
    case Outcome::Stopped:
        return QStringLiteral("stopped");
    case Outcome::Failed:
        return QStringLiteral("failed");
    case Outcome::None:
        break;
    }
    return {};
}

QString effectName(Effect effect) {
    for (const auto& [known, name] : effectNames)
        if (known == effect)
            return QString::fromLatin1(name);
    return {};
}

Transition handle(const JobState& state, const Event& event) {
    Machine machine(state);
    std::visit([&](const auto& concrete) { machine.on(concrete); }, event);
    return machine.take();
}

bool canStop(const JobState& state) {
    const bool active = state.phase >= Phase::Connect && state.phase <= Phase::Train;
    return active && !state.stopRequested;
}

bool canEndNow(const JobState& state) {
    const bool running = state.phase >= Phase::FirstStep && state.phase <= Phase::Stop;
    return running && !state.endNow;
}

} // namespace coxswain::core
