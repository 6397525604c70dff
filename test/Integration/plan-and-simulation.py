# SPDX-License-Identifier: Apache-2.0
"""Holds what the planner predicts of a plan against a simulation of the program
that is made from it. Both use one machine model, in different ways: steps with
blocks and transfers against every instruction of every device.

usage: plan-and-simulation.py --tools FOLDER --examples FOLDER
"""

import argparse
import re
import subprocess
import sys

# (example, mesh, machine, options, largest difference). What a program has
# beside blocks and transfers, such as the first state and the last division,
# the planner leaves out: 1 to 5 % of these.
CASES = [
    ("wan2.2-720p", "8x4", "wormhole-galaxy", "strategy=ring directions=forward", 0.03),
    ("wan2.2-720p", "8x4", "blackhole-galaxy", "strategy=ring directions=forward", 0.03),
    ("wan2.2-720p", "8x4", "blackhole-galaxy", "strategy=ring directions=both", 0.03),
    ("wan2.2-480p", "8x4", "wormhole-galaxy", "strategy=ring directions=forward", 0.05),
    ("wan2.2-720p", "2x2", "quiet-box", "strategy=ring directions=forward", 0.03),
    ("wan2.2-720p", "8x4", "blackhole-galaxy", "strategy=all_gather", 0.03),
    ("wan2.2-720p", "8x4", "blackhole-galaxy", "target=ttir strategy=ring_joint", 0.01),
]
UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1}


def seconds(pattern, text):
    number, unit = re.search(pattern + r"([0-9.]+) (us|ms|s)\b", text).groups()
    return float(number) * UNITS[unit]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", required=True)
    parser.add_argument("--examples", required=True)
    arguments = parser.parse_args()
    failed = False
    for name, mesh, machine, options, largest in CASES:
        ran = subprocess.run(
            [f"{arguments.tools}/ring-run", f"{arguments.examples}/{name}.mlir",
             f"--mesh={mesh}", "--backend=sim", f"--machine={machine}",
             f"--ring-attention-pipeline={options} machine={machine}"],
            capture_output=True, text=True, timeout=120, check=True)
        planned = seconds(r"ring-plan: [^:]*: ", ran.stderr)
        simulated = seconds(r"mesh [0-9x]+: ", ran.stdout)
        if abs(simulated / planned - 1) > largest:
            failed = True
            print(f"{name} on {machine}, {options}: expects the simulation within "
                  f"{largest:.0%} of the plan's {planned * 1e3:.3f} ms, but got "
                  f"{simulated * 1e3:.3f} ms")
    return failed


if __name__ == "__main__":
    sys.exit(main())
