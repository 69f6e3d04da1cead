// SPDX-License-Identifier: Apache-2.0
#include "tests/trainer/temporaryfolder.h"
#include "tests/trainer/tinymodel.h"
#include "trainer/dist/errors.h"
#include "trainer/model/huggingface.h"
#include "trainer/model/safetensors.h"

#include <gtest/gtest.h>

#include <cstring>

namespace coxswain::trainer {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using tests::tinyConfig;

std::size_t entriesOf(const fs::path& folder) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

class HuggingFace : public testing::Test {
protected:
    HuggingFace() : m_decoder(parseDecoderConfig(tinyConfig(false)), at::kCPU) { m_decoder.initialize(1); }

    static Decoder like(const json& config) { return Decoder(parseDecoderConfig(config), at::kCPU); }

    static void expectSame(const Decoder& a, const Decoder& b) {
        ASSERT_EQ(a.parameters().size(), b.parameters().size());
        for (std::size_t i = 0; i < a.parameters().size(); ++i)
            EXPECT_TRUE(at::equal(a.parameters()[i].tensor, b.parameters()[i].tensor))
                << a.parameters()[i].name;
    }

    void expectRefused(const Decoder& decoder, const fs::path& folder, const std::string& says) {
        try {
            loadHuggingFace(decoder, folder);
            ADD_FAILURE() << "accepted, expected: " << says;
        } catch (const TrainerError& error) {
            EXPECT_EQ(error.code(), wire::ExitCode::BadModel);
            EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
        }
    }

    /// Writes these parameters, as `type`, into a file of `folder`.
    static void writeSome(const fs::path& file, const std::vector<Parameter>& parameters, at::ScalarType type,
                          const char* typeName) {
        std::vector<at::Tensor> held;
        std::vector<std::pair<std::string, TensorView>> views;
        for (const auto& [name, tensor] : parameters) {
            held.push_back(tensor.detach().to(type));
            views.push_back(
                {name, {typeName, tensor.sizes().vec(), held.back().const_data_ptr(), held.back().nbytes()}});
        }
        writeSafetensors(file, views);
    }

