// SPDX-License-Identifier: Apache-2.0
#include "trainer/model/decoder.h"

#include "trainer/data/random.h"
#include "trainer/model/crossentropy.h"
#include "trainer/model/kernels.h"
#include "trainer/model/recompute.h"

#include <torch/torch.h>

#include <memory>

namespace coxswain::trainer {
namespace {

/// Cosines and sines, both [tokens, dim / 2].
std::pair<at::Tensor, at::Tensor> rotationsOf(const at::Tensor& positions, const Rotation& rotation,
                                              std::int64_t dimension) {
    const auto exponents = at::arange(0, dimension, 2, positions.options()) / static_cast<double>(dimension);
    const auto frequencies = at::reciprocal(at::pow(rotation.theta, exponents)) / rotation.factor;
    const auto angles = at::outer(positions, frequencies);
    return {angles.cos(), angles.sin()};
}

/// [length, length]: whether a token (row) sees another (column), at most `window` back, itself included.
at::Tensor slidingMask(std::int64_t length, std::int64_t window, at::Device device) {
    const auto all = at::ones({length, length}, at::TensorOptions().dtype(at::kBool).device(device));
    return all.tril().triu(1 - window);
}

} // namespace

Sequences Sequences::ofRows(const at::Tensor& ids) {
    return {ids.flatten(), std::vector<std::int64_t>(static_cast<std::size_t>(ids.size(0)), ids.size(1))};
}

/// What all layers need to know of where tokens stand.
struct Decoder::Positions {
    /// `count` sequences of one length that follow each other: attended to in one call.
    struct Group {
        std::int64_t begin = 0, count = 0, length = 0;
        at::Tensor mask; ///< of sliding layers, where the window is shorter than the sequence
    };
    std::vector<Group> groups;
    std::pair<at::Tensor, at::Tensor> rotations, slidingRotations;

    Positions(const Sequences& sequences, const DecoderConfig& config, at::Device device) {
        const auto options = at::TensorOptions().dtype(at::kFloat).device(device);
        std::map<std::int64_t, at::Tensor> counted, masks;
        std::vector<at::Tensor> positions;
        std::int64_t begin = 0;
        for (const auto length : sequences.lengths) {
            if (!counted.contains(length)) {
                counted[length] = at::arange(length, options);
                if (!config.slidingLayers.empty() && length > config.slidingWindow)
                    masks[length] = slidingMask(length, config.slidingWindow, device);
            }
            positions.push_back(counted[length]);
            if (groups.empty() || groups.back().length != length)
                groups.push_back({begin, 0, length, masks[length]});
            ++groups.back().count;
            begin += length;
        }
        TORCH_CHECK(begin == sequences.ids.numel(), "the lengths sum up to ", begin, " tokens, there are ",
                    sequences.ids.numel());
        const auto all = at::cat(positions);
        rotations = rotationsOf(all, config.rotation, config.headDimension);
        if (!config.slidingLayers.empty())
            slidingRotations = rotationsOf(all, config.slidingRotation, config.headDimension);
    }
};

Decoder::Decoder(DecoderConfig config, at::Device device) : m_config(std::move(config)), m_device(device) {
    const auto& c = m_config;
    const auto queries = c.heads * c.headDimension;
    const auto keys = c.keyValueHeads * c.headDimension;
    m_embedding = add("model.embed_tokens.weight", {c.vocabularySize, c.hiddenSize});
    for (std::int64_t i = 0; i < c.layers; ++i) {
        const std::string prefix = "model.layers." + std::to_string(i) + '.';
        Layer& l = m_layers.emplace_back();
        l.sliding = c.isSliding(i);
        l.inputNorm = add(prefix + "input_layernorm.weight", {c.hiddenSize});
        l.queryWeight = add(prefix + "self_attn.q_proj.weight", {queries, c.hiddenSize});
        l.keyWeight = add(prefix + "self_attn.k_proj.weight", {keys, c.hiddenSize});
        l.valueWeight = add(prefix + "self_attn.v_proj.weight", {keys, c.hiddenSize});
        if (c.queryKeyValueBias) {
            l.queryBias = add(prefix + "self_attn.q_proj.bias", {queries});
            l.keyBias = add(prefix + "self_attn.k_proj.bias", {keys});
            l.valueBias = add(prefix + "self_attn.v_proj.bias", {keys});
        }
        if (c.queryKeyNorm != QueryKeyNorm::None) {
            const bool before = c.queryKeyNorm == QueryKeyNorm::BeforeRotation;
            l.queryNorm =
                add(prefix + (before ? "self_attn.q_norm.weight" : "self_attn.query_layernorm.weight"),
                    {c.headDimension});
            l.keyNorm = add(prefix + (before ? "self_attn.k_norm.weight" : "self_attn.key_layernorm.weight"),
                            {c.headDimension});
        }
        l.outputWeight = add(prefix + "self_attn.o_proj.weight", {c.hiddenSize, queries});
        l.attentionNorm = add(prefix + "post_attention_layernorm.weight", {c.hiddenSize});
        if (c.normsAroundFeedForward) {
            l.beforeFeedForwardNorm = add(prefix + "pre_feedforward_layernorm.weight", {c.hiddenSize});
            l.afterFeedForwardNorm = add(prefix + "post_feedforward_layernorm.weight", {c.hiddenSize});
        }
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
            tensor.fill_(m_config.normPlusOne ? 0 : 1);
        } else {
            auto generator = at::detail::createCPUGenerator(mixSeeds(seed, hashName(name)));
            tensor.copy_(
                at::empty(tensor.sizes(), at::kFloat).normal_(0, m_config.initializerRange, generator));
        }
    }
}

