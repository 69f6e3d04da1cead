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
print(f"thousand tokens a second, median of {options.rounds} rounds; ratios to encode and to encode_batch: median (least)")
print(f"{'':34} {'tokens':>8} {'ours':>7} {'encode':>7} {'batch':>7}   {'ratio':>12} {'ratio, batch':>14}")
for shape in options.shapes or ["qwen2", "deepseek", "gemma", "hunyuan"]:
    model = options.home / "shapes" / shape / "tokenizer.json"
    begin = time.monotonic()
    theirs = Tokenizer.from_file(str(model))
    loading = time.monotonic() - begin
    for name, texts in inputs.items():
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            file.write("".join(json.dumps(text) + "\n" for text in texts))
            file.flush()
            ours = subprocess.Popen([options.program, str(model), file.name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            own_loading = float(ours.stdout.readline().split()[1])
            rounds = []
            for number in range(options.rounds + 1):  # the first warms caches on both sides
                ours.stdin.write("go\n")
                ours.stdin.flush()
                count, seconds = ours.stdout.readline().split()
                one = measured(lambda: sum(len(theirs.encode(text, add_special_tokens=False)) for text in texts))
                batch = measured(lambda: sum(len(encoding) for encoding in theirs.encode_batch(texts, add_special_tokens=False)))
                if not int(count) == one[0] == batch[0]:
                    raise SystemExit(f"{shape}, {name}: {count} tokens here, {one[0]} and {batch[0]} there")
                if number > 0:
                    rounds.append((float(seconds), one[1], batch[1]))
            ours.stdin.close()
            ours.wait()
        speeds = [int(count) / 1000 / statistics.median(column) for column in zip(*rounds)]
        ratios = [f"{statistics.median(values):.2f} ({min(values):.2f})" for values in ([b / a for a, b, _ in rounds], [c / a for a, _, c in rounds])]
        print(f"{shape + ': ' + name:34} {count:>8} {speeds[0]:7.0f} {speeds[1]:7.0f} {speeds[2]:7.0f}   {ratios[0]:>12} {ratios[1]:>14}", flush=True)
    print(f"{shape}: loading takes {own_loading:.2f} s, theirs {loading:.2f} s", flush=True)
