// SPDX-License-Identifier: Apache-2.0
// A softmax between two products is an attention, however it is spelled. One
// function for each spelling.

// RUN: ring-opt %s --ring-raise --split-input-file | FileCheck %s

!t = tensor<2x4x6x16xf32>
!tt = tensor<2x4x16x6xf32>
!s = tensor<2x4x6x6xf32>
!one = tensor<1x1x1x1xf32>

module attributes {ring.parallel = #ring.parallel<sequence = 1>} {
  // 0.25 is 1 / sqrt(16), which need not be said.
  // CHECK-LABEL: func.func @scaled_scores(
  // CHECK-SAME: %[[Q:.+]]: tensor<2x4x6x16xf32>, %[[K:.+]]: tensor<2x4x6x16xf32>, %[[V:.+]]: tensor
  // CHECK-NEXT: %[[OUT:.+]] = ring.attention %[[Q]], %[[K]], %[[V]] parallel(<sequence = 1>) :
  // CHECK-NEXT: return %[[OUT]]
  func.func @scaled_scores(%q: !t, %k: !t, %v: !t) -> !t {
    %c = "ttir.full"() <{fill_value = 0.25 : f32, shape = array<i32: 1, 1, 1, 1>}> : () -> !one
    %0 = "ttir.transpose"(%k) <{dim0 = -2 : si32, dim1 = -1 : si32}> : (!t) -> !tt
    %1 = "ttir.matmul"(%q, %0) : (!t, !tt) -> !s
    %2 = "ttir.multiply"(%1, %c) : (!s, !one) -> !s
    %3 = "ttir.softmax"(%2) <{dimension = -1 : si32}> : (!s) -> !s
    %4 = "ttir.matmul"(%3, %v) : (!s, !t) -> !t
    return %4 : !t
  }

  // CHECK-LABEL: func.func @divided_scores(
  // CHECK: ring.attention {{.*}} scale(5.000000e-01) parallel
  func.func @divided_scores(%q: !t, %k: !t, %v: !t) -> !t {
    %c = "ttir.constant"() <{value = dense<2.0> : !s}> : () -> !s
    %1 = "ttir.matmul"(%q, %k) <{transpose_b = true}> : (!t, !t) -> !s
    %2 = "ttir.div"(%1, %c) : (!s, !s) -> !s
    %3 = "ttir.softmax"(%2) <{dimension = 3 : si32}> : (!s) -> !s
    %4 = "ttir.matmul"(%3, %v) : (!s, !t) -> !t
    return %4 : !t
  }

  // CHECK-LABEL: func.func @no_scale(
  // CHECK: ring.attention {{.*}} scale(1.000000e+00) parallel
  func.func @no_scale(%q: !t, %k: !t, %v: !t) -> !t {
    %1 = "ttir.matmul"(%q, %k) <{transpose_b = true}> : (!t, !t) -> !s
    %3 = "ttir.softmax"(%1) <{dimension = -1 : si32}> : (!s) -> !s
    %4 = "ttir.matmul"(%3, %v) : (!s, !t) -> !t
    return %4 : !t
  }

  // A number on the left, the root of another on the right, and keys that are
  // multiplied once they are transposed.
  // CHECK-LABEL: func.func @scaled_operands(
  // CHECK-SAME: %[[Q:.+]]: tensor<2x4x6x16xf32>, %[[K:.+]]: tensor<2x4x6x16xf32>, %[[V:.+]]: tensor
  // CHECK-NEXT: ring.attention %[[Q]], %[[K]], %[[V]] parallel
  func.func @scaled_operands(%q: !t, %k: !t, %v: !t) -> !t {
    %half = "ttir.full"() <{fill_value = 0.5 : f32, shape = array<i32: 2, 4, 6, 16>}> : () -> !t
    %four = "ttir.full"() <{fill_value = 4.0 : f32, shape = array<i32: 1, 1, 1, 1>}> : () -> !one
    %root = "ttir.rsqrt"(%four) : (!one) -> !one
    %0 = "ttir.multiply"(%half, %q) : (!t, !t) -> !t
    %1 = "ttir.permute"(%k) <{permutation = array<i64: 0, 1, 3, 2>}> : (!t) -> !tt
    %2 = "ttir.multiply"(%1, %root) : (!tt, !one) -> !tt
    %3 = "ttir.matmul"(%0, %2) : (!t, !tt) -> !s
    %4 = "ttir.softmax"(%3) <{dimension = -1 : si32}> : (!s) -> !s
    %5 = "ttir.matmul"(%4, %v) : (!s, !t) -> !t
    return %5 : !t
  }

  // A scale that only the running program knows goes into the queries.
  // CHECK-LABEL: func.func @scale_at_run_time(
  // CHECK-SAME: %[[Q:.+]]: tensor<2x4x6x16xf32>, %[[K:.+]]: tensor<2x4x6x16xf32>, %[[F:.+]]: tensor<1x1xf32>
  // CHECK: %[[FOUR:.+]] = "ttir.reshape"(%[[F]])
  // CHECK: %[[ALL:.+]] = "ttir.broadcast"(%[[FOUR]])
  // CHECK: %[[SCALED:.+]] = "ttir.multiply"(%[[Q]], %[[ALL]])
  // CHECK: ring.attention %[[SCALED]], %[[K]], %[[K]] scale(1.000000e+00)
  func.func @scale_at_run_time(%q: !t, %k: !t, %f: tensor<1x1xf32>) -> !t {
    %1 = "ttir.matmul"(%q, %k) <{transpose_b = true}> : (!t, !t) -> !s
    %2 = "ttir.multiply"(%1, %f) : (!s, tensor<1x1xf32>) -> !s
    %3 = "ttir.softmax"(%2) <{dimension = -1 : si32}> : (!s) -> !s
    %4 = "ttir.matmul"(%3, %k) : (!s, !t) -> !t
    return %4 : !t
  }

