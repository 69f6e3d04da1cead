// SPDX-License-Identifier: Apache-2.0
#include "tests/trainer/tinymodel.h"
#include "trainer/dist/errors.h"
#include "trainer/model/crossentropy.h"

#include <gtest/gtest.h>

#include <malloc.h>

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
    ASSERT_EQ(golden.size(), 7u);
    for (const auto& model : golden) {
        SCOPED_TRACE(model.at("title").get<std::string>());
        Decoder decoder(parseDecoderConfig(model.at("config")), at::kCPU);
        tests::fillLikeGolden(decoder);
        const auto ids = Sequences::ofRows(integers(model.at("ids")));
        const auto expected = torch::tensor(model.at("logits").get<std::vector<float>>());
        EXPECT_LT(largestDifference(decoder.logits(ids).flatten(), expected),
                  1e-5 * expected.abs().max().item<double>());

        for (const bool checkpointing : {false, true}) {
            decoder.setGradientCheckpointing(checkpointing);
            for (const auto& parameter : decoder.parameters())
                parameter.tensor.mutable_grad() = at::Tensor();
            const at::Tensor loss = decoder.lossSum(ids, integers(model.at("labels")).flatten());
            EXPECT_NEAR(loss.item<double>(), model.at("loss_sum").get<double>(), 1e-4);
            loss.backward();
            const auto norms = model.at("gradient_norms").get<std::map<std::string, double>>();
            ASSERT_EQ(norms.size(), decoder.parameters().size());
            for (const auto& [name, tensor] : decoder.parameters()) {
                const double norm = tensor.grad().to(at::kDouble).norm().item<double>();
                EXPECT_NEAR(norm, norms.at(name), 1e-5 + 2e-5 * norms.at(name))
                    << name << (checkpointing ? ", with gradient checkpointing" : "");
            }
        }
    }
}

TEST(Decoder, gradientCheckpointingHoldsTheLayersInputsOnly) {
    at::set_num_threads(1); // mallinfo2() counts this thread's arena
    Decoder decoder(parseDecoderConfig(tinyConfig()), at::kCPU);
    decoder.initialize(1);
    const auto ids = Sequences::ofRows(torch::randint(0, 258, {64, 64}, at::kLong));
    const auto labels = torch::randint(0, 258, {64 * 64}, at::kLong);
    const auto held = [&](bool checkpointing) { // bytes that wait for backward
        decoder.setGradientCheckpointing(checkpointing);
        const auto inUse = [] {
            const auto info = ::mallinfo2();
            return static_cast<double>(info.uordblks + info.hblkhd);
        };
        const double before = inUse();
        const auto loss = decoder.lossSum(ids, labels);
        return inUse() - before;
    };
    held(false); // what is allocated once
    const double all = held(false), inputs = held(true);
    EXPECT_GT(all, 4096 * 32 * 4.0 * 20);
    EXPECT_LT(inputs, 0.4 * all);
}

TEST(Decoder, gradientsAreThoseOfFiniteDifferences) {
    Decoder decoder(parseDecoderConfig(tinyConfig(false, 31)), at::kCPU);
    tests::fillLikeGolden(decoder);
    const Sequences ids{torch::tensor({3, 1, 4, 1, 5, 9, 2, 6}, at::kLong), {8}};
    const auto labels = torch::tensor({1, 4, 1, 5, 9, 2, 6, -100}, at::kLong);
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
    const auto before = decoder.logits(Sequences::ofRows(ids)).view({2, 10, -1});
    const auto after = decoder.logits(Sequences::ofRows(changed)).view({2, 10, -1});
    EXPECT_LT(largestDifference(before.narrow(1, 0, 6), after.narrow(1, 0, 6)), 1e-6);
    EXPECT_GT(largestDifference(before.narrow(1, 6, 4), after.narrow(1, 6, 4)), 1e-4);
}

