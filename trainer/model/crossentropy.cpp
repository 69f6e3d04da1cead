// SPDX-License-Identifier: Apache-2.0
#include "trainer/model/crossentropy.h"

#include "trainer/model/kernels.h"

#include <torch/torch.h>

namespace coxswain::trainer {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Below, the products are slow: each reads the whole head.
constexpr std::int64_t fewestRows = 256;

class CrossEntropySum : public torch::autograd::Function<CrossEntropySum> {
public:
    static at::Tensor forward(AutogradContext* context, const at::Tensor& hidden, const at::Tensor& head,
                              const at::Tensor& labels, double softcap, std::int64_t chunkElements) {
        const bool wanted = hidden.requires_grad() || head.requires_grad();
        const auto chunk = std::max(fewestRows, chunkElements / head.size(0));
        at::Tensor hiddenGradient, headGradient;
        if (wanted) {
            hiddenGradient = at::empty_like(hidden);
            headGradient = at::zeros_like(head);
        }
        double loss = 0;
        for (std::int64_t begin = 0; begin < hidden.size(0); begin += chunk) {
            const auto rows = std::min(chunk, hidden.size(0) - begin);
            const auto x = hidden.narrow(0, begin, rows);
            at::Tensor logits = at::linear(x, head);
            loss += crossEntropyInPlace(logits, labels.narrow(0, begin, rows), softcap);
            if (!wanted)
                continue;
            auto gradient = hiddenGradient.narrow(0, begin, rows);
            at::mm_out(gradient, logits, head);
            headGradient.addmm_(logits.t(), x);
        }
        context->save_for_backward({hiddenGradient, headGradient});
        return at::scalar_tensor(loss, hidden.options().dtype(at::kDouble));
    }

    static variable_list backward(AutogradContext* context, const variable_list& upstream) {
        const auto saved = context->get_saved_variables();
        const double factor = upstream[0].item<double>();
        return {saved[0].mul_(factor), saved[1].mul_(factor), {}, {}, {}};
    }
};

} // namespace

at::Tensor crossEntropySum(const at::Tensor& hidden, const at::Tensor& head, const at::Tensor& labels,
                           std::optional<double> softcap, std::int64_t chunkElements) {
    return CrossEntropySum::apply(hidden, head, labels, softcap.value_or(0), chunkElements);
}

} // namespace coxswain::trainer
