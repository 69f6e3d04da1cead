// SPDX-License-Identifier: GPL-3.0-or-later
// LiveRun from launch to end; liverun.cpp has what comes before.
#include "cluster/job/liverun.h"

#include "cluster/remote/jobkey.h"
#include "trainer/wire/layout.h"

#include <QDir>
#include <QFile>

#include <csignal>

namespace coxswain::job {

using core::ErrorCode;
using core::Phase;
using Link = NodeProgress::Link;
using Source = core::SeriesId::Source;
using remote::CancelToken;
using remote::HostSession;
namespace layout = wire::layout;

namespace {

const QString logName = QLatin1StringView(layout::mpirunLog);

/// Name of a followed file in the run's folder: flat.
QString localName(const QString& remoteName) {
    return remoteName.section(QLatin1Char('/'), -1);
}

QStringList addressesOf(const core::Inventory& inventory) {
    QStringList addresses;
    for (const auto& interface : inventory.interfaces)
        if (!interface.loopback && !interface.address.isEmpty() &&
            !interface.address.startsWith(QLatin1String("fe80")))
            addresses += interface.address;
    return addresses;
}

} // namespace

void LiveRun::launch() {
    const core::Plan& plan = m_snapshot.record.plan;
    core::LaunchInput input;
    input.jobId = m_snapshot.record.id;
    input.attempt = m_snapshot.record.attempt;
    input.runtimeHash = m_runtime.hash;
    QByteArray publicKey;
    if (nodeCount() > 1) {
        const auto key = remote::makeJobKey();
        if (!key)
            return apply(core::event::NodeFailed{0, key.error()});
        input.jobPrivateKey = key->privateKey;
        publicKey = key->publicKey;
    }
    for (int node = 0; node < nodeCount(); ++node) {
        const NodeContact& contact = m_contacts[node];
        input.agentPath[node] = contact.greeting.program;
        input.user[node] = contact.greeting.user;
        input.sshPort[node] = host(node).port ? host(node).port : 22;
        if (contact.hostKey)
            input.hostKey[node] = contact.hostKey->type + ' ' + contact.hostKey->blob.toBase64();
    }
    const core::LaunchPlan launch = core::makeLaunchPlan(plan, input);
    for (int node = 0; node < nodeCount(); ++node)
        m_snapshot.state.waitingFor.insert(node);
    for (int node = 0; node < nodeCount(); ++node) {
        const PrepareInput prepare{input.jobId,
                                   input.attempt,
                                   node,
                                   launch.files[node],
                                   node == 0 ? QByteArray() : publicKey,
                                   addressesOf(m_inventories[0])};
        ask<void>(
            node,
            [prepare](HostSession& session, const CancelToken& cancel) {
                return prepareNode(session, cancel, prepare);
            },
            [this, node](core::Expected<void> prepared) {
                if (!prepared)
                    return apply(core::event::NodeFailed{node, prepared.error()});
                m_snapshot.state.waitingFor.remove(node);
                if (m_snapshot.state.waitingFor.isEmpty())
                    startMpirunOnHead();
            });
    }
}

void LiveRun::startMpirunOnHead() {
    ask<wire::SupervisorState>(
        0,
        [id = m_snapshot.record.id, attempt = m_snapshot.record.attempt](HostSession& session,
                                                                         const CancelToken& cancel) {
            return startMpirun(session, cancel, id, attempt);
        },
        [this](core::Expected<wire::SupervisorState> state) {
            if (!state)
                return apply(core::event::NodeFailed{0, state.error()});
            apply(core::event::Launched{});
            stateSeen(*state);
        });
}

void LiveRun::follow() {
    const core::Plan& plan = m_snapshot.record.plan;
    for (const auto& planned : plan.nodes) {
        QStringList names{QString::fromStdString(layout::nodeFile(planned.index))};
        for (int rank = planned.firstRank; rank < planned.firstRank + planned.rankCount; ++rank)
            names += QString::fromStdString(layout::rankFile(rank));
        if (planned.index == 0)
            names += logName;
        QList<FollowedFile> files;
        for (const auto& name : names)
            files.append({name, QFileInfo(m_folder.file(localName(name))).size()});
        auto* follower =
            new Follower(m_pool, planned.host, m_snapshot.record.id, files, planned.index == 0, this);
        const int node = planned.index;
        connect(follower, &Follower::received, this,
                [this, node](const FileLines& lines) { received(node, lines); });
        connect(follower, &Follower::stateSeen, this, &LiveRun::stateSeen);
        connect(follower, &Follower::connectionChanged, this,
                [this, node](bool connected, const core::Error& why) { linkChanged(node, connected, why); });
        m_followers.append(follower);
        follower->start();
    }
    m_saveTimer.start(5000);
}

void LiveRun::received(int node, const FileLines& lines) {
    QFile file(m_folder.file(localName(lines.name)));
    // Byte for byte at the same place as on the node: after a crash the copy goes on where it ended.
    if (!file.open(QIODevice::ReadWrite) || file.size() < lines.offset || !file.seek(lines.offset) ||
        file.write(lines.bytes) != lines.bytes.size()) {
        qWarning("cannot write %s: %s", qPrintable(file.fileName()), qPrintable(file.errorString()));
        return;
    }
    file.close();
    if (lines.name == logName) {
        m_log += lines.bytes;
        emit logAppended(lines.bytes);
        return;
    }
    const bool isRank = lines.name.startsWith(QLatin1String("rank-"));
    const int index = isRank ? lines.name.mid(5).section(QLatin1Char('.'), 0, 0).toInt() : node;
    for (const auto& line : lines.lines) {
        if (auto kept = m_store->append(isRank ? Source::Rank : Source::Node, index, line); !kept)
            qWarning("%s", qPrintable(kept.error().text()));
        if (isRank)
            take(index, line);
    }
    m_store->setPosition(isRank ? Source::Rank : Source::Node, index, lines.offset + lines.bytes.size());
    emit metricsAppended();
    changed();
}

void LiveRun::take(int rank, const wire::MetricsLine& line) {
    RunRecord& record = m_snapshot.record;
    if (const auto* step = std::get_if<wire::StepLine>(&line.body)) {
        m_lastStep[rank] = step->step;
        apply(core::event::StepSeen{});
        if (m_lastStep.size() == record.plan.worldSize)
            m_snapshot.step = *std::min_element(m_lastStep.cbegin(), m_lastStep.cend());
        if (rank != 0)
            return;
        if (!record.firstLoss)
            record.firstLoss = step->loss;
        record.lastLoss = step->loss;
        record.steps = step->step;
        m_throughput.take(line.time, *step);
        m_snapshot.tokensPerSecond = m_throughput.tokensPerSecond();
        const double perStep = m_throughput.secondsPerStep();
        m_snapshot.secondsLeft =
            perStep < 0 ? -1 : perStep * static_cast<double>(m_snapshot.steps - step->step);
    } else if (const auto* error = std::get_if<wire::ErrorLine>(&line.body)) {
        m_rankErrors.append({rank, line.time, *error});
    } else if (const auto* event = std::get_if<wire::EventLine>(&line.body)) {
        if (event->event == "stop_requested")
            apply(core::event::StopSeen{});
    } else if (const auto* end = std::get_if<wire::EndLine>(&line.body)) {
        if (!end->model.empty())
            record.model = core::nodeOfRank(record.plan, rank).host.toString() + QLatin1Char(':') +
                           QString::fromStdString(end->model);
    }
}

void LiveRun::stateSeen(const wire::SupervisorState& state) {
    if (state.attempt != m_snapshot.record.attempt)
        return;
    if (state.phase == wire::SupervisorState::Phase::Exited)
        m_mpirunStatus = state.exitStatus.value_or(128 + state.signal.value_or(0));
    apply(core::event::SupervisorSeen{state});
}

void LiveRun::linkChanged(int node, bool connected, const core::Error& why) {
    m_snapshot.nodes[node].link = connected ? Link::Connected : Link::Reconnecting;
    m_snapshot.nodes[node].note = connected ? QString() : why.seen;
    if (node == 0 && !connected && nodeCount() > 1)
        headUnreachable(why);
    changed();
}

/// The head does not answer. When the job has ended on every other node, it is the head that was lost, and
/// nobody is left to write how mpirun ended; otherwise only our connection broke, and the run goes on.
void LiveRun::headUnreachable(const core::Error& why) {
    auto ended = std::make_shared<int>(0);
    for (int node = 1; node < nodeCount(); ++node)
        m_pool.run<bool>(
            host(node),
            [id = m_snapshot.record.id](HostSession& session, const CancelToken& cancel) {
                return runsOnNode(session, cancel, id);
            },
            this,
            [this, ended, why](core::Expected<bool> runs) {
                if (!runs || *runs || ++*ended < nodeCount() - 1 ||
                    m_snapshot.nodes[0].link != Link::Reconnecting)
                    return;
                wire::SupervisorState state;
                state.attempt = m_snapshot.record.attempt;
                state.phase = wire::SupervisorState::Phase::Exited;
                state.message =
                    (host(0).toString() + QStringLiteral(", where mpirun ran, cannot be reached (") +
                     why.seen + QStringLiteral("), and the job has ended on all other nodes"))
                        .toStdString();
                stateSeen(state);
            });
    disconnect(&m_headTimer, nullptr, this, nullptr);
    connect(&m_headTimer, &QTimer::timeout, this, [this, why] {
        if (m_snapshot.nodes[0].link == Link::Reconnecting && m_snapshot.state.phase <= Phase::Stop)
            headUnreachable(why);
    });
    m_headTimer.start(1500);
}

void LiveRun::gracefulStop() {
    m_pool.run<void>(
        host(0),
        [id = m_snapshot.record.id](HostSession& session, const CancelToken& cancel) {
            return signalMpirun(session, cancel, id, SIGUSR1);
        },
        this,
        [this](core::Expected<void> sent) {
            // Not connected just now: the wish stands, and is tried again until the run has ended.
            if (!sent && sent.error().code != ErrorCode::Missing && m_snapshot.state.phase == Phase::Stop)
                QTimer::singleShot(2000, this, [this] {
                    if (m_snapshot.state.phase == Phase::Stop && !m_snapshot.state.endNow)
                        gracefulStop();
                });
        });
}

void LiveRun::kill() {
    for (int node = 0; node < nodeCount(); ++node)
        m_pool.run<void>(
            host(node),
            [id = m_snapshot.record.id](HostSession& session, const CancelToken& cancel) {
                return killOnNode(session, cancel, id);
            },
            this, [](const core::Expected<void>&) {}); // Clean looks again, and reports what is left
}

void LiveRun::clean() {
    // First all that the ranks and mpirun have said, then the processes.
    m_draining = static_cast<int>(m_followers.size());
    if (m_draining == 0)
        return cleanNodes();
    for (const auto& follower : m_followers)
        connect(follower, &Follower::drained, this, [this] {
            updateFailure(); // the head may have said all while another node still talks
            if (--m_draining == 0)
                cleanNodes();
        });
    for (const auto& follower : m_followers)
        follower->drain();
}

void LiveRun::cleanNodes() {
    for (int node = 0; node < nodeCount(); ++node)
        ask<void>(
            node,
            [id = m_snapshot.record.id](HostSession& session, const CancelToken& cancel) {
                return cleanNode(session, cancel, id);
            },
            [this, node](core::Expected<void> cleaned) {
                m_snapshot.nodes[node].link = cleaned ? Link::Clean : Link::Lost;
                if (!cleaned)
                    m_snapshot.nodes[node].note =
                        QStringLiteral("not verified clean: ") + cleaned.error().seen;
                apply(core::event::NodeClean{node, cleaned ? QList<core::Error>() : QList{cleaned.error()}});
            });
}

void LiveRun::updateFailure() {
    if (m_snapshot.state.outcome == core::Outcome::Failed)
        m_snapshot.record.failure =
            core::whoFailedFirst(m_snapshot.record.plan, m_log, m_rankErrors, m_mpirunStatus);
    if (auto saved = m_folder.save(m_snapshot.record); !saved)
        qWarning("%s", qPrintable(saved.error().text()));
    changed();
}

void LiveRun::report() {
    m_syncTimer.stop();
    m_saveTimer.stop();
    m_headTimer.stop();
    m_snapshot.record.outcome = m_snapshot.state.outcome;
    m_snapshot.record.ended = QDateTime::currentDateTimeUtc();
    m_snapshot.live = false;
    if (auto saved = m_folder.save(m_snapshot.record); !saved)
        qWarning("%s", qPrintable(saved.error().text()));
    m_lock.reset();
    emit snapshotChanged();
    emit ended();
}

void LiveRun::attach() {
    for (auto& node : m_snapshot.nodes)
        node.link = Link::Connecting;
    QFile log(m_folder.file(QStringLiteral("mpirun.log")));
    if (log.open(QIODevice::ReadOnly))
        m_log = log.readAll();
    for (const auto& event : m_store->events())
        if (const auto* error = std::get_if<wire::ErrorLine>(&event.body))
            m_rankErrors.append({event.index, event.time, *error});
    for (const int rank : m_store->sources(Source::Rank))
        if (const auto line = m_store->latest(Source::Rank, rank))
            take(rank, *line);
    connectHead();
}

void LiveRun::connectHead() {
    struct Seen {
        bool absent = false;
        wire::SupervisorState state;
    };
    m_pool.run<Seen>(
        host(0),
        [id = m_snapshot.record.id](HostSession& session, const CancelToken& cancel) -> core::Expected<Seen> {
            const auto agent = session.agent(cancel);
            if (!agent)
                return core::fail(agent.error());
            const QString path = QLatin1StringView(layout::jobsFolder) + QLatin1Char('/') + id +
                                 QLatin1Char('/') + QLatin1StringView(layout::stateFile);
            const auto news = (*agent)->read({{path, 0, 1 << 16}}, 0,
                                             HostSession::within(std::chrono::seconds(10), cancel));
            if (!news)
                return core::fail(news.error());
            const auto state = wire::parseSupervisorState(news->first().bytes.toStdString());
            return state ? Seen{false, *state} : Seen{true, {}};
        },
        this,
        [this](const core::Expected<Seen>& seen) {
            if (!seen) {
                linkChanged(0, false, seen.error());
                QTimer::singleShot(3000, this, &LiveRun::connectHead);
                return;
            }
            wire::SupervisorState state = seen->state;
            if (seen->absent) { // never started there, or removed since
                state.phase = wire::SupervisorState::Phase::Exited;
                state.message =
                    "the run's folder is not on " + host(0).toString().toStdString() + " any more";
                state.attempt = m_snapshot.record.attempt;
            }
            m_snapshot.nodes[0].link = Link::Connected;
            apply(core::event::Attach{nodeCount(), state});
            if (state.phase == wire::SupervisorState::Phase::Exited)
                stateSeen(state);
        });
}

} // namespace coxswain::job
