// SPDX-License-Identifier: Apache-2.0
#include "trainer/train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace coxswain::trainer {
namespace {

double scalingFactor(const std::string& scaling, int worldSize) {
    return scaling == "linear" ? worldSize : scaling == "sqrt" ? std::sqrt(worldSize) : 1.0;
}

/// What is left of the way from the peak to the final rate: 1 at the peak, 0 at the end.
double remaining(const std::string& schedule, double part) {
    if (schedule == "constant")
        return 1;
    return schedule == "linear" ? 1 - part : 0.5 * (1 + std::cos(std::numbers::pi * part));
}

} // namespace

double learningRateAt(const wire::TrainSpec& spec, int worldSize, std::int64_t step) {
    const double factor = scalingFactor(spec.learningRateScaling, worldSize);
    const double peak = factor * spec.learningRate, last = factor * spec.finalLearningRate;
    const auto warmup = std::min(spec.warmupSteps, spec.steps);
    if (step <= warmup)
        return peak * static_cast<double>(step) / static_cast<double>(warmup);
    const double part = static_cast<double>(step - warmup) /
                        static_cast<double>(std::max<std::int64_t>(1, spec.steps - warmup));
    return last + (peak - last) * remaining(spec.schedule, std::min(1.0, part));
}

} // namespace coxswain::trainer
