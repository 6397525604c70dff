// SPDX-License-Identifier: Apache-2.0
// Attentions that are spelled out have the same numbers as rings, on 4 devices:
// odd lengths, heads in groups, masks of several kinds, bf16 and f32.

// RUN: split-file %s %t
// RUN: for part in decoder matrices rows bias causal sink shards; do \
// RUN:   ring-opt %t/$part.mlir --ring-raise | grep -q ring.attention || exit 1; \
// RUN:   for option in target=ring target=ttir target=ttnn strategy=ring strategy=all_gather; do \
// RUN:     ring-run %t/$part.mlir --check --ring-attention-pipeline="$option" || exit 1; done; done

//--- decoder.mlir
!q = tensor<2x4x70x32xbf16>
!kv = tensor<2x2x70x32xbf16>
!kv5 = tensor<2x2x1x70x32xbf16>
!kvr = tensor<2x2x2x70x32xbf16>
!all = tensor<2x4x70x32xbf16>
!allw = tensor<2x4x70x32xf32>
!kt = tensor<2x4x32x70xf32>
!s = tensor<2x4x70x70xf32>
!si = tensor<2x4x70x70xi1>
!r = tensor<2x4x70xf32>
!r1 = tensor<2x4x70x1xf32>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>, ring.parallel = #ring.parallel<sequence = 1>} {
  func.func @main(%q: !q, %k: !kv, %v: !kv) -> tensor<140x128xbf16> {
    %c = "ttir.constant"() <{value = dense<0.42044820762> : !allw}> : () -> !allw
    %ct = "ttir.constant"() <{value = dense<0.42044820762> : !kt}> : () -> !kt
    %zero = "ttir.constant"() <{value = dense<0.0> : !s}> : () -> !s
    %inf = "ttir.constant"() <{value = dense<0xFF800000> : !s}> : () -> !s
    // Row i sees the keys up to i - 3: the first three see none, and are 0.
    %keys = "ttir.arange"() <{arange_dimension = 3 : i64, end = 70 : si64, start = 0 : si64, step = 1 : si64}> : () -> tensor<1x1x70x70xf32>
    %rows = "ttir.arange"() <{arange_dimension = 2 : i64, end = 67 : si64, start = -3 : si64, step = 1 : si64}> : () -> tensor<1x1x70x70xf32>
    %sees = "ttir.le"(%keys, %rows) : (tensor<1x1x70x70xf32>, tensor<1x1x70x70xf32>) -> tensor<1x1x70x70xi1>
    %keep = "ttir.full"() <{fill_value = 0.0 : f32, shape = array<i32: 1, 1, 70, 70>}> : () -> tensor<1x1x70x70xbf16>
    %drop = "ttir.full"() <{fill_value = 0xFF800000 : f32, shape = array<i32: 1, 1, 70, 70>}> : () -> tensor<1x1x70x70xbf16>
    %mask = "ttir.where"(%sees, %keep, %drop) : (tensor<1x1x70x70xi1>, tensor<1x1x70x70xbf16>, tensor<1x1x70x70xbf16>) -> tensor<1x1x70x70xbf16>
    %0 = "ttir.typecast"(%q) <{conservative_folding = false}> : (!q) -> !allw
    %1 = "ttir.multiply"(%0, %c) : (!allw, !allw) -> !allw
    %2 = "ttir.reshape"(%k) <{shape = [2 : i32, 2 : i32, 1 : i32, 70 : i32, 32 : i32]}> : (!kv) -> !kv5
    %3 = "ttir.broadcast"(%2) <{broadcast_dimensions = array<i64: 1, 1, 2, 1, 1>}> : (!kv5) -> !kvr
    %4 = "ttir.reshape"(%3) <{shape = [2 : i32, 4 : i32, 70 : i32, 32 : i32]}> : (!kvr) -> !all
    %5 = "ttir.typecast"(%4) <{conservative_folding = false}> : (!all) -> !allw
    %6 = "ttir.permute"(%5) <{permutation = array<i64: 0, 1, 3, 2>}> : (!allw) -> !kt
    %7 = "ttir.multiply"(%6, %ct) : (!kt, !kt) -> !kt
    %8 = "ttir.dot_general"(%1, %7) <{batch_dims_lhs = array<i64: 0, 1>, batch_dims_rhs = array<i64: 0, 1>, contract_dims_lhs = array<i64: 3>, contract_dims_rhs = array<i64: 2>}> : (!allw, !kt) -> !s
    %9 = "ttir.typecast"(%mask) <{conservative_folding = false}> : (tensor<1x1x70x70xbf16>) -> tensor<1x1x70x70xf32>
    %10 = "ttir.broadcast"(%9) <{broadcast_dimensions = array<i64: 2, 4, 1, 1>}> : (tensor<1x1x70x70xf32>) -> !s
    %11 = "ttir.add"(%8, %10) : (!s, !s) -> !s
    %12 = "ttir.eq"(%11, %inf) : (!s, !s) -> !si
    %13 = "ttir.logical_not"(%12) : (!si) -> !si
    %14 = "ttir.reduce_or"(%13) <{dim_arg = [3 : i32], keep_dim = false}> : (!si) -> tensor<2x4x70xi1>
    %15 = "ttir.reshape"(%14) <{shape = [2 : i32, 4 : i32, 70 : i32, 1 : i32]}> : (tensor<2x4x70xi1>) -> tensor<2x4x70x1xi1>
    %16 = "ttir.logical_not"(%15) : (tensor<2x4x70x1xi1>) -> tensor<2x4x70x1xi1>
    %17 = "ttir.broadcast"(%16) <{broadcast_dimensions = array<i64: 1, 1, 1, 70>}> : (tensor<2x4x70x1xi1>) -> !si
    %18 = "ttir.max"(%11) <{dim_arg = [3 : i32], keep_dim = false}> : (!s) -> !r
    %19 = "ttir.reshape"(%18) <{shape = [2 : i32, 4 : i32, 70 : i32, 1 : i32]}> : (!r) -> !r1
    %20 = "ttir.broadcast"(%19) <{broadcast_dimensions = array<i64: 1, 1, 1, 70>}> : (!r1) -> !s
    %21 = "ttir.subtract"(%11, %20) : (!s, !s) -> !s
    %22 = "ttir.exp"(%21) : (!s) -> !s
    %23 = "ttir.sum"(%22) <{dim_arg = [3 : i32], keep_dim = false}> : (!s) -> !r
    %24 = "ttir.reshape"(%23) <{shape = [2 : i32, 4 : i32, 70 : i32, 1 : i32]}> : (!r) -> !r1
    %25 = "ttir.broadcast"(%24) <{broadcast_dimensions = array<i64: 1, 1, 1, 70>}> : (!r1) -> !s
    %26 = "ttir.div"(%22, %25) : (!s, !s) -> !s
    %27 = "ttir.where"(%17, %zero, %26) : (!si, !s, !s) -> !s
    %28 = "ttir.reshape"(%v) <{shape = [2 : i32, 2 : i32, 1 : i32, 70 : i32, 32 : i32]}> : (!kv) -> !kv5
    %29 = "ttir.broadcast"(%28) <{broadcast_dimensions = array<i64: 1, 1, 2, 1, 1>}> : (!kv5) -> !kvr
    %30 = "ttir.reshape"(%29) <{shape = [2 : i32, 4 : i32, 70 : i32, 32 : i32]}> : (!kvr) -> !all
    %31 = "ttir.typecast"(%30) <{conservative_folding = false}> : (!all) -> !allw
    %32 = "ttir.dot_general"(%27, %31) <{batch_dims_lhs = array<i64: 0, 1>, batch_dims_rhs = array<i64: 0, 1>, contract_dims_lhs = array<i64: 3>, contract_dims_rhs = array<i64: 2>}> : (!s, !allw) -> !allw
    %33 = "ttir.typecast"(%32) <{conservative_folding = false}> : (!allw) -> !q
    %34 = "ttir.permute"(%33) <{permutation = array<i64: 0, 2, 1, 3>}> : (!q) -> tensor<2x70x4x32xbf16>
    %35 = "ttir.reshape"(%34) <{shape = [140 : i32, 128 : i32]}> : (tensor<2x70x4x32xbf16>) -> tensor<140x128xbf16>
    return %35 : tensor<140x128xbf16>
  }
}

