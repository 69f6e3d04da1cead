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

std::int64_t positive(const json& object, const char* key, std::optional<std::int64_t> otherwise = {}) {
    const auto found = find<std::int64_t>(object, key);
    const auto value = found ? found : otherwise;
    if (!value)
        bad(std::string("\"") + key + "\" is missing");
    if (*value < 1)
        bad(std::string("\"") + key + "\": expected a positive number, found " + std::to_string(*value));
    return *value;
}

double positiveNumber(const json& object, const char* key, double otherwise) {
    const double value = find<double>(object, key).value_or(otherwise);
    if (!(value > 0))
        bad(std::string("\"") + key + "\": expected a positive number, found " + std::to_string(value));
    return value;
}

void only(const json& object, const char* key, const std::string& expected) {
    if (const auto value = find<std::string>(object, key); value && *value != expected)
        bad(std::string(key) + " \"" + *value + "\" is not supported; expected \"" + expected + '"');
}

void never(const json& object, const char* key) {
    const auto value = object.find(key);
    if (value == object.end() || value->is_null() || *value == false)
        return;
    bad(std::string(key) + " is not supported; found " + value->dump());
}

/// The object at a key; an empty one where there is none.
const json& inner(const json& object, const char* key) {
    static const json none = json::object();
    const auto found = object.find(key);
    return found != object.end() && found->is_object() ? *found : none;
}

/// The first object that has `key` gives its value.
std::optional<double> firstOf(std::initializer_list<const json*> objects, const char* key) {
    for (const json* object : objects)
        if (const auto value = find<double>(*object, key))
            return value;
    return std::nullopt;
}

std::string ropeType(const json& rope) {
    for (const char* key : {"rope_type", "type"})
        if (const auto type = find<std::string>(rope, key))
            return *type;
    return "default";
}

/// What scales the rotation: "default", "linear" by a factor, and "dynamic" with a fixed alpha, which is
/// static (HunYuan).
void applyScaling(Rotation& rotation, const json& rope, const char* where, std::int64_t headDimension) {
    const std::string type = ropeType(rope);
    if (type == "default")
        return;
    if (type == "linear") {
        rotation.factor = positiveNumber(rope, "factor", 1);
        return;
    }
    const auto alpha = find<double>(rope, "alpha");
    if (type == "dynamic" && alpha && *alpha > 0) {
        const auto d = static_cast<double>(headDimension);
        rotation.theta *= std::pow(*alpha, d / (d - 2));
        return;
    }
    bad(std::string("\"") + where + "\": rope type \"" + type +
        "\" is not supported; expected \"default\", \"linear\", or \"dynamic\" with \"alpha\"");
}

/// transformers 4 writes rope_theta and rope_scaling, transformers 5 rope_parameters; some files mix both.
Rotation plainRotation(const json& config, std::int64_t headDimension) {
    const json& parameters = inner(config, "rope_parameters");
    const json& scaling = inner(config, "rope_scaling");
    Rotation rotation;
    rotation.theta = firstOf({&parameters, &config}, "rope_theta").value_or(10000);
    if (!(rotation.theta > 0))
        bad("\"rope_theta\": expected a positive number");
    if (ropeType(parameters) != "default" || scaling.empty())
        applyScaling(rotation, parameters, "rope_parameters", headDimension);
    else
        applyScaling(rotation, scaling, "rope_scaling", headDimension);
    return rotation;
}

void readQwen2(const json& config, DecoderConfig& c) {
    never(config, "use_sliding_window");
    c.queryKeyValueBias = true;
    c.rotation = plainRotation(config, c.headDimension);
}

void readLlama(const json& config, DecoderConfig& c) {
    never(config, "attention_bias");
    c.rotation = plainRotation(config, c.headDimension);
}

void readHunYuan(const json& config, DecoderConfig& c) {
    never(config, "attention_bias");
    never(config, "use_cla");
    c.queryKeyNorm = QueryKeyNorm::AfterRotation;
    c.rotation = plainRotation(config, c.headDimension);
}

void readGemma3(const json& config, DecoderConfig& c) {
    never(config, "attention_bias");
    never(config, "use_bidirectional_attention");
    never(config, "attn_logit_softcapping");
    c.activation = Activation::GeluTanh;
    c.queryKeyNorm = QueryKeyNorm::BeforeRotation;
    c.normPlusOne = true;
    c.normsAroundFeedForward = true;
    c.embeddingScale = std::sqrt(static_cast<double>(c.hiddenSize));
    c.attentionScale = 1 / std::sqrt(positiveNumber(config, "query_pre_attn_scalar", 256));
    if (const auto cap = find<double>(config, "final_logit_softcapping"))
        c.logitSoftcap = *cap;
    c.slidingWindow = positive(config, "sliding_window", 4096);

    const json& parameters = inner(config, "rope_parameters");
    const json& full = inner(parameters, "full_attention");
    const json& sliding = inner(parameters, "sliding_attention");
    c.rotation.theta = firstOf({&full, &config}, "rope_theta").value_or(1e6);
    c.slidingRotation.theta = find<double>(sliding, "rope_theta")
                                  .value_or(find<double>(config, "rope_local_base_freq").value_or(1e4));
    const json& scaling = inner(config, "rope_scaling");
    if (scaling.empty())
        applyScaling(c.rotation, full, "rope_parameters", c.headDimension);
    else
        applyScaling(c.rotation, scaling, "rope_scaling", c.headDimension);
    applyScaling(c.slidingRotation, sliding, "rope_parameters", c.headDimension);

    c.slidingLayers.resize(static_cast<std::size_t>(c.layers));
    const json types = config.value("layer_types", json());
    if (types.is_array()) {
        if (types.size() != c.slidingLayers.size())
            bad("layer_types: expected " + std::to_string(c.layers) + " entries, found " +
                std::to_string(types.size()));
        for (std::size_t i = 0; i < types.size(); ++i) {
            if (types[i] != "full_attention" && types[i] != "sliding_attention")
                bad("layer_types: " + types[i].dump() +
                    " is not supported; expected \"full_attention\" or \"sliding_attention\"");
            c.slidingLayers[i] = types[i] == "sliding_attention";
        }
        return;
    }
    std::int64_t pattern = 6;
    for (const char* key : {"sliding_window_pattern", "_sliding_window_pattern"})
        pattern = positive(config, key, pattern);
    for (std::size_t i = 0; i < c.slidingLayers.size(); ++i)
        c.slidingLayers[i] = (static_cast<std::int64_t>(i) + 1) % pattern != 0;
}

