// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trainer/model/decoderconfig.h"

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <vector>

namespace coxswain::trainer {

/// A named parameter; names are Hugging Face's ("model.layers.0.self_attn.q_proj.weight").
struct Parameter {
    std::string name;
    at::Tensor tensor; ///< fp32, requires grad
};

/// Sequences laid end to end, without padding. Positions start at 0 in each, and no token sees another
/// sequence: the results are those of separate runs.
struct Sequences {
    at::Tensor ids;                    ///< [tokens], int64
    std::vector<std::int64_t> lengths; ///< their sum is the number of tokens

    /// Rows of equal length, ids [rows, length].
    static Sequences ofRows(const at::Tensor& ids);
};

/// A decoder-only transformer in fp32, on one device. Weights start uninitialised: see initialize() and
/// loadHuggingFace().
class Decoder {
public:
    Decoder(DecoderConfig config, at::Device device);

    /// Backward keeps each layer's input only, and computes the rest again: less memory for some more work.
    /// The decoder must then stay where it is until backward is done.
    void setGradientCheckpointing(bool on) { m_gradientCheckpointing = on; }

    const DecoderConfig& config() const { return m_config; }
    /// In a fixed order; a tied head appears once, as the embedding.
    const std::vector<Parameter>& parameters() const { return m_parameters; }
    std::int64_t parameterCount() const;

    /// As transformers initialises: matrices normal(0, initializer_range), biases 0, norms 1 (or 0 where 1 is
    /// added). Each tensor is seeded by (seed, its name), so that the values do not depend on order or
    /// device.
    void initialize(std::uint64_t seed);

    /// Logits [tokens, vocabulary].
    at::Tensor logits(const Sequences& sequences) const;
    /// Sum of cross-entropies in nats over labels that are not -100; labels [tokens] are aligned with ids:
    /// labels[t] is what follows ids[t]. Logits are computed only where there is a label, and never all at
    /// once. A double scalar.
    at::Tensor lossSum(const Sequences& sequences, const at::Tensor& labels) const;

private:
    struct Layer {
        at::Tensor inputNorm, queryWeight, queryBias, keyWeight, keyBias, valueWeight, valueBias,
            outputWeight, queryNorm, keyNorm;
        at::Tensor attentionNorm, beforeFeedForwardNorm, afterFeedForwardNorm, gateWeight, upWeight,
            downWeight;
        bool sliding = false;
    };
    struct Positions;
    at::Tensor add(const std::string& name, at::IntArrayRef shape);
    at::Tensor norm(const at::Tensor& x, const at::Tensor& weight) const;
    at::Tensor hidden(const Sequences& sequences) const;
    at::Tensor attention(const Layer& layer, const at::Tensor& x, const Positions& positions) const;
    at::Tensor attend(const Layer& layer, const at::Tensor& query, const at::Tensor& key,
                      const at::Tensor& value, const Positions& positions) const;
    at::Tensor feedForward(const Layer& layer, const at::Tensor& x) const;
    at::Tensor layerOutput(const Layer& layer, const at::Tensor& x, const Positions& positions) const;

    DecoderConfig m_config;
    at::Device m_device;
    bool m_gradientCheckpointing = false;
    std::vector<Parameter> m_parameters;
    std::vector<Layer> m_layers;
    at::Tensor m_embedding, m_finalNorm, m_head;
};

} // namespace coxswain::trainer
