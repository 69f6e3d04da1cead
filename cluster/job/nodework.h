// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/inventory.h"
#include "cluster/core/launchplan.h"
#include "cluster/job/inputs.h"
#include "cluster/job/runtimebundle.h"
#include "cluster/remote/hostsession.h"

#include <atomic>
#include <memory>

/// What a run does on one node, phase by phase, in that node's worker thread. Everything is given by value:
/// these functions share nothing with the GUI thread but counters.
namespace coxswain::job {

/// What connecting to a node tells.
struct NodeContact {
    remote::Greeting greeting;
    std::optional<core::HostKey> hostKey;
};
core::Expected<NodeContact> contactNode(remote::HostSession& session, const remote::CancelToken& cancel);

core::Expected<core::Inventory> probeNode(remote::HostSession& session, const remote::CancelToken& cancel);

/// Written by a worker, read by the window.
struct SyncProgress {
    std::atomic<qint64> done{0};
    std::atomic<qint64> total{0};
};

struct SyncInput {
    QString jobId;
    RuntimeBundle runtime;
    QList<PreparedFile> shards; ///< of this node's ranks
    QList<PreparedFile> model;  ///< weights on the head only: rank 0 reads them, and sends them to all
    std::shared_ptr<SyncProgress> progress;
};
/// Sends what the node's store lacks, and makes runtime/<hash> and the job's inputs of it.
core::Expected<void> syncNode(remote::HostSession& session, const remote::CancelToken& cancel,
                              const SyncInput& input);

struct PrepareInput {
    QString jobId;
    int attempt = 1;
    int node = 0;
    QList<core::JobFile> files;
    QByteArray publicKey;      ///< empty: this node needs no key (the head)
    QStringList headAddresses; ///< from which the key may be used
};
/// Job files, the job's key and the sampler: all that must be there before mpirun starts.
core::Expected<void> prepareNode(remote::HostSession& session, const remote::CancelToken& cancel,
                                 const PrepareInput& input);

core::Expected<wire::SupervisorState> startMpirun(remote::HostSession& session,
                                                  const remote::CancelToken& cancel, const QString& jobId,
                                                  int attempt);

core::Expected<void> signalMpirun(remote::HostSession& session, const remote::CancelToken& cancel,
                                  const QString& jobId, int number);

/// Ends every process of the job on the node. Answers with an error for each that is left.
core::Expected<void> killOnNode(remote::HostSession& session, const remote::CancelToken& cancel,
                                const QString& jobId);

/// Looks whether ranks or mpirun of the job live on the node.
core::Expected<bool> runsOnNode(remote::HostSession& session, const remote::CancelToken& cancel,
                                const QString& jobId);

/// Ends what is left of the job, removes its keys, and looks again: no error means verified clean.
core::Expected<void> cleanNode(remote::HostSession& session, const remote::CancelToken& cancel,
                               const QString& jobId);

} // namespace coxswain::job
