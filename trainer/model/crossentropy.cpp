// SPDX-License-Identifier: Apache-2.0
#include "trainer/model/crossentropy.h"

#include <torch/torch.h>

namespace coxswain::trainer {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

class CrossEntropySum : public torch::autograd::Function<CrossEntropySum> {
public:
    static at::Tensor forward(AutogradContext* context, const at::Tensor& hidden, const at::Tensor& head,
                              const at::Tensor& labels, double softcap, std::int64_t chunkElements) {
        const bool wanted = hidden.requires_grad() || head.requires_grad();
        const auto chunk = std::max<std::int64_t>(1, chunkElements / head.size(0));
        at::Tensor hiddenGradient, headGradient;
        if (wanted) {
            hiddenGradient = at::empty_like(hidden);
            headGradient = at::zeros_like(head);
        }
        double loss = 0;
        for (std::int64_t begin = 0; begin < hidden.size(0); begin += chunk) {
            const auto rows = std::min(chunk, hidden.size(0) - begin);
            const auto x = hidden.narrow(0, begin, rows);
            const auto targets = labels.narrow(0, begin, rows).unsqueeze(1);
            at::Tensor logits = at::linear(x, head);
            at::Tensor slope; // of the softcap
            if (softcap > 0) {
                logits.div_(softcap).tanh_();
                if (wanted)
                    slope = 1 - logits.square();
                logits.mul_(softcap);
            }
            logits.sub_(logits.amax(1, true));
            const auto chosen = logits.gather(1, targets);
            logits.exp_();
            const auto sums = logits.sum(1, true);
            loss += (sums.log() - chosen).sum(at::kDouble).item<double>();
            if (!wanted)
                continue;
            logits.div_(sums);
            logits.scatter_add_(1, targets, at::full_like(chosen, -1));
            if (softcap > 0)
                logits.mul_(slope);
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
        return {saved[0] * factor, saved[1] * factor, {}, {}, {}};
    }
};

} // namespace

at::Tensor crossEntropySum(const at::Tensor& hidden, const at::Tensor& head, const at::Tensor& labels,
                           std::optional<double> softcap, std::int64_t chunkElements) {
    return CrossEntropySum::apply(hidden, head, labels, softcap.value_or(0), chunkElements);
}

} // namespace coxswain::trainer