  // CHECK-LABEL: func.func @added_mask(
  // CHECK-SAME: %[[M:[^:]+]]: tensor<1x1x6x6xf32>
  // CHECK: ring.attention {{.*}} mask(%[[M]] : tensor<1x1x6x6xf32>)
  func.func @added_mask(%q: !t, %k: !t, %m: tensor<1x1x6x6xf32>) -> !t {
    %0 = "ttir.broadcast"(%m) <{broadcast_dimensions = array<i64: 2, 4, 1, 1>}> : (tensor<1x1x6x6xf32>) -> !s
    %1 = "ttir.matmul"(%q, %k) <{transpose_b = true}> : (!t, !t) -> !s
    %2 = "ttir.add"(%0, %1) : (!s, !s) -> !s
    %3 = "ttir.softmax"(%2) <{dimension = -1 : si32}> : (!s) -> !s
    %4 = "ttir.matmul"(%3, %k) : (!s, !t) -> !t
    return %4 : !t
  }

  // A bias for each head and padding that hides keys, both in fewer dimensions
  // than the scores, are one mask.
  // CHECK-LABEL: func.func @two_masks(
  // CHECK-SAME: %[[B:[^:]+]]: tensor<4x6x6xf32>, %[[P:[^:]+]]: tensor<2x1x1x6xf32>
  // CHECK-DAG: %[[BIAS:.+]] = "ttir.reshape"(%[[B]]) {{.*}} -> tensor<1x4x6x6xf32>
  // CHECK-DAG: %[[BIASES:.+]] = "ttir.broadcast"(%[[BIAS]]) {{.*}} -> tensor<2x4x6x6xf32>
  // CHECK-DAG: %[[PADS:.+]] = "ttir.broadcast"(%[[P]]) {{.*}} -> tensor<2x4x6x6xf32>
  // CHECK: %[[M:.+]] = "ttir.add"(%[[BIASES]], %[[PADS]])
  // CHECK: ring.attention {{.*}} mask(%[[M]] :
  func.func @two_masks(%q: !t, %k: !t, %b: tensor<4x6x6xf32>, %p: tensor<2x1x1x6xf32>) -> !t {
    %1 = "ttir.matmul"(%q, %k) <{transpose_b = true}> : (!t, !t) -> !s
    %2 = "ttir.add"(%1, %b) : (!s, tensor<4x6x6xf32>) -> !s
    %3 = "ttir.add"(%2, %p) : (!s, tensor<2x1x1x6xf32>) -> !s
    %4 = "ttir.softmax"(%3) <{dimension = -1 : si32}> : (!s) -> !s
    %5 = "ttir.matmul"(%4, %k) : (!s, !t) -> !t
    return %5 : !t
  }

  // One more column of scores, which the probabilities lose, is a sink.
  // CHECK-LABEL: func.func @sink(
  // CHECK-SAME: %[[S:[^:]+]]: tensor<1x4x1x1xf32>
  // CHECK-NEXT: ring.attention {{.*}} sink(%[[S]] : tensor<1x4x1x1xf32>)
  // CHECK-NEXT: return
  func.func @sink(%q: !t, %s: tensor<1x4x1x1xf32>) -> !t {
    %0 = "ttir.broadcast"(%s) <{broadcast_dimensions = array<i64: 2, 1, 6, 1>}> : (tensor<1x4x1x1xf32>) -> tensor<2x4x6x1xf32>
    %1 = "ttir.matmul"(%q, %q) <{transpose_b = true}> : (!t, !t) -> !s
    %2 = "ttir.concat"(%1, %0) <{dim = 3 : si32}> : (!s, tensor<2x4x6x1xf32>) -> tensor<2x4x6x7xf32>
    %3 = "ttir.softmax"(%2) <{dimension = -1 : si32}> : (tensor<2x4x6x7xf32>) -> tensor<2x4x6x7xf32>
    %4 = "ttir.slice_static"(%3) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [2 : i32, 4 : i32, 6 : i32, 6 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<2x4x6x7xf32>) -> !s
    %5 = "ttir.matmul"(%4, %q) : (!s, !t) -> !t
    return %5 : !t
  }

  // CHECK-LABEL: func.func @where_mask(
  // CHECK-SAME: %[[C:[^:]+]]: tensor<2x1x6x6xi1>
  // CHECK-DAG: %[[ZERO:.+]] = "ttir.full"() <{fill_value = 0.000000e+00 : f32, shape = array<i32: 2, 1, 6, 6>}>
  // CHECK-DAG: %[[LOW:.+]] = "ttir.full"() <{fill_value = -1.000000e+09 : f32, shape = array<i32: 2, 1, 6, 6>}>
  // CHECK: %[[M:.+]] = "ttir.where"(%[[C]], %[[ZERO]], %[[LOW]])
  // CHECK: ring.attention {{.*}} mask(%[[M]] :
  func.func @where_mask(%q: !t, %k: !t, %c: tensor<2x1x6x6xi1>) -> !t {
    %low = "ttir.full"() <{fill_value = -1.0e9 : f32, shape = array<i32: 1, 1, 1, 1>}> : () -> !one
    %1 = "ttir.matmul"(%q, %k) <{transpose_b = true}> : (!t, !t) -> !s
    %2 = "ttir.where"(%c, %1, %low) : (tensor<2x1x6x6xi1>, !s, !one) -> !s
    %3 = "ttir.softmax"(%2) <{dimension = -1 : si32}> : (!s) -> !s
    %4 = "ttir.matmul"(%3, %k) : (!s, !t) -> !t
    return %4 : !t
  }
}

