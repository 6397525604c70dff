#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One million tokens on a mesh of 32 CPU devices, each with a memory limit.

    million.py BUILD_DIR [--tokens N] [--dim D] [--devices P] [--limit SIZE]

Three attentions of one head in bf16 that long sequences need: a sliding window
(halo), one new token against all keys (split_kv), and the whole causal triangle
(ring). Before each, all_gather is tried under the same limit: it holds O(n) and
must be refused. Rows drawn at random are compared with double precision; nobody
computes all of a reference. Times are of this machine, whatever else it does.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

import numpy as np

ROWS_CHECKED = 64
MIB = 1 << 20


def bf16_bits(shape, rng):
    """N(0, 1) rounded to bf16, as the bits that a NumPy file holds."""
    bits = rng.standard_normal(shape, dtype=np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def numbers(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def module(case, options):
    """The attention of the case as TTIR."""
    def tensor(rows):
        return f"tensor<1x1x{rows}x{options.dim}xbf16>"

    query, key = tensor(case["queries"]), tensor(options.tokens)
    window = (f", sliding_window_size = {case['window']} : ui32"
              if case["window"] else "")
    causal = str(case["queries"] > 1).lower()
    return f"""module attributes {{ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x{options.devices}>]>}} {{
  func.func @attention(%q: {query}, %k: {key}, %v: {key}) -> {query} {{
    %0 = "ttir.scaled_dot_product_attention"(%q, %k, %v) <{{is_causal = {causal}, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>{window}}}> {{ring.parallel = #ring.parallel<sequence = 1>}} : ({query}, {key}, {key}) -> {query}
    return %0 : {query}
  }}
}}
"""


def expected_row(row, case, data):
    """One row of the result in f64, over the keys that it sees."""
    last = row if case["queries"] > 1 else len(data["k"]) - 1
    first = max(0, last - case["window"] + 1) if case["window"] else 0
    query = numbers(data["q"][row])
    scores = numbers(data["k"][first:last + 1]) @ query / np.sqrt(len(query))
    weights = np.exp(scores - scores.max())
    return weights @ numbers(data["v"][first:last + 1]) / weights.sum()


def compare(output, case, data, rng):
    """The largest error over the largest number of its row, and the PCC, of rows
    drawn at random; the first and the last are among them."""
    count = case["queries"]
    rows = sorted({0, count - 1, *rng.integers(0, count, ROWS_CHECKED - 2)})
    expected = np.array([expected_row(row, case, data) for row in rows])
    found = output[rows].astype(np.float64)
    error = np.abs(found - expected).max(1) / np.abs(expected).max(1)
    return len(rows), error.max(), np.corrcoef(found.ravel(),
                                               expected.ravel())[0, 1]


def run(tool, directory, strategy, options, output=None):
    """(exit code, what was printed, seconds, statistics)."""
    statistics = os.path.join(directory, "stats.json")
    command = [tool, os.path.join(directory, "attention.mlir"),
               f"--ring-attention-pipeline=strategy={strategy} directions=forward",
               f"--device-memory={options.limit}", f"--stats={statistics}"]
    command += [f"--input={os.path.join(directory, name)}.npy" for name in "qkv"]
    if output:
        command.append(f"--output={output}")
    begin = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True)
    seconds = time.monotonic() - begin
    report = None
    if done.returncode == 0:
        with open(statistics, encoding="utf-8") as file:
            report = json.load(file)
    return done.returncode, done.stdout + done.stderr, seconds, report


def refusal(text):
    """The message of a run that needed more memory than there is."""
    found = re.search(r"device memory is exceeded: .*", text)
    return found and found.group(0)


def bench(tool, case, options):
    """Runs one case; true if all is as it should be."""
    rng = np.random.default_rng(options.seed)
    data = {"q": bf16_bits((case["queries"], options.dim), rng),
            "k": bf16_bits((options.tokens, options.dim), rng),
            "v": bf16_bits((options.tokens, options.dim), rng)}
    print(f"\n{case['name']}: {case['queries']} queries, {options.tokens} keys, "
          f"D = {options.dim}, {options.devices} devices of {options.limit}",
          flush=True)
    with tempfile.TemporaryDirectory() as directory:
        for name, bits in data.items():
            np.save(os.path.join(directory, name), bits[None, None])
        with open(os.path.join(directory, "attention.mlir"), "w",
                  encoding="utf-8") as file:
            file.write(module(case, options))
        code, text, _, _ = run(tool, directory, "all_gather", options)
        message = refusal(text)
        print(f"  all_gather: {message or f'NOT REFUSED (exit code {code})'}",
              flush=True)
        output = os.path.join(directory, "out.npy")
        code, text, seconds, report = run(tool, directory, case["strategy"],
                                          options, output)
        if code != 0:
            print(f"  {case['strategy']}: FAILED\n{text[-2000:]}")
            return False
        rows, error, pcc = compare(np.load(output)[0, 0], case, data, rng)
    devices = report["devices"]
    flops = sum(device["flops"] for device in devices)
    said = re.search(r"holds at most (\d+) bytes of keys and values", text)
    print(f"  {case['strategy']}: {report['seconds']:.1f} s ({seconds:.1f} s with "
          f"compiling and files), {flops:.3g} FLOP, "
          f"{flops / report['seconds'] / 1e9:.0f} GFLOP/s\n"
          f"  a device: {max(d['peak_bytes'] for d in devices) / MIB:.1f} MiB at "
          f"most, "
          f"{max(d['bytes_sent'] for d in devices) / MIB:.2f} MiB sent"
          + (f"; keys and values {int(said.group(1)) / MIB:.2f} MiB, says the "
             f"schedule" if said else ""))
    good = bool(message) and error <= options.tolerance and pcc >= 0.9997
    print(f"  {rows} rows against f64: relative error {error:.1e}, PCC {pcc:.6f}"
          f": {'ok' if good else 'WRONG'}", flush=True)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--tokens", type=int, default=1 << 20)
    parser.add_argument("--dim", type=int, default=16)
    parser.add_argument("--devices", type=int, default=32)
    parser.add_argument("--limit", default="32MiB")
    parser.add_argument("--window", type=int, default=4096)
    parser.add_argument("--seed", type=int, default=1)
    # A bf16 result is off by 2^-9 of itself, more where terms cancel.
    parser.add_argument("--tolerance", type=float, default=1e-2)
    parser.add_argument("--only", choices=("window", "decode", "causal"))
    options = parser.parse_args()
    cases = [
        {"name": "window", "queries": options.tokens, "window": options.window,
         "strategy": "halo"},
        {"name": "decode", "queries": 1, "window": 0, "strategy": "split_kv"},
        {"name": "causal", "queries": options.tokens, "window": 0,
         "strategy": "ring"},
    ]
    tool = os.path.join(options.build, "bin", "ring-run")
    results = [bench(tool, case, options) for case in cases
               if options.only in (None, case["name"])]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