//--- matrices.mlir
// Batch and heads in one dimension, a scale that comes with the model, places
// to drop, more keys than queries.
!q = tensor<6x37x16xf32>
!k = tensor<6x53x16xf32>
!s3 = tensor<6x37x53xf32>
!s = tensor<2x3x37x53xf32>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>, ring.parallel = #ring.parallel<sequence = 1>} {
  func.func @main(%q: !q, %k: !k, %v: !k, %f: tensor<1x1xf32>) -> !q {
    %keys = "ttir.arange"() <{arange_dimension = 3 : i64, end = 53 : si64, start = 0 : si64, step = 1 : si64}> : () -> tensor<1x1x37x53xf32>
    %rows = "ttir.arange"() <{arange_dimension = 2 : i64, end = 53 : si64, start = 16 : si64, step = 1 : si64}> : () -> tensor<1x1x37x53xf32>
    %hidden = "ttir.gt"(%keys, %rows) : (tensor<1x1x37x53xf32>, tensor<1x1x37x53xf32>) -> tensor<1x1x37x53xi1>
    %low = "ttir.full"() <{fill_value = -1.0e9 : f32, shape = array<i32: 1, 1, 1, 1>}> : () -> tensor<1x1x1x1xf32>
    %0 = "ttir.transpose"(%k) <{dim0 = -2 : si32, dim1 = -1 : si32}> : (!k) -> tensor<6x16x53xf32>
    %1 = "ttir.matmul"(%q, %0) : (!q, tensor<6x16x53xf32>) -> !s3
    %2 = "ttir.reshape"(%1) <{shape = [2 : i32, 3 : i32, 37 : i32, 53 : i32]}> : (!s3) -> !s
    %3 = "ttir.multiply"(%2, %f) : (!s, tensor<1x1xf32>) -> !s
    %4 = "ttir.where"(%hidden, %low, %3) : (tensor<1x1x37x53xi1>, tensor<1x1x1x1xf32>, !s) -> !s
    %5 = "ttir.softmax"(%4) <{dimension = -1 : si32}> : (!s) -> !s
    %6 = "ttir.reshape"(%5) <{shape = [6 : i32, 37 : i32, 53 : i32]}> : (!s) -> !s3
    %7 = "ttir.matmul"(%6, %v) : (!s3, !k) -> !q
    return %7 : !q
  }
}

