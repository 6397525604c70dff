// SPDX-License-Identifier: Apache-2.0
// Tokens that a frontend padded so that every device has as many: keys and values
// are gathered and cut to their real number, which becomes the length. What
// stands behind the gathers is done on shards, before them.

// RUN: ring-opt %s --ring-raise --split-input-file --verify-roundtrip 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=QUIET --allow-empty --input-file=%t
// QUIET-NOT: remark

!local = tensor<1x64x4x16xbf16>
!gathered = tensor<1x256x4x16xbf16>
!real = tensor<1x250x4x16xbf16>
!q = tensor<1x4x64x16xbf16>
!kv = tensor<1x4x250x16xbf16>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 4x2>]>} {
  // As torch has it: rows before heads until the attention.
  // CHECK-LABEL: func.func @rows_before_heads(
  // CHECK-SAME: %[[Q:.+]]: tensor<1x64x4x16xbf16>, %[[K:.+]]: tensor<1x64x4x16xbf16>, %[[V:.+]]: tensor
  func.func @rows_before_heads(%q: !local, %k: !local, %v: !local) -> !local {
    // CHECK-DAG: %[[QH:.+]] = "ttir.permute"(%[[Q]]) {{.+}} -> tensor<1x4x64x16xbf16>
    // CHECK-DAG: %[[KH:.+]] = "ttir.permute"(%[[K]]) {{.+}} -> tensor<1x4x64x16xbf16>
    // CHECK-DAG: %[[VH:.+]] = "ttir.permute"(%[[V]]) {{.+}} -> tensor<1x4x64x16xbf16>
    // CHECK-DAG: %[[WQ:.+]] = "ttir.all_gather"(%[[QH]]) <{all_gather_dim = 2 : si32, cluster_axis = 0 : ui32}>
    // CHECK-DAG: %[[WK:.+]] = "ttir.all_gather"(%[[KH]]) <{all_gather_dim = 2 : si32, cluster_axis = 0 : ui32}>
    // CHECK-DAG: %[[WV:.+]] = "ttir.all_gather"(%[[VH]])
    // CHECK-NOT: slice_static
    // CHECK: %[[OUT:.+]] = ring.attention %[[WQ]], %[[WK]], %[[WV]] length(250) parallel(<sequence = 0>) per_device : tensor<1x4x256x16xbf16>
    // CHECK: %[[OWN:.+]] = "ttir.mesh_partition"(%[[OUT]]) <{cluster_axis = 0 : ui32, dim = 2 : si32}>
    // CHECK: %[[BACK:.+]] = "ttir.permute"(%[[OWN]])
    // CHECK: return %[[BACK]]
    %0 = "ttir.all_gather"(%k) <{all_gather_dim = 1 : si32, cluster_axis = 0 : ui32}> : (!local) -> !gathered
    %1 = "ttir.slice_static"(%0) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 250 : i32, 4 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!gathered) -> !real
    %2 = "ttir.all_gather"(%v) <{all_gather_dim = 1 : si32, cluster_axis = 0 : ui32}> : (!local) -> !gathered
    %3 = "ttir.slice_static"(%2) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 250 : i32, 4 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!gathered) -> !real
    %4 = "ttir.permute"(%q) <{permutation = array<i64: 0, 2, 1, 3>}> : (!local) -> !q
    %5 = "ttir.permute"(%1) <{permutation = array<i64: 0, 2, 1, 3>}> : (!real) -> !kv
    %6 = "ttir.permute"(%3) <{permutation = array<i64: 0, 2, 1, 3>}> : (!real) -> !kv
    %7 = "ttir.scaled_dot_product_attention"(%4, %5, %6) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!q, !kv, !kv) -> !q
    %8 = "ttir.permute"(%7) <{permutation = array<i64: 0, 2, 1, 3>}> : (!q) -> !local
    return %8 : !local
  }

  // The slice last, a cast before it; keys are values too, and a slice that cuts
  // nothing is none. The gather has another user, for whom it stays.
  // CHECK-LABEL: func.func @shared(
  // CHECK-SAME: %[[Q:.+]]: tensor<1x4x64x16xf32>, %[[KV:.+]]: tensor<1x64x4x16xbf16>
  func.func @shared(%q: tensor<1x4x64x16xf32>, %kv: !local) -> (tensor<1x4x64x16xf32>, !gathered) {
    // CHECK: %[[GATHERED:.+]] = "ttir.all_gather"(%[[KV]])
    // CHECK: %[[WIDE:.+]] = "ttir.typecast"(%[[KV]]) {{.+}} -> tensor<1x64x4x16xf32>
    // CHECK: %[[HEADS:.+]] = "ttir.transpose"(%[[WIDE]]) {{.+}} -> tensor<1x4x64x16xf32>
    // CHECK: %[[W:.+]] = "ttir.all_gather"(%[[HEADS]])
    // CHECK: ring.attention %{{.+}}, %[[W]], %[[W]] length(65) parallel(<sequence = 0>) per_device
    // CHECK: return %{{.+}}, %[[GATHERED]]
    %0 = "ttir.all_gather"(%kv) <{all_gather_dim = -3 : si32, cluster_axis = 0 : ui32}> : (!local) -> !gathered
    %1 = "ttir.slice_static"(%0) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 256 : i32, 4 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!gathered) -> !gathered
    %2 = "ttir.typecast"(%1) : (!gathered) -> tensor<1x256x4x16xf32>
    %3 = "ttir.transpose"(%2) <{dim0 = 1 : si32, dim1 = -2 : si32}> : (tensor<1x256x4x16xf32>) -> tensor<1x4x256x16xf32>
    %4 = "ttir.slice_static"(%3) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 4 : i32, -191 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x4x256x16xf32>) -> tensor<1x4x65x16xf32>
    %5 = "ttir.scaled_dot_product_attention"(%q, %4, %4) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (tensor<1x4x64x16xf32>, tensor<1x4x65x16xf32>, tensor<1x4x65x16xf32>) -> tensor<1x4x64x16xf32>
    return %5, %0 : tensor<1x4x64x16xf32>, !gathered
  }

  // One gather of keys and values as features, cut apart and to length at once.
  // CHECK-LABEL: func.func @packed(
  // CHECK-SAME: %[[Q:.+]]: tensor<1x2x64x16xbf16>, %[[KV:.+]]: tensor<1x64x64xbf16>
  func.func @packed(%q: tensor<1x2x64x16xbf16>, %kv: tensor<1x64x64xbf16>) -> tensor<1x2x64x16xbf16> {
    // CHECK: %[[K:.+]] = "ttir.slice_static"(%[[KV]]) <{begins = [0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 64 : i32, 32 : i32]
    // CHECK: %[[K4:.+]] = "ttir.reshape"(%[[K]]) {{.+}} -> tensor<1x64x2x16xbf16>
    // CHECK: %[[KH:.+]] = "ttir.permute"(%[[K4]])
    // CHECK: %[[WK:.+]] = "ttir.all_gather"(%[[KH]])
    // CHECK: %[[V:.+]] = "ttir.slice_static"(%[[KV]]) <{begins = [0 : i32, 0 : i32, 32 : i32], ends = [1 : i32, 64 : i32, 64 : i32]
    // CHECK: %[[WV:.+]] = "ttir.all_gather"
    // CHECK: ring.attention %{{.+}}, %[[WK]], %[[WV]] length(190) parallel
    %0 = "ttir.all_gather"(%kv) <{all_gather_dim = 1 : si32, cluster_axis = 0 : ui32}> : (tensor<1x64x64xbf16>) -> tensor<1x256x64xbf16>
    %1 = "ttir.slice_static"(%0) <{begins = [0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 190 : i32, 32 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x256x64xbf16>) -> tensor<1x190x32xbf16>
    %2 = "ttir.slice_static"(%0) <{begins = [0 : i32, 0 : i32, 32 : i32], ends = [1 : i32, 190 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x256x64xbf16>) -> tensor<1x190x32xbf16>
    %3 = "ttir.reshape"(%1) <{shape = [1 : i32, 190 : i32, 2 : i32, 16 : i32]}> : (tensor<1x190x32xbf16>) -> tensor<1x190x2x16xbf16>
    %4 = "ttir.reshape"(%2) <{shape = [1 : i32, 190 : i32, 2 : i32, 16 : i32]}> : (tensor<1x190x32xbf16>) -> tensor<1x190x2x16xbf16>
    %5 = "ttir.permute"(%3) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x190x2x16xbf16>) -> tensor<1x2x190x16xbf16>
    %6 = "ttir.permute"(%4) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x190x2x16xbf16>) -> tensor<1x2x190x16xbf16>
    %7 = "ttir.scaled_dot_product_attention"(%q, %5, %6) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (tensor<1x2x64x16xbf16>, tensor<1x2x190x16xbf16>, tensor<1x2x190x16xbf16>) -> tensor<1x2x64x16xbf16>
    return %7 : tensor<1x2x64x16xbf16>
  }

  // Three dimensions, as tt-mlir brings them to the op: one head; and heads that
  // are repeated behind the gather.
  // CHECK-LABEL: func.func @one_head(
  func.func @one_head(%q: tensor<2x1x64x16xbf16>, %k: tensor<2x64x16xbf16>) -> tensor<2x1x64x16xbf16> {
    // CHECK: %[[K4:.+]] = "ttir.reshape"(%{{.+}}) <{shape = [2 : i32, 1 : i32, 64 : i32, 16 : i32]}>
    // CHECK: %[[WK:.+]] = "ttir.all_gather"(%[[K4]])
    // CHECK: ring.attention %{{.+}}, %[[WK]], %[[WK]] length(33) parallel
    %0 = "ttir.all_gather"(%k) <{all_gather_dim = 1 : si32, cluster_axis = 0 : ui32}> : (tensor<2x64x16xbf16>) -> tensor<2x256x16xbf16>
    %1 = "ttir.slice_static"(%0) <{begins = [0 : i32, 0 : i32, 0 : i32], ends = [2 : i32, 33 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<2x256x16xbf16>) -> tensor<2x33x16xbf16>
    %2 = "ttir.reshape"(%1) <{shape = [2 : i32, 1 : i32, 33 : i32, 16 : i32]}> : (tensor<2x33x16xbf16>) -> tensor<2x1x33x16xbf16>
    %3 = "ttir.scaled_dot_product_attention"(%q, %2, %2) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (tensor<2x1x64x16xbf16>, tensor<2x1x33x16xbf16>, tensor<2x1x33x16xbf16>) -> tensor<2x1x64x16xbf16>
    return %3 : tensor<2x1x64x16xbf16>
  }

  // CHECK-LABEL: func.func @repeated_heads(
  func.func @repeated_heads(%q: !q, %k: tensor<1x2x64x16xbf16>) -> !q {
    // CHECK: %[[HALF:.+]] = "ttir.multiply"(%arg1, %{{.+}}) {{.+}} -> tensor<1x2x64x16xbf16>
    // CHECK: %[[FOUR:.+]] = "ttir.repeat_interleave"(%[[HALF]]) {{.+}} -> tensor<1x4x64x16xbf16>
    // CHECK: "ttir.all_gather"(%[[FOUR]])
    // CHECK: ring.attention {{.+}} length(250) parallel
    %half = "ttir.full"() <{fill_value = 0.5 : f32, shape = array<i32: 1, 2, 256, 16>}> : () -> tensor<1x2x256x16xbf16>
    %0 = "ttir.all_gather"(%k) <{all_gather_dim = 2 : si32, cluster_axis = 0 : ui32}> : (tensor<1x2x64x16xbf16>) -> tensor<1x2x256x16xbf16>
    %1 = "ttir.multiply"(%0, %half) : (tensor<1x2x256x16xbf16>, tensor<1x2x256x16xbf16>) -> tensor<1x2x256x16xbf16>
    %2 = "ttir.repeat_interleave"(%1) <{dim = 1 : si32, repeats = 2 : ui32}> : (tensor<1x2x256x16xbf16>) -> tensor<1x4x256x16xbf16>
    %3 = "ttir.slice_static"(%2) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 4 : i32, 250 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x4x256x16xbf16>) -> !kv
    %4 = "ttir.scaled_dot_product_attention"(%q, %3, %3) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!q, !kv, !kv) -> !q
    return %4 : !q
  }
}

