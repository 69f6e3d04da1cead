// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/job/run.h"

#include <QElapsedTimer>
#include <QObject>
#include <QSocketNotifier>

namespace coxswain::cli {

/// Follows a run in the terminal: phases, progress, steps and events go to standard error as they come.
/// Ctrl-C asks for a graceful stop, a second one ends the run now, a third leaves it alone.
class Watcher : public QObject {
    Q_OBJECT
public:
    enum class Until { Ended, Launched };
    Watcher(job::Run& run, Until until, QObject* parent = nullptr);

    /// Waits; true when the run has ended, false when it goes on without us.
    bool wait();

private:
    void look();
    void showPhases();
    void showSync();
    void showSteps();
    void showEvents();
    void interrupted();

    job::Run& m_run;
    Until m_until;
    qsizetype m_phases = 0;
    qsizetype m_events = 0;
    QMap<int, job::NodeProgress::Link> m_links;
    QElapsedTimer m_sinceLine;
    qint64 m_shownStep = 0;
    int m_interrupts = 0;
    QSocketNotifier m_signal;
    bool m_left = false;
};

/// The last lines: outcome, numbers, who failed first, where the model and the run's folder are.
void printSummary(const job::RunSnapshot& snapshot);

/// The last lines or, with --json, the one object; and the exit status.
int finish(const job::Run& run, bool ended, bool asJson);

} // namespace coxswain::cli
