# SPDX-License-Identifier: Apache-2.0
"""Runs the commands that a file lists and compares what they leave.

    # CASE: 2 ring-run {t}/a.mlir --backend=gpu
    # SAYS: expects a backend of {..}, but got 'gpu'
    # NEVER: see current operation
    # LINES: 1

An exit code and a command; a text that its output has, where {..} is anything
within a line; a text that it has not; how many lines it has. {t} is the folder
of the test.

usage: exit-codes.py FILE FOLDER
"""

import re
import shlex
import subprocess
import sys


def problem(case, says, never, lines, folder):
    """What is wrong with a case; None if nothing is."""
    code, _, command = case.replace("{t}", folder).partition(" ")
    ran = subprocess.run(shlex.split(command), stdin=subprocess.DEVNULL,
                         capture_output=True, text=True, timeout=60, check=False)
    output = ran.stderr + ran.stdout
    if ran.returncode != int(code):
        return f"expects exit code {code}, but got {ran.returncode}:\n{output}"
    for text in says:
        if not re.search(".*".join(map(re.escape, text.split("{..}"))), output):
            return f"expects '{text}', but got:\n{output}"
    for text in never:
        if text in output:
            return f"expects no '{text}', but got:\n{output}"
    for count in lines:
        if len(output.splitlines()) != int(count):
            return f"expects {count} lines, but got:\n{output}"
    return None


def main():
    path, folder = sys.argv[1:]
    cases = []
    with open(path, encoding="utf-8") as file:
        for kind, text in re.findall(r"^# (CASE|SAYS|NEVER|LINES): (.*)$", file.read(), re.M):
            if kind == "CASE":
                cases.append((text, [], [], []))
            else:
                cases[-1][("SAYS", "NEVER", "LINES").index(kind) + 1].append(text)
    assert cases, "expects a case"
    failed = 0
    for case in cases:
        found = problem(*case, folder)
        if found:
            failed += 1
            print(f"{case[0]}: {found}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