// -----

// Spelled out behind such slices: products and softmax in f32, the keys of two
// heads repeated, and what travels is bf16 with two.

!q = tensor<1x4x64x16xbf16>
!local = tensor<1x64x2x16xbf16>
!gathered = tensor<1x256x2x16xbf16>
!real = tensor<1x250x2x16xf32>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  // CHECK-LABEL: func.func @spelled_out(
  // CHECK-NOT: slice_static
  func.func @spelled_out(%q: !q, %k: !local, %v: !local) -> !q {
    // CHECK-DAG: %[[KH:.+]] = "ttir.permute"(%arg1) {{.+}} -> tensor<1x2x64x16xbf16>
    // CHECK-DAG: %[[VH:.+]] = "ttir.permute"(%arg2) {{.+}} -> tensor<1x2x64x16xbf16>
    // CHECK-DAG: %[[WK:.+]] = "ttir.all_gather"(%[[KH]])
    // CHECK-DAG: %[[WV:.+]] = "ttir.all_gather"(%[[VH]])
    // CHECK: ring.attention %{{.+}}, %[[WK]], %[[WV]] length(250) parallel(<sequence = 1>) per_device : tensor<1x4x256x16xbf16>, tensor<1x2x256x16xbf16>
    // CHECK-NOT: ttir.softmax
    %0 = "ttir.all_gather"(%k) <{all_gather_dim = 1 : si32, cluster_axis = 1 : ui32}> : (!local) -> !gathered
    %1 = "ttir.all_gather"(%v) <{all_gather_dim = 1 : si32, cluster_axis = 1 : ui32}> : (!local) -> !gathered
    %2 = "ttir.typecast"(%0) : (!gathered) -> tensor<1x256x2x16xf32>
    %3 = "ttir.typecast"(%1) : (!gathered) -> tensor<1x256x2x16xf32>
    %4 = "ttir.slice_static"(%2) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 250 : i32, 2 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x256x2x16xf32>) -> !real
    %5 = "ttir.slice_static"(%3) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 250 : i32, 2 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x256x2x16xf32>) -> !real
    %6 = "ttir.repeat_interleave"(%4) <{dim = 2 : si32, repeats = 2 : ui32}> : (!real) -> tensor<1x250x4x16xf32>
    %7 = "ttir.repeat_interleave"(%5) <{dim = 2 : si32, repeats = 2 : ui32}> : (!real) -> tensor<1x250x4x16xf32>
    %8 = "ttir.permute"(%6) <{permutation = array<i64: 0, 2, 3, 1>}> : (tensor<1x250x4x16xf32>) -> tensor<1x4x16x250xf32>
    %9 = "ttir.permute"(%7) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x250x4x16xf32>) -> tensor<1x4x250x16xf32>
    %10 = "ttir.typecast"(%q) : (!q) -> tensor<1x4x64x16xf32>
    %11 = "ttir.matmul"(%10, %8) : (tensor<1x4x64x16xf32>, tensor<1x4x16x250xf32>) -> tensor<1x4x64x250xf32>
    %c = "ttir.full"() <{fill_value = 0.25 : f32, shape = array<i32: 1, 1, 1, 1>}> : () -> tensor<1x1x1x1xf32>
    %12 = "ttir.multiply"(%11, %c) : (tensor<1x4x64x250xf32>, tensor<1x1x1x1xf32>) -> tensor<1x4x64x250xf32>
    %13 = "ttir.softmax"(%12) <{dimension = -1 : si32}> : (tensor<1x4x64x250xf32>) -> tensor<1x4x64x250xf32>
    %14 = "ttir.matmul"(%13, %9) : (tensor<1x4x64x250xf32>, tensor<1x4x250x16xf32>) -> tensor<1x4x64x16xf32>
    %15 = "ttir.typecast"(%14) : (tensor<1x4x64x16xf32>) -> !q
    return %15 : !q
  }
}