// -----

!t = tensor<1x2x3x16xbf16>
!tt = tensor<1x2x16x3xbf16>
!s = tensor<1x2x3x3xbf16>

// Constants that only say "causal", as numbers to add and as places to drop.
module attributes {ring.parallel = #ring.parallel<sequence = 1>} {
  // CHECK-LABEL: func.func @causal_numbers(
  // CHECK-NEXT: ring.attention {{.*}} pattern(#ring.causal)
  // CHECK-NEXT: return
  func.func @causal_numbers(%q: !t, %k: !t) -> !t {
    %m = "ttir.constant"() <{value = dense<[[0.0, -3.4e38, -3.4e38], [0.0, 0.0, -3.4e38], [0.0, 0.0, 0.0]]> : tensor<3x3xf32>}> : () -> tensor<3x3xf32>
    %0 = "ttir.typecast"(%m) <{conservative_folding = false}> : (tensor<3x3xf32>) -> tensor<3x3xbf16>
    %1 = "ttir.reshape"(%0) <{shape = [1 : i32, 1 : i32, 3 : i32, 3 : i32]}> : (tensor<3x3xbf16>) -> tensor<1x1x3x3xbf16>
    %2 = "ttir.broadcast"(%1) <{broadcast_dimensions = array<i64: 1, 2, 1, 1>}> : (tensor<1x1x3x3xbf16>) -> !s
    %3 = "ttir.matmul"(%q, %k) <{transpose_b = true}> : (!t, !t) -> !s
    %4 = "ttir.add"(%3, %2) : (!s, !s) -> !s
    %5 = "ttir.softmax"(%4) <{dimension = -1 : si32}> : (!s) -> !s
    %6 = "ttir.matmul"(%5, %k) : (!s, !t) -> !t
    return %6 : !t
  }

  // CHECK-LABEL: func.func @causal_places(
  // CHECK-NEXT: ring.attention {{.*}} pattern(#ring.causal)
  // CHECK-NEXT: return
  func.func @causal_places(%q: !t, %k: !t) -> !t {
    %c = "ttir.constant"() <{value = dense<[[false, true, true], [false, false, true], [false, false, false]]> : tensor<3x3xi1>}> : () -> tensor<3x3xi1>
    %low = "ttir.constant"() <{value = dense<0xFF80> : !s}> : () -> !s
    %3 = "ttir.matmul"(%q, %k) <{transpose_b = true}> : (!t, !t) -> !s
    %4 = "ttir.where"(%c, %low, %3) : (tensor<3x3xi1>, !s, !s) -> !s
    %5 = "ttir.softmax"(%4) <{dimension = -1 : si32}> : (!s) -> !s
    %6 = "ttir.matmul"(%5, %k) : (!s, !t) -> !t
    return %6 : !t
  }
}

// -----

!t = tensor<2x2x300x16xbf16>
!s = tensor<2x2x300x300xbf16>
!p = tensor<1x1x300x300xi32>
!i = tensor<1x1x300x300xi1>

// Masks that compare the positions of queries and keys are causal too, if they
// do so by one.
module attributes {ring.parallel = #ring.parallel<sequence = 1>} {
  // CHECK-LABEL: func.func @computed(
  // CHECK-NEXT: ring.attention {{.*}} pattern(#ring.causal)
  // CHECK-NEXT: return
  func.func @computed(%q: !t) -> !t {
    %rows = "ttir.arange"() <{arange_dimension = 2 : i64, end = 300 : si64, start = 0 : si64, step = 1 : si64}> : () -> !p
    %keys = "ttir.arange"() <{arange_dimension = 3 : i64, end = 300 : si64, start = 0 : si64, step = 1 : si64}> : () -> !p
    %sees = "ttir.ge"(%rows, %keys) : (!p, !p) -> !i
    %low = "ttir.full"() <{fill_value = -3.0e38 : f32, shape = array<i32: 1, 1, 1, 1>}> : () -> tensor<1x1x1x1xbf16>
    %0 = "ttir.matmul"(%q, %q) <{transpose_b = true}> : (!t, !t) -> !s
    %1 = "ttir.where"(%sees, %0, %low) : (!i, !s, tensor<1x1x1x1xbf16>) -> !s
    %2 = "ttir.softmax"(%1) <{dimension = -1 : si32}> : (!s) -> !s
    %3 = "ttir.matmul"(%2, %q) : (!s, !t) -> !t
    return %3 : !t
  }

