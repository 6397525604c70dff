// RUN: ring-opt %s --ring-keep-sharded --split-input-file --verify-diagnostics | FileCheck %s

// What brings tokens together stays on whole tensors, and one remark says so.

// CHECK-LABEL: func.func @mixes_tokens(
// CHECK:         %[[WHOLE:.*]] = ring.unshard
// CHECK:         "ttir.mean"(%[[WHOLE]]) {{.*}} : (tensor<1x64x32xf32>) -> tensor<1x1x32xf32>
// expected-remark-re @below {{ring-keep-sharded: 1 op stays on whole tensors: ttir.mean at line {{[0-9]+}}: mixes tokens}}
func.func @mixes_tokens(%out: tensor<1x16x32xf32>) -> tensor<1x1x32xf32> {
  %whole = ring.unshard %out as <[_, 1, _] in 1x4, sequence = 1 as <contiguous, 64 over 4>> : tensor<1x16x32xf32> -> tensor<1x64x32xf32>
  %relu = "ttir.relu"(%whole) : (tensor<1x64x32xf32>) -> tensor<1x64x32xf32>
  %mean = "ttir.mean"(%relu) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<1x64x32xf32>) -> tensor<1x1x32xf32>
  return %mean : tensor<1x1x32xf32>
}

// -----

// Norms and concatenations along the tokens, scores of all pairs, the tokens of
// two batch entries in one dimension, and ops that nobody has described.

// CHECK-LABEL: func.func @refusals(
// CHECK:         "ttir.softmax"({{.*}}) {{.*}} : (tensor<2x64x32xf32>)
// CHECK:         "ttir.matmul"({{.*}}) {{.*}} -> tensor<2x64x64xf32>
// CHECK:         "ttir.concat"({{.*}}) {{.*}} -> tensor<2x128x32xf32>
// CHECK:         "ttir.reshape"({{.*}}) {{.*}} -> tensor<128x32xf32>
// CHECK:         "ttir.unheard_of"({{.*}}) : (tensor<2x64x32xf32>)
// expected-remark-re @below {{5 ops stay on whole tensors: ttir.softmax at line {{[0-9]+}}: mixes tokens; ttir.matmul at line {{[0-9]+}}: mixes tokens; ttir.concat at line {{[0-9]+}}: mixes tokens; and 2 more}}
func.func @refusals(%out: tensor<2x16x32xf32>) -> (tensor<2x64x32xf32>, tensor<2x64x64xf32>, tensor<2x128x32xf32>, tensor<128x32xf32>, tensor<2x64x32xf32>) {
  %whole = ring.unshard %out as <[_, 1, _] in 1x4, sequence = 1 as <contiguous, 64 over 4>> : tensor<2x16x32xf32> -> tensor<2x64x32xf32>
  %softmax = "ttir.softmax"(%whole) <{dimension = 1 : si32, numericStable = true}> : (tensor<2x64x32xf32>) -> tensor<2x64x32xf32>
  %scores = "ttir.matmul"(%whole, %whole) <{transpose_a = false, transpose_b = true}> : (tensor<2x64x32xf32>, tensor<2x64x32xf32>) -> tensor<2x64x64xf32>
  %twice = "ttir.concat"(%whole, %whole) <{dim = 1 : si32}> : (tensor<2x64x32xf32>, tensor<2x64x32xf32>) -> tensor<2x128x32xf32>
  %flat = "ttir.reshape"(%whole) <{shape = [128 : i32, 32 : i32]}> : (tensor<2x64x32xf32>) -> tensor<128x32xf32>
  %unknown = "ttir.unheard_of"(%whole) : (tensor<2x64x32xf32>) -> tensor<2x64x32xf32>
  return %softmax, %scores, %twice, %flat, %unknown : tensor<2x64x32xf32>, tensor<2x64x64xf32>, tensor<2x128x32xf32>, tensor<128x32xf32>, tensor<2x64x32xf32>
}

// -----

// What no attention is near to is told too; what is computed from constants
// alone is not, and what stays whole is still split for the ops behind it.

// CHECK-LABEL: func.func @far_away(
// CHECK:         %[[UNKNOWN:.*]] = "ttir.unheard_of"
// CHECK:         ring.shard %[[UNKNOWN]]
// expected-remark-re @below {{2 ops stay on whole tensors: ttir.unheard_of at line {{[0-9]+}}: not known to work token by token; ttir.neg at line {{[0-9]+}}: no attention takes or makes its tokens}}
func.func @far_away(%x: tensor<1x64x32xf32>, %y: tensor<8x8xf32>) -> (tensor<1x16x32xf32>, tensor<8x8xf32>, tensor<4xf32>) {
  %unknown = "ttir.unheard_of"(%x) : (tensor<1x64x32xf32>) -> tensor<1x64x32xf32>
  %relu = "ttir.relu"(%unknown) : (tensor<1x64x32xf32>) -> tensor<1x64x32xf32>
  %own = ring.shard %relu as <[_, 1, _] in 1x4, sequence = 1 as <contiguous, 64 over 4>> : tensor<1x64x32xf32> -> tensor<1x16x32xf32>
  %ones = "ttir.ones"() <{shape = array<i32: 4>}> : () -> tensor<4xf32>
  %constant = "ttir.neg"(%ones) : (tensor<4xf32>) -> tensor<4xf32>
  %neg = "ttir.neg"(%y) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %own, %neg, %constant : tensor<1x16x32xf32>, tensor<8x8xf32>, tensor<4xf32>
}

// -----

// A device's own function, whose tensors every device has, is left as it is.

// CHECK-LABEL: func.func @own_function(
// CHECK:         "ttir.relu"({{.*}}) : (tensor<1x64x32xf32>)
func.func @own_function(%x: tensor<1x64x32xf32>) -> tensor<1x16x32xf32> {
  %relu = "ttir.relu"(%x) : (tensor<1x64x32xf32>) -> tensor<1x64x32xf32>
  %own = ring.shard %relu as <[_, 1, _] in 1x4, sequence = 1 as <contiguous, 64 over 4>> replicated : tensor<1x64x32xf32> -> tensor<1x16x32xf32>
  return %own : tensor<1x16x32xf32>
}
