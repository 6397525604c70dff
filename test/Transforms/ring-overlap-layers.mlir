// SPDX-License-Identifier: Apache-2.0
// Three layers: all use the buffers of one, and K and V of a step are one
// transfer. Between layers nothing leaves its device.

// RUN: ring-opt %s --ring-attention-pipeline="strategy=ring directions=forward" 2>%t.forward | FileCheck %s
// RUN: FileCheck %s --check-prefix=FORWARD --input-file=%t.forward
// RUN: ring-opt %s --ring-attention-pipeline="strategy=ring directions=both" -o /dev/null 2>%t.both
// RUN: FileCheck %s --check-prefix=BOTH --input-file=%t.both
// RUN: ring-opt %s --ring-attention-pipeline="strategy=all_gather" -o /dev/null 2>%t.gather
// RUN: FileCheck %s --check-prefix=GATHER --input-file=%t.gather

!t = tensor<1x2x256x32xbf16>

// One shard of K and V is 2 * 8192 bytes; a layer sends 3 of them. Two pairs of
// buffers hold what arrives and what is being read.
// FORWARD: remark: ring-verify-schedule: a device sends 49152 bytes {{.+}} has 4 buffers of 32768 bytes together and holds at most 49152 bytes
// FORWARD: remark: ring-verify-schedule: a device sends 147456 bytes {{.+}} has 4 buffers of 32768 bytes together and holds at most 49152 bytes

// BOTH: remark: ring-verify-schedule: a device sends 49152 bytes {{.+}} has [[BUFFERS:[0-9]+]] buffers of [[BYTES:[0-9]+]] bytes together
// BOTH: remark: ring-verify-schedule: a device sends 147456 bytes {{.+}} has [[BUFFERS]] buffers of [[BYTES]] bytes together

// GATHER: remark: ring-verify-schedule: a device sends 49152 bytes {{.+}} has [[BUFFERS:[0-9]+]] buffers of [[BYTES:[0-9]+]] bytes together
// GATHER: remark: ring-verify-schedule: a device sends 147456 bytes {{.+}} has [[BUFFERS]] buffers of [[BYTES]] bytes together

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>, ring.parallel = #ring.parallel<sequence = 1>} {
  func.func @one(%x: !t, %k: !t, %v: !t) -> !t {
    %0 = "ttir.scaled_dot_product_attention"(%x, %k, %v) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!t, !t, !t) -> !t
    return %0 : !t
  }

  // CHECK-LABEL: func.func @three(
  // CHECK-COUNT-4: = ring.buffer :
  // CHECK-NOT:     = ring.buffer :
  // CHECK:         ring.shard
  // CHECK-COUNT-9: ring.start_shift %{{[^,]+}}, %{{[^,]+}} into %{{[^,]+}}, %{{[^,]+}} by 1
  // CHECK-NOT:     ring.start_shift
  // CHECK:         ring.unshard
  // CHECK-NOT:     ring.unshard
  func.func @three(%x: !t, %k0: !t, %v0: !t, %k1: !t, %v1: !t, %k2: !t, %v2: !t) -> !t {
    %0 = "ttir.scaled_dot_product_attention"(%x, %k0, %v0) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!t, !t, !t) -> !t
    %1 = "ttir.add"(%x, %0) : (!t, !t) -> !t
    %2 = "ttir.scaled_dot_product_attention"(%1, %k1, %v1) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!t, !t, !t) -> !t
    %3 = "ttir.add"(%1, %2) : (!t, !t) -> !t
    %4 = "ttir.scaled_dot_product_attention"(%3, %k2, %v2) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!t, !t, !t) -> !t
    return %4 : !t
  }
}