  // What is hidden, from one list of positions in two shapes, for each batch
  // entry, and as a tensor that is added.
  // CHECK-LABEL: func.func @computed_for_batches(
  // CHECK-NEXT: ring.attention {{.*}} pattern(#ring.causal)
  // CHECK-NEXT: return
  func.func @computed_for_batches(%q: !t) -> !t {
    %list = "ttir.arange"() <{arange_dimension = 0 : i64, end = 300 : si64, start = 0 : si64, step = 1 : si64}> : () -> tensor<300xi64>
    %one = "ttir.full"() <{fill_value = 1 : i32, shape = array<i32: 300>}> : () -> tensor<300xi64>
    %next = "ttir.add"(%list, %one) : (tensor<300xi64>, tensor<300xi64>) -> tensor<300xi64>
    %zero = "ttir.zeros"() <{shape = array<i32: 2, 1, 300, 300>}> : () -> tensor<2x1x300x300xbf16>
    %low = "ttir.constant"() <{value = dense<0xFF80> : tensor<2x1x300x300xbf16>}> : () -> tensor<2x1x300x300xbf16>
    %0 = "ttir.reshape"(%next) <{shape = [300 : i32, 1 : i32]}> : (tensor<300xi64>) -> tensor<300x1xi64>
    %1 = "ttir.reshape"(%list) <{shape = [1 : i32, 1 : i32, 300 : i32]}> : (tensor<300xi64>) -> tensor<1x1x300xi64>
    %2 = "ttir.broadcast"(%1) <{broadcast_dimensions = array<i64: 1, 300, 1>}> : (tensor<1x1x300xi64>) -> tensor<1x300x300xi64>
    %3 = "ttir.ge"(%2, %0) : (tensor<1x300x300xi64>, tensor<300x1xi64>) -> tensor<1x300x300xi1>
    %4 = "ttir.reshape"(%3) <{shape = [1 : i32, 1 : i32, 300 : i32, 300 : i32]}> : (tensor<1x300x300xi1>) -> !i
    %5 = "ttir.broadcast"(%4) <{broadcast_dimensions = array<i64: 2, 1, 1, 1>}> : (!i) -> tensor<2x1x300x300xi1>
    %6 = "ttir.where"(%5, %low, %zero) : (tensor<2x1x300x300xi1>, tensor<2x1x300x300xbf16>, tensor<2x1x300x300xbf16>) -> tensor<2x1x300x300xbf16>
    %7 = "ttir.broadcast"(%6) <{broadcast_dimensions = array<i64: 1, 2, 1, 1>}> : (tensor<2x1x300x300xbf16>) -> !s
    %8 = "ttir.matmul"(%q, %q) <{transpose_b = true}> : (!t, !t) -> !s
    %9 = "ttir.add"(%8, %7) : (!s, !s) -> !s
    %10 = "ttir.softmax"(%9) <{dimension = -1 : si32}> : (!s) -> !s
    %11 = "ttir.matmul"(%10, %q) : (!s, !t) -> !t
    return %11 : !t
  }

  // Of an op, and without the diagonal: that is a mask.
  // CHECK-LABEL: func.func @computed_strictly(
  // CHECK: ring.attention {{.*}} mask(
  func.func @computed_strictly(%q: !t) -> !t {
    %rows = "ttir.arange"() <{arange_dimension = 2 : i64, end = 300 : si64, start = 0 : si64, step = 1 : si64}> : () -> !p
    %keys = "ttir.arange"() <{arange_dimension = 3 : i64, end = 300 : si64, start = 0 : si64, step = 1 : si64}> : () -> !p
    %sees = "ttir.lt"(%keys, %rows) : (!p, !p) -> !i
    %zero = "ttir.zeros"() <{shape = array<i32: 1, 1, 300, 300>}> : () -> tensor<1x1x300x300xbf16>
    %low = "ttir.full"() <{fill_value = -3.0e38 : f32, shape = array<i32: 1, 1, 300, 300>}> : () -> tensor<1x1x300x300xbf16>
    %m = "ttir.where"(%sees, %zero, %low) : (!i, tensor<1x1x300x300xbf16>, tensor<1x1x300x300xbf16>) -> tensor<1x1x300x300xbf16>
    %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q, %m) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (!t, !t, !t, tensor<1x1x300x300xbf16>) -> !t
    return %0 : !t
  }

  // bf16 has one number for the positions 256 and 257.
  // CHECK-LABEL: func.func @positions_in_bf16(
  // CHECK: ring.attention {{.*}} mask(
  func.func @positions_in_bf16(%q: !t) -> !t {
    %rows = "ttir.arange"() <{arange_dimension = 2 : i64, end = 300 : si64, start = 0 : si64, step = 1 : si64}> : () -> tensor<1x1x300x300xbf16>
    %keys = "ttir.arange"() <{arange_dimension = 3 : i64, end = 300 : si64, start = 0 : si64, step = 1 : si64}> : () -> tensor<1x1x300x300xbf16>
    %sees = "ttir.ge"(%rows, %keys) : (tensor<1x1x300x300xbf16>, tensor<1x1x300x300xbf16>) -> !i
    %low = "ttir.full"() <{fill_value = -3.0e38 : f32, shape = array<i32: 1, 1, 1, 1>}> : () -> tensor<1x1x1x1xbf16>
    %0 = "ttir.matmul"(%q, %q) <{transpose_b = true}> : (!t, !t) -> !s
    %1 = "ttir.where"(%sees, %0, %low) : (!i, !s, tensor<1x1x1x1xbf16>) -> !s
    %2 = "ttir.softmax"(%1) <{dimension = -1 : si32}> : (!s) -> !s
    %3 = "ttir.matmul"(%2, %q) : (!s, !t) -> !t
    return %3 : !t
  }
}

// -----

!q = tensor<2x4x6x16xbf16>
!kv = tensor<2x2x6x16xbf16>
!w = tensor<2x4x6x16xf32>
!wt = tensor<2x4x16x6xf32>
!s = tensor<2x4x6x6xf32>
!i = tensor<2x4x6x6xi1>

