// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/dist/communicator.h"
#include "trainer/dist/watchdog.h"

#include <chrono>
#include <string>

namespace coxswain::trainer {

/// MPI from start to end of the process. Make one in main() before any thread that communicates.
class MpiSession {
public:
    /// Throws CommunicationError when MPI does not start or does not grant threads.
    MpiSession();
    /// Finalises MPI, unless an exception is under way: then the peers may be gone and it would hang.
    ~MpiSession();
    MpiSession(const MpiSession&) = delete;
    MpiSession& operator=(const MpiSession&) = delete;

    int rank() const;
    int worldSize() const;
    int localRank() const; ///< among the ranks on this host
    int localSize() const;
    const std::string& host() const { return m_host; }

    /// Ends every rank of the job; legal from any thread, also while a call blocks. Does not return.
    static void abortAll(int exitStatus) noexcept;

    /// All ranks. Calls that take longer than `limit` end the process through `watchdog`. Collective.
    std::unique_ptr<Communicator> world(Watchdog& watchdog, std::chrono::milliseconds limit);

private:
    std::string m_host;
    int m_localRank = 0;
    int m_localSize = 1;
    int m_exceptions = 0;
};

} // namespace coxswain::trainer
