// SPDX-License-Identifier: Apache-2.0
// What stands between the products of an attention and is none of its parts
// keeps it from being raised. Each stays as it is, op for op.

// RUN: ring-opt %s --ring-raise --verify-diagnostics -o /dev/null
// RUN: ring-opt %s --ring-raise 2>/dev/null > %t.raised
// RUN: ring-opt %s > %t.same
// RUN: diff %t.same %t.raised

!t = tensor<2x4x6x16xf32>
!s = tensor<2x4x6x6xf32>
!one = tensor<1x1x1x1xf32>

// expected-warning @below {{ring-raise: 0 attentions raised, though ring.parallel or an option asks for it}}
module attributes {ring.parallel = #ring.parallel<sequence = 1>} {
  func.func @scores_used_elsewhere(%x: !t) -> (!t, !s) {
    %0 = "ttir.matmul"(%x, %x) <{transpose_b = true}> : (!t, !t) -> !s
    // expected-remark @below {{left as it is: scores or probabilities with other users}}
    // expected-note @below {{left as it is: scores or probabilities with other users}}
    %1 = "ttir.softmax"(%0) <{dimension = -1 : si32}> : (!s) -> !s
    %2 = "ttir.matmul"(%1, %x) : (!s, !t) -> !t
    return %2, %0 : !t, !s
  }

  func.func @probabilities_used_elsewhere(%x: !t) -> (!t, !s) {
    %0 = "ttir.matmul"(%x, %x) <{transpose_b = true}> : (!t, !t) -> !s
    // expected-remark @below {{left as it is: probabilities with several users}}
    %1 = "ttir.softmax"(%0) <{dimension = -1 : si32}> : (!s) -> !s
    %2 = "ttir.matmul"(%1, %x) : (!s, !t) -> !t
    return %2, %1 : !t, !s
  }

  func.func @dropout(%x: !t) -> !t {
    %0 = "ttir.matmul"(%x, %x) <{transpose_b = true}> : (!t, !t) -> !s
    // expected-remark @below {{left as it is: ttir.dropout between the softmax and the second product}}
    %1 = "ttir.softmax"(%0) <{dimension = -1 : si32}> : (!s) -> !s
    %2 = "ttir.dropout"(%1) <{prob = 0.1 : f32, scale = 1.1 : f32, seed = 21 : ui32}> : (!s) -> !s
    %3 = "ttir.matmul"(%2, %x) : (!s, !t) -> !t
    return %3 : !t
  }

  func.func @capped(%x: !t) -> !t {
    %0 = "ttir.matmul"(%x, %x) <{transpose_b = true}> : (!t, !t) -> !s
    %1 = "ttir.tanh"(%0) : (!s) -> !s
    // expected-remark @below {{left as it is: ttir.tanh between the first product and the softmax}}
    %2 = "ttir.softmax"(%1) <{dimension = -1 : si32}> : (!s) -> !s
    %3 = "ttir.matmul"(%2, %x) : (!s, !t) -> !t
    return %3 : !t
  }

  func.func @other_dimension(%x: !t) -> !t {
    %0 = "ttir.matmul"(%x, %x) <{transpose_b = true}> : (!t, !t) -> !s
    // expected-remark @below {{left as it is: a softmax over another dimension than the keys}}
    %1 = "ttir.softmax"(%0) <{dimension = 2 : si32}> : (!s) -> !s
    %2 = "ttir.matmul"(%1, %x) : (!s, !t) -> !t
    return %2 : !t
  }

  func.func @scaled_with_mask(%x: !t, %m: !s) -> !t {
    %c = "ttir.full"() <{fill_value = 0.25 : f32, shape = array<i32: 1, 1, 1, 1>}> : () -> !one
    %0 = "ttir.matmul"(%x, %x) <{transpose_b = true}> : (!t, !t) -> !s
    %1 = "ttir.add"(%0, %m) : (!s, !s) -> !s
    %2 = "ttir.multiply"(%1, %c) : (!s, !one) -> !s
    // expected-remark @below {{left as it is: a scale of scores and mask together}}
    %3 = "ttir.softmax"(%2) <{dimension = -1 : si32}> : (!s) -> !s
    %4 = "ttir.matmul"(%3, %x) : (!s, !t) -> !t
    return %4 : !t
  }

