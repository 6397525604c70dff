// SPDX-License-Identifier: Apache-2.0
// The four ways in which a sequence-parallel attention reaches us become
// ring.attention, and nothing of what was said about it is lost.

// RUN: ring-opt %s --ring-raise --split-input-file --verify-roundtrip 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=QUIET --allow-empty --input-file=%t
// QUIET-NOT: remark

!local = tensor<1x4x64x16xbf16>
!localKv = tensor<1x2x64x16xbf16>
!whole = tensor<1x4x256x16xbf16>
!wholeKv = tensor<1x2x256x16xbf16>

// P1: everything is gathered. The gathers stay what the attention is made from,
// and the piece that the device takes of the result stays its user.

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  // CHECK-LABEL: func.func @p1(
  // CHECK-SAME: %[[Q:.+]]: tensor<1x4x64x16xbf16>, %[[K:.+]]: tensor<1x2x64x16xbf16>, %[[V:.+]]: tensor
  func.func @p1(%q: !local, %k: !localKv, %v: !localKv) -> !local {
    // CHECK-DAG: %[[WQ:.+]] = "ttir.all_gather"(%[[Q]])
    // CHECK-DAG: %[[WK:.+]] = "ttir.all_gather"(%[[K]])
    // CHECK-DAG: %[[WV:.+]] = "ttir.all_gather"(%[[V]])
    // CHECK: %[[OUT:.+]] = ring.attention %[[WQ]], %[[WK]], %[[WV]] pattern(#ring.causal) scale(2.500000e-01) parallel(<sequence = 1>) per_device
    // CHECK-NOT: scaled_dot_product_attention
    // CHECK: %[[OWN:.+]] = "ttir.mesh_partition"(%[[OUT]]) <{cluster_axis = 1 : ui32, dim = 2 : si32}>
    // CHECK: return %[[OWN]]
    %0 = "ttir.all_gather"(%q) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!local) -> !whole
    %1 = "ttir.all_gather"(%k) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!localKv) -> !wholeKv
    %2 = "ttir.all_gather"(%v) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!localKv) -> !wholeKv
    %3 = "ttir.scaled_dot_product_attention"(%0, %1, %2) <{is_causal = true, scale = 2.5e-01 : f32, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!whole, !wholeKv, !wholeKv) -> !whole
    %4 = "ttir.mesh_partition"(%3) <{cluster_axis = 1 : ui32, dim = 2 : si32}> : (!whole) -> !local
    return %4 : !local
  }

  // A gather that somebody else reads stays for them, and is not made twice.
  // CHECK-LABEL: func.func @other_users_keep_their_gather(
  // CHECK-SAME: %[[Q:.+]]: tensor<1x4x64x16xbf16>, %[[K:.+]]: tensor<1x2x64x16xbf16>
  func.func @other_users_keep_their_gather(%q: !local, %k: !localKv) -> (!whole, !wholeKv) {
    // CHECK-COUNT-2: "ttir.all_gather"
    // CHECK-NOT: "ttir.all_gather"
    // CHECK: %[[OUT:.+]] = ring.attention %{{.+}}, %[[WK:[0-9a-z_]+]], %[[WK]] parallel
    // CHECK: return %[[OUT]], %[[WK]]
    %0 = "ttir.all_gather"(%q) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!local) -> !whole
    %1 = "ttir.all_gather"(%k) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!localKv) -> !wholeKv
    %2 = "ttir.scaled_dot_product_attention"(%0, %1, %1) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!whole, !wholeKv, !wholeKv) -> !whole
    return %2, %1 : !whole, !wholeKv
  }
}

// -----

// P1 in 3-D: the batch of 1 is added behind the gathers, by a reshape or an
// unsqueeze. The shards get it instead, and are gathered in 4-D.

