// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/job/liverun.h"

#include "trainer/wire/layout.h"

#include <QFile>
#include <QFileInfo>
#include <QThread>

#include <csignal>

namespace coxswain::job {

using core::Effect;
using core::ErrorCode;
using core::Phase;
using Link = NodeProgress::Link;
using Source = core::SeriesId::Source;
using remote::CancelToken;
using remote::HostSession;

LiveRun::LiveRun(const Paths& paths, remote::HostPool& pool, RunFolder folder, RunSnapshot snapshot,
                 std::unique_ptr<core::MetricsStore> store, std::shared_ptr<QLockFile> lock,
                 QString jobFolder)
    : Run(std::move(folder), std::move(snapshot), std::move(store)), m_paths(paths), m_pool(pool),
      m_lock(std::move(lock)), m_jobFolder(std::move(jobFolder)) {
    m_snapshot.live = true;
    m_snapshot.steps = m_snapshot.record.plan.spec.train.steps;
    for (const auto& node : m_snapshot.record.plan.nodes)
        m_snapshot.nodes.append({node.host, Link::None, 0, 0, 0, {}});
    connect(&m_syncTimer, &QTimer::timeout, this, &LiveRun::updateSyncProgress);
    // Lines may come by the thousand a second: a view is told at most thirty times.
    m_changeTimer.setSingleShot(true);
    connect(&m_changeTimer, &QTimer::timeout, this, &Run::snapshotChanged);
    connect(&m_saveTimer, &QTimer::timeout, this, [this] { (void)m_folder.save(m_snapshot.record); });
    m_headTimer.setSingleShot(true);
}

void LiveRun::changed() {
    if (!m_changeTimer.isActive())
        m_changeTimer.start(33);
}

void LiveRun::start() {
    apply(core::event::Start{nodeCount()});
}

void LiveRun::stop(bool now) {
    apply(core::event::StopRequested{now});
}

void LiveRun::apply(const core::Event& event) {
    const Phase before = m_snapshot.state.phase;
    auto transition = core::handle(m_snapshot.state, event);
    m_snapshot.state = std::move(transition.state);
    m_snapshot.record.launched = m_snapshot.state.launched;
    m_snapshot.record.errors = m_snapshot.state.errors;
    if (m_snapshot.state.phase != before)
        enterPhase(before);
    for (const Effect effect : transition.effects)
        perform(effect);
    changed();
}

void LiveRun::enterPhase(Phase before) {
    if (!m_snapshot.phases.isEmpty() && m_snapshot.phases.last().phase == before)
        m_snapshot.phases.last().milliseconds = m_phaseClock.elapsed();
    m_phaseClock.start();
    m_snapshot.phases.append({m_snapshot.state.phase, QDateTime::currentDateTime(), -1});
    // What is on the nodes from now on must be found again if this program dies.
    if (auto saved = m_folder.save(m_snapshot.record); !saved)
        qWarning("%s", qPrintable(saved.error().text()));
}

void LiveRun::perform(Effect effect) {
    switch (effect) {
    case Effect::Connect:
        return connectNodes();
    case Effect::Check:
        return checkNodes();
    case Effect::Sync:
        return sync();
    case Effect::Launch:
        return launch();
    case Effect::Follow:
        return follow();
    case Effect::GracefulStop:
        return gracefulStop();
    case Effect::Kill:
        return kill();
    case Effect::Cancel:
        for (const auto& node : m_snapshot.nodes)
            m_pool.cancel(node.host);
        return;
    case Effect::Clean:
        return clean();
    case Effect::Report:
        return report();
    }
}

template <class T>
void LiveRun::askEach(const std::function<core::Expected<T>(int, HostSession&, const CancelToken&)>& work,
                      const std::function<void(int, T)>& take) {
    for (int node = 0; node < nodeCount(); ++node)
        ask<T>(
            node,
            [node, work](HostSession& session, const CancelToken& cancel) {
                return work(node, session, cancel);
            },
            [this, node, take](core::Expected<T> result) {
                if (!result) {
                    m_snapshot.nodes[node].link = Link::Lost;
                    m_snapshot.nodes[node].note = result.error().seen;
                    return apply(core::event::NodeFailed{node, result.error()});
                }
                take(node, std::move(*result));
                apply(core::event::NodeDone{node});
            });
}

void LiveRun::connectNodes() {
    for (auto& node : m_snapshot.nodes)
        node.link = Link::Connecting;
    askEach<NodeContact>(
        [](int, HostSession& session, const CancelToken& cancel) { return contactNode(session, cancel); },
        [this](int node, NodeContact contact) {
            m_snapshot.nodes[node].link = Link::Connected;
            m_contacts[node] = std::move(contact);
        });
}

void LiveRun::checkNodes() {
    for (int node = 0; node < nodeCount(); ++node)
        ask<core::Inventory>(
            node, [](HostSession& session, const CancelToken& cancel) { return probeNode(session, cancel); },
            [this, node](core::Expected<core::Inventory> inventory) {
                if (!inventory)
                    return apply(core::event::NodeFailed{node, inventory.error()});
                m_inventories[node] = std::move(*inventory);
                apply(core::event::NodeDone{node});
                if (m_inventories.size() == nodeCount())
                    judge();
            });
}

void LiveRun::judge() {
    core::Plan& plan = m_snapshot.record.plan;
    QList<core::Candidate> candidates;
    QStringList names;
    for (int node = 0; node < nodeCount(); ++node) {
        candidates.append({host(node), m_inventories[node]});
        names.append(host(node).toString());
    }
    const auto refuse = [&](const core::Error& error) { apply(core::event::ChecksDone{false, error}); };
    const auto choice =
        core::chooseRuntime(QString::fromStdString(plan.spec.runtime), names, m_inventories.values());
    auto runtime = readRuntimeBundle(m_paths.runtimes, choice.runtime);
    if (!runtime)
        return refuse(runtime.error());
    m_runtime = std::move(*runtime);
    m_snapshot.record.runtimeHash = m_runtime.hash;

    core::Requirements needs;
    needs.runtime = choice.runtime;
    needs.several = nodeCount() > 1;
    needs.diskBytes = m_runtime.bytes() + QFileInfo(desktopPath(plan.spec.data.source, m_jobFolder)).size();
    for (int node = 0; node < nodeCount(); ++node)
        m_snapshot.checks += core::judgeNode(names[node], m_inventories[node], needs);
    if (nodeCount() > 1)
        m_snapshot.checks += core::checkTogether(names, m_inventories.values(), needs);
    for (const auto& check : m_snapshot.checks)
        if (check.severity == core::Severity::Error)
            return refuse({ErrorCode::Failed, check.host,
                           QStringLiteral("run the job there: check \"%1\"").arg(check.id),
                           QStringLiteral("%1; expected %2").arg(check.observed, check.expected), check.fix});
    auto made = core::makePlan(plan.spec, candidates);
    if (!made)
        return refuse(made.error());
    plan = std::move(*made);
    apply(core::event::ChecksDone{true, {}});
}

void LiveRun::sync() {
    for (int node = 0; node < nodeCount(); ++node)
        m_snapshot.nodes[node].note = QStringLiteral("preparing data");
    const QPointer<LiveRun> self(this);
    auto* thread =
        QThread::create([self, receiver = &m_pool, spec = m_snapshot.record.plan.spec, folder = m_jobFolder,
                         world = m_snapshot.record.plan.worldSize, cache = m_paths.cache] {
            // The pool outlives every run: the answer goes through its thread, and on only if the run is
            // still there.
            const auto cancelled = [] { return false; };
            auto shards = prepareShards(spec, folder, world, cache, cancelled);
            auto model = prepareModel(spec, folder, cancelled);
            QMetaObject::invokeMethod(receiver, [self, shards = std::move(shards), model = std::move(model)] {
                if (!self || self->m_snapshot.state.phase != Phase::Sync)
                    return;
                if (!shards || !model)
                    return self->apply(core::event::NodeFailed{0, shards ? model.error() : shards.error()});
                self->sendToNodes(*shards, *model);
            });
        });
    connect(thread, &QThread::finished, thread, &QObject::deleteLater);
    thread->start();
}

void LiveRun::sendToNodes(const QList<PreparedFile>& shards, const QList<PreparedFile>& model) {
    QMap<int, SyncInput> inputs;
    for (const auto& planned : m_snapshot.record.plan.nodes) {
        m_progress[planned.index] = std::make_shared<SyncProgress>();
        m_snapshot.nodes[planned.index].note.clear();
        inputs[planned.index] = {m_snapshot.record.id, m_runtime,
                                 shards.mid(planned.firstRank, planned.rankCount),
                                 planned.index == 0 ? model : model.mid(0, 1), m_progress[planned.index]};
    }
    m_syncTimer.start(200);
    for (int node = 0; node < nodeCount(); ++node)
        ask<void>(
            node,
            [input = inputs[node]](HostSession& session, const CancelToken& cancel) {
                return syncNode(session, cancel, input);
            },
            [this, node](core::Expected<void> sent) {
                updateSyncProgress();
                if (!sent)
                    return apply(core::event::NodeFailed{node, sent.error()});
                apply(core::event::NodeDone{node});
            });
}

void LiveRun::updateSyncProgress() {
    for (int node = 0; node < nodeCount(); ++node) {
        const auto progress = m_progress.value(node);
        if (!progress)
            continue;
        NodeProgress& shown = m_snapshot.nodes[node];
        const qint64 done = progress->done;
        const double rate = static_cast<double>(done - m_lastDone.value(node)) / 0.2;
        shown.bytesPerSecond = shown.bytesPerSecond > 0 ? 0.8 * shown.bytesPerSecond + 0.2 * rate : rate;
        shown.bytesDone = done;
        shown.bytesTotal = progress->total;
        m_lastDone[node] = done;
    }
    if (m_snapshot.state.phase != Phase::Sync)
        m_syncTimer.stop();
    changed();
}

} // namespace coxswain::job
