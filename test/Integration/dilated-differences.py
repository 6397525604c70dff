#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds gradients of dilated attentions against differences of their outputs.

Each attention is written here once more, in double precision and row by row, and
every number of query, key and value is moved a little up and down: what that
does to sum(gradient of the output * output) is the gradient. Nothing of the
compiler, its runtime or its reference has a part in it.
"""

import argparse
import math
import os
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # importing leaves no trace in the source tree
import attention  # noqa: E402
import backward  # noqa: E402
import npy  # noqa: E402

DIM = 2
STEP = 1e-5
TOLERANCE = 2e-5

CASES = (
    "rows=12 heads=3 dilated=4:1+6:2+12:3",
    "rows=12 heads=4 kv_heads=2 dilated=4:1+6:2 causal mix=lse phase=head_mod",
    "rows=12 heads=2 dilated=6:2+12:4 mix=mean phase=zero causal",
    "rows=12 heads=2 kv_heads=1 dilated=4:2+12:3 mix=lse phase=all_residues",
    "rows=10 heads=3 dilated=5:2+12:3 shorter=clamp norm=none length=7",
    "rows=12 heads=2 dilated=2:1+3:2 segmentation=prefix chunks=3 mix=mean "
    "phase=zero causal",
    "rows=12 heads=2 dilated=5:2+7:3 segmentation=concat mix=lse "
    "phase=all_residues",
)
MESHES = ("1x1", "1x2", "1x4", "1x8")


def sets_of(case, pair, head):
    """Rows that attend to each other, as lists in the order of the rows."""
    pairs = [tuple(map(int, text.split(":"))) for text in case.dilated.split("+")]
    segment, rate = pairs[pair]
    begin, end, count = 0, case.rows, None
    if case.segmentation == "concat":
        begin = sum(s for s, _ in pairs[:pair])
        end = begin + segment
    elif case.segmentation == "prefix":
        count, segment = segment, case.rows // case.chunks
    segment = min(segment, case.rows)
    phases = {"group": [pair % rate], "head_mod": [head % rate], "zero": [0],
              "all_residues": range(rate)}[case.phase]
    result = []
    for phase in phases:
        lists = [list(range(start + phase, start + segment, rate))[:count]
                 for start in range(begin, end, segment)]
        if case.segmentation == "prefix":
            lists = [sum(lists, [])]
        result += lists
    return result


def pairs_of(case, head):
    """The pairs that a head runs: its own, or all."""
    count = len(case.dilated.split("+"))
    if case.mix != "head_partition":
        return list(range(count))
    sizes = [case.heads // count + (i < case.heads % count) for i in range(count)]
    return [next(i for i in range(count) if head < sum(sizes[:i + 1]))]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def rows_of(tensor, head, rows):
    """The rows of one head of a tensor that is a flat list."""
    first = head * rows * DIM
    return [tensor[first + i * DIM:first + (i + 1) * DIM] for i in range(rows)]


def loss(case, seen, grad, tensors):
    """The output, from the definition, times what is its gradient."""
    count = len(case.dilated.split("+"))
    norm = case.norm or ("groups" if case.mix == "head_partition" else "none")
    divisor = count if norm == "groups" or case.mix == "mean" else 1
    total = 0.0
    for head in range(case.heads):
        shared = head * case.kv_heads // case.heads
        g, q = (rows_of(x, head, case.rows) for x in (grad, tensors[0]))
        k, v = (rows_of(x, shared, case.rows) for x in tensors[1:])
        for row in range(case.rows):
            for keys in seen[head][row]:
                scores = [dot(k[i], q[row]) / math.sqrt(DIM) for i in keys]
                weights = [math.exp(score - max(scores)) for score in scores]
                part = sum(w * dot(v[i], g[row]) for w, i in zip(weights, keys))
                total += part / sum(weights) / divisor
    return total


def seen_by(case, head, row):
    """A list of keys for each softmax that a row has; a merge has one."""
    limit = case.length or case.rows
    seen = [[other for rows in sets_of(case, pair, head) if row in rows
             for other in rows
             if other < limit and not (case.causal and other > row)]
            for pair in pairs_of(case, head)]
    if case.mix == "lse":
        seen = [sum(seen, [])]
    return [keys for keys in seen if keys]


def differences(case, grad, tensors):
    """The gradients of all three tensors."""
    seen = [[seen_by(case, head, row) for row in range(case.rows)]
            for head in range(case.heads)]
    result = []
    for tensor in tensors:
        gradient = []
        for place, kept in enumerate(list(tensor)):
            moved = []
            for step in (STEP, -STEP):
                tensor[place] = kept + step
                moved.append(loss(case, seen, grad, tensors))
            tensor[place] = kept
            gradient.append((moved[0] - moved[1]) / (2 * STEP))
        result.append(gradient)
    return result


def compiled(case, inputs, tool, folder):
    """The gradients that the compiled program computes."""
    flags = ["--ring-attention-pipeline"]
    for index, tensor in enumerate(inputs):
        path = os.path.join(folder, f"in{index}.npy")
        heads = len(tensor) // (case.rows * DIM)
        npy.write(path, [1, heads, case.rows, DIM], tensor)
        flags.append(f"--input={path}")
    paths = [os.path.join(folder, f"out{index}.npy") for index in range(3)]
    flags += [f"--output={path}" for path in paths]
    done = subprocess.run([tool, "-"] + flags, input=backward.module(case),
                          capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        sys.exit(f"exit code {done.returncode}: {done.stderr[-600:]}")
    return [npy.read(path) for path in paths]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tools", required=True, help="where ring-run is")
    arguments = parser.parse_args()
    tool = os.path.join(arguments.tools, "ring-run")
    generator = random.Random(1)
    checked = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for text in CASES:
            words = f"{text} dim={DIM}".split()
            case = attention.parse(words, backward.Backward)
            # Numbers that f32 has too.
            grad, *tensors = [
                [generator.randint(-64, 64) / 32
                 for _ in range(heads * case.rows * DIM)]
                for heads in (case.heads, case.heads, case.kv_heads, case.kv_heads)]
            expected = differences(case, grad, tensors)
            for mesh in MESHES:
                case = attention.parse(words + [f"mesh={mesh}"], backward.Backward)
                found = compiled(case, [grad] + tensors, tool, folder)
                for name, a, b in zip(("query", "key", "value"), found, expected):
                    checked += 1
                    off = max(abs(x - y) for x, y in zip(a, b)) / max(map(abs, b))
                    if not off <= TOLERANCE:
                        wrong += 1
                        print(f"FAILED: {text} on {mesh}: the gradient of {name} "
                              f"is off by {off:.2e}")
    print(f"{checked} gradients, {wrong} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
