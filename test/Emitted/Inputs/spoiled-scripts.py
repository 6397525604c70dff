#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Spoils an emitted script in one place at a time, and expects it to fail: either
a rule says what is wrong, or the numbers are. The script must have one fused
attention with joint tokens, be right as it is and run twice.

    spoiled-scripts.py SCRIPT INPUTS EXPECTED
"""

import glob
import os
import re
import subprocess
import sys

STAND_IN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "TtnnStandIn")

# What is wrong, a pattern, what stands there instead, and what must be printed.
SPOILS = (
    ("the same resources twice", r"itertools\.cycle\(sets\)", "itertools.repeat(sets[0])",
     "than the call before"),
    ("one semaphore", r"for _ in range\(2\)\],", "for _ in range(1)],", "at least two semaphores"),
    ("nothing synchronised", r"ttnn\.synchronize_device\(device\)", "None",
     "synchronised after semaphores"),
    ("no fabric", r"ttnn\.set_fabric_config\(FABRIC\)", "None", "configured before"),
    ("another fabric", r"FabricConfig\.FABRIC_1D\b", "FabricConfig.DISABLED", "configured before"),
    ("a ring on a line", r"Topology\.Linear", "Topology.Ring", "FABRIC_1D_RING"),
    ("late fabric", r"rings = make_rings\(device\)",
     "ttnn.set_fabric_config(FABRIC)\n            rings = make_rings(device)",
     "no mesh to be open when"),
    ("open mesh", r"ttnn\.close_mesh_device\(device\)", "None", "no mesh to be open when"),
    ("fabric left on", r"ttnn\.set_fabric_config\(ttnn\.FabricConfig\.DISABLED\)", "None",
     "leaves a fabric"),
    ("transfers in a row", r"\n *use_column_major_ccl=True,", "", "below the grid"),
    ("unknown parameter", r"dim=2,", "dim=2, use_ring=True,", "unexpected keyword"),
    ("missing parameter", r"dim=2,", "", "missing 1 required keyword-only argument: 'dim'"),
    ("not sent", r"ttnn\.to_device\((distribute_tensor_\d+), device[^)]*\)", r"\1",
     "operands on the device"),
    ("distributed twice", r"distribute_tensor\(\n        arg0",
     "distribute_tensor(\n        ttnn.to_device(arg0, device)", "a tensor of the host"),
    ("early deallocation", r"(    ring_\d+ = next)", r"    ttnn.deallocate(distribute_tensor_1)\n\1",
     "not deallocated"),
    ("small room", r"(keys_\S+=ttnn\.empty\(\[\d+, \d+, )\d+", r"\g<1>64", "room for keys"),
    ("large chunks", r"q_chunk_size=\d+, k_chunk_size=\d+", "q_chunk_size=1024, k_chunk_size=1024",
     "into a core's memory"),
    ("another scale", r"scale=[0-9.]+", "scale=0.2", "WRONG"),
    ("keys for values",
     r"(scaled_dot_product_attention\(\n +\w+,\n +)(to_device_\d+),\n( +)(to_device_\d+)",
     r"\1\4,\n\3\2", "WRONG"),
    ("a shorter sequence", r"logical_n=\d+", "logical_n=450", "WRONG"),
    ("heads in another order", r"MeshComposerConfig\(\[2, 1\]\)", "MeshComposerConfig([2, 0])",
     "WRONG"),
    ("no numbers", r"HiFi2", "HiFi5", "HiFi5"),
)


def run(script, inputs, expected):
    done = subprocess.run(
        [sys.executable, script, "--repeat=2", "--pcc=0.9999", "--error=0.01",
         *(f"--input={path}" for path in inputs), *(f"--expected={path}" for path in expected)],
        capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": STAND_IN, "PYTHONDONTWRITEBYTECODE": "1"})
    return done.returncode, done.stdout + done.stderr


def main():
    script, inputs, expected = sys.argv[1], *(sorted(glob.glob(x)) for x in sys.argv[2:4])
    with open(script) as file:
        text = file.read()
    code, output = run(script, inputs, expected)
    if code != 0:
        sys.exit(f"spoiled-scripts.py: the script is not right as it is\n{output}")
    problems = []
    for name, pattern, other, message in SPOILS:
        spoiled, count = re.subn(pattern, other, text)
        if count == 0:
            problems.append(f"{name}: '{pattern}' is not in the script")
            continue
        path = script + ".spoiled.py"
        with open(path, "w") as file:
            file.write(spoiled)
        code, output = run(path, inputs, expected)
        if code == 0:
            problems.append(f"{name}: passes")
        elif message not in output:
            problems.append(f"{name}: expects '{message}', but got\n{output[-400:]}")
    if problems:
        sys.exit("\n".join(problems))
    print(f"{len(SPOILS)} spoiled scripts, none passes")


if __name__ == "__main__":
    main()
