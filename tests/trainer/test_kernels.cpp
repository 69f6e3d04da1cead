// SPDX-License-Identifier: Apache-2.0
#include "tests/trainer/tinymodel.h"
#include "trainer/model/kernels.h"

#include <gtest/gtest.h>

#include <functional>

namespace coxswain::trainer {
namespace {

using torch::autograd::grad;
using torch::autograd::variable_list;

/// Values and gradients are those of LibTorch's operations, and do not depend on the number of threads.
void expectSame(const std::function<at::Tensor(const variable_list&)>& ours,
                const std::function<at::Tensor(const variable_list&)>& plain, const variable_list& inputs,
                double tolerance = 2e-6) {
    const at::Tensor expected = plain(inputs);
    const at::Tensor upstream = torch::randn_like(expected);
    const auto expectedGradients = grad({expected}, inputs, {upstream});
    at::Tensor first;
    variable_list firstGradients;
    for (const int threads : {1, 2, 3}) {
        at::set_num_threads(threads);
        const at::Tensor value = ours(inputs);
        const auto gradients = grad({value}, inputs, {upstream});
        EXPECT_LT(tests::largestDifference(value, expected),
                  tolerance * (1 + expected.abs().max().item<double>()));
        for (std::size_t i = 0; i < inputs.size(); ++i)
            EXPECT_LT(tests::largestDifference(gradients[i], expectedGradients[i]),
                      tolerance * (1 + expectedGradients[i].abs().max().item<double>()))
                << "gradient of input " << i;
        if (!first.defined()) {
            first = value;
            firstGradients = gradients;
        }
        EXPECT_TRUE(at::equal(value, first));
        for (std::size_t i = 0; i < inputs.size(); ++i)
            EXPECT_TRUE(at::equal(gradients[i], firstGradients[i])) << threads << " threads";
    }
}

at::Tensor input(at::IntArrayRef shape) {
    return torch::randn(shape).set_requires_grad(true);
}

TEST(Kernels, rmsNorm) {
    const auto plain = [](const variable_list& in) {
        return in[0] * (in[0].square().mean(-1, true) + 1e-6).rsqrt() * in[1];
    };
    const auto ours = [](const variable_list& in) { return rmsNorm(in[0], in[1], 1e-6); };
    for (const std::int64_t size : {1, 7, 64, 257})
        for (const std::int64_t rows : {1, 63, 64, 200})
            expectSame(ours, plain, {input({rows, size}), input({size})}, 1e-5);
    expectSame(ours, plain, {input({5, 3, 8}), input({8})});
    const auto spread = [&](const variable_list& in) { return rmsNorm(in[0].transpose(0, 1), in[1], 1e-6); };
    expectSame(
        spread,
        [&](const variable_list& in) {
            return plain({in[0].transpose(0, 1), in[1]});
        },
        {input({8, 70}), input({8})}, 1e-5);
    EXPECT_EQ(rmsNorm(torch::zeros({2, 4}), torch::ones({4}), 1e-6).abs().max().item<float>(), 0);
    EXPECT_TRUE(rmsNorm(torch::full({1, 4}, NAN), torch::ones({4}), 1e-6).isnan().all().item<bool>());
}

TEST(Kernels, rotate) {
    for (const std::int64_t half : {1, 3, 32}) {
        const auto angles = torch::randn({130, half});
        const auto plain = [&](const variable_list& in) {
            const auto halves = in[0].chunk(2, -1);
            const auto cosine = at::cat({angles, angles}, -1).cos().unsqueeze(1);
            const auto sine = at::cat({angles, angles}, -1).sin().unsqueeze(1);
            return in[0] * cosine + at::cat({-halves[1], halves[0]}, -1) * sine;
        };
        const auto ours = [&](const variable_list& in) { return rotate(in[0], angles.cos(), angles.sin()); };
        expectSame(ours, plain, {input({130, 3, 2 * half})});
    }
}

TEST(Kernels, siluGate) {
    const auto plain = [](const variable_list& in) { return at::silu(in[0]) * in[1]; };
    const auto ours = [](const variable_list& in) { return siluGate(in[0], in[1]); };
    for (const std::int64_t count : {1, 17, 40000})
        expectSame(ours, plain, {input({count}), input({count})});
    const auto wide = (torch::arange(-120, 121).to(at::kFloat)).set_requires_grad(true);
    expectSame(ours, plain, {wide, input({241})});
    const auto odd = torch::tensor({NAN, INFINITY, -1000.0f, 1000.0f});
    const auto y = siluGate(odd, torch::ones({4}));
    EXPECT_TRUE(std::isnan(y[0].item<float>()));
    EXPECT_EQ(y[1].item<float>(), INFINITY);
    EXPECT_NEAR(y[2].item<float>(), 0, 1e-30);
    EXPECT_EQ(y[3].item<float>(), 1000);
}

} // namespace
} // namespace coxswain::trainer
