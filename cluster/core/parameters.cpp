// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/core/plan.h"

namespace coxswain::core {
namespace {

using nlohmann::json;

/// What a family means where its config.json is silent (null counts as silent); transformers' defaults.
struct Family {
    const char* name;
    bool tied;
    bool qkvBias;
    bool qkNorm;
    int layerNorms;                                   ///< vectors of hidden size in a layer
    qint64 vocabulary, heads, keyValueHeads, headDim; ///< 0: must be given, or follows from others
};

constexpr Family families[] = {
    {"llama", false, false, false, 2, 0, 0, 0, 0},
    {"qwen2", false, true, false, 2, 0, 0, 0, 0},
    {"gemma3_text", true, false, true, 4, 262208, 8, 4, 256},
    {"hunyuan_v1_dense", false, false, true, 2, 0, 0, 0, 0},
};

qint64 whole(const json& config, const char* name, qint64 fallback) {
    const auto found = config.find(name);
    const bool good = found != config.end() && found->is_number_integer();
    const auto value = good ? found->get<qint64>() : fallback;
    return value >= 0 && value <= qint64(1) << 31 ? value : 0;
}

bool flag(const json& config, const char* name, bool fallback) {
    const auto found = config.find(name);
    return found != config.end() && found->is_boolean() ? found->get<bool>() : fallback;
}

} // namespace

std::optional<DecoderShape> decoderShape(const json& outer) {
    if (!outer.is_object())
        return std::nullopt;
    const auto nested = outer.find("text_config"); // of a conditional checkpoint
    const json& config = nested != outer.end() && nested->is_object() ? *nested : outer;
    std::string type =
        config.value("model_type", json()).is_string() ? config["model_type"].get<std::string>() : "";
    if (type == "gemma3")
        type = "gemma3_text";
    for (const Family& family : families) {
        if (type != family.name)
            continue;
        DecoderShape shape;
        shape.vocabulary = whole(config, "vocab_size", family.vocabulary);
        shape.hidden = whole(config, "hidden_size", 0);
        shape.feedForward = whole(config, "intermediate_size", 0);
        shape.layers = whole(config, "num_hidden_layers", 0);
        shape.heads = whole(config, "num_attention_heads", family.heads);
        shape.keyValueHeads =
            whole(config, "num_key_value_heads", family.keyValueHeads ? family.keyValueHeads : shape.heads);
        const qint64 even = shape.heads ? shape.hidden / shape.heads : 0;
        shape.headDim = whole(config, "head_dim", family.headDim ? family.headDim : even);
        shape.tied = flag(config, "tie_word_embeddings", family.tied);
        const bool allBiases = !family.qkvBias && flag(config, "attention_bias", false);
        shape.qkvBias = family.qkvBias || allBiases;
        shape.outputBias = allBiases;
        shape.feedForwardBias = flag(config, "mlp_bias", false);
        shape.qkNorm = family.qkNorm;
        shape.layerNorms = family.layerNorms;
        const bool complete = shape.vocabulary && shape.hidden && shape.feedForward && shape.layers &&
                              shape.heads && shape.keyValueHeads && shape.headDim;
        return complete ? std::optional(shape) : std::nullopt;
    }
    return std::nullopt;
}

qint64 estimateParameters(const json& config) {
    const auto shape = decoderShape(config);
    if (!shape)
        return 0;
    const DecoderShape& s = *shape;
    const double query = double(s.heads) * s.headDim;
    const double keyValue = double(s.keyValueHeads) * s.headDim;
    double layer = s.hidden * (query + 2 * keyValue) + query * s.hidden; // q, k, v, o
    layer += 3.0 * s.hidden * s.feedForward;                             // gate, up, down
    layer += double(s.layerNorms) * s.hidden + (s.qkNorm ? 2.0 * s.headDim : 0);
    layer += (s.qkvBias ? query + 2 * keyValue : 0) + (s.outputBias ? double(s.hidden) : 0);
    layer += s.feedForwardBias ? 2.0 * s.feedForward + s.hidden : 0;
    const double embeddings = double(s.vocabulary) * s.hidden * (s.tied ? 1 : 2);
    const double sum = embeddings + s.layers * layer + s.hidden;
    return sum < 9e15 ? qint64(sum) : 0; // exact in a double below 2^53
}

} // namespace coxswain::core
