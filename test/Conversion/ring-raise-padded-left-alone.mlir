// SPDX-License-Identifier: Apache-2.0
// Gathered keys that no shard can be: each attention stays as it is, op for op,
// with a remark that says why.

// RUN: ring-opt %s --ring-raise --split-input-file --verify-diagnostics -o /dev/null
// RUN: ring-opt %s --ring-raise --split-input-file 2>/dev/null > %t.raised
// RUN: ring-opt %s --split-input-file > %t.same
// RUN: diff %t.same %t.raised

!q = tensor<1x4x64x16xbf16>
!whole = tensor<1x4x256x16xbf16>
!half = tensor<1x4x128x16xbf16>

func.func @last_rows(%q: !q, %k: !q) -> !q {
  %0 = "ttir.all_gather"(%k) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!q) -> !whole
  %1 = "ttir.slice_static"(%0) <{begins = [0 : i32, 0 : i32, 128 : i32, 0 : i32], ends = [1 : i32, 4 : i32, 256 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!whole) -> !half
  // expected-remark @below {{left as it is: a slice of gathered rows that are not the first}}
  %2 = "ttir.scaled_dot_product_attention"(%q, %1, %1) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!q, !half, !half) -> !q
  return %2 : !q
}

func.func @every_second_row(%q: !q, %k: !q) -> !q {
  %0 = "ttir.all_gather"(%k) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!q) -> !whole
  %1 = "ttir.slice_static"(%0) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 4 : i32, 256 : i32, 16 : i32], step = [1 : i32, 1 : i32, 2 : i32, 1 : i32]}> : (!whole) -> !half
  // expected-remark @below {{left as it is: a slice of gathered rows that are not the first}}
  %2 = "ttir.scaled_dot_product_attention"(%q, %1, %1) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!q, !half, !half) -> !q
  return %2 : !q
}

func.func @normed_behind_the_gather(%q: !q, %k: !q) -> !q {
  %0 = "ttir.all_gather"(%k) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!q) -> !whole
  %1 = "ttir.rms_norm"(%0) <{epsilon = 1.0e-06 : f32, normalized_shape = array<i64: 16>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (!whole) -> !whole
  // expected-remark @below {{left as it is: ttir.rms_norm between an all_gather and the attention}}
  %2 = "ttir.scaled_dot_product_attention"(%q, %1, %1) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!q, !whole, !whole) -> !q
  return %2 : !q
}

// Text behind the video: more keys than any shard has.
func.func @keys_behind_gathered_ones(%q: !q, %k: !q, %text: !q) -> !q {
  %0 = "ttir.all_gather"(%k) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!q) -> !whole
  %1 = "ttir.concat"(%0, %text) <{dim = 2 : si32}> : (!whole, !q) -> tensor<1x4x320x16xbf16>
  // expected-remark @below {{left as it is: ttir.concat between an all_gather and the attention}}
  %2 = "ttir.scaled_dot_product_attention"(%q, %1, %1) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!q, tensor<1x4x320x16xbf16>, tensor<1x4x320x16xbf16>) -> !q
  return %2 : !q
}

func.func @keys_and_values_of_other_shards(%q: !q, %k: !q, %v: !half) -> !q {
  %0 = "ttir.all_gather"(%k) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!q) -> !whole
  %1 = "ttir.all_gather"(%v) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!half) -> tensor<1x4x512x16xbf16>
  %2 = "ttir.slice_static"(%0) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 4 : i32, 128 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!whole) -> !half
  %3 = "ttir.slice_static"(%1) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 4 : i32, 128 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x4x512x16xbf16>) -> !half
  // expected-remark @below {{left as it is: keys and values that are gathered from shards of different sizes}}
  %4 = "ttir.scaled_dot_product_attention"(%q, %2, %3) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!q, !half, !half) -> !q
  return %4 : !q
}