// Key heads are repeated, products and softmax are wider than what goes in and
// out, and the softmax is spelled out too.
module attributes {ring.parallel = #ring.parallel<sequence = 1>} {
  // CHECK-LABEL: func.func @all_spelled_out(
  // CHECK-SAME: %[[Q:.+]]: tensor<2x4x6x16xbf16>, %[[K:.+]]: tensor<2x2x6x16xbf16>, %[[V:.+]]: tensor<2x2x6x16xbf16>
  // CHECK-NEXT: %[[OUT:.+]] = ring.attention %[[Q]], %[[K]], %[[V]] scale(1.000000e+00) parallel
  // CHECK-SAME: -> tensor<2x4x6x16xbf16>
  // CHECK-NEXT: return %[[OUT]]
  func.func @all_spelled_out(%q: !q, %k: !kv, %v: !kv) -> !q {
    %zero = "ttir.constant"() <{value = dense<0.0> : !s}> : () -> !s
    %inf = "ttir.constant"() <{value = dense<0xFF800000> : !s}> : () -> !s
    %0 = "ttir.typecast"(%q) <{conservative_folding = false}> : (!q) -> !w
    %1 = "ttir.reshape"(%k) <{shape = [2 : i32, 2 : i32, 1 : i32, 6 : i32, 16 : i32]}> : (!kv) -> tensor<2x2x1x6x16xbf16>
    %2 = "ttir.broadcast"(%1) <{broadcast_dimensions = array<i64: 1, 1, 2, 1, 1>}> : (tensor<2x2x1x6x16xbf16>) -> tensor<2x2x2x6x16xbf16>
    %3 = "ttir.reshape"(%2) <{shape = [2 : i32, 4 : i32, 6 : i32, 16 : i32]}> : (tensor<2x2x2x6x16xbf16>) -> !q
    %4 = "ttir.typecast"(%3) <{conservative_folding = false}> : (!q) -> !w
    %5 = "ttir.permute"(%4) <{permutation = array<i64: 0, 1, 3, 2>}> : (!w) -> !wt
    %6 = "ttir.dot_general"(%0, %5) <{batch_dims_lhs = array<i64: 0, 1>, batch_dims_rhs = array<i64: 0, 1>, contract_dims_lhs = array<i64: 3>, contract_dims_rhs = array<i64: 2>}> : (!w, !wt) -> !s
    %7 = "ttir.eq"(%6, %inf) : (!s, !s) -> !i
    %8 = "ttir.logical_not"(%7) : (!i) -> !i
    %9 = "ttir.reduce_or"(%8) <{dim_arg = [3 : i32], keep_dim = true}> : (!i) -> tensor<2x4x6x1xi1>
    %10 = "ttir.logical_not"(%9) : (tensor<2x4x6x1xi1>) -> tensor<2x4x6x1xi1>
    %11 = "ttir.broadcast"(%10) <{broadcast_dimensions = array<i64: 1, 1, 1, 6>}> : (tensor<2x4x6x1xi1>) -> !i
    %12 = "ttir.max"(%6) <{dim_arg = [3 : i32], keep_dim = false}> : (!s) -> tensor<2x4x6xf32>
    %13 = "ttir.reshape"(%12) <{shape = [2 : i32, 4 : i32, 6 : i32, 1 : i32]}> : (tensor<2x4x6xf32>) -> tensor<2x4x6x1xf32>
    %14 = "ttir.broadcast"(%13) <{broadcast_dimensions = array<i64: 1, 1, 1, 6>}> : (tensor<2x4x6x1xf32>) -> !s
    %15 = "ttir.subtract"(%6, %14) : (!s, !s) -> !s
    %16 = "ttir.exp"(%15) : (!s) -> !s
    %17 = "ttir.sum"(%16) <{dim_arg = [-1 : i32], keep_dim = true}> : (!s) -> tensor<2x4x6x1xf32>
    %18 = "ttir.div"(%16, %17) : (!s, tensor<2x4x6x1xf32>) -> !s
    %19 = "ttir.where"(%11, %zero, %18) : (!i, !s, !s) -> !s
    %20 = "ttir.repeat_interleave"(%v) <{dim = 1 : si32, repeats = 2 : ui32}> : (!kv) -> !q
    %21 = "ttir.typecast"(%20) <{conservative_folding = false}> : (!q) -> !w
    %22 = "ttir.dot_general"(%19, %21) <{batch_dims_lhs = array<i64: 0, 1>, batch_dims_rhs = array<i64: 0, 1>, contract_dims_lhs = array<i64: 3>, contract_dims_rhs = array<i64: 2>}> : (!s, !w) -> !w
    %23 = "ttir.typecast"(%22) <{conservative_folding = false}> : (!w) -> !q
    return %23 : !q
  }

  // The other way to ask: rows that have a key are kept. The output stays wide,
  // and so do the operands.
  // CHECK-LABEL: func.func @rows_with_keys(
  // CHECK-COUNT-2: "ttir.typecast"
  // CHECK-NEXT: ring.attention {{.*}} : tensor<2x4x6x16xf32>, tensor<2x4x6x16xf32>, tensor<2x4x6x16xf32> -> tensor<2x4x6x16xf32>
  // CHECK-NEXT: return
  func.func @rows_with_keys(%q: !q, %k: !q) -> !w {
    %zero = "ttir.zeros"() <{shape = array<i32: 2, 4, 6, 6>}> : () -> !s
    %inf = "ttir.constant"() <{value = dense<0xFF800000> : !s}> : () -> !s
    %0 = "ttir.typecast"(%q) <{conservative_folding = false}> : (!q) -> !w
    %1 = "ttir.typecast"(%k) <{conservative_folding = false}> : (!q) -> !w
    %6 = "ttir.matmul"(%0, %1) <{transpose_b = true}> : (!w, !w) -> !s
    %7 = "ttir.eq"(%6, %inf) : (!s, !s) -> !i
    %8 = "ttir.logical_not"(%7) : (!i) -> !i
    %9 = "ttir.reduce_or"(%8) <{dim_arg = [3 : i32], keep_dim = true}> : (!i) -> tensor<2x4x6x1xi1>
    %10 = "ttir.softmax"(%6) <{dimension = -1 : si32}> : (!s) -> !s
    %11 = "ttir.where"(%9, %10, %zero) : (tensor<2x4x6x1xi1>, !s, !s) -> !s
    %12 = "ttir.matmul"(%11, %1) : (!s, !w) -> !w
    return %12 : !w
  }

