// SPDX-License-Identifier: Apache-2.0
// The ops of gradients, printed and read again.

// RUN: ring-opt %s --verify-roundtrip | FileCheck %s
// RUN: ring-opt %s --mlir-print-op-generic | ring-opt | FileCheck %s

// CHECK-LABEL: func.func @whole
func.func @whole(
    %grad: tensor<1x4x16x8xbf16>, %out: tensor<1x4x16x8xbf16>, %lse: tensor<1x4x16x1xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>,
    %mask: tensor<1x1x16x16xbf16>) {
  // CHECK: %{{.*}}, %{{.*}}, %{{.*}} = ring.attention_backward %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} :
  %dq0, %dk0, %dv0 = ring.attention_backward %grad, %out, %lse, %q, %k, %v
      : tensor<1x4x16x8xbf16>, tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>,
        tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
      -> tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
  // CHECK: ring.attention_backward
  // CHECK-SAME: mask(%{{.*}} : tensor<1x1x16x16xbf16>) pattern(#ring.window<before = 3, after = 0>)
  // CHECK-SAME: scale(2.500000e-01) length(12) parallel(<sequence = 0, heads = 1>)
  // CHECK-SAME: plan(<strategy = ring, axis = <0 in 2x2>, heads_axis = 1>) per_device :
  // CHECK-SAME: -> tensor<1x4x16x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>
  %dq1, %dk1, %dv1 = ring.attention_backward %grad, %out, %lse, %q, %k, %v
      mask(%mask : tensor<1x1x16x16xbf16>) pattern(#ring.window<before = 3, after = 0>)
      scale(0.25) length(12) parallel(<sequence = 0, heads = 1>)
      plan(<strategy = ring, axis = <0 in 2x2>, heads_axis = 1>) per_device
      : tensor<1x4x16x8xbf16>, tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>,
        tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
      -> tensor<1x4x16x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>
  return
}

// CHECK-LABEL: func.func @block
func.func @block(
    %grad: tensor<1x4x16x8xbf16>, %out: tensor<1x4x16x8xf32>, %lse: tensor<1x4x16x1xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>,
    %v: tensor<1x2x16x8xbf16>, %mask: tensor<1x1x16x16xbf16>) {
  // CHECK: ring.partial_backward
  // CHECK-SAME: mask(%{{.*}} : tensor<1x1x16x16xbf16>) pattern(#ring.causal) scale(5.000000e-01) length(60)
  // CHECK-SAME: block(<queries = <zigzag, 64 over 4>, keys = <zigzag, 64 over 4>, source = -1, axis = <0 in 4>>) :
  %dq, %dk, %dv = ring.partial_backward %grad, %out, %lse, %q, %k, %v
      mask(%mask : tensor<1x1x16x16xbf16>) pattern(#ring.causal) scale(0.5) length(60)
      block(<queries = <zigzag, 64 over 4>, keys = <zigzag, 64 over 4>, source = -1, axis = <0 in 4>>)
      : tensor<1x4x16x8xbf16>, tensor<1x4x16x8xf32>, tensor<1x4x16x1xf32>,
        tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
      -> tensor<1x4x16x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x8xf32>
  return
}

// Values of another dim than the keys'.
// CHECK-LABEL: func.func @value_dim
func.func @value_dim(
    %grad: tensor<1x4x16x4xbf16>, %out: tensor<1x4x16x4xbf16>, %lse: tensor<1x4x16x1xf32>,
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x32x8xbf16>, %v: tensor<1x2x32x4xbf16>) {
  // CHECK: ring.partial_backward
  // CHECK-SAME: -> tensor<1x4x16x8xf32>, tensor<1x2x32x8xf32>, tensor<1x2x32x4xf32>
  %dq, %dk, %dv = ring.partial_backward %grad, %out, %lse, %q, %k, %v
      : tensor<1x4x16x4xbf16>, tensor<1x4x16x4xbf16>, tensor<1x4x16x1xf32>,
        tensor<1x4x16x8xbf16>, tensor<1x2x32x8xbf16>, tensor<1x2x32x4xbf16>
      -> tensor<1x4x16x8xf32>, tensor<1x2x32x8xf32>, tensor<1x2x32x4xf32>
  return
}
