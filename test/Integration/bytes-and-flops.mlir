// SPDX-License-Identifier: Apache-2.0
// Bytes that a device sends, counted from the scheduled IR, are those of the
// formulas. Here P = 4 ranks, K = 4 * 256 * 64 * 2 = 131072 bytes of keys (and as
// many of values), Q = 262144 bytes of queries.

// All gather and ring: 2 K (P - 1) / P.
// RUN: ring-opt %s --ring-attention-pipeline="strategy=all_gather" 2>&1 >/dev/null | FileCheck %s --check-prefix=RING
// RUN: ring-opt %s --ring-attention-pipeline="strategy=ring directions=forward" 2>&1 >/dev/null | FileCheck %s --check-prefix=RING
// RUN: ring-opt %s --ring-attention-pipeline="strategy=ring directions=both" 2>&1 >/dev/null | FileCheck %s --check-prefix=RING
// RUN: sed 's/is_causal = false/is_causal = true/' %s | ring-opt --ring-attention-pipeline="strategy=ring layout=zigzag" 2>&1 >/dev/null | FileCheck %s --check-prefix=RING
// RING: a device sends 196608 bytes

// Ulysses: (2 Q + 2 K) (P - 1) / P^2.
// RUN: ring-opt %s --ring-attention-pipeline="strategy=ulysses" 2>&1 >/dev/null | FileCheck %s --check-prefix=ULYSSES
// ULYSSES: a device sends 147456 bytes

// Usp of 2 x 2: (U - 1) / U * (2 Q + 2 K) / P among neighbours and (R - 1) 2 K / P round the ring.
// RUN: ring-opt %s --ring-attention-pipeline="strategy=usp head-ranks=2 directions=forward" 2>&1 >/dev/null | FileCheck %s --check-prefix=USP
// USP: a device sends 98304 bytes on #ring.axis<1 in 1x4, size = 2>
// USP-SAME: 65536 bytes on #ring.axis<1 in 1x4, size = 2, stride = 2>

// Halo: the 32 rows of K and V that a window of 33 reaches.
// RUN: sed 's/is_causal = false/is_causal = true, sliding_window_size = 33 : ui32/' %s | ring-opt --ring-attention-pipeline="strategy=halo" 2>&1 >/dev/null | FileCheck %s --check-prefix=HALO
// HALO: a device sends 32768 bytes

// Split-KV: log2 P times output and log-sum-exp, in f32, and before that queries
// of more than a tile are gathered.
// RUN: ring-opt %s --ring-attention-pipeline="strategy=split_kv merge=tree" 2>&1 >/dev/null | FileCheck %s --check-prefix=SPLIT
// SPLIT: a device sends 1261568 bytes

// Reduced, (P - 1) / P of them, and as much of the results in bf16.
// RUN: ring-opt %s --ring-attention-pipeline="strategy=split_kv merge=reduce" 2>&1 >/dev/null | FileCheck %s --check-prefix=REDUCE
// REDUCE: a device sends 792576 bytes

// Work, as the runtime counts it when it executes: 4 * 8 * 256 * 256 * 64 / P of a
// full attention, and of a causal one half of that and half a diagonal.
// RUN: ring-run %s --ring-attention-pipeline="strategy=ring" 2>/dev/null | FileCheck %s --check-prefix=FULL
// FULL: 0.034 GFLOP
// RUN: sed 's/is_causal = false/is_causal = true/' %s | ring-run --ring-attention-pipeline="strategy=ring layout=zigzag" 2>/dev/null | FileCheck %s --check-prefix=HALF
// HALF: 0.017 GFLOP

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  func.func @attention(%q: tensor<1x8x256x64xbf16>, %k: tensor<1x4x256x64xbf16>, %v: tensor<1x4x256x64xbf16>) -> tensor<1x8x256x64xbf16> {
    %0 = "ttir.scaled_dot_product_attention"(%q, %k, %v) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> {ring.parallel = #ring.parallel<sequence = 1>} : (tensor<1x8x256x64xbf16>, tensor<1x4x256x64xbf16>, tensor<1x4x256x64xbf16>) -> tensor<1x8x256x64xbf16>
    return %0 : tensor<1x8x256x64xbf16>
  }
}