//--- rows.mlir
// Rows before heads, one key head for all, values before weights.
!q = tensor<1x41x4x32xbf16>
!k = tensor<1x41x1x32xbf16>
!kr = tensor<1x41x4x32xbf16>
!s = tensor<1x4x41x41xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>, ring.parallel = #ring.parallel<sequence = 1>} {
  func.func @main(%q: !q, %k: !k) -> tensor<1x4x32x41xbf16> {
    %c = "ttir.full"() <{fill_value = 8.0 : f32, shape = array<i32: 1, 1, 1, 1>}> : () -> tensor<1x1x1x1xbf16>
    %0 = "ttir.broadcast"(%k) <{broadcast_dimensions = array<i64: 1, 1, 4, 1>}> : (!k) -> !kr
    %1 = "ttir.dot_general"(%q, %0) <{batch_dims_lhs = array<i64: 0, 2>, batch_dims_rhs = array<i64: 0, 2>, contract_dims_lhs = array<i64: 3>, contract_dims_rhs = array<i64: 3>}> : (!q, !kr) -> !s
    %2 = "ttir.div"(%1, %c) : (!s, tensor<1x1x1x1xbf16>) -> !s
    %3 = "ttir.typecast"(%2) <{conservative_folding = false}> : (!s) -> tensor<1x4x41x41xf32>
    %4 = "ttir.softmax"(%3) <{dimension = 3 : si32}> : (tensor<1x4x41x41xf32>) -> tensor<1x4x41x41xf32>
    %5 = "ttir.typecast"(%4) <{conservative_folding = false}> : (tensor<1x4x41x41xf32>) -> !s
    %6 = "ttir.dot_general"(%0, %5) <{batch_dims_lhs = array<i64: 0, 2>, batch_dims_rhs = array<i64: 0, 1>, contract_dims_lhs = array<i64: 1>, contract_dims_rhs = array<i64: 3>}> : (!kr, !s) -> tensor<1x4x32x41xbf16>
    return %6 : tensor<1x4x32x41xbf16>
  }
}

