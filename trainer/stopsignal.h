// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace coxswain::trainer {

/// While it lives, SIGUSR1 and SIGTERM ask for a graceful stop instead of ending the process. SIGUSR1 is what
/// mpirun forwards to all ranks; after SIGTERM mpirun itself kills its ranks within a second.
class StopSignal {
public:
    StopSignal();
    ~StopSignal();
    StopSignal(const StopSignal&) = delete;
    StopSignal& operator=(const StopSignal&) = delete;

    bool requested() const;
};

} // namespace coxswain::trainer
