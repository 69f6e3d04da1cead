// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/health.h"
#include "cluster/core/hostlist.h"
#include "trainer/wire/jobspec.h"
#include "trainer/wire/shard.h"

namespace coxswain::core {

/// A node that may take part: its name and what it told.
struct Candidate {
    HostName host;
    Inventory inventory;
};

/// What one node will do.
struct PlannedNode {
    HostName host;
    int index = 0;         ///< in the plan; names node-<index>.jsonl; 0 is the head, where mpirun runs
    QString address;       ///< by which the other nodes reach it; "127.0.0.1" for a single local node
    QString interfaceName; ///< that has `address`; empty for a single node
    QString base;          ///< the agent's base folder there
    int firstRank = 0;
    int rankCount = 0;
    QList<int> gpus;       ///< by local rank; empty on a CPU runtime
    wire::LaneRange lanes; ///< of all its ranks together
    int threadsPerRank = 1;
};

/// What a job will do, decided before anything is sent. Pure: the same input gives the same plan.
struct Plan {
    wire::JobSpec spec;
    QString runtime; ///< "cpu" or "cu13"
    QString runtimeReason;
    int worldSize = 0;
    QList<PlannedNode> nodes;
    std::optional<Subnet> subnet; ///< nothing for a single node
    qint64 tokensPerStep = 0;     ///< input tokens, over all ranks
    qint64 parameters = 0;        ///< estimated from the model's config; 0 when unknown
    qint64 memoryPerRank = 0;     ///< bytes, estimated; 0 when unknown
};

/// Faults carry the field or the node that they concern: bad spec, no usable GPU, more ranks than lanes …
Expected<Plan> makePlan(const wire::JobSpec& spec, const QList<Candidate>& nodes);

/// The node that runs `rank`.
const PlannedNode& nodeOfRank(const Plan& plan, int rank);

/// The sizes of a decoder, read from its config.json with its family's defaults.
struct DecoderShape {
    qint64 vocabulary = 0, hidden = 0, feedForward = 0, layers = 0, heads = 0, keyValueHeads = 0, headDim = 0;
    int layerNorms = 2;
    bool tied = false, qkvBias = false, outputBias = false, feedForwardBias = false, qkNorm = false;
};
/// Qwen2, Llama, Gemma 3 (text) and HunYuan dense; nothing for another shape or where a size is missing.
std::optional<DecoderShape> decoderShape(const nlohmann::json& config);

/// Number of parameters of a decoder by its config.json; 0 for a shape that is not known.
qint64 estimateParameters(const nlohmann::json& config);

} // namespace coxswain::core