// -----

// Masks that hide padding are a length, alone and beside others.

!q = tensor<1x2x2x16xf32>
!local = tensor<1x2x2x16xf32>
!whole = tensor<1x2x8x16xf32>
!row = tensor<1x1x1x8xf32>
!rows = tensor<1x1x2x8xf32>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  // CHECK-LABEL: func.func @constant(
  func.func @constant(%q: !q, %k: !local) -> !q {
    // CHECK-NOT: ttir.constant
    // CHECK: ring.attention %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} length(5) parallel
    %0 = "ttir.all_gather"(%k) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!local) -> !whole
    %m = "ttir.constant"() <{value = dense<[[[[0.0, 0.0, -0.0, 0.0, 0.0, 0xFF800000, -1.0e9, -3.0e38]]]]> : !row}> : () -> !row
    %1 = "ttir.scaled_dot_product_attention"(%q, %0, %0, %m) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (!q, !whole, !whole, !row) -> !q
    return %1 : !q
  }

  // key >= 6 is dropped, as truth values, spread over the rows of this device.
  // CHECK-LABEL: func.func @compared(
  func.func @compared(%q: !q, %k: !local) -> !q {
    // CHECK: ring.attention %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} length(6) parallel
    %0 = "ttir.all_gather"(%k) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!local) -> !whole
    %keys = "ttir.arange"() <{arange_dimension = 0 : i64, start = 0 : si64, end = 8 : si64, step = 1 : si64}> : () -> tensor<8xi32>
    %six = "ttir.constant"() <{value = dense<6> : tensor<1xi32>}> : () -> tensor<1xi32>
    %c = "ttir.ge"(%keys, %six) : (tensor<8xi32>, tensor<1xi32>) -> tensor<8xi1>
    %c4 = "ttir.reshape"(%c) <{shape = [1 : i32, 1 : i32, 1 : i32, 8 : i32]}> : (tensor<8xi1>) -> tensor<1x1x1x8xi1>
    %low = "ttir.full"() <{fill_value = 0xFF800000 : f32, shape = array<i32: 1, 1, 1, 1>}> : () -> tensor<1x1x1x1xf32>
    %zero = "ttir.zeros"() <{shape = array<i32: 1, 1, 1, 8>}> : () -> !row
    %w = "ttir.where"(%c4, %low, %zero) : (tensor<1x1x1x8xi1>, tensor<1x1x1x1xf32>, !row) -> !row
    %m = "ttir.broadcast"(%w) <{broadcast_dimensions = array<i64: 1, 1, 2, 1>}> : (!row) -> !rows
    %1 = "ttir.scaled_dot_product_attention"(%q, %0, %0, %m) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (!q, !whole, !whole, !rows) -> !q
    return %1 : !q
  }

  // A triangle and the padding, in one condition, of which this device has its
  // rows.
  // CHECK-LABEL: func.func @triangle_and_padding(
  func.func @triangle_and_padding(%q: !q, %k: !local) -> !q {
    // CHECK: ring.attention %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} pattern(#ring.causal) length(7) parallel
    %0 = "ttir.all_gather"(%k) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!local) -> !whole
    %row = "ttir.arange"() <{arange_dimension = 2 : i64, start = 0 : si64, end = 8 : si64, step = 1 : si64}> : () -> tensor<1x1x8x1xi32>
    %key = "ttir.arange"() <{arange_dimension = 3 : i64, start = 0 : si64, end = 8 : si64, step = 1 : si64}> : () -> tensor<1x1x1x8xi32>
    %last = "ttir.full"() <{fill_value = 6 : i32, shape = array<i32: 1, 1, 1, 1>}> : () -> tensor<1x1x1x1xi32>
    %before = "ttir.le"(%key, %row) : (tensor<1x1x1x8xi32>, tensor<1x1x8x1xi32>) -> tensor<1x1x8x8xi1>
    %real = "ttir.le"(%key, %last) : (tensor<1x1x1x8xi32>, tensor<1x1x1x1xi32>) -> tensor<1x1x1x8xi1>
    %both = "ttir.logical_and"(%before, %real) : (tensor<1x1x8x8xi1>, tensor<1x1x1x8xi1>) -> tensor<1x1x8x8xi1>
    %zero = "ttir.zeros"() <{shape = array<i32: 1, 1, 1, 1>}> : () -> tensor<1x1x1x1xf32>
    %low = "ttir.full"() <{fill_value = -1.0e9 : f32, shape = array<i32: 1, 1, 1, 1>}> : () -> tensor<1x1x1x1xf32>
    %w = "ttir.where"(%both, %zero, %low) : (tensor<1x1x8x8xi1>, tensor<1x1x1x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x8x8xf32>
    %m = "ttir.mesh_partition"(%w) <{cluster_axis = 1 : ui32, dim = 2 : si32}> : (tensor<1x1x8x8xf32>) -> !rows
    %1 = "ttir.scaled_dot_product_attention"(%q, %0, %0, %m) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (!q, !whole, !whole, !rows) -> !q
    return %1 : !q
  }

  // The same triangle over this device's rows alone is another mask: it stays,
  // and so does what is added beside padding.
  // CHECK-LABEL: func.func @own_triangle(
  // CHECK-SAME: %[[BIAS:[0-9a-z]+]]: tensor<1x1x2x8xf32>)
  func.func @own_triangle(%q: !q, %k: !local, %bias: !rows) -> (!q, !q) {
    // CHECK: %[[OWN:.+]] = "ttir.constant"
    // CHECK: %[[ALL:.+]] = "ttir.all_gather"(%[[OWN]]) {{.+}} -> tensor<1x1x8x8xf32>
    // CHECK: ring.attention {{.+}} mask(%[[ALL]] : tensor<1x1x8x8xf32>) parallel
    // CHECK: %[[BIASES:.+]] = "ttir.all_gather"(%[[BIAS]]) {{.+}} -> tensor<1x1x8x8xf32>
    // CHECK: ring.attention {{.+}} mask(%[[BIASES]] : tensor<1x1x8x8xf32>) length(5) parallel
    %0 = "ttir.all_gather"(%k) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!local) -> !whole
    %m = "ttir.constant"() <{value = dense<[[[[0.0, -1.0e9, -1.0e9, -1.0e9, -1.0e9, -1.0e9, -1.0e9, -1.0e9], [0.0, 0.0, -1.0e9, -1.0e9, -1.0e9, -1.0e9, -1.0e9, -1.0e9]]]]> : !rows}> : () -> !rows
    %1 = "ttir.scaled_dot_product_attention"(%q, %0, %0, %m) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (!q, !whole, !whole, !rows) -> !q
    %p = "ttir.constant"() <{value = dense<[[[[0.0, 0.0, 0.0, 0.0, 0.0, -1.0e9, -1.0e9, -1.0e9]]]]> : !row}> : () -> !row
    %s = "ttir.add"(%bias, %p) : (!rows, !row) -> !rows
    %2 = "ttir.scaled_dot_product_attention"(%q, %0, %0, %s) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (!q, !whole, !whole, !rows) -> !q
    return %1, %2 : !q, !q
  }

  // A mask of keys that are cut off says nothing of them; one of zeros nothing.
  // CHECK-LABEL: func.func @beside_a_slice(
  // CHECK-SAME: %[[BIAS:[0-9a-z]+]]: tensor<1x1x2x5xf32>)
  func.func @beside_a_slice(%q: !q, %k: !local, %bias: tensor<1x1x2x5xf32>) -> (!q, !q) {
    // CHECK: %[[BIASES:.+]] = "ttir.all_gather"(%[[BIAS]]) {{.+}} -> tensor<1x1x8x5xf32>
    // CHECK: %[[PADDED:.+]] = "ttir.pad"(%[[BIASES]]) {{.+}} -> tensor<1x1x8x8xf32>
    // CHECK: ring.attention {{.+}} mask(%[[PADDED]] : tensor<1x1x8x8xf32>) length(5) parallel
    // CHECK: ring.attention %{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %{{[0-9a-z]+}} length(5) parallel
    %0 = "ttir.all_gather"(%k) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!local) -> !whole
    %1 = "ttir.slice_static"(%0) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 2 : i32, 5 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!whole) -> tensor<1x2x5x16xf32>
    %2 = "ttir.scaled_dot_product_attention"(%q, %1, %1, %bias) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (!q, tensor<1x2x5x16xf32>, tensor<1x2x5x16xf32>, tensor<1x1x2x5xf32>) -> !q
    %zeros = "ttir.zeros"() <{shape = array<i32: 1, 1, 2, 5>}> : () -> tensor<1x1x2x5xf32>
    %3 = "ttir.scaled_dot_product_attention"(%q, %1, %1, %zeros) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (!q, tensor<1x2x5x16xf32>, tensor<1x2x5x16xf32>, tensor<1x1x2x5xf32>) -> !q
    return %2, %3 : !q, !q
  }
}

