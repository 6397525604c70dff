# SPDX-License-Identifier: Apache-2.0
"""Holds the planner's order of strategies against measured times on the CPU mesh.

Every attention runs with every strategy that can compute it; the predicted and
the measured times are compared by rank. A machine file with the figures of this
processor makes the prediction one of this processor:
  measure.py BUILD_DIR [MACHINE] [--repeat N]
"""
import argparse
import re
import statistics
import subprocess
import sys
import tempfile

UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6}
# name, queries, heads, key heads, attributes of the attention
ATTENTIONS = [
    ("full", 4096, 8, 8, "is_causal = false"),
    ("causal", 4096, 8, 8, "is_causal = true"),
    ("window 512", 8192, 8, 8, "is_causal = true, sliding_window_size = 512 : ui32"),
    ("GQA causal", 4096, 8, 2, "is_causal = true"),
]
STRATEGIES = ["ring", "all_gather", "ulysses", "usp", "halo", "split_kv", "replicate"]


def module(rows, heads, key_heads, attributes, devices):
    query, key = (f"tensor<1x{h}x{rows}x64xf32>" for h in (heads, key_heads))
    return f"""module attributes {{ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x{devices}>]>}} {{
  func.func @attention(%q: {query}, %k: {key}, %v: {key}) -> {query} {{
    %0 = "ttir.scaled_dot_product_attention"(%q, %k, %v) <{{{attributes}, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}}> {{ring.parallel = #ring.parallel<sequence = 1>}} : ({query}, {key}, {key}) -> {query}
    return %0 : {query}
  }}
}}
"""


def seconds(text):
    number, unit = text.split()
    return float(number) * UNITS[unit]


def predict(tools, path, machine, strategy):
    """The predicted seconds of a strategy and its name, or nothing where it cannot be
    used. `auto` gives those of the planner's choice."""
    options = f"machine={machine} strategy={strategy} form=explicit"
    run = subprocess.run(
        [f"{tools}/ring-opt", path, "--ring-raise", f"--ring-plan={options}", "-o", "/dev/null"],
        capture_output=True, text=True)
    found = re.search(r"ring-plan: ([^:]*): ([0-9.]+ (?:s|ms|us)),", run.stderr)
    if run.returncode != 0 or not found:
        return None, None
    name = next(s for s in STRATEGIES if re.search(rf"\b{s}\b", found.group(1)))
    return seconds(found.group(2)), name


def measure(tools, path, machine, strategy, repeat):
    times = []
    for _ in range(repeat):
        run = subprocess.run(
            [f"{tools}/ring-run", path,
             f"--ring-attention-pipeline=machine={machine} strategy={strategy}"],
            capture_output=True, text=True)
        found = re.search(r"instructions in ([0-9.]+) s", run.stdout)
        if run.returncode != 0 or not found:
            sys.exit(f"{strategy} cannot run: {run.stderr}")
        times.append(float(found.group(1)))
    # What else the machine does can only add to a time.
    return min(times)


def ranks(values):
    """Ranks from 1 on; equal values share the mean of theirs."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    result = [0.0] * len(values)
    i = 0
    while i < len(order):
        j = i
        while j + 1 < len(order) and values[order[j + 1]] == values[order[i]]:
            j += 1
        for k in range(i, j + 1):
            result[order[k]] = (i + j) / 2 + 1
        i = j + 1
    return result


def correlation(a, b):
    """Spearman's: Pearson's of the ranks."""
    a, b = ranks(a), ranks(b)
    mean_a, mean_b = statistics.mean(a), statistics.mean(b)
    cov = sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b))
    var_a = sum((x - mean_a) ** 2 for x in a)
    var_b = sum((y - mean_b) ** 2 for y in b)
    return cov / (var_a * var_b) ** 0.5 if var_a and var_b else float("nan")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("machine", nargs="?", default="cpu-mesh")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--devices", default="2,4,8")
    parser.add_argument("--attention", help="only the one of this name")
    arguments = parser.parse_args()
    tools = f"{arguments.build}/bin"
    print(f"machine: {arguments.machine}; f32; fastest of {arguments.repeat} runs")
    print(f"{'attention':12} {'devices':>7}  {'strategy':10} {'predicted ms':>12} {'measured ms':>12}")
    correlations, losses = [], []
    with tempfile.TemporaryDirectory() as directory:
        path = f"{directory}/attention.mlir"
        for name, rows, heads, key_heads, attributes in ATTENTIONS:
            if arguments.attention not in (None, name):
                continue
            for devices in map(int, arguments.devices.split(",")):
                with open(path, "w") as file:
                    file.write(module(rows, heads, key_heads, attributes, devices))
                table = []
                for strategy in STRATEGIES:
                    predicted, _ = predict(tools, path, arguments.machine, strategy)
                    if predicted is None:
                        continue
                    measured = measure(tools, path, arguments.machine, strategy, arguments.repeat)
                    table.append((predicted, measured, strategy))
                for predicted, measured, strategy in sorted(table):
                    print(f"{name:12} {devices:7}  {strategy:10} {predicted * 1e3:12.1f} {measured * 1e3:12.1f}",
                          flush=True)
                rho = correlation([row[0] for row in table], [row[1] for row in table])
                _, choice = predict(tools, path, arguments.machine, "auto")
                chosen = next(row[1] for row in table if row[2] == choice)
                loss = chosen / min(row[1] for row in table) - 1
                correlations.append(rho)
                losses.append(loss)
                print(f"{name:12} {devices:7}  rank correlation {rho:.2f}; the choice, {choice}, took "
                      f"{100 * loss:.0f} % longer than the fastest")
    print(f"mean rank correlation {statistics.mean(correlations):.2f}; the choice took at most "
          f"{100 * max(losses):.0f} % longer than the fastest, {100 * statistics.mean(losses):.0f} % on average")


if __name__ == "__main__":
    main()
