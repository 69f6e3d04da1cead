// SPDX-License-Identifier: Apache-2.0
#include "trainer/model/decoderconfig.h"

#include "trainer/dist/errors.h"

#include <cmath>
#include <optional>

namespace coxswain::trainer {
namespace {

using nlohmann::json;

[[noreturn]] void bad(const std::string& message) {
    throw TrainerError(wire::ExitCode::BadModel, "config.json: " + message);
}

/// The value of a key; nothing where it is absent or null.
template <class T>
std::optional<T> find(const json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end() || found->is_null())
        return std::nullopt;
    const bool fits = std::is_same_v<T, bool>          ? found->is_boolean()
                      : std::is_same_v<T, std::string> ? found->is_string()
                      : std::is_integral_v<T>          ? found->is_number_integer()
                                                       : found->is_number();
    if (!fits)
        bad(std::string("\"") + key + "\" has an unexpected type: " + found->dump());
    return found->get<T>();
}

std::int64_t positive(const json& object, const char* key) {
    const auto value = find<std::int64_t>(object, key);
    if (!value)
        bad(std::string("\"") + key + "\" is missing");
    if (*value < 1)
        bad(std::string("\"") + key + "\": expected a positive number, found " + std::to_string(*value));
    return *value;
}

/// transformers 4 writes rope_theta and rope_scaling, transformers 5 rope_parameters; some files mix both.
double ropeTheta(const json& object) {
    const json none = json::object();
    const auto inner = [&](const char* key) -> const json& {
        const auto found = object.find(key);
        return found != object.end() && found->is_object() ? *found : none;
    };
    for (const char* key : {"rope_parameters", "rope_scaling"}) {
        const json& rope = inner(key);
        auto type = find<std::string>(rope, "rope_type");
        if (!type)
            type = find<std::string>(rope, "type");
        if (type && *type != "default")
            bad(std::string("\"") + key + "\": rope type \"" + *type +
                "\" is not supported; expected \"default\"");
    }
    if (const auto theta = find<double>(inner("rope_parameters"), "rope_theta"))
        return *theta;
    return find<double>(object, "rope_theta").value_or(10000);
}

} // namespace

DecoderConfig parseDecoderConfig(const json& config) {
    if (!config.is_object())
        bad("expected an object");
    DecoderConfig c;
    c.original = config;
    c.modelType = find<std::string>(config, "model_type").value_or("");
    if (c.modelType != "qwen2" && c.modelType != "llama")
        bad("model_type \"" + c.modelType + "\" is not supported; expected \"qwen2\" or \"llama\"");
    if (const auto activation = find<std::string>(config, "hidden_act"); activation && *activation != "silu")
        bad("hidden_act \"" + *activation + "\" is not supported; expected \"silu\"");
    if (find<bool>(config, "use_sliding_window").value_or(false))
        bad("use_sliding_window is not supported");
    if (const auto types = config.find("layer_types"); types != config.end() && types->is_array())
        for (const auto& type : *types)
            if (type != "full_attention")
                bad("layer_types: " + type.dump() + " is not supported; expected \"full_attention\"");
    if (find<bool>(config, "mlp_bias").value_or(false))
        bad("mlp_bias is not supported");
    c.vocabularySize = positive(config, "vocab_size");
    c.hiddenSize = positive(config, "hidden_size");
    c.intermediateSize = positive(config, "intermediate_size");
    c.layers = positive(config, "num_hidden_layers");
    c.heads = positive(config, "num_attention_heads");
    c.keyValueHeads = find<std::int64_t>(config, "num_key_value_heads").value_or(c.heads);
    c.headDimension = find<std::int64_t>(config, "head_dim").value_or(c.hiddenSize / c.heads);
    c.maximumPositions = find<std::int64_t>(config, "max_position_embeddings").value_or(2048);
    c.normEpsilon = find<double>(config, "rms_norm_eps").value_or(1e-6);
    c.ropeTheta = ropeTheta(config);
    c.attentionScale = 1 / std::sqrt(static_cast<double>(c.headDimension));
    c.initializerRange = find<double>(config, "initializer_range").value_or(0.02);
    c.tiedEmbeddings = find<bool>(config, "tie_word_embeddings").value_or(false);
    const bool attentionBias = find<bool>(config, "attention_bias").value_or(false);
    if (c.modelType == "llama" && attentionBias)
        bad("attention_bias is not supported for llama");
    c.queryKeyValueBias = c.modelType == "qwen2";
    if (c.keyValueHeads < 1 || c.heads % c.keyValueHeads != 0)
        bad("num_attention_heads must be a multiple of num_key_value_heads");
    if (c.headDimension < 2 || c.headDimension % 2 != 0)
        bad("head_dim must be even");
    return c;
}

} // namespace coxswain::trainer
