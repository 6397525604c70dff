// SPDX-License-Identifier: Apache-2.0
// Two attentions of different shapes in one function, and what is between them,
// three times in one process: a launch leaves nothing behind.

// RUN: ring-run %s --ring-attention-pipeline="target=launch strategy=ring directions=forward" --backend=tile --repeat=3 --check 2>&1 | FileCheck %s
// RUN: ring-translate --mlir-to-program %s -o %t.whole
// RUN: ring-opt %s --ring-attention-pipeline="target=launch strategy=ring directions=forward" 2>/dev/null | ring-translate --mlir-to-program -o %t.ring
// RUN: ring-exec %t.ring --backend=tile --interleaving=7 --check=%t.whole --stats %t.json | FileCheck %s
// RUN: FileCheck %s --check-prefix=STATS --input-file=%t.json

// CHECK: out0 {{.*}} of the bound: ok
// CHECK: out1 {{.*}} of the bound: ok

// Both attentions of a device are launches, and nothing else attends.
// STATS-NOT: ring.accumulate
// STATS:     "ring.launch"
// STATS-SAME: "count": 2

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  func.func @two(%q: tensor<1x4x250x64xbf16>, %k: tensor<1x2x250x64xbf16>, %v: tensor<1x2x250x64xbf16>)
      -> (tensor<1x4x250x64xbf16>, tensor<1x4x250x64xbf16>) {
    %0 = "ttir.scaled_dot_product_attention"(%q, %k, %v) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> {ring.parallel = #ring.parallel<sequence = 1>} : (tensor<1x4x250x64xbf16>, tensor<1x2x250x64xbf16>, tensor<1x2x250x64xbf16>) -> tensor<1x4x250x64xbf16>
    %1 = "ttir.add"(%0, %q) : (tensor<1x4x250x64xbf16>, tensor<1x4x250x64xbf16>) -> tensor<1x4x250x64xbf16>
    %2 = "ttir.scaled_dot_product_attention"(%1, %1, %0) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> {ring.parallel = #ring.parallel<sequence = 1>} : (tensor<1x4x250x64xbf16>, tensor<1x4x250x64xbf16>, tensor<1x4x250x64xbf16>) -> tensor<1x4x250x64xbf16>
    return %0, %2 : tensor<1x4x250x64xbf16>, tensor<1x4x250x64xbf16>
  }
}

// A launch has no trace, and its buffers count.
// RUN: not ring-exec %t.ring --backend=tile --trace=%t.trace 2>&1 | FileCheck %s --check-prefix=TRACE
// RUN: not ring-exec %t.ring --backend=tile --device-memory=200KiB 2>&1 | FileCheck %s --check-prefix=MEMORY
// TRACE: expects a backend that records what ran when with --trace, but got 'tile'
// MEMORY: device memory is exceeded: ring.launch takes 294912 bytes
