# usage: models.py TRAINER: compares losses, gradients and saved models with Hugging Face's transformers.
"""Tiny random checkpoints of each family, made by transformers: the loss of each sample and the norm of every tensor's
gradient; then a model that the trainer trained and saved, as transformers loads it. Exits with 1 at any difference
above the bounds. Needs torch on PYTHONPATH."""
import json, pathlib, subprocess, sys, tempfile
import torch
from transformers import AutoModelForCausalLM, Gemma3ForCausalLM, Gemma3TextConfig, LlamaConfig, LlamaForCausalLM, Qwen2Config, Qwen2ForCausalLM
from transformers.models.hunyuan_v1_dense import HunYuanDenseV1Config, HunYuanDenseV1ForCausalLM

trainer = sys.argv[1]
LOSS_BOUND, GRADIENT_BOUND = 1e-5, 1e-5  # relative; fp32 rounding is 1e-7 to 1e-6
SIZES = dict(vocab_size=300, hidden_size=64, intermediate_size=96, num_hidden_layers=3, num_attention_heads=4, num_key_value_heads=2,
             max_position_embeddings=128)
SHAPES = {
    "qwen2": (Qwen2ForCausalLM, Qwen2Config(**SIZES, tie_word_embeddings=False)),
    "qwen2 tied": (Qwen2ForCausalLM, Qwen2Config(**SIZES, tie_word_embeddings=True)),
    "llama": (LlamaForCausalLM, LlamaConfig(**SIZES, tie_word_embeddings=True)),
    "gemma3": (Gemma3ForCausalLM, Gemma3TextConfig(**SIZES, head_dim=16, sliding_window=8, query_pre_attn_scalar=24,
                                                   layer_types=["sliding_attention", "sliding_attention", "full_attention"])),
    "hunyuan": (HunYuanDenseV1ForCausalLM, HunYuanDenseV1Config(**SIZES, head_dim=16, tie_word_embeddings=True, rope_parameters={
        "rope_type": "dynamic", "alpha": 1000.0, "rope_theta": 10000.0, "factor": 1.0}))}
failures = 0


def check(what, difference, bound):
    global failures
    failures += not difference <= bound  # NaN fails
    print(f"{'ok  ' if difference <= bound else 'FAIL'} {what}: {difference:.1e}, at most {bound:.0e}")


def relative(seen, expected):
    return abs(seen - expected) / max(abs(expected), 1e-12)


def ask(verb, model, data):
    return json.loads(subprocess.check_output([trainer, verb, model, data, "--json"]).splitlines()[-1])


def make(folder, model_class, config):
    model = model_class._from_config(config, attn_implementation="eager", dtype=torch.float32)
    with torch.no_grad():
        for parameter in model.parameters():  # norms and biases that do something, attention that is not flat
            parameter.add_(torch.randn_like(parameter) * 0.1) if parameter.dim() == 1 else parameter.mul_(3)
    model.save_pretrained(folder)
    return model


def samples():
    made = []
    for length in (5, 17, 33, 2):
        tokens = torch.randint(3, 300, (length,)).tolist()
        made.append({"tokens": tokens, "labels": [-100] * (length // 3) + tokens[length // 3:]})
    return made


def loss_of(model, sample):
    logits = model(input_ids=torch.tensor([sample["tokens"]])).logits[0, :-1]
    return torch.nn.functional.cross_entropy(logits, torch.tensor(sample["labels"][1:]), ignore_index=-100, reduction="sum")


def compare(name, model, folder, data, batch):
    losses = [loss_of(model, sample) for sample in batch]
    targets = sum(label != -100 for sample in batch for label in sample["labels"][1:])
    (sum(losses) / targets).backward()
    score, gradients = ask("score", folder, data), ask("gradients", folder, data)
    assert score["tokens"] == targets and len(score["samples"]) == len(batch), score
    check(f"{name}: losses", max(relative(s["loss"], l.item()) for s, l in zip(score["samples"], losses)), LOSS_BOUND)
    expected = {key: parameter.grad.norm().item() for key, parameter in model.named_parameters()}
    assert expected.keys() == gradients["gradients"].keys(), expected.keys() ^ gradients["gradients"].keys()
    check(f"{name}: gradients", max(relative(gradients["gradients"][key], norm) for key, norm in expected.items()), GRADIENT_BOUND)


def train(folder, model):
    (folder / "text").write_text("".join(f"Line {i} of a text that is long enough.\n" for i in range(300)))
    job = {"format": "coxswain.job/1.0", "runtime": "cpu", "model": {"folder": {"at": "node", "path": str(model)}},
           "data": {"source": {"at": "node", "path": "text"}}, "train": {"steps": 3, "global_batch": 2, "sequence_length": 32, "warmup_steps": 1}}
    (folder / "job.json").write_text(json.dumps(job))
    subprocess.run([trainer, folder / "job.json"], check=True)
    return folder / "checkpoints" / "final"


torch.manual_seed(0)
torch.set_num_threads(1)
for name, (model_class, config) in SHAPES.items():
    with tempfile.TemporaryDirectory() as home:
        folder, batch = pathlib.Path(home), samples()
        data = folder / "samples"
        data.write_text("\n".join(map(json.dumps, batch)))
        model = make(folder / "model", model_class, config)
        before = {key: value.clone() for key, value in model.state_dict().items()}
        compare(name, model, folder / "model", data, batch)
        saved = train(folder, folder / "model")
        loaded, report = AutoModelForCausalLM.from_pretrained(saved, attn_implementation="eager", output_loading_info=True)
        assert not report["missing_keys"] and not report["unexpected_keys"], report
        assert type(loaded) is model_class and any(not torch.equal(before[key], value) for key, value in loaded.state_dict().items())
        compare(f"{name}, trained and saved", loaded, saved, data, batch)
sys.exit(1 if failures else 0)
