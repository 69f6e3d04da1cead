// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/job/run.h"

#include <QString>

/// How the window names the phases and states of runs.
namespace coxswain::ui::runtexts {

/// "Connect", "Check", "Sync", "Launch", "First step", "Train", "Stop", "Clean up"
QString phaseTitle(core::Phase phase);

/// What a run is doing: "Syncing", "Training", "Stopping", "Finished", "Failed" …
QString stateText(const job::RunSnapshot& snapshot);
core::Severity stateSeverity(const job::RunSnapshot& snapshot);

/// The same for a record in a list. A run that was launched and whose end nobody saw may still be running.
QString stateText(const job::RunRecord& record);
core::Severity stateSeverity(const job::RunRecord& record);
bool mayBeRunning(const job::RunRecord& record);

/// "Connected", "Reconnecting" …
QString linkText(job::NodeProgress::Link link);

/// "node1, node2, node3"; "node1 and 7 more" from five on.
QString nodesText(const core::Plan& plan);

/// Whether every node was verified clean after the end, in words; empty while that means nothing.
QString cleanText(const job::RunSnapshot& snapshot);

} // namespace coxswain::ui::runtexts