// -----

// P1: the query is cut as the keys are, so is the result. Where a device takes
// its rows behind a transpose, it takes them first.

!local = tensor<1x64x4x16xbf16>
!gathered = tensor<1x256x4x16xbf16>
!real = tensor<1x250x4x16xbf16>
!kv = tensor<1x4x250x16xbf16>
!heads = tensor<1x4x256x16xbf16>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  // CHECK-LABEL: func.func @all_cut(
  func.func @all_cut(%x: !local) -> !kv {
    // CHECK: %[[OUT:.+]] = ring.attention {{.+}} pattern(#ring.causal) length(250) parallel(<sequence = 1>) per_device
    // CHECK: %[[REAL:.+]] = "ttir.slice_static"(%[[OUT]]) {{.+}} -> tensor<1x4x250x16xbf16>
    // CHECK: return %[[REAL]]
    %0 = "ttir.all_gather"(%x) <{all_gather_dim = 1 : si32, cluster_axis = 1 : ui32}> : (!local) -> !gathered
    %1 = "ttir.slice_static"(%0) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 250 : i32, 4 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!gathered) -> !real
    %2 = "ttir.permute"(%1) <{permutation = array<i64: 0, 2, 1, 3>}> : (!real) -> !kv
    %3 = "ttir.scaled_dot_product_attention"(%2, %2, %2) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!kv, !kv, !kv) -> !kv
    return %3 : !kv
  }

  // CHECK-LABEL: func.func @partition_behind_a_transpose(
  func.func @partition_behind_a_transpose(%x: !local) -> tensor<1x64x64xbf16> {
    // CHECK: %[[OUT:.+]] = ring.attention
    // CHECK-NEXT: %[[OWN:.+]] = "ttir.mesh_partition"(%[[OUT]]) <{cluster_axis = 1 : ui32, dim = 2 : si32}> : {{.+}} -> tensor<1x4x64x16xbf16>
    // CHECK-NEXT: %[[ROWS:.+]] = "ttir.permute"(%[[OWN]]) {{.+}} -> tensor<1x64x4x16xbf16>
    // CHECK-NEXT: %[[FEATURES:.+]] = "ttir.reshape"(%[[ROWS]]) {{.+}} -> tensor<1x64x64xbf16>
    // CHECK-NEXT: return %[[FEATURES]]
    %0 = "ttir.all_gather"(%x) <{all_gather_dim = 1 : si32, cluster_axis = 1 : ui32}> : (!local) -> !gathered
    %1 = "ttir.permute"(%0) <{permutation = array<i64: 0, 2, 1, 3>}> : (!gathered) -> !heads
    %2 = "ttir.scaled_dot_product_attention"(%1, %1, %1) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!heads, !heads, !heads) -> !heads
    %3 = "ttir.permute"(%2) <{permutation = array<i64: 0, 2, 1, 3>}> : (!heads) -> !gathered
    %4 = "ttir.reshape"(%3) <{shape = [1 : i32, 256 : i32, 64 : i32]}> : (!gathered) -> tensor<1x256x64xbf16>
    %5 = "ttir.mesh_partition"(%4) <{cluster_axis = 1 : ui32, dim = 1 : si32}> : (tensor<1x256x64xbf16>) -> tensor<1x64x64xbf16>
    return %5 : tensor<1x64x64xbf16>
  }
}

