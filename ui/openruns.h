// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/job/runs.h"

#include <QObject>

#include <memory>
#include <vector>

namespace coxswain::ui {

/// The runs that the window holds: those that it follows, and the one that is shown. A followed run stays
/// until it has ended, whatever is shown meanwhile.
class OpenRuns : public QObject {
    Q_OBJECT
public:
    explicit OpenRuns(job::Runs& runs, QObject* parent = nullptr);
    ~OpenRuns() override;

    core::Expected<job::Run*> start(const wire::JobSpec& spec, const QString& jobFolder,
                                    const QList<core::HostName>& hosts);
    /// Follows the run where it may be going on, else opens it from disk. One that another program follows is
    /// opened from disk; `note` says so.
    core::Expected<job::Run*> open(const QString& id, QString* note);
    /// nullptr where the window does not hold it.
    job::Run* find(const QString& id) const;
    bool isFollowed(const QString& id) const;
    /// Lets go of runs that have ended, `shown` excepted. Views must not show any other.
    void releaseEnded(const job::Run* shown);

private:
    job::Run* keep(std::unique_ptr<job::Run> run);

    job::Runs& m_runs;
    std::vector<std::unique_ptr<job::Run>> m_open;
};

} // namespace coxswain::ui
