// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/wire/result.h"

#include <optional>
#include <string>
#include <string_view>

namespace coxswain::wire {

/// state.json in a job's folder on the head node: what its supervisor knows of mpirun. Replaced by rename.
struct SupervisorState {
    enum class Phase { Starting, Running, Exited };

    std::string job;
    int attempt = 1;
    Phase phase = Phase::Starting;
    int supervisorPid = 0;
    int mpirunPid = 0;             ///< 0 before it was started
    std::optional<int> exitStatus; ///< of mpirun, once exited
    std::optional<int> signal;     ///< that killed mpirun, once exited
    std::string message;           ///< why mpirun could not be started; empty otherwise
    double startedAt = 0;          ///< seconds since 1970, by the node's clock
    double endedAt = 0;            ///< 0 until exited

    bool operator==(const SupervisorState&) const = default;
};

std::string toJsonText(const SupervisorState& state);
Result<SupervisorState> parseSupervisorState(std::string_view text);

} // namespace coxswain::wire
