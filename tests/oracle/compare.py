# usage: compare.py HOME DRIVER SHAPE…: compares DRIVER's tokens and texts with Hugging Face's, for texts and fuzz.
"""Exits with 1 at any difference; "split-*" means all shapes of that name. Every line of the texts (the larger ones
thinned), documents of many lines, all code points, and random strings; ids both ways, then texts of random ids."""
import fnmatch, json, os, pathlib, random, subprocess, sys
os.environ["TOKENIZERS_PARALLELISM"] = "false"
from tokenizers import Tokenizer

home, driver = pathlib.Path(sys.argv[1]), sys.argv[2]
strings, each = 30_000, 3_000  # fuzz strings for a family's shape, and for a case of a pre-tokenizer
BLOCKS = [(0x20, 0x7E)] * 6 + [(0, 0x1F), (0x80, 0x24F), (0x300, 0x36F), (0x370, 0x52F), (0x590, 0x6FF), (0x900, 0xDFF), (0xE00, 0xE7F),
          (0x1100, 0x11FF), (0x1E00, 0x1FFF), (0x2000, 0x206F), (0x20A0, 0x27BF), (0x3000, 0x30FF), (0x4E00, 0x9FFF), (0xA700, 0xABFF),
          (0xAC00, 0xD7A3), (0xF900, 0xFFFD), (0x10000, 0x1FFFF), (0x1F300, 0x1FAFF), (0x20000, 0x323AF), (0xE0000, 0x10FFFF)]
SPACES = ["\t", "\n", "\r", "\r\n", " ", " ", " ", "  ", "   ", "\u00a0", "\u0085", "\u180e", "\u2009", "\u2028", "\u3000", "\u200b", "\ufeff", "\x1c"]
PIECES = ["'s", "'S", "'\u017f", "’t", "'RE", "'ll", "I'M", "don't", "1", "23", "456", "7890", "½", "²", "Ⅷ", "٣", "é", "e\u0301", "ﬁ", "Å", "\u212b",
          "한국어", "\u1112\u1161\u11ab", "日本語", "中文，", "ไทย", "हिन्दी", "עִברִית", "👩\u200d👩\u200d👧", "🏳️\u200d🌈", "🇪🇸", "▁", "▁▁", "_", "__init__",
          "for (int i = 0; i < n; ++i) {\n\t", "    return x;\n", "</div>", "https://a.b/c?d=e&f=%20", "#!", "...", "—", "“", "fish", "<word>", "<wide>", "Ünïcode",
          "U\u0308ni\u0308code", "<0x41>", "<0xE2>", "Ġ", "Ċ", "<unk>", "\u0344", "\u0958", "\u2126", "\uff21\uff11", "\u1e9b\u0323", "ſ", "K"]


def character(random):
    low, high = random.choice(BLOCKS)
    point = random.randint(low, high)
    return chr(point) if not 0xD800 <= point < 0xE000 else "x"


def fuzz(count, words, tokens, seed):
    source = random.Random(seed)
    kinds = [lambda: character(source), lambda: source.choice(SPACES), lambda: source.choice(PIECES), lambda: source.choice(words),
             lambda: source.choice(tokens), lambda: source.choice(words)[:source.randint(1, 4)], lambda: source.choice(SPACES) * source.randint(1, 20),
             lambda: character(source) * source.randint(1, 40), lambda: "".join(chr(source.randint(0x300, 0x345)) for _ in range(source.randint(1, 4)))]
    for _ in range(count):
        weights = [source.random() ** 2 for _ in kinds]
        yield "".join(kind() for kind in (source.choices(kinds, weights, k=source.randint(0, 24))))
    for length in (1000, 5000, 20000):  # one long word
        yield "".join(source.choice("abe") for _ in range(length))
        yield source.choice("a▁ \n=") * length


def corpus(thin):
    for file in sorted((home / "texts").glob("*.txt")):
        lines = file.read_text(encoding="utf-8").split("\n")
        yield from lines[::thin]
        for at in range(0, min(len(lines), 2000 // thin), 50):
            yield "\n".join(lines[at:at + 50])


def every_code_point(thin):
    """All that may ever be assigned soon; of planes 4 to 16, of which but few are, one in 64."""
    points = [chr(point) for point in (*range(0, 0x40000, thin), *range(0x40000, 0x110000, 64)) if not 0xD800 <= point < 0xE000]
    for at in range(0, len(points), 64):
        yield "".join("a" + point + "1 " + point + "\u0301\u0323'" + point for point in points[at:at + 64])


def ask(model, lines, *options):
    process = subprocess.run([driver, "tokenize", str(model), "--json", *options], input="".join(json.dumps(line) + "\n" for line in lines).encode(),
                             stdout=subprocess.PIPE)
    answers = process.stdout.decode().split("\n")[:-1]
    if process.returncode != 0 or len(answers) != len(lines):
        sys.exit(f"{model}: {driver} ended with {process.returncode} after {len(answers)} of {len(lines)} lines, at {lines[len(answers)]!r}")
    return [json.loads(answer) for answer in answers]


def differences(name, what, inputs, ours, theirs):
    wrong = [(given, a, b) for given, a, b in zip(inputs, ours, theirs) if a != b]
    for given, a, b in wrong[:3]:
        at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
        print(f"  {what} {str(given)[:300]!r}\n    ours   … {a[max(0, at - 2):at + 6]!r} of {len(a)}\n    theirs … {b[max(0, at - 2):at + 6]!r} of {len(b)}")
    return len(wrong)


def compare(name):
    model = home / "shapes" / name / "tokenizer.json"
    theirs = Tokenizer.from_file(str(model))
    small = name.startswith(("split-", "bytes-"))
    words = [word for line in corpus(200) for word in line.split()]
    tokens = [token["content"] for token in json.loads(model.read_text(encoding="utf-8"))["added_tokens"]] or ["<none>"]
    inputs = list(every_code_point(5 if small else 1))
    if not name.startswith("class-"):
        inputs += [*corpus(200 if small else 10), *fuzz(each if small else strings, words, tokens, name)]
    ours = ask(model, inputs)
    wrong = differences(name, "encode", inputs, ours, [theirs.encode(line, add_special_tokens=False).ids for line in inputs])
    some = inputs[::17]
    wrong += differences(name, "encode with special tokens", some, ask(model, some, "--special"), [theirs.encode(line).ids for line in some])
    source, count = random.Random(name), theirs.get_vocab_size() + 3
    ids = ours + [[source.randrange(count) for _ in range(source.randint(0, 30))] for _ in range(len(inputs) // 10)]
    wrong += differences(name, "decode", ids, ask(model, ids, "--decode"), [theirs.decode(line, skip_special_tokens=False) for line in ids])
    some = ids[::7]
    wrong += differences(name, "decode without special tokens", some, ask(model, some, "--decode", "--skip-special"), [theirs.decode(line) for line in some])
    print(f"{name}: {len(inputs)} texts, {sum(map(len, ours))} tokens, {len(ids)} decoded: {wrong} differences", flush=True)
    return wrong


names = sorted(folder.name for folder in (home / "shapes").iterdir() if folder.is_dir())
chosen = [name for name in names if any(fnmatch.fnmatch(name, pattern) for pattern in sys.argv[3:])]
if not chosen:
    sys.exit(f"no shape like {sys.argv[3:]}; there are {names}")
sys.exit(1 if sum([compare(name) for name in chosen]) else 0)
