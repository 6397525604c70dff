#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that are wrong on purpose, each of which the check must find.

A ring is compiled, one mistake is written into the text of its program, and
ring-run judges what that gives by what the attention means: exit code 1 for
each mistake, 0 for the program as it was compiled.
"""

import argparse
import itertools
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # importing leaves no trace in the source tree
import attention  # noqa: E402

CASE = "mesh=1x4 queries=128 heads=4 kv_heads=2 sink lse"
# The ring as it is, and as TTIR, which stores more in narrow types on the way.
LOWERINGS = {"ring": [], "ttir": ["--ring-split-blocks", "--canonicalize",
                                  "--convert-ring-to-ttir", "--cse"]}
TYPES = ("f32", "bf16", "bfp8")
LAST = 127  # the last of the positions


def before_return(text, lines, which, name):
    """The program with `lines` in front of its end, which returns `name` in
    place of result number `which`."""
    found = re.search(r"^ *return ([^:]*) : (.*)$", text, re.M)
    results = found[1].split(", ")
    body = lines.replace("{it}", results[which])
    results[which] = name
    end = f"{body}\n    return {', '.join(results)} : {found[2]}"
    return text[:found.start()] + end + text[found.end():]


def kind(text, which):
    """The type of a result."""
    types = re.search(r"^ *return [^:]* : (.*)$", text, re.M)[1]
    return re.findall(r"tensor<[^<>]*(?:<[^<>]*>)?[^<>]*>", types)[which]


def times(text, factor, which):
    """A result times a number."""
    of = kind(text, which)
    shape = ", ".join(re.match(r"tensor<((?:\d+x)+)", of)[1].split("x")[:-1])
    return before_return(text, f"""
    %factor = "ttir.full"() <{{fill_value = {factor} : f32, shape = array<i32: {shape}>}}> : () -> {of}
    %times = "ttir.multiply"({{it}}, %factor) : ({of}, {of}) -> {of}""", which, "%times")


def rows_swapped(text):
    """Rows 70 and 71 change places."""
    of, lines, parts = kind(text, 0), [], []
    for begin, end in ((0, 70), (71, 72), (70, 71), (72, 128)):
        parts.append((f"%part{begin}", of.replace("x128x", f"x{end - begin}x")))
        ends = f"1 : i32, 4 : i32, {end} : i32, 32 : i32"
        lines.append(
            f'    {parts[-1][0]} = "ttir.slice_static"({{it}}) <{{begins = [0 : i32, 0 : i32, {begin} : i32, 0 : i32], '
            f"ends = [{ends}], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}}> : ({of}) -> {parts[-1][1]}")
    names, types = (", ".join(column) for column in zip(*parts))
    lines.append(f'    %swapped = "ttir.concat"({names}) <{{dim = 2 : si32}}> : ({types}) -> {of}')
    return before_return(text, "\n" + "\n".join(lines), 0, "%swapped")


def in_partials(text, pattern, by):
    """All blocks with something else in their text."""
    return "\n".join(
        re.sub(pattern, by, line, count=1) if "ring.partial " in line else line
        for line in text.splitlines())


def rank_ignored(text):
    """The last merge gives its first operand, so that one block is lost."""
    merge = re.findall(r"(%\w+), (%\w+) = ring\.merge (%\w+), (%\w+) with", text)[-1]
    head, _, tail = text.rpartition(f"{merge[0]}, {merge[1]} = ring.merge")
    first, _, rest = tail.partition("\n")
    for made, kept in zip(merge[:2], merge[2:]):
        rest = re.sub(re.escape(made) + r"\b", kept, rest)
    return f"{head}{merge[0]}, {merge[1]} = ring.merge{first}\n{rest}"


def neighbours_values(text):
    """The second block has the keys that arrived and the device's own values."""
    own = re.search(r"ring\.partial (%\w+), (%\w+), (%\w+) ", text)[3]
    return re.sub(r"(ring\.partial %\w+, %\w+#0, )%\w+#1", rf"\g<1>{own}", text, count=1)


MISTAKES = {
    "result halved": lambda text: times(text, 0.5, 0),
    "two rows swapped": rows_swapped,
    "one key dropped": lambda text: in_partials(
        text, " block", f" length({LAST}) block"),
    "scale missing": lambda text: in_partials(
        text, " block", " scale(1.0) block"),
    "last rank's keys ignored": rank_ignored,
    "lse in base 2": lambda text: times(text, 1.44269504, 1),
    "sink forgotten": lambda text: re.sub(
        r"ring\.empty sink\(.*?\) : (tensor<\w+>, )", r"ring.empty : \1", text),
    "values of the neighbour": neighbours_values,
}
CAUSAL = {
    "causal off by one": lambda text: in_partials(
        text, r"#ring\.causal", f"#ring.window<before = {LAST}, after = 1>"),
    "causal forgotten": lambda text: in_partials(
        text, r" pattern\(#ring\.causal\)", ""),
}


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, timeout=120,
                          **more)


def wrong_outputs(printed):
    """The outputs that were found wrong, by their numbers."""
    return re.findall(r"^  out(\d) .*: WRONG, ", printed, re.M)


def check(tools, folder, dtype, causal, lowering):
    """What is wrong with the judgement of a ring and its mistakes."""
    meant, ring = (os.path.join(folder, name) for name in ("meant.mlir", "ring.mlir"))
    words = f"{CASE} dtype={dtype} {'causal' if causal else ''}".split()
    with open(meant, "w", encoding="utf-8") as file:
        file.write(attention.module(attention.parse(words)))
    plan = "--ring-plan=strategy=ring directions=forward layout=contiguous"
    compiled = run([os.path.join(tools, "ring-opt"), meant, plan, "--ring-shard"],
                   check=True).stdout
    programs = {"": compiled}
    for name, mistake in {**MISTAKES, **(CAUSAL if causal else {})}.items():
        programs[name] = mistake(compiled)
        if programs[name] == compiled:
            yield f"{name}: the program is as it was"
    for name, text in programs.items():
        with open(ring, "w", encoding="utf-8") as file:
            file.write(text)
        done = run([os.path.join(tools, "ring-run"), ring, f"--check={meant}",
                    *lowering])
        code = 1 if name else 0
        blamed = "1" if name.startswith("lse") else "0"
        if done.returncode != code or (
                name and blamed not in wrong_outputs(done.stdout)):
            yield (f"{name or 'no mistake'}: exit code {done.returncode}\n"
                   f"{done.stdout}{done.stderr}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tools", required=True, help="where ring-run is")
    tools, failed = parser.parse_args().tools, 0
    with tempfile.TemporaryDirectory() as folder:
        for dtype, causal, target in itertools.product(
                TYPES, (False, True), LOWERINGS):
            for problem in check(tools, folder, dtype, causal, LOWERINGS[target]):
                failed += 1
                print(f"{dtype} {target}{' causal' if causal else ''}: {problem}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
