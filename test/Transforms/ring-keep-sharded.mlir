// RUN: ring-opt %s --ring-keep-sharded --canonicalize --cse --split-input-file | FileCheck %s

// Elementwise ops, a product with weights and a norm between two attentions run
// on the shards; nothing is put together and split again.

// CHECK-LABEL: func.func @between_attentions(
// CHECK-SAME:    %[[X:.*]]: tensor<1x64x32xf32>, %[[W:.*]]: tensor<32x32xf32>, %[[G:.*]]: tensor<32xf32>
// CHECK-DAG:     %[[LW:.*]] = ring.shard %[[W]] as <[_, _] in 1x4> : tensor<32x32xf32> -> tensor<32x32xf32>
// CHECK-DAG:     %[[LX:.*]] = ring.shard %[[X]] {{.*}} -> tensor<1x16x32xf32>
// CHECK:         %[[SUM:.*]] = "ttir.add"(%[[LX]], {{.*}}) : (tensor<1x16x32xf32>
// CHECK:         %[[PRODUCT:.*]] = "ttir.matmul"(%[[SUM]], %[[LW]])
// CHECK:         %[[NORM:.*]] = "ttir.rms_norm"(%[[PRODUCT]]
// CHECK:         return %[[NORM]] : tensor<1x16x32xf32>
func.func @between_attentions(%x: tensor<1x64x32xf32>, %w: tensor<32x32xf32>, %g: tensor<32xf32>) -> tensor<1x16x32xf32> {
  %attended = ring.shard %x as <[_, 1, _] in 1x4, sequence = 1 as <zigzag, 64 over 4>> : tensor<1x64x32xf32> -> tensor<1x16x32xf32>
  %scaled = "ttir.neg"(%attended) : (tensor<1x16x32xf32>) -> tensor<1x16x32xf32>
  %whole = ring.unshard %scaled as <[_, 1, _] in 1x4, sequence = 1 as <zigzag, 64 over 4>> : tensor<1x16x32xf32> -> tensor<1x64x32xf32>
  %sum = "ttir.add"(%x, %whole) : (tensor<1x64x32xf32>, tensor<1x64x32xf32>) -> tensor<1x64x32xf32>
  %product = "ttir.matmul"(%sum, %w) <{transpose_a = false, transpose_b = false}> : (tensor<1x64x32xf32>, tensor<32x32xf32>) -> tensor<1x64x32xf32>
  %norm = "ttir.rms_norm"(%product, %g) <{epsilon = 1.0e-05 : f32, normalized_shape = array<i64: 32>, operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<1x64x32xf32>, tensor<32xf32>) -> tensor<1x64x32xf32>
  %again = ring.shard %norm as <[_, 1, _] in 1x4, sequence = 1 as <zigzag, 64 over 4>> : tensor<1x64x32xf32> -> tensor<1x16x32xf32>
  return %again : tensor<1x16x32xf32>
}

// -----

// From the arguments on: numbers of tokens are split, and what is looked up,
// normalised and projected from there on is a device's own.

// CHECK-LABEL: func.func @from_the_arguments(
// CHECK-SAME:    %[[IDS:.*]]: tensor<1x60xi32>, %[[TABLE:.*]]: tensor<100x32xf32>, %[[W:.*]]: tensor<32x48xf32>
// CHECK:         %[[OWN:.*]] = ring.shard %[[IDS]] as <[_, 1] in 1x4, sequence = 1 as <zigzag, 64 over 4>> : tensor<1x60xi32> -> tensor<1x16xi32>
// CHECK:         %[[ROWS:.*]] = "ttir.embedding"(%[[OWN]], {{.*}}) : (tensor<1x16xi32>, tensor<100x32xf32>) -> tensor<1x16x32xf32>
// CHECK:         %[[SOFTMAX:.*]] = "ttir.softmax"(%[[ROWS]])
// CHECK:         %[[DOT:.*]] = "ttir.dot_general"(%[[SOFTMAX]], {{.*}}) {{.*}} -> tensor<1x16x48xf32>
// CHECK:         %[[HEADS:.*]] = "ttir.reshape"(%[[DOT]]) <{shape = [1 : i32, 16 : i32, 3 : i32, 16 : i32]}>
// CHECK:         %[[SWAPPED:.*]] = "ttir.transpose"(%[[HEADS]])
// CHECK:         return %[[SWAPPED]] : tensor<1x3x16x16xf32>
func.func @from_the_arguments(%ids: tensor<1x60xi32>, %table: tensor<100x32xf32>, %w: tensor<32x48xf32>) -> tensor<1x3x16x16xf32> {
  %rows = "ttir.embedding"(%ids, %table) : (tensor<1x60xi32>, tensor<100x32xf32>) -> tensor<1x60x32xf32>
  %softmax = "ttir.softmax"(%rows) <{dimension = -1 : si32, numericStable = true}> : (tensor<1x60x32xf32>) -> tensor<1x60x32xf32>
  %dot = "ttir.dot_general"(%softmax, %w) <{batch_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, contract_dims_lhs = array<i64: 2>, contract_dims_rhs = array<i64: 0>}> : (tensor<1x60x32xf32>, tensor<32x48xf32>) -> tensor<1x60x48xf32>
  %split = "ttir.reshape"(%dot) <{shape = [1 : i32, 60 : i32, 3 : i32, 16 : i32]}> : (tensor<1x60x48xf32>) -> tensor<1x60x3x16xf32>
  %heads = "ttir.transpose"(%split) <{dim0 = 1 : si32, dim1 = -2 : si32}> : (tensor<1x60x3x16xf32>) -> tensor<1x3x60x16xf32>
  %q = ring.shard %heads as <[_, _, 1, _] in 1x4, sequence = 2 as <zigzag, 64 over 4>> : tensor<1x3x60x16xf32> -> tensor<1x3x16x16xf32>
  return %q : tensor<1x3x16x16xf32>
}

