// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/wire/jobspec.h"

namespace coxswain::trainer {

/// Learning rate of `step` (1 is the first): linear warm-up to the peak, which the last warm-up step reaches,
/// then half a cosine or a line down to the final rate at the last step, or the peak to the end. Both rates
/// grow with the number of ranks, or its root, where the job says so.
double learningRateAt(const wire::TrainSpec& spec, int worldSize, std::int64_t step);

} // namespace coxswain::trainer
