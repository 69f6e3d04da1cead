// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace coxswain::trainer {

/// A decoder described by data, as read from a Hugging Face config.json. Families differ by these values
/// only.
struct DecoderConfig {
    std::string modelType; ///< "qwen2", "llama"
    std::int64_t vocabularySize = 0;
    std::int64_t hiddenSize = 0;
    std::int64_t intermediateSize = 0;
    std::int64_t layers = 0;
    std::int64_t heads = 0;
    std::int64_t keyValueHeads = 0;
    std::int64_t headDimension = 0;
    std::int64_t maximumPositions = 0;
    double normEpsilon = 1e-6;
    double ropeTheta = 10000;
    double attentionScale = 0; ///< factor of the scores, head_dim^-0.5 here
    double initializerRange = 0.02;
    bool tiedEmbeddings = false;
    bool queryKeyValueBias = false;
    nlohmann::json original; ///< config.json as it was; written back unchanged
};

/// Understands both dialects (transformers 4 and 5, models.md); JSON nulls count as absent. Throws
/// TrainerError(BadModel) that names the key, what was expected and what was found.
DecoderConfig parseDecoderConfig(const nlohmann::json& config);

} // namespace coxswain::trainer
