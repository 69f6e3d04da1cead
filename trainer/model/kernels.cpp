// SPDX-License-Identifier: Apache-2.0
#include "trainer/model/kernels.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

// One function body, compiled for each kind of processor; the loader picks.
#define COXSWAIN_VECTORISED __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))

namespace coxswain::trainer {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Rows that one task works on. A constant, so that sums over rows are added in one order.
constexpr std::int64_t rowsPerTask = 64;

template <class F>
void forRows(std::int64_t rows, const F& work) {
    const auto tasks = (rows + rowsPerTask - 1) / rowsPerTask;
    at::parallel_for(0, tasks, 1, [&](std::int64_t begin, std::int64_t end) {
        for (auto task = begin; task < end; ++task)
            work(task, task * rowsPerTask, std::min(rows, (task + 1) * rowsPerTask));
    });
}

COXSWAIN_VECTORISED
void normRow(const float* __restrict x, const float* __restrict weight, float* __restrict y, float& scale,
             std::int64_t size, float epsilon) {
    float squares = 0;
    for (std::int64_t i = 0; i < size; ++i)
        squares += x[i] * x[i];
    const float r = 1 / std::sqrt(squares / static_cast<float>(size) + epsilon);
    for (std::int64_t i = 0; i < size; ++i)
        y[i] = x[i] * r * weight[i];
    scale = r;
}

COXSWAIN_VECTORISED
void normRowBackward(const float* __restrict x, const float* __restrict weight,
                     const float* __restrict upstream, float r, float* __restrict gradient,
                     float* __restrict weightGradient, std::int64_t size) {
    float dot = 0;
    for (std::int64_t i = 0; i < size; ++i)
        dot += upstream[i] * weight[i] * x[i];
    const float shared = dot * r * r * r / static_cast<float>(size);
    for (std::int64_t i = 0; i < size; ++i) {
        gradient[i] = upstream[i] * weight[i] * r - x[i] * shared;
        weightGradient[i] += upstream[i] * x[i] * r;
    }
}

class RmsNorm : public torch::autograd::Function<RmsNorm> {
public:
    static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                              double epsilon) {
        const auto size = x.size(-1);
        const auto rows = x.numel() / size;
        at::Tensor y = at::empty(x.sizes(), x.options());
        at::Tensor scales = at::empty({rows}, x.options());
        const float* in = x.const_data_ptr<float>();
        const float* w = weight.const_data_ptr<float>();
        float* out = y.mutable_data_ptr<float>();
        float* r = scales.mutable_data_ptr<float>();
        forRows(rows, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
            for (auto row = begin; row < end; ++row)
                normRow(in + row * size, w, out + row * size, r[row], size, static_cast<float>(epsilon));
        });
        context->save_for_backward({x, weight, scales});
        return y;
    }

    static variable_list backward(AutogradContext* context, const variable_list& upstream) {
        const auto saved = context->get_saved_variables();
        const auto size = saved[0].size(-1);
        const auto rows = saved[0].numel() / size;
        const at::Tensor g = upstream[0].contiguous();
        at::Tensor gradient = at::empty(saved[0].sizes(), saved[0].options());
        at::Tensor parts = at::zeros({(rows + rowsPerTask - 1) / rowsPerTask, size}, saved[0].options());
        const float* in = saved[0].const_data_ptr<float>();
        const float* w = saved[1].const_data_ptr<float>();
        const float* r = saved[2].const_data_ptr<float>();
        const float* from = g.const_data_ptr<float>();
        float* out = gradient.mutable_data_ptr<float>();
        float* weights = parts.mutable_data_ptr<float>();
        forRows(rows, [&](std::int64_t task, std::int64_t begin, std::int64_t end) {
            for (auto row = begin; row < end; ++row)
                normRowBackward(in + row * size, w, from + row * size, r[row], out + row * size,
                                weights + task * size, size);
        });
        return {gradient, parts.sum(0), {}};
    }
};