!local = tensor<4x64x16xf32>
!gathered = tensor<4x256x16xf32>
!whole = tensor<1x4x256x16xf32>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 4x1>]>} {
  // CHECK-LABEL: func.func @p1_without_batch(
  // CHECK-SAME: %[[Q:.+]]: tensor<4x64x16xf32>, %[[K:.+]]: tensor<4x64x16xf32>, %[[V:.+]]: tensor
  func.func @p1_without_batch(%q: !local, %k: !local, %v: !local) -> !whole {
    // CHECK-DAG: %[[Q4:.+]] = "ttir.reshape"(%[[Q]]) {{.+}} -> tensor<1x4x64x16xf32>
    // CHECK-DAG: %[[WQ:.+]] = "ttir.all_gather"(%[[Q4]]) <{all_gather_dim = 2 : si32, cluster_axis = 0 : ui32}> : {{.+}} -> tensor<1x4x256x16xf32>
    // CHECK-DAG: %[[K4:.+]] = "ttir.reshape"(%[[K]])
    // CHECK-DAG: %[[WK:.+]] = "ttir.all_gather"(%[[K4]])
    // CHECK-DAG: %[[V4:.+]] = "ttir.reshape"(%[[V]])
    // CHECK-DAG: %[[WV:.+]] = "ttir.all_gather"(%[[V4]])
    // CHECK: ring.attention %[[WQ]], %[[WK]], %[[WV]] parallel(<sequence = 0>) per_device
    // CHECK-NOT: ttir.
    %0 = "ttir.all_gather"(%q) <{all_gather_dim = 1 : si32, cluster_axis = 0 : ui32}> : (!local) -> !gathered
    %1 = "ttir.all_gather"(%k) <{all_gather_dim = 1 : si32, cluster_axis = 0 : ui32}> : (!local) -> !gathered
    %2 = "ttir.all_gather"(%v) <{all_gather_dim = 1 : si32, cluster_axis = 0 : ui32}> : (!local) -> !gathered
    %3 = "ttir.reshape"(%0) <{shape = [1 : i32, 4 : i32, 256 : i32, 16 : i32]}> : (!gathered) -> !whole
    %4 = "ttir.unsqueeze"(%1) <{dim = 0 : si32}> : (!gathered) -> !whole
    %5 = "ttir.reshape"(%2) <{shape = [1 : i32, 4 : i32, 256 : i32, 16 : i32]}> : (!gathered) -> !whole
    %6 = "ttir.scaled_dot_product_attention"(%3, %4, %5) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!whole, !whole, !whole) -> !whole
    return %6 : !whole
  }
}

// -----

// P2: rows traded for heads and back again. The attention is on all heads, and
// the device keeps its own rows of the result.

