# usage: speed.py HOME PROGRAM [--rounds N] [SHAPE]...: see scripts/bench.d/tokenizer.
import argparse, json, os, pathlib, statistics, subprocess, tempfile, time
os.environ["TOKENIZERS_PARALLELISM"] = "false"
from tokenizers import Tokenizer

parser = argparse.ArgumentParser()
parser.add_argument("home", type=pathlib.Path)
parser.add_argument("program")
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("shapes", nargs="*")
options = parser.parse_args()


def lines_of(*names):
    return [line for name in names for line in (options.home / "texts" / f"{name}.txt").read_text(encoding="utf-8").split("\n") if line]


def documents(lines):
    return ["\n".join(lines[at:at + 50]) for at in range(0, len(lines), 50)]


def measured(encode):
    begin = time.monotonic()
    count = encode()
    return count, time.monotonic() - begin


english, spanish, others = lines_of("kjv"), lines_of("sparv"), lines_of("ar", "hi", "ja", "ko", "ru", "th", "vi", "zh-cn")
inputs = {f"{name}, {kind}": make(lines) for name, lines in (("English", english[:4000]), ("Spanish", spanish[:4000]), ("8 others", others[::12]))
          for kind, make in (("lines", lambda lines: lines), ("documents", documents))}
print(f"thousand tokens a second, median of {options.rounds} rounds; ratio: median (least). fast is encode_batch_fast, which like ours gives no offsets;")
print("first: ratio to fast in the first pass, before either side has seen a word; after it both have their caches (ours is the larger)")
print(f"{'':32} {'tokens':>7} {'ours':>6} {'encode':>6} {'batch':>6} {'fast':>6}  {'to encode':>14} {'to batch':>14} {'to fast':>14} {'first':>6}")
for shape in options.shapes or ["qwen2", "deepseek", "gemma", "hunyuan"]:
    model = options.home / "shapes" / shape / "tokenizer.json"
    for name, texts in inputs.items():
        begin = time.monotonic()
        theirs = Tokenizer.from_file(str(model))  # anew, so that it has seen no text
        loading = time.monotonic() - begin
        ways = [lambda: sum(map(len, theirs.encode_batch_fast(texts, add_special_tokens=False))),
                lambda: sum(len(theirs.encode(text, add_special_tokens=False)) for text in texts),
                lambda: sum(map(len, theirs.encode_batch(texts, add_special_tokens=False)))]
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            file.write("".join(json.dumps(text) + "\n" for text in texts))
            file.flush()
            ours = subprocess.Popen([options.program, str(model), file.name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            own_loading = float(ours.stdout.readline().split()[1])
            rounds = []
            for _ in range(options.rounds + 1):
                ours.stdin.write("go\n")
                ours.stdin.flush()
                count, seconds = ours.stdout.readline().split()
                results = [measured(way) for way in ways]
                if any(theirs_count != int(count) for theirs_count, _ in results):
                    raise SystemExit(f"{shape}, {name}: {count} tokens here, {[c for c, _ in results]} there")
                rounds.append((float(seconds), *(seconds for _, seconds in results)))
            ours.stdin.close()
            ours.wait()
        (own, fast, *_), *rounds = rounds
        speed = lambda column: int(count) / 1000 / statistics.median(row[column] for row in rounds)
        ratio = lambda column: (lambda values: f"{statistics.median(values):.1f} ({min(values):.1f})")([row[column] / row[0] for row in rounds])
        print(f"{shape + ': ' + name:32} {count:>7} {speed(0):6.0f} {speed(2):6.0f} {speed(3):6.0f} {speed(1):6.0f}  "
              f"{ratio(2):>14} {ratio(3):>14} {ratio(1):>14} {fast / own:6.1f}", flush=True)
    print(f"{shape}: loading takes {own_loading:.2f} s, theirs {loading:.2f} s", flush=True)