//--- bias.mlir
// A bias for each head beside padding for each batch entry; values of another
// dim, of which there are fewer heads.
!q = tensor<2x4x33x16xf32>
!v = tensor<2x2x33x24xf32>
!vr = tensor<2x4x33x24xf32>
!s = tensor<2x4x33x33xf32>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>, ring.parallel = #ring.parallel<sequence = 1>} {
  func.func @main(%q: !q, %k: !q, %v: !v, %bias: tensor<4x33x33xf32>, %pad: tensor<2x1x1x33xf32>) -> !vr {
    %0 = "ttir.repeat_interleave"(%v) <{dim = 1 : si32, repeats = 2 : ui32}> : (!v) -> !vr
    %1 = "ttir.matmul"(%q, %k) <{transpose_b = true}> : (!q, !q) -> !s
    %2 = "ttir.add"(%1, %bias) : (!s, tensor<4x33x33xf32>) -> !s
    %3 = "ttir.add"(%pad, %2) : (tensor<2x1x1x33xf32>, !s) -> !s
    %4 = "ttir.softmax"(%3) <{dimension = -1 : si32}> : (!s) -> !s
    %5 = "ttir.matmul"(%4, %0) : (!s, !vr) -> !vr
    return %5 : !vr
  }
}

//--- causal.mlir
// Positions decide what a query sees; heads in groups, an odd length.
!q = tensor<1x4x75x32xbf16>
!k = tensor<1x2x75x32xbf16>
!s = tensor<1x4x75x75xbf16>
!p = tensor<1x1x75x75xf32>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>, ring.parallel = #ring.parallel<sequence = 1>} {
  func.func @main(%q: !q, %k: !k, %v: !k) -> !q {
    %rows = "ttir.arange"() <{arange_dimension = 2 : i64, end = 75 : si64, start = 0 : si64, step = 1 : si64}> : () -> !p
    %keys = "ttir.arange"() <{arange_dimension = 3 : i64, end = 75 : si64, start = 0 : si64, step = 1 : si64}> : () -> !p
    %hidden = "ttir.lt"(%rows, %keys) : (!p, !p) -> tensor<1x1x75x75xi1>
    %low = "ttir.full"() <{fill_value = -3.0e38 : f32, shape = array<i32: 1, 1, 1, 1>}> : () -> tensor<1x1x1x1xbf16>
    %0 = "ttir.repeat_interleave"(%k) <{dim = 1 : si32, repeats = 2 : ui32}> : (!k) -> !q
    %1 = "ttir.repeat_interleave"(%v) <{dim = 1 : si32, repeats = 2 : ui32}> : (!k) -> !q
    %2 = "ttir.matmul"(%q, %0) <{transpose_b = true}> : (!q, !q) -> !s
    %3 = "ttir.where"(%hidden, %low, %2) : (tensor<1x1x75x75xi1>, tensor<1x1x1x1xbf16>, !s) -> !s
    %4 = "ttir.softmax"(%3) <{dimension = -1 : si32}> : (!s) -> !s
    %5 = "ttir.matmul"(%4, %1) : (!s, !q) -> !q
    return %5 : !q
  }
}

