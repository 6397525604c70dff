# SPDX-License-Identifier: Apache-2.0
"""Does what a page tells its reader to do, in an empty directory.

    run-page.py --tools build/bin --scratch DIR README.md

    ```mlir   is saved, if the line before it ends with the name of a file: `model.mlir`:
    ```sh     is run, command by command, in the shell's -e and pipefail
    ```python is run as one script, if --python says by what
    ```text   behind it is what it printed: these lines, in this order, among
              others; `...` stands for anything

A command that fails, or prints something else, is an error with its place. Lines
that begin with ./dev are left out: they build the project and run this very test.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys


def blocks(page):
    """Yields (line number, language, lines, line before) of every fenced block."""
    begin, before = None, ""
    for number, line in enumerate(page.read_text().splitlines(), start=1):
        if begin is None and line.startswith("```"):
            begin, language, lines = number, line[3:].strip(), []
        elif begin is not None and line.startswith("```"):
            yield begin, language, lines, before
            begin, before = None, ""
        elif begin is not None:
            lines.append(line)
        elif line.strip():
            before = line.strip()
    if begin is not None:
        sys.exit(f"{page}:{begin}: expects the block to end, but got to the end of the file")


def missing_line(shown, printed):
    """The first line of `shown` that `printed` does not have in its place."""
    left = [line.strip() for line in printed.splitlines()]
    for line in (line.strip() for line in shown):
        if line in ("", "..."):
            continue
        pattern = ".*".join(re.escape(part) for part in line.split("..."))
        while left and not re.fullmatch(pattern, left[0]):
            left.pop(0)
        if not left:
            return line
        left.pop(0)
    return None


def run(lines, scratch, environment):
    """Runs a block as one script, so that a variable or a continued line holds."""
    return subprocess.run(["bash", "-e", "-o", "pipefail", "-c", "\n".join(lines)],
                          cwd=scratch, env=environment, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    parser.add_argument("--scratch", type=pathlib.Path, required=True)
    parser.add_argument("--python", help="runs Python; its packages are beside the tools")
    parser.add_argument("page", type=pathlib.Path)
    arguments = parser.parse_args()

    shutil.rmtree(arguments.scratch, ignore_errors=True)
    arguments.scratch.mkdir(parents=True)
    environment = dict(os.environ)
    environment["PYTHONPATH"] = str(arguments.tools.resolve().parent / "python")
    environment["PATH"] = f"{arguments.tools.resolve()}{os.pathsep}{environment['PATH']}"

    saved = ran = shown = left_out = unread = 0
    printed = None
    for number, language, lines, before in blocks(arguments.page):
        place = f"{arguments.page}:{number}"
        name = re.search(r"`([\w.-]+)`:$", before)
        if language == "mlir" and name:
            (arguments.scratch / name[1]).write_text("\n".join(lines) + "\n")
            saved += 1
        elif language == "python" and not arguments.python:
            printed = None
            unread += 1
        elif language in ("sh", "python"):
            commands = [line for line in lines if not line.startswith("./dev ")]
            left_out += len(lines) - len(commands)
            script = commands if language == "sh" else [
                f"{arguments.python} - <<'SCRIPT'", *commands, "SCRIPT"]
            result = run(script, arguments.scratch, environment)
            printed = result.stdout
            if result.returncode:
                sys.exit(f"{place}: expects commands that succeed, but got exit code "
                         f"{result.returncode}\n{printed}")
            ran += len([line for line in commands if line.strip()])
        elif language == "text":
            if printed is None and unread:
                continue
            if printed is None:
                sys.exit(f"{place}: expects a block of commands before what they print")
            line = missing_line(lines, printed)
            if line is not None:
                sys.exit(f"{place}: expects the line '{line}', but the commands print\n{printed}")
            shown += len(lines)
    if not ran:
        sys.exit(f"{arguments.page}: expects commands, but got none")
    print(f"{saved} files saved, {ran} lines of commands run, {shown} lines of output compared, "
          f"{left_out} left out" + (f", {unread} scripts of Python not run" if unread else ""))


if __name__ == "__main__":
    main()
