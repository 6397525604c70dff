#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles, runs and checks the cases that a file lists.

    # CASE: causal queries={100,256} strategy=ring directions={forward,both}

is four cases: braces stand for each of their choices. The words are those of
attention.py, options of ring-attention-pipeline, and

    decoder             whole decoder layers: words of decoder.py
    bisect              check after every pass, not only at the end
    backend=NAME        where ring-run runs it
    distribution=NAME   how ring-run draws the arguments
    fused               the plan's form; form itself is a word of attention.py
    interleaving=N      which order of cores and transactions backend=tile takes
    gradients           an attention and its gradients: words of backward.py
    refused             the planner must refuse the case

Says nothing when all is well; otherwise what failed, and how to run it again.
"""

import argparse
import itertools
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True  # importing leaves no trace in the source tree
import attention  # noqa: E402
import backward  # noqa: E402
import decoder  # noqa: E402

PIPELINE_OPTIONS = (
    "strategy", "layout", "directions", "merge", "topology", "num-links", "head-ranks",
    "inner-ranks", "target", "sdpa-fw-mask", "kernels", "grid", "q-chunk", "k-chunk",
)
# ring-plan says this when it refuses; any other error is a finding.
REFUSAL = re.compile(
    r"error: (gradients of an )?attention cannot use (any )?strategy")


def expand(line):
    """All cases that a line with braces stands for."""
    pieces = re.split(r"\{([^}]*)\}", line)
    choices = [piece.split(",") if index % 2 else [piece]
               for index, piece in enumerate(pieces)]
    return ["".join(choice) for choice in itertools.product(*choices)]


class Case:
    """One line: an attention, options for the pipeline and for ring-run."""

    def __init__(self, text):
        self.text = " ".join(text.split())
        self.refused = False
        options, self.flags, words, check = [], [], [], "--check"
        kind, write = attention.Attention, attention.module
        for word in self.text.split():
            name = word.partition("=")[0]
            if word == "refused":
                self.refused = True
            elif word == "bisect":
                check = "--bisect"
            elif word == "gradients":
                kind, write = backward.Backward, backward.module
            elif word == "decoder":
                kind, write = decoder.Decoder, decoder.module
            elif word == "fused":
                options.append("form=fused")
            elif name in ("backend", "distribution", "interleaving"):
                self.flags.append("--" + word)
            elif name in PIPELINE_OPTIONS:
                options.append(word)
            else:
                words.append(word)
        self.flags.append(check)
        self.pipeline = " ".join(options)
        self.flags.append(f"--ring-attention-pipeline={self.pipeline}")
        self.module = write(attention.parse(words, kind))

    def run(self, tool, seed=1, timeout=120):
        """(exit code, all that was printed)."""
        done = subprocess.run(
            [tool, "-", f"--seed={seed}"] + self.flags, input=self.module,
            capture_output=True, text=True, timeout=timeout)
        return done.returncode, done.stdout + done.stderr

    def verdict(self, code, output):
        """What is wrong, or nothing."""
        refused = code == 3 and bool(REFUSAL.search(output))
        if self.refused:
            return None if refused else "the planner did not refuse it"
        # What was not compiled to a ring is no test of one.
        if "ring-raise: left as it is" in output:
            return "not raised"
        if code == 0:
            return None if "ring-plan: " in output else "nothing was planned"
        if code < 0:
            return f"crashed with signal {-code}"
        return "refused" if refused else f"failed with exit code {code}"

    def reproduce(self, tool, seed=1):
        """The command that runs this case again."""
        here = os.path.dirname(os.path.abspath(__file__))
        return (f"{sys.executable} {here}/run-cases.py --tools "
                f"{os.path.dirname(tool)} --seed {seed} '{self.text}'")


def tail(output, lines=8):
    """What matters of all that was printed: errors and wrong results, or, where
    there are none, the end."""
    shown = [line for line in output.splitlines()
             if ": error: " in line or "WRONG" in line
             or line.startswith("the first pass")]
    shown = shown or output.splitlines()[-lines:]
    return "\n".join(line[:400] for line in shown[:lines])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tools", required=True, help="where ring-run is")
    parser.add_argument("--file", help="a file with CASE: lines")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--emit", action="store_true",
                        help="print the modules and run nothing")
    parser.add_argument("cases", nargs="*")
    arguments = parser.parse_args()

    lines = list(arguments.cases)
    if arguments.file:
        with open(arguments.file, encoding="utf-8") as file:
            lines += [line.split("CASE:", 1)[1] for line in file
                      if "CASE:" in line]
    try:
        cases = [Case(text) for line in lines for text in expand(line)]
    except ValueError as problem:
        sys.exit(f"run-cases.py: {problem}")
    if not cases:
        sys.exit("run-cases.py: expects at least one case")
    if arguments.emit:
        for case in cases:
            print(f"// {case.text}\n// ring-run {' '.join(case.flags)}\n"
                  f"{case.module}")
        return
    tool, failures = os.path.join(arguments.tools, "ring-run"), 0
    for case in cases:
        try:
            code, output = case.run(tool, arguments.seed)
            problem = case.verdict(code, output)
        except subprocess.TimeoutExpired as late:
            problem, output = f"not done after {late.timeout} s", ""
        if problem:
            failures += 1
            print(f"FAILED: {case.text}: {problem}\n{tail(output)}\n"
                  f"again: {case.reproduce(tool, arguments.seed)}\n")
    if failures:
        sys.exit(f"{failures} of {len(cases)} cases failed")


if __name__ == "__main__":
    main()
