#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a device holds over the length of the sequence and the number of devices.

    memory.py BUILD_DIR [--million ...] [--plot FILE] [TOKENS...]

Measured on the CPU mesh, one head of 64 in bf16, causal: keys and values with the
buffers they arrive in, and all values and buffers. What ring-verify-schedule says
of keys and values stands beside what was measured, and must be the same. The ring
holds O(n/P), all_gather O(n). --million runs million.py instead, with its options.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # importing leaves no trace in the source tree
import plot  # noqa: E402

DEVICES = (1, 2, 4, 8, 16, 32)
STRATEGIES = ("ring", "all_gather")
KIB = 1024


def module(tokens, devices):
    tensor = f"tensor<1x1x{tokens}x64xbf16>"
    return f"""module attributes {{ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x{devices}>]>}} {{
  func.func @attention(%q: {tensor}, %k: {tensor}, %v: {tensor}) -> {tensor} {{
    %0 = "ttir.scaled_dot_product_attention"(%q, %k, %v) <{{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}}> {{ring.parallel = #ring.parallel<sequence = 1>}} : ({tensor}, {tensor}, {tensor}) -> {tensor}
    return %0 : {tensor}
  }}
}}
"""


def measure(tool, tokens, devices, strategy):
    """(bytes of keys and values as measured, and as the schedule says, bytes of
    all values)."""
    with tempfile.TemporaryDirectory() as directory:
        statistics = os.path.join(directory, "stats.json")
        done = subprocess.run(
            [tool, "-", f"--stats={statistics}", "--ring-attention-pipeline="
             f"strategy={strategy} directions=forward layout=contiguous"],
            input=module(tokens, devices), capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"memory.py: ring-run failed\n{done.stderr[-2000:]}")
        with open(statistics, encoding="utf-8") as file:
            report = json.load(file)["devices"]
    said = re.search(r"holds at most (\d+) bytes of keys and values",
                     done.stdout + done.stderr)
    return (max(device["peak_key_value_bytes"] for device in report),
            int(said.group(1)) if said else None,
            max(device["peak_bytes"] for device in report))


def draw(results, path):
    """Keys and values over the length, and over the devices."""
    lengths = sorted({tokens for tokens, _, _ in results})
    most = lengths[-1]
    shown = [devices for devices in DEVICES if devices in (4, 32)]
    over_length = [
        plot.Line(f"{strategy}, {devices} devices",
                  [(n, results[n, devices, strategy]) for n in lengths],
                  dashed=strategy == "all_gather")
        for strategy in STRATEGIES for devices in shown]
    over_devices = [
        plot.Line(f"{strategy}, {most} tokens",
                  [(p, results[most, p, strategy]) for p in DEVICES],
                  dashed=strategy == "all_gather")
        for strategy in STRATEGIES]
    title = "Keys and values that a device holds (measured, CPU mesh)"
    with open(path, "w", encoding="utf-8") as file:
        file.write(plot.page(title, [
            plot.Panel("tokens", "KiB a device", over_length),
            plot.Panel("devices", "KiB a device", over_devices)]))


def main():
    if "--million" in sys.argv:
        words = [word for word in sys.argv[1:] if word != "--million"]
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                              "million.py")
        sys.exit(subprocess.run([sys.executable, script] + words).returncode)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--plot", help="where the plot goes (SVG)")
    parser.add_argument("tokens", nargs="*", type=int)
    options = parser.parse_intermixed_args()
    tool = os.path.join(options.build, "bin", "ring-run")
    path = options.plot or os.path.join(options.build, "memory.svg")
    results, wrong = {}, 0
    print(f"{'tokens':>8} {'devices':>8} {'strategy':>11} {'K/V measured':>14} "
          f"{'K/V scheduled':>14} {'all values':>12}   (KiB a device)")
    for tokens in options.tokens or (4096, 16384, 65536):
        for devices in DEVICES:
            for strategy in STRATEGIES:
                found, said, everything = measure(tool, tokens, devices, strategy)
                results[tokens, devices, strategy] = found / KIB
                # A single device has no schedule to speak of.
                agrees = said == found or (devices == 1 and said is None)
                wrong += not agrees
                shown = "-" if said is None else f"{said / KIB:.1f}"
                print(f"{tokens:8} {devices:8} {strategy:>11} "
                      f"{found / KIB:14.1f} {shown:>14} {everything / KIB:12.1f}"
                      f"{'' if agrees else '  DIFFERENT'}", flush=True)
    draw(results, path)
    print(f"plot: {path}")
    if wrong:
        sys.exit(f"memory.py: {wrong} measurements differ from the schedule")


if __name__ == "__main__":
    main()
