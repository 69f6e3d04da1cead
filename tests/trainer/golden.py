#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes golden.json: what transformers computes for tiny models whose weights both sides make by themselves.

Run by hand when a model is added; needs torch 2.11.0 and transformers 5.24.0:
    python3 golden.py > golden.json
"""
import json

import torch
from transformers import AutoConfig, AutoModelForCausalLM

MASK = (1 << 64) - 1


def weights(name, count):
    """SplitMix64 seeded by FNV-1a of the name, as trainer/data/random.h: multiples of 2^-24 in [-1/8, 1/8)."""
    state = 0xCBF29CE484222325
    for byte in name.encode():
        state = ((state ^ byte) * 0x100000001B3) & MASK
    values = []
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        z ^= z >> 31
        values.append(((z >> 40) / 2**24 - 0.5) / 4)
    return values


def golden(title, config):
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model(**config), attn_implementation="eager")
    model = model.float().eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            value = torch.tensor(weights(name, parameter.numel())).view_as(parameter)
            parameter.copy_(value + 1 if name.endswith("norm.weight") else value)
    vocabulary = config["vocab_size"]
    ids = torch.tensor([[(7 * i * i + 3 * i + row * 5) % vocabulary for i in range(9)] for row in range(2)])
    labels = ids.roll(-1, 1).clone()
    labels[:, -1] = -100
    labels[1, 2] = -100
    logits = model(input_ids=ids).logits
    loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten(), reduction="sum", ignore_index=-100)
    loss.backward()
    return {
        "title": title,
        "config": config,
        "ids": ids.tolist(),
        "labels": labels.tolist(),
        "logits": [round(x, 7) for x in logits.flatten().tolist()],
        "loss_sum": loss.item(),
        "gradient_norms": {n: p.grad.double().norm().item() for n, p in model.named_parameters()},
    }


TINY = {"vocab_size": 29, "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2,
        "num_attention_heads": 4, "max_position_embeddings": 64}
MODELS = {
    "qwen2, tied, grouped heads": {**TINY, "model_type": "qwen2", "num_key_value_heads": 2, "rms_norm_eps": 1e-6,
                                   "rope_parameters": {"rope_type": "default", "rope_theta": 5000.0},
                                   "tie_word_embeddings": True, "use_sliding_window": False},
    "qwen2, untied": {**TINY, "model_type": "qwen2", "num_key_value_heads": 4, "rms_norm_eps": 1e-3,
                      "rope_theta": 100.0, "tie_word_embeddings": False},
    "llama, one key head, head_dim of its own": {**TINY, "model_type": "llama", "num_key_value_heads": 1,
                                                 "head_dim": 6, "rms_norm_eps": 1e-5, "rope_theta": 20000.0,
                                                 "rope_scaling": None, "tie_word_embeddings": False},
    "gemma3_text, as transformers 5 writes it": {
        **TINY, "model_type": "gemma3_text", "num_key_value_heads": 2, "head_dim": 8, "rms_norm_eps": 1e-6,
        "query_pre_attn_scalar": 10, "sliding_window": 4, "layer_types": ["sliding_attention", "full_attention"],
        "rope_parameters": {"full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1000.0},
                            "sliding_attention": {"rope_type": "default", "rope_theta": 50.0}}},
    "gemma3_text, as on the hub, with a softcap": {
        **TINY, "model_type": "gemma3_text", "num_key_value_heads": 1, "head_dim": 8, "rms_norm_eps": 1e-5,
        "query_pre_attn_scalar": 8, "sliding_window": 3, "sliding_window_pattern": 2, "rope_theta": 2000.0,
        "rope_local_base_freq": 70.0, "rope_scaling": {"rope_type": "linear", "factor": 4.0},
        "final_logit_softcapping": 0.5, "attn_logit_softcapping": None},
    "gemma3_text, both dialects mixed": {
        **TINY, "model_type": "gemma3_text", "num_key_value_heads": 2, "head_dim": 8, "sliding_window": 4,
        "rope_parameters": {"full_attention": {"rope_type": "linear", "factor": 8.0},
                            "sliding_attention": {"rope_type": "default"}},
        "rope_theta": 3000.0, "rope_local_base_freq": 90.0, "rope_scaling": None, "_sliding_window_pattern": 6,
        "layer_types": ["sliding_attention", "full_attention"]},
    "hunyuan_v1_dense": {
        **TINY, "model_type": "hunyuan_v1_dense", "num_key_value_heads": 2, "head_dim": 8, "rms_norm_eps": 1e-5,
        "rope_theta": 100.0, "tie_word_embeddings": True,
        "rope_scaling": {"type": "dynamic", "alpha": 1000.0, "factor": 1.0, "beta_fast": 32, "beta_slow": 1,
                         "mscale": 1.0, "mscale_all_dim": 1.0}},
}
print("[")
print(",\n".join(json.dumps(golden(title, config)) for title, config in MODELS.items()))
print("]")
