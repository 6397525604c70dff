# SPDX-License-Identifier: Apache-2.0
"""One program has one number for a device's memory, wherever it is shown: the
plan, the summaries of ring-run and ring-exec, --stats, the report and the
simulator, with one thread or four. The planner allows that many bytes and
refuses one less, for the attention by itself and for its whole function.

usage: one-memory.py TOOLS FOLDER [--random=COUNT] CASE...

A case is words of attention.py, a bar, and a strategy with the options that leave
one plan of it:

    mesh=1x8 queries=1024 heads=8 dtype=bf16 | ring layout=zigzag directions=both

--random adds cases in which devices share key heads, the same in every run.
"""

import concurrent.futures
import json
import os
import random
import re
import subprocess
import sys

import attention


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout + done.stderr


def text(size):
    """As the tools write it."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024 or unit == "GiB":
            return f"{size:.1f} {unit}" if unit != "B" else f"{size:.0f} B"
        size /= 1024
    return None


def held(output):
    return re.search(r"a device at most: .* sent, (.*) held", output)[1]


def planned(output, strategy):
    """The first line of that strategy in the table of --explain."""
    return re.search(rf"^[ *]+(?:\w+ )?{strategy},.* ([0-9.]+ [KM]iB)(?: .*)?$", output, re.M)[1]


def limits(compiler, source, options, size):
    """What is wrong with how the planner limits a program of so many bytes."""
    def refuses(planner, allowed):
        done = subprocess.run(
            [compiler, source, "--ring-raise", f"--{planner}={options} device-memory={allowed}",
             "-o", os.devnull], capture_output=True, text=True, check=False)
        return bool(re.search(r"needs [0-9.]+ [KM]iB a device", done.stdout + done.stderr))
    for planner in ("ring-explain", "ring-plan"):
        if refuses(planner, size):
            return f"{planner} refuses {size} bytes, which are held"
        if not refuses(planner, size - 1):
            return f"{planner} expects less than the {size} bytes that are held"
    return None


def check(tools, folder, words, options):
    os.makedirs(folder, exist_ok=True)
    source, program, stats, page = (os.path.join(folder, name) for name in
                                    ("case.mlir", "case.ring", "stats.json", "page.html"))
    with open(source, "w", encoding="utf-8") as file:
        file.write(attention.module(attention.parse(words.split())))
    driver, executor, compiler, translator = (
        os.path.join(tools, tool) for tool in ("ring-run", "ring-exec", "ring-opt", "ring-translate"))
    strategy = options.split()[0]
    # The first line of the table is the plan that is taken, so that both are asked alike.
    options = f"strategy={options} form=explicit"
    pipeline = f"--ring-attention-pipeline={options}"
    found = {}
    found["--threads=1"] = held(run(driver, source, pipeline, "--threads=1", f"--stats={stats}"))
    with open(stats, encoding="utf-8") as file:
        devices = json.load(file)["devices"]
    size = max(device["peak_bytes"] for device in devices)
    found["--stats"] = text(size)
    if not all("scratch_bytes" in device for device in devices):
        return "expects scratch_bytes beside peak_bytes"
    found["--threads=4"] = held(run(driver, source, pipeline, "--threads=4", f"--report={page}"))
    with open(page, encoding="utf-8") as file:
        found["--report"] = text(max(map(int, re.findall(r'"peak_bytes":(\d+)', file.read()))))
    compiled = os.path.join(folder, "compiled.mlir")
    run(compiler, source, pipeline, "-o", compiled)
    run(translator, "--mlir-to-program", compiled, "-o", program)
    found["ring-exec"] = held(run(executor, program))
    for machine in ("t3000", "cpu-mesh"):
        found[f"sim, {machine}"] = held(run(executor, program, "--backend=sim",
                                            f"--machine={machine}", f"--stats={stats}"))
        with open(stats, encoding="utf-8") as file:
            simulated = max(device["peak_bytes"] for device in json.load(file)["devices"])
        if simulated != size:
            return f"{simulated} bytes simulated on {machine}, {size} held"
    table = run(compiler, source, "--ring-raise", f"--ring-explain={options}", "-o", os.devnull)
    found["plan"] = planned(table, strategy)
    if len(set(found.values())) != 1:
        return str(found)
    return limits(compiler, source, options, size)


def shared_heads(count):
    """Cases with fewer key heads than devices on the heads' axis, at random."""
    draw = random.Random(7)
    for _ in range(count):
        mesh = draw.choice(([2, 2], [2, 4], [4, 2]))
        axis = draw.choice((0, 1))
        ranks, shards = mesh[axis], mesh[1 - axis]
        kv_heads = draw.choice([heads for heads in range(1, shards) if shards % heads == 0])
        heads = shards * draw.choice((1, 2))
        strategy = draw.choice(("ring", "all_gather", "ulysses", "halo", "split_kv", "replicate"))
        words = [f"mesh={mesh[0]}x{mesh[1]}", f"axis={axis}", f"heads_axis={1 - axis}",
                 f"kv_heads={kv_heads}", f"dim={draw.choice((32, 64))}",
                 f"queries={draw.choice((96, 256, 500))}", f"dtype={draw.choice(('f32', 'bf16'))}"]
        pattern = draw.choice(("", "causal"))
        options = "layout=contiguous"
        if strategy == "ring":
            ways = ("forward", "both") if ranks > 2 else ("forward",)
            options += f" directions={draw.choice(ways)}"
        elif strategy == "ulysses":
            heads *= ranks
        elif strategy == "halo":
            pattern = "causal window=40"
        elif strategy == "split_kv":
            words[5] = f"queries={draw.choice((1, 64))} keys=512"
            pattern, options = "", f"merge={draw.choice(('reduce', 'gather', 'round'))}"
        elif strategy == "replicate":
            options = ""
        yield f"{' '.join(words)} heads={heads} {pattern} | {strategy} {options}"


def main():
    tools, folder, *cases = sys.argv[1:]
    if cases[0].startswith("--random="):
        cases[:1] = shared_heads(int(cases[0].partition("=")[2]))

    def problem(numbered):
        number, case = numbered
        words, options = map(str.strip, case.split("|"))
        return check(tools, os.path.join(folder, str(number)), words, options)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = list(pool.map(problem, enumerate(cases)))
    for case, found in zip(cases, problems):
        if found:
            print(f"{case}: {found}")
    return any(problems)


if __name__ == "__main__":
    sys.exit(main())