at::Tensor Decoder::norm(const at::Tensor& x, const at::Tensor& weight) const {
    return rmsNorm(x, m_config.normPlusOne ? weight + 1 : weight, m_config.normEpsilon);
}

at::Tensor Decoder::attend(const Layer& layer, const at::Tensor& query, const at::Tensor& key,
                           const at::Tensor& value, const Positions& positions) const {
    std::vector<at::Tensor> parts;
    for (const auto& group : positions.groups) {
        const auto split = [&](const at::Tensor& x) { // [tokens, heads, dim] to [count, heads, length, dim]
            return x.narrow(0, group.begin, group.count * group.length)
                .unflatten(0, {group.count, group.length})
                .transpose(1, 2);
        };
        const bool masked = layer.sliding && group.mask.defined();
        const auto attended = at::scaled_dot_product_attention(
            split(query), split(key), split(value), masked ? std::optional(group.mask) : std::nullopt, 0.0,
            /*is_causal=*/!masked, m_config.attentionScale,
            /*enable_gqa=*/m_config.heads != m_config.keyValueHeads);
        parts.push_back(attended.transpose(1, 2).flatten(2, 3).flatten(0, 1));
    }
    return parts.size() == 1 ? parts[0] : at::cat(parts);
}

at::Tensor Decoder::attention(const Layer& layer, const at::Tensor& x, const Positions& positions) const {
    const auto heads = [&](const at::Tensor& weight, const at::Tensor& bias) {
        return at::linear(x, weight, bias).unflatten(-1, {-1, m_config.headDimension});
    };
    const auto& rotations = layer.sliding ? positions.slidingRotations : positions.rotations;
    const auto place = [&](at::Tensor y, const at::Tensor& weight) {
        if (m_config.queryKeyNorm == QueryKeyNorm::BeforeRotation)
            y = norm(y, weight);
        y = rotate(y, rotations.first, rotations.second);
        return m_config.queryKeyNorm == QueryKeyNorm::AfterRotation ? norm(y, weight) : y;
    };
    const auto query = place(heads(layer.queryWeight, layer.queryBias), layer.queryNorm);
    const auto key = place(heads(layer.keyWeight, layer.keyBias), layer.keyNorm);
    const auto value = heads(layer.valueWeight, layer.valueBias);
    return at::linear(attend(layer, query, key, value, positions), layer.outputWeight);
}

at::Tensor Decoder::feedForward(const Layer& layer, const at::Tensor& x) const {
    const auto gate = at::linear(x, layer.gateWeight);
    const auto up = at::linear(x, layer.upWeight);
    const auto gated =
        m_config.activation == Activation::Silu ? siluGate(gate, up) : at::gelu(gate, "tanh") * up;
    return at::linear(gated, layer.downWeight);
}

at::Tensor Decoder::layerOutput(const Layer& layer, const at::Tensor& x, const Positions& positions) const {
    const auto attended = attention(layer, norm(x, layer.inputNorm), positions);
    if (m_config.normsAroundFeedForward) {
        const auto y = x + norm(attended, layer.attentionNorm);
        return y + norm(feedForward(layer, norm(y, layer.beforeFeedForwardNorm)), layer.afterFeedForwardNorm);
    }
    const auto y = x + attended;
    return y + feedForward(layer, norm(y, layer.attentionNorm));
}

at::Tensor Decoder::hidden(const Sequences& sequences) const {
    const auto positions = std::make_shared<const Positions>(sequences, m_config, m_device);
    at::Tensor x = at::embedding(m_embedding, sequences.ids, m_config.paddingToken);
    if (m_config.embeddingScale != 1)
        x = x * m_config.embeddingScale;
    for (const auto& layer : m_layers)
        x = m_gradientCheckpointing ? recomputed(x,
                                                 [this, &layer, positions](const at::Tensor& input) {
                                                     return layerOutput(layer, input, *positions);
                                                 })
                                    : layerOutput(layer, x, *positions);
    return norm(x, m_finalNorm);
}

at::Tensor Decoder::logits(const Sequences& sequences) const {
    const auto plain = at::linear(hidden(sequences), m_head);
    const auto cap = m_config.logitSoftcap;
    return cap ? at::tanh(plain / *cap) * *cap : plain;
}

at::Tensor Decoder::lossSum(const Sequences& sequences, const at::Tensor& labels) const {
    const auto isTarget = labels.ne(-100);
    if (isTarget.all().item<bool>())
        return crossEntropySum(hidden(sequences), m_head, labels, m_config.logitSoftcap);
    const auto targets = isTarget.nonzero().flatten();
    return crossEntropySum(hidden(sequences).index_select(0, targets), m_head,
                           labels.index_select(0, targets), m_config.logitSoftcap);
}

} // namespace coxswain::trainer