  // One key head for all, by the product's own broadcasting, and a softmax
  // without a maximum, in a wider type only around it.
  // CHECK-LABEL: func.func @one_key_head(
  // CHECK-SAME: %[[Q:.+]]: tensor<2x4x6x16xbf16>, %[[K:.+]]: tensor<2x1x6x16xbf16>
  // CHECK-NEXT: ring.attention %[[Q]], %[[K]], %[[K]]
  func.func @one_key_head(%q: !q, %k: tensor<2x1x6x16xbf16>) -> !q {
    %0 = "ttir.matmul"(%q, %k) <{transpose_b = true}> : (!q, tensor<2x1x6x16xbf16>) -> tensor<2x4x6x6xbf16>
    %1 = "ttir.typecast"(%0) <{conservative_folding = false}> : (tensor<2x4x6x6xbf16>) -> !s
    %2 = "ttir.exp"(%1) : (!s) -> !s
    %3 = "ttir.sum"(%2) <{dim_arg = [3 : i32], keep_dim = true}> : (!s) -> tensor<2x4x6x1xf32>
    %4 = "ttir.broadcast"(%3) <{broadcast_dimensions = array<i64: 1, 1, 1, 6>}> : (tensor<2x4x6x1xf32>) -> !s
    %5 = "ttir.div"(%2, %4) : (!s, !s) -> !s
    %6 = "ttir.typecast"(%5) <{conservative_folding = false}> : (!s) -> tensor<2x4x6x6xbf16>
    %7 = "ttir.matmul"(%6, %k) : (tensor<2x4x6x6xbf16>, tensor<2x1x6x16xbf16>) -> !q
    return %7 : !q
  }

