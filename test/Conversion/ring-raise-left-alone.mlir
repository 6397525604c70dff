// SPDX-License-Identifier: Apache-2.0
// What ring-raise does not recognise stays as it is, op for op, with a remark
// that says why.

// RUN: ring-opt %s --ring-raise --split-input-file --verify-diagnostics -o /dev/null
// RUN: ring-opt %s --ring-raise --split-input-file 2>/dev/null > %t.raised
// RUN: ring-opt %s --split-input-file > %t.same
// RUN: diff %t.same %t.raised

!t = tensor<1x2x64x16xbf16>

func.func @not_annotated(%q: !t) -> !t {
  // expected-remark @below {{left as it is: its sequence is neither gathered nor annotated with ring.parallel}}
  %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!t, !t, !t) -> !t
  return %0 : !t
}

// -----

!local = tensor<1x2x64x16xbf16>
!whole = tensor<1x2x256x16xbf16>

// Only the keys are gathered, the values were whole before.
func.func @half_gathered(%k: !local, %whole: !whole) -> !whole {
  %0 = "ttir.all_gather"(%k) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!local) -> !whole
  // expected-remark @below {{neither gathered nor annotated}}
  %1 = "ttir.scaled_dot_product_attention"(%whole, %0, %whole) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!whole, !whole, !whole) -> !whole
  return %1 : !whole
}

// -----

!local = tensor<1x2x64x16xbf16>
!whole = tensor<1x2x256x16xbf16>

// The queries are all there, on every device, and so are their positions.
func.func @whole_queries(%k: !local, %q: !whole) -> !whole {
  %0 = "ttir.all_gather"(%k) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!local) -> !whole
  // expected-remark @below {{left as it is: gathered keys beside queries that are all there}}
  %1 = "ttir.scaled_dot_product_attention"(%q, %0, %0) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!whole, !whole, !whole) -> !whole
  return %1 : !whole
}

// -----

!local = tensor<2x64x16xbf16>
!gathered = tensor<2x256x16xbf16>
!whole = tensor<1x2x256x16xbf16>

// Gathers of the batch or of heads are not those of a sequence.
func.func @other_gathers(%h: tensor<1x1x256x16xbf16>) -> !whole {
  %0 = "ttir.all_gather"(%h) <{all_gather_dim = 1 : si32, cluster_axis = 1 : ui32}> : (tensor<1x1x256x16xbf16>) -> !whole
  // expected-remark @below {{neither gathered nor annotated}}
  %1 = "ttir.scaled_dot_product_attention"(%0, %0, %0) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!whole, !whole, !whole) -> !whole
  return %1 : !whole
}

// A reshape after which rows of one head follow those of another takes them
// from where they were gathered.
func.func @rows_of_several_heads(%k: !local, %q: !whole) -> !whole {
  %0 = "ttir.all_gather"(%k) <{all_gather_dim = 1 : si32, cluster_axis = 1 : ui32}> : (!local) -> !gathered
  %1 = "ttir.reshape"(%0) <{shape = [512 : i32, 16 : i32]}> : (!gathered) -> tensor<512x16xbf16>
  %2 = "ttir.reshape"(%1) <{shape = [1 : i32, 2 : i32, 256 : i32, 16 : i32]}> : (tensor<512x16xbf16>) -> !whole
  // expected-remark @below {{left as it is: ttir.reshape between an all_gather and the attention}}
  %3 = "ttir.scaled_dot_product_attention"(%q, %2, %2) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!whole, !whole, !whole) -> !whole
  return %3 : !whole
}

// -----

!q = tensor<1x2x4x16xbf16>
!cache = tensor<2x2x64x16xbf16>
!pages = tensor<8x2x32x16xbf16>

func.func @decode_without_annotation(%q: !q, %k: !cache, %p: tensor<2xi32>) -> !q {
  // expected-remark @below {{left as it is: its sequence is neither gathered nor annotated with ring.parallel}}
  %0 = "ttir.scaled_dot_product_attention_decode"(%q, %k, %k, %p) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0>}> : (!q, !cache, !cache, tensor<2xi32>) -> !q
  return %0 : !q
}

