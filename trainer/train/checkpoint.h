// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/model/decoder.h"
#include "trainer/train/adamw.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace coxswain::trainer {

/// What a training needs, beside model and optimizer, to go on where it was. The order of the data and the
/// learning rate follow from the step and these values.
struct TrainerState {
    std::int64_t step = 0; ///< optimizer steps that are done
    int worldSize = 1;
    std::int64_t seed = 0;
    int globalBatch = 0;
    int sequenceLength = 0;
    std::int64_t stepsPerEpoch = 0;
    std::string data;       ///< digest over all ranks' data; the same data has another on another world size
    nlohmann::json buckets; ///< BucketLayout
};

/// Saves the model as saveHuggingFace() does, with optimizer.safetensors and trainer_state.json beside it.
/// Either the whole folder appears or nothing. Throws TrainerError(Disk).
void saveCheckpoint(const Decoder& decoder, const AdamW& optimizer, const TrainerState& state,
                    const std::filesystem::path& folder, const std::filesystem::path& source);

struct LoadedCheckpoint {
    std::filesystem::path folder;
    TrainerState state;
    std::vector<std::string> damaged; ///< newer ones that were passed over, each with its fault
};

/// Fills decoder and optimizer from the checkpoint below `folder` with the most steps whose digests are those
/// that were saved; nothing where there is none. Throws TrainerError(BadModel) where all are damaged: to
/// begin again would throw away what they hold.
std::optional<LoadedCheckpoint> loadNewestCheckpoint(const Decoder& decoder, const AdamW& optimizer,
                                                     const std::filesystem::path& folder);

/// Deletes all but the `keep` (at least 1) newest of the step-<n> checkpoints below `folder`.
void deleteOldCheckpoints(const std::filesystem::path& folder, int keep);

} // namespace coxswain::trainer