  // JAX: rows before heads in the products, a softmax whose maximum is held to
  // -inf once more, and the values before the weights.
  // CHECK-LABEL: func.func @jax(
  // CHECK: %[[OUT:.+]] = ring.attention %{{.+}}, %{{.+}}, %{{.+}} parallel{{.+}} -> tensor<2x4x6x16xbf16>
  // CHECK-NEXT: "ttir.permute"(%[[OUT]])
  // CHECK-NOT: ttir.exp
  func.func @jax(%q: tensor<2x6x4x16xbf16>, %k: tensor<2x6x4x16xbf16>, %v: tensor<2x6x4x16xbf16>) -> tensor<2x6x4x16xbf16> {
    %quarter = "ttir.constant"() <{value = dense<2.5e-01> : !s}> : () -> !s
    %low = "ttir.constant"() <{value = dense<0xFF800000> : tensor<2x4x6xf32>}> : () -> tensor<2x4x6xf32>
    %0 = "ttir.dot_general"(%q, %k) <{batch_dims_lhs = array<i64: 0, 2>, batch_dims_rhs = array<i64: 0, 2>, contract_dims_lhs = array<i64: 3>, contract_dims_rhs = array<i64: 3>}> : (tensor<2x6x4x16xbf16>, tensor<2x6x4x16xbf16>) -> !s
    %1 = "ttir.multiply"(%0, %quarter) : (!s, !s) -> !s
    %2 = "ttir.max"(%1) <{dim_arg = [3 : i32], keep_dim = false}> : (!s) -> tensor<2x4x6xf32>
    %3 = "ttir.maximum"(%low, %2) : (tensor<2x4x6xf32>, tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
    %4 = "ttir.reshape"(%3) <{shape = [2 : i32, 4 : i32, 6 : i32, 1 : i32]}> : (tensor<2x4x6xf32>) -> tensor<2x4x6x1xf32>
    %5 = "ttir.broadcast"(%4) <{broadcast_dimensions = array<i64: 1, 1, 1, 6>}> : (tensor<2x4x6x1xf32>) -> !s
    %6 = "ttir.subtract"(%1, %5) : (!s, !s) -> !s
    %7 = "ttir.exp"(%6) : (!s) -> !s
    %8 = "ttir.sum"(%7) <{dim_arg = [3 : i32], keep_dim = false}> : (!s) -> tensor<2x4x6xf32>
    %9 = "ttir.reshape"(%8) <{shape = [2 : i32, 4 : i32, 6 : i32, 1 : i32]}> : (tensor<2x4x6xf32>) -> tensor<2x4x6x1xf32>
    %10 = "ttir.broadcast"(%9) <{broadcast_dimensions = array<i64: 1, 1, 1, 6>}> : (tensor<2x4x6x1xf32>) -> !s
    %11 = "ttir.div"(%7, %10) : (!s, !s) -> !s
    %12 = "ttir.typecast"(%11) <{conservative_folding = false}> : (!s) -> tensor<2x4x6x6xbf16>
    %13 = "ttir.dot_general"(%v, %12) <{batch_dims_lhs = array<i64: 0, 2>, batch_dims_rhs = array<i64: 0, 1>, contract_dims_lhs = array<i64: 1>, contract_dims_rhs = array<i64: 3>}> : (tensor<2x6x4x16xbf16>, tensor<2x4x6x6xbf16>) -> tensor<2x4x16x6xbf16>
    %14 = "ttir.permute"(%13) <{permutation = array<i64: 0, 3, 1, 2>}> : (tensor<2x4x16x6xbf16>) -> tensor<2x6x4x16xbf16>
    return %14 : tensor<2x6x4x16xbf16>
  }

  // Keys have a head for each query head, values one for two of them.
  // CHECK-LABEL: func.func @other_value_heads(
  // CHECK-SAME: %[[Q:.+]]: tensor<2x4x6x16xbf16>, %[[V:.+]]: tensor<2x2x6x16xbf16>
  // CHECK: %[[VALUES:.+]] = "ttir.repeat_interleave"(%[[V]]) <{dim = 1 : si32, repeats = 2 : ui32}>
  // CHECK: ring.attention %[[Q]], %[[Q]], %[[VALUES]]
  func.func @other_value_heads(%q: !q, %v: !kv) -> !q {
    %0 = "ttir.matmul"(%q, %q) <{transpose_b = true}> : (!q, !q) -> tensor<2x4x6x6xbf16>
    %1 = "ttir.softmax"(%0) <{dimension = -1 : si32}> : (tensor<2x4x6x6xbf16>) -> tensor<2x4x6x6xbf16>
    %2 = "ttir.repeat_interleave"(%v) <{dim = 1 : si32, repeats = 2 : ui32}> : (!kv) -> !q
    %3 = "ttir.matmul"(%1, %2) : (tensor<2x4x6x6xbf16>, !q) -> !q
    return %3 : !q
  }
}

// -----

!t = tensor<2x4x6x16xf32>
!g = tensor<8x6x16xf32>
!rows = tensor<2x6x4x16xf32>
!s = tensor<2x4x6x6xf32>

// Other orders and numbers of dimensions.
module attributes {ring.parallel = #ring.parallel<sequence = 1>} {
  // Batch and heads are one in the products, two for the mask.
  // CHECK-LABEL: func.func @three_dimensions(
  // CHECK-SAME: %[[Q:.+]]: tensor<2x4x6x16xf32>, %[[K:.+]]: tensor<8x6x16xf32>, %[[M:.+]]: tensor<2x1x6x6xf32>
  // CHECK-DAG: %[[K4:.+]] = "ttir.reshape"(%[[K]]) {{.*}} -> tensor<2x4x6x16xf32>
  // CHECK-DAG: %[[V4:.+]] = "ttir.reshape"(%[[K]]) {{.*}} -> tensor<2x4x6x16xf32>
  // CHECK: %[[OUT:.+]] = ring.attention %[[Q]], %[[K4]], %[[V4]] mask(%[[M]] :
  // CHECK: %[[BACK:.+]] = "ttir.reshape"(%[[OUT]]) {{.*}} -> tensor<8x6x16xf32>
  // CHECK: return %[[BACK]]
  func.func @three_dimensions(%q: !t, %k: !g, %m: tensor<2x1x6x6xf32>) -> !g {
    %0 = "ttir.reshape"(%q) <{shape = [8 : i32, 6 : i32, 16 : i32]}> : (!t) -> !g
    %1 = "ttir.matmul"(%0, %k) <{transpose_b = true}> : (!g, !g) -> tensor<8x6x6xf32>
    %2 = "ttir.reshape"(%1) <{shape = [2 : i32, 4 : i32, 6 : i32, 6 : i32]}> : (tensor<8x6x6xf32>) -> !s
    %3 = "ttir.add"(%2, %m) : (!s, tensor<2x1x6x6xf32>) -> !s
    %4 = "ttir.softmax"(%3) <{dimension = -1 : si32}> : (!s) -> !s
    %5 = "ttir.reshape"(%4) <{shape = [8 : i32, 6 : i32, 6 : i32]}> : (!s) -> tensor<8x6x6xf32>
    %6 = "ttir.matmul"(%5, %k) : (tensor<8x6x6xf32>, !g) -> !g
    return %6 : !g
  }

  // Heads behind a batch of 1, which the products do without.
  // CHECK-LABEL: func.func @squeezed(
  // CHECK-SAME: %[[Q:.+]]: tensor<1x8x6x16xf32>
  // CHECK-NEXT: %[[OUT:.+]] = ring.attention %[[Q]], %[[Q]], %[[Q]]
  func.func @squeezed(%q: tensor<1x8x6x16xf32>) -> tensor<1x8x6x16xf32> {
    %0 = "ttir.squeeze"(%q) <{dim = 0 : si32}> : (tensor<1x8x6x16xf32>) -> !g
    %1 = "ttir.transpose"(%0) <{dim0 = 1 : si32, dim1 = 2 : si32}> : (!g) -> tensor<8x16x6xf32>
    %2 = "ttir.matmul"(%0, %1) : (!g, tensor<8x16x6xf32>) -> tensor<8x6x6xf32>
    %3 = "ttir.softmax"(%2) <{dimension = 2 : si32}> : (tensor<8x6x6xf32>) -> tensor<8x6x6xf32>
    %4 = "ttir.matmul"(%3, %0) : (tensor<8x6x6xf32>, !g) -> !g
    %5 = "ttir.unsqueeze"(%4) <{dim = 0 : si32}> : (!g) -> tensor<1x8x6x16xf32>
    return %5 : tensor<1x8x6x16xf32>
  }

