#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that dilated attentions move and compute what they must, and no more.

For each case the rows that every device has to receive, and the pairs of a query
and a key that it has to compute, are counted row by row from the definition, and
compared with what the runtime counts when it executes the compiled program.
"""

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # importing leaves no trace in the source tree
import attention  # noqa: E402

DIM = 8
FLOAT = 4


def rows_of(length, segment, rate, phase, ranks, causal):
    """Per device: rows of keys to receive and pairs to compute, for one head."""
    shard = -(-length // ranks)
    result = []
    for device in range(ranks):
        received, pairs = set(), 0
        for row in range(device * shard, min(length, (device + 1) * shard)):
            start = row // segment * segment
            if row % segment < phase or (row % segment - phase) % rate:
                continue
            keys = range(start + phase, start + segment, rate)
            seen = [key for key in keys if not causal or key <= row]
            pairs += len(seen)
            received.update(key for key in seen if key // shard != device)
        result.append((len(received), pairs))
    return result


def check(tool, folder, length, pairs, ranks, causal):
    """What is wrong with a case, or nothing."""
    text = "+".join(f"{segment}:{rate}" for segment, rate in pairs)
    words = [f"mesh=1x{ranks}", f"queries={length}", f"heads={len(pairs)}",
             f"dim={DIM}", f"dilated={text}"] + ["causal"] * causal
    path = os.path.join(folder, "stats.json")
    done = subprocess.run(
        [tool, "-", "--check", f"--stats={path}",
         "--ring-attention-pipeline=strategy=ring directions=forward"],
        input=attention.module(attention.parse(words)), capture_output=True,
        text=True, timeout=120)
    if done.returncode != 0:
        return f"exit code {done.returncode}: {done.stderr[-400:]}"
    with open(path, encoding="utf-8") as file:
        devices = json.load(file)["devices"]
    heads = [rows_of(length, segment, rate, group % rate, ranks, causal)
             for group, (segment, rate) in enumerate(pairs)]
    for index, device in enumerate(devices):
        rows = sum(head[index][0] for head in heads)
        work = sum(head[index][1] for head in heads)
        # Keys and values; two products of two operations each.
        expected = (2 * rows * DIM * FLOAT, 4 * work * DIM)
        done = sum(device["ops"].get(op, {"flops": 0})["flops"]
                   for op in ("ring.partial", "ring.accumulate"))
        found = (device["bytes_received"], done)
        if found != expected:
            return (f"device {index}: expects (bytes, FLOPs) {expected}, but got "
                    f"{found}")
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tools", required=True, help="where ring-run is")
    arguments = parser.parse_args()
    doubling = [(64 << i, 1 << i) for i in range(6)]
    # A length, pairs of segment and rate, and ranks.
    cases = [
        (2048, doubling, 8),  # local, among 2, 4 and 8 neighbours
        (256, [(32, 1), (64, 2)], 8),
        (256, [(256, 1)], 8),  # a dense ring
        (256, [(32, 1), (32, 4)], 4),  # local: nothing moves
        (60, [(20, 1), (12, 3), (60, 7)], 4),  # straddling
        (60, [(30, 4), (10, 3)], 7),  # shards of 9, the last one short
        (96, [(96, 5), (48, 7)], 4),  # the rate does not divide the shard
        (40, [(8, 3), (40, 9)], 5),
    ]
    tool, failures = os.path.join(arguments.tools, "ring-run"), 0
    with tempfile.TemporaryDirectory() as folder:
        for (length, pairs, ranks), causal in itertools.product(
                cases, (False, True)):
            problem = check(tool, folder, length, pairs, ranks, causal)
            if problem:
                failures += 1
                print(f"FAILED: {length} rows, {pairs} on {ranks} ranks, causal "
                      f"{causal}: {problem}")
    # n = 2048 is 1/32 of 65536: 4352 / 32 rows for each head and device.
    rows = sum(rows_of(2048, segment, rate, group % rate, 8, False)[3][0]
               for group, (segment, rate) in enumerate(doubling))
    if rows != 4352 // 32:
        failures += 1
        print(f"FAILED: expects 136 rows, but got {rows}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