func.func @position_outside(%q: !q, %k: !cache) -> !q {
  %p = "ttir.constant"() <{value = dense<64> : tensor<2xi32>}> : () -> tensor<2xi32>
  // expected-remark @below {{left as it is: a position outside the cache}}
  // expected-warning @below {{0 attentions raised, though ring.parallel or an option asks for it}}
  %0 = "ttir.scaled_dot_product_attention_decode"(%q, %k, %k, %p) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0>}> {ring.parallel = #ring.parallel<sequence = 0>} : (!q, !cache, !cache, tensor<2xi32>) -> !q
  return %0 : !q
}

func.func @mask_over_pages(%q: !q, %k: !pages, %t: tensor<2x3xi32>, %m: tensor<2x1x4x96xbf16>) -> !q {
  %out = ttir.empty() : !q
  // expected-remark @below {{left as it is: a mask over pages}}
  // expected-warning @below {{0 attentions raised, though ring.parallel or an option asks for it}}
  %0 = "ttir.paged_scaled_dot_product_attention_decode"(%q, %k, %k, %t, %out, %m) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0>}> {ring.parallel = #ring.parallel<sequence = 0>} : (!q, !pages, !pages, tensor<2x3xi32>, !q, tensor<2x1x4x96xbf16>) -> !q
  return %0 : !q
}

// -----

!t = tensor<1x2x64x16xbf16>
!j = tensor<1x2x8x16xbf16>

// A composite whose parameters say more than we can honour.
func.func @unknown_parameter(%q: !t, %j: !j) -> !t {
  // expected-remark @below {{left as it is: the parameter joint_strategy of a joint attention}}
  // expected-warning @below {{0 attentions raised, though ring.parallel or an option asks for it}}
  %0:2 = "ttcore.composite"(%q, %q, %q, %j, %j, %j) <{composite_attributes = {joint_strategy = "front"}, composite_name = "joint_scaled_dot_product_attention", decomposition = @meaning}> {ring.parallel = #ring.parallel<sequence = 0>} : (!t, !t, !t, !j, !j, !j) -> (!t, !j)
  return %0#0 : !t
}
func.func private @meaning(%q: !t, %k: !t, %v: !t, %jq: !j, %jk: !j, %jv: !j) -> (!t, !j) {
  return %q, %jq : !t, !j
}

// -----

!rows = tensor<1x2x32x16xbf16>
!heads = tensor<1x1x64x16xbf16>
#groups = dense<[[0, 1]]> : tensor<1x2xi64>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x2>]>} {
  func.func @only_queries_traded(%q: !rows, %k: !heads) -> !rows {
    %0 = "ttir.all_to_all"(%q) <{concat_dim = 2 : si32, replica_groups = #groups, split_count = 2 : si32, split_dim = 1 : si32}> : (!rows) -> !heads
    // expected-remark @below {{left as it is: only some of query, key and value are traded for heads}}
    %1 = "ttir.scaled_dot_product_attention"(%0, %k, %k) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!heads, !heads, !heads) -> !heads
    %2 = "ttir.all_to_all"(%1) <{concat_dim = 1 : si32, replica_groups = #groups, split_count = 2 : si32, split_dim = 2 : si32}> : (!heads) -> !rows
    return %2 : !rows
  }
}

// -----

!rows = tensor<1x2x32x16xbf16>
!heads = tensor<1x1x64x16xbf16>

// Groups that are no line of the mesh: 0 and 1 are not on one axis of size 2.
#groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  func.func @other_groups(%q: !rows) -> !rows {
    %0 = "ttir.all_to_all"(%q) <{concat_dim = 2 : si32, replica_groups = #groups, split_count = 2 : si32, split_dim = 1 : si32}> : (!rows) -> !heads
    // expected-remark @below {{neither gathered nor annotated}}
    %1 = "ttir.scaled_dot_product_attention"(%0, %0, %0) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!heads, !heads, !heads) -> !heads
    %2 = "ttir.all_to_all"(%1) <{concat_dim = 1 : si32, replica_groups = #groups, split_count = 2 : si32, split_dim = 2 : si32}> : (!heads) -> !rows
    return %2 : !rows
  }
}

