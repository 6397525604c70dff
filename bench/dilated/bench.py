#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Benchmarks of dilated attention against dense attention on a mesh of CPU devices.

    bench.py BUILD_DIR NAME [OPTIONS]

NAME is one of
    quick                one small attention of each kind, checked; under a minute
    dilated-vs-standard  time over length, and how near the ratio is to that of FLOPs
    comprehensive        all kinds over lengths and devices
    memory-scaling       bytes of a device over the number of devices
    extreme-sequence     longer and longer sequences of the same segments, until
                         one takes too long

Each prints a table and writes CSV, JSON and a plot. All times are of this machine
in this run, whatever else it does; compare them with each other only.
"""

import argparse
import os
import sys

sys.dont_write_bytecode = True  # importing leaves no trace in the source tree
import output  # noqa: E402
from measure import (KINDS, Case, default_segments,  # noqa: E402
                     fixed_segments, measure, parse_segments)
import plot  # noqa: E402

MIB = 1 << 20
# Published peaks of one device, in MB, by tokens: a dense attention, which ran
# out of memory at 8192, and a dilated one. The dense ones are two matrices of
# scores of 8 heads in f32.
PUBLISHED = {2048: (277, 53), 4096: (1048, 104), 8192: (None, 208)}
PUBLISHED_HEADS, PUBLISHED_DIM = 8, 64
# Devices from which on a ring has all its buffers.
FEWEST_OF_A_RING = 4


def numbers(text):
    return [int(piece) for piece in text.split(",")]


# Name -> lengths, devices, heads, kinds.
DEFAULTS = {
    "quick": ([1024], [1, 4], 6,
              ["dense", "dense-causal", "dense-gather", "dilated",
               "dilated-auto", "dilated-causal", "longnet"]),
    "dilated-vs-standard": ([2048, 4096, 8192, 16384], [1], 6,
                            ["dense", "dilated", "longnet"]),
    "comprehensive": ([2048, 8192], [1, 2, 4, 8], 6, list(KINDS)),
    "memory-scaling": ([8192], [1, 2, 4, 8, 16], 6,
                       ["dense", "dense-causal", "dense-gather", "dilated",
                        "dilated-causal", "longnet"]),
    "extreme-sequence": ([1 << power for power in range(14, 21)], [8], 6,
                         ["dilated-auto"]),
}


class Bench:
    """The cases of one benchmark, measured as they come."""

    def __init__(self, options):
        self.options = options
        self.tool = os.path.join(options.build, "bin", "ring-run")
        self.found = []

    def segments(self, tokens):
        if self.options.segments:
            return parse_segments(self.options.segments, tokens)
        extreme = self.options.name == "extreme-sequence"
        return (fixed_segments if extreme else default_segments)(
            tokens, self.options.heads)

    def run(self, kind, tokens, devices, heads=None, dim=None):
        options = self.options
        case = Case(KINDS[kind], tokens, devices, heads or options.heads,
                    dim or options.dim, options.dtype, self.segments(tokens))
        result = measure(self.tool, case, options)
        self.found.append(result)
        print(output.line(result), flush=True)
        return result

    def grid(self):
        """Every kind on every mesh with every length."""
        for tokens in self.options.lengths:
            for devices in self.options.devices:
                for kind in self.options.kinds:
                    self.run(kind, tokens, devices)


def label(m):
    return f"{m.kind}, {m.devices} devices"


def over_length(found):
    return [plot.Panel("tokens", "ms", output.series(
                found, lambda m: m.tokens, lambda m: m.ms, label)),
            plot.Panel("tokens", "KiB a device", output.series(
                found, lambda m: m.tokens, lambda m: m.peak_bytes / 1024,
                label))]


def over_devices(found, value=lambda m: m.peak_bytes / 1024, up="KiB a device"):
    return plot.Panel("devices", up, output.series(
        found, lambda m: m.devices, value,
        lambda m: f"{m.kind}, {m.tokens} tokens"))


def quick(bench):
    bench.options.check = True
    bench.grid()
    print(f"{len(bench.found)} runs, all as double precision has them")
    return [over_devices(bench.found), over_devices(
        bench.found, lambda m: m.ms, "ms")], {}


def compare(first, second):
    """How much faster the second is than the first, beside what it has to do."""
    work, time = first.flops / second.flops, first.ms / second.ms
    inside = first.attention_ms / second.attention_ms
    print(f"  {second.kind} has 1/{work:.1f} of the FLOPs and was {time:.1f} "
          f"times as fast, {100 * time / work:.0f} % of the ratio; the attention "
          f"alone {inside:.1f} times, {100 * inside / work:.0f} %")
    return {"kind": second.kind, "tokens": second.tokens,
            "devices": second.devices, "flops_ratio": work, "time_ratio": time,
            "attention_time_ratio": inside}


def dilated_vs_standard(bench):
    options, ratios = bench.options, []
    if len(options.kinds) < 2:
        sys.exit("bench: expects two or more kinds to compare, the standard one "
                 f"first, but got {len(options.kinds)}")
    for tokens in options.lengths:
        for devices in options.devices:
            first, *others = [bench.run(kind, tokens, devices)
                              for kind in options.kinds]
            ratios += [compare(first, other) for other in others]
    return over_length(bench.found), {"ratios": ratios}


def comprehensive(bench):
    bench.grid()
    most = bench.options.lengths[-1]
    longest = [m for m in bench.found if m.tokens == most]
    return [over_devices(longest), over_devices(
        longest, lambda m: m.ms, "ms")], {}


def memory_scaling(bench):
    bench.grid()
    found, falls = bench.found, []
    for kind in bench.options.kinds:
        for tokens in bench.options.lengths:
            line = [m for m in found if m.kind == kind and m.tokens == tokens]
            # One device has no buffers for transfers, and two have half of them.
            full = [m for m in line if m.devices >= FEWEST_OF_A_RING]
            first, last = (full or line)[0], line[-1]
            times = first.peak_bytes / last.peak_bytes
            falls.append({"kind": kind, "tokens": tokens, "falls": times,
                          "devices": last.devices / first.devices})
            print(f"  {kind}, {tokens} tokens: 1/{times:.2f} of the bytes on "
                  f"{last.devices} devices that {first.devices} hold")
    ideal = [m for m in found if m.kind == bench.options.kinds[0]
             and m.tokens == bench.options.lengths[-1]]
    panel = over_devices(found, lambda m: m.peak_bytes / 1024,
                         "KiB of values a device")
    panel.lines.append(plot.Line("1 / devices", [
        (m.devices, ideal[0].peak_bytes / 1024 * ideal[0].devices / m.devices)
        for m in ideal], dashed=True))
    return [panel, against_published(bench)], {"falls": falls}


def against_published(bench):
    """The lengths and heads of the published table, on one device."""
    print("published peaks of one device, and ours for 8 heads of 64 in f32:")
    bench.options.dtype, mine = "f32", []
    for tokens, (dense, dilated) in PUBLISHED.items():
        for kind, limit in (("dense", dense), ("dilated", dilated)):
            m = bench.run(kind, tokens, 1, PUBLISHED_HEADS, PUBLISHED_DIM)
            mine.append(m)
            said = f"{limit} MB" if limit else "out of memory"
            print(f"  {kind}, {tokens} tokens: published {said}, here "
                  f"{m.peak_bytes / 1e6:.1f} MB")
            if limit and m.peak_bytes > limit * 1e6:
                sys.exit(f"bench: expects at most {limit} MB, but got "
                         f"{m.peak_bytes / 1e6:.1f}")
    lines = output.series(mine, lambda m: m.tokens,
                          lambda m: m.peak_bytes / MIB, lambda m: m.kind)
    for index, name in enumerate(("dense", "dilated")):
        lines.append(plot.Line(f"{name}, published", [
            (tokens, said[index] * 1e6 / MIB)
            for tokens, said in PUBLISHED.items() if said[index]], dashed=True))
    return plot.Panel("tokens", "MiB, one device", lines)


def extreme_sequence(bench):
    for tokens in bench.options.lengths:
        slow = False
        for devices in bench.options.devices:
            for kind in bench.options.kinds:
                m = bench.run(kind, tokens, devices)
                slow |= m.ms > 1e3 * bench.options.budget
        if slow:
            print(f"  longer than {bench.options.budget} s: no longer sequence "
                  "is tried")
            break
    return over_length(bench.found), {}


BENCHMARKS = {"quick": quick, "dilated-vs-standard": dilated_vs_standard,
              "comprehensive": comprehensive, "memory-scaling": memory_scaling,
              "extreme-sequence": extreme_sequence}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="the build directory")
    parser.add_argument("name", choices=BENCHMARKS)
    parser.add_argument("--lengths", type=numbers, metavar="N,N,...",
                        help="tokens of the whole sequence")
    parser.add_argument("--devices", type=numbers, metavar="P,P,...",
                        help="devices that share the sequence")
    parser.add_argument("--heads", type=int)
    parser.add_argument("--dim", type=int, default=64, help="of a head")
    parser.add_argument("--dtype", choices=("f32", "bf16"), default="f32")
    parser.add_argument("--segments", metavar="S:R+S:R...",
                        help="segments and rates, n for the whole sequence; by "
                        "default n/32:1+n/16:2+...+n:32, for extreme-sequence "
                        "2048:1+4096:2+...+65536:32")
    parser.add_argument("--kinds", type=lambda text: text.split(","),
                        metavar="KIND,...", help="of " + ", ".join(KINDS))
    parser.add_argument("--repeat", type=int, default=2,
                        help="runs of each case in one process; the median is "
                        "shown, the faster of two")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--budget", type=float, default=10,
                        help="extreme-sequence: seconds after which it ends")
    parser.add_argument("--check", action="store_true",
                        help="compare with double precision, which is slow")
    parser.add_argument("--output", metavar="PREFIX",
                        help="where PREFIX.csv, .json and .svg go")
    options = parser.parse_args()
    lengths, devices, heads, kinds = DEFAULTS[options.name]
    options.lengths = options.lengths or lengths
    options.devices = options.devices or devices
    options.heads = options.heads or heads
    options.kinds = options.kinds or kinds
    for kind in options.kinds:
        if kind not in KINDS:
            parser.error(f"expects a kind of {', '.join(KINDS)}, but got {kind}")
    for name in ("heads", "dim", "repeat"):
        if getattr(options, name) < 1:
            parser.error(f"expects a positive --{name}")
    prefix = options.output or os.path.join(options.build,
                                            "bench-" + options.name)
    bench = Bench(options)
    print(output.heading(), flush=True)
    panels, extra = BENCHMARKS[options.name](bench)
    for path in output.write(prefix, f"{options.name} (measured, CPU mesh)",
                             bench.found, panels, extra):
        print(f"wrote {path}")


if __name__ == "__main__":
    main()
