// SPDX-License-Identifier: Apache-2.0
// Gradients of attention: which are raised, from what, and which stay.

// RUN: ring-opt %s --split-input-file --ring-raise 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks

#none = #ttcore.attention_mask_type<none>
#causal = #ttcore.attention_mask_type<causal>
#arbitrary = #ttcore.attention_mask_type<arbitrary>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {

// CHECK-LABEL: func.func @annotated
func.func @annotated(
    %g: tensor<1x4x64x32xbf16>, %o: tensor<1x4x64x32xbf16>, %q: tensor<1x4x64x32xbf16>,
    %k: tensor<1x2x64x32xbf16>, %v: tensor<1x2x64x32xbf16>, %i: tensor<1x4x64x32xf32>) -> tensor<1x2x64x32xbf16> {
  // CHECK: %[[LSE:.*]] = "ttir.slice_static"(%arg5) {{.*}} -> tensor<1x4x64x1xf32>
  // CHECK: %{{.*}}, %[[DK:.*]], %{{.*}} = ring.attention_backward %arg0, %arg1, %[[LSE]], %arg2, %arg3, %arg4 pattern(#ring.causal) parallel(<sequence = 1>) :
  // CHECK: return %[[DK]]
  %dq, %dk, %dv = "ttir.sdpa_bw"(%g, %o, %q, %k, %v, %i) <{mask_type = #causal}> {ring.parallel = #ring.parallel<sequence = 1>}
      : (tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>, tensor<1x2x64x32xbf16>, tensor<1x2x64x32xbf16>, tensor<1x4x64x32xf32>)
      -> (tensor<1x4x64x32xbf16>, tensor<1x2x64x32xbf16>, tensor<1x2x64x32xbf16>)
  return %dk : tensor<1x2x64x32xbf16>
}

// The log-sum-exp comes straight from the forward, not by way of its tile.

// CHECK-LABEL: func.func @after_forward
func.func @after_forward(%g: tensor<1x4x64x32xbf16>, %q: tensor<1x4x64x32xbf16>) -> tensor<1x4x64x32xbf16>
    attributes {ring.parallel = #ring.parallel<sequence = 1>} {
  // CHECK: %[[OUT:.*]], %[[LSE:.*]] = ring.attention %arg1, %arg1, %arg1
  // CHECK-NOT: ttir
  // CHECK: ring.attention_backward %arg0, %[[OUT]], %[[LSE]], %arg1, %arg1, %arg1 parallel
  %o, %i = "ttir.sdpa_fw"(%q, %q, %q) <{mask_type = #none, return_intermediates = true}>
      : (tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>) -> (tensor<1x4x64x32xbf16>, tensor<1x4x64x32xf32>)
  %dq, %dk, %dv = "ttir.sdpa_bw"(%g, %o, %q, %q, %q, %i) <{mask_type = #none}>
      : (tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>, tensor<1x4x64x32xf32>)
      -> (tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>)
  return %dq : tensor<1x4x64x32xbf16>
}

// A mask of ones and zeros becomes one that is added.

// CHECK-LABEL: func.func @masked
func.func @masked(
    %t: tensor<1x4x64x32xbf16>, %i: tensor<1x4x64x32xf32>, %m: tensor<1x1x64x64xbf16>) -> tensor<1x4x64x32xbf16> {
  // CHECK: %[[MASK:.*]] = "ttir.where"(%arg2,
  // CHECK: ring.attention_backward {{.*}} mask(%[[MASK]] : tensor<1x1x64x64xbf16>) parallel
  %dq, %dk, %dv = "ttir.sdpa_bw"(%t, %t, %t, %t, %t, %i, %m) <{mask_type = #arbitrary}> {ring.parallel = #ring.parallel<sequence = 1>}
      : (tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>, tensor<1x4x64x32xf32>, tensor<1x1x64x64xbf16>)
      -> (tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>)
  return %dq : tensor<1x4x64x32xbf16>
}

// Gathered: only column 0 of the intermediates is.

// CHECK-LABEL: func.func @gathered
func.func @gathered(%t: tensor<1x4x16x32xbf16>, %i: tensor<1x4x16x32xf32>) -> tensor<1x4x64x32xbf16> {
  // CHECK: %[[ALL:.*]] = "ttir.all_gather"(%arg0)
  // CHECK: %[[COLUMN:.*]] = "ttir.slice_static"(%arg1) {{.*}} -> tensor<1x4x16x1xf32>
  // CHECK: %[[LSE:.*]] = "ttir.all_gather"(%[[COLUMN]]) {{.*}} -> tensor<1x4x64x1xf32>
  // CHECK-NOT: ttir
  // CHECK: ring.attention_backward %[[ALL]], %[[ALL]], %[[LSE]], %[[ALL]], %[[ALL]], %[[ALL]] pattern(#ring.causal) parallel(<sequence = 1>) per_device :
  %a = "ttir.all_gather"(%t) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (tensor<1x4x16x32xbf16>) -> tensor<1x4x64x32xbf16>
  %s = "ttir.all_gather"(%i) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (tensor<1x4x16x32xf32>) -> tensor<1x4x64x32xf32>
  %dq, %dk, %dv = "ttir.sdpa_bw"(%a, %a, %a, %a, %a, %s) <{mask_type = #causal}>
      : (tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>, tensor<1x4x64x32xf32>)
      -> (tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>)
  return %dv : tensor<1x4x64x32xbf16>
}

// CHECK-LABEL: func.func @left_alone
func.func @left_alone(%t: tensor<1x4x64x32xbf16>, %l: tensor<1x4x16x32xbf16>, %i: tensor<1x4x64x32xf32>) {
  // CHECK-NOT: ring.attention_backward
  // REMARK: ring-raise: left as it is: its sequence is neither gathered nor annotated with ring.parallel
  // CHECK: ttir.sdpa_bw
  %0:3 = "ttir.sdpa_bw"(%t, %t, %t, %t, %t, %i) <{mask_type = #causal}>
      : (tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>, tensor<1x4x64x32xf32>)
      -> (tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>)
  // REMARK: ring-raise: left as it is: a dropout probability other than 0
  // CHECK: ttir.sdpa_bw
  %1:3 = "ttir.sdpa_bw"(%t, %t, %t, %t, %t, %i) <{mask_type = #causal, dropout_probability = 0.1 : f32}> {ring.parallel = #ring.parallel<sequence = 1>}
      : (tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>, tensor<1x4x64x32xf32>)
      -> (tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>)
  // REMARK: ring-raise: left as it is: only some of query, key, value and the output's gradient are gathered
  // CHECK: ttir.sdpa_bw
  %a = "ttir.all_gather"(%l) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (tensor<1x4x16x32xbf16>) -> tensor<1x4x64x32xbf16>
  %2:3 = "ttir.sdpa_bw"(%t, %t, %a, %a, %a, %i) <{mask_type = #causal}>
      : (tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>, tensor<1x4x64x32xf32>)
      -> (tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>, tensor<1x4x64x32xbf16>)
  // CHECK: return
  return
}
}
