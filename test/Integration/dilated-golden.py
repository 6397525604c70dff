#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares dilated attentions with vectors that were computed elsewhere.

Inputs/dilated-vectors.json has, for each case, the shape, the seed, the options
of the public function that it stands for, and the result. The inputs follow
from the seed by integer arithmetic, so that they are exact everywhere. Each case
runs on every mesh that the command line names, once per strategy; results must
agree to 1e-5 of the largest number.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # importing leaves no trace in the source tree
import npy  # noqa: E402

TOLERANCE = 1e-5


def numbers(count, seed):
    """The numbers of one input, in [-1, 1)."""
    result = []
    for index in range(count):
        u = (index * 2654435761 + seed * 40503 + 12345) & 0xFFFFFFFF
        u = ((u ^ (u >> 15)) * 2246822519) & 0xFFFFFFFF
        u ^= u >> 13
        result.append((u >> 8) / 2**23 - 1)
    return result


def heads_first(values, shape):
    """From [batch, row, head, dim] to [batch, head, row, dim]."""
    b, n, h, d = shape
    return [values[((i * n + row) * h + head) * d + k] for i in range(b)
            for head in range(h) for row in range(n) for k in range(d)]


def pattern(case):
    """The pattern attribute of a case, or none for a full attention."""
    args, function = case["args"], case["fn"]
    causal = args.get("is_causal", False)
    if function == "full_attention":
        return "#ring.causal" if causal else ""
    rates = args.get("dilation_rates") or args.get("dilated_ratios")
    words = [f"segments = {args['segment_lengths']}", f"rates = {rates}"]
    if function == "ring_concat":
        words += ["segmentation = concat", "phase = all_residues", "mix = lse",
                  "norm = none"]
    elif function == "ring_prefix":
        words += ["segmentation = prefix", f"chunks = {args['P']}",
                  "phase = zero", "mix = mean", "norm = none"]
    elif function == "longnet_attention":
        paper = args.get("phase") == "paper"
        words += [f"phase = {'head_mod' if paper else 'head_block'}",
                  "mix = lse", "norm = none"]
    elif function == "dilated_attention":
        words += [f"extra = {args.get('head_mode', 'first')}",
                  f"norm = {args.get('norm', 'groups')}"]
    else:
        raise ValueError(f"expects a known function, but got {function}")
    words.append(f"causal = {str(causal).lower()}")
    return f"#ring.dilated<{', '.join(words)}>"


def module(case, mesh):
    b, n, h, d = case["shape"]
    tensor, column = f"tensor<{b}x{h}x{n}x{d}xf32>", f"tensor<{b}x{h}x{n}x1xf32>"
    text = pattern(case)
    text = text and f" pattern({text})"
    lse = "lse" in case
    names, types = ("%o, %l", f"{tensor}, {column}") if lse else ("%o", tensor)
    suffix = f" lse({column})" if lse else ""
    return (f'module attributes {{ttcore.meshes = #ttcore.meshes<[<"mesh" = '
            f"{mesh}>]>}} {{\nfunc.func @attention(%q: {tensor}, %k: {tensor}, %v: {tensor}) -> "
            f"({types}) {{\n  {names} = ring.attention %q, %k, %v{text} "
            f"parallel(<sequence = 1>) : {tensor}, {tensor}, {tensor} -> {tensor}"
            f"{suffix}\n  return {names} : {types}\n}}\n}}\n")


def difference(found, expected):
    """The largest difference over the largest number; infinities must agree."""
    largest = max(abs(x) for x in expected if abs(x) != float("inf"))
    worst = 0.0
    for x, y in zip(found, expected):
        if x == y:
            continue
        # A comparison that fails for NaN.
        worst = worst if abs(x - y) <= worst * largest else abs(x - y) / largest
    return worst if len(found) == len(expected) else float("nan")


def run(case, mesh, strategy, tool, folder, target):
    """What is wrong with a case on a mesh, or nothing."""
    shape = case["shape"]
    b, n, h, d = shape
    flags = [f"--ring-attention-pipeline=strategy={strategy} target={target}"]
    for index, name in enumerate(("q", "k", "v")):
        path = os.path.join(folder, name + ".npy")
        values = numbers(b * n * h * d, 3 * case["seed"] + 1 + index)
        npy.write(path, [b, h, n, d], heads_first(values, shape))
        flags.append(f"--input={path}")
    results = [("out", shape)] + ([("lse", [b, n, h, 1])] if "lse" in case else [])
    for name, _ in results:
        flags.append(f"--output={os.path.join(folder, name + '.npy')}")
    done = subprocess.run([tool, "-"] + flags, input=module(case, mesh),
                          capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        return f"exit code {done.returncode}: {done.stderr[-600:]}"
    for name, shape in results:
        found = npy.read(os.path.join(folder, name + ".npy"))
        expected = [float(x) for x in case[name]]
        off = difference(found, heads_first(expected, shape))
        if not off <= TOLERANCE:
            return f"{name} is off by {off:.2e}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tools", required=True, help="where ring-run is")
    parser.add_argument("--meshes", default="1x1,1x2,1x4,1x8")
    parser.add_argument("--strategies", default="auto,ring,all_gather,replicate")
    parser.add_argument("--target", default="ring")
    parser.add_argument("--case", help="only the case of this name")
    arguments = parser.parse_args()
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "Inputs", "dilated-vectors.json"),
              encoding="utf-8") as file:
        cases = json.load(file)["cases"]
    tool = os.path.join(arguments.tools, "ring-run")
    failures = runs = 0
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            if arguments.case and case["name"] != arguments.case:
                continue
            for mesh in arguments.meshes.split(","):
                for strategy in arguments.strategies.split(","):
                    problem = run(case, mesh, strategy, tool, folder,
                                  arguments.target)
                    runs += 1
                    if problem:
                        failures += 1
                        print(f"FAILED: {case['name']} on {mesh} with "
                              f"{strategy}: {problem}")
    print(f"{runs} runs, {failures} failed")
    sys.exit(1 if failures or not runs else 0)


if __name__ == "__main__":
    main()
