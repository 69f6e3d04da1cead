// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

namespace coxswain::trainer {

/// What a decoder does beside matrix products and attention, each as one pass over memory on CPUs (there the
/// limit is memory, and LibTorch takes three to six passes); elsewhere LibTorch's own operations. fp32,
/// differentiable, and the same bits for any number of threads.

/// x / rms(x) · weight over the last dimension; x [rows, size], weight [size].
at::Tensor rmsNorm(const at::Tensor& x, const at::Tensor& weight, double epsilon);

/// Rotary embedding in its rotate-half form: the two halves of a head are the pairs.
/// x [tokens, heads, dim]; cosine and sine [tokens, dim / 2].
at::Tensor rotate(const at::Tensor& x, const at::Tensor& cosine, const at::Tensor& sine);

/// silu(gate) · up, elementwise.
at::Tensor siluGate(const at::Tensor& gate, const at::Tensor& up);

/// Cross-entropies, in nats, of logits [rows, vocabulary] against labels [rows] in 0 … vocabulary-1: their
/// sum. Not differentiable: the logits are overwritten with the sum's gradients by them. With a softcap (>
/// 0), logits count as cap · tanh(logits / cap).
double crossEntropyInPlace(at::Tensor& logits, const at::Tensor& labels, double softcap);

} // namespace coxswain::trainer