    tests::TemporaryFolder m_folder;
    Decoder m_decoder;
};

TEST_F(HuggingFace, comesBackAsSaved) {
    const auto folder = m_folder.path() / "model";
    saveHuggingFace(m_decoder, folder);
    const json config = readDecoderConfig(folder).original;
    EXPECT_EQ(config.at("architectures"), json{"Qwen2ForCausalLM"});
    EXPECT_EQ(config.at("torch_dtype"), "float32");
    EXPECT_EQ(config.at("hidden_size"), 32);
    Decoder loaded = like(config);
    loadHuggingFace(loaded, folder);
    expectSame(loaded, m_decoder);
    EXPECT_EQ(entriesOf(m_folder.path()), 1u) << "nothing is left beside the folder";
    EXPECT_EQ(entriesOf(folder), 2u);
}

TEST_F(HuggingFace, aNewerModelReplacesTheOlder) {
    const auto folder = m_folder.path() / "model";
    saveHuggingFace(m_decoder, folder);
    fs::create_directories(m_folder.path() / "model.partial" / "left by a crash");
    m_decoder.initialize(2);
    saveHuggingFace(m_decoder, folder);
    Decoder loaded = like(readDecoderConfig(folder).original);
    loadHuggingFace(loaded, folder);
    expectSame(loaded, m_decoder);
    EXPECT_EQ(entriesOf(m_folder.path()), 1u);
}

TEST_F(HuggingFace, theTypeIsSaidInTheConfigsOwnDialect) {
    auto config = tinyConfig();
    config["dtype"] = "bfloat16"; // what was loaded; what is saved is fp32
    Decoder decoder = like(config);
    decoder.initialize(1);
    const auto folder = m_folder.path() / "model";
    saveHuggingFace(decoder, folder);
    EXPECT_EQ(readDecoderConfig(folder).original.at("dtype"), "float32");
    EXPECT_FALSE(readDecoderConfig(folder).original.contains("torch_dtype"));
}

TEST_F(HuggingFace, shardedFoldersAndHalfTypesAreRead) {
    std::vector<Parameter> all = m_decoder.parameters();
    const std::vector<Parameter> front(all.begin(), all.begin() + 5), back(all.begin() + 5, all.end());
    writeSome(m_folder.path() / "a.safetensors", front, at::kBFloat16, "BF16");
    writeSome(m_folder.path() / "b.safetensors", back, at::kHalf, "F16");
    json map = json::object();
    for (const auto& parameter : front)
        map[parameter.name] = "a.safetensors";
    for (const auto& parameter : back)
        map[parameter.name] = "b.safetensors";
    m_folder.write("model.safetensors.index.json", json{{"weight_map", map}}.dump());
    Decoder loaded = like(tinyConfig(false));
    loadHuggingFace(loaded, m_folder.path());
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto type = i < 5 ? at::kBFloat16 : at::kHalf;
        EXPECT_TRUE(at::equal(loaded.parameters()[i].tensor, all[i].tensor.to(type).to(at::kFloat)))
            << all[i].name;
    }
    map[all[0].name] = "../a.safetensors";
    m_folder.write("model.safetensors.index.json", json{{"weight_map", map}}.dump());
    expectRefused(loaded, m_folder.path(), "outside of its folder");
    map[all[0].name] = "b.safetensors";
    m_folder.write("model.safetensors.index.json", json{{"weight_map", map}, {"metadata", {}}}.dump());
    map["lost"] = "a.safetensors";
    m_folder.write("model.safetensors.index.json", json{{"weight_map", map}}.dump());
    expectRefused(loaded, m_folder.path(), "a.safetensors has no tensor lost");
    map[all[0].name] = "c.safetensors";
    m_folder.write("model.safetensors.index.json", json{{"weight_map", map}}.dump());
    expectRefused(loaded, m_folder.path(), "c.safetensors: cannot be read");
    m_folder.write("model.safetensors.index.json", "{");
    expectRefused(loaded, m_folder.path(), "not a JSON object");
}

/// Hunyuan-MT has shipped a head although it says that the embedding is one.
TEST_F(HuggingFace, aHeadThatDiffersFromItsEmbeddingCounts) {
    auto parameters = m_decoder.parameters(); // with a head of its own
    m_folder.write("config.json", tinyConfig(true).dump());
    m_folder.write("tokenizer.json", "{}");
    writeSome(m_folder.path() / "model.safetensors", parameters, at::kFloat, "F32");
    const auto untied = readDecoderConfig(m_folder.path());
    EXPECT_FALSE(untied.tiedEmbeddings);
    Decoder loaded(untied, at::kCPU);
    loadHuggingFace(loaded, m_folder.path());
    expectSame(loaded, m_decoder);
    const auto saved = m_folder.path() / "saved";
    saveHuggingFace(loaded, saved, m_folder.path());
    EXPECT_EQ(readDecoderConfig(saved).original.at("tie_word_embeddings"), false);
    EXPECT_TRUE(fs::exists(saved / "tokenizer.json"));

    for (auto& parameter : parameters)
        if (parameter.name == "lm_head.weight")
            parameter.tensor = parameters.front().tensor;
    writeSome(m_folder.path() / "model.safetensors", parameters, at::kFloat, "F32");
    const auto tied = readDecoderConfig(m_folder.path());
    EXPECT_TRUE(tied.tiedEmbeddings);
    Decoder one(tied, at::kCPU);
    loadHuggingFace(one, m_folder.path());
    {
        const at::NoGradGuard noGrad;
        one.parameters().front().tensor.add_(1);
    }
    saveHuggingFace(one, saved, m_folder.path());
    EXPECT_FALSE(SafetensorsFile(saved / "model.safetensors").tensors().contains("lm_head.weight"))
        << "it would untie the saved model";
}

