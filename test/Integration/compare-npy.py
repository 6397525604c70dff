#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares two NumPy files of f4: compare-npy.py A B TOLERANCE. The largest
difference over the largest number of B must not exceed the tolerance. Needs no
NumPy, so that every machine that runs the tests can."""

import array
import struct
import sys


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack_from("<H", data, 8)[0]
    header = data[10:10 + size].decode()
    if data[:6] != b"\x93NUMPY" or "'<f4'" not in header:
        sys.exit(f"compare-npy.py: expects f4 in '{path}', but got {header}")
    return array.array("f", data[10 + size:])


def main():
    first, second = read(sys.argv[1]), read(sys.argv[2])
    if len(first) != len(second) or not first:
        sys.exit(f"expects as many numbers, but got {len(first)} and "
                 f"{len(second)}")
    error = max(abs(a - b) for a, b in zip(first, second))
    error /= max(abs(b) for b in second)
    # Also false for NaN.
    if not error <= float(sys.argv[3]):
        sys.exit(f"expects an error of at most {sys.argv[3]}, but got {error}")


if __name__ == "__main__":
    main()
