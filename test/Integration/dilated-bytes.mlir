// SPDX-License-Identifier: Apache-2.0
// 65536 tokens on 8 devices, segments of 2048 to 65536, every 1st to 32nd row, one
// head each: a device receives 4352 rows of keys and as many of values.
//
// Shards have 8192 rows. Segments up to 8192 are there already; 2 ranks share
// one of 16384 and receive 8192 / 8 = 1024 rows, 4 one of 32768 and 3 * 8192 / 16 =
// 1536, 8 one of 65536 and 7 * 8192 / 32 = 1792. Each row of K and V has 128 bytes.

// RUN: ring-opt %s --ring-attention-pipeline="strategy=ring directions=forward" 2>&1 >/dev/null | FileCheck %s
// RUN: ring-opt %s --ring-attention-pipeline="strategy=ring directions=both" 2>&1 >/dev/null | FileCheck %s
// CHECK: a device sends
// CHECK-DAG: 131072 bytes on #ring.axis<1 in 1x8, size = 2>
// CHECK-DAG: 196608 bytes on #ring.axis<1 in 1x8, size = 4>
// CHECK-DAG: 229376 bytes on #ring.axis<1 in 1x8>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  func.func @attention(%q: tensor<1x6x65536x32xbf16>, %k: tensor<1x6x65536x32xbf16>, %v: tensor<1x6x65536x32xbf16>) -> tensor<1x6x65536x32xbf16> {
    %0 = ring.attention %q, %k, %v
        pattern(#ring.dilated<segments = [2048, 4096, 8192, 16384, 32768, 65536], rates = [1, 2, 4, 8, 16, 32]>)
        parallel(<sequence = 1>)
        : tensor<1x6x65536x32xbf16>, tensor<1x6x65536x32xbf16>, tensor<1x6x65536x32xbf16> -> tensor<1x6x65536x32xbf16>
    return %0 : tensor<1x6x65536x32xbf16>
  }
}
