# SPDX-License-Identifier: Apache-2.0
"""Holds the planner's order of strategies against measured times on the CPU mesh.

Every attention runs with every strategy that can compute it; the predicted and
the measured times are compared by rank. A machine file with the figures of this
processor makes the prediction one of this processor:
  measure.py BUILD_DIR [MACHINE] [--turns N]

Strategies take turns in one process, so that a slow moment of the machine hits all
of them, and memory is kept, as in a model that repeats its attention layer after
layer. Which memory a process gets makes a difference that stays as long as it
lives, so there are three, one after the other; times are medians over all of them.
Short programs take more turns, until they have run for some seconds. Where the
processes differ by more than a tenth, as they do while others have the cores, the
case is measured again, whatever it showed.
Two that differ by less than the noise are equal: the noise of a case is how far the
medians of the even and of the odd runs of one strategy are apart, on average over
the strategies. The order counts all pairs of strategies that are not equal: +1
where the prediction has them in the measured order, -1 where it has them the other
way round, 0 where it does not tell them apart. Spearman's rank correlation, which
takes the noise for a difference, is beside.
"""
import argparse
import itertools
import re
import statistics
import subprocess
import sys
import tempfile

UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6}
# name, tokens, heads, key heads, dim, attributes of the attention
ATTENTIONS = [
    ("full", 4096, 8, 8, 64, "is_causal = false"),
    ("causal", 4096, 8, 8, 64, "is_causal = true"),
    ("window 512", 8192, 8, 8, 64, "is_causal = true, sliding_window_size = 512 : ui32"),
    ("GQA causal", 4096, 8, 2, 64, "is_causal = true"),
]
# Not looked at while the model was made.
UNSEEN = [
    ("wide", 2048, 8, 8, 128, "is_causal = false"),
    ("wide causal", 4096, 8, 8, 128, "is_causal = true"),
    ("16 heads", 2048, 16, 4, 64, "is_causal = true"),
    ("window 256", 4096, 8, 8, 128, "is_causal = true, sliding_window_size = 256 : ui32"),
    ("short", 1024, 8, 8, 64, "is_causal = true"),
    ("odd", 3001, 8, 8, 64, "is_causal = true"),
    ("few heads", 4096, 4, 2, 128, "is_causal = true"),
    ("GQA window", 6144, 8, 4, 64, "is_causal = true, sliding_window_size = 1024 : ui32"),
]
STRATEGIES = ["ring", "all_gather", "ulysses", "usp", "halo", "split_kv", "replicate"]
PROCESSES = 3
# Medians of processes that are farther apart were disturbed, and so often a case is
# measured at most.
DISTURBED = 0.1
TRIES = 4
# Predictions that are nearer to each other are not told apart.
SAME = 0.001


def module(rows, heads, key_heads, dim, attributes, devices):
    query, key = (f"tensor<1x{h}x{rows}x{dim}xf32>" for h in (heads, key_heads))
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
    found = re.search(r"ring-plan: ([^:]*): ([0-9.]+ (?:s|ms|us)) predicted", run.stderr)
    if run.returncode != 0 or not found:
        return None, None
    name = next(s for s in STRATEGIES if re.search(rf"\b{s}\b", found.group(1)))
    return seconds(found.group(2)), name


def compile_for(tools, path, machine, strategy, into):
    """Writes the program of a strategy."""
    lowered = f"{into}.mlir"
    for command in (
            [f"{tools}/ring-opt", path, "-o", lowered,
             f"--ring-attention-pipeline=machine={machine} strategy={strategy} target=ring"],
            [f"{tools}/ring-translate", "--mlir-to-program", lowered, "-o", into]):
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"{strategy} cannot be compiled: {run.stderr}")


def run_in_turns(tools, programs, turns):
    """The seconds of every run of every program, process by process."""
    processes = []
    for _ in range(PROCESSES):
        run = subprocess.run([f"{tools}/turns_bench", f"--turns={turns}", *programs],
                             capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"cannot run: {run.stderr}")
        processes.append([list(map(float, line.split()[1:])) for line in run.stdout.splitlines()])
    return list(zip(*processes))


def disturbance(runs):
    """How far the medians of the processes are apart, on average over the programs that
    took all turns."""
    spreads = []
    for processes in runs:
        if min(map(len, processes)) > 1:
            medians = list(map(statistics.median, processes))
            spreads.append(max(medians) / min(medians) - 1)
    return statistics.mean(spreads) if spreads else 0.0


