# SPDX-License-Identifier: Apache-2.0
"""One attention on a mesh of CPU devices, compiled, run and measured.

Times are of ring-run's execution alone, without compiling and without making
arguments; memory, bytes and FLOPs are what the runtime counted.
"""

import dataclasses
import json
import os
import re
import subprocess
import sys
import tempfile

ELEMENT_BYTES = {"f32": 4, "bf16": 2}


@dataclasses.dataclass(frozen=True)
class Kind:
    """A way to attend: words of the pattern, none for dense, and how it is
    compiled."""

    name: str
    words: str = None
    strategy: str = "ring"
    causal: bool = False

    @property
    def dilated(self):
        return self.words is not None


KINDS = {kind.name: kind for kind in (
    Kind("dense", strategy="ring directions=forward"),
    Kind("dense-both", strategy="ring directions=both"),
    Kind("dense-causal", strategy="ring directions=forward", causal=True),
    Kind("dense-gather", strategy="all_gather"),
    Kind("dilated", ""),
    Kind("dilated-auto", "", strategy="auto"),
    Kind("dilated-causal", "", causal=True),
    Kind("dilated-gather", "", strategy="all_gather"),
    Kind("longnet", ", phase = head_mod, mix = lse, norm = none"),
    Kind("longnet-causal", ", phase = head_mod, mix = lse, norm = none",
         causal=True),
)}


@dataclasses.dataclass(frozen=True)
class Case:
    kind: Kind
    tokens: int
    devices: int
    heads: int
    dim: int
    dtype: str
    segments: tuple  # of (segment, rate)

    @property
    def pattern(self):
        causal = ", causal = true" if self.kind.causal else ""
        if not self.kind.dilated:
            return "#ring.causal" if self.kind.causal else ""
        return (f"#ring.dilated<segments = {[s for s, _ in self.segments]}, "
                f"rates = {[r for _, r in self.segments]}{self.kind.words}"
                f"{causal}>")

    @property
    def module(self):
        tensor = f"tensor<1x{self.heads}x{self.tokens}x{self.dim}x{self.dtype}>"
        pattern = self.pattern and f" pattern({self.pattern})"
        return (f'module attributes {{ttcore.meshes = #ttcore.meshes<[<"mesh" = '
                f"1x{self.devices}>]>}} {{\n"
                f"  func.func @attention(%q: {tensor}, %k: {tensor}, %v: "
                f"{tensor}) -> {tensor} {{\n"
                f"    %out = ring.attention %q, %k, %v{pattern} parallel("
                f"<sequence = 1>) : {tensor}, {tensor}, {tensor} -> {tensor}\n"
                f"    return %out : {tensor}\n  }}\n}}\n")

    @property
    def dense_flops(self):
        """Of the whole matrix, causal or not."""
        return 4 * self.dim * self.heads * self.tokens**2


@dataclasses.dataclass
class Measurement:
    """The columns of every table; `checked` says whether the result was compared
    with double precision."""

    kind: str
    tokens: int
    devices: int
    ms: float
    tokens_per_second: float
    peak_bytes: int  # of a device
    kb_per_token: float  # of a device's memory, over the tokens of all
    fraction: float  # of the matrix that is computed
    bytes_sent: int  # by a device, at most
    flops: int
    attention_ms: float  # in the attention itself, of all devices together
    checked: bool


def default_segments(tokens, heads):
    """Up to six pairs, each of twice the segment and the rate of the one before,
    the last segment being the whole sequence: 2048:1 to 65536:32 for 65536."""
    pairs = min(6, heads)
    while pairs > 1 and tokens >> (pairs - 1) < 1 << (pairs - 1):
        pairs -= 1
    return tuple((tokens >> (pairs - 1 - i), 1 << i) for i in range(pairs))


def fixed_segments(tokens, heads):
    """The pairs of a sequence of 65536, cut to the sequence where it is shorter:
    with these the work grows as the length does, not as its square."""
    return tuple((min(segment, tokens), rate)
                 for segment, rate in default_segments(65536, heads))


def parse_segments(text, tokens):
    """`2048:1+n:32`, where n is the whole sequence."""
    pairs = []
    for piece in text.split("+"):
        found = re.fullmatch(r"(\d+|n):(\d+)", piece)
        if not found:
            sys.exit(f"bench: expects segments like 2048:1+n:32, but got '{text}'")
        segment, rate = found.groups()
        pairs.append((tokens if segment == "n" else int(segment), int(rate)))
    return tuple(pairs)


def run_once(tool, case, options):
    """What --stats says of the median of `options.repeat` runs in a process."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "stats.json")
        command = [tool, "-", f"--stats={path}", f"--repeat={options.repeat}",
                   f"--ring-attention-pipeline=strategy={case.kind.strategy}"]
        if options.threads:
            command.append(f"--threads={options.threads}")
        if options.check:
            command.append("--check")
        done = subprocess.run(command, input=case.module, capture_output=True,
                              text=True)
        if done.returncode != 0:
            lines = [line for line in (done.stdout + done.stderr).splitlines()
                     if "error: " in line or "WRONG" in line]
            sys.exit(f"bench: {case.kind.name} of {case.tokens} tokens on "
                     f"{case.devices} devices failed\n" + "\n".join(lines))
        with open(path, encoding="utf-8") as file:
            return json.load(file)


def of_attention(report, what):
    """FLOPs or seconds of the ops that attend, over all devices."""
    return sum(device["ops"].get(op, {what: 0})[what]
               for device in report["devices"]
               for op in ("ring.partial", "ring.accumulate"))


def measure(tool, case, options):
    """The run in numbers."""
    report = run_once(tool, case, options)
    seconds, devices = report["seconds"], report["devices"]
    inside = of_attention(report, "seconds")
    work = of_attention(report, "flops")
    peak = max(device["peak_bytes"] for device in devices)
    return Measurement(
        case.kind.name, case.tokens, case.devices, 1e3 * seconds,
        case.tokens / seconds, peak,
        peak / 1024 / case.tokens, work / case.dense_flops,
        max(device["bytes_sent"] for device in devices), int(work),
        1e3 * inside, options.check)
