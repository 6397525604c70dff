# SPDX-License-Identifier: Apache-2.0
"""One program has one number for a device's memory, wherever it is shown: the
plan, the summaries of ring-run and ring-exec, --stats, the report and the
simulator, with one thread or four.

usage: one-memory.py TOOLS FOLDER CASE...      a case: WORDS of attention.py | STRATEGY
"""

import json
import os
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


def check(tools, folder, words, strategy):
    source, program, stats, page = (os.path.join(folder, name) for name in
                                    ("case.mlir", "case.ring", "stats.json", "page.html"))
    with open(source, "w", encoding="utf-8") as file:
        file.write(attention.module(attention.parse(words.split())))
    driver, executor, compiler, translator = (
        os.path.join(tools, tool) for tool in ("ring-run", "ring-exec", "ring-opt", "ring-translate"))
    # The first line of the table is the plan that is taken, so that both are asked alike.
    options = f"--ring-attention-pipeline=strategy={strategy} form=explicit"
    found = {}
    found["--threads=1"] = held(run(driver, source, options, "--threads=1", f"--stats={stats}"))
    with open(stats, encoding="utf-8") as file:
        devices = json.load(file)["devices"]
    found["--stats"] = text(max(device["peak_bytes"] for device in devices))
    if not all("scratch_bytes" in device for device in devices):
        return "expects scratch_bytes beside peak_bytes"
    found["--threads=4"] = held(run(driver, source, options, "--threads=4", f"--report={page}"))
    with open(page, encoding="utf-8") as file:
        found["--report"] = text(max(map(int, re.findall(r'"peak_bytes":(\d+)', file.read()))))
    compiled = os.path.join(folder, "compiled.mlir")
    run(compiler, source, options, "-o", compiled)
    run(translator, "--mlir-to-program", compiled, "-o", program)
    found["ring-exec"] = held(run(executor, program))
    for machine in ("t3000", "cpu-mesh"):
        found[f"sim, {machine}"] = held(run(executor, program, "--backend=sim", f"--machine={machine}"))
    table = run(compiler, source, "--ring-raise", f"--ring-explain=strategy={strategy} form=explicit",
                "-o", os.devnull)
    found["plan"] = planned(table, strategy)
    return None if len(set(found.values())) == 1 else str(found)


def main():
    tools, folder, *cases = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    failed = 0
    for case in cases:
        words, strategy = map(str.strip, case.split("|"))
        problem = check(tools, folder, words, strategy)
        if problem:
            failed += 1
            print(f"{case}: {problem}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
