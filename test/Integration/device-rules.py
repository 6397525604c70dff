#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds every fused attention that the compiler emits to what the device takes.

Random attentions are compiled for random machines, as the planner likes and with
the device ops asked for by name. Whatever composite comes out is checked here
once more: the rules of the two device ops and the bytes of their circular
buffers, written down apart from the compiler. What it refuses must be an error
that says what was expected, and `auto` must refuse nothing.
"""

import argparse
import pathlib
import random
import re
import subprocess
import sys

import attention

JOINT = "ring_joint_scaled_dot_product_attention"
DISTRIBUTED = "ring_distributed_scaled_dot_product_attention"
TILE = 32
TILE_BYTES = {"bf16": 2048, "bfp_bf8": 1088, "bfp_bf4": 576}
# Where circular buffers begin and where L1 ends.
L1 = {"wormhole": (105664, 1499136), "blackhole": (111616, 1572864)}


class Chip:
    def __init__(self, path):
        def value(key):
            """Of the file, or of the one that it is based on."""
            name = path.name
            while name:
                text = (path.parent / name).read_text()
                if found := re.search(rf"^{key} = (\S+)", text, re.M):
                    return found[1]
                base = re.search(r"^based on = (\S+)", text, re.M)
                name = base and f"{base[1]}.machine"
        self.columns, self.rows = map(int, value("grid").split("x"))
        self.start, self.end = L1[value("architecture")]


class Call:
    """One composite: its name, attributes, operand and result types."""

    def __init__(self, line):
        self.name = re.search(r'composite_name = "(\w+)"', line)[1]
        body = re.search(r"composite_attributes = \{(.*?)\}, composite_name", line)[1]
        self.attributes = {}
        for name, text in re.findall(
                r"(\w+) = (array<i64: [^>]*>|tensor<(?:[^<>]|<[^<>]*>)*>|#ttcore\S+?>|\"[^\"]*\"|[^,]+)", body):
            self.attributes[name] = self.value(text.strip())
        inputs, results = line.rsplit(" : (", 1)[1].split(") -> ", 1)
        self.inputs = self.types(inputs)
        self.results = self.types(results)

    @staticmethod
    def value(text):
        if text.startswith("array"):
            return [int(number) for number in text[11:-1].split(",")]
        if text in ("true", "false"):
            return text == "true"
        number = re.match(r"-?[\d.]+(?:e[+-]?\d+)?(?= : |$)", text)
        if number:
            return float(number[0]) if "f32" in text else int(number[0])
        return text.strip('"')

    @staticmethod
    def types(text):
        found = []
        for dims, element in re.findall(r"tensor<((?:\d+x)+)((?:[^<>]|<[^<>]*>)*)>", text):
            block = re.search(r"bfp_bf\d", element)
            found.append(([int(d) for d in dims.split("x")[:-1]],
                          block[0] if block else element))
        return found


def ceil(a, b):
    return -(-a // b)


class Rules:
    def __init__(self, call, mesh, chip):
        self.call, self.mesh, self.chip = call, mesh, chip
        self.at = call.attributes
        self.broken = []

    def expect(self, holds, what):
        if not holds:
            self.broken.append(what)

    def check(self):
        self.common()
        self.ring_joint() if self.call.name == JOINT else self.ring_distributed()
        return self.broken

    def common(self):
        at, expect = self.at, self.expect
        for name in ("scale", "ring_size", "cluster_axis", "q_chunk_size", "k_chunk_size", "exp_approx_mode",
                     "math_fidelity", "math_approx_mode", "fp32_dest_acc_en", "compute_with_storage_grid_size"):
            expect(name in at, f"attribute {name}")
        self.ranks = at["ring_size"]
        self.qc, self.kc = at["q_chunk_size"], at["k_chunk_size"]
        self.q, self.k, self.v = self.call.inputs[:3]
        self.columns, self.rows = at["compute_with_storage_grid_size"]
        expect(self.mesh[at["cluster_axis"]] == self.ranks and self.ranks <= 32, "the ring")
        expect(self.qc % TILE == 0 and self.kc % TILE == 0 and self.qc > 0 and self.kc > 0, "chunks of tiles")
        expect(self.columns <= self.chip.columns and self.rows <= self.chip.rows, "a grid on the chip")
        for shape, element in (self.q, self.k, self.v):
            expect(element in TILE_BYTES and shape[3] % TILE == 0, "formats and heads of tiles")
        expect(self.q[0][1] % self.k[0][1] == 0 and self.k[0][1] == self.v[0][1], "heads")
        expect(self.q[0][3] == self.k[0][3], "dims")

    def fits(self, bytes_held):
        end = self.chip.start + bytes_held
        self.expect(end <= self.chip.end, f"L1 of {self.chip.end} bytes, but got {end}")

    def ring_joint(self):
        at, expect, call = self.at, self.expect, self.call
        causal, balanced, cross = at["is_causal"], at["is_balanced"], at["is_cross"]
        rows, keys = self.q[0][2], self.k[0][2]
        operands = len(call.inputs)
        joint = call.inputs[3:6] if operands == 6 else []
        sink = call.inputs[3] if operands == 4 else None
        expect(operands in (3, 4, 6), "3, 4 or 6 operands")
        expect(self.ranks >= 2 and at["num_global_semaphores"] >= 2 and at["num_links"] > 0, "semaphores and links")
        expect(at["joint_strategy"] == "rear" and at["dim"] == 2, "rear, rows")
        expect(all(element == "bf16" for _, element in call.results), "bf16 results")
        expect("sliding_window_size" not in at, "no window")
        expect(keys == self.v[0][2] and self.q[0][0] == self.k[0][0] == self.v[0][0], "rows and batch")
        expect(rows <= keys and rows % TILE == 0 and keys % TILE == 0, "rows of tiles")
        # Who has fewer queries is told so, and has neither pattern nor zigzag.
        expect(cross == (rows < keys) and not (cross and (causal or balanced or joint)), "cross")
        one = {element for _, element in (self.q, self.k, self.v, *joint)}
        expect(len(one) == 1, "one element type")
        expect(causal or self.v[0][3] == self.q[0][3], "wide values only if causal")
        expect(0 < at["logical_n"] <= keys * self.ranks, "logical_n")
        if balanced:
            expect(causal and rows // 2 % self.qc == 0, "a zigzag is causal, in chunks")
            expect(at["logical_n"] == keys * self.ranks, "a zigzag counts all keys")
            expect(self.kc <= keys, "key chunks of a zigzag within a shard")
        for name, operand in (("k", self.k), ("v", self.v)):
            shape = list(operand[0])
            shape[2] *= self.ranks
            expect(Call.types(at[f"persistent_output_buffer_{name}"]) == [(shape, operand[1])], "buffers")
        if sink:
            expect(causal and sink == ([1, self.q[0][1], 1, 1], "bf16") and not at["fp32_dest_acc_en"], "sink")
        length = joint[0][0][2] if joint else 0
        if joint:
            expect(not causal and self.q[0][1] == self.k[0][1], "joint tokens: no pattern, equal heads")
            shared = length < at["logical_l"]
            expect(shared == ("persistent_output_buffer_joint_k" in at), "buffers of shares")
            if shared:
                expect(length % TILE == 0 and at["logical_l"] <= length * self.ranks, "shares")
                expect(at["logical_l"] == length * self.ranks or not at["fp32_dest_acc_en"], "padded shares")
            else:
                expect(length == at["logical_l"], "joint tokens that all devices have")
        else:
            expect(at["logical_l"] == 0, "logical_l")
        self.movers()
        self.joint_buffers(rows, keys, length, causal, sink)

    def movers(self):
        x, y = self.at["ccl_core_grid_offset"]
        by_column = self.at["use_column_major_ccl"]
        self.expect(x >= self.columns if by_column else y >= self.rows, "cores apart")
        for i in range(2 * self.at["num_links"]):
            core = ((x + i // self.chip.rows, y + i % self.chip.rows) if by_column else
                    (x + i % self.chip.columns, y + i // self.chip.columns))
            self.expect(core[0] < self.chip.columns and core[1] < self.chip.rows, f"core {core} on the chip")

    def joint_buffers(self, rows, keys, length, causal, sink):
        at, heads = self.at, self.q[0][0] * self.q[0][1]
        q, k, d, v = self.qc // TILE, self.kc // TILE, self.q[0][3] // TILE, self.v[0][3] // TILE
        chunks = heads * (ceil(rows, self.qc) + ceil(length, self.qc))
        a_core = ceil(chunks, self.columns * self.rows)
        tile, f32 = TILE_BYTES[self.q[1]], at["fp32_dest_acc_en"]
        held = tile * (q * d * (2 if a_core > 1 else 1) + 2 * k * (d + v))
        held += q * k * (4096 if f32 else 2048)              # scores
        held += 2048 * 3 * q * v                             # two outputs, one from DRAM
        held += 2048 * (max(q, min(4, 2 * q)) if a_core == 1 and not f32 else q) * v
        held += 2048 * (2 + 1 + 2) * q                       # maxima, their difference, on their way
        held += 2 * q * (4096 if f32 else 2048)              # sums
        held += 0 if f32 else 2048 * 2 * q                   # on their way
        held += 2048 * (3 if f32 else 4) + (0 if f32 else 16) + 64
        partial = (at["logical_n"] % TILE != 0) + (at["logical_l"] % TILE != 0)
        padded = (keys % self.kc or at["logical_n"] % self.kc or
                  (length and (ceil(length, TILE) % k or at["logical_l"] % self.kc)))
        if padded or causal:
            held += 2048 * (1 + causal + partial)
        held += 2048 if sink else 0
        self.fits(held)

    def ring_distributed(self):
        at, expect, call = self.at, self.expect, self.call
        rows = self.q[0][2]
        expect(self.ranks % 2 == 0, "an even ring")
        # The op takes the first mesh axis of the ring's size.
        expect(self.mesh.index(self.ranks) == at["cluster_axis"], "the axis that the op takes")
        expect(self.v[0][3] == self.q[0][3] and self.q[1] == self.k[1] == self.v[1], "one dim, one element type")
        expect(rows % (2 * self.ranks) == 0 and rows // TILE >= 2 * self.ranks, "rows")
        expect(rows // (2 * self.ranks) % self.qc == 0, "query chunks")
        expect([r[0][2] for r in call.results] == [rows // self.ranks], "a share of the rows")
        expect(call.results[0][1] == self.q[1], "the queries' element type")
        table = 0
        if len(call.inputs) == 4:
            page, start = self.k[0][2], at["chunk_start_idx"]
            expect(call.inputs[3][1] == "i32" and call.inputs[3][0][0] == self.q[0][0], "page table")
            expect(page % TILE == 0 and rows % page == 0 and start % page == 0, "pages")
            expect(start % self.qc == 0 and (rows + start) % self.kc == 0, "chunks")
            expect(rows + start <= page * call.inputs[3][0][1], "pages for all")
            table = ceil(4 * call.inputs[3][0][1], 64) * 64
        else:
            expect(rows == self.k[0][2] and "chunk_start_idx" not in at, "as many keys")
        q, k, d = self.qc // TILE, self.kc // TILE, self.q[0][3] // TILE
        tile = TILE_BYTES[self.q[1]]
        self.fits(tile * (2 * q * d + 4 * k * d + q * d) + 2048 * (q * k + 2 * q * d + 5 * q + 4) + table)


def draw(dice):
    """A case, a machine and options."""
    machine, mesh = dice.choice([
        ("n300", "1x2"), ("t3000", "2x4"), ("t3000", "1x8"), ("wormhole-galaxy", "8x4"), ("wormhole-galaxy", "4x8"),
        ("quiet-box", "2x2"), ("blackhole-galaxy", "8x4")])
    axis = dice.choice([i for i, size in enumerate(mesh.split("x")) if int(size) > 1])
    heads = dice.choice([2, 4, 8, 10, 24])
    words = [f"mesh={mesh}", f"axis={axis}", f"heads={heads}", f"dim={dice.choice([32, 64, 64, 96, 128, 128, 256, 40])}",
             f"dtype={dice.choice(['bf16', 'bf16', 'bf16', 'bfp8', 'bfp4', 'f32'])}",
             f"queries={dice.choice([512, 1000, 1024, 2048, 4096, 4096, 8192, 32760])}"]
    if dice.random() < 0.3:
        words.append(f"batch={dice.choice([2, 3])}")
    kind = dice.choice(["full", "causal", "causal", "window", "sink", "joint", "cross", "length", "wide", "pages"])
    if kind in ("causal", "sink", "pages") or (kind in ("length", "wide") and dice.random() < 0.7):
        words.append("causal")
    if kind == "causal" and dice.random() < 0.5:
        words.append(f"kv_heads={dice.choice([1, 2])}")
    words += {"window": ["window=256"], "sink": ["sink", "scale=0.3"], "length": ["length=500"],
              "joint": [f"joint={dice.choice([7, 118, 512])}"] + ["joint_sharded"] * dice.choice([0, 1]),
              "cross": ["keys=65536"], "wide": ["value_dim=64"],
              "pages": ["keys=65536", "page=64", f"start={dice.choice([0, 512, 1024])}"]}.get(kind, [])
    options = []
    for option, share in (("fp32-accumulation=true", 0.25), ("q-chunk=128", 0.2), ("k-chunk=512", 0.2),
                          ("q-chunk=512 k-chunk=512", 0.05), ("exp-approx=true", 0.1), ("grid=6x4", 0.1), ("ccl-offset=0x5", 0.1),
                          ("layout=contiguous", 0.1), ("layout=zigzag", 0.1)):
        name = option.split("=")[0]
        if dice.random() < share and not any(name in other for other in options):
            options.append(option)
    return words, machine, options


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    parser.add_argument("--machines", type=pathlib.Path, required=True)
    parser.add_argument("--cases", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("files", nargs="*", help="FILE@MACHINE, compiled as they are")
    options = parser.parse_args()
    emitted = {JOINT: 0, DISTRIBUTED: 0}
    faults = []

    def compile_and_check(what, module, machine, pass_options, may_refuse):
        text = f"--ring-attention-pipeline=target=ttir machine={machine} {' '.join(pass_options)}"
        done = subprocess.run([options.tools / "ring-opt", "-", text], input=module, capture_output=True, text=True)
        if done.returncode:
            error = re.search(r"error: (.*)", done.stderr)
            named = error and re.search(r"expects|needs", error[1])
            if not may_refuse or not named:
                faults.append(f"{what}: {done.stderr.strip()}")
            return
        mesh = [int(size) for size in re.search(r'meshes<\[<"\w+" = (\d+x\d+)', module)[1].split("x")]
        for line in done.stdout.splitlines():
            if f'"{JOINT}"' not in line and f'"{DISTRIBUTED}"' not in line:
                continue
            call = Call(line)
            emitted[call.name] += 1
            for broken in Rules(call, mesh, Chip(options.machines / f"{machine}.machine")).check():
                faults.append(f"{what}: {call.name} expects {broken}\n  {line.strip()}")

    for file in options.files:
        path, _, machine = file.partition("@")
        compile_and_check(file, pathlib.Path(path).read_text(), machine, ["form=fused"], False)
    for number in range(options.cases):
        dice = random.Random(options.seed * 10007 + number)
        words, machine, more = draw(dice)
        module = attention.module(attention.parse(words))
        for strategy in ("auto", "ring_joint", "ring_distributed"):
            asked = [] if strategy == "auto" else [f"strategy={strategy}", *more]
            what = f"{' '.join(words)} on {machine}, {strategy} {' '.join(asked)}"
            compile_and_check(what, module, machine, asked, strategy != "auto")
    for fault in faults:
        print(fault)
    print(f"{emitted[JOINT]} calls of ring_joint, {emitted[DISTRIBUTED]} of ring_distributed, {len(faults)} faults")
    return 1 if faults or not all(emitted.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
