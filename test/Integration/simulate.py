#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the simulator against the CPU backend, strategy by strategy.

Each case is compiled once for each backend; bytes, operations and the memory of
values must agree on every device, on the simulated CPU mesh and on chips. Every
prediction must keep the laws of any run. Says nothing when all is well.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # importing leaves no trace in the source tree
import attention  # noqa: E402

# Words of attention.py, then options of ring-attention-pipeline.
CASES = [
    ("", "strategy=replicate"),
    ("", "strategy=all_gather"),
    ("", "strategy=ring directions=forward"),
    ("", "strategy=ring directions=both"),
    ("causal", "strategy=ring layout=zigzag"),
    ("causal", "strategy=ring layout=striped"),
    ("causal", "strategy=ring layout=contiguous"),
    ("causal window=40", "strategy=halo"),
    ("causal", "strategy=double_ring inner-ranks=4 layout=zigzag"),
    ("", "strategy=double_ring inner-ranks=4 directions=both"),
    ("mesh=2x4 axis=1 outer=0 causal queries=100", "strategy=double_ring"),
    ("heads=8", "strategy=ulysses"),
    ("heads=4 kv_heads=2", "strategy=usp head-ranks=2"),
    ("queries=32 keys=512", "strategy=split_kv"),
    ("queries=100", "strategy=ring"),  # a shard is padding alone
    ("causal queries=77 kv_heads=1", "strategy=ring"),
    ("mesh=2x4 axis=0 heads_axis=1 heads=8", "strategy=ring"),
    ("dtype=bf16 layers=3", "strategy=ring"),
    ("dtype=bf16 queries=512", "strategy=ring target=ttir"),
    ("dtype=bf16 causal queries=512", "strategy=ring target=ttir"),
    ("form=p1", "strategy=ring"),
    ("mesh=1x1 axis=1", "strategy=auto"),
]
COUNTS = ("bytes_sent", "bytes_received", "flops", "peak_bytes",
          "peak_key_value_bytes")


def machine_of(mesh):
    """A machine of chips with that mesh, if one is built in."""
    return {"1x8": "t3000", "2x4": "t3000", "1x1": "n150"}.get(mesh)


def run(tools, folder, words, options, flags):
    case = attention.parse(["mesh=1x8"] + words.split())
    source = os.path.join(folder, "case.mlir")
    stats = os.path.join(folder, "stats.json")
    with open(source, "w") as file:
        file.write(attention.module(case))
    command = [os.path.join(tools, "ring-run"), source,
               # One plan on all backends, whatever machine is simulated.
               f"--ring-attention-pipeline={options} machine=cpu-mesh",
               f"--stats={stats}"]
    done = subprocess.run(command + flags, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{words} {options} {flags}: {done.stderr}")
    with open(stats) as file:
        return case, json.load(file)


def check_laws(name, stats):
    prediction = stats["prediction"]
    total = stats["seconds"]
    for index, device in enumerate(prediction["devices"]):
        for key, seconds in device.items():
            if not 0 <= seconds <= total * (1 + 1e-9):
                raise SystemExit(f"{name}: device {index}: {key} is {seconds}, "
                                 f"but the run takes {total}")
        parts = sum(device[key] for key in
                    ("compute_seconds", "exposed_seconds", "waiting_seconds"))
        own = stats["devices"][index]["seconds"]
        if abs(parts - own) > 1e-9 * max(own, 1):
            raise SystemExit(f"{name}: device {index}: parts add up to {parts}, "
                             f"but it ends at {own}")
    if not 0 <= prediction["utilisation"] < 1:
        raise SystemExit(f"{name}: utilisation {prediction['utilisation']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", required=True)
    tools = parser.parse_args().tools
    with tempfile.TemporaryDirectory() as folder:
        for words, options in CASES:
            case, real = run(tools, folder, words, options, [])
            machines = ["cpu-mesh", machine_of(case.mesh)]
            for machine in filter(None, machines):
                flags = ["--backend=sim", f"--machine={machine}"]
                name = f"{words} {options} on {machine}"
                _, found = run(tools, folder, words, options, flags)
                for index, device in enumerate(real["devices"]):
                    for key in COUNTS:
                        if found["devices"][index][key] != device[key]:
                            raise SystemExit(
                                f"{name}: device {index}: {key} is "
                                f"{found['devices'][index][key]}, but the CPU "
                                f"backend has {device[key]}")
                if machine != "cpu-mesh":
                    check_laws(name, found)
                _, again = run(tools, folder, words, options, flags)
                if again != found:
                    raise SystemExit(f"{name}: two simulations differ")


main()
