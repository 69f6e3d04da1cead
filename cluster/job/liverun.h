// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/launchplan.h"
#include "cluster/job/follower.h"
#include "cluster/job/nodework.h"
#include "cluster/job/paths.h"
#include "cluster/job/run.h"
#include "cluster/job/throughput.h"

#include <QElapsedTimer>
#include <QPointer>

#include <functional>

namespace coxswain::job {

/// A run that this program starts or follows: carries out what the state machine (core/jobstate.h) decides.
/// All waiting is in the pool's workers; answers that come after their phase has ended are dropped.
class LiveRun : public Run {
    Q_OBJECT
public:
    /// `lock` keeps other programs from following; `jobFolder` is what relative desktop paths are relative
    /// to.
    LiveRun(const Paths& paths, remote::HostPool& pool, RunFolder folder, RunSnapshot snapshot,
            std::unique_ptr<core::MetricsStore> store, std::shared_ptr<QLockFile> lock, QString jobFolder);

    void start();
    void attach();

    bool canStop() const override { return core::canStop(m_snapshot.state); }
    bool canEndNow() const override { return core::canEndNow(m_snapshot.state); }
    void stop(bool now) override;

private:
    void apply(const core::Event& event);
    void perform(core::Effect effect);
    void enterPhase(core::Phase before);
    void changed();

    // One function for each effect
    void connectNodes();
    void checkNodes();
    void judge();
    void sync();
    void sendToNodes(const QList<PreparedFile>& shards, const QList<PreparedFile>& model);
    void launch();
    void startMpirunOnHead();
    void follow();
    void gracefulStop();
    void kill();
    void clean();
    void cleanNodes();
    void report();

    void connectHead();
    void received(int node, const FileLines& lines);
    void take(int rank, const wire::MetricsLine& line);
    void stateSeen(const wire::SupervisorState& state);
    void linkChanged(int node, bool connected, const core::Error& why);
    void headUnreachable(const core::Error& why);
    void updateSyncProgress();
    void updateFailure();
    const core::HostName& host(int node) const { return m_snapshot.nodes[node].host; }
    int nodeCount() const { return static_cast<int>(m_snapshot.nodes.size()); }

    /// Runs `work` for one node; the result comes to `done` only while the phase is the one that asked.
    template <class T, class Work, class Done>
    void ask(int node, Work&& work, Done&& done) {
        m_pool.run<T>(host(node), std::forward<Work>(work), this,
                      [this, phase = m_snapshot.state.phase,
                       done = std::forward<Done>(done)](core::Expected<T> result) {
                          if (m_snapshot.state.phase == phase)
                              done(std::move(result));
                      });
    }
    /// As ask(), for every node; a failure becomes NodeFailed, `take` gets what succeeded, then comes
    /// NodeDone.
    template <class T>
    void askEach(
        const std::function<core::Expected<T>(int, remote::HostSession&, const remote::CancelToken&)>& work,
        const std::function<void(int, T)>& take);

    const Paths m_paths;
    remote::HostPool& m_pool;
    std::shared_ptr<QLockFile> m_lock;
    QString m_jobFolder;
    QMap<int, NodeContact> m_contacts;
    QMap<int, core::Inventory> m_inventories;
    RuntimeBundle m_runtime;
    QMap<int, std::shared_ptr<SyncProgress>> m_progress;
    QMap<int, qint64> m_lastDone;
    QTimer m_syncTimer;
    QTimer m_saveTimer;
    QTimer m_changeTimer;
    QTimer m_headTimer;
    QList<QPointer<Follower>> m_followers;
    int m_draining = 0;
    QMap<int, qint64> m_lastStep; ///< by rank
    QList<core::RankError> m_rankErrors;
    std::optional<int> m_mpirunStatus;
    Throughput m_throughput;
    QElapsedTimer m_phaseClock;
};

} // namespace coxswain::job
