// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace coxswain::trainer {

/// What one forward pass takes: sequences laid end to end, without padding.
struct MicroBatch {
    std::vector<std::int64_t> ids; ///< [tokens]
    std::vector<std::int64_t>
        labels; ///< [tokens]: labels[t] is what follows ids[t]; -100 where nothing is learned
    std::vector<std::int64_t> lengths; ///< of the sequences; their sum is the number of tokens
};

/// What one rank feeds into one optimizer step: the sequences of its lanes, in micro-batches.
struct StepBatch {
    std::vector<MicroBatch> micro; ///< at least one
    std::int64_t targets = 0;      ///< labels that are not -100, in all micro-batches
};

} // namespace coxswain::trainer
