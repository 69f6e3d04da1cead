// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/data/random.h"
#include "trainer/model/decoder.h"

#include <torch/torch.h>

namespace coxswain::tests {

/// A decoder small enough for a test of milliseconds, with every part: biases, grouped heads, two layers.
inline nlohmann::json tinyConfig(bool tied = true, std::int64_t vocabulary = 258) {
    return {{"model_type", "qwen2"},       {"vocab_size", vocabulary},  {"hidden_size", 32},
            {"intermediate_size", 48},     {"num_hidden_layers", 2},    {"num_attention_heads", 4},
            {"num_key_value_heads", 2},    {"rms_norm_eps", 1e-6},      {"rope_theta", 10000.0},
            {"tie_word_embeddings", tied}, {"initializer_range", 0.02}, {"max_position_embeddings", 64}};
}

/// The weights of golden.py.
inline void fillLikeGolden(const trainer::Decoder& decoder) {
    const at::NoGradGuard noGrad;
    for (const auto& [name, tensor] : decoder.parameters()) {
        trainer::SplitMix64 random(trainer::hashName(name));
        float* data = tensor.data_ptr<float>();
        for (std::int64_t i = 0; i < tensor.numel(); ++i)
            data[i] = (static_cast<float>(random.next() >> 40) / 16777216.0f - 0.5f) / 4 +
                      (name.ends_with("norm.weight") ? 1.0f : 0.0f);
    }
}

inline double largestDifference(const at::Tensor& a, const at::Tensor& b) {
    return (a.to(at::kDouble) - b.to(at::kDouble)).abs().max().item<double>();
}

} // namespace coxswain::tests