TEST_F(HuggingFace, aConditionalCheckpointKeepsWhatIsNotText) {
    const json text{{"vocab_size", 40},       {"hidden_size", 16},        {"intermediate_size", 24},
                    {"num_hidden_layers", 2}, {"num_attention_heads", 2}, {"num_key_value_heads", 1},
                    {"head_dim", 8},          {"sliding_window", 4}};
    const json config{{"model_type", "gemma3"},
                      {"text_config", text},
                      {"vision_config", {{"hidden_size", 2}}},
                      {"architectures", {"Gemma3ForConditionalGeneration"}},
                      {"dtype", "bfloat16"}};
    for (const std::string prefix : {"language_model.model.", "model.language_model.", "model."}) {
        SCOPED_TRACE(prefix);
        tests::TemporaryFolder folder;
        Decoder decoder(parseDecoderConfig(config), at::kCPU);
        decoder.initialize(3);
        auto parameters = decoder.parameters();
        for (auto& parameter : parameters)
            parameter.name = prefix + parameter.name.substr(6);
        parameters.push_back({"vision_tower.patch.weight", torch::randn({3, 5})});
        folder.write("config.json", config.dump());
        writeSome(folder.path() / "model.safetensors", parameters, at::kBFloat16, "BF16");
        const auto read = readDecoderConfig(folder.path());
        EXPECT_TRUE(read.insideConditional);
        EXPECT_TRUE(read.tiedEmbeddings);
        Decoder loaded(read, at::kCPU);
        loadHuggingFace(loaded, folder.path());
        const auto saved = folder.path() / "saved";
        saveHuggingFace(loaded, saved, folder.path());
        const SafetensorsFile before(folder.path() / "model.safetensors"), after(saved / "model.safetensors");
        EXPECT_EQ(after.tensors().size(), before.tensors().size());
        const auto& kept = after.tensors().at("vision_tower.patch.weight");
        EXPECT_EQ(kept.type, "BF16");
        EXPECT_EQ(std::memcmp(kept.data, before.tensors().at("vision_tower.patch.weight").data, kept.bytes),
                  0);
        EXPECT_EQ(after.tensors().at(prefix + "norm.weight").type, "F32");
        EXPECT_EQ(readDecoderConfig(saved).original.at("text_config").at("hidden_size"), 16);
        Decoder again(readDecoderConfig(saved), at::kCPU);
        loadHuggingFace(again, saved);
        expectSame(again, loaded);
    }
}

TEST_F(HuggingFace, faultsNameTheTensor) {
    const auto folder = m_folder.path() / "model";
    saveHuggingFace(m_decoder, folder);
    auto wider = tinyConfig(false);
    wider["intermediate_size"] = 64;
    expectRefused(like(wider), folder, "mlp.gate_proj.weight: expected 64×32, found 48×32");
    auto taller = tinyConfig(false);
    taller["num_hidden_layers"] = 3;
    expectRefused(like(taller), folder, "has no tensor model.layers.2.");
    writeSome(folder / "model.safetensors", m_decoder.parameters(), at::kDouble, "F64");
    expectRefused(m_decoder, folder, "has type F64");
    expectRefused(m_decoder, m_folder.path() / "missing", "missing");
    EXPECT_THROW(readDecoderConfig(m_folder.path() / "missing"), TrainerError);
}

TEST_F(HuggingFace, aPlaceThatCannotBeWrittenIsADiskError) {
    const auto file = m_folder.write("file", "x");
    try {
        saveHuggingFace(m_decoder, file / "model");
        FAIL() << "saved below a file";
    } catch (const TrainerError& error) {
        EXPECT_EQ(error.code(), wire::ExitCode::Disk);
    }
}

} // namespace
} // namespace coxswain::trainer
