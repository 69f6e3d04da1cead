// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/model/decoder.h"

#include <vector>

namespace coxswain::trainer {

/// AdamW (Loshchilov and Hutter 2019) by torch's fused kernel; decay applies to matrices, not to norms and
/// biases.
class AdamW {
public:
    struct Settings {
        double beta1 = 0.9;
        double beta2 = 0.95;
        double epsilon = 1e-8;
        double weightDecay = 0.1;
    };
    AdamW(const std::vector<Parameter>& parameters, Settings settings);

    /// One update in place. `gradients` are in the order of the parameters.
    void step(const std::vector<at::Tensor>& gradients, double learningRate);

    /// First moments, second moments and step counts: what a checkpoint stores and ranks must agree on.
    std::vector<Parameter> state() const;

private:
    /// Parameters with the same decay, updated by one call.
    struct Group {
        double weightDecay = 0;
        std::vector<std::size_t> indices;
        std::vector<at::Tensor> parameters, firstMoments, secondMoments, steps;
    };
    Settings m_settings;
    std::vector<Parameter> m_parameters;
    std::vector<Group> m_groups;
};

} // namespace coxswain::trainer