// Gradients are of all rows.
func.func @gradients_of_cut_rows(%x: !q, %s: tensor<1x4x128x32xf32>) -> !half {
  %0 = "ttir.all_gather"(%x) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!q) -> !whole
  %1 = "ttir.slice_static"(%0) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 4 : i32, 128 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!whole) -> !half
  // expected-remark @below {{left as it is: its sequence is neither gathered nor annotated}}
  %2, %3, %4 = "ttir.sdpa_bw"(%1, %1, %1, %1, %1, %s) <{mask_type = #ttcore.attention_mask_type<causal>, dropout_probability = 0.0 : f32}> : (!half, !half, !half, !half, !half, tensor<1x4x128x32xf32>) -> (!half, !half, !half)
  return %2 : !half
}

// -----

!q = tensor<1x4x64x16xbf16>
!text = tensor<1x4x512x16xbf16>
!whole = tensor<1x4x256x16xbf16>

// Cross attention beside a ring: every device has its own queries and all keys of
// the text. An annotation of the module speaks of whole tensors.
// expected-warning @below {{0 attentions raised, though ring.parallel or an option asks for it}}
module attributes {ring.parallel = #ring.parallel<sequence = 1>} {
  func.func @local_queries(%q: !q, %text: !text) -> !whole {
    // expected-remark @below {{left as it is: its tensors are one device's own, and no sequence of them is gathered}}
    // expected-note @below {{one device's own}}
    %0 = "ttir.scaled_dot_product_attention"(%q, %text, %text) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!q, !text, !text) -> !q
    %1 = "ttir.all_gather"(%0) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!q) -> !whole
    return %1 : !whole
  }

  func.func @presharded(%q: !q {ttcore.shard_status = #ttcore.shard_status<presharded>}, %text: !text) -> !q {
    // expected-remark @below {{one device's own}}
    %0 = "ttir.scaled_dot_product_attention"(%q, %text, %text) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!q, !text, !text) -> !q
    return %0 : !q
  }

  func.func @behind_a_shard(%x: !whole, %text: !text) -> !whole {
    %0 = "ttir.mesh_shard"(%x) <{shard_dims = array<i64: -1, 2>, shard_direction = #ttcore.shard_direction<full_to_shard>, shard_shape = array<i64: 1, 1, 4, 1>, shard_type = #ttcore.shard_type<devices>}> : (!whole) -> !q
    // expected-remark @below {{one device's own}}
    %1 = "ttir.scaled_dot_product_attention"(%0, %text, %text) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!q, !text, !text) -> !q
    %2 = "ttir.mesh_shard"(%1) <{shard_dims = array<i64: -1, 2>, shard_direction = #ttcore.shard_direction<shard_to_full>, shard_shape = array<i64: 1, 1, 4, 1>, shard_type = #ttcore.shard_type<devices>}> : (!q) -> !whole
    return %2 : !whole
  }
}

// -----

// Spelled out and not readable, behind a gather: said too, though nothing asks.
!t = tensor<2x4x6x16xf32>
!s = tensor<2x4x6x24xf32>
!whole = tensor<2x4x24x16xf32>

func.func @capped(%q: !t, %k: !t) -> !t {
  %0 = "ttir.all_gather"(%k) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!t) -> !whole
  %1 = "ttir.matmul"(%q, %0) <{transpose_b = true}> : (!t, !whole) -> !s
  %2 = "ttir.tanh"(%1) : (!s) -> !s
  // expected-remark @below {{left as it is: ttir.tanh between the first product and the softmax}}
  %3 = "ttir.softmax"(%2) <{dimension = -1 : si32}> : (!s) -> !s
  %4 = "ttir.matmul"(%3, %0) : (!s, !whole) -> !t
  return %4 : !t
}

// Keys alone are gathered, the values were whole before.
func.func @half_gathered(%q: !t, %k: !t, %v: !whole) -> !t {
  %0 = "ttir.all_gather"(%k) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!t) -> !whole
  %1 = "ttir.matmul"(%q, %0) <{transpose_b = true}> : (!t, !whole) -> !s
  %2 = "ttir.softmax"(%1) <{dimension = -1 : si32}> : (!s) -> !s
  // expected-remark @below {{left as it is: its sequence is neither gathered nor annotated}}
  %3 = "ttir.matmul"(%2, %v) : (!s, !whole) -> !t
  return %3 : !t
}