/// What differs from family to family. Defaults are transformers' where its files leave keys out.
struct Family {
    const char* modelType;
    const char* activationKey;
    const char* activation;
    double normEpsilon;
    bool tiedEmbeddings;
    std::optional<std::int64_t> vocabularySize, hiddenSize, intermediateSize, layers, heads, keyValueHeads,
        headDimension;
    std::int64_t maximumPositions, paddingToken;
    void (*read)(const json& config, DecoderConfig& c);
};

constexpr Family families[] = {
    {"qwen2", "hidden_act", "silu", 1e-6, false, {}, {}, {}, {}, {}, {}, {}, 2048, -1, readQwen2},
    {"llama", "hidden_act", "silu", 1e-6, false, {}, {}, {}, {}, {}, {}, {}, 2048, -1, readLlama},
    {"gemma3_text", "hidden_activation", "gelu_pytorch_tanh", 1e-6, true, 262208, 2304, 9216, 26, 8, 4, 256,
     131072, 0, readGemma3},
    {"hunyuan_v1_dense", "hidden_act", "silu", 1e-5, false, {}, {}, {}, {}, {}, {}, {}, 2048, 0, readHunYuan},
};

const Family& familyOf(const json& config) {
    const std::string type = find<std::string>(config, "model_type").value_or("");
    std::string known;
    for (const Family& family : families) {
        if (type == family.modelType)
            return family;
        known += (known.empty() ? "\"" : ", \"") + std::string(family.modelType) + '"';
    }
    bad("model_type \"" + type + "\" is not supported; expected one of " + known + ", \"gemma3\"");
}

DecoderConfig parseText(const json& config) {
    const Family& family = familyOf(config);
    only(config, family.activationKey, family.activation);
    never(config, "mlp_bias");
    DecoderConfig c;
    c.modelType = family.modelType;
    c.vocabularySize = positive(config, "vocab_size", family.vocabularySize);
    c.hiddenSize = positive(config, "hidden_size", family.hiddenSize);
    c.intermediateSize = positive(config, "intermediate_size", family.intermediateSize);
    c.layers = positive(config, "num_hidden_layers", family.layers);
    c.heads = positive(config, "num_attention_heads", family.heads);
    c.keyValueHeads =
        find<std::int64_t>(config, "num_key_value_heads").value_or(family.keyValueHeads.value_or(c.heads));
    c.headDimension = find<std::int64_t>(config, "head_dim")
                          .value_or(family.headDimension.value_or(c.hiddenSize / c.heads));
    c.maximumPositions = positive(config, "max_position_embeddings", family.maximumPositions);
    c.paddingToken = find<std::int64_t>(config, "pad_token_id").value_or(family.paddingToken);
    if (c.paddingToken < 0 || c.paddingToken >= c.vocabularySize)
        c.paddingToken = -1;
    c.normEpsilon = find<double>(config, "rms_norm_eps").value_or(family.normEpsilon);
    c.attentionScale = 1 / std::sqrt(static_cast<double>(c.headDimension));
    c.initializerRange = find<double>(config, "initializer_range").value_or(0.02);
    c.tiedEmbeddings = find<bool>(config, "tie_word_embeddings").value_or(family.tiedEmbeddings);
    if (c.keyValueHeads < 1 || c.heads % c.keyValueHeads != 0)
        bad("num_attention_heads must be a multiple of num_key_value_heads");
    if (c.headDimension < 4 || c.headDimension % 2 != 0)
        bad("head_dim must be even and at least 4");
    family.read(config, c);
    if (const auto types = config.find("layer_types");
        c.slidingLayers.empty() && types != config.end() && types->is_array())
        for (const auto& type : *types)
            if (type != "full_attention")
                bad("layer_types: " + type.dump() + " is not supported; expected \"full_attention\"");
    return c;
}

} // namespace

DecoderConfig parseDecoderConfig(const json& config) {
    if (!config.is_object())
        bad("expected an object");
    const bool conditional = find<std::string>(config, "model_type").value_or("") == "gemma3";
    json text = conditional ? inner(config, "text_config") : config;
    if (conditional) {
        text["model_type"] = "gemma3_text"; // some files leave it out
        if (const auto tied = find<bool>(config, "tie_word_embeddings"))
            text["tie_word_embeddings"] = *tied;
    }
    DecoderConfig c = parseText(text);
    c.insideConditional = conditional;
    c.original = config;
    return c;
}

} // namespace coxswain::trainer