// -----

!rows = tensor<1x2x32x16xbf16>
!heads = tensor<1x1x64x16xbf16>

// Nor are they of a mesh that no plan has room for.
#groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 2147483648x2>]>} {
  func.func @other_mesh(%q: !rows) -> !rows {
    %0 = "ttir.all_to_all"(%q) <{concat_dim = 2 : si32, replica_groups = #groups, split_count = 2 : si32, split_dim = 1 : si32}> : (!rows) -> !heads
    // expected-remark @below {{neither gathered nor annotated}}
    %1 = "ttir.scaled_dot_product_attention"(%0, %0, %0) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!heads, !heads, !heads) -> !heads
    %2 = "ttir.all_to_all"(%1) <{concat_dim = 1 : si32, replica_groups = #groups, split_count = 2 : si32, split_dim = 2 : si32}> : (!heads) -> !rows
    return %2 : !rows
  }
}

// -----

!t = tensor<1x2x64x16xbf16>
!m = tensor<1x1x64x64xbf16>

// expected-warning @below {{0 attentions raised, though ring.parallel or an option asks for it}}
module attributes {ring.parallel = #ring.parallel<sequence = 0>} {
  func.func @window_of_both_sides(%q: !t) -> !t {
    // expected-remark @below {{left as it is: a sliding window without is_causal}}
    // expected-note @below {{left as it is}}
    %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q) <{is_causal = false, sliding_window_size = 16 : ui32, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!t, !t, !t) -> !t
    return %0 : !t
  }

  func.func @empty_window(%q: !t) -> !t {
    // expected-remark @below {{left as it is: a sliding window of size 0}}
    %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q) <{is_causal = true, sliding_window_size = 0 : ui32, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!t, !t, !t) -> !t
    return %0 : !t
  }

  func.func @dropout(%q: !t) -> !t {
    // expected-remark @below {{left as it is: a dropout probability other than 0}}
    %0 = "ttir.sdpa_fw"(%q, %q, %q) <{mask_type = #ttcore.attention_mask_type<causal>, dropout_probability = 0.1 : f32, return_intermediates = false}> : (!t, !t, !t) -> !t
    return %0 : !t
  }

  func.func @dynamic(%q: tensor<1x2x?x16xbf16>) -> tensor<1x2x?x16xbf16> {
    // expected-remark @below {{left as it is: dynamic shapes}}
    %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (tensor<1x2x?x16xbf16>, tensor<1x2x?x16xbf16>, tensor<1x2x?x16xbf16>) -> tensor<1x2x?x16xbf16>
    return %0 : tensor<1x2x?x16xbf16>
  }
}

// -----

!t = tensor<1x2x64x16xbf16>
!m = tensor<1x1x64x64xbf16>

