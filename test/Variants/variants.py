#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the examples of attention variants, and holds docs/Variants.md to them.

An example says in its head how it is compiled:

    // compile: strategy=ring      options of ring-attention-pipeline
    // meshes: 1x1 1x2 1x4 1x8     where it runs
    // alone: strategy=replicate   options on one device, if others
    // counts: strategy=ring       a second compilation whose work is counted
    // golden: tiny three_groups   vectors that its pattern has to reproduce

On every mesh its results must be those of double precision. FLOPs and bytes must
be those that counting.py counts, and the page must say them. Of the memory the
page says how much a device holds at most; less is no mistake.

    variants.py --tools build/bin           check
    variants.py --tools build/bin --write   renew the table in the page
"""

import argparse
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # importing leaves no trace in the source tree
import counting  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
GOLDEN = os.path.join(ROOT, "test", "Integration", "dilated-golden.py")
BEGIN, END = "<!-- counted: begin -->", "<!-- counted: end -->"


def load(path):
    """A program of the tree as a module, with those beside it in reach."""
    sys.path.insert(0, os.path.dirname(path))
    spec = importlib.util.spec_from_file_location("loaded", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Variant:
    """One example, and what its head says."""

    def __init__(self, path):
        self.name = os.path.basename(path)[:-len(".mlir")]
        self.path = path
        with open(path, encoding="utf-8") as file:
            self.text = file.read()
        head = dict(re.findall(r"^// (\w+): (.*)$", self.text, re.MULTILINE))
        self.compile, self.meshes = head["compile"], head["meshes"].split()
        self.alone = head.get("alone", self.compile)
        self.counts = head.get("counts", "")
        self.golden = head.get("golden", "").split()
        self.attention = counting.read(self.text)


def run(tool, variant, mesh, options, folder):
    """The devices of --stats and what is wrong, one of them nothing."""
    path = os.path.join(folder, "stats.json")
    done = subprocess.run(
        [tool, variant.path, f"--mesh={mesh}", "--check", f"--stats={path}",
         f"--ring-attention-pipeline={options}"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        lines = [line for line in (done.stdout + done.stderr).splitlines()
                 if "error: " in line or "WRONG" in line]
        return None, f"exit code {done.returncode}: {' '.join(lines)[:400]}"
    with open(path, encoding="utf-8") as file:
        devices = json.load(file)["devices"]
    said = re.search(r"holds at most (\d+) bytes of keys and values", done.stderr)
    held = max(device["peak_key_value_bytes"] for device in devices)
    if said and held != int(said.group(1)):
        return None, (f"expects {said.group(1)} bytes of keys and values, as the "
                      f"schedule says, but got {held}")
    return devices, None


def compare(variant, mesh, options, devices):
    """What is wrong with the work and the traffic of a run, or nothing."""
    shape = [int(size) for size in mesh.split("x")]
    expected = counting.flops(variant.attention, len(devices))
    found = sum(device["ops"].get(op, {"flops": 0})["flops"] for device in devices
                for op in ("ring.partial", "ring.accumulate"))
    if found != expected:
        return f"expects {expected} FLOPs, but got {found}"
    expected = counting.received(variant.attention, shape, options)
    found = [device["bytes_received"] for device in devices]
    if found != expected:
        return f"expects the devices to receive {expected} bytes, but got {found}"
    return None


class Row:
    """The line of a variant in the table of the page."""

    def __init__(self, name):
        self.name, self.flops, self.bytes, self.memory = name, "", [], []

    def add(self, devices):
        self.bytes.append(max(device["bytes_received"] for device in devices))
        self.memory.append(max(device["peak_bytes"] for device in devices))

    def text(self):
        def joined(numbers):
            return " / ".join(map(str, numbers))

        return (f"| [{self.name}](../examples/variants/{self.name}.mlir) | "
                f"{self.flops} | {joined(self.bytes)} | {joined(self.memory)} |")


def check(variant, tool, folder):
    """(line of the table, list of what is wrong)."""
    row, problems = Row(variant.name), []
    for mesh in variant.meshes:
        alone = set(mesh.split("x")) == {"1"}
        options = variant.alone if alone else variant.compile
        devices, problem = run(tool, variant, mesh, options, folder)
        if not problem and variant.counts:
            options = variant.counts
            devices, problem = run(tool, variant, mesh, options, folder)
        problem = problem or compare(variant, mesh, options, devices)
        if problem:
            problems.append(f"{variant.name} on {mesh}: {problem}")
        if devices:
            row.add(devices)
    last = [int(size) for size in variant.meshes[-1].split("x")]
    row.flops = counting.flops(variant.attention, last[0] * last[1])
    return row, problems


def pattern_for(variant, case):
    """The pattern of the example, with the sizes of a vector in its place."""
    args = case["args"]
    causal = str(args.get("is_causal", False)).lower()
    found = re.search(r"#ring\.dilated<.*?>(?=\))", variant.text)
    if not found:
        return "#ring.causal" if causal == "true" else ""
    shape = case["shape"]
    segments = args.get("segment_lengths", [shape[1]])
    rates = args.get("dilation_rates", args.get("dilated_ratios", [1]))
    words = dict(re.findall(r"(\w+) = (\[[^]]*\]|\w+)", found.group(0)))
    words.update(segments=segments, rates=rates, causal=causal)
    if "P" in args:
        words["chunks"] = args["P"]
    text = ", ".join(f"{name} = {value}" for name, value in words.items())
    return f"#ring.dilated<{text}>"


def check_vectors(variant, golden, cases, tool, folder):
    """What is wrong with the vectors that the example has to reproduce."""
    problems = []
    for name in variant.golden:
        golden.pattern = lambda case: pattern_for(variant, case)
        for mesh in ("1x1", "1x2", "1x4", "1x8"):
            problem = golden.run(cases[name], mesh, "auto", tool, folder, "ring")
            if problem:
                problems.append(f"{variant.name}, vector {name} on {mesh}: "
                                f"{problem}")
    return problems


def table_of(page):
    """The lines between the marks of the page, by example."""
    body = page.split(BEGIN)[1].split(END)[0]
    return {re.match(r"\| \[([\w-]+)\]", line).group(1): line
            for line in body.splitlines() if line.startswith("| [")}


def check_page(page, rows, complete):
    """What the page says otherwise; `complete` if `rows` are all there are."""
    problems, lines = [], table_of(page)
    for row in rows:
        line = lines.pop(row.name, "")
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        said = cells[:3] if line else []
        expected = [cell.strip() for cell in row.text().strip("|").split("|")]
        if said != expected[:3]:
            problems.append(f"docs/Variants.md: expects '{row.text()}', but got "
                            f"'{line}'")
            continue
        limits = [int(number) for number in cells[3].split("/")]
        if any(held > limit for held, limit in zip(row.memory, limits)):
            problems.append(f"docs/Variants.md: {row.name} holds {row.memory} "
                            f"bytes, but the page says {limits}")
    return problems + [f"docs/Variants.md: {name} has no example"
                       for name in lines if complete]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tools", required=True, help="where ring-run is")
    parser.add_argument("--write", action="store_true",
                        help="renew the table in the page")
    parser.add_argument("--page", default=os.path.join(ROOT, "docs",
                                                       "Variants.md"))
    parser.add_argument("--examples", default=os.path.join(ROOT, "examples",
                                                           "variants"))
    parser.add_argument("names", nargs="*", help="only these examples")
    arguments = parser.parse_args()
    tool = os.path.join(arguments.tools, "ring-run")
    golden = load(GOLDEN)
    vectors = os.path.join(os.path.dirname(GOLDEN), "Inputs",
                           "dilated-vectors.json")
    with open(vectors, encoding="utf-8") as file:
        cases = {case["name"]: case for case in json.load(file)["cases"]}
    files = sorted(name for name in os.listdir(arguments.examples)
                   if name.endswith(".mlir"))
    variants = [Variant(os.path.join(arguments.examples, name))
                for name in files]
    if arguments.names:
        variants = [v for v in variants if v.name in arguments.names]
    rows, problems = [], []
    with tempfile.TemporaryDirectory() as folder:
        for variant in variants:
            row, wrong = check(variant, tool, folder)
            rows.append(row)
            problems += wrong
            problems += check_vectors(variant, golden, cases, tool, folder)
    with open(arguments.page, encoding="utf-8") as file:
        page = file.read()
    if arguments.write and not problems and not arguments.names:
        head, rest = page.split(BEGIN)
        body = "\n".join(row.text() for row in rows)
        header = ("| example | FLOPs of all devices | bytes received | bytes "
                  "held |\n|---|---|---|---|")
        with open(arguments.page, "w", encoding="utf-8") as file:
            file.write(f"{head}{BEGIN}\n{header}\n{body}\n{END}"
                       f"{rest.split(END)[1]}")
    else:
        problems += check_page(page, rows, not arguments.names)
    for problem in problems:
        print(f"FAILED: {problem}")
    print(f"{len(variants)} variants, {len(problems)} problems")
    sys.exit(1 if problems or not variants else 0)


if __name__ == "__main__":
    main()
