#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the predicted time of whole blocks of models to what cannot be beaten.

However a block is compiled, a chip takes at least as long as its products do at
the machine's best rate, and as long as the bytes of what it does take at the
DRAM's bandwidth. What has no time is named. Says nothing when all is well.
"""

import argparse
import json
import os
import subprocess
import tempfile

# Of t3000.machine: cores, cycles of a tile product at HiFi2, clock, DRAM.
CORES, TILE_CYCLES, CLOCK, DRAM = 64, 32, 1e9, 267e9
TILE_FLOPS = 2 * 32**3
PEAK = CORES * CLOCK * TILE_FLOPS / TILE_CYCLES
LAUNCH = 2900 / CLOCK

WAYS = {
    "sharded": ["--ring-attention-pipeline"],
    "attentions alone": ["--pipeline=ring-raise,ring-plan,ring-shard"],
    "ttir": ["--ring-attention-pipeline=target=ttir form=explicit"],
    "not compiled": [],
}


def products(ops):
    return sum(op["flops"] for name, op in ops.items() if name in ("matmul", "linear", "dot_general"))


def check(name, stats, text):
    whole = stats["host"]["ops"]
    for index, device in enumerate(stats["devices"]):
        flops = products(device["ops"]) + products(whole)
        if stats["seconds"] < flops / PEAK:
            raise SystemExit(f"{name}: predicted {stats['seconds']}, but the products of device "
                             f"{index} take {flops / PEAK}")
        own = [(key, op) for key, op in device["ops"].items() if op["seconds"] > 0]
        for key, op in own:
            # Attention has a model of its own, and transfers wait for others.
            bound = 0 if key.startswith("ring.") or "sdpa" in key else op["count"] * LAUNCH
            if op["seconds"] < bound * (1 - 1e-9):
                raise SystemExit(f"{name}: {op['count']} x {key} take {op['seconds']}, but their "
                                 f"launches {bound}")
        if sum(op["seconds"] for _, op in own) > stats["seconds"] * (1 + 1e-9):
            raise SystemExit(f"{name}: ops of device {index} take longer than the run")
    if not any(line.startswith("  untimed: none of ") for line in text.splitlines()[-1:]):
        raise SystemExit(f"{name}: expects the summary to end with what is untimed, but got "
                         f"{text.splitlines()[-1:]}")
    if stats["prediction"]["untimed"]:
        raise SystemExit(f"{name}: untimed: {stats['prediction']['untimed']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", required=True)
    parser.add_argument("examples", nargs="+")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        stats_file = os.path.join(folder, "stats.json")
        for example in arguments.examples:
            times = {}
            for way, passes in WAYS.items():
                name = f"{os.path.basename(example)}, {way}"
                ran = subprocess.run(
                    [os.path.join(arguments.tools, "ring-run"), example, *passes, "--backend=sim",
                     "--machine=t3000", f"--stats={stats_file}"], capture_output=True, text=True)
                if ran.returncode:
                    raise SystemExit(f"{name}: {ran.stderr}")
                with open(stats_file) as file:
                    stats = json.load(file)
                check(name, stats, ran.stdout)
                times[way] = stats["seconds"]
            # What stays on whole tensors is done by every chip, gathers included.
            if times["attentions alone"] < times["sharded"]:
                raise SystemExit(f"{example}: whole tensors are faster than shards: {times}")


main()
