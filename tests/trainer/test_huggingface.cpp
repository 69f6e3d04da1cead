// SPDX-License-Identifier: Apache-2.0
#include "tests/trainer/temporaryfolder.h"
#include "tests/trainer/tinymodel.h"
#include "trainer/dist/errors.h"
#include "trainer/model/huggingface.h"
#include "trainer/model/safetensors.h"

#include <gtest/gtest.h>

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
    const json config = readConfig(folder);
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
    Decoder loaded = like(readConfig(folder));
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
    EXPECT_EQ(readConfig(folder).at("dtype"), "float32");
    EXPECT_FALSE(readConfig(folder).contains("torch_dtype"));
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
    map[all[0].name] = "c.safetensors";
    m_folder.write("model.safetensors.index.json", json{{"weight_map", map}}.dump());
    expectRefused(loaded, m_folder.path(), "c.safetensors: cannot be read");
    m_folder.write("model.safetensors.index.json", "{");
    expectRefused(loaded, m_folder.path(), "not a JSON object");
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
    EXPECT_THROW(readConfig(m_folder.path() / "missing"), TrainerError);
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