// An attention that is left alone costs no op: its mask is not converted either.
func.func @masked_forward(%q: !t, %m: !m) -> !t {
  // expected-remark @below {{neither gathered nor annotated}}
  %0 = "ttir.sdpa_fw"(%q, %q, %q, %m) <{mask_type = #ttcore.attention_mask_type<arbitrary>, dropout_probability = 0.0 : f32, return_intermediates = false}> : (!t, !t, !t, !m) -> !t
  return %0 : !t
}

// -----

// Forms of attention that its op allows and a ring does not.
module attributes {ring.parallel = #ring.parallel<sequence = 1>} { // expected-warning {{0 attentions raised}}
  func.func @no_batch(%q: tensor<2x64x16xbf16>) -> tensor<2x64x16xbf16> {
    // expected-remark @below {{left as it is: tensors that are not 4-D}}
    // expected-note @below {{left as it is: tensors that are not 4-D}}
    %0 = "ttir.sdpa_fw"(%q, %q, %q) <{mask_type = #ttcore.attention_mask_type<causal>, dropout_probability = 0.0 : f32, return_intermediates = false}> : (tensor<2x64x16xbf16>, tensor<2x64x16xbf16>, tensor<2x64x16xbf16>) -> tensor<2x64x16xbf16>
    return %0 : tensor<2x64x16xbf16>
  }
  func.func @flat_mask(%q: tensor<1x2x64x16xbf16>, %m: tensor<64x64xbf16>) -> tensor<1x2x64x16xbf16> {
    // expected-remark @below {{left as it is: tensors that are not 4-D}}
    %0 = "ttir.sdpa_fw"(%q, %q, %q, %m) <{mask_type = #ttcore.attention_mask_type<arbitrary>, dropout_probability = 0.0 : f32, return_intermediates = false}> : (tensor<1x2x64x16xbf16>, tensor<1x2x64x16xbf16>, tensor<1x2x64x16xbf16>, tensor<64x64xbf16>) -> tensor<1x2x64x16xbf16>
    return %0 : tensor<1x2x64x16xbf16>
  }
  func.func @no_tokens(%q: tensor<1x2x0x16xbf16>) -> tensor<1x2x0x16xbf16> {
    // expected-remark @below {{left as it is: an empty tensor}}
    %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (tensor<1x2x0x16xbf16>, tensor<1x2x0x16xbf16>, tensor<1x2x0x16xbf16>) -> tensor<1x2x0x16xbf16>
    return %0 : tensor<1x2x0x16xbf16>
  }
  func.func @no_cache(%q: tensor<1x2x4x16xbf16>, %k: tensor<2x2x0x16xbf16>, %p: tensor<2xi32>) -> tensor<1x2x4x16xbf16> {
    // expected-remark @below {{left as it is: dynamic or empty shapes}}
    %0 = "ttir.scaled_dot_product_attention_decode"(%q, %k, %k, %p) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0>}> : (tensor<1x2x4x16xbf16>, tensor<2x2x0x16xbf16>, tensor<2x2x0x16xbf16>, tensor<2xi32>) -> tensor<1x2x4x16xbf16>
    return %0 : tensor<1x2x4x16xbf16>
  }
  func.func @sink(%q: tensor<1x2x64x16xbf16>, %s: tensor<1x2x64x1xbf16>) -> tensor<1x2x64x16xbf16> {
    // expected-remark @below {{left as it is: a sink that is not one logit for each head}}
    %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q, %s) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>}> : (tensor<1x2x64x16xbf16>, tensor<1x2x64x16xbf16>, tensor<1x2x64x16xbf16>, tensor<1x2x64x1xbf16>) -> tensor<1x2x64x16xbf16>
    return %0 : tensor<1x2x64x16xbf16>
  }
  func.func @wider_output(%q: tensor<1x2x64x16xbf16>) -> tensor<1x2x64x16xf32> {
    // expected-remark @below {{left as it is: an output of another type than the query}}
    %0 = "ttir.sdpa_fw"(%q, %q, %q) <{mask_type = #ttcore.attention_mask_type<causal>, dropout_probability = 0.0 : f32, return_intermediates = false}> : (tensor<1x2x64x16xbf16>, tensor<1x2x64x16xbf16>, tensor<1x2x64x16xbf16>) -> tensor<1x2x64x16xf32>
    return %0 : tensor<1x2x64x16xf32>
  }
}

// -----

// Nothing to raise, and asked for: said once, for the outermost that asks.
// expected-warning @below {{ring-raise: 0 attentions raised, no attention op and no softmax between two products in 4 ops}}
module attributes {ring.parallel = #ring.parallel<sequence = 1>} {
  func.func @classes(%x: tensor<4x8xbf16>) -> tensor<4x8xbf16> attributes {ring.parallel = #ring.parallel<sequence = 1>} {
    %0 = "ttir.softmax"(%x) <{dimension = 1 : si32}> : (tensor<4x8xbf16>) -> tensor<4x8xbf16>
    return %0 : tensor<4x8xbf16>
  }
}