!rows = tensor<1x8x32x16xbf16>
!rowsKv = tensor<1x4x32x16xbf16>
!heads = tensor<1x2x128x16xbf16>
!headsKv = tensor<1x1x128x16xbf16>
#groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 2x4>]>} {
  // CHECK-LABEL: func.func @p2(
  // CHECK-SAME: %[[Q:.+]]: tensor<1x8x32x16xbf16>, %[[K:.+]]: tensor<1x4x32x16xbf16>, %[[V:.+]]: tensor
  func.func @p2(%q: !rows, %k: !rowsKv, %v: !rowsKv) -> !rows {
    // CHECK-DAG: %[[WQ:.+]] = "ttir.all_gather"(%[[Q]]) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : {{.+}} -> tensor<1x8x128x16xbf16>
    // CHECK-DAG: %[[WK:.+]] = "ttir.all_gather"(%[[K]]) {{.+}} -> tensor<1x4x128x16xbf16>
    // CHECK-DAG: %[[WV:.+]] = "ttir.all_gather"(%[[V]])
    // CHECK: %[[OUT:.+]] = ring.attention %[[WQ]], %[[WK]], %[[WV]] pattern(#ring.window<before = 63, after = 0>) parallel(<sequence = 1>) per_device
    // CHECK: %[[OWN:.+]] = "ttir.mesh_partition"(%[[OUT]]) <{cluster_axis = 1 : ui32, dim = 2 : si32}> : {{.+}} -> tensor<1x8x32x16xbf16>
    // CHECK-NOT: ttir.all_to_all
    // CHECK: return %[[OWN]]
    %0 = "ttir.all_to_all"(%q) <{concat_dim = 2 : si32, replica_groups = #groups, split_count = 4 : si32, split_dim = 1 : si32}> : (!rows) -> !heads
    %1 = "ttir.all_to_all"(%k) <{concat_dim = 2 : si32, replica_groups = #groups, split_count = 4 : si32, split_dim = 1 : si32}> : (!rowsKv) -> !headsKv
    %2 = "ttir.all_to_all"(%v) <{concat_dim = 2 : si32, replica_groups = #groups, split_count = 4 : si32, split_dim = 1 : si32}> : (!rowsKv) -> !headsKv
    %3 = "ttir.scaled_dot_product_attention"(%0, %1, %2) <{is_causal = true, sliding_window_size = 64 : ui32, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!heads, !headsKv, !headsKv) -> !heads
    %4 = "ttir.all_to_all"(%3) <{concat_dim = 1 : si32, replica_groups = #groups, split_count = 4 : si32, split_dim = 2 : si32}> : (!heads) -> !rows
    return %4 : !rows
  }
}

// -----

// The same trade along axis 0 of the mesh: every other device is of one group.

!rows = tensor<1x2x32x16xbf16>
!heads = tensor<1x1x64x16xbf16>
#groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 2x2>]>} {
  // CHECK-LABEL: func.func @p2_on_axis_0(
  func.func @p2_on_axis_0(%q: !rows, %k: !rows, %v: !rows) -> !rows {
    // CHECK: ring.attention {{.+}} parallel(<sequence = 0>) per_device
    %0 = "ttir.all_to_all"(%q) <{concat_dim = 2 : si32, replica_groups = #groups, split_count = 2 : si32, split_dim = 1 : si32}> : (!rows) -> !heads
    %1 = "ttir.all_to_all"(%k) <{concat_dim = 2 : si32, replica_groups = #groups, split_count = 2 : si32, split_dim = 1 : si32}> : (!rows) -> !heads
    %2 = "ttir.all_to_all"(%v) <{concat_dim = 2 : si32, replica_groups = #groups, split_count = 2 : si32, split_dim = 1 : si32}> : (!rows) -> !heads
    %3 = "ttir.scaled_dot_product_attention"(%0, %1, %2) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!heads, !heads, !heads) -> !heads
    %4 = "ttir.all_to_all"(%3) <{concat_dim = 1 : si32, replica_groups = #groups, split_count = 2 : si32, split_dim = 2 : si32}> : (!heads) -> !rows
    return %4 : !rows
  }
}

// -----

// P3: the queries are this device's own. They are gathered, never taken for the
// keys, and the device keeps its rows of the result.

!local = tensor<1x4x32x16xf32>
!whole = tensor<1x4x128x16xf32>
!mask = tensor<1x1x32x128xf32>
!row = tensor<1x4x1x128xf32>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  // CHECK-LABEL: func.func @p3(
  // CHECK-SAME: %[[Q:.+]]: tensor<1x4x32x16xf32>, %[[K:.+]]: tensor<1x4x32x16xf32>, %[[V:.+]]: tensor<1x4x32x16xf32>, %[[M:.+]]: tensor
  func.func @p3(%q: !local, %k: !local, %v: !local, %m: !mask) -> !local {
    // CHECK-DAG: %[[WQ:.+]] = "ttir.all_gather"(%[[Q]]) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : {{.+}} -> tensor<1x4x128x16xf32>
    // CHECK-DAG: %[[WK:.+]] = "ttir.all_gather"(%[[K]])
    // CHECK-DAG: %[[WV:.+]] = "ttir.all_gather"(%[[V]])
    // CHECK-DAG: %[[WM:.+]] = "ttir.all_gather"(%[[M]]) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : {{.+}} -> tensor<1x1x128x128xf32>
    // CHECK: %[[OUT:.+]] = ring.attention %[[WQ]], %[[WK]], %[[WV]] mask(%[[WM]] : tensor<1x1x128x128xf32>) parallel(<sequence = 1>) per_device
    // CHECK: %[[OWN:.+]] = "ttir.mesh_partition"(%[[OUT]]) <{cluster_axis = 1 : ui32, dim = 2 : si32}>
    // CHECK: return %[[OWN]]
    %0 = "ttir.all_gather"(%k) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!local) -> !whole
    %1 = "ttir.all_gather"(%v) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!local) -> !whole
    %2 = "ttir.scaled_dot_product_attention"(%q, %0, %1, %m) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (!local, !whole, !whole, !mask) -> !local
    return %2 : !local
  }

  // One row of a mask serves all queries of a device, but maybe not all devices.
  // CHECK-LABEL: func.func @p3_with_one_row(
  // CHECK-SAME: %[[ROW:[a-z0-9]+]]: tensor<1x4x1x128xf32>)
  func.func @p3_with_one_row(%q: !local, %k: !local, %v: !local, %row: !row) -> !local {
    // CHECK: %[[ROWS:.+]] = "ttir.broadcast"(%[[ROW]]) {{.+}} -> tensor<1x4x32x128xf32>
    // CHECK: %[[WM:.+]] = "ttir.all_gather"(%[[ROWS]]) {{.+}} -> tensor<1x4x128x128xf32>
    // CHECK: ring.attention {{.+}} mask(%[[WM]]
    %0 = "ttir.all_gather"(%k) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!local) -> !whole
    %1 = "ttir.all_gather"(%v) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!local) -> !whole
    %2 = "ttir.scaled_dot_product_attention"(%q, %0, %1, %row) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (!local, !whole, !whole, !row) -> !local
    return %2 : !local
  }

  // Queries of another sequence: 8 rows a device against 32 of the keys.
  // CHECK-LABEL: func.func @p3_across_sequences(
  // CHECK-SAME: %[[Q:.+]]: tensor<1x4x8x16xf32>, %[[K:.+]]: tensor<1x4x32x16xf32>
  func.func @p3_across_sequences(%q: tensor<1x4x8x16xf32>, %k: !local) -> tensor<1x4x8x16xf32> {
    // CHECK: %[[WQ:.+]] = "ttir.all_gather"(%[[Q]]) {{.+}} -> tensor<1x4x32x16xf32>
    // CHECK: ring.attention %[[WQ]], {{.+}} -> tensor<1x4x32x16xf32>
    // CHECK: "ttir.mesh_partition"({{.+}} -> tensor<1x4x8x16xf32>
    %0 = "ttir.all_gather"(%k) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!local) -> !whole
    %1 = "ttir.scaled_dot_product_attention"(%q, %0, %0) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (tensor<1x4x8x16xf32>, !whole, !whole) -> tensor<1x4x8x16xf32>
    return %1 : tensor<1x4x8x16xf32>
  }
}

