#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles files to C++ host programs, in both forms, and compiles those against
our declarations of TT-NN.

    compile-emitted.py --tools BIN --work DIR --cxx COMPILER --declarations DIR... FILES

A file that has no fused form is expected to say so. Prints how many compiled.
"""

import argparse
import os
import re
import subprocess
import sys


def emit(arguments, path, form, program):
    """What the compiler says against it, or nothing."""
    module = program + ".mlir"
    for command in (
            [os.path.join(arguments.tools, "ring-opt"), path, "-o", module,
             f"--ring-attention-pipeline=target=ttnn form={form}"],
            [os.path.join(arguments.tools, "ring-translate"), "--mlir-to-cpp", module, "-o", program]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            return done.stderr
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tools", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--cxx", required=True)
    parser.add_argument("--declarations", action="append", required=True)
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    os.makedirs(arguments.work, exist_ok=True)
    compiled, problems = 0, []
    for path in arguments.files:
        for form in ("fused", "explicit"):
            name = f"{os.path.splitext(os.path.basename(path))[0]}-{form}"
            program = os.path.join(arguments.work, name + ".cpp")
            error = emit(arguments, path, form, program)
            if error is not None:
                refused = re.search("cannot use (any )?strategy", error)
                if form == "explicit" or not refused:
                    problems.append(f"{name}: {error[-1000:]}")
                continue
            done = subprocess.run(
                [arguments.cxx, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
                 *(part for folder in arguments.declarations for part in ("-isystem", folder)),
                 program], capture_output=True, text=True)
            compiled += done.returncode == 0
            if done.returncode != 0:
                problems.append(f"{name}: {done.stderr[:2000]}")
    if problems:
        sys.exit("\n".join(problems))
    print(f"{compiled} programs compile")


if __name__ == "__main__":
    main()
