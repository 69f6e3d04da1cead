// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace coxswain::wire {

/// How coxswain-trainer ends. The numbers are part of the format: never renumber, only append.
enum class ExitCode : int {
    Ok = 0,             ///< finished, or stopped when asked to, model saved
    Internal = 1,       ///< a fault of ours: an exception that nothing expected
    Usage = 2,          ///< wrong arguments
    BadJob = 10,        ///< job.json is unreadable or a field is wrong
    BadData = 11,       ///< training data is missing, damaged, or too small
    BadModel = 12,      ///< model folder or config is missing, damaged, or not supported
    NoDevice = 13,      ///< the runtime asks for a GPU and there is none that works
    OutOfMemory = 14,   ///< host or device memory
    Disk = 15,          ///< cannot write metrics or checkpoints (full, read-only, permission)
    Mismatch = 16,      ///< the ranks do not agree on model, data or settings
    Communication = 17, ///< a collective failed (a peer died, network)
    Deadline = 18,      ///< a collective did not finish in time
    NonFinite = 19,     ///< loss or gradients became NaN or infinite and the job's policy is to stop
};

/// A stable identifier such as "out_of_memory", as it stands in error lines.
std::string_view exitCodeName(ExitCode code);

/// The code of a process's exit status; nothing for a status that the trainer does not give.
std::optional<ExitCode> exitCodeFromStatus(int status);

} // namespace coxswain::wire
