// SPDX-License-Identifier: Apache-2.0
#include "trainer/model/decoder.h"

#include "trainer/data/random.h"

#include <torch/torch.h>

namespace coxswain::trainer {
namespace {

/// w · x / rms(x), over the last dimension.
at::Tensor rmsNorm(const at::Tensor& x, const at::Tensor& weight, double epsilon) {
    return x * (x.square().mean(-1, true) + epsilon).rsqrt() * weight;
}

/// Rotary embedding in its rotate-half form: the two halves of the head are the pairs.
/// x [batch, heads, length, dim]; cosine and sine [length, dim].
at::Tensor rotate(const at::Tensor& x, const at::Tensor& cosine, const at::Tensor& sine) {
    const auto halves = x.chunk(2, -1);
    return x * cosine + at::cat({-halves[1], halves[0]}, -1) * sine;
}

/// Each key/value head serves `groups` query heads that follow each other.
at::Tensor repeatHeads(const at::Tensor& x, std::int64_t groups) {
    return groups == 1 ? x : x.repeat_interleave(groups, 1);
}

} // namespace

Decoder::Decoder(DecoderConfig config, at::Device device) : m_config(std::move(config)), m_device(device) {
    const auto& c = m_config;
    const auto queries = c.heads * c.headDimension;
    const auto keys = c.keyValueHeads * c.headDimension;
    m_embedding = add("model.embed_tokens.weight", {c.vocabularySize, c.hiddenSize});
    for (std::int64_t i = 0; i < c.layers; ++i) {
        const std::string prefix = "model.layers." + std::to_string(i) + '.';
        Layer& l = m_layers.emplace_back();
        l.inputNorm = add(prefix + "input_layernorm.weight", {c.hiddenSize});
        l.queryWeight = add(prefix + "self_attn.q_proj.weight", {queries, c.hiddenSize});
        l.keyWeight = add(prefix + "self_attn.k_proj.weight", {keys, c.hiddenSize});
        l.valueWeight = add(prefix + "self_attn.v_proj.weight", {keys, c.hiddenSize});
        if (c.queryKeyValueBias) {
            l.queryBias = add(prefix + "self_attn.q_proj.bias", {queries});
            l.keyBias = add(prefix + "self_attn.k_proj.bias", {keys});
            l.valueBias = add(prefix + "self_attn.v_proj.bias", {keys});
        }
        l.outputWeight = add(prefix + "self_attn.o_proj.weight", {c.hiddenSize, queries});
        l.attentionNorm = add(prefix + "post_attention_layernorm.weight", {c.hiddenSize});
        l.gateWeight = add(prefix + "mlp.gate_proj.weight", {c.intermediateSize, c.hiddenSize});
        l.upWeight = add(prefix + "mlp.up_proj.weight", {c.intermediateSize, c.hiddenSize});
        l.downWeight = add(prefix + "mlp.down_proj.weight", {c.hiddenSize, c.intermediateSize});
    }
    m_finalNorm = add("model.norm.weight", {c.hiddenSize});
    m_head = c.tiedEmbeddings ? m_embedding : add("lm_head.weight", {c.vocabularySize, c.hiddenSize});
}

at::Tensor Decoder::add(const std::string& name, at::IntArrayRef shape) {
    const auto options = at::TensorOptions().dtype(at::kFloat).device(m_device);
    m_parameters.push_back({name, at::empty(shape, options).set_requires_grad(true)});
    return m_parameters.back().tensor;
}

std::int64_t Decoder::parameterCount() const {
    std::int64_t count = 0;
    for (const auto& parameter : m_parameters)
        count += parameter.tensor.numel();
    return count;
}

void Decoder::initialize(std::uint64_t seed) {
    const at::NoGradGuard noGrad;
    for (const auto& [name, tensor] : m_parameters) {
        if (name.ends_with(".bias")) {
            tensor.zero_();
        } else if (tensor.dim() == 1) {
            tensor.fill_(1);
        } else {
            auto generator = at::detail::createCPUGenerator(mixSeeds(seed, hashName(name)));
            tensor.copy_(
                at::empty(tensor.sizes(), at::kFloat).normal_(0, m_config.initializerRange, generator));
        }
    }
}

std::pair<at::Tensor, at::Tensor> Decoder::rotations(std::int64_t length) const {
    const auto options = at::TensorOptions().dtype(at::kFloat).device(m_device);
    const auto dimension = m_config.headDimension;
    const auto exponents = at::arange(0, dimension, 2, options) / static_cast<double>(dimension);
    const auto frequencies = at::reciprocal(at::pow(m_config.ropeTheta, exponents));
    const auto angles = at::outer(at::arange(length, options), frequencies);
    const auto both = at::cat({angles, angles}, -1);
    return {both.cos(), both.sin()};
}

at::Tensor Decoder::attention(const Layer& layer, const at::Tensor& x, const at::Tensor& cosine,
                              const at::Tensor& sine) const {
    const auto batch = x.size(0);
    const auto length = x.size(1);
    const auto split = [&](const at::Tensor& y, std::int64_t heads) {
        return y.view({batch, length, heads, m_config.headDimension}).transpose(1, 2);
    };
    const auto query =
        rotate(split(at::linear(x, layer.queryWeight, layer.queryBias), m_config.heads), cosine, sine);
    const auto key =
        rotate(split(at::linear(x, layer.keyWeight, layer.keyBias), m_config.keyValueHeads), cosine, sine);
    const auto value = split(at::linear(x, layer.valueWeight, layer.valueBias), m_config.keyValueHeads);
    const auto groups = m_config.heads / m_config.keyValueHeads;
    const auto attended =
        at::scaled_dot_product_attention(query, repeatHeads(key, groups), repeatHeads(value, groups), {}, 0.0,
                                         /*is_causal=*/true, m_config.attentionScale);
    return at::linear(attended.transpose(1, 2).reshape({batch, length, -1}), layer.outputWeight);
}

at::Tensor Decoder::hidden(const at::Tensor& ids) const {
    at::Tensor x = at::embedding(m_embedding, ids);
    const auto [cosine, sine] = rotations(ids.size(1));
    for (const auto& layer : m_layers) {
        x = x + attention(layer, rmsNorm(x, layer.inputNorm, m_config.normEpsilon), cosine, sine);
        const auto y = rmsNorm(x, layer.attentionNorm, m_config.normEpsilon);
        x = x + at::linear(at::silu(at::linear(y, layer.gateWeight)) * at::linear(y, layer.upWeight),
                           layer.downWeight);
    }
    return rmsNorm(x, m_finalNorm, m_config.normEpsilon);
}

at::Tensor Decoder::logits(const at::Tensor& ids) const {
    return at::linear(hidden(ids), m_head);
}

at::Tensor Decoder::lossSum(const at::Tensor& ids, const at::Tensor& labels) const {
    return at::cross_entropy_loss(logits(ids).flatten(0, 1), labels.flatten(), {}, at::Reduction::Sum, -100);
}

} // namespace coxswain::trainer