// -----

// And down to the results, which are put together at the very end.

// CHECK-LABEL: func.func @to_the_results(
// CHECK-SAME:    %[[OUT:.*]]: tensor<1x16x32xf32>, %[[W:.*]]: tensor<48x32xf32>, %[[BIAS:.*]]: tensor<48xf32>
// CHECK-NOT:     ring.unshard
// CHECK:         %[[PRODUCT:.*]] = "ttir.linear"(%[[OUT]], {{.*}}) <{transpose_a = false, transpose_b = true}> {{.*}} -> tensor<1x16x48xf32>
// CHECK:         %[[CLAMPED:.*]] = "ttir.clamp_scalar"(%[[PRODUCT]])
// CHECK:         %[[MEAN:.*]] = "ttir.mean"(%[[CLAMPED]]) {{.*}} -> tensor<1x16xf32>
// CHECK:         %[[WHOLE:.*]] = ring.unshard %[[MEAN]] as <[_, 1] in 1x4, sequence = 1 as <contiguous, 64 over 4>> : tensor<1x16xf32> -> tensor<1x60xf32>
// CHECK:         return %[[WHOLE]]
func.func @to_the_results(%out: tensor<1x16x32xf32>, %w: tensor<48x32xf32>, %bias: tensor<48xf32>) -> tensor<1x60xf32> {
  %whole = ring.unshard %out as <[_, 1, _] in 1x4, sequence = 1 as <contiguous, 64 over 4>> : tensor<1x16x32xf32> -> tensor<1x60x32xf32>
  %product = "ttir.linear"(%whole, %w, %bias) <{transpose_a = false, transpose_b = true}> : (tensor<1x60x32xf32>, tensor<48x32xf32>, tensor<48xf32>) -> tensor<1x60x48xf32>
  %clamped = "ttir.clamp_scalar"(%product) <{max = 1.0 : f32, min = -1.0 : f32}> : (tensor<1x60x48xf32>) -> tensor<1x60x48xf32>
  %mean = "ttir.mean"(%clamped) <{dim_arg = [2 : i32], keep_dim = false}> : (tensor<1x60x48xf32>) -> tensor<1x60xf32>
  return %mean : tensor<1x60xf32>
}

// -----

// Rotary embedding, as an op and spelled out with tables that are broadcast to
// the heads; a tensor of one number is made in the size of the shard, and what
// every device needs whole is made by every device.