// -----

// Whole tensors: keys of a padded sequence, cut again. Keys that are cut from a
// sequence of another length than the queries' stay cut.

!x = tensor<1x256x4x16xbf16>
!real = tensor<1x250x4x16xbf16>
!q = tensor<1x4x256x16xbf16>
!kv = tensor<1x4x250x16xbf16>

module attributes {ring.parallel = #ring.parallel<sequence = 0>} {
  // CHECK-LABEL: func.func @annotated(
  // CHECK-SAME: %[[Q:.+]]: tensor<1x4x256x16xbf16>, %[[X:.+]]: tensor<1x256x4x16xbf16>
  func.func @annotated(%q: !q, %x: !x) -> !q {
    // CHECK: %[[K:.+]] = "ttir.permute"(%[[X]]) {{.+}} -> tensor<1x4x256x16xbf16>
    // CHECK: ring.attention %[[Q]], %[[K]], %[[K]] length(250) parallel(<sequence = 0>) :
    %1 = "ttir.slice_static"(%x) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 250 : i32, 4 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!x) -> !real
    %2 = "ttir.permute"(%1) <{permutation = array<i64: 0, 2, 1, 3>}> : (!real) -> !kv
    %3 = "ttir.scaled_dot_product_attention"(%q, %2, %2) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!q, !kv, !kv) -> !q
    return %3 : !q
  }

  // CHECK-LABEL: func.func @start_of_a_cache(
  func.func @start_of_a_cache(%q: tensor<1x4x32x16xbf16>, %k: !q) -> tensor<1x4x32x16xbf16> {
    // CHECK: %[[K:.+]] = "ttir.slice_static"
    // CHECK: ring.attention %{{.+}}, %[[K]], %[[K]] parallel
    %0 = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 4 : i32, 250 : i32, 16 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!q) -> !kv
    %1 = "ttir.scaled_dot_product_attention"(%q, %0, %0) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (tensor<1x4x32x16xbf16>, !kv, !kv) -> tensor<1x4x32x16xbf16>
    return %1 : tensor<1x4x32x16xbf16>
  }
}
