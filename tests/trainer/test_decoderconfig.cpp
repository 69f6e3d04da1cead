// SPDX-License-Identifier: Apache-2.0
#include "trainer/dist/errors.h"
#include "trainer/model/decoderconfig.h"

#include <gtest/gtest.h>

namespace coxswain::trainer {
namespace {

using nlohmann::json;

json base(const char* modelType = "qwen2") {
    return {{"model_type", modelType},  {"vocab_size", 258},       {"hidden_size", 64},
            {"intermediate_size", 128}, {"num_hidden_layers", 3},  {"num_attention_heads", 4},
            {"rms_norm_eps", 1e-5},     {"num_key_value_heads", 2}};
}

json with(json config, const char* key, json value) {
    config[key] = std::move(value);
    return config;
}

TEST(DecoderConfig, qwen2) {
    const auto c = parseDecoderConfig(base());
    EXPECT_EQ(c.modelType, "qwen2");
    EXPECT_EQ(c.headDimension, 16);
    EXPECT_EQ(c.keyValueHeads, 2);
    EXPECT_DOUBLE_EQ(c.attentionScale, 0.25);
    EXPECT_DOUBLE_EQ(c.normEpsilon, 1e-5);
    EXPECT_TRUE(c.queryKeyValueBias);
    EXPECT_FALSE(c.tiedEmbeddings);
    EXPECT_EQ(c.original, base());
}

TEST(DecoderConfig, llama) {
    const auto c = parseDecoderConfig(with(with(base("llama"), "head_dim", 32), "tie_word_embeddings", true));
    EXPECT_EQ(c.headDimension, 32);
    EXPECT_FALSE(c.queryKeyValueBias);
    EXPECT_TRUE(c.tiedEmbeddings);
}

TEST(DecoderConfig, bothDialectsOfTheirRotation) {
    const std::pair<json, double> rows[] = {
        {base(), 10000},
        {with(base(), "rope_theta", 5000), 5000},
        {with(base(), "rope_parameters", {{"rope_type", "default"}, {"rope_theta", 7000.0}}), 7000},
        {with(with(base(), "rope_parameters", {{"rope_theta", 7000.0}}), "rope_theta", 5000), 7000},
        {with(with(base(), "rope_parameters", {{"rope_type", "default"}}), "rope_theta", 5000), 5000},
        {with(with(base(), "rope_scaling", nullptr), "rope_theta", 5000), 5000},
        {with(with(base(), "rope_scaling", {{"type", "default"}}), "rope_theta", 5000), 5000},
        {with(base(), "rope_theta", nullptr), 10000},
    };
    for (const auto& [config, theta] : rows)
        EXPECT_DOUBLE_EQ(parseDecoderConfig(config).ropeTheta, theta) << config;
}

TEST(DecoderConfig, nullsCountAsAbsent) {
    auto config = base();
    for (const char* key :
         {"num_key_value_heads", "head_dim", "hidden_act", "sliding_window", "use_sliding_window",
          "rope_scaling", "rope_parameters", "attention_bias", "mlp_bias", "layer_types",
          "tie_word_embeddings", "initializer_range", "max_position_embeddings"})
        config[key] = nullptr;
    const auto c = parseDecoderConfig(config);
    EXPECT_EQ(c.keyValueHeads, 4);
    EXPECT_DOUBLE_EQ(c.initializerRange, 0.02);
}

TEST(DecoderConfig, faultsNameTheKey) {
    const std::pair<json, const char*> rows[] = {
        {json(), "expected an object"},
        {json::array(), "expected an object"},
        {json::object(), "model_type"},
        {with(base(), "model_type", "gpt2"), R"("gpt2" is not supported; expected "qwen2" or "llama")"},
        {with(base(), "model_type", 5), "model_type"},
        {with(base(), "vocab_size", nullptr), "vocab_size"},
        {with(base(), "hidden_size", 0), "hidden_size"},
        {with(base(), "hidden_size", "64"), "hidden_size"},
        {with(base(), "num_hidden_layers", 2.5), "num_hidden_layers"},
        {with(base(), "num_key_value_heads", 3), "num_key_value_heads"},
        {with(base(), "num_key_value_heads", 0), "num_key_value_heads"},
        {with(base(), "head_dim", 15), "head_dim must be even"},
        {with(base(), "head_dim", -2), "head_dim"},
        {with(base(), "hidden_act", "gelu"), "hidden_act"},
        {with(base(), "use_sliding_window", true), "use_sliding_window"},
        {with(base(), "layer_types", json{"full_attention", "sliding_attention"}), "layer_types"},
        {with(base("llama"), "attention_bias", true), "attention_bias"},
        {with(base("llama"), "mlp_bias", true), "mlp_bias"},
        {with(base(), "rope_scaling", {{"type", "linear"}, {"factor", 2}}), "\"linear\" is not supported"},
        {with(base(), "rope_parameters", {{"rope_type", "llama3"}}), "\"llama3\" is not supported"},
        {with(base(), "rope_theta", "big"), "rope_theta"},
    };
    for (const auto& [config, says] : rows) {
        try {
            parseDecoderConfig(config);
            ADD_FAILURE() << "accepted " << config;
        } catch (const TrainerError& error) {
            EXPECT_EQ(error.code(), wire::ExitCode::BadModel);
            EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
        }
    }
}

} // namespace
} // namespace coxswain::trainer
