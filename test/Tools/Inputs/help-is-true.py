# SPDX-License-Identifier: Apache-2.0
"""Every option that the help of a tool names is one that the tool has: LLVM's own
list, --help-hidden, has it too, or the tool answers it before LLVM does.

usage: help-is-true.py TOOL...
"""

import re
import subprocess
import sys

OWN = {"help-passes", "help", "help-hidden", "version", "ring-attention-pipeline"}


def options(text):
    return set(re.findall(r"^  --?([a-z][\w-]*)", text, re.M))


def main():
    for tool in sys.argv[1:]:
        shown, hidden = (options(subprocess.run(
            [tool, flag], capture_output=True, text=True, check=True).stdout)
            for flag in ("--help", "--help-hidden"))
        # Translations are listed below the option that they are values of.
        listed = set(re.findall(r"--([a-z][\w-]*)", subprocess.run(
            [tool, "--help-hidden"], capture_output=True, text=True, check=True).stdout))
        assert len(shown) > 4, (tool, shown)
        unknown = shown - hidden - listed - OWN
        if unknown:
            sys.exit(f"{tool}: help names {sorted(unknown)}, which it does not have")


if __name__ == "__main__":
    main()
