// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/failure.h"
#include "cluster/core/jobstate.h"
#include "cluster/core/plan.h"

#include <QDateTime>
#include <QList>
#include <QString>

#include <optional>

namespace coxswain::job {

/// What the desktop keeps of a run besides metrics: run.json. Enough to list it, open it offline, and attach.
struct RunRecord {
    QString id;
    QString name;
    QDateTime created;
    QDateTime ended;       ///< invalid while it runs
    QString runtimeHash;   ///< names the bundle on the nodes
    core::Plan plan;       ///< spec, nodes, ranks
    bool launched = false; ///< something was started on the nodes: attach makes sense
    int attempt = 1;
    core::Outcome outcome = core::Outcome::None;
    QList<core::Error> errors;
    std::optional<core::FailureCard> failure;
    qint64 steps = 0;                          ///< newest step seen
    std::optional<double> firstLoss, lastLoss; ///< global loss of the first and the newest step
    QString model; ///< "HOST:FOLDER" of the saved model; empty while there is none
};

/// The text of run.json, format "coxswain.run/1.0" (README.md, "Formats").
QByteArray toJsonText(const RunRecord& record);
core::Expected<RunRecord> parseRunRecord(const QByteArray& text);

} // namespace coxswain::job