//--- sink.mlir
// One more score for each head, which takes weight and has no value.
!q = tensor<2x4x39x16xf32>
!s = tensor<2x4x39x39xf32>
!p = tensor<2x4x39x40xf32>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>, ring.parallel = #ring.parallel<sequence = 1>} {
  func.func @main(%q: !q, %k: !q, %v: !q, %sink: tensor<4xf32>) -> !q {
    %0 = "ttir.reshape"(%sink) <{shape = [1 : i32, 4 : i32, 1 : i32, 1 : i32]}> : (tensor<4xf32>) -> tensor<1x4x1x1xf32>
    %1 = "ttir.broadcast"(%0) <{broadcast_dimensions = array<i64: 2, 1, 39, 1>}> : (tensor<1x4x1x1xf32>) -> tensor<2x4x39x1xf32>
    %2 = "ttir.matmul"(%q, %k) <{transpose_b = true}> : (!q, !q) -> !s
    %3 = "ttir.concat"(%2, %1) <{dim = -1 : si32}> : (!s, tensor<2x4x39x1xf32>) -> !p
    %4 = "ttir.max"(%3) <{dim_arg = [-1 : i32], keep_dim = true}> : (!p) -> tensor<2x4x39x1xf32>
    %5 = "ttir.subtract"(%3, %4) : (!p, tensor<2x4x39x1xf32>) -> !p
    %6 = "ttir.softmax"(%5) <{dimension = -1 : si32}> : (!p) -> !p
    %7 = "ttir.slice_static"(%6) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [2 : i32, 4 : i32, 39 : i32, 39 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!p) -> !s
    %8 = "ttir.matmul"(%7, %v) : (!s, !q) -> !q
    return %8 : !q
  }
}

//--- shards.mlir
// One device's program: its own queries, keys and values of all.
!local = tensor<1x2x16x8xf32>
!whole = tensor<1x2x64x8xf32>
!heads = tensor<1x4x64x8xf32>
!q = tensor<1x4x16x8xf32>
!s = tensor<1x4x16x64xf32>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  func.func @main(%q: tensor<1x4x64x8xf32>, %k: !whole) -> tensor<1x4x64x8xf32> {
    %a = "ttir.mesh_shard"(%q) <{shard_dims = array<i64: -1, 2>, shard_direction = #ttcore.shard_direction<full_to_shard>, shard_shape = array<i64: 1, 1, 4, 1>, shard_type = #ttcore.shard_type<devices>}> : (tensor<1x4x64x8xf32>) -> !q
    %b = "ttir.mesh_shard"(%k) <{shard_dims = array<i64: -1, 2>, shard_direction = #ttcore.shard_direction<full_to_shard>, shard_shape = array<i64: 1, 1, 4, 1>, shard_type = #ttcore.shard_type<devices>}> : (!whole) -> !local
    %0 = "ttir.all_gather"(%b) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!local) -> !whole
    %1 = "ttir.repeat_interleave"(%0) <{dim = 1 : si32, repeats = 2 : ui32}> : (!whole) -> !heads
    %2 = "ttir.matmul"(%a, %1) <{transpose_b = true}> : (!q, !heads) -> !s
    %3 = "ttir.softmax"(%2) <{dimension = -1 : si32}> : (!s) -> !s
    %4 = "ttir.matmul"(%3, %1) : (!s, !heads) -> !q
    %5 = "ttir.mesh_shard"(%4) <{shard_dims = array<i64: -1, 2>, shard_direction = #ttcore.shard_direction<shard_to_full>, shard_shape = array<i64: 1, 1, 4, 1>, shard_type = #ttcore.shard_type<devices>}> : (!q) -> tensor<1x4x64x8xf32>
    return %5 : tensor<1x4x64x8xf32>
  }
}
