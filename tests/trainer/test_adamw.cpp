// SPDX-License-Identifier: Apache-2.0
#include "trainer/train/adamw.h"

#include <torch/torch.h>

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace coxswain::trainer {
namespace {

/// The published algorithm, one number at a time, in double.
struct Reference {
    double value, first = 0, second = 0;
    void step(double gradient, double rate, double decay, const AdamW::Settings& s, int t) {
        value -= rate * decay * value;
        first = s.beta1 * first + (1 - s.beta1) * gradient;
        second = s.beta2 * second + (1 - s.beta2) * gradient * gradient;
        const double unbiasedFirst = first / (1 - std::pow(s.beta1, t));
        const double unbiasedSecond = second / (1 - std::pow(s.beta2, t));
        value -= rate * unbiasedFirst / (std::sqrt(unbiasedSecond) + s.epsilon);
    }
};

TEST(AdamW, isThePublishedAlgorithm) {
    const AdamW::Settings settings{0.9, 0.95, 1e-8, 0.1};
    torch::manual_seed(3);
    // Sizes that do not fill whole vectors; decay must touch the matrix only.
    const std::vector<Parameter> parameters{{"matrix", torch::randn({5, 7}).set_requires_grad(true)},
                                            {"norm", torch::randn({13}).set_requires_grad(true)}};
    std::vector<std::vector<Reference>> references(2);
    for (std::size_t p = 0; p < 2; ++p)
        for (std::int64_t i = 0; i < parameters[p].tensor.numel(); ++i)
            references[p].push_back({parameters[p].tensor.flatten()[i].item<double>()});
    AdamW optimizer(parameters, settings);
    for (int t = 1; t <= 20; ++t) {
        const double rate = 1e-2 / t;
        std::vector<at::Tensor> gradients;
        for (std::size_t p = 0; p < 2; ++p) {
            gradients.push_back(torch::randn(parameters[p].tensor.sizes()) * (t == 7 ? 1e-6 : 1));
            for (std::size_t i = 0; i < references[p].size(); ++i)
                references[p][i].step(gradients[p].flatten()[static_cast<std::int64_t>(i)].item<double>(),
                                      rate, p == 0 ? 0.1 : 0, settings, t);
        }
        optimizer.step(gradients, rate);
    }
    for (std::size_t p = 0; p < 2; ++p)
        for (std::size_t i = 0; i < references[p].size(); ++i)
            EXPECT_NEAR(parameters[p].tensor.flatten()[static_cast<std::int64_t>(i)].item<double>(),
                        references[p][i].value, 2e-6)
                << parameters[p].name << ' ' << i;
}

TEST(AdamW, stateNamesWhatRanksMustShare) {
    const std::vector<Parameter> parameters{{"norm", at::ones({3}).set_requires_grad(true)},
                                            {"matrix", at::ones({2, 3}).set_requires_grad(true)}};
    AdamW optimizer(parameters, {});
    optimizer.step({at::ones({3}), at::ones({2, 3})}, 1e-3);
    std::map<std::string, at::Tensor> state;
    for (const auto& [name, tensor] : optimizer.state())
        state[name] = tensor;
    ASSERT_EQ(state.size(), 6u);
    EXPECT_EQ(state.at("matrix.step").item<double>(), 1);
    EXPECT_NEAR(state.at("norm.exp_avg")[0].item<double>(), 0.1, 1e-7);
    EXPECT_NEAR(state.at("matrix.exp_avg_sq")[1][2].item<double>(), 0.05, 1e-7);
    // They are the optimizer's own: what is received into them counts.
    state.at("matrix.exp_avg").fill_(-100);
    const double before = parameters[1].tensor[0][0].item<double>();
    optimizer.step({at::ones({3}), at::ones({2, 3})}, 1e-3);
    EXPECT_GT(parameters[1].tensor[0][0].item<double>(), before);
}

} // namespace
} // namespace coxswain::trainer
