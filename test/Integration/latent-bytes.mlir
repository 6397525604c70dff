// SPDX-License-Identifier: Apache-2.0
// What latent attention sends, holds and computes, by the formulas with one tensor
// of 576 columns in place of keys and values: P = 4 ranks, K = 256 * 576 * 2 =
// 294912 bytes, Q = 8 * 256 * 576 * 2 bytes of queries, O = 8 * 256 * 512 * 2 of
// outputs. In what is compiled, in what runs and in what is planned.

// Ring and all gather: K (P - 1) / P. A ring holds 3 shards, all gather K + K / P.
// RUN: ring-opt %s --ring-attention-pipeline="strategy=ring directions=forward" 2>&1 >/dev/null | FileCheck %s --check-prefix=RING
// RUN: ring-opt %s --ring-attention-pipeline="strategy=ring layout=zigzag directions=forward" 2>&1 >/dev/null | FileCheck %s --check-prefix=RING
// RUN: ring-opt %s --ring-attention-pipeline="strategy=all_gather" 2>&1 >/dev/null | FileCheck %s --check-prefix=GATHER
// RING: a device sends 221184 bytes on #ring.axis<1 in 1x4>, has 2 buffers of 147456 bytes together and holds at most 221184 bytes of keys and values
// GATHER: a device sends 221184 bytes on #ring.axis<1 in 1x4>, has 1 buffers of 294912 bytes together and holds at most 368640 bytes of keys and values

// Ulysses: (Q + O + K') (P - 1) / P^2 with K' = P K, the head repeated for the ranks.
// RUN: ring-opt %s --ring-attention-pipeline="strategy=ulysses" 2>&1 >/dev/null | FileCheck %s --check-prefix=ULYSSES
// ULYSSES: a device sends 1056768 bytes

// Halo: the 32 rows that a window of 33 reaches.
// RUN: sed 's/pattern(#ring.causal)/pattern(#ring.window<before = 32, after = 0>)/' %s | ring-opt --ring-attention-pipeline="strategy=halo" 2>&1 >/dev/null | FileCheck %s --check-prefix=HALO
// HALO: a device sends 36864 bytes

// The CPU mesh sends as much and holds as much, and nothing is written down or
// packed for the values apart (runtime/test/PiecesTest.cpp counts that).
// RUN: ring-run %s --ring-attention-pipeline="strategy=ring layout=zigzag directions=forward" --check --stats=%t.json 2>/dev/null
// RUN: FileCheck %s --check-prefix=STATS < %t.json
// STATS-COUNT-4: "bytes_sent": 221184,
// RUN: FileCheck %s --check-prefix=HELD < %t.json
// HELD-COUNT-4: "peak_key_value_bytes": 221184

// The planner: what ring_mla holds is Q/P + O/P + K/P + 2 K = 1777664 bytes, and what
// a ring does Q/P + O/P, the state of 8 * 64 * (512 + 2) * 4 bytes and 3 K/P.
// RUN: ring-opt %s --ring-explain="strategy=ring_mla layout=contiguous" -o /dev/null 2>&1 | FileCheck %s --check-prefix=MLA
// MLA: ring_mla, {{.*}} 1.7 MiB

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  func.func @attention(%q: tensor<1x8x256x576xbf16>, %k: tensor<1x1x256x576xbf16>) -> tensor<1x8x256x512xbf16> {
    %v = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 256 : i32, 512 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x1x256x576xbf16>) -> tensor<1x1x256x512xbf16>
    %0 = ring.attention %q, %k, %v pattern(#ring.causal) parallel(<sequence = 1>) : tensor<1x8x256x576xbf16>, tensor<1x1x256x576xbf16>, tensor<1x1x256x512xbf16> -> tensor<1x8x256x512xbf16>
    return %0 : tensor<1x8x256x512xbf16>
  }
}
