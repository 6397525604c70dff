#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Emits attentions as TT-Metalium programs, builds and runs them.

    run-metalium.py --tools BUILD/bin --source DIR --work DIR --cxx CXX FILE.test

The file has CASE: lines (test/Integration/run-cases.py says what they mean).
TT-Metalium is the stand-in beside this script, which runs on the tile machine.
"""

import argparse
import importlib
import os
import subprocess
import sys

sys.dont_write_bytecode = True  # importing leaves no trace in the source tree
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "Integration"))
cases = importlib.import_module("run-cases")


def run(command, text=None):
    """What a command prints; its errors end the test."""
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr[-4000:]}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("tools", "source", "work", "cxx"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("file")
    arguments = parser.parse_args()
    libraries = [os.path.join(arguments.tools, "..", "lib", f"lib{name}.a")
                 for name in ("RingTile", "RingDevicePrograms", "RingPositions")]
    includes = [os.path.join(HERE, "metalium"), os.path.join(arguments.source, "runtime", "include"),
                os.path.join(arguments.source, "include")]
    with open(arguments.file, encoding="utf-8") as file:
        lines = [line.split("CASE:", 1)[1] for line in file if "CASE:" in line]
    for text in (text for line in lines for text in cases.expand(line)):
        case = cases.Case(text)
        pipeline = [flag for flag in case.flags if "pipeline" in flag]
        launch = run([os.path.join(arguments.tools, "ring-opt"), "-"] + pipeline, case.module)
        source = os.path.join(arguments.work, "main.cpp")
        program = os.path.join(arguments.work, "attention")
        run([os.path.join(arguments.tools, "ring-translate"), "--mlir-to-metalium", "-", "-o", source],
            launch)
        run([arguments.cxx, "-std=c++20", "-O1", "-Wall"] + ["-I" + folder for folder in includes] +
            [source, "-o", program] + libraries + ["-lpthread"])
        print(f"{case.text}: {run([program]).strip()}")


if __name__ == "__main__":
    main()
