// SPDX-License-Identifier: Apache-2.0
// Composites named dilated_attention: annotated ones and gathered ones are
// raised, others stay with a reason.

// RUN: ring-opt %s --ring-raise --verify-diagnostics | FileCheck %s

!t = tensor<1x2x16x8xf32>
!s = tensor<1x2x4x8xf32>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  // CHECK-LABEL: func.func @annotated(
  // CHECK:         ring.attention %{{.+}}, %{{.+}}, %{{.+}} pattern(#ring.dilated<segments = [4, 16], rates = [1, 2]>) parallel(<sequence = 1, heads = 0>)
  func.func @annotated(%q: !t, %k: !t, %v: !t) -> !t attributes {ring.parallel = #ring.parallel<sequence = 1, heads = 0>} {
    %0 = "ttcore.composite"(%q, %k, %v) <{composite_name = "dilated_attention", decomposition = @body, composite_attributes = {segment_lengths = array<i64: 4, 16>, dilation_rates = array<i64: 1, 2>}}> : (!t, !t, !t) -> !t
    return %0 : !t
  }

  // CHECK-LABEL: func.func @padded(
  // CHECK:         ring.attention {{.*}} pattern(#ring.dilated<segments = [4], rates = [1]>) length(9) parallel(<sequence = 1>)
  func.func @padded(%q: !t, %k: !t, %v: !t) -> !t attributes {ring.parallel = #ring.parallel<sequence = 1>} {
    %0 = "ttcore.composite"(%q, %k, %v) <{composite_name = "dilated_attention", decomposition = @body, composite_attributes = {segment_lengths = array<i64: 4>, dilation_rates = array<i64: 1>, length = 9 : i64}}> : (!t, !t, !t) -> !t
    return %0 : !t
  }

  // CHECK-LABEL: func.func @longer_than_the_sequence(
  // CHECK:         "ttcore.composite"
  // expected-warning @below {{0 attentions raised, though ring.parallel or an option asks for it}}
  func.func @longer_than_the_sequence(%q: !t, %k: !t, %v: !t) -> !t attributes {ring.parallel = #ring.parallel<sequence = 1>} {
    // expected-remark @below {{a length that is none of the sequence's}}
    // expected-note @below {{left as it is}}
    %0 = "ttcore.composite"(%q, %k, %v) <{composite_name = "dilated_attention", decomposition = @body, composite_attributes = {segment_lengths = array<i64: 4>, dilation_rates = array<i64: 1>, length = 17 : i64}}> : (!t, !t, !t) -> !t
    return %0 : !t
  }

  // CHECK-LABEL: func.func @gathered(
  // CHECK:         ring.attention {{.*}} pattern(#ring.dilated<segments = [8], rates = [2], phase = head_mod, causal = true>) parallel(<sequence = 1>) per_device
  func.func @gathered(%q: !s, %k: !s, %v: !s) -> !s {
    %wq = "ttir.all_gather"(%q) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!s) -> !t
    %wk = "ttir.all_gather"(%k) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!s) -> !t
    %wv = "ttir.all_gather"(%v) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!s) -> !t
    %0 = "ttcore.composite"(%wq, %wk, %wv) <{composite_name = "dilated_attention", decomposition = @body, composite_attributes = {segment_lengths = array<i64: 8>, dilation_rates = array<i64: 2>, phase = "head_mod", is_causal = true}}> : (!t, !t, !t) -> !t
    %own = "ttir.mesh_partition"(%0) <{cluster_axis = 1 : ui32, dim = 2 : si32}> : (!t) -> !s
    return %own : !s
  }

  // CHECK-LABEL: func.func @left_alone(
  // CHECK-COUNT-4: "ttcore.composite"
  // expected-warning @below {{0 attentions raised, though ring.parallel or an option asks for it}}
  func.func @left_alone(%q: !t, %k: !t, %v: !t) -> (!t, !t, !t, !t) attributes {ring.parallel = #ring.parallel<sequence = 1>} {
    // expected-remark @below {{an unknown parameter window}}
    // expected-note @below {{left as it is}}
    %0 = "ttcore.composite"(%q, %k, %v) <{composite_name = "dilated_attention", decomposition = @body, composite_attributes = {segment_lengths = array<i64: 4>, dilation_rates = array<i64: 1>, window = 3 : i64}}> : (!t, !t, !t) -> !t
    // expected-remark @below {{an unknown phase 'diagonal'}}
    %1 = "ttcore.composite"(%q, %k, %v) <{composite_name = "dilated_attention", decomposition = @body, composite_attributes = {segment_lengths = array<i64: 4>, dilation_rates = array<i64: 1>, phase = "diagonal"}}> : (!t, !t, !t) -> !t
    // expected-remark @below {{segments that do not fit the sequence}}
    %2 = "ttcore.composite"(%q, %k, %v) <{composite_name = "dilated_attention", decomposition = @body, composite_attributes = {segment_lengths = array<i64: 6>, dilation_rates = array<i64: 1>}}> : (!t, !t, !t) -> !t
    // expected-remark @below {{a pattern that expects a segment of 1 to 1099511627776 and a rate of 1 to the segment, but got segment 4 and rate 5}}
    %3 = "ttcore.composite"(%q, %k, %v) <{composite_name = "dilated_attention", decomposition = @body, composite_attributes = {segment_lengths = array<i64: 4>, dilation_rates = array<i64: 5>}}> : (!t, !t, !t) -> !t
    return %0, %1, %2, %3 : !t, !t, !t, !t
  }

  // The decomposition stays as long as somebody needs it.
  // CHECK: func.func private @body(
  func.func private @body(%q: !t, %k: !t, %v: !t) -> !t {
    return %q : !t
  }
}
