// SPDX-License-Identifier: Apache-2.0
// Composites named packed_scaled_dot_product_attention: annotated ones and
// gathered ones are raised, others stay with a reason.

// RUN: ring-opt %s --ring-raise --verify-diagnostics | FileCheck %s

!t = tensor<1x2x16x8xf32>
!s = tensor<1x2x4x8xf32>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  // CHECK-LABEL: func.func @annotated(
  // CHECK:         ring.attention %{{.+}}, %{{.+}}, %{{.+}} pattern(#ring.documents<ends = [5, 5, 16], causal = true>) scale(5.000000e-01) parallel(<sequence = 1, heads = 0>)
  func.func @annotated(%q: !t, %k: !t, %v: !t) -> !t attributes {ring.parallel = #ring.parallel<sequence = 1, heads = 0>} {
    %0 = "ttcore.composite"(%q, %k, %v) <{composite_name = "packed_scaled_dot_product_attention", decomposition = @body, composite_attributes = {cu_seqlens = array<i64: 0, 5, 5, 16>, is_causal = true, scale = 0.5 : f32}}> : (!t, !t, !t) -> !t
    return %0 : !t
  }

  // CHECK-LABEL: func.func @gathered(
  // CHECK:         ring.attention {{.*}} pattern(#ring.documents<ends = [4, 12]>) parallel(<sequence = 1>) per_device
  func.func @gathered(%q: !s, %k: !s, %v: !s) -> !t {
    %wq = "ttir.all_gather"(%q) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!s) -> !t
    %wk = "ttir.all_gather"(%k) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!s) -> !t
    %wv = "ttir.all_gather"(%v) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!s) -> !t
    %0 = "ttcore.composite"(%wq, %wk, %wv) <{composite_name = "packed_scaled_dot_product_attention", decomposition = @body, composite_attributes = {cu_seqlens = array<i64: 0, 4, 12>}}> : (!t, !t, !t) -> !t
    return %0 : !t
  }

  // CHECK-LABEL: func.func @others(
  // CHECK-COUNT-5: "ttcore.composite"
  // expected-warning @below {{0 attentions raised, though ring.parallel or an option asks for it}}
  func.func @others(%q: !t, %k: !t, %v: !t) -> (!t, !t, !t, !t, !t) attributes {ring.parallel = #ring.parallel<sequence = 1>} {
    // expected-remark @below {{a packed attention without cu_seqlens}}
    // expected-note @below {{left as it is}}
    %0 = "ttcore.composite"(%q, %k, %v) <{composite_name = "packed_scaled_dot_product_attention", decomposition = @body, composite_attributes = {is_causal = true}}> : (!t, !t, !t) -> !t
    // expected-remark @below {{a packed attention whose cu_seqlens do not start with 0}}
    %1 = "ttcore.composite"(%q, %k, %v) <{composite_name = "packed_scaled_dot_product_attention", decomposition = @body, composite_attributes = {cu_seqlens = array<i64: 4, 16>}}> : (!t, !t, !t) -> !t
    // expected-remark @below {{documents that make a pattern that expects ends of documents that do not fall, but got 4 behind 8}}
    %2 = "ttcore.composite"(%q, %k, %v) <{composite_name = "packed_scaled_dot_product_attention", decomposition = @body, composite_attributes = {cu_seqlens = array<i64: 0, 8, 4>}}> : (!t, !t, !t) -> !t
    // expected-remark @below {{documents that end behind the sequence}}
    %3 = "ttcore.composite"(%q, %k, %v) <{composite_name = "packed_scaled_dot_product_attention", decomposition = @body, composite_attributes = {cu_seqlens = array<i64: 0, 17>}}> : (!t, !t, !t) -> !t
    // expected-remark @below {{the parameter window of a packed attention}}
    %4 = "ttcore.composite"(%q, %k, %v) <{composite_name = "packed_scaled_dot_product_attention", decomposition = @body, composite_attributes = {cu_seqlens = array<i64: 0, 16>, window = 3 : i64}}> : (!t, !t, !t) -> !t
    return %0, %1, %2, %3, %4 : !t, !t, !t, !t, !t
  }

  func.func private @body(%q: !t, %k: !t, %v: !t) -> !t {
    return %q : !t
  }
}
