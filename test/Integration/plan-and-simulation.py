# SPDX-License-Identifier: Apache-2.0
"""Holds what the planner predicts of a plan against a simulation of the program
that is made from it, and what it chooses by itself against every strategy that
can be named.

The planner reads its times out of the program that a plan would become and
plays it rank by rank; the simulator runs every instruction of every device. Both
have the same machine, clock and links.

With --target ttir or ttnn it is the program of that target: ops one after the
other, and all that the devices do with a host's tensors before and behind them.

usage: plan-and-simulation.py --tools FOLDER --work FOLDER [--target ttir]
                              [--filter TEXT] [--all]
"""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys

import attention

LARGEST = 0.05  # of a time, between plan and simulation and behind the best
UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1}

MACHINE = """
[machine]
name = {name}
description = chips in a row for a test

[chip]
architecture = wormhole
grid = 8x8
clock = 1.0 GHz
tile product = 16, 32, 48, 64 cycles
product efficiency = 93 %
exp = 68 cycles
tile operation = 28 cycles
chunk = 1000 cycles
l1 = 1464 KiB
dram = 12 GB
dram bandwidth = 267 GB/s
noc = 30 B/cycle

[mesh]
shape = {rows}x{ranks}
topology = line, {topology}

[links]
count = 1
line packet = 259 ns
line bandwidth = 9.95 GB/s
ring packet = 443 ns
ring bandwidth = 9.95 GB/s
latency = 801 ns
"""

# (name, query heads, key heads, queries, keys, dim, features)
ATTENTIONS = [
    ("full short", 8, 8, 1024, 1024, 64, {}),
    ("full long", 8, 8, 32768, 32768, 128, {}),
    ("causal short", 8, 8, 1024, 1024, 128, {"causal": True}),
    ("causal long", 16, 16, 65536, 65536, 128, {"causal": True}),
    ("causal odd", 8, 8, 5003, 5003, 64, {"causal": True}),
    ("gqa causal", 32, 8, 16384, 16384, 128, {"causal": True}),
    ("gqa full", 32, 2, 8192, 8192, 128, {}),
    ("window", 8, 8, 32768, 32768, 128, {"causal": True, "window": 1024}),
    ("wide window", 8, 8, 16384, 16384, 64, {"causal": True, "window": 6000}),
    ("mask", 8, 8, 4096, 4096, 128, {"mask": True}),
    ("decode", 32, 8, 1, 65536, 128, {}),
    ("decode many heads", 64, 64, 1, 8192, 128, {}),
    ("chunk over a cache", 32, 8, 2048, 131072, 128, {"cache": 32}),
    ("decode over a cache", 32, 8, 1, 65536, 128, {"cache": 64}),
]
# By topology of the sequence's axis: (other chips beside each, ranks). With
# others the planner may lay heads on them.
MESHES = {"ring": [(1, 2), (1, 4), (1, 8), (1, 32), (2, 4)], "line": [(1, 3), (1, 8)]}
# Beside the matrix, by words of attention.py, on rings: what devices do before and
# behind their blocks, or not all alike, has its time too.
CASES = [
    # Key heads that the devices of the heads' axis share.
    "mesh=2x4 axis=1 heads_axis=0 heads=8 kv_heads=1 queries=4096 dim=64 dtype=bf16",
    "mesh=2x4 axis=0 heads_axis=1 heads=8 kv_heads=2 queries=4096 dim=64 dtype=bf16 causal",
    "mesh=4x2 axis=1 heads_axis=0 heads=8 kv_heads=2 queries=1024 dim=64 dtype=f32",
    "mesh=4x2 axis=0 heads_axis=1 heads=8 kv_heads=1 queries=1000 dim=128 dtype=bf16 causal",
    "mesh=4x4 axis=1 heads_axis=0 heads=16 kv_heads=2 queries=8192 dim=64 dtype=bf16 causal window=512",
    "mesh=2x4 axis=0 heads_axis=1 heads=32 kv_heads=2 queries=1 keys=32768 dim=128 dtype=bf16",
    "mesh=1x8 axis=1 heads=8 kv_heads=1 queries=8192 dim=64 dtype=bf16",
    # Dilated patterns whose rows are routed: not every device gets as many.
    "mesh=1x3 heads=8 queries=7680 dim=64 dtype=bf16 dilated=240:5",
    "mesh=4x2 axis=0 heads_axis=1 heads=8 kv_heads=4 queries=1920 dim=64 dtype=bf16 dilated=320:4",
    "mesh=2x4 axis=1 heads_axis=0 heads=8 kv_heads=4 queries=3840 dim=64 dtype=bf16 dilated=1920:3+3840:1 mix=lse phase=head_mod",
    "mesh=4x2 axis=0 heads_axis=1 heads=8 queries=1920 dim=64 dtype=bf16 dilated=240:5+640:2+1920:1 mix=lse phase=head_mod",
    "mesh=2x4 axis=1 heads_axis=0 heads=8 queries=960 dim=64 dtype=bf16 dilated=320:4+480:3",
    # Functions of a device's own: somebody takes the whole result, joint tokens or a mask
    # are on every device, rows cannot be dealt as they are.
    "mesh=1x4 form=p1 whole heads=8 queries=4096 dim=64 dtype=bf16",
    "mesh=1x4 form=p1 whole heads=8 queries=4096 dim=64 dtype=f32 causal",
    "mesh=1x4 form=p1 heads=8 queries=4100 dim=64 dtype=f32 causal",
    "mesh=1x4 form=p3 heads=8 queries=132 dim=64 dtype=bf16",
    "mesh=1x4 form=composite1 joint=256 heads=8 queries=4096 dim=64 dtype=bf16",
    "mesh=1x4 form=p1 mask=-11qk heads=8 queries=512 dim=64 dtype=bf16",
]
PLANS = [
    f"{strategy} {rest}".strip()
    for strategy, forms in {
        "strategy=ring": [f"layout={layout} directions={way}" for way in ("forward", "both")
                          for layout in ("contiguous", "zigzag", "striped")],
        "strategy=double_ring": [f"layout={layout} directions={way}"
                                 for way in ("forward", "both")
                                 for layout in ("contiguous", "zigzag")],
        "strategy=all_gather": ["layout=contiguous", "layout=zigzag", "layout=striped"],
        "strategy=ulysses": ["layout=contiguous", "layout=zigzag"],
        "strategy=usp": [f"layout={layout} directions={way}" for way in ("forward", "both")
                         for layout in ("contiguous", "zigzag")],
        "strategy=halo": [""],
        "strategy=split_kv": [f"merge={merge}" for merge in ("tree", "round", "gather",
                                                             "reduce")],
        "strategy=pass_q": [""],
        "strategy=replicate": [""],
        "strategy=ring_joint": ["layout=contiguous", "layout=zigzag"],
        "strategy=ring_distributed": [""],
    }.items()
    for rest in forms
]


