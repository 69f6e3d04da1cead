// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace coxswain::trainer {

enum class Activation { Silu, GeluTanh };

/// Where queries and keys are normalised, head by head.
enum class QueryKeyNorm { None, BeforeRotation, AfterRotation };

/// Rotary frequencies theta^(-2i/d) / factor.
struct Rotation {
    double theta = 10000;
    double factor = 1;
    bool operator==(const Rotation&) const = default;
};

/// A decoder described by data, as read from a Hugging Face config.json. Families differ by these values
/// only.
struct DecoderConfig {
    std::string modelType; ///< "qwen2", "llama", "gemma3_text", "hunyuan_v1_dense"
    std::int64_t vocabularySize = 0;
    std::int64_t hiddenSize = 0;
    std::int64_t intermediateSize = 0;
    std::int64_t layers = 0;
    std::int64_t heads = 0;
    std::int64_t keyValueHeads = 0;
    std::int64_t headDimension = 0;
    std::int64_t maximumPositions = 0;
    /// Its embedding learns nothing from being looked up, as in transformers; -1: none.
    std::int64_t paddingToken = -1;
    double normEpsilon = 1e-6;
    double attentionScale = 0; ///< factor of the scores
    double embeddingScale = 1; ///< factor of the embeddings
    double initializerRange = 0.02;
    std::optional<double> logitSoftcap; ///< logits become cap · tanh(logits / cap)
    Activation activation = Activation::Silu;
    QueryKeyNorm queryKeyNorm = QueryKeyNorm::None;
    bool tiedEmbeddings = false;
    bool queryKeyValueBias = false;
    bool normPlusOne = false;            ///< a norm's factor is 1 + its weight
    bool normsAroundFeedForward = false; ///< attention and feed-forward are each normalised before and after
    Rotation rotation;
    /// Layers whose attention looks back slidingWindow positions, the token itself included; empty: none.
    std::vector<bool> slidingLayers;
    std::int64_t slidingWindow = 0;
    Rotation slidingRotation;
    bool insideConditional = false; ///< the language model of a model that also sees images
    nlohmann::json original;        ///< config.json as it was; written back unchanged

    bool isSliding(std::int64_t layer) const {
        return !slidingLayers.empty() && slidingLayers[static_cast<std::size_t>(layer)];
    }
};

/// Understands both dialects (transformers 4 and 5, models.md) and their mixture; JSON nulls count as absent.
/// Throws TrainerError(BadModel) that names the key, what was expected and what was found.
DecoderConfig parseDecoderConfig(const nlohmann::json& config);

} // namespace coxswain::trainer
