#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Emits attentions as TT-Metalium programs, builds and runs them.

    run-metalium.py --tools BUILD/bin --source DIR --work DIR --cxx CXX FILE.test
    run-metalium.py ... --pipeline=OPTIONS FILE.mlir

A test has CASE: lines (test/Integration/run-cases.py says what they mean).
TT-Metalium is the stand-in beside this script, which runs on the tile machine.
Besides the program's own check, what it gives for files of numbers is compared
with what ring-run gives for them in double precision.
"""

import argparse
import importlib
import os
import re
import shlex
import subprocess
import sys

import numpy

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


class Tools:
    """Where things are."""

    def __init__(self, arguments):
        self.tools, self.work, self.cxx = arguments.tools, arguments.work, arguments.cxx
        self.libraries = [os.path.join(arguments.tools, "..", "lib", f"lib{name}.a")
                          for name in ("RingTile", "RingDevicePrograms", "RingPositions")]
        self.includes = [os.path.join(HERE, "metalium"),
                         os.path.join(arguments.source, "runtime", "include"),
                         os.path.join(arguments.source, "include")]

    def tool(self, name):
        return os.path.join(self.tools, name)

    def build(self, launch):
        """The program of a module with launches."""
        folder, program = os.path.join(self.work, "folder"), os.path.join(self.work, "attention")
        run([self.tool("ring-translate"), "--mlir-to-metalium", "-", "--metalium-dir=" + folder], launch)
        run([self.cxx, "-std=c++20", "-O1", "-Wall", f'-DRING_KERNELS="{folder}/kernels/"'] +
            shlex.split(os.environ.get("CXXFLAGS", "")) +  # as cmake takes them
            ["-I" + include for include in self.includes] +
            [os.path.join(folder, "main.cpp"), "-o", program] + self.libraries + ["-lpthread"])
        return program


def draw(usage, kind, work):
    """A file for each input or output that the usage of a program lists."""
    files = []
    for number, sizes in re.findall(rf"^{kind} (\d+): (\S+)", usage, re.MULTILINE):
        files.append(os.path.join(work, f"{kind}{number}.npy"))
        if kind == "input":
            shape = [int(size) for size in sizes.split("x")]
            numpy.save(files[-1], numpy.random.default_rng(int(number)).standard_normal(shape, dtype=numpy.float32))
    return files


def check(tools, title, module, pipeline):
    """Compiles, builds and runs a module, and prints what came of it."""
    program = tools.build(run([tools.tool("ring-opt"), "-", f"--ring-attention-pipeline={pipeline}"], module))
    usage = run([program, "--help"])
    inputs, outputs = (draw(usage, kind, tools.work) for kind in ("input", "output"))
    print(f"{title}: {run([program]).strip()}")
    run([program] + ["--input=" + file for file in inputs] + ["--output=" + file for file in outputs])
    expected = [file + ".expected.npy" for file in outputs]
    run([tools.tool("ring-run"), "-", "--backend=reference"] + ["--input=" + file for file in inputs] +
        ["--output=" + file for file in expected], module)
    for found, right in zip(map(numpy.load, outputs), map(numpy.load, expected)):
        error = numpy.sqrt(numpy.mean((found - right) ** 2) / numpy.mean(right ** 2))
        near = found.shape == right.shape and error < 0.02
        print(f"files: {'near' if near else 'FAILED'} {error:.3g}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("tools", "source", "work", "cxx"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--pipeline")
    parser.add_argument("file")
    arguments = parser.parse_args()
    tools = Tools(arguments)
    with open(arguments.file, encoding="utf-8") as file:
        text = file.read()
    if arguments.pipeline:
        check(tools, os.path.basename(arguments.file), text, arguments.pipeline)
        return
    lines = [line.split("CASE:", 1)[1] for line in text.splitlines() if "CASE:" in line]
    for words in (words for line in lines for words in cases.expand(line)):
        case = cases.Case(words)
        check(tools, case.text, case.module, case.pipeline)


if __name__ == "__main__":
    main()
