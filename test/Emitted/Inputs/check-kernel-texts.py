#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the kernels that an IR file carries as text, without linking.

    check-kernel-texts.py --cxx CXX --source DIR --work DIR FILE

Our stand-ins of the device's headers take their place (runtime/lib/Tile), with
the tables of its firmware declared beside them. A text of ttmetal is put where
tt-mlir puts it: into the body of kernel_main. Prints how many there were.
"""

import argparse
import os
import re
import subprocess
import sys

TEXT = re.compile(r'(source = |emitc\.verbatim )"((?:[^"\\]|\\.)*)"')
DECLARATIONS = """#include <cstdint>
extern uint8_t worker_logical_col_to_virtual_col[8], worker_logical_row_to_virtual_row[8];
"""


def unescaped(text):
    """The bytes of a string as MLIR prints it."""
    return re.sub(r"\\([0-9A-F]{2}|.)",
                  lambda found: chr(int(found[1], 16)) if len(found[1]) == 2 else found[1], text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("cxx", "source", "work"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("file")
    arguments = parser.parse_args()
    tile = os.path.join(arguments.source, "runtime", "lib", "Tile")
    with open(arguments.file, encoding="utf-8") as file:
        found = TEXT.findall(file.read())
    texts = dict.fromkeys((start.startswith("emitc"), unescaped(text)) for start, text in found)
    for number, (isBody, text) in enumerate(texts):
        # tt-mlir has the header of the thread before the function.
        header = "compute/common.h" if "api/compute/" in text else "dataflow/dataflow_api.h"
        if isBody:
            text = f'#include "api/{header}"\nvoid kernel_main() {{\n{text}\n}}\n'
        path = os.path.join(arguments.work, f"kernel{number}.cpp")
        with open(path, "w", encoding="utf-8") as file:
            file.write(DECLARATIONS + text)
        done = subprocess.run(
            [arguments.cxx, "-std=c++17", "-fsyntax-only", "-Wall", "-Wno-int-to-pointer-cast",
             "-Wno-unused-function", "-Wno-unused-const-variable"] +
            ["-I" + folder for folder in (tile, os.path.join(tile, "include"),
                                          os.path.join(arguments.source, "runtime", "include"))] +
            [path], capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{path}:\n{done.stderr[:4000]}")
    print(f"{len(texts)} kernels")


if __name__ == "__main__":
    main()
