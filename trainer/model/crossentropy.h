// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

namespace coxswain::trainer {

/// Sum of the cross-entropies, in nats and as a double scalar, of logits hidden · headᵀ against labels.
/// The logits exist for some rows at a time only (about `chunkElements` of them, at least 256 rows), and
/// their gradients are taken right there: no second matrix product in backward, which can run once.
///
/// hidden [rows, size], head [vocabulary, size], labels [rows] in 0 … vocabulary-1. With a softcap, logits
/// are cap · tanh(logits / cap).
at::Tensor crossEntropySum(const at::Tensor& hidden, const at::Tensor& head, const at::Tensor& labels,
                           std::optional<double> softcap, std::int64_t chunkElements = 4 << 20);

} // namespace coxswain::trainer