  // CHECK-LABEL: func.func @matrices(
  // CHECK-COUNT-3: "ttir.reshape"({{.*}} -> tensor<1x1x6x16xf32>
  // CHECK: %[[OUT:.+]] = ring.attention
  // CHECK: "ttir.reshape"(%[[OUT]]) {{.*}} -> tensor<6x16xf32>
  func.func @matrices(%q: tensor<6x16xf32>) -> tensor<6x16xf32> {
    %0 = "ttir.matmul"(%q, %q) <{transpose_b = true}> : (tensor<6x16xf32>, tensor<6x16xf32>) -> tensor<6x6xf32>
    %1 = "ttir.softmax"(%0) <{dimension = 1 : si32}> : (tensor<6x6xf32>) -> tensor<6x6xf32>
    %2 = "ttir.matmul"(%1, %q) : (tensor<6x6xf32>, tensor<6x16xf32>) -> tensor<6x16xf32>
    return %2 : tensor<6x16xf32>
  }

  // Rows before heads, and values before weights: [batch, heads, dim, rows].
  // CHECK-LABEL: func.func @rows_before_heads(
  // CHECK-SAME: %[[X:.+]]: tensor<2x6x4x16xf32>
  // CHECK: %[[Q:.+]] = "ttir.permute"(%[[X]]) <{permutation = array<i64: 0, 2, 1, 3>}>
  // CHECK: %[[OUT:.+]] = ring.attention
  // CHECK: %[[BACK:.+]] = "ttir.permute"(%[[OUT]]) <{permutation = array<i64: 0, 1, 3, 2>}>
  // CHECK: return %[[BACK]]
  func.func @rows_before_heads(%x: !rows) -> tensor<2x4x16x6xf32> {
    %0 = "ttir.dot_general"(%x, %x) <{batch_dims_lhs = array<i64: 0, 2>, batch_dims_rhs = array<i64: 0, 2>, contract_dims_lhs = array<i64: 3>, contract_dims_rhs = array<i64: 3>}> : (!rows, !rows) -> !s
    %1 = "ttir.softmax"(%0) <{dimension = 3 : si32}> : (!s) -> !s
    %2 = "ttir.dot_general"(%x, %1) <{batch_dims_lhs = array<i64: 0, 2>, batch_dims_rhs = array<i64: 0, 1>, contract_dims_lhs = array<i64: 1>, contract_dims_rhs = array<i64: 3>}> : (!rows, !s) -> tensor<2x4x16x6xf32>
    return %2 : tensor<2x4x16x6xf32>
  }
}

// -----

!local = tensor<1x2x16x8xf32>
!whole = tensor<1x2x64x8xf32>
!heads = tensor<1x4x64x8xf32>
!q = tensor<1x4x16x8xf32>
!s = tensor<1x4x16x64xf32>
!all = tensor<1x4x64x64xf32>

// Gathers show the axis, as they do for an op; before heads are repeated.
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  // CHECK-LABEL: func.func @gathered_keys(
  // CHECK: ring.attention {{.*}} mask({{.*}} : tensor<1x1x64x64xf32>) {{.*}}parallel(<sequence = 1>) per_device
  // CHECK: "ttir.mesh_partition"
  func.func @gathered_keys(%q: !q, %k: !local, %m: tensor<1x1x16x64xf32>) -> !q {
    %0 = "ttir.all_gather"(%k) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!local) -> !whole
    %1 = "ttir.repeat_interleave"(%0) <{dim = 1 : si32, repeats = 2 : ui32}> : (!whole) -> !heads
    %2 = "ttir.matmul"(%q, %1) <{transpose_b = true}> : (!q, !heads) -> !s
    %3 = "ttir.add"(%2, %m) : (!s, tensor<1x1x16x64xf32>) -> !s
    %4 = "ttir.softmax"(%3) <{dimension = -1 : si32}> : (!s) -> !s
    %5 = "ttir.matmul"(%4, %1) : (!s, !heads) -> !q
    return %5 : !q
  }

  // CHECK-LABEL: func.func @gathered(
  // CHECK: ring.attention {{.*}}parallel(<sequence = 1>) per_device
  func.func @gathered(%x: !q) -> !heads {
    %0 = "ttir.all_gather"(%x) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!q) -> !heads
    %1 = "ttir.matmul"(%0, %0) <{transpose_b = true}> : (!heads, !heads) -> !all
    %2 = "ttir.softmax"(%1) <{dimension = -1 : si32}> : (!all) -> !all
    %3 = "ttir.matmul"(%2, %0) : (!all, !heads) -> !heads
    return %3 : !heads
  }

  // CHECK-LABEL: func.func @neither(
  // CHECK-NOT: ring.
  // CHECK: return
  func.func @neither(%x: !heads) -> !heads {
    %1 = "ttir.matmul"(%x, %x) <{transpose_b = true}> : (!heads, !heads) -> !all
    %2 = "ttir.softmax"(%1) <{dimension = -1 : si32}> : (!all) -> !all
    %3 = "ttir.matmul"(%2, %x) : (!all, !heads) -> !heads
    return %3 : !heads
  }

  // Its function carries the annotation, since it is no op.
  // CHECK-LABEL: func.func @annotated(
  // CHECK: ring.attention {{.*}} parallel(<sequence = 0>) :
  func.func @annotated(%x: !heads) -> !heads attributes {ring.parallel = #ring.parallel<sequence = 0>} {
    %1 = "ttir.matmul"(%x, %x) <{transpose_b = true}> : (!heads, !heads) -> !all
    %2 = "ttir.softmax"(%1) <{dimension = -1 : si32}> : (!all) -> !all
    %3 = "ttir.matmul"(%2, %x) : (!all, !heads) -> !heads
    return %3 : !heads
  }
}