TEST(Decoder, lossLeavesOutWhatIsNoTarget) {
    Decoder decoder(parseDecoderConfig(tinyConfig()), at::kCPU);
    tests::fillLikeGolden(decoder);
    const auto ids = Sequences::ofRows(torch::randint(0, 258, {2, 6}, at::kLong));
    const auto labels = torch::randint(0, 258, {2, 6}, at::kLong);
    const auto logits = decoder.logits(ids).view({2, 6, -1});
    const auto whole = -at::log_softmax(logits, -1).gather(-1, labels.unsqueeze(-1)).squeeze(-1);
    EXPECT_NEAR(decoder.lossSum(ids, labels.flatten()).item<double>(), whole.sum().item<double>(), 1e-3);
    auto masked = labels.clone();
    masked.select(0, 1).fill_(-100);
    EXPECT_NEAR(decoder.lossSum(ids, masked.flatten()).item<double>(),
                whole.select(0, 0).sum().item<double>(), 1e-3);
    masked.fill_(-100);
    const auto nothing = decoder.lossSum(ids, masked.flatten());
    EXPECT_EQ(nothing.item<double>(), 0);
    nothing.backward(); // a rank without targets still takes part
    EXPECT_EQ(decoder.parameters().front().tensor.grad().abs().max().item<double>(), 0);
}

// Packed, each sequence is as if it were alone: logits, loss and every gradient.
TEST(Decoder, packedSequencesDoNotSeeEachOther) {
    std::ifstream file(GOLDEN_FILE);
    for (const auto& model : json::parse(file)) {
        SCOPED_TRACE(model.at("title").get<std::string>());
        Decoder packed(parseDecoderConfig(model.at("config")), at::kCPU);
        Decoder alone(parseDecoderConfig(model.at("config")), at::kCPU);
        tests::fillLikeGolden(packed);
        tests::fillLikeGolden(alone);
        const std::vector<std::int64_t> lengths{5, 5, 1, 9, 3, 9};
        const auto ids = torch::randint(0, 29, {32}, at::kLong);
        auto labels = torch::randint(0, 29, {32}, at::kLong);
        labels.narrow(0, 0, 2).fill_(-100);
        const Sequences all{ids, lengths};
        const auto logits = packed.logits(all);
        const auto sum = packed.lossSum(all, labels);
        sum.backward();
        double separate = 0;
        std::int64_t begin = 0;
        for (const auto length : lengths) {
            const Sequences one{ids.narrow(0, begin, length), {length}};
            EXPECT_LT(largestDifference(alone.logits(one), logits.narrow(0, begin, length)), 2e-6);
            const auto loss = alone.lossSum(one, labels.narrow(0, begin, length));
            separate += loss.item<double>();
            loss.backward();
            begin += length;
        }
        EXPECT_NEAR(sum.item<double>(), separate, 1e-4);
        for (std::size_t i = 0; i < packed.parameters().size(); ++i) {
            const auto& [name, tensor] = packed.parameters()[i];
            const auto& other = alone.parameters()[i].tensor;
            EXPECT_LT(largestDifference(tensor.grad(), other.grad()),
                      1e-5 * (1 + other.grad().abs().max().item<double>()))
                << name;
        }
    }
}

TEST(CrossEntropy, chunksChangeNothing) {
    const auto hidden = torch::randn({700, 8}).set_requires_grad(true);
    const auto head = torch::randn({21, 8}).set_requires_grad(true);
    const auto labels = torch::randint(0, 21, {700}, at::kLong);
    for (const auto cap : {std::optional<double>(), std::optional<double>(2.5)}) {
        auto logits = at::linear(hidden, head);
        if (cap)
            logits = at::tanh(logits / *cap) * *cap;
        const auto expected = at::cross_entropy_loss(logits, labels, {}, at::Reduction::Sum);
        const auto gradients = torch::autograd::grad({expected * 0.5}, {hidden, head});
        for (const std::int64_t elements : {1, 6000, 100000}) {
            const auto sum = crossEntropySum(hidden, head, labels, cap, elements);
            EXPECT_NEAR(sum.item<double>(), expected.item<double>(), 1e-5 * expected.item<double>());
            const auto own = torch::autograd::grad({sum * 0.5}, {hidden, head});
            EXPECT_LT(largestDifference(own[0], gradients[0]), 1e-5);
            EXPECT_LT(largestDifference(own[1], gradients[1]), 1e-4);
        }
    }
    const at::NoGradGuard noGrad;
    EXPECT_GT(crossEntropySum(hidden, head, labels, {}).item<double>(), 0);
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
