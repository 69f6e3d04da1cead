// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/model/decoderconfig.h"

#include <ATen/core/Tensor.h>

#include <string>
#include <utility>
#include <vector>

namespace coxswain::trainer {

/// A named parameter; names are Hugging Face's ("model.layers.0.self_attn.q_proj.weight").
struct Parameter {
    std::string name;
    at::Tensor tensor; ///< fp32, requires grad
};

/// A decoder-only transformer in fp32, on one device. Weights start uninitialised: see initialize() and
/// loadHuggingFace().
class Decoder {
public:
    Decoder(DecoderConfig config, at::Device device);

    const DecoderConfig& config() const { return m_config; }
    /// In a fixed order; a tied head appears once, as the embedding.
    const std::vector<Parameter>& parameters() const { return m_parameters; }
    std::int64_t parameterCount() const;

    /// As transformers initialises: matrices normal(0, initializer_range), biases 0, norms 1. Each tensor is
    /// seeded by (seed, its name), so that the values do not depend on order or device.
    void initialize(std::uint64_t seed);

    /// Logits [batch, length, vocabulary] of token ids [batch, length] (int64).
    at::Tensor logits(const at::Tensor& ids) const;
    /// Sum of cross-entropies in nats over labels that are not -100; labels [batch, length] are aligned with
    /// ids: labels[b][t] is what follows ids[b][t].
    at::Tensor lossSum(const at::Tensor& ids, const at::Tensor& labels) const;

private:
    struct Layer {
        at::Tensor inputNorm, queryWeight, queryBias, keyWeight, keyBias, valueWeight, valueBias,
            outputWeight;
        at::Tensor attentionNorm, gateWeight, upWeight, downWeight;
    };
    at::Tensor add(const std::string& name, at::IntArrayRef shape);
    at::Tensor hidden(const at::Tensor& ids) const;
    at::Tensor attention(const Layer& layer, const at::Tensor& x, const at::Tensor& cosine,
                         const at::Tensor& sine) const;
    std::pair<at::Tensor, at::Tensor> rotations(std::int64_t length) const;

    DecoderConfig m_config;
    at::Device m_device;
    std::vector<Parameter> m_parameters;
    std::vector<Layer> m_layers;
    at::Tensor m_embedding, m_finalNorm, m_head;
};

} // namespace coxswain::trainer