// CHECK-LABEL: func.func @rotary(
// CHECK-SAME:    %[[Q:.*]]: tensor<1x4x60x16xf32>, %[[COS:.*]]: tensor<1x1x60x16xf32>, %[[SIN:.*]]: tensor<1x1x60x16xf32>, %[[TIME:.*]]: tensor<1x8xf32>
// CHECK:         %[[OWN:.*]] = ring.shard %[[TIME]] as <[_, _] in 1x4>
// CHECK:         %[[LOCAL:.*]] = "ttir.rotary_embedding"({{.*}}) : (tensor<1x4x16x16xf32>, tensor<1x1x16x16xf32>, tensor<1x1x16x16xf32>) -> tensor<1x4x16x16xf32>
// CHECK:         "ttir.slice_static"(%[[LOCAL]]) <{{.*}}ends = [1 : i32, 4 : i32, 16 : i32, 8 : i32]
// CHECK:         "ttir.broadcast"({{.*}}) <{broadcast_dimensions = array<i64: 1, 4, 1, 1>}> : (tensor<1x1x16x16xf32>) -> tensor<1x4x16x16xf32>
// CHECK:         %[[HALF:.*]] = "ttir.full"() {{.*}} -> tensor<1x4x16x16xf32>
// CHECK:         "ttir.multiply"({{.*}}, %[[HALF]])
// CHECK:         %[[ACTIVE:.*]] = "ttir.silu"(%[[OWN]])
// CHECK:         "ttir.concat"(%[[ACTIVE]], %[[ACTIVE]])
// CHECK:         "ttir.repeat_interleave"({{.*}}) {{.*}} -> tensor<1x8x16x16xf32>
func.func @rotary(%q: tensor<1x4x60x16xf32>, %cos: tensor<1x1x60x16xf32>, %sin: tensor<1x1x60x16xf32>, %time: tensor<1x8xf32>) -> tensor<1x8x16x16xf32> {
  %placed = "ttir.rotary_embedding"(%q, %cos, %sin) : (tensor<1x4x60x16xf32>, tensor<1x1x60x16xf32>, tensor<1x1x60x16xf32>) -> tensor<1x4x60x16xf32>
  %early = "ttir.slice_static"(%placed) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 4 : i32, 60 : i32, 8 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x4x60x16xf32>) -> tensor<1x4x60x8xf32>
  %twice = "ttir.concat"(%early, %early) <{dim = 3 : si32}> : (tensor<1x4x60x8xf32>, tensor<1x4x60x8xf32>) -> tensor<1x4x60x16xf32>
  %table = "ttir.broadcast"(%cos) <{broadcast_dimensions = array<i64: 1, 4, 1, 1>}> : (tensor<1x1x60x16xf32>) -> tensor<1x4x60x16xf32>
  %turned = "ttir.multiply"(%twice, %table) : (tensor<1x4x60x16xf32>, tensor<1x4x60x16xf32>) -> tensor<1x4x60x16xf32>
  %half = "ttir.full"() <{fill_value = 5.0e-01 : f32, shape = array<i32: 1, 4, 60, 16>}> : () -> tensor<1x4x60x16xf32>
  %scaled = "ttir.multiply"(%turned, %half) : (tensor<1x4x60x16xf32>, tensor<1x4x60x16xf32>) -> tensor<1x4x60x16xf32>
  %active = "ttir.silu"(%time) : (tensor<1x8xf32>) -> tensor<1x8xf32>
  %features = "ttir.concat"(%active, %active) <{dim = 1 : si32}> : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x16xf32>
  %shifted = "ttir.add"(%scaled, %features) : (tensor<1x4x60x16xf32>, tensor<1x16xf32>) -> tensor<1x4x60x16xf32>
  %heads = "ttir.repeat_interleave"(%shifted) <{dim = 1 : si32, repeats = 2 : ui32}> : (tensor<1x4x60x16xf32>) -> tensor<1x8x60x16xf32>
  %own = ring.shard %heads as <[_, _, 1, _] in 1x4, sequence = 2 as <zigzag, 64 over 4>> : tensor<1x8x60x16xf32> -> tensor<1x8x16x16xf32>
  return %own : tensor<1x8x16x16xf32>
}

// -----

// Keys are gathered in order while queries are dealt as a zigzag: the residual
// stays as the queries are, and the keys are dealt anew.

// CHECK-LABEL: func.func @two_layouts(
// CHECK:         %[[X:.*]] = ring.shard {{.*}} sequence = 1 as <zigzag, 64 over 4>>
// CHECK:         %[[H:.*]] = "ttir.relu"(%[[X]])
// CHECK:         ring.relayout %[[H]] dim 1 from <zigzag, 64 over 4> to <contiguous, 64 over 4>
// CHECK:         "ttir.add"(%[[X]],
// CHECK-NOT:     replicated
func.func @two_layouts(%x: tensor<1x60x32xf32>) -> (tensor<1x16x32xf32>, tensor<1x60x32xf32>) {
  %h = "ttir.relu"(%x) : (tensor<1x60x32xf32>) -> tensor<1x60x32xf32>
  %q = ring.shard %h as <[_, 1, _] in 1x4, sequence = 1 as <zigzag, 64 over 4>> : tensor<1x60x32xf32> -> tensor<1x16x32xf32>
  %k = ring.shard %h as <[_, 1, _] in 1x4, sequence = 1 as <contiguous, 64 over 4>> : tensor<1x60x32xf32> -> tensor<1x16x32xf32>
  %out = ring.unshard %q as <[_, 1, _] in 1x4, sequence = 1 as <zigzag, 64 over 4>> : tensor<1x16x32xf32> -> tensor<1x60x32xf32>
  %sum = "ttir.add"(%x, %out) : (tensor<1x60x32xf32>, tensor<1x60x32xf32>) -> tensor<1x60x32xf32>
  return %k, %sum : tensor<1x16x32xf32>, tensor<1x60x32xf32>
}

