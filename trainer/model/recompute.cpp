// SPDX-License-Identifier: Apache-2.0
#include "trainer/model/recompute.h"

#include <torch/torch.h>

#include <utility>

namespace coxswain::trainer {
namespace {

using Part = std::function<at::Tensor(const at::Tensor&)>;

/// The way for a function into an autograd context, which holds IValues.
struct HeldPart : torch::CustomClassHolder {
    explicit HeldPart(Part f) : part(std::move(f)) {}
    Part part;
};

class Recompute : public torch::autograd::Function<Recompute> {
public:
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x,
                              const Part& part) {
        context->save_for_backward({x});
        context->saved_data["part"] = c10::IValue::make_capsule(c10::make_intrusive<HeldPart>(part));
        return part(x);
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   const torch::autograd::variable_list& upstream) {
        const auto holder = context->saved_data["part"].toCapsule();
        const at::Tensor x = context->get_saved_variables()[0].detach().requires_grad_(true);
        at::Tensor y;
        {
            const at::AutoGradMode withGraph(true);
            y = static_cast<const HeldPart&>(*holder).part(x);
        }
        torch::autograd::backward({y}, {upstream[0]});
        return {x.grad(), {}};
    }
};

} // namespace

at::Tensor recomputed(const at::Tensor& x, Part f) {
    return at::GradMode::is_enabled() ? Recompute::apply(x, std::as_const(f)) : f(x);
}

} // namespace coxswain::trainer
