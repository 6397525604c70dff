# SPDX-License-Identifier: Apache-2.0
"""Prints every ```mlir block of the given files, so that ring-opt can read them.

The blocks are separated by `// -----`, and each is preceded by the place it
comes from:

    extract-examples.py README.md include | ring-opt --split-input-file

A directory stands for all .td and .md files below it. A file or directory
without a single block is an error unless --allow-none is given: an example that
has lost its fence would otherwise be an example that nobody checks.
"""

import argparse
import pathlib
import sys


def blocks(path):
    """Yields (line number, text) of every ```mlir block of a file."""
    begin, lines = None, []
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        fence = line.strip()
        if begin is None and fence == "```mlir":
            begin, lines = number + 1, []
        elif begin is not None and fence.startswith("```"):
            yield begin, "\n".join(lines)
            begin = None
        elif begin is not None:
            lines.append(line)
    if begin is not None:
        sys.exit(f"{path}:{begin - 1}: expects the block to end, but got to the end of the file")


def files_of(root):
    if not root.is_dir():
        return [root]
    return sorted(p for p in root.rglob("*") if p.suffix in (".td", ".md"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("roots", nargs="+", type=pathlib.Path)
    parser.add_argument("--allow-none", action="store_true")
    arguments = parser.parse_args()

    chunks = []
    for root in arguments.roots:
        found = [
            f"// {path}:{line}\n{text}\n"
            for path in files_of(root)
            for line, text in blocks(path)
        ]
        if not found and not arguments.allow_none:
            sys.exit(f"{root}: expects examples, but got none")
        chunks += found
    sys.stdout.write("// -----\n".join(chunks))


if __name__ == "__main__":
    main()
