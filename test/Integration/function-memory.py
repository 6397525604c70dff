#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One number for the memory of a device, whoever counts.

What a simulated and a real run of a whole block hold on a device is the least
that `device-memory` of the planner lets pass: a byte less is refused, with what
would fit. Says nothing when all is well.
"""

import argparse
import json
import os
import subprocess
import tempfile

CASES = [
    ("llama-block.mlir", "strategy=ring layout=zigzag directions=forward"),
    ("llama-block.mlir", "strategy=all_gather layout=contiguous"),
    ("wan-block.mlir", "strategy=ring directions=forward"),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", required=True)
    parser.add_argument("--examples", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        stats = os.path.join(folder, "stats.json")

        def run(example, options, *flags):
            return subprocess.run(
                [os.path.join(arguments.tools, "ring-run"), os.path.join(arguments.examples, example),
                 f"--ring-attention-pipeline=machine=t3000 {options}", f"--stats={stats}", *flags],
                capture_output=True, text=True)

        for example, options in CASES:
            held = []
            for flags in (["--backend=sim", "--machine=t3000"], []):
                ran = run(example, options, *flags)
                if ran.returncode:
                    raise SystemExit(f"{example} {options}: {ran.stderr}")
                with open(stats) as file:
                    held.append(max(device["peak_bytes"] for device in json.load(file)["devices"]))
            if held[0] != held[1]:
                raise SystemExit(f"{example} {options}: {held[0]} bytes simulated, {held[1]} held")
            sim = ["--backend=sim", "--machine=t3000"]
            enough = run(example, f"{options} device-memory={held[0]}", *sim)
            if enough.returncode:
                raise SystemExit(f"{example} {options}: {held[0]} bytes are held, but refused: {enough.stderr}")
            short = run(example, f"{options} device-memory={held[0] - 1}", *sim)
            if short.returncode == 0 or "cannot be planned: all of @" not in short.stderr:
                raise SystemExit(f"{example} {options}: {held[0]} bytes are held, but a byte less is not "
                                 f"refused: {short.stderr}")


main()