// -----

// Layouts of different lengths hold different positions: the tokens are gathered
// and dealt again, on the devices.

// CHECK-LABEL: func.func @two_lengths(
// CHECK:         %[[ALL:.*]] = ring.unshard {{.*}} as <[_, 1, _] in 1x4, sequence = 1 as <contiguous, 96 over 4>> replicated
// CHECK:         ring.shard %[[ALL]] as <[_, 1, _] in 1x4, sequence = 1 as <zigzag, 128 over 4>> replicated
func.func @two_lengths(%out: tensor<1x24x32xf32>) -> tensor<1x32x32xf32> {
  %whole = ring.unshard %out as <[_, 1, _] in 1x4, sequence = 1 as <contiguous, 96 over 4>> : tensor<1x24x32xf32> -> tensor<1x90x32xf32>
  %h = "ttir.relu"(%whole) : (tensor<1x90x32xf32>) -> tensor<1x90x32xf32>
  %q = ring.shard %h as <[_, 1, _] in 1x4, sequence = 1 as <zigzag, 128 over 4>> : tensor<1x90x32xf32> -> tensor<1x32x32xf32>
  return %q : tensor<1x32x32xf32>
}

// -----

// A quotient might make something infinite of padding, whose weight is 0: zeros
// take its place before an attention, and only there.

// CHECK-LABEL: func.func @padding(
// CHECK:         %[[QUOTIENT:.*]] = "ttir.div"
// CHECK:         %[[RESULT:.*]] = ring.unshard %[[QUOTIENT]]
// CHECK:         %[[ONES:.*]] = "ttir.full"() {{.*}} -> tensor<1x60x1xf32>
// CHECK:         %[[REAL:.*]] = ring.shard %[[ONES]] as <[_, 1, _] in 1x4, sequence = 1 as <contiguous, 64 over 4>>
// CHECK:         %[[CLEAN:.*]] = "ttir.where"(%[[REAL]], %[[QUOTIENT]],
// CHECK:         return %[[CLEAN]], %[[RESULT]]
func.func @padding(%x: tensor<1x16x32xf32>) -> (tensor<1x16x32xf32>, tensor<1x60x32xf32>) {
  %whole = ring.unshard %x as <[_, 1, _] in 1x4, sequence = 1 as <contiguous, 64 over 4>> : tensor<1x16x32xf32> -> tensor<1x60x32xf32>
  %quotient = "ttir.div"(%whole, %whole) : (tensor<1x60x32xf32>, tensor<1x60x32xf32>) -> tensor<1x60x32xf32>
  %again = ring.shard %quotient as <[_, 1, _] in 1x4, sequence = 1 as <contiguous, 64 over 4>> : tensor<1x60x32xf32> -> tensor<1x16x32xf32>
  return %again, %quotient : tensor<1x16x32xf32>, tensor<1x60x32xf32>
}

// -----

// Without padding there is nothing to guard.

// CHECK-LABEL: func.func @no_padding(
// CHECK:         %[[QUOTIENT:.*]] = "ttir.div"
// CHECK-NEXT:    return %[[QUOTIENT]]
func.func @no_padding(%x: tensor<1x16x32xf32>) -> tensor<1x16x32xf32> {
  %whole = ring.unshard %x as <[_, 1, _] in 1x4, sequence = 1 as <contiguous, 64 over 4>> : tensor<1x16x32xf32> -> tensor<1x64x32xf32>
  %quotient = "ttir.div"(%whole, %whole) : (tensor<1x64x32xf32>, tensor<1x64x32xf32>) -> tensor<1x64x32xf32>
  %again = ring.shard %quotient as <[_, 1, _] in 1x4, sequence = 1 as <contiguous, 64 over 4>> : tensor<1x64x32xf32> -> tensor<1x16x32xf32>
  return %again : tensor<1x16x32xf32>
}
