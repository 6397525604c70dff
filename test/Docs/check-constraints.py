# SPDX-License-Identifier: Apache-2.0
"""Checks that every numbered constraint of a dialect has a failing test.

A definition's text lists its constraints as "(C1) ...". A test names the one it
violates in a comment of its own line above the case:

    // ring.merge (C1)
    // #ring.axis (C2)
    // !ring.state (C1)

Reads the definitions as llvm-tblgen --dump-json prints them, so that no name is
guessed. Complains about constraints without a test, tests without a constraint,
and numbers that are not 1, 2, 3, ...
"""

import argparse
import json
import pathlib
import re
import sys

CONSTRAINT = re.compile(r"^\s*- \(C(\d+)\) ", re.MULTILINE)
NAMED = re.compile(r"^// ([#!]?[\w.]+) \(C(\d+)\)$", re.MULTILINE)


def defined(records, dialect):
    """Maps the printed name of each definition to its constraints' numbers."""
    of_class = records["!instanceof"]
    found = {}
    for class_name, sigil, field in (
        ("Op", "", "opName"),
        ("AttrDef", "#", "mnemonic"),
        ("TypeDef", "!", "mnemonic"),
    ):
        for name in of_class.get(class_name, []):
            record = records[name]
            owner = record.get("opDialect") or record.get("dialect")
            if records[owner["def"]]["name"] != dialect or not record[field]:
                continue
            numbers = CONSTRAINT.findall(record["description"] or "")
            found[f"{sigil}{dialect}.{record[field]}"] = [int(n) for n in numbers]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dialect", required=True)
    parser.add_argument("records", type=pathlib.Path)
    parser.add_argument("tests", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()

    definitions = defined(
        json.loads(arguments.records.read_text()), arguments.dialect
    )
    tested = {
        (name, int(number))
        for path in arguments.tests
        for name, number in NAMED.findall(path.read_text())
    }
    errors = []
    for name, numbers in sorted(definitions.items()):
        if numbers != list(range(1, len(numbers) + 1)):
            errors.append(f"{name}: expects constraints C1, C2, ..., but got {numbers}")
    constraints = {(name, n) for name, numbers in definitions.items() for n in numbers}
    errors += [f"{name} (C{n}): expects a failing test, but got none"
               for name, n in sorted(constraints - tested)]
    errors += [f"{name} (C{n}): tested, but there is no such constraint"
               for name, n in sorted(tested - constraints)]
    if not constraints:
        errors.append(f"{arguments.dialect}: expects constraints, but got none")
    if errors:
        sys.exit("\n".join(errors))
    print(f"{len(constraints)} constraints, all tested")


if __name__ == "__main__":
    main()
