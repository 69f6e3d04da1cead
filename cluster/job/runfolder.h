// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/failure.h"
#include "cluster/core/jobstate.h"
#include "cluster/core/plan.h"

#include <QDateTime>
#include <QList>
#include <QString>

#include <memory>
#include <optional>

class QLockFile;

namespace coxswain::job {

/// What the desktop keeps of a run besides metrics: run.json. Enough to list it, open it offline, and attach.
struct RunRecord {
    QString id;
    QString name;
    QDateTime created;
    QDateTime ended;              ///< invalid while it runs
    QString runtimeHash;          ///< names the bundle on the nodes
    core::Plan plan;              ///< spec, nodes, ranks
    bool launched = false;        ///< something was started on the nodes: attach makes sense
    int attempt = 1;
    core::Outcome outcome = core::Outcome::None;
    QList<core::Error> errors;
    std::optional<core::FailureCard> failure;
    qint64 steps = 0;             ///< newest step seen
    std::optional<double> firstLoss, lastLoss; ///< global loss of the first and the newest step
    QString model;                ///< "HOST:FOLDER" of the saved model; empty while there is none
};

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