// -----

// P4: an annotation on the op, its function or the module; the nearest counts.

!t = tensor<1x8x256x16xbf16>
!kv = tensor<1x1x256x16xbf16>

module attributes {ring.parallel = #ring.parallel<sequence = 0>} {
  // CHECK-LABEL: func.func @by_the_module(
  // CHECK-SAME: %[[Q:.+]]: tensor<1x8x256x16xbf16>, %[[KV:.+]]: tensor<1x1x256x16xbf16>
  func.func @by_the_module(%q: !t, %kv: !kv) -> !t {
    // CHECK: %[[OUT:.+]] = ring.attention %[[Q]], %[[KV]], %[[KV]] parallel(<sequence = 0>) :
    // CHECK-NEXT: return %[[OUT]]
    %0 = "ttir.scaled_dot_product_attention"(%q, %kv, %kv) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!t, !kv, !kv) -> !t
    return %0 : !t
  }

  // CHECK-LABEL: func.func @by_its_function(
  func.func @by_its_function(%q: !t, %kv: !kv) -> !t attributes {ring.parallel = #ring.parallel<sequence = 0, heads = 1>} {
    // CHECK: ring.attention {{.+}} parallel(<sequence = 0, heads = 1>) :
    %0 = "ttir.scaled_dot_product_attention"(%q, %kv, %kv) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!t, !kv, !kv) -> !t
    return %0 : !t
  }

  // CHECK-LABEL: func.func @by_itself(
  func.func @by_itself(%q: !t, %kv: !kv) -> !t attributes {ring.parallel = #ring.parallel<sequence = 0, heads = 1>} {
    // CHECK: ring.attention {{.+}} parallel(<sequence = 1, heads = 0>) :
    %0 = "ttir.scaled_dot_product_attention"(%q, %kv, %kv) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> {ring.parallel = #ring.parallel<sequence = 1, heads = 0>} : (!t, !kv, !kv) -> !t
    return %0 : !t
  }
}

// -----

// What an attention says besides: mask, sink, window, scale, more keys than
// queries.

!t = tensor<2x4x64x16xbf16>
!long = tensor<2x4x192x16xbf16>
!mask = tensor<1x4x1x192xbf16>
!sink = tensor<1x4x1x1xbf16>

