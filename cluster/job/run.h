// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/metricsstore.h"
#include "cluster/job/runfolder.h"

#include <QDateTime>
#include <QMap>
#include <QObject>

class QTemporaryDir;

namespace coxswain::job {

struct PhaseTime {
    core::Phase phase = core::Phase::Idle;
    QDateTime began;
    qint64 milliseconds = -1; ///< -1 while it lasts
};

struct NodeProgress {
    core::HostName host;
    enum class Link { None, Connecting, Connected, Reconnecting, Lost, Clean } link = Link::None;
    qint64 bytesDone = 0;
    qint64 bytesTotal = 0;     ///< 0 before it is known
    double bytesPerSecond = 0; ///< over the last seconds
    QString note;              ///< what it is doing, or why not
};

/// Everything that a view shows of a run besides its plots; a value, made anew for each change.
struct RunSnapshot {
    RunRecord record;
    core::JobState state;
    QList<PhaseTime> phases;
    QList<NodeProgress> nodes;
    QList<core::CheckResult> checks;
    QString folder;
    qint64 step = 0;             ///< newest step that every rank has reported
    qint64 steps = 0;            ///< planned
    double secondsLeft = -1;     ///< -1: not known
    double tokensPerSecond = -1; ///< over the last steps
    bool live = false;           ///< this object follows it; false for a run opened from disk
};

/// One run that is shown: it is being started, followed, or was opened from disk. Reads and writes its folder
/// and owns its MetricsStore. Lives in the GUI thread.
class Run : public QObject {
    Q_OBJECT
public:
    ~Run() override;

    const RunSnapshot& snapshot() const { return m_snapshot; }
    const core::MetricsStore& store() const { return *m_store; }
    /// mpirun's output so far (also in the folder's mpirun.log).
    const QByteArray& log() const { return m_log; }

    virtual bool canStop() const { return false; }
    virtual bool canEndNow() const { return false; }
    /// First a graceful stop (checkpoint, then end), with now = true the hard one. Ignored where not allowed.
    virtual void stop(bool /*now*/) {}

    /// Opens a run from disk, without following it. The store is brought up to what the run's files hold.
    static core::Expected<std::unique_ptr<Run>> openFolder(const RunFolder& folder);

    /// The folder's store; Conflict while another program has it.
    static core::Expected<std::unique_ptr<core::MetricsStore>> openStore(const RunFolder& folder);
    /// Appends what the folder's metrics files hold beyond it; `damaged` counts lines that could not be read.
    static core::Expected<void> fillStore(const RunFolder& folder, core::MetricsStore& store, int* damaged);

signals:
    void snapshotChanged();
    void metricsAppended(); ///< new lines are in store()
    void logAppended(const QByteArray& bytes);
    void ended(); ///< state is Ended; nothing more comes

protected:
    Run(RunFolder folder, RunSnapshot snapshot, std::unique_ptr<core::MetricsStore> store);

    RunFolder m_folder;
    RunSnapshot m_snapshot;
    std::unique_ptr<QTemporaryDir> m_ownStore; ///< holds m_store while another program has the folder's
    std::unique_ptr<core::MetricsStore> m_store;
    QByteArray m_log;
};

} // namespace coxswain::job
