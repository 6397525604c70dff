#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps what benchmarks measured, with the machine and the date.

    record.py NAME -- COMMAND...   runs a benchmark, shows what it prints and keeps it
    record.py --render             writes bench/results/README.md from the records
    record.py --check              fails where that page is not what the records say

`./dev bench NAME --record` is the first of them. A record is one line of
bench/results/records.jsonl; nobody edits the page by hand. Figures of different
machines, or of one machine on different days, do not compare: other work runs
beside them.
"""

import datetime
import json
import os
import pathlib
import re
import subprocess
import sys

RESULTS = pathlib.Path(__file__).resolve().parent / "results"
RECORDS = RESULTS / "records.jsonl"
PAGE = RESULTS / "README.md"
HEAD = """# Measured figures

Written by `bench/record.py` from `records.jsonl`; `./dev bench NAME --record` adds to it. Everything here was measured on the CPU that is named, by the
benchmark that is named; nothing is predicted, and nothing is a test. Machines were shared with other work unless a line says otherwise.
"""


def machine():
    """The processor at hand: its name, its cores, its vectors."""
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        text = ""
    name = re.search(r"model name\s*: (.*)", text)
    flags = re.search(r"flags\s*: (.*)", text)
    words = flags.group(1).split() if flags else []
    vectors = next((label for flag, label in (("avx512f", "AVX-512"), ("avx2", "AVX2"))
                    if flag in words), "no AVX2")
    return f"{name.group(1) if name else 'unknown processor'}, {os.cpu_count()} cores, {vectors}"


def read():
    with open(RECORDS, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def render(records):
    """The page: benchmarks by name, the newest record of each first."""
    page = [HEAD]
    for name in sorted({record["benchmark"] for record in records}):
        page.append(f"## {name}\n")
        mine = [record for record in records if record["benchmark"] == name]
        for record in sorted(mine, key=lambda r: r["date"] or "", reverse=True):
            page.append(f"**{record['date'] or 'date unknown'}**, {record['machine']}\n")
            if record.get("output"):
                page.append("```text\n" + "\n".join(record["output"]) + "\n```\n")
            for figure in record.get("figures", []):
                page.append(f"- {figure}")
            if record.get("figures"):
                page.append("")
    return "\n".join(page).rstrip() + "\n"


def record(name, command):
    """Runs the benchmark; its record only if it succeeded."""
    lines = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line.rstrip())
    if process.returncode != 0:
        return process.returncode
    entry = {"benchmark": name, "date": datetime.date.today().isoformat(),
             "machine": machine(), "output": lines}
    with open(RECORDS, "a", encoding="utf-8") as file:
        file.write(json.dumps(entry, ensure_ascii=False) + "\n")
    PAGE.write_text(render(read()), encoding="utf-8")
    print(f"record: kept in {PAGE.relative_to(RESULTS.parent.parent)}", file=sys.stderr)
    return 0


def main(arguments):
    if arguments == ["--render"]:
        PAGE.write_text(render(read()), encoding="utf-8")
        return 0
    if arguments == ["--check"]:
        if PAGE.read_text(encoding="utf-8") == render(read()):
            return 0
        print(f"record: {PAGE} is not what the records say; run record.py --render",
              file=sys.stderr)
        return 1
    if len(arguments) > 2 and arguments[1] == "--":
        return record(arguments[0], arguments[2:])
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
