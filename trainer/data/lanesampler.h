// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/wire/shard.h"

#include <cstdint>
#include <string>
#include <vector>

namespace coxswain::trainer {

/// Gives each step its sequences: one from each of this rank's lanes (Note [Lanes] in wire/shard.h).
/// A lane's documents, each closed by eos, are one stream of tokens, cut into windows of sequenceLength
/// inputs whose labels are the inputs shifted by one. Windows of a lane come in an order shuffled for each
/// epoch by (seed, epoch, lane) alone.
class LaneSampler {
public:
    /// Throws TrainerError(BadData) when a lane of `lanes` holds not even one window.
    LaneSampler(const wire::Documents& documents, wire::LaneRange lanes, int sequenceLength,
                std::uint64_t seed);

    /// Windows in the shortest lane here. The least of all ranks is an epoch: see setStepsPerEpoch().
    std::int64_t shortestLane() const { return m_shortest; }
    /// The same on every rank, at least 1 and at most shortestLane(): so all ranks make equal steps.
    void setStepsPerEpoch(std::int64_t steps) { m_stepsPerEpoch = steps; }
    std::int64_t stepsPerEpoch() const { return m_stepsPerEpoch; }

    int laneCount() const { return static_cast<int>(m_lanes.size()); }
    int sequenceLength() const { return m_sequenceLength; }
    std::int64_t tokenCount() const;
    /// A digest of tokens and order, to compare between runs.
    std::string digest() const;

    /// Fills inputs and labels, both [laneCount, sequenceLength] row-major, for `step` (1 is the first).
    void fill(std::int64_t step, std::int64_t* inputs, std::int64_t* labels);
    /// Passes over the data that are done when `step` is: 1.5 is half way through the second.
    double epochAfter(std::int64_t step) const;

private:
    struct Lane {
        int number = 0;
        std::vector<std::uint16_t> tokens;
        std::vector<std::int64_t> order;
    };
    void beginEpoch(std::int64_t epoch);

    std::vector<Lane> m_lanes;
    int m_sequenceLength;
    std::uint64_t m_seed;
    std::int64_t m_shortest = 0;
    std::int64_t m_stepsPerEpoch = 0;
    std::int64_t m_epoch = -1;
};

} // namespace coxswain::trainer
