// SPDX-License-Identifier: Apache-2.0
#include "trainer/train/gradientbuckets.h"

#include "trainer/dist/errors.h"

#include <torch/torch.h>

#include <cmath>

namespace coxswain::trainer {

nlohmann::json BucketLayout::toJson() const {
    return buckets;
}

BucketLayout planBuckets(const std::vector<Parameter>& parameters, std::int64_t bytes) {
    BucketLayout layout;
    std::int64_t filled = 0;
    for (std::size_t i = parameters.size(); i-- > 0;) {
        const auto size = parameters[i].tensor.numel() * static_cast<std::int64_t>(sizeof(float));
        if (layout.buckets.empty() || filled + size > bytes) {
            layout.buckets.emplace_back();
            filled = 0;
        }
        layout.buckets.back().push_back(i);
        filled += size;
    }
    return layout;
}

GradientBuckets::GradientBuckets(const std::vector<Parameter>& parameters, BucketLayout layout)
    : m_layout(std::move(layout)), m_gradients(parameters.size()) {
    for (const auto& bucket : m_layout.buckets) {
        std::int64_t elements = 0;
        for (const auto i : bucket)
            elements += parameters[i].tensor.numel();
        const auto options = parameters[bucket.front()].tensor.options().requires_grad(false);
        at::Tensor flat = at::zeros({elements}, options);
        std::int64_t at = 0;
        for (const auto i : bucket) {
            at::Tensor parameter = parameters[i].tensor;
            m_gradients[i] = flat.narrow(0, at, parameter.numel()).view(parameter.sizes());
            parameter.mutable_grad() = m_gradients[i];
            at += parameter.numel();
        }
        m_flat.push_back(std::move(flat));
    }
}

void GradientBuckets::zero() {
    for (auto& flat : m_flat)
        flat.zero_();
}

void GradientBuckets::reduce(std::size_t bucket, Communicator& communicator) {
    communicator.allReduce(bufferOf(m_flat[bucket]), Reduction::Sum);
}

double GradientBuckets::norm() const {
    double sum = 0;
    for (const auto& flat : m_flat) {
        const double norm = at::linalg_vector_norm(flat).item<double>();
        sum += norm * norm;
    }
    return std::sqrt(sum);
}

void GradientBuckets::scale(double factor) {
    for (auto& flat : m_flat)
        flat.mul_(factor);
}

Buffer bufferOf(const at::Tensor& tensor) {
    DataType type = DataType::Float32;
    switch (tensor.scalar_type()) {
    case at::kFloat:
        type = DataType::Float32;
        break;
    case at::kDouble:
        type = DataType::Float64;
        break;
    case at::kLong:
        type = DataType::Int64;
        break;
    case at::kByte:
        type = DataType::UInt8;
        break;
    case at::kBFloat16:
        type = DataType::BFloat16;
        break;
    case at::kHalf:
        type = DataType::Float16;
        break;
    default:
        throw TrainerError(wire::ExitCode::Internal, "a tensor of this type cannot be communicated");
    }
    return {tensor.data_ptr(), static_cast<std::size_t>(tensor.numel()), type};
}

} // namespace coxswain::trainer
