#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Says which declarations of the stand-in tt-metal does not have.

Functions are compared by the name that clang gives their symbols, which has
namespaces, parameters, their types and constness in it; and overloads that the
stand-in lacks are listed. Default values are compared as clang prints them.

usage: compare-headers.py [--clang CLANG] -- FLAGS...

FLAGS are what it takes to compile against tt-metal: its include paths (and
those of tt-train's sources/ttml and of their dependencies), -std=c++20 and
definitions. Exit code 1 if something differs.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
STANDIN = HERE / "standin" / "include"
SPACES = ("ttnn", "tt::tt_metal", "tt::tt_fabric", "ttml")
# Ours alone: what stands for classes that no call of the backend looks into.
OURS = re.compile(
    r"::(GlobalCircularBuffer|ShardSpec|BasicUnaryWithParam<float>)::"
    r"|ShapeBase::place\(|::operator=\(|::~"
)


def headers():
    """The real paths of the headers that the stand-in declares."""
    return sorted(
        str(path.relative_to(STANDIN))
        for path in STANDIN.rglob("*.hpp")
        if path.relative_to(STANDIN).parts[0] != "standin"
    )


def dump(clang, flags, source, how, space):
    """Lines that clang says of all declarations in a namespace."""
    command = [clang, *flags, "-fsyntax-only", "-Wno-everything", source]
    command += ["-Xclang", how, "-Xclang", "-ast-dump-filter=" + space]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        yield from process.stdout
    if process.returncode != 0:
        sys.exit(f"expects sources that compile, but got exit code "
                 f"{process.returncode} of {' '.join(command)}")


def symbols(clang, flags, source):
    """Functions by their symbols, written out."""
    found = set()
    for space in SPACES:
        for line in dump(clang, flags, source, "-ast-dump=json", space):
            match = re.search(r'"mangledName": "(_Z[^"]*)"', line)
            if match:
                found.add(match.group(1))
    plain = subprocess.run(
        ["c++filt"], input="\n".join(sorted(found)), text=True,
        capture_output=True, check=True,
    ).stdout
    return set(plain.splitlines())


def parameters(text):
    """Splits a list of parameters at the commas between them."""
    depth, start = 0, 0
    for i, char in enumerate(text):
        depth += char in "<({"
        depth -= char in ">)}"
        if char == "," and depth == 0:
            yield text[start:i]
            start = i + 1
    yield text[start:]


def defaults(clang, flags, source):
    """The default values of free functions, by name."""
    found = {}
    for space in SPACES:
        for line in dump(clang, flags, source, "-ast-print", space):
            match = re.match(r"^ +(?:template <.*?> )?[\w:<>, ]+? &?\*?(\w+)\((.*)\);$", line)
            if not match or " = " not in match.group(2):
                continue
            values = tuple(
                re.sub(r"(\w+)?::", "", part.split(" = ", 1)[1].strip())
                if " = " in part else None
                for part in parameters(match.group(2))
            )
            found.setdefault(match.group(1), set()).add(values)
    return found


def nameOf(function):
    return function.split("(", 1)[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--clang", default="clang++-22")
    parser.add_argument("flags", nargs="+")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source = str(pathlib.Path(folder) / "all.cpp")
        pathlib.Path(source).write_text(
            "".join(f'#include "{header}"\n' for header in headers())
        )
        own = ["-std=c++20", "-I", str(STANDIN)]
        sides = []
        for flags in (own, options.flags):
            sides.append((symbols(options.clang, flags, source),
                          defaults(options.clang, flags, source)))
    (ours, ourDefaults), (theirs, theirDefaults) = sides
    differences = []
    for function in sorted(ours - theirs):
        if not OURS.search(function):
            differences.append("not in tt-metal: " + function)
    for name, values in sorted(ourDefaults.items()):
        for one in values - theirDefaults.get(name, set()):
            differences.append(f"other default values: {name}{one}")
    names = {nameOf(function) for function in ours if "ttnn::" in function}
    for function in sorted(theirs - ours):
        if nameOf(function) in names and "ComplexTensor" not in function:
            print("also in tt-metal:", function)
    for difference in differences:
        print(difference)
    print(f"{len(ours)} functions and the default values of {len(ourDefaults)} "
          f"names compared, {len(differences)} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
