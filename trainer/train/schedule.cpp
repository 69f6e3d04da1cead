// SPDX-License-Identifier: Apache-2.0
#include "trainer/train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace coxswain::trainer {

double learningRateAt(const wire::TrainSpec& spec, std::int64_t step) {
    const auto warmup = std::min(spec.warmupSteps, spec.steps);
    if (step <= warmup)
        return spec.learningRate * static_cast<double>(step) / static_cast<double>(warmup);
    const double part = static_cast<double>(step - warmup) /
                        static_cast<double>(std::max<std::int64_t>(1, spec.steps - warmup));
    const double cosine = 0.5 * (1 + std::cos(std::numbers::pi * std::min(1.0, part)));
    return spec.finalLearningRate + (spec.learningRate - spec.finalLearningRate) * cosine;
}

} // namespace coxswain::trainer
