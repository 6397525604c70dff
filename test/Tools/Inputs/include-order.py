# SPDX-License-Identifier: Apache-2.0
"""Prints the folders of a tree of sources, each behind those that it includes from, or a cycle."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
needs = {}
for file in sorted(root.glob("*/*")):
    if file.suffix in (".h", ".cpp"):
        found = re.findall(r'#include "(\w+)/', file.read_text())
        needs.setdefault(file.parent.name, set()).update(found)
order = []
while needs:
    free = sorted(room for room in needs if not needs[room] & needs.keys() - {room})
    if not free:
        sys.exit("a cycle among " + ", ".join(sorted(needs)))
    order += free
    for room in free:
        del needs[room]
print(" ".join(order))
