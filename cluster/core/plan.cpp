// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/core/plan.h"

#include <algorithm>

namespace coxswain::core {
namespace {

tl::unexpected<Error> cannotPlan(const QString& host, const QString& seen, const QString& fix) {
    return fail({ErrorCode::BadInput, host, QStringLiteral("plan the job"), seen, fix});
}

QList<int> usableGpus(const Inventory& inventory) {
    QList<int> gpus;
    for (const Gpu& gpu : inventory.nvidia.gpus)
        if (gpu.usable)
            gpus.append(gpu.index);
    return gpus;
}

/// Bytes a rank holds in fp32 with AdamW. Weights, gradients and two moments: 16 a parameter. Activations
/// that backward needs, in floats a token: per layer 5 × hidden (norms and residuals), 3 × (query +
/// key/value) (before and after RoPE, and attention's output) and 4 × feed-forward (gate, up, SiLU, product);
/// logits and their gradient 2 × vocabulary. 256 MiB for the program itself.
qint64 estimateMemory(const wire::JobSpec& spec, qint64 parameters, int lanes) {
    const auto shape = decoderShape(spec.model.config);
    if (!shape || parameters == 0)
        return 0;
    const double attention = double(shape->heads + shape->keyValueHeads) * shape->headDim;
    const double layer = 5.0 * shape->hidden + 3.0 * attention + 4.0 * shape->feedForward;
    const double tokens = double(lanes) * spec.train.sequenceLength;
    const double floats = tokens * (shape->layers * layer + 2.0 * shape->vocabulary);
    const double bytes = 16.0 * parameters + 4.0 * floats + 256.0 * (1 << 20);
    return bytes < 9e18 ? qint64(bytes) : 0;
}

Expected<void> placeRanks(const wire::JobSpec& spec, const QList<Candidate>& candidates, Plan& plan) {
    for (const Candidate& candidate : candidates) {
        PlannedNode node;
        node.host = candidate.host;
        node.index = int(plan.nodes.size());
        node.base = candidate.inventory.base;
        node.firstRank = plan.worldSize;
        node.rankCount = std::max(1, spec.ranksPerNode);
        if (plan.runtime != QStringLiteral("cpu")) {
            const QList<int> gpus = usableGpus(candidate.inventory);
            const QString name = candidate.host.toString();
            if (gpus.isEmpty())
                return cannotPlan(name,
                                  QStringLiteral("runtime: %1 needs a GPU, and the node has none that works")
                                      .arg(plan.runtime),
                                  QStringLiteral("Leave the node out, or set runtime to \"cpu\""));
            if (spec.ranksPerNode > gpus.size())
                return cannotPlan(
                    name,
                    QStringLiteral("ranks_per_node: %1 ranks need as many GPUs, and %2 of the node's work")
                        .arg(spec.ranksPerNode)
                        .arg(gpus.size()),
                    QStringLiteral("Set ranks_per_node to 0 for one rank a usable GPU"));
            node.rankCount = spec.ranksPerNode > 0 ? spec.ranksPerNode : int(gpus.size());
            node.gpus = gpus.mid(0, node.rankCount);
        }
        const int cores = candidate.inventory.cores;
        node.threadsPerRank =
            spec.train.threadsPerRank > 0 ? spec.train.threadsPerRank : std::max(1, cores / node.rankCount);
        plan.worldSize += node.rankCount;
        plan.nodes.append(node);
    }
    return {};
}

Expected<void> placeAddresses(const QList<Candidate>& candidates, Plan& plan) {
    if (candidates.size() == 1) {
        plan.nodes[0].address = QStringLiteral("127.0.0.1");
        return {};
    }
    QList<Inventory> inventories;
    for (const Candidate& candidate : candidates)
        inventories.append(candidate.inventory);
    plan.subnet = commonSubnet(inventories);
    if (!plan.subnet)
        return cannotPlan(
            {}, QStringLiteral("nodes: there is no IPv4 network in which all of them have an address"),
            QStringLiteral("See the check \"subnet\", or leave out the node that differs"));
    for (PlannedNode& node : plan.nodes)
        if (const auto interface = interfaceIn(inventories[node.index], *plan.subnet)) {
            node.address = interface->address;
            node.interfaceName = interface->name;
        }
    return {};
}

} // namespace

Expected<Plan> makePlan(const wire::JobSpec& spec, const QList<Candidate>& nodes) {
    if (nodes.isEmpty())
        return cannotPlan({}, QStringLiteral("nodes: none is chosen"),
                          QStringLiteral("Choose at least one node"));
    QList<Inventory> inventories;
    QStringList names;
    for (const Candidate& candidate : nodes) {
        inventories.append(candidate.inventory);
        names.append(candidate.host.toString());
    }
    Plan plan;
    plan.spec = spec;
    const auto choice = chooseRuntime(QString::fromStdString(spec.runtime), names, inventories);
    plan.runtime = choice.runtime;
    plan.runtimeReason = choice.reason;
    if (auto placed = placeRanks(spec, nodes, plan); !placed)
        return tl::unexpected(placed.error());
    if (plan.worldSize > spec.train.globalBatch)
        return cannotPlan(
            {},
            QStringLiteral(
                "train.global_batch: %1 sequences cannot be dealt to %2 ranks, each needs at least one")
                .arg(spec.train.globalBatch)
                .arg(plan.worldSize),
            QStringLiteral("Set train.global_batch to at least %1, or use fewer ranks").arg(plan.worldSize));
    if (auto placed = placeAddresses(nodes, plan); !placed)
        return tl::unexpected(placed.error());
    for (PlannedNode& node : plan.nodes) {
        const auto first = wire::lanesOfRank(node.firstRank, plan.worldSize, spec.train.globalBatch);
        const auto last =
            wire::lanesOfRank(node.firstRank + node.rankCount - 1, plan.worldSize, spec.train.globalBatch);
        node.lanes = {first.first, last.first + last.count - first.first};
    }
    plan.tokensPerStep = qint64(spec.train.globalBatch) * spec.train.sequenceLength;
    plan.parameters = estimateParameters(spec.model.config);
    const int mostLanes = wire::lanesOfRank(0, plan.worldSize, spec.train.globalBatch).count;
    plan.memoryPerRank = estimateMemory(spec, plan.parameters, mostLanes);
    return plan;
}

const PlannedNode& nodeOfRank(const Plan& plan, int rank) {
    for (const PlannedNode& node : plan.nodes)
        if (rank < node.firstRank + node.rankCount)
            return node;
    return plan.nodes.last();
}

} // namespace coxswain::core