# What a target has beside what is held for all of them to be equal: the programs
# of TTIR and TTNN are longer, so that fewer are tried.
DEVICE_ATTENTIONS = [
    ("full short", 8, 8, 1024, 1024, 64, {}),
    ("full long", 8, 8, 32768, 32768, 128, {}),
    ("full odd", 8, 8, 3001, 3001, 128, {}),
    ("causal short", 8, 8, 1024, 1024, 128, {"causal": True}),
    ("causal odd", 8, 8, 5003, 5003, 64, {"causal": True}),
    ("gqa causal", 32, 8, 16384, 16384, 128, {"causal": True}),
    ("gqa full f32", 8, 2, 2048, 2048, 64, {"type": "f32"}),
    ("window", 8, 8, 32768, 32768, 128, {"causal": True, "window": 1024}),
    ("mask", 8, 8, 4096, 4096, 128, {"mask": True}),
    ("decode", 32, 8, 1, 65536, 128, {}),
    ("few queries", 32, 8, 5, 8192, 128, {}),
    ("chunk over a cache", 32, 8, 2048, 32768, 128, {"cache": 32}),
]
DEVICE_MESHES = {"ring": [(1, 2), (1, 4), (1, 8), (2, 4)], "line": [(1, 3), (1, 8)]}


def program(heads, key_heads, queries, keys, dim, features, mesh):
    def tensor(*shape):
        return "tensor<" + "x".join(map(str, shape)) + f"x{features.get('type', 'bf16')}>"
    q, k = tensor(1, heads, queries, dim), tensor(1, key_heads, keys, dim)
    operands, types, mask = "%q, %k, %v", f"{q}, {k}, {k}", ""
    if "cache" in features:
        return f"""module attributes {{ttcore.meshes = #ttcore.meshes<[<"mesh" = {mesh}>]>}} {{
  func.func @attention(%q: {q}, %k: {k}, %v: {k}, %start: tensor<1xi32>) -> {q} {{
    %0 = ring.attention %q, %k, %v start(%start : tensor<1xi32>) pattern(#ring.causal) parallel(<sequence = 1, cache_block = {features['cache']}>) : {types} -> {q}
    return %0 : {q}
  }}
}}
"""
    if features.get("mask"):
        mask = f", %m: {tensor(1, 1, queries, keys)}"
        operands += ", %m"
        types += f", {tensor(1, 1, queries, keys)}"
    attributes = (f"is_causal = {str(bool(features.get('causal'))).lower()}, operandSegmentSizes = "
                  f"array<i32: 1, 1, 1, {1 if mask else 0}, 0>")
    if "window" in features:
        attributes += f", sliding_window_size = {features['window']} : ui32"
    return f"""module attributes {{ttcore.meshes = #ttcore.meshes<[<"mesh" = {mesh}>]>}} {{
  func.func @attention(%q: {q}, %k: {k}, %v: {k}{mask}) -> {q} {{
    %0 = "ttir.scaled_dot_product_attention"({operands}) <{{{attributes}}}> {{ring.parallel = #ring.parallel<sequence = 1>}} : ({types}) -> {q}
    return %0 : {q}
  }}
}}
"""


