# SPDX-License-Identifier: Apache-2.0
"""Runs the examples of pages and of the package's own docstrings.

    run-examples.py docs/Python.md

`>>>` in a page and in a docstring are examples as doctest has them. An example that prints
something else fails, and so does a page without examples.
"""

import doctest
import importlib
import pkgutil
import sys

import ring_mlir

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def main():
    results = [(page, doctest.testfile(page, module_relative=False, optionflags=FLAGS))
               for page in sys.argv[1:]]
    modules = [ring_mlir] + [importlib.import_module(f"ring_mlir.{found.name}")
                             for found in pkgutil.iter_modules(ring_mlir.__path__)]
    docstrings = [doctest.testmod(module, optionflags=FLAGS) for module in modules]
    results.append(("docstrings", doctest.TestResults(*map(sum, zip(*docstrings)))))
    for name, result in results:
        if not result.attempted:
            sys.exit(f"{name}: expects examples, but got none")
        print(f"{name.rpartition('/')[2]}: {result.attempted} examples, {result.failed} failed")
    sys.exit(any(result.failed for _, result in results))


if __name__ == "__main__":
    main()
