// SPDX-License-Identifier: Apache-2.0
// RUN: ring-opt %s > %t.once && ring-opt %t.once > %t.twice && diff %t.once %t.twice
// RUN: FileCheck %s --input-file=%t.once
// RUN: ring-opt %s -mlir-print-op-generic | ring-opt | diff %t.once -

// The shape of a lowered ring: a composite named after the fused device op, with
// the explicit ring as its decomposition. Two devices, so one hop; both parts
// are merged by the sigmoid of the difference of their log-sum-exps.

// CHECK: module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x2>]>}
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x2>]>} {
  // CHECK-LABEL: func.func @forward
  // CHECK: "ttcore.composite"
  // CHECK-SAME: composite_attributes = {cluster_axis = 1 : ui32, is_causal = false, logical_n = 64 : i64}
  // CHECK-SAME: composite_name = "ring_joint_scaled_dot_product_attention", decomposition = @forward_ring
  func.func @forward(%query: tensor<2x4x32x32xbf16>, %key: tensor<2x4x32x32xbf16>, %value: tensor<2x4x32x32xbf16>) -> tensor<2x4x32x32xbf16> {
    %out = "ttcore.composite"(%query, %key, %value) <{
      composite_name = "ring_joint_scaled_dot_product_attention",
      composite_attributes = {logical_n = 64 : i64, cluster_axis = 1 : ui32, is_causal = false},
      decomposition = @forward_ring
    }> : (tensor<2x4x32x32xbf16>, tensor<2x4x32x32xbf16>, tensor<2x4x32x32xbf16>) -> tensor<2x4x32x32xbf16>
    return %out : tensor<2x4x32x32xbf16>
  }

  // CHECK-LABEL: func.func private @forward_ring
  // CHECK-COUNT-2: "ttir.collective_permute"
  // CHECK-COUNT-2: "ttir.sdpa_fw"
  func.func private @forward_ring(%query: tensor<2x4x32x32xbf16>, %key: tensor<2x4x32x32xbf16>, %value: tensor<2x4x32x32xbf16>) -> tensor<2x4x32x32xbf16> {
    %keep = "ttir.full"() <{fill_value = 1.0 : f32, shape = array<i32: 1, 1, 32, 32>}> : () -> tensor<1x1x32x32xbf16>
    %next_key = "ttir.collective_permute"(%key) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<2x4x32x32xbf16>) -> tensor<2x4x32x32xbf16>
    %next_value = "ttir.collective_permute"(%value) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<2x4x32x32xbf16>) -> tensor<2x4x32x32xbf16>
    %near, %near_state = "ttir.sdpa_fw"(%query, %key, %value, %keep) <{mask_type = #ttcore.attention_mask_type<arbitrary>, return_intermediates = true}> : (tensor<2x4x32x32xbf16>, tensor<2x4x32x32xbf16>, tensor<2x4x32x32xbf16>, tensor<1x1x32x32xbf16>) -> (tensor<2x4x32x32xbf16>, tensor<2x4x32x32xf32>)
    %far, %far_state = "ttir.sdpa_fw"(%query, %next_key, %next_value, %keep) <{mask_type = #ttcore.attention_mask_type<arbitrary>, return_intermediates = true}> : (tensor<2x4x32x32xbf16>, tensor<2x4x32x32xbf16>, tensor<2x4x32x32xbf16>, tensor<1x1x32x32xbf16>) -> (tensor<2x4x32x32xbf16>, tensor<2x4x32x32xf32>)
    %near_lse = "ttir.slice_static"(%near_state) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [2 : i32, 4 : i32, 32 : i32, 1 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<2x4x32x32xf32>) -> tensor<2x4x32x1xf32>
    %far_lse = "ttir.slice_static"(%far_state) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [2 : i32, 4 : i32, 32 : i32, 1 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<2x4x32x32xf32>) -> tensor<2x4x32x1xf32>
    %lead = "ttir.subtract"(%far_lse, %near_lse) : (tensor<2x4x32x1xf32>, tensor<2x4x32x1xf32>) -> tensor<2x4x32x1xf32>
    %weight = "ttir.sigmoid"(%lead) : (tensor<2x4x32x1xf32>) -> tensor<2x4x32x1xf32>
    %near_f32 = "ttir.typecast"(%near) : (tensor<2x4x32x32xbf16>) -> tensor<2x4x32x32xf32>
    %far_f32 = "ttir.typecast"(%far) : (tensor<2x4x32x32xbf16>) -> tensor<2x4x32x32xf32>
    %step = "ttir.subtract"(%far_f32, %near_f32) : (tensor<2x4x32x32xf32>, tensor<2x4x32x32xf32>) -> tensor<2x4x32x32xf32>
    %wide = "ttir.broadcast"(%weight) <{broadcast_dimensions = array<i64: 1, 1, 1, 32>}> : (tensor<2x4x32x1xf32>) -> tensor<2x4x32x32xf32>
    %scaled = "ttir.multiply"(%step, %wide) : (tensor<2x4x32x32xf32>, tensor<2x4x32x32xf32>) -> tensor<2x4x32x32xf32>
    %merged = "ttir.add"(%near_f32, %scaled) : (tensor<2x4x32x32xf32>, tensor<2x4x32x32xf32>) -> tensor<2x4x32x32xf32>
    %out = "ttir.typecast"(%merged) : (tensor<2x4x32x32xf32>) -> tensor<2x4x32x32xbf16>
    return %out : tensor<2x4x32x32xbf16>
  }
}
