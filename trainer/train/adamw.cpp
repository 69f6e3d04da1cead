// SPDX-License-Identifier: Apache-2.0
#include "trainer/train/adamw.h"

#include <torch/torch.h>

namespace coxswain::trainer {

AdamW::AdamW(const std::vector<Parameter>& parameters, Settings settings)
    : m_settings(settings), m_parameters(parameters), m_groups(2) {
    m_groups[0].weightDecay = settings.weightDecay;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const at::Tensor& parameter = parameters[i].tensor;
        Group& group = m_groups[parameter.dim() >= 2 ? 0 : 1];
        group.indices.push_back(i);
        group.parameters.push_back(parameter);
        group.firstMoments.push_back(at::zeros_like(parameter, parameter.options().requires_grad(false)));
        group.secondMoments.push_back(at::zeros_like(parameter, parameter.options().requires_grad(false)));
        group.steps.push_back(at::zeros({}, parameter.options().requires_grad(false)));
    }
}

void AdamW::step(const std::vector<at::Tensor>& gradients, double learningRate) {
    const at::NoGradGuard noGrad;
    for (auto& group : m_groups) {
        if (group.parameters.empty())
            continue;
        std::vector<at::Tensor> own;
        own.reserve(group.indices.size());
        for (const auto i : group.indices)
            own.push_back(gradients[i]);
        at::_foreach_add_(group.steps, 1);
        at::_fused_adamw_(group.parameters, own, group.firstMoments, group.secondMoments, {}, group.steps,
                          learningRate, m_settings.beta1, m_settings.beta2, group.weightDecay,
                          m_settings.epsilon,
                          /*amsgrad=*/false, /*maximize=*/false);
    }
}

std::vector<Parameter> AdamW::state() const {
    std::vector<Parameter> tensors;
    for (const auto& group : m_groups) {
        for (std::size_t k = 0; k < group.indices.size(); ++k) {
            const std::string& name = m_parameters[group.indices[k]].name;
            tensors.push_back({name + ".exp_avg", group.firstMoments[k]});
            tensors.push_back({name + ".exp_avg_sq", group.secondMoments[k]});
            tensors.push_back({name + ".step", group.steps[k]});
        }
    }
    return tensors;
}

} // namespace coxswain::trainer
