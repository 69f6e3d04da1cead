// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/plan.h"
#include "trainer/wire/metrics.h"

#include <QByteArray>
#include <QList>

#include <optional>

namespace coxswain::core {

/// Who failed first, for the card on the Run page and the last lines of the command line.
struct FailureCard {
    int rank = -1;  ///< -1: not a rank (a node was lost, mpirun could not start)
    QString node;   ///< as the person named it; empty when unknown
    QString signal; ///< "SIGKILL"; empty when it did not die by a signal
    std::optional<int> exitStatus;
    QString headline;            ///< one line: "rank 1 on node2 was killed by SIGKILL"
    QString detail;              ///< the trainer's own error line, or mpirun's words
    QString fix;                 ///< what to do; may be empty
    QList<QString> consequences; ///< what followed, folded in the card
};

struct RankError {
    int rank = 0;
    double time = 0; ///< seconds since 1970 by the desktop's clock
    wire::ErrorLine line;
};

/// Judges by mpirun's output and the ranks' own error lines. Errors that are consequences (a communication
/// failure after a peer's death) never lead when a cause is known. Nothing when nothing failed.
std::optional<FailureCard> whoFailedFirst(const Plan& plan, const QByteArray& mpirunLog,
                                          const QList<RankError>& errors,
                                          const std::optional<int>& mpirunStatus);

} // namespace coxswain::core
