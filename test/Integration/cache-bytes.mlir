// SPDX-License-Identifier: Apache-2.0
// A chunk of 256 queries over a cache of 1024 keys that is dealt to 4 devices: what
// is sent, and what a device holds. Q = 262144 bytes of queries, K = 524288 of keys.

// Queries take 3 hops of 65536 bytes with 256 of positions, outputs and log-sum-exps
// 4 hops of 131072 + 2048: nobody sends keys.
// RUN: ring-opt %s --ring-attention-pipeline="strategy=pass_q" 2>&1 >/dev/null | FileCheck %s --check-prefix=PASSQ
// PASSQ: a device sends 729856 bytes
// PASSQ-SAME: holds at most 262144 bytes of keys and values

// The ring sends 2 K (P - 1) / P and holds three shards.
// RUN: ring-opt %s --ring-attention-pipeline="strategy=ring directions=forward" 2>&1 >/dev/null | FileCheck %s --check-prefix=RING
// RING: a device sends 786432 bytes
// RING-SAME: holds at most 786432 bytes of keys and values

// One token: log2 P times output and log-sum-exp in f32, 8 * (64 + 1) * 4 bytes.
// RUN: sed 's/x256x64xbf16/x1x64xbf16/g' %s | ring-opt --ring-attention-pipeline="strategy=split_kv merge=tree" 2>&1 >/dev/null | FileCheck %s --check-prefix=DECODE
// DECODE: a device sends 4160 bytes
// DECODE-SAME: holds at most 262144 bytes of keys and values

// Gathered, or passed round, P - 1 times as much.
// RUN: sed 's/x256x64xbf16/x1x64xbf16/g' %s | ring-opt --ring-attention-pipeline="strategy=split_kv merge=gather" 2>&1 >/dev/null | FileCheck %s --check-prefix=GATHER
// RUN: sed 's/x256x64xbf16/x1x64xbf16/g' %s | ring-opt --ring-attention-pipeline="strategy=split_kv merge=round" 2>&1 >/dev/null | FileCheck %s --check-prefix=GATHER
// GATHER: a device sends 6240 bytes
// GATHER-SAME: holds at most 262144 bytes of keys and values

// Reduced, (P - 1) / P of it, and the P - 1 results of 2 of the 8 rows in bf16.
// RUN: sed 's/x256x64xbf16/x1x64xbf16/g' %s | ring-opt --ring-attention-pipeline="strategy=split_kv merge=reduce" 2>&1 >/dev/null | FileCheck %s --check-prefix=REDUCE
// REDUCE: a device sends 2328 bytes
// REDUCE-SAME: holds at most 262144 bytes of keys and values

// As much is sent while it runs.
// RUN: ring-run %s --ring-attention-pipeline="strategy=pass_q" --check 2>/dev/null | FileCheck %s --check-prefix=RAN
// RAN: a device at most: 712.8 KiB sent

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  func.func @chunk(%q: tensor<1x8x256x64xbf16>, %k: tensor<1x4x1024x64xbf16>, %v: tensor<1x4x1024x64xbf16>, %start: tensor<1xi32>) -> tensor<1x8x256x64xbf16> {
    %0 = ring.attention %q, %k, %v start(%start : tensor<1xi32>) pattern(#ring.causal) parallel(<sequence = 1, cache_block = 32>)
        : tensor<1x8x256x64xbf16>, tensor<1x4x1024x64xbf16>, tensor<1x4x1024x64xbf16> -> tensor<1x8x256x64xbf16>
    return %0 : tensor<1x8x256x64xbf16>
  }
}
