// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/job/runfolder.h"

#include <QList>
#include <QSet>
#include <QString>

/// Runs as they lie on the desktop's disk, written with the wire format.
namespace coxswain::ui::samples {

struct Recording {
    int ranks = 3;
    int steps = 300;
    QSet<int> nanSteps;     ///< rank 1's own loss is NaN there
    QSet<int> missingSteps; ///< rank 0 has no line for these
    int spikeStep = 0;      ///< rank 0's forward takes 2 s there; 0: nowhere
    bool gpu = false;
    bool killed = false; ///< rank 1 dies by SIGKILL at the last step
    bool ended = true;   ///< false: the record says that it may still be running
    QString name = QStringLiteral("verses");
};

/// What rank `rank` wrote at `step`.
wire::StepLine stepLine(const Recording& recording, int rank, int step);

/// The record of such a run; `n` makes ids differ, a larger one is newer.
job::RunRecord recordOf(const Recording& recording, int n = 1);

/// Writes the whole folder below `runs`.
job::RunFolder record(const QString& runs, const Recording& recording, int n = 1);

/// The metrics lines of a rank, as in its file.
QByteArray rankLines(const Recording& recording, int rank);

} // namespace coxswain::ui::samples