def measure(tools, programs, turns):
    """The seconds of every run of every program: those of the calmest try."""
    tries = []
    for _ in range(TRIES):
        runs = run_in_turns(tools, programs, turns)
        tries.append((disturbance(runs), [sum(processes, []) for processes in runs]))
        if tries[-1][0] <= DISTURBED:
            break
        print(f"disturbed: processes are {100 * tries[-1][0]:.0f} % apart", flush=True)
    return min(tries)


def noise_of(runs):
    """How far the medians of two halves of the runs are apart, on average."""
    apart = [abs(statistics.median(times[::2]) / statistics.median(times[1::2]) - 1)
             for times in runs if len(times) > 3]
    return statistics.mean(apart) if apart else 0.0


def order(predicted, measured, noise):
    """+1 where both orders agree on all pairs that differ, -1 where on none."""
    score = pairs = 0
    for i, j in itertools.combinations(range(len(measured)), 2):
        if abs(measured[i] / measured[j] - 1) <= noise:
            continue
        pairs += 1
        if abs(predicted[i] / predicted[j] - 1) > SAME:
            score += 1 if (predicted[i] < predicted[j]) == (measured[i] < measured[j]) else -1
    return score / pairs if pairs else 1.0


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


class Summary:
    """What all cases of a list give together."""

    def __init__(self, title):
        self.title = title
        self.orders, self.correlations, self.losses = [], [], []

    def show(self):
        if not self.orders:
            return
        near = sum(loss <= 0.05 for loss in self.losses)
        print(f"{self.title}: order {statistics.mean(self.orders):.2f}, rank correlation "
              f"{statistics.mean(self.correlations):.2f} on average; the choice was within 5 % of "
              f"the fastest in {near} of {len(self.losses)}, took {100 * statistics.mean(self.losses):.1f} % "
              f"longer on average and {100 * max(self.losses):.1f} % at most", flush=True)


def hold(tools, directory, attention, devices, arguments, summary):
    """One attention on some devices with every strategy."""
    name = attention[0]
    path = f"{directory}/attention.mlir"
    with open(path, "w") as file:
        file.write(module(*attention[1:], devices))
    predictions, programs = {}, {}
    for strategy in STRATEGIES:
        predicted, _ = predict(tools, path, arguments.machine, strategy)
        if predicted is not None:
            programs[strategy] = f"{directory}/{strategy}.program"
            compile_for(tools, path, arguments.machine, strategy, programs[strategy])
            predictions[strategy] = predicted
    apart, runs = measure(tools, programs.values(), arguments.turns)
    medians = dict(zip(programs, map(statistics.median, runs)))
    predicted, measured = list(predictions.values()), list(medians.values())
    for strategy in sorted(predictions, key=predictions.get):
        print(f"{name:12} {devices:7}  {strategy:10} {predictions[strategy] * 1e3:12.1f} "
              f"{medians[strategy] * 1e3:12.1f}")
    noise = noise_of(runs)
    agreement = order(predicted, measured, noise)
    rho = correlation(predicted, measured)
    _, choice = predict(tools, path, arguments.machine, "auto")
    loss = medians[choice] / min(measured) - 1
    summary.orders.append(agreement)
    summary.correlations.append(rho)
    summary.losses.append(loss)
    print(f"{name:12} {devices:7}  order {agreement:.2f} (noise {100 * noise:.1f} %, processes {100 * apart:.1f} % apart), rank correlation "
          f"{rho:.2f}; the choice, {choice}, took {100 * loss:.1f} % longer than the fastest", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("machine", nargs="?", default="cpu-mesh")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--devices", default="2,4,8")
    parser.add_argument("--attention", help="only the one of this name")
    arguments = parser.parse_args()
    tools = f"{arguments.build}/bin"
    print(f"machine: {arguments.machine}; f32; medians of {PROCESSES} x at least {arguments.turns} turns")
    print(f"{'attention':12} {'devices':>7}  {'strategy':10} {'predicted ms':>12} {'measured ms':>12}")
    summaries = []
    with tempfile.TemporaryDirectory() as directory:
        for title, attentions in (("seen", ATTENTIONS), ("unseen", UNSEEN)):
            summary = Summary(title)
            summaries.append(summary)
            for attention in attentions:
                if arguments.attention in (None, attention[0]):
                    for devices in map(int, arguments.devices.split(",")):
                        hold(tools, directory, attention, devices, arguments, summary)
    for summary in summaries:
        summary.show()


if __name__ == "__main__":
    main()
