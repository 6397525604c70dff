#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Takes emitted programs through tt-mlir's own tools, to a flatbuffer.

    take-to-flatbuffer.py --tools BUILD/bin --ttmlir DIR --target ttir FILE...
    take-to-flatbuffer.py ... --cases FILE.test

A FILE is compiled with every strategy that the planner does not refuse for it;
a file of CASE: lines (test/Integration/run-cases.py says what they mean) with
what each line asks for. Then

    target=ttir: ttmlir-opt --ttir-to-ttnn-common-pipeline=mesh-shape=R,C
                 ring-opt --ring-verify-device-rules, of what that gives
                 ttmlir-opt --ttnn-common-to-runtime-pipeline
    target=ttnn: ttmlir-opt --ttnn-resolve-composites=composite-resolution=inline
                            --ttcore-register-device=mesh-shape=R,C
    both:        ttmlir-translate --ttnn-to-flatbuffer
    target=ttmetal: ttmlir-opt --ttcore-register-device=mesh-shape=R,C
                    ttmlir-translate --ttmetal-to-flatbuffer

(--ttir-to-ttnn-runtime-pipeline is the first and the third together.)

Prints how many programs each strategy has and how many of them tt-mlir took,
and what it said of the others, and fails if there are any.
"""

import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # importing leaves no trace in the source tree
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "Integration"))

STRATEGIES = ("ring", "all_gather", "ulysses", "usp", "halo", "split_kv", "double_ring",
              "replicate", "ring_joint", "ring_mla", "ring_distributed")
# ring-plan says this where a strategy is none for an attention.
REFUSAL = re.compile(r"error: (gradients of an )?attention cannot use (any )?strategy")
MESH = re.compile(r'#ttcore\.meshes<\[<"[^"]*" = (\d+)x(\d+)>')


class Refused(Exception):
    """The planner does not take the strategy; nothing is wrong."""


class Failed(Exception):
    """A tool did not take what it was given."""


def run(command, text=None, timeout=600):
    """What the command prints; an error if it fails."""
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=timeout,
                          check=False)
    if done.returncode == 0:
        return done.stdout
    if REFUSAL.search(done.stderr):
        raise Refused
    errors = [line for line in done.stderr.splitlines() if "error: " in line]
    said = (errors or done.stderr.splitlines() or ["nothing"])[0]
    name = os.path.basename(command[0])
    raise Failed(f"{name} (exit code {done.returncode}): {said[:300]}")


class Judge:
    """tt-mlir's tools, and ours for what its tools do not look at."""

    def __init__(self, folder, compiler):
        self.opt = os.path.join(folder, "ttmlir-opt")
        self.translate = os.path.join(folder, "ttmlir-translate")
        self.compiler = compiler

    def take(self, program, target):
        """An error unless the program becomes a flatbuffer."""
        mesh = MESH.search(program)
        shape = f"mesh-shape={mesh[1]},{mesh[2]}" if mesh else "mesh-shape=1,1"
        with tempfile.TemporaryDirectory() as folder:
            given, lowered, ready, binary = (
                os.path.join(folder, name)
                for name in ("given.mlir", "lowered.mlir", "ready.mlir", "binary.ttnn"))
            with open(given, "w", encoding="utf-8") as file:
                file.write(program)
            if target == "ttir":
                run([self.opt, f"--ttir-to-ttnn-common-pipeline={shape}", given, "-o", lowered])
                run([self.compiler, "--ring-verify-device-rules", lowered, "-o", os.devnull])
                run([self.opt, "--ttnn-common-to-runtime-pipeline", lowered, "-o", ready])
            elif target == "ttnn":
                run([self.opt, "--ttnn-resolve-composites=composite-resolution=inline",
                     f"--ttcore-register-device={shape}", given, "-o", ready])
            else:
                run([self.opt, f"--ttcore-register-device={shape}", given, "-o", ready])
            kind = "ttmetal" if target == "ttmetal" else "ttnn"
            run([self.translate, f"--{kind}-to-flatbuffer", ready, "-o", binary])
            if os.path.getsize(binary) == 0:
                raise Failed("ttmlir-translate: wrote nothing")


def programs_of_files(files, target, strategies):
    """What is compiled: its name, its strategy, and how to compile it."""
    for path in files:
        for strategy in strategies:
            options = f"--ring-attention-pipeline=target={target} strategy={strategy}"
            yield os.path.basename(path), strategy, [path, options], None


def programs_of_cases(path, target):
    """The same for the lines of a file of cases that have the target."""
    import importlib  # noqa: PLC0415  the module's name is no identifier
    cases = importlib.import_module("run-cases")
    with open(path, encoding="utf-8") as file:
        lines = [line.split("CASE:", 1)[1] for line in file if "CASE:" in line]
    for text in (text for line in lines for text in cases.expand(line)):
        words = text.split()
        if f"target={target}" not in words or "refused" in words:
            continue
        case = cases.Case(text)
        strategy = next((word.partition("=")[2] for word in words
                         if word.startswith("strategy=")), "auto")
        pipeline = [flag for flag in case.flags if "pipeline" in flag]
        yield case.text, strategy, ["-"] + pipeline, case.module


def table(target, taken, refused):
    """One line for each strategy."""
    lines = [f"{'strategy':<18}{'programs':>9}{'taken':>7}   target={target}"]
    for strategy in sorted(set(taken) | set(refused)):
        total = taken[strategy] + refused[strategy]
        lines.append(f"{strategy:<18}{total:>9}{taken[strategy]:>7}")
    lines.append(f"{'all':<18}{sum(taken.values()) + sum(refused.values()):>9}"
                 f"{sum(taken.values()):>7}")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tools", required=True, help="where ring-opt is")
    parser.add_argument("--ttmlir", required=True, help="where ttmlir-opt and ttmlir-translate are")
    parser.add_argument("--target", required=True, choices=("ttir", "ttnn", "ttmetal"))
    parser.add_argument("--cases", help="a file with CASE: lines")
    parser.add_argument("--strategies", default=",".join(STRATEGIES))
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()

    compiler = os.path.join(arguments.tools, "ring-opt")
    judge = Judge(arguments.ttmlir, compiler)
    programs = list(programs_of_files(arguments.files, arguments.target,
                                      arguments.strategies.split(",")))
    if arguments.cases:
        programs += programs_of_cases(arguments.cases, arguments.target)
    taken, refused = collections.Counter(), collections.Counter()
    for name, strategy, command, module in programs:
        try:
            judge.take(run([compiler] + command, module), arguments.target)
            taken[strategy] += 1
        except Refused:
            pass
        except (Failed, subprocess.TimeoutExpired) as problem:
            refused[strategy] += 1
            print(f"REFUSED: {name}, strategy={strategy}: {problem}")
    print(table(arguments.target, taken, refused))
    if refused:
        sys.exit(f"{sum(refused.values())} programs were refused")
    if not taken:
        sys.exit("take-to-flatbuffer.py: expects at least one program")


if __name__ == "__main__":
    main()
