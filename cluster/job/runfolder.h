// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/job/runrecord.h"

#include <memory>

class QLockFile;

namespace coxswain::job {

/// $XDG_DATA_HOME/coxswain/runs/<id>/: run.json, job.json, rank-<r>.jsonl and node-<n>.jsonl (byte for byte
/// as on the nodes), mpirun.log, store/ (MetricsStore), lock.
class RunFolder {
public:
    static core::Expected<RunFolder> create(const QString& runs, const RunRecord& record);
    static core::Expected<RunFolder> open(const QString& runs, const QString& id);
    /// Newest first. Folders that cannot be read are left out and named in `unreadable`.
    static QList<RunRecord> list(const QString& runs, QStringList* unreadable = nullptr);
    static core::Expected<void> remove(const QString& runs, const QString& id);

    const QString& path() const { return m_path; }
    QString file(const QString& name) const { return m_path + QLatin1Char('/') + name; }
    core::Expected<RunRecord> record() const;
    core::Expected<void> save(const RunRecord& record) const;

    /// One process follows a run; window and command line may both look. Conflict names who holds it.
    core::Expected<std::shared_ptr<QLockFile>> lock() const;

private:
    explicit RunFolder(QString path) : m_path(std::move(path)) {}
    QString m_path;
};

} // namespace coxswain::job
