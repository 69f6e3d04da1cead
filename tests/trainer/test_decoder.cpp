// SPDX-License-Identifier: Apache-2.0
#include "tests/trainer/tinymodel.h"
#include "trainer/dist/errors.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>

namespace coxswain::trainer {
namespace {

using nlohmann::json;
using tests::largestDifference;
using tests::tinyConfig;

at::Tensor integers(const json& rows) {
    const auto list = rows.get<std::vector<std::vector<std::int64_t>>>();
    std::vector<at::Tensor> tensors;
    for (const auto& row : list)
        tensors.push_back(torch::tensor(row, at::kLong));
    return at::stack(tensors);
}

// golden.py says how these were made: by transformers, with the same weights.
TEST(Golden, logitsLossAndGradientsAreThoseOfTransformers) {
    std::ifstream file(GOLDEN_FILE);
    const json golden = json::parse(file);
    ASSERT_EQ(golden.size(), 3u);
    for (const auto& model : golden) {
        SCOPED_TRACE(model.at("title").get<std::string>());
        Decoder decoder(parseDecoderConfig(model.at("config")), at::kCPU);
        tests::fillLikeGolden(decoder);
        const auto ids = integers(model.at("ids"));
        const auto expected = torch::tensor(model.at("logits").get<std::vector<float>>());
        EXPECT_LT(largestDifference(decoder.logits(ids).flatten(), expected), 2e-6);

        const at::Tensor loss = decoder.lossSum(ids, integers(model.at("labels")));
        EXPECT_NEAR(loss.item<double>(), model.at("loss_sum").get<double>(), 1e-4);
        loss.backward();
        const auto norms = model.at("gradient_norms").get<std::map<std::string, double>>();
        ASSERT_EQ(norms.size(), decoder.parameters().size());
        for (const auto& [name, tensor] : decoder.parameters()) {
            const double norm = tensor.grad().to(at::kDouble).norm().item<double>();
            EXPECT_NEAR(norm, norms.at(name), 1e-5 + 2e-5 * norms.at(name)) << name;
        }
    }
}

TEST(Decoder, gradientsAreThoseOfFiniteDifferences) {
    Decoder decoder(parseDecoderConfig(tinyConfig(false, 31)), at::kCPU);
    tests::fillLikeGolden(decoder);
    const auto ids = torch::tensor({{3, 1, 4, 1, 5, 9, 2, 6}}, at::kLong);
    const auto labels = torch::tensor({{1, 4, 1, 5, 9, 2, 6, -100}}, at::kLong);
    decoder.lossSum(ids, labels).backward();
    for (const auto& [name, tensor] : decoder.parameters()) {
        // Along the gradient itself: the largest change, so that fp32 resolves it.
        const at::Tensor gradient = tensor.grad().clone();
        const double norm = gradient.norm().item<double>();
        if (norm < 1e-3)
            continue; // a key's bias changes nothing under softmax
        const at::NoGradGuard noGrad;
        const at::Tensor direction = gradient / norm;
        const double h = 1e-2;
        tensor.add_(direction, h);
        const double above = decoder.lossSum(ids, labels).item<double>();
        tensor.add_(direction, -2 * h);
        const double below = decoder.lossSum(ids, labels).item<double>();
        tensor.add_(direction, h);
        EXPECT_NEAR((above - below) / (2 * h), norm, 0.02 * norm + 2e-3) << name;
    }
}

TEST(Decoder, looksOnlyBack) {
    Decoder decoder(parseDecoderConfig(tinyConfig()), at::kCPU);
    tests::fillLikeGolden(decoder);
    const auto ids = torch::randint(0, 258, {2, 10}, at::kLong);
    auto changed = ids.clone();
    changed.index_put_({torch::indexing::Slice(), 6}, 7);
    const auto before = decoder.logits(ids);
    const auto after = decoder.logits(changed);
    EXPECT_LT(largestDifference(before.narrow(1, 0, 6), after.narrow(1, 0, 6)), 1e-6);
    EXPECT_GT(largestDifference(before.narrow(1, 6, 4), after.narrow(1, 6, 4)), 1e-4);
}

TEST(Decoder, lossLeavesOutWhatIsNoTarget) {
    Decoder decoder(parseDecoderConfig(tinyConfig()), at::kCPU);
    tests::fillLikeGolden(decoder);
    const auto ids = torch::randint(0, 258, {2, 6}, at::kLong);
    const auto labels = torch::randint(0, 258, {2, 6}, at::kLong);
    const auto whole = -at::log_softmax(decoder.logits(ids), -1).gather(-1, labels.unsqueeze(-1)).squeeze(-1);
    EXPECT_NEAR(decoder.lossSum(ids, labels).item<double>(), whole.sum().item<double>(), 1e-3);
    auto masked = labels.clone();
    masked.select(0, 1).fill_(-100);
    EXPECT_NEAR(decoder.lossSum(ids, masked).item<double>(), whole.select(0, 0).sum().item<double>(), 1e-3);
    masked.fill_(-100);
    const auto nothing = decoder.lossSum(ids, masked);
    EXPECT_EQ(nothing.item<double>(), 0);
    nothing.backward(); // a rank without targets still takes part
    EXPECT_EQ(decoder.parameters().front().tensor.grad().abs().max().item<double>(), 0);
}

TEST(Decoder, initialValuesComeFromSeedAndName) {
    const auto config = parseDecoderConfig(tinyConfig(false));
    Decoder first(config, at::kCPU), same(config, at::kCPU), other(config, at::kCPU);
    first.initialize(1);
    same.initialize(1);
    other.initialize(2);
    auto taller = tinyConfig(false);
    taller["num_hidden_layers"] = 3;
    Decoder more(parseDecoderConfig(taller), at::kCPU);
    more.initialize(1);
    std::map<std::string, at::Tensor> others, mores;
    for (const auto& [name, tensor] : other.parameters())
        others[name] = tensor;
    for (const auto& [name, tensor] : more.parameters())
        mores[name] = tensor;
    for (std::size_t i = 0; i < first.parameters().size(); ++i) {
        const auto& [name, tensor] = first.parameters()[i];
        EXPECT_TRUE(at::equal(tensor, same.parameters()[i].tensor)) << name;
        EXPECT_TRUE(at::equal(tensor, mores.at(name))) << name << " depends on the number of layers";
        if (name.ends_with(".bias")) {
            EXPECT_EQ(tensor.abs().max().item<double>(), 0) << name;
        } else if (tensor.dim() == 1) {
            EXPECT_EQ((tensor - 1).abs().max().item<double>(), 0) << name;
        } else {
            EXPECT_NEAR(tensor.std().item<double>(), 0.02, 0.002) << name;
            EXPECT_NEAR(tensor.mean().item<double>(), 0, 0.003) << name;
            EXPECT_FALSE(at::equal(tensor, others.at(name))) << name;
        }
    }
}

TEST(Decoder, namesAndShapesAreHuggingFaces) {
    Decoder tied(parseDecoderConfig(tinyConfig(true)), at::kCPU);
    Decoder untied(parseDecoderConfig(tinyConfig(false)), at::kCPU);
    EXPECT_EQ(untied.parameters().size(), tied.parameters().size() + 1);
    EXPECT_EQ(untied.parameterCount(), tied.parameterCount() + 258 * 32);
    std::map<std::string, std::vector<std::int64_t>> shapes;
    for (const auto& [name, tensor] : untied.parameters())
        shapes[name] = tensor.sizes().vec();
    EXPECT_EQ(shapes.at("model.layers.1.self_attn.k_proj.weight"), (std::vector<std::int64_t>{16, 32}));
    EXPECT_EQ(shapes.at("model.layers.1.mlp.down_proj.weight"), (std::vector<std::int64_t>{32, 48}));
    EXPECT_EQ(shapes.at("lm_head.weight"), (std::vector<std::int64_t>{258, 32}));
}

} // namespace
} // namespace coxswain::trainer