/// sign -1 turns back.
COXSWAIN_VECTORISED
void rotateToken(const float* __restrict x, const float* __restrict cosine, const float* __restrict sine,
                 float* __restrict y, std::int64_t heads, std::int64_t half, float sign) {
    for (std::int64_t head = 0; head < heads; ++head, x += 2 * half, y += 2 * half)
        for (std::int64_t i = 0; i < half; ++i) {
            const float s = sign * sine[i];
            y[i] = x[i] * cosine[i] - x[half + i] * s;
            y[half + i] = x[half + i] * cosine[i] + x[i] * s;
        }
}

at::Tensor rotated(const at::Tensor& x, const at::Tensor& cosine, const at::Tensor& sine, float sign) {
    const at::Tensor in = x.contiguous();
    at::Tensor y = at::empty(in.sizes(), in.options());
    const auto heads = in.size(1), half = in.size(2) / 2, width = heads * 2 * half;
    const float* from = in.const_data_ptr<float>();
    const float* c = cosine.const_data_ptr<float>();
    const float* s = sine.const_data_ptr<float>();
    float* to = y.mutable_data_ptr<float>();
    forRows(in.size(0), [&](std::int64_t, std::int64_t begin, std::int64_t end) {
        for (auto t = begin; t < end; ++t)
            rotateToken(from + t * width, c + t * half, s + t * half, to + t * width, heads, half, sign);
    });
    return y;
}

class Rotate : public torch::autograd::Function<Rotate> {
public:
    static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& cosine,
                              const at::Tensor& sine) {
        context->save_for_backward({cosine, sine});
        return rotated(x, cosine, sine, 1);
    }
    static variable_list backward(AutogradContext* context, const variable_list& upstream) {
        const auto saved = context->get_saved_variables();
        return {rotated(upstream[0], saved[0], saved[1], -1), {}, {}};
    }
};

/// e^x for x <= 0, to 2 units in the last place: range reduction by ln 2 and a polynomial (Cephes' expf).
inline float expOfNegative(float x) {
    x = x < -87 ? -87.0f : x;
    const float n = std::floor(x * 1.44269504f + 0.5f);
    const float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1;
    const auto power = std::bit_cast<float>((static_cast<std::int32_t>(n) + 127) << 23);
    return p * power;
}

inline float sigmoid(float x) {
    const float e = expOfNegative(-std::fabs(x));
    const float small = e / (1 + e);
    return x < 0 ? small : 1 - small;
}

COXSWAIN_VECTORISED
void siluGateRun(const float* __restrict gate, const float* __restrict up, float* __restrict y,
                 std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i)
        y[i] = gate[i] * sigmoid(gate[i]) * up[i];
}

COXSWAIN_VECTORISED
void siluGateRunBackward(const float* __restrict gate, const float* __restrict up,
                         const float* __restrict upstream, float* __restrict gateGradient,
                         float* __restrict upGradient, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
        const float s = sigmoid(gate[i]);
        upGradient[i] = upstream[i] * gate[i] * s;
        gateGradient[i] = upstream[i] * up[i] * s * (1 + gate[i] * (1 - s));
    }
}

class SiluGate : public torch::autograd::Function<SiluGate> {
public:
    static at::Tensor forward(AutogradContext* context, const at::Tensor& gate, const at::Tensor& up) {
        context->save_for_backward({gate, up});
        at::Tensor y = at::empty(gate.sizes(), gate.options());
        const float* g = gate.const_data_ptr<float>();
        const float* u = up.const_data_ptr<float>();
        float* out = y.mutable_data_ptr<float>();
        at::parallel_for(0, gate.numel(), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
            siluGateRun(g + begin, u + begin, out + begin, end - begin);
        });
        return y;
    }
    static variable_list backward(AutogradContext* context, const variable_list& upstream) {
        const auto saved = context->get_saved_variables();
        const at::Tensor from = upstream[0].contiguous();
        at::Tensor gateGradient = at::empty(from.sizes(), from.options());
        at::Tensor upGradient = at::empty(from.sizes(), from.options());
        const float* g = saved[0].const_data_ptr<float>();
        const float* u = saved[1].const_data_ptr<float>();
        const float* f = from.const_data_ptr<float>();
        float* gg = gateGradient.mutable_data_ptr<float>();
        float* ug = upGradient.mutable_data_ptr<float>();
        at::parallel_for(0, from.numel(), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
            siluGateRunBackward(g + begin, u + begin, f + begin, gg + begin, ug + begin, end - begin);
        });
        return {gateGradient, upGradient};
    }
};

