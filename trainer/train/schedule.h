// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/wire/jobspec.h"

namespace coxswain::trainer {

/// Learning rate of `step` (1 is the first): linear warm-up to the peak, which the last warm-up step reaches,
/// then half a cosine down to the final rate at the last step.
double learningRateAt(const wire::TrainSpec& spec, std::int64_t step);

} // namespace coxswain::trainer
