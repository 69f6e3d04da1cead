// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/job/paths.h"
#include "cluster/job/run.h"
#include "trainer/wire/jobspec.h"

#include <QObject>

namespace coxswain::remote {
class HostPool;
}

namespace coxswain::job {

/// What a job will put on each node, before anything is sent: for the plan and for the check of free space.
struct SyncEstimate {
    qint64 runtimeBytes = 0;
    qint64 dataBytes = 0; ///< of all shards together
};

/// Starts, attaches to and lists runs. The same object serves the window and the command line.
class Runs : public QObject {
    Q_OBJECT
public:
    Runs(const Paths& paths, remote::HostPool& pool, QObject* parent = nullptr);

    /// Newest first.
    QList<RunRecord> list() const;

    /// Starts a run on `hosts` (from parseHostList; empty: this machine). `jobFolder` is what relative
    /// desktop paths are relative to. Fails at once for what can be known at once (data missing …); later
    /// faults are in the run's snapshot. The run belongs to the caller; destroying it stops looking, not
    /// training.
    core::Expected<std::unique_ptr<Run>> start(const wire::JobSpec& spec, const QString& jobFolder,
                                               const QList<core::HostName>& hosts);
    /// Follows a run that was launched before, by this program or another; one that has ended is opened.
    core::Expected<std::unique_ptr<Run>> attach(const QString& id);
    core::Expected<std::unique_ptr<Run>> open(const QString& id);
    core::Expected<void> remove(const QString& id);

    core::Expected<SyncEstimate> estimate(const wire::JobSpec& spec, const QString& jobFolder,
                                          const QString& runtime) const;

signals:
    void changed(); ///< list() is not what it was

private:
    Paths m_paths;
    remote::HostPool& m_pool;
};

} // namespace coxswain::job
