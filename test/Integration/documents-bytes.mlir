// SPDX-License-Identifier: Apache-2.0
// 4096 tokens on 8 devices in documents of 768, 256, 1024 and 2048: shards of 512
// rows, and 128 bytes for a row of K and V together.
//
// The last rank has rows of the last document, which begins three shards before
// its own, so that it sees 3 * 512 rows of others: a ring needs 3 hops and not 7,
// and rows that are fetched are as many. 3 * 512 * 128 = 196608.

// RUN: ring-opt %s --ring-attention-pipeline="strategy=ring directions=forward" 2>&1 | FileCheck %s --check-prefix=RING
// RING: a device sends 196608 bytes on #ring.axis<1 in 1x8>
// RING-COUNT-4: ring.accumulate
// RING-NOT: ring.accumulate
// RUN: ring-opt %s --ring-attention-pipeline="strategy=halo" 2>&1 >/dev/null | FileCheck %s --check-prefix=HALO
// HALO: a device sends 196608 bytes on #ring.axis<1 in 1x8>
// Gathered: all of 7 other ranks.
// RUN: ring-opt %s --ring-attention-pipeline="strategy=all_gather" 2>&1 >/dev/null | FileCheck %s --check-prefix=GATHERED
// GATHERED: a device sends 458752 bytes on #ring.axis<1 in 1x8>

// Work, as the runtime counts it when it executes, 4 * 32 for a pair. The last
// rank has 1537 + ... + 2048 = 917760 pairs; the mean of all is 368896, and
// a balanced layout has at most a 25th more on a rank: up to 0.0491.
// RUN: ring-run %s --ring-attention-pipeline="strategy=halo" 2>/dev/null | FileCheck %s --check-prefix=LAST
// LAST: 0.117 GFLOP
// RUN: ring-run %s --ring-attention-pipeline="strategy=halo layout=balanced" 2>/dev/null | FileCheck %s --check-prefix=MEAN
// RUN: ring-run %s --ring-attention-pipeline="strategy=ring layout=balanced" 2>/dev/null | FileCheck %s --check-prefix=MEAN
// MEAN: 0.04{{7|8|9}} GFLOP

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: tensor<1x1x4096x32xbf16>, %k: tensor<1x1x4096x32xbf16>, %v: tensor<1x1x4096x32xbf16>) -> tensor<1x1x4096x32xbf16> {
    %0 = ring.attention %q, %k, %v
        pattern(#ring.documents<ends = [768, 1024, 2048, 4096], causal = true>)
        parallel(<sequence = 1>)
        : tensor<1x1x4096x32xbf16>, tensor<1x1x4096x32xbf16>, tensor<1x1x4096x32xbf16> -> tensor<1x1x4096x32xbf16>
    return %0 : tensor<1x1x4096x32xbf16>
  }
}