def machine_file(work, topology, mesh):
    """Chips of that mesh, whose second axis has that topology."""
    path = f"{work}/{topology}-{mesh}.machine"
    rows, ranks = mesh.split("x")
    with open(path, "w") as file:
        file.write(MACHINE.format(name=f"{topology}-{mesh}", rows=rows, ranks=ranks,
                                  topology=topology))
    return path


def seconds(pattern, text):
    number, unit = re.search(pattern + r"([0-9.]+) (us|ms|s)\b", text).groups()
    return float(number) * UNITS[unit]


def run(tools, target, source, machine, options):
    """Planned and simulated seconds; nothing if the plan is refused."""
    # Device ops are composites, which the ring target does not have. A program
    # for devices also pads and deals arguments there, which is no part of a plan
    # for that target.
    passes = [f"--ring-attention-pipeline=target={target} {options} machine={machine}"]
    if target == "ring" and re.search("ring_joint|ring_distributed", options):
        passes = ["--ring-raise", f"--ring-plan={options} machine={machine}",
                  "--ring-outline-fused", "--ring-shard", "--canonicalize"]
    ran = subprocess.run(
        [f"{tools}/ring-run", source, "--backend=sim", f"--machine={machine}", *passes],
        capture_output=True, text=True, timeout=300)
    if ran.returncode != 0:
        if not re.search("cannot use (any )?strategy|cannot be planned", ran.stderr):
            raise RuntimeError(f"{options}: {ran.stderr}")
        return None
    chosen = re.search(r"ring-plan: ([^:]*): ", ran.stderr).group(1)
    return (seconds(r"ring-plan: [^:]*: ", ran.stderr),
            seconds(r"mesh [0-9x]+: ", ran.stdout), chosen)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--target", default="ring", choices=["ring", "ttir", "ttnn"])
    parser.add_argument("--filter", default="")
    parser.add_argument("--all", action="store_true", help="print every line")
    arguments = parser.parse_args()
    os.makedirs(arguments.work, exist_ok=True)
    jobs = []

    def add(label, name, text, machine):
        if arguments.filter not in label:
            return
        source = f"{arguments.work}/{name}.mlir"
        with open(source, "w") as file:
            file.write(text)
        jobs.extend((label, source, machine, plan) for plan in PLANS + [""])

    ring = arguments.target == "ring"
    for topology, meshes in (MESHES if ring else DEVICE_MESHES).items():
        for rows, ranks in meshes:
            mesh = f"{rows}x{ranks}"
            machine = machine_file(arguments.work, topology, mesh)
            for name, *shape in ATTENTIONS if ring else DEVICE_ATTENTIONS:
                add(f"{name} on {topology} of {mesh}", f"{name.replace(' ', '-')}-{mesh}",
                    program(*shape, mesh), machine)
    for number, words in enumerate(CASES if ring else []):
        case = attention.parse(words.split())
        add(words, f"case-{number}", attention.module(case),
            machine_file(arguments.work, "ring", case.mesh))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(
            lambda job: run(arguments.tools, arguments.target, *job[1:]), jobs))

    compared, choices, failures = 0, 0, 0
    fastest = {}
    for (label, _, _, plan), result in zip(jobs, results):
        # The default target has explicit programs alone.
        if result and plan and not (ring and "ring_" in plan.split()[0]):
            fastest[label] = min(fastest.get(label, (1e9, "")), (result[1], plan))
    for (label, _, _, plan), result in zip(jobs, results):
        if not result:
            continue
        planned, simulated, chosen = result
        apart = simulated / planned - 1
        compared += 1
        wrong = abs(apart) > LARGEST
        words = f"planned {planned * 1e6:.1f} us, simulated {simulated * 1e6:.1f} us ({apart:+.1%})"
        if not plan:
            choices += 1
            best, best_plan = fastest[label]
            behind = simulated / best - 1
            wrong |= behind > LARGEST
            words += f"; {behind:+.1%} from {best_plan}, {best * 1e6:.1f} us"
        failures += wrong
        if wrong or arguments.all:
            print(f"{'WRONG ' if wrong else ''}{label}, {plan or 'auto: ' + chosen}: {words}")
    print(f"{compared} plans against their simulation, {choices} choices: {failures} wrong")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