  func.func @scaled_by_rows(%x: !t, %c: tensor<2x4x6x1xf32>) -> !t {
    %0 = "ttir.matmul"(%x, %x) <{transpose_b = true}> : (!t, !t) -> !s
    %1 = "ttir.multiply"(%0, %c) : (!s, tensor<2x4x6x1xf32>) -> !s
    // expected-remark @below {{left as it is: scores that are scaled by no single number}}
    %2 = "ttir.softmax"(%1) <{dimension = -1 : si32}> : (!s) -> !s
    %3 = "ttir.matmul"(%2, %x) : (!s, !t) -> !t
    return %3 : !t
  }

  func.func @numbers_that_count(%x: !t, %c: tensor<2x4x6x6xi1>) -> !t {
    %n = "ttir.full"() <{fill_value = -5.0 : f32, shape = array<i32: 1, 1, 1, 1>}> : () -> !one
    %0 = "ttir.matmul"(%x, %x) <{transpose_b = true}> : (!t, !t) -> !s
    %1 = "ttir.where"(%c, %0, %n) : (tensor<2x4x6x6xi1>, !s, !one) -> !s
    // expected-remark @below {{left as it is: a where over the scores that is no mask}}
    %2 = "ttir.softmax"(%1) <{dimension = -1 : si32}> : (!s) -> !s
    %3 = "ttir.matmul"(%2, %x) : (!s, !t) -> !t
    return %3 : !t
  }

  func.func @some_rows_dropped(%x: !t, %c: tensor<2x4x6x1xi1>) -> !t {
    %zero = "ttir.zeros"() <{shape = array<i32: 2, 4, 6, 6>}> : () -> !s
    %0 = "ttir.matmul"(%x, %x) <{transpose_b = true}> : (!t, !t) -> !s
    // expected-remark @below {{left as it is: ttir.where between the softmax and the second product}}
    %1 = "ttir.softmax"(%0) <{dimension = -1 : si32}> : (!s) -> !s
    %2 = "ttir.where"(%c, %zero, %1) : (tensor<2x4x6x1xi1>, !s, !s) -> !s
    %3 = "ttir.matmul"(%2, %x) : (!s, !t) -> !t
    return %3 : !t
  }

