// SPDX-License-Identifier: Apache-2.0
#include "trainer/dist/errors.h"
#include "trainer/model/decoderconfig.h"

#include <gtest/gtest.h>

#include <cmath>

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
        EXPECT_DOUBLE_EQ(parseDecoderConfig(config).rotation.theta, theta) << config;
}

// The shapes of the models that users have: values of models.md.
TEST(DecoderConfig, translateGemma27BMixesBothDialects) {
    const json text{{"model_type", "gemma3_text"},
                    {"hidden_size", 5376},
                    {"intermediate_size", 21504},
                    {"num_hidden_layers", 62},
                    {"num_attention_heads", 32},
                    {"num_key_value_heads", 16},
                    {"head_dim", 128},
                    {"query_pre_attn_scalar", 168},
                    {"sliding_window", 1024},
                    {"rope_parameters",
                     {{"full_attention", {{"rope_type", "linear"}, {"factor", 8.0}}},
                      {"sliding_attention", {{"rope_type", "default"}}}}},
                    {"rope_theta", 1000000.0},
                    {"rope_local_base_freq", 10000.0},
                    {"rope_scaling", nullptr},
                    {"final_logit_softcapping", nullptr},
                    {"_sliding_window_pattern", 6}};
    const auto c = parseDecoderConfig({{"model_type", "gemma3"}, {"text_config", text}});
    EXPECT_TRUE(c.insideConditional);
    EXPECT_EQ(c.vocabularySize, 262208);
    EXPECT_DOUBLE_EQ(c.attentionScale, 1 / std::sqrt(168.0));
    EXPECT_NEAR(c.embeddingScale, 73.321, 1e-3);
    EXPECT_EQ(c.rotation, (Rotation{1e6, 8}));
    EXPECT_EQ(c.slidingRotation, (Rotation{1e4, 1}));
    EXPECT_FALSE(c.logitSoftcap);
    EXPECT_TRUE(c.tiedEmbeddings);
    EXPECT_TRUE(c.normPlusOne);
    for (int layer = 0; layer < 62; ++layer)
        EXPECT_EQ(c.isSliding(layer), (layer + 1) % 6 != 0) << layer;
}

TEST(DecoderConfig, gemma3LeavesMuchToDefaults) {
    const json text{{"hidden_size", 2560},
                    {"intermediate_size", 10240},
                    {"num_hidden_layers", 34},
                    {"rope_scaling", {{"rope_type", "linear"}, {"factor", 8.0}}},
                    {"sliding_window", 1024}};
    const auto c = parseDecoderConfig({{"model_type", "gemma3"}, {"text_config", text}});
    EXPECT_EQ(c.heads, 8);
    EXPECT_EQ(c.keyValueHeads, 4);
    EXPECT_EQ(c.headDimension, 256);
    EXPECT_DOUBLE_EQ(c.attentionScale, 1 / 16.0);
    EXPECT_EQ(c.rotation, (Rotation{1e6, 8}));
    EXPECT_EQ(c.slidingRotation, (Rotation{1e4, 1}));
}

TEST(DecoderConfig, hunyuansDynamicRotationIsStatic) {
    auto config = base("hunyuan_v1_dense");
    config["head_dim"] = 128;
    config["rope_theta"] = 10000.0;
    config["rope_scaling"] = {{"type", "dynamic"}, {"alpha", 1000.0}, {"factor", 1.0}, {"mscale", 1.0}};
    const auto c = parseDecoderConfig(config);
    EXPECT_NEAR(c.rotation.theta, 10000 * std::pow(1000.0, 128.0 / 126), 1);
    EXPECT_EQ(c.queryKeyNorm, QueryKeyNorm::AfterRotation);
    EXPECT_EQ(parseDecoderConfig(base("hunyuan_v1_dense")).rotation.theta, 10000);
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
        {with(base(), "model_type", "gpt2"),
         R"("gpt2" is not supported; expected one of "qwen2", "llama", "gemma3_text")"},
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
        {with(base(), "rope_scaling", {{"type", "yarn"}, {"factor", 2}}), "\"yarn\" is not supported"},
        {with(base(), "rope_scaling", {{"type", "linear"}, {"factor", 0}}), "\"factor\""},
        {with(base(), "rope_scaling", {{"type", "dynamic"}, {"factor", 2}}), "with \"alpha\""},
        {with(base("gemma3_text"), "attn_logit_softcapping", 50.0), "attn_logit_softcapping"},
        {with(base("gemma3_text"), "use_bidirectional_attention", true), "use_bidirectional_attention"},
        {with(base("gemma3_text"), "hidden_activation", "gelu"), "hidden_activation"},
        {with(base("gemma3_text"), "layer_types", json{"full_attention"}), "layer_types: expected 3 entries"},
        {with(base("hunyuan_v1_dense"), "attention_bias", true), "attention_bias"},
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