COXSWAIN_VECTORISED
float largestOf(const float* row, std::int64_t size) {
    float largest = row[0];
    for (std::int64_t i = 1; i < size; ++i)
        largest = row[i] > largest ? row[i] : largest;
    return largest;
}

COXSWAIN_VECTORISED
float exponentials(float* __restrict row, std::int64_t size, float largest) {
    float sum = 0;
    for (std::int64_t i = 0; i < size; ++i) {
        row[i] = expOfNegative(row[i] - largest);
        sum += row[i];
    }
    return sum;
}

COXSWAIN_VECTORISED
void scaleRow(float* __restrict row, std::int64_t size, float factor) {
    for (std::int64_t i = 0; i < size; ++i)
        row[i] *= factor;
}

/// Returns the row's cross-entropy and leaves softmax - onehot.
double crossEntropyRow(float* row, std::int64_t size, std::int64_t label) {
    const float largest = largestOf(row, size);
    const float chosen = row[label] - largest;
    const float sum = exponentials(row, size, largest);
    scaleRow(row, size, 1 / sum);
    row[label] -= 1;
    return std::log(static_cast<double>(sum)) - static_cast<double>(chosen);
}

double crossEntropyOfRows(at::Tensor& logits, const at::Tensor& labels) {
    const auto rows = logits.size(0), size = logits.size(1);
    float* data = logits.mutable_data_ptr<float>();
    const auto* label = labels.const_data_ptr<std::int64_t>();
    std::vector<double> losses(static_cast<std::size_t>(rows));
    at::parallel_for(0, rows, 1, [&](std::int64_t begin, std::int64_t end) {
        for (auto row = begin; row < end; ++row)
            losses[static_cast<std::size_t>(row)] = crossEntropyRow(data + row * size, size, label[row]);
    });
    return std::accumulate(losses.begin(), losses.end(), 0.0);
}

double crossEntropyByOperations(at::Tensor& logits, const at::Tensor& labels) {
    const auto targets = labels.unsqueeze(1);
    logits.sub_(logits.amax(1, true));
    const auto chosen = logits.gather(1, targets);
    logits.exp_();
    const auto sums = logits.sum(1, true);
    logits.div_(sums);
    logits.scatter_add_(1, targets, at::full_like(chosen, -1));
    return (sums.log() - chosen).sum(at::kDouble).item<double>();
}

bool hasOwnKernel(const at::Tensor& x) {
    return x.is_cpu() && x.scalar_type() == at::kFloat;
}

} // namespace

at::Tensor rmsNorm(const at::Tensor& x, const at::Tensor& weight, double epsilon) {
    return hasOwnKernel(x) ? RmsNorm::apply(x.contiguous(), weight.contiguous(), epsilon)
                           : at::rms_norm(x, weight.sizes(), weight, epsilon);
}

at::Tensor rotate(const at::Tensor& x, const at::Tensor& cosine, const at::Tensor& sine) {
    if (hasOwnKernel(x))
        return Rotate::apply(x, cosine, sine);
    const auto halves = x.chunk(2, -1);
    const auto c = cosine.unsqueeze(1), s = sine.unsqueeze(1);
    return at::cat({halves[0] * c - halves[1] * s, halves[1] * c + halves[0] * s}, -1);
}

double crossEntropyInPlace(at::Tensor& logits, const at::Tensor& labels, double softcap) {
    at::Tensor slope;
    if (softcap > 0) {
        logits.div_(softcap).tanh_();
        slope = 1 - logits.square();
        logits.mul_(softcap);
    }
    const double sum =
        hasOwnKernel(logits) ? crossEntropyOfRows(logits, labels) : crossEntropyByOperations(logits, labels);
    if (softcap > 0)
        logits.mul_(slope);
    return sum;
}

at::Tensor siluGate(const at::Tensor& gate, const at::Tensor& up) {
    return hasOwnKernel(gate) ? SiluGate::apply(gate.contiguous(), up.contiguous()) : at::silu(gate) * up;
}

} // namespace coxswain::trainer
