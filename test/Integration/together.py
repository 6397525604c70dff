#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the plans of a function's attentions together to those of each by itself.

Layers of a transformer, whose attentions are causal, full or windowed in turn,
are planned as they are, and as functions of one attention each, whose plans are
then written into the layers. The simulated layers must take no longer with the
plans that were made together. Says what was compared.

usage: together.py --tools FOLDER --work FOLDER
"""

import argparse
import os
import re
import subprocess
import sys

UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1}
REST = ("ring-shard,ring-keep-sharded,canonicalize,cse,"
        "func.func(ring-merge-lse,ring-overlap),ring-verify-schedule")

# (attentions in turn, tokens, heads, key heads, dim, mesh, machine)
CASES = [
    (["causal"] * 2, 4096, 8, 8, 64, "1x8", "t3000"),
    (["causal"] * 3, 250, 32, 8, 32, "2x4", "t3000"),
    (["causal", "full"] * 2, 16384, 4, 4, 128, "1x8", "t3000"),
    (["full", "causal", "full"], 4096, 4, 4, 64, "1x8", "t3000"),
    (["window", "causal"] * 2, 16384, 4, 4, 128, "1x8", "t3000"),
    (["causal", "full"] * 4, 32768, 2, 2, 128, "1x4", "quiet-box"),
    (["causal", "full"] * 2, 4096, 8, 8, 64, "1x8", "t3000"),
    (["full", "causal", "full"], 8192, 8, 8, 128, "1x4", "quiet-box"),
    (["causal"] * 3, 2048, 16, 4, 64, "2x4", "t3000"),
    (["window", "causal"] * 2, 8192, 8, 8, 64, "1x8", "t3000"),
    (["causal", "full"], 250, 8, 8, 32, "2x4", "t3000"),
    (["full"] * 2, 4096, 8, 8, 64, "1x8", "t3000"),
]


def tensor(*shape):
    return "tensor<" + "x".join(map(str, shape)) + "xbf16>"


def attention(kind, number, q, k):
    attributes = f"is_causal = {str(kind != 'full').lower()}, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>"
    if kind == "window":
        attributes += ", sliding_window_size = 1024 : ui32"
    return (f'    %a{number} = "ttir.scaled_dot_product_attention"(%q{number}, %k{number}, %v{number}) <{{{attributes}}}>'
            f" {{ring.parallel = #ring.parallel<sequence = 1>}} : ({q}, {k}, {k}) -> {q}\n")


def types(case):
    _, tokens, heads, key_heads, dim, _, _ = case
    return tensor(1, heads, tokens, dim), tensor(1, key_heads, tokens, dim)


def wrap(case, body):
    return f'module attributes {{ttcore.meshes = #ttcore.meshes<[<"mesh" = {case[5]}>]>}} {{\n{body}}}\n'


def layers(case):
    kinds, tokens, heads, key_heads, dim, _, _ = case
    q, k = types(case)
    width = heads * dim
    x = tensor(1, tokens, width)
    names, body = [], ""
    flat = "<{transpose_a = false, transpose_b = false}>"
    for n, kind in enumerate(kinds):
        stream = f"%x{n}"
        for name, count in (("q", heads), ("k", key_heads), ("v", key_heads)):
            weight = tensor(width, count * dim)
            names.append(f"%w{name}{n}: {weight}")
            features, rows = tensor(1, tokens, count * dim), tensor(1, tokens, count, dim)
            body += f'    %f{name}{n} = "ttir.matmul"({stream}, %w{name}{n}) {flat} : ({x}, {weight}) -> {features}\n'
            body += (f'    %r{name}{n} = "ttir.reshape"(%f{name}{n}) <{{shape = [1 : i32, {tokens} : i32, {count} : i32, {dim} : i32]}}>'
                     f" : ({features}) -> {rows}\n")
            body += (f'    %{name}{n} = "ttir.permute"(%r{name}{n}) <{{permutation = array<i64: 0, 2, 1, 3>}}>'
                     f" : ({rows}) -> {q if name == 'q' else k}\n")
        body += attention(kind, n, q, k)
        rows = tensor(1, tokens, heads, dim)
        weight = tensor(width, width)
        names.append(f"%wo{n}: {weight}")
        body += f'    %p{n} = "ttir.permute"(%a{n}) <{{permutation = array<i64: 0, 2, 1, 3>}}> : ({q}) -> {rows}\n'
        body += (f'    %j{n} = "ttir.reshape"(%p{n}) <{{shape = [1 : i32, {tokens} : i32, {width} : i32]}}> : ({rows}) -> {x}\n')
        body += f'    %o{n} = "ttir.matmul"(%j{n}, %wo{n}) {flat} : ({x}, {weight}) -> {x}\n'
        body += f'    %x{n + 1} = "ttir.add"(%x{n}, %o{n}) : ({x}, {x}) -> {x}\n'
    return wrap(case, f"  func.func @layers(%x0: {x}, {', '.join(names)}) -> {x} {{\n{body}"
                      f"    return %x{len(kinds)} : {x}\n  }}\n")


def alone(case):
    q, k = types(case)
    return wrap(case, "".join(
        f"  func.func @alone{n}(%q{n}: {q}, %k{n}: {k}, %v{n}: {k}) -> {q} {{\n"
        f"{attention(kind, n, q, k)}    return %a{n} : {q}\n  }}\n" for n, kind in enumerate(case[0])))


def run(command):
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode:
        raise SystemExit(f"{' '.join(command)}: {ran.stderr}")
    return ran


def simulated(tools, path, machine, passes):
    text = run([f"{tools}/ring-run", path, passes, "--backend=sim", f"--machine={machine}"]).stdout
    number, unit = re.search(r"mesh [0-9x]+: ([0-9.]+) (us|ms|s) predicted", text).groups()
    return float(number) * UNITS[unit]


def plans_in(text):
    """What stands behind `plan` of every attention: balanced angle brackets."""
    found = []
    for match in re.finditer(r" plan\(", text):
        depth, end = 0, match.end()
        while True:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            if depth < 0:
                break
            end += 1
        found.append(text[match.start():end + 1])
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", required=True)
    parser.add_argument("--work", required=True)
    arguments = parser.parse_args()
    os.makedirs(arguments.work, exist_ok=True)
    tools, changed, wrong = arguments.tools, 0, 0
    for number, case in enumerate(CASES):
        path = os.path.join(arguments.work, f"case{number}")
        for name, text in (("layers", layers(case)), ("alone", alone(case))):
            with open(f"{path}.{name}.mlir", "w") as file:
                file.write(text)
        plan = f"--ring-plan=form=explicit machine={case[6]}"
        together = run([f"{tools}/ring-opt", f"{path}.layers.mlir", "--ring-raise", plan])
        own = run([f"{tools}/ring-opt", f"{path}.alone.mlir", "--ring-raise", plan])
        plans, own_plans = plans_in(together.stdout), plans_in(own.stdout)
        if len(plans) != len(case[0]) or len(own_plans) != len(case[0]):
            raise SystemExit(f"case {number}: expects {len(case[0])} plans, but got {plans} and {own_plans}")
        pieces = re.split("|".join(map(re.escape, sorted(set(plans), key=len, reverse=True))), together.stdout)
        by_itself = "".join(piece + planned for piece, planned in zip(pieces, own_plans + [""]))
        for name, text in (("together", together.stdout), ("separate", by_itself)):
            with open(f"{path}.{name}.mlir", "w") as file:
                file.write(text)
        times = [simulated(tools, f"{path}.{name}.mlir", case[6], f"--pipeline={REST}")
                 for name in ("together", "separate")]
        changes = "for its neighbours' sake" in together.stderr
        if changes != (plans != own_plans):
            print(f"case {number}: plans {plans} and {own_plans}, but the remarks say otherwise")
            wrong += 1
        changed += changes
        words = f"case {number}, {' '.join(case[0])}: together {times[0] * 1e6:.1f} us, each by itself {times[1] * 1e6:.1f} us"
        print(words)
        if times[0] > times[1] * 1.0001:
            print(f"WRONG {words}: {plans} against {own_plans}")
            wrong += 1
    print(f"{len(CASES)} functions, {changed} of them planned otherwise than each attention by itself: {wrong} wrong")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