module attributes {ring.parallel = #ring.parallel<sequence = 0>} {
  // CHECK-LABEL: func.func @mask_and_sink(
  // CHECK-SAME: %[[M:[a-z0-9]+]]: tensor<1x4x1x192xbf16>, %[[S:[a-z0-9]+]]: tensor<1x4x1x1xbf16>
  func.func @mask_and_sink(%q: !t, %k: !long, %v: !long, %m: !mask, %s: !sink) -> !t {
    // CHECK: ring.attention {{.+}} mask(%[[M]] : tensor<1x4x1x192xbf16>) sink(%[[S]] : tensor<1x4x1x1xbf16>) scale(1.000000e+00) parallel
    %0 = "ttir.scaled_dot_product_attention"(%q, %k, %v, %m, %s) <{is_causal = false, scale = 1.0 : f32, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>}> : (!t, !long, !long, !mask, !sink) -> !t
    return %0 : !t
  }

  // CHECK-LABEL: func.func @window(
  func.func @window(%q: !t, %s: !sink) -> !t {
    // CHECK: ring.attention {{.+}} sink({{.+}}) pattern(#ring.window<before = 0, after = 0>) parallel
    %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q, %s) <{is_causal = true, sliding_window_size = 1 : ui32, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>}> : (!t, !t, !t, !sink) -> !t
    return %0 : !t
  }
}

// -----

// A constant mask that is 0 up to the diagonal and drops all behind it is the
// causal pattern, however the model writes "drop".

!t = tensor<1x2x4x16xf32>
!m = tensor<1x1x4x4xf32>

module attributes {ring.parallel = #ring.parallel<sequence = 0>} {
  // CHECK-LABEL: func.func @causal_mask(
  func.func @causal_mask(%q: !t) -> !t {
    // CHECK-NOT: ttir.constant
    // CHECK: ring.attention %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} pattern(#ring.causal) parallel
    %m = "ttir.constant"() <{value = dense<[[[[0.0, 0xFF800000, 0xFF800000, 0xFF800000], [0.0, 0.0, 0xFF800000, -1.0e+09], [0.0, -0.0, 0.0, -3.4e+38], [0.0, 0.0, 0.0, 0.0]]]]> : !m}> : () -> !m
    %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q, %m) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (!t, !t, !t, !m) -> !t
    return %0 : !t
  }

  // Not quite: the last query does not see the first key.
  // CHECK-LABEL: func.func @other_mask(
  func.func @other_mask(%q: !t) -> !t {
    // CHECK: %[[M:.+]] = "ttir.constant"
    // CHECK: ring.attention {{.+}} mask(%[[M]] : tensor<1x1x4x4xf32>) parallel
    %m = "ttir.constant"() <{value = dense<[[[[0.0, 0xFF800000, 0xFF800000, 0xFF800000], [0.0, 0.0, 0xFF800000, 0xFF800000], [0.0, 0.0, 0.0, 0xFF800000], [-1.0, 0.0, 0.0, 0.0]]]]> : !m}> : () -> !m
    %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q, %m) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (!t, !t, !t, !m) -> !t
    return %0 : !t
  }

  // A weak bias behind the diagonal hides nothing.
  // CHECK-LABEL: func.func @weak_mask(
  func.func @weak_mask(%q: !t) -> !t {
    // CHECK: ring.attention {{.+}} mask(
    %m = "ttir.constant"() <{value = dense<[[[[0.0, -9.0, -9.0, -9.0], [0.0, 0.0, -9.0, -9.0], [0.0, 0.0, 0.0, -9.0], [0.0, 0.0, 0.0, 0.0]]]]> : !m}> : () -> !m
    %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q, %m) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (!t, !t, !t, !m) -> !t
    return %0 : !t
  }
}

// -----

// P3 brings it as the device's rows of such a constant.