  // The column in front is the first key's, not the sink's.
  func.func @other_column_dropped(%x: !t, %n: tensor<1x4x1x1xf32>) -> !t {
    %0 = "ttir.broadcast"(%n) <{broadcast_dimensions = array<i64: 2, 1, 6, 1>}> : (tensor<1x4x1x1xf32>) -> tensor<2x4x6x1xf32>
    %1 = "ttir.matmul"(%x, %x) <{transpose_b = true}> : (!t, !t) -> !s
    %2 = "ttir.concat"(%1, %0) <{dim = 3 : si32}> : (!s, tensor<2x4x6x1xf32>) -> tensor<2x4x6x7xf32>
    // expected-remark @below {{left as it is: ttir.slice_static between the softmax and the second product}}
    %3 = "ttir.softmax"(%2) <{dimension = -1 : si32}> : (tensor<2x4x6x7xf32>) -> tensor<2x4x6x7xf32>
    %4 = "ttir.slice_static"(%3) <{begins = [0 : i32, 0 : i32, 0 : i32, 1 : i32], ends = [2 : i32, 4 : i32, 6 : i32, 7 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<2x4x6x7xf32>) -> !s
    %5 = "ttir.matmul"(%4, %x) : (!s, !t) -> !t
    return %5 : !t
  }

  func.func @sink_with_value(%x: !t, %n: tensor<1x4x1x1xf32>, %v: tensor<2x4x7x16xf32>) -> !t {
    %0 = "ttir.broadcast"(%n) <{broadcast_dimensions = array<i64: 2, 1, 6, 1>}> : (tensor<1x4x1x1xf32>) -> tensor<2x4x6x1xf32>
    %1 = "ttir.matmul"(%x, %x) <{transpose_b = true}> : (!t, !t) -> !s
    %2 = "ttir.concat"(%1, %0) <{dim = 3 : si32}> : (!s, tensor<2x4x6x1xf32>) -> tensor<2x4x6x7xf32>
    // expected-remark @below {{left as it is: a second product that is not over the keys}}
    %3 = "ttir.softmax"(%2) <{dimension = -1 : si32}> : (tensor<2x4x6x7xf32>) -> tensor<2x4x6x7xf32>
    %4 = "ttir.matmul"(%3, %v) : (tensor<2x4x6x7xf32>, tensor<2x4x7x16xf32>) -> !t
    return %4 : !t
  }

  func.func @sink_for_rows(%x: !t, %n: tensor<2x4x6x1xf32>) -> !t {
    %1 = "ttir.matmul"(%x, %x) <{transpose_b = true}> : (!t, !t) -> !s
    %2 = "ttir.concat"(%1, %n) <{dim = 3 : si32}> : (!s, tensor<2x4x6x1xf32>) -> tensor<2x4x6x7xf32>
    // expected-remark @below {{left as it is: a sink that is not one logit for each head}}
    %3 = "ttir.softmax"(%2) <{dimension = -1 : si32}> : (tensor<2x4x6x7xf32>) -> tensor<2x4x6x7xf32>
    %4 = "ttir.slice_static"(%3) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [2 : i32, 4 : i32, 6 : i32, 6 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<2x4x6x7xf32>) -> !s
    %5 = "ttir.matmul"(%4, %x) : (!s, !t) -> !t
    return %5 : !t
  }

  func.func @second_over_queries(%x: !t) -> !t {
    %0 = "ttir.matmul"(%x, %x) <{transpose_b = true}> : (!t, !t) -> !s
    // expected-remark @below {{left as it is: a second product that is not over the keys}}
    %1 = "ttir.softmax"(%0) <{dimension = -1 : si32}> : (!s) -> !s
    %2 = "ttir.matmul"(%1, %x) <{transpose_a = true}> : (!s, !t) -> !t
    return %2 : !t
  }

  func.func @broadcast_scores(%x: tensor<1x4x6x16xf32>, %m: !s, %v: !t) -> !t {
    %0 = "ttir.matmul"(%x, %x) <{transpose_b = true}> : (tensor<1x4x6x16xf32>, tensor<1x4x6x16xf32>) -> tensor<1x4x6x6xf32>
    %1 = "ttir.add"(%0, %m) : (tensor<1x4x6x6xf32>, !s) -> !s
    // expected-remark @below {{left as it is: scores that are no product}}
    %2 = "ttir.softmax"(%1) <{dimension = -1 : si32}> : (!s) -> !s
    %3 = "ttir.matmul"(%2, %v) : (!s, !t) -> !t
    return %3 : !t
  }

  func.func @other_batch(%x: !t, %k: tensor<1x4x6x16xf32>) -> !t {
    %0 = "ttir.matmul"(%x, %k) <{transpose_b = true}> : (!t, tensor<1x4x6x16xf32>) -> !s
    // expected-remark @below {{left as it is: a key or value of other batches or heads than the query}}
    %1 = "ttir.softmax"(%0) <{dimension = -1 : si32}> : (!s) -> !s
    %2 = "ttir.matmul"(%1, %x) : (!s, !t) -> !t
    return %2 : !t
  }

  func.func @fewer_query_heads(%q: tensor<2x1x6x16xf32>, %k: !t) -> !t {
    %0 = "ttir.matmul"(%q, %k) <{transpose_b = true}> : (tensor<2x1x6x16xf32>, !t) -> !s
    // expected-remark @below {{left as it is: a query of other batches or heads than the scores}}
    %1 = "ttir.softmax"(%0) <{dimension = -1 : si32}> : (!s) -> !s
    %2 = "ttir.matmul"(%1, %k) : (!s, !t) -> !t
    return %2 : !t
  }

  func.func @element_types(%q: !t, %v: tensor<2x4x6x16xbf16>) -> tensor<2x4x6x16xbf16> {
    %0 = "ttir.matmul"(%q, %q) <{transpose_b = true}> : (!t, !t) -> !s
    // expected-remark @below {{left as it is: query, key, value and output of several element types}}
    %1 = "ttir.softmax"(%0) <{dimension = -1 : si32}> : (!s) -> !s
    %2 = "ttir.typecast"(%1) <{conservative_folding = false}> : (!s) -> tensor<2x4x6x6xbf16>
    %3 = "ttir.matmul"(%2, %v) : (tensor<2x4x6x6xbf16>, tensor<2x4x6x16xbf16>) -> tensor<2x4x6x16xbf16>
    return %3 : tensor<2x4x6x16xbf16>
  }

  func.func @five_dimensions(%x: tensor<2x2x2x6x16xf32>) -> tensor<2x2x2x6x16xf32> {
    %0 = "ttir.matmul"(%x, %x) <{transpose_b = true}> : (tensor<2x2x2x6x16xf32>, tensor<2x2x2x6x16xf32>) -> tensor<2x2x2x6x6xf32>
    // expected-remark @below {{left as it is: a first product of other dimensions than batch, heads, rows and dim}}
    %1 = "ttir.softmax"(%0) <{dimension = -1 : si32}> : (tensor<2x2x2x6x6xf32>) -> tensor<2x2x2x6x6xf32>
    %2 = "ttir.matmul"(%1, %x) : (tensor<2x2x2x6x6xf32>, tensor<2x2x2x6x16xf32>) -> tensor<2x2x2x6x16xf32>
    return %2 : tensor<2x2x2x6x16xf32>
  }

  func.func @unknown_lengths(%x: tensor<2x4x?x16xf32>) -> tensor<2x4x?x16xf32> {
    %0 = "ttir.matmul"(%x, %x) <{transpose_b = true}> : (tensor<2x4x?x16xf32>, tensor<2x4x?x16xf32>) -> tensor<2x4x?x?xf32>
    // expected-remark @below {{left as it is: scores whose shape is empty or not known}}
    %1 = "ttir.softmax"(%0) <{dimension = -1 : si32}> : (tensor<2x4x?x?xf32>) -> tensor<2x4x?x?xf32>
    %2 = "ttir.matmul"(%1, %x) : (tensor<2x4x?x?xf32>, tensor<2x4x?x16xf32>) -> tensor<2x4x?x16xf32>
    return %2 : tensor<2x4x?x16xf32>
  }

  func.func @integer_mask(%x: !t, %m: tensor<1x1x6x6xi32>) -> !t {
    %0 = "ttir.matmul"(%x, %x) <{transpose_b = true}> : (!t, !t) -> !s
    %1 = "ttir.add"(%0, %m) : (!s, tensor<1x1x6x6xi32>) -> !s
    // expected-remark @below {{left as it is: a mask of other dimensions or numbers than the scores}}
    %2 = "ttir.softmax"(%1) <{dimension = -1 : si32}> : (!s) -> !s
    %3 = "ttir.matmul"(%2, %x) : (!s, !t) -> !t
    return %3 : !t
  }

  // A softmax that no product follows is no attention, and not spoken of.
  func.func @classes(%x: tensor<4x8xf32>, %w: tensor<8x10xf32>) -> tensor<4x10xf32> {
    %0 = "ttir.matmul"(%x, %w) : (tensor<4x8xf32>, tensor<8x10xf32>) -> tensor<4x10xf32>
    %1 = "ttir.softmax"(%0) <{dimension = -1 : si32}> : (tensor<4x10xf32>) -> tensor<4x10xf32>
    return %1 : tensor<4x10xf32>
  }
}
