// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

namespace coxswain::trainer {

/// f(x), of which backward keeps x only and computes the rest again (gradient checkpointing; Chen et al.
/// 2016, arXiv:1604.06174). `f` must give the same each time, and whatever it captures must live until
/// backward: gradients of captured parameters are added to theirs. Without grad mode it is f(x).
at::Tensor recomputed(const at::Tensor& x, std::function<at::Tensor(const at::Tensor&)> f);

} // namespace coxswain::trainer