!local = tensor<1x2x2x16xf32>
!whole = tensor<1x2x4x16xf32>
!m = tensor<1x1x4x4xf32>
!rows = tensor<1x1x2x4xf32>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 2x1>]>} {
  // CHECK-LABEL: func.func @rows_of_a_causal_mask(
  func.func @rows_of_a_causal_mask(%q: !local, %k: !local, %v: !local) -> !local {
    // CHECK-NOT: ttir.constant
    // CHECK: %[[OUT:.+]] = ring.attention %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} pattern(#ring.causal) parallel(<sequence = 0>) per_device
    // CHECK: "ttir.mesh_partition"(%[[OUT]])
    // CHECK-NOT: ttir.mesh_partition
    %0 = "ttir.all_gather"(%k) <{all_gather_dim = 2 : si32, cluster_axis = 0 : ui32}> : (!local) -> !whole
    %1 = "ttir.all_gather"(%v) <{all_gather_dim = 2 : si32, cluster_axis = 0 : ui32}> : (!local) -> !whole
    %2 = "ttir.constant"() <{value = dense<[[[[0.0, 0xFF800000, 0xFF800000, 0xFF800000], [0.0, 0.0, 0xFF800000, 0xFF800000], [0.0, 0.0, 0.0, 0xFF800000], [0.0, 0.0, 0.0, 0.0]]]]> : !m}> : () -> !m
    %3 = "ttir.mesh_partition"(%2) <{cluster_axis = 0 : ui32, dim = 2 : si32}> : (!m) -> !rows
    %4 = "ttir.scaled_dot_product_attention"(%q, %0, %1, %3) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (!local, !whole, !whole, !rows) -> !local
    return %4 : !local
  }
}

// -----

// sdpa_fw: its log-sum-exp is ours, in the first of 32 columns; its mask says 1
// for keep.

!t = tensor<1x2x64x16xbf16>
!i = tensor<1x2x64x32xf32>
!m = tensor<1x1x64x64xbf16>

module attributes {ring.parallel = #ring.parallel<sequence = 0>} {
  // CHECK-LABEL: func.func @with_intermediates(
  func.func @with_intermediates(%q: !t) -> (!t, !i) {
    // CHECK: %[[OUT:.+]], %[[LSE:.+]] = ring.attention {{.+}} pattern(#ring.causal) parallel(<sequence = 0>) : {{.+}} lse(tensor<1x2x64x1xf32>)
    // CHECK: %[[COLUMNS:.+]] = "ttir.pad"(%[[LSE]]) {{.+}} -> tensor<1x2x64x32xf32>
    // CHECK: return %[[OUT]], %[[COLUMNS]]
    %0, %1 = "ttir.sdpa_fw"(%q, %q, %q) <{mask_type = #ttcore.attention_mask_type<causal>, dropout_probability = 0.0 : f32, return_intermediates = true}> : (!t, !t, !t) -> (!t, !i)
    return %0, %1 : !t, !i
  }

  // Nobody reads them: nobody computes them.
  // CHECK-LABEL: func.func @without_intermediates(
  func.func @without_intermediates(%q: !t) -> !t {
    // CHECK-NOT: lse
    // CHECK: %[[OUT:.+]] = ring.attention %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} parallel
    // CHECK-NEXT: return %[[OUT]]
    %0, %1 = "ttir.sdpa_fw"(%q, %q, %q) <{mask_type = #ttcore.attention_mask_type<none>, dropout_probability = 0.0 : f32, return_intermediates = true}> : (!t, !t, !t) -> (!t, !i)
    return %0 : !t
  }

  // CHECK-LABEL: func.func @mask_that_keeps(
  // CHECK-SAME: %[[KEEP:[a-z0-9]+]]: tensor<1x1x64x64xbf16>
  func.func @mask_that_keeps(%q: !t, %m: !m) -> !t {
    // CHECK-DAG: %[[ZERO:.+]] = "ttir.full"() <{fill_value = 0.000000e+00 : f32
    // CHECK-DAG: %[[DROP:.+]] = "ttir.full"() <{fill_value = 0xFF800000 : f32
    // CHECK: %[[ADDED:.+]] = "ttir.where"(%[[KEEP]], %[[ZERO]], %[[DROP]])
    // CHECK: ring.attention {{.+}} mask(%[[ADDED]]
    %0 = "ttir.sdpa_fw"(%q, %q, %q, %m) <{mask_type = #ttcore.attention_mask_type<arbitrary>, dropout_probability = 0.0 : f32, return_intermediates = false}> : (!t, !t, !t, !m) -> !t
    return %0 : !t
  }
}
