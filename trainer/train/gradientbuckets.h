// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/dist/communicator.h"
#include "trainer/model/decoder.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <vector>

namespace coxswain::trainer {

/// Note [Bucket layout]: gradients are summed over the ranks in flat buckets. On three and more ranks the
/// layout decides the order of additions, so the same layout gives the same bits: it is computed once, from
/// the parameters' order and sizes alone, and a checkpoint stores it.
struct BucketLayout {
    /// Indices into the decoder's parameters, bucket by bucket. Reversed order: backward finishes the last
    /// layers first, so that their bucket could be sent while the others are still computed.
    std::vector<std::vector<std::size_t>> buckets;

    nlohmann::json toJson() const;
};

/// Fills buckets up to `bytes` each; a larger parameter has one of its own.
BucketLayout planBuckets(const std::vector<Parameter>& parameters, std::int64_t bytes);

/// Flat fp32 buffers into which the parameters' gradients are views.
class GradientBuckets {
public:
    GradientBuckets(const std::vector<Parameter>& parameters, BucketLayout layout);

    /// Sets all gradients to zero; they stay where they are.
    void zero();
    std::size_t count() const { return m_flat.size(); }
    const BucketLayout& layout() const { return m_layout; }
    /// Sums one bucket over the ranks.
    void reduce(std::size_t bucket, Communicator& communicator);
    /// L2 norm of all gradients together, in double.
    double norm() const;
    void scale(double factor);
    /// Gradient of each parameter, in the decoder's order.
    const std::vector<at::Tensor>& gradients() const { return m_gradients; }

private:
    BucketLayout m_layout;
    std::vector<at::Tensor> m_flat;
    std::vector<at::Tensor> m_gradients;
};

/// A flat tensor's memory as a communicator takes it.
Buffer bufferOf(const at::Tensor& contiguous);

} // namespace coxswain::trainer
