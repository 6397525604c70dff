// SPDX-License-Identifier: Apache-2.0
// What the whole pipeline says of inputs that it cannot compile: an error where
// something is wrong, a remark where an attention stays as it was.

// RUN: split-file %s %t
// RUN: ring-opt %t/no-ring.mlir --ring-attention-pipeline="mesh-shape=1x4" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/other-ring.mlir --ring-attention-pipeline --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/axis.mlir --ring-attention-pipeline --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/gathered-axis.mlir --ring-attention-pipeline --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/heads.mlir --ring-attention-pipeline --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/usp.mlir --ring-attention-pipeline="strategy=usp head-ranks=3" --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/mask.mlir --ring-attention-pipeline --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/window-joint.mlir --ring-attention-pipeline --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/dynamic.mlir --ring-attention-pipeline --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/dropout.mlir --ring-attention-pipeline --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/annotation.mlir --ring-attention-pipeline --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/padding.mlir --ring-attention-pipeline="strategy=ring layout=zigzag" --verify-diagnostics -o /dev/null

//--- no-ring.mlir
!t = tensor<1x4x64x32xbf16>
func.func @f(%q: !t) -> !t {
  // expected-remark @below {{ring-raise: left as it is: its sequence is neither gathered nor annotated with ring.parallel}}
  %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!t, !t, !t) -> !t
  return %0 : !t
}

//--- other-ring.mlir
// The shards of two devices on a mesh of four.
!own = tensor<1x4x64x32xbf16>
!t = tensor<1x4x128x32xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  func.func @f(%q: !own) -> !t {
    // expected-note @below {{gathered here}}
    %0 = "ttir.all_gather"(%q) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!own) -> !t
    // expected-remark @below {{ring-plan}}
    // expected-error @below {{attention expects operands gathered from the 4 devices of axis 1, but got 2}}
    %1 = "ttir.scaled_dot_product_attention"(%0, %0, %0) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!t, !t, !t) -> !t
    return %1 : !t
  }
}

//--- axis.mlir
!t = tensor<1x4x64x32xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  func.func @f(%q: !t) -> !t {
    // expected-error @below {{attention expects the axis of the sequence to be one of the 2-D mesh, but got 2}}
    %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> {ring.parallel = #ring.parallel<sequence = 2>} : (!t, !t, !t) -> !t
    return %0 : !t
  }
}

//--- gathered-axis.mlir
!own = tensor<1x4x64x32xbf16>
!t = tensor<1x4x128x32xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  func.func @f(%q: !own) -> !t {
    %0 = "ttir.all_gather"(%q) <{all_gather_dim = 2 : si32, cluster_axis = 5 : ui32}> : (!own) -> !t
    // expected-error @below {{attention expects the axis of the sequence to be one of the 2-D mesh, but got 5}}
    %1 = "ttir.scaled_dot_product_attention"(%0, %0, %0) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!t, !t, !t) -> !t
    return %1 : !t
  }
}

//--- heads.mlir
!t = tensor<1x6x64x32xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 4x2>]>} {
  func.func @f(%q: !t) -> !t {
    // expected-error @below {{attention cannot use any strategy: expects 4 devices to divide the 6 heads}}
    %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> {ring.parallel = #ring.parallel<sequence = 1, heads = 0>} : (!t, !t, !t) -> !t
    return %0 : !t
  }
}

//--- usp.mlir
!t = tensor<1x6x64x32xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  func.func @f(%q: !t) -> !t {
    // expected-error @below {{attention cannot be planned: expects the head ranks to divide 4, but got 3}}
    %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> {ring.parallel = #ring.parallel<sequence = 1>} : (!t, !t, !t) -> !t
    return %0 : !t
  }
}

//--- mask.mlir
!t = tensor<1x4x64x32xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  func.func @f(%q: !t, %m: tensor<1x1x64x60xbf16>) -> !t {
    // expected-error @below {{'ttir.scaled_dot_product_attention' op expects dimension 3 of the mask to be 64, but got 60}}
    %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q, %m) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> {ring.parallel = #ring.parallel<sequence = 1>} : (!t, !t, !t, tensor<1x1x64x60xbf16>) -> !t
    return %0 : !t
  }
}

//--- window-joint.mlir
!t = tensor<1x4x64x32xbf16>
!j = tensor<1x4x8x32xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  func.func @f(%q: !t, %j: !j) -> !t {
    // expected-error @below {{'ring.attention' op expects joint tokens without a pattern, a mask, a sink, pages, a start or documents, but got a pattern}}
    %0, %1 = ring.attention %q, %q, %q joint(%j, %j, %j : !j, !j, !j) pattern(#ring.window<before = 3, after = 0>) parallel(<sequence = 1>) : !t, !t, !t -> !t joint(!j)
    return %0 : !t
  }
}

//--- dynamic.mlir
!t = tensor<1x4x?x32xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  func.func @f(%q: !t) -> !t {
    // expected-remark @below {{ring-raise: left as it is: dynamic shapes}}
    // expected-warning @below {{ring-raise: 0 attentions raised}}
    %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> {ring.parallel = #ring.parallel<sequence = 1>} : (!t, !t, !t) -> !t
    return %0 : !t
  }
}

//--- dropout.mlir
!t = tensor<1x4x64x32xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  func.func @f(%q: !t) -> !t {
    // expected-remark @below {{ring-raise: left as it is: a dropout probability other than 0}}
    // expected-warning @below {{ring-raise: 0 attentions raised}}
    %0 = "ttir.sdpa_fw"(%q, %q, %q) <{dropout_probability = 0.1 : f32, mask_type = #ttcore.attention_mask_type<causal>, return_intermediates = false}> {ring.parallel = #ring.parallel<sequence = 1>} : (!t, !t, !t) -> !t
    return %0 : !t
  }
}

//--- annotation.mlir
// expected-error @below {{expects 'ring.parallel' to be a #ring.parallel, but got 1}}
module attributes {ring.parallel = 1 : i64} {}

//--- padding.mlir
// Not wrong, only dear: rows that do not divide are put together first.
!own = tensor<1x4x3x32xbf16>
!t = tensor<1x4x12x32xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  // expected-remark @below {{a device sends}}
  func.func @f(%q: !own) -> !t {
    %0 = "ttir.all_gather"(%q) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!own) -> !t
    // expected-remark @below {{ring-plan: zigzag ring, }}
    // expected-remark @below {{ring-shard: gathers all 12 rows, since they cannot be dealt as zigzag over 4 ranks without padding}}
    %1 = "ttir.scaled_dot_product_attention"(%0, %0, %0) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!t, !t, !t) -> !t
    return %1 : !t
  }
}
