// RUN: ring-opt %s --ring-keep-sharded --canonicalize --cse --split-input-file | FileCheck %s

// Where heads have a mesh axis, weights are split over it: columns of the
// projections that make heads, rows of the one behind an attention.

// CHECK-LABEL: func.func @columns(
// CHECK-SAME:    %[[X:.*]]: tensor<1x64x64xf32>, %[[W:.*]]: tensor<64x64xf32>
// CHECK-DAG:     %[[LX:.*]] = ring.shard %[[X]] as <[_, 0, _] in 2x4, sequence = 1 as <contiguous, 64 over 2>>
// CHECK-DAG:     %[[LW:.*]] = ring.shard %[[W]] as <[1, _] in 2x4> : tensor<64x64xf32> -> tensor<16x64xf32>
// CHECK:         %[[PRODUCT:.*]] = "ttir.matmul"(%[[LX]], %[[LW]]) <{transpose_a = false, transpose_b = true}> : (tensor<1x32x64xf32>, tensor<16x64xf32>) -> tensor<1x32x16xf32>
// CHECK:         %[[HEADS:.*]] = "ttir.reshape"(%[[PRODUCT]]) <{shape = [1 : i32, 32 : i32, 2 : i32, 8 : i32]}>
// CHECK:         %[[OWN:.*]] = "ttir.permute"(%[[HEADS]])
// CHECK:         return %[[OWN]] : tensor<1x2x32x8xf32>
func.func @columns(%x: tensor<1x64x64xf32>, %w: tensor<64x64xf32>) -> tensor<1x2x32x8xf32> {
  %product = "ttir.matmul"(%x, %w) <{transpose_a = false, transpose_b = true}> : (tensor<1x64x64xf32>, tensor<64x64xf32>) -> tensor<1x64x64xf32>
  %split = "ttir.reshape"(%product) <{shape = [1 : i32, 64 : i32, 8 : i32, 8 : i32]}> : (tensor<1x64x64xf32>) -> tensor<1x64x8x8xf32>
  %heads = "ttir.permute"(%split) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x64x8x8xf32>) -> tensor<1x8x64x8xf32>
  %next = ring.shard %heads as <[_, 1, 0, _] in 2x4, sequence = 2 as <contiguous, 64 over 2>> : tensor<1x8x64x8xf32> -> tensor<1x2x32x8xf32>
  return %next : tensor<1x2x32x8xf32>
}

// -----

// The parts are added up over the axis, and the bias once, behind that.

// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[OUT:.*]]: tensor<1x2x32x8xf32>, %[[W:.*]]: tensor<64x48xf32>, %[[BIAS:.*]]: tensor<48xf32>
// CHECK:         %[[LW:.*]] = ring.shard %[[W]] as <[1, _] in 2x4> : tensor<64x48xf32> -> tensor<16x48xf32>
// CHECK:         %[[FEATURES:.*]] = "ttir.reshape"({{.*}}) <{shape = [1 : i32, 32 : i32, 16 : i32]}>
// CHECK:         %[[PARTS:.*]] = "ttir.matmul"(%[[FEATURES]], %[[LW]])
// CHECK:         %[[SUM:.*]] = "ttir.all_reduce"(%[[PARTS]]) <{cluster_axis = 1 : ui32, reduce_type = #ttcore.reduce_type<sum>}>
// CHECK:         "ttir.add"(%[[SUM]], {{.*}}) : (tensor<1x32x48xf32>, tensor<48xf32>)
func.func @rows(%out: tensor<1x2x32x8xf32>, %w: tensor<64x48xf32>, %bias: tensor<48xf32>) -> tensor<1x64x48xf32> {
  %whole = ring.unshard %out as <[_, 1, 0, _] in 2x4, sequence = 2 as <contiguous, 64 over 2>> : tensor<1x2x32x8xf32> -> tensor<1x8x64x8xf32>
  %rows = "ttir.permute"(%whole) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x8x64x8xf32>) -> tensor<1x64x8x8xf32>
  %hidden = "ttir.reshape"(%rows) <{shape = [1 : i32, 64 : i32, 64 : i32]}> : (tensor<1x64x8x8xf32>) -> tensor<1x64x64xf32>
  %product = "ttir.linear"(%hidden, %w, %bias) <{transpose_a = false, transpose_b = false}> : (tensor<1x64x64xf32>, tensor<64x48xf32>, tensor<48xf32>) -> tensor<1x64x48xf32>
  return %product : tensor<1x64x48xf32>
}

// -----

// A feed-forward network: the columns of its first products, the rows of its
// last one. The norm in front of it needs all features, and they stay whole.

// CHECK-LABEL: func.func @feed_forward(
// CHECK:         ring.shard {{.*}} as <[_, 1] in 2x4> : tensor<64x96xf32> -> tensor<64x24xf32>
// CHECK:         ring.shard {{.*}} as <[1, _] in 2x4> : tensor<96x64xf32> -> tensor<24x64xf32>
// CHECK:         %[[NORM:.*]] = "ttir.rms_norm"({{.*}}) {{.*}} -> tensor<1x32x64xf32>
// CHECK:         "ttir.matmul"(%[[NORM]], {{.*}}) {{.*}} -> tensor<1x32x24xf32>
// CHECK:         "ttir.silu"
// CHECK:         "ttir.dot_general"(%[[NORM]], {{.*}}) {{.*}} -> tensor<1x32x24xf32>
// CHECK:         %[[PARTS:.*]] = "ttir.matmul"({{.*}}) {{.*}} -> tensor<1x32x64xf32>
// CHECK:         "ttir.all_reduce"(%[[PARTS]])
// CHECK-NOT:     ring.all_gather
func.func @feed_forward(%out: tensor<1x2x32x8xf32>, %x: tensor<1x64x64xf32>, %wo: tensor<64x64xf32>, %gate: tensor<64x96xf32>, %up: tensor<64x96xf32>, %down: tensor<96x64xf32>) -> tensor<1x64x64xf32> {
  %whole = ring.unshard %out as <[_, 1, 0, _] in 2x4, sequence = 2 as <contiguous, 64 over 2>> : tensor<1x2x32x8xf32> -> tensor<1x8x64x8xf32>
  %rows = "ttir.permute"(%whole) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x8x64x8xf32>) -> tensor<1x64x8x8xf32>
  %hidden = "ttir.reshape"(%rows) <{shape = [1 : i32, 64 : i32, 64 : i32]}> : (tensor<1x64x8x8xf32>) -> tensor<1x64x64xf32>
  %projected = "ttir.matmul"(%hidden, %wo) <{transpose_a = false, transpose_b = false}> : (tensor<1x64x64xf32>, tensor<64x64xf32>) -> tensor<1x64x64xf32>
  %residual = "ttir.add"(%x, %projected) : (tensor<1x64x64xf32>, tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
  %norm = "ttir.rms_norm"(%residual) <{epsilon = 1.0e-05 : f32, normalized_shape = array<i64: 64>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
  %gated = "ttir.matmul"(%norm, %gate) <{transpose_a = false, transpose_b = false}> : (tensor<1x64x64xf32>, tensor<64x96xf32>) -> tensor<1x64x96xf32>
  %active = "ttir.silu"(%gated) : (tensor<1x64x96xf32>) -> tensor<1x64x96xf32>
  %upper = "ttir.dot_general"(%norm, %up) <{batch_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, contract_dims_lhs = array<i64: 2>, contract_dims_rhs = array<i64: 0>}> : (tensor<1x64x64xf32>, tensor<64x96xf32>) -> tensor<1x64x96xf32>
  %wide = "ttir.multiply"(%active, %upper) : (tensor<1x64x96xf32>, tensor<1x64x96xf32>) -> tensor<1x64x96xf32>
  %lower = "ttir.matmul"(%wide, %down) <{transpose_a = false, transpose_b = false}> : (tensor<1x64x96xf32>, tensor<96x64xf32>) -> tensor<1x64x64xf32>
  %sum = "ttir.add"(%residual, %lower) : (tensor<1x64x64xf32>, tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
  return %sum : tensor<1x64x64xf32>
}

// -----

// A product of an attention's output that makes the next one's heads has its
// columns split; its rows cannot be too, so the heads are gathered.

// CHECK-LABEL: func.func @heads_to_heads(
// CHECK-SAME:    %[[OUT:.*]]: tensor<1x2x32x8xf32>
// CHECK:         %[[ALL:.*]] = ring.all_gather {{.*}} on <1 in 2x4>
// CHECK:         "ttir.matmul"({{.*}}) {{.*}} : (tensor<1x32x64xf32>, tensor<64x16xf32>) -> tensor<1x32x16xf32>
// CHECK-NOT:     ring.unshard
// CHECK-NOT:     ttir.all_reduce
func.func @heads_to_heads(%out: tensor<1x2x32x8xf32>, %w: tensor<64x64xf32>) -> tensor<1x2x32x8xf32> {
  %whole = ring.unshard %out as <[_, 1, 0, _] in 2x4, sequence = 2 as <contiguous, 64 over 2>> : tensor<1x2x32x8xf32> -> tensor<1x8x64x8xf32>
  %rows = "ttir.permute"(%whole) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x8x64x8xf32>) -> tensor<1x64x8x8xf32>
  %hidden = "ttir.reshape"(%rows) <{shape = [1 : i32, 64 : i32, 64 : i32]}> : (tensor<1x64x8x8xf32>) -> tensor<1x64x64xf32>
  %product = "ttir.matmul"(%hidden, %w) <{transpose_a = false, transpose_b = false}> : (tensor<1x64x64xf32>, tensor<64x64xf32>) -> tensor<1x64x64xf32>
  %split = "ttir.reshape"(%product) <{shape = [1 : i32, 64 : i32, 8 : i32, 8 : i32]}> : (tensor<1x64x64xf32>) -> tensor<1x64x8x8xf32>
  %heads = "ttir.permute"(%split) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x64x8x8xf32>) -> tensor<1x8x64x8xf32>
  %next = ring.shard %heads as <[_, 1, 0, _] in 2x4, sequence = 2 as <contiguous, 64 over 2>> : tensor<1x8x64x8xf32> -> tensor<1x2x32x8xf32>
  return %next : tensor<1x2x32x8xf32>
}

// -----

// Two key heads on four devices: every device makes both, repeats them and keeps
// its own.

// CHECK-LABEL: func.func @few_key_heads(
// CHECK:         "ttir.matmul"({{.*}}) {{.*}} -> tensor<1x32x16xf32>
// CHECK:         %[[REPEATED:.*]] = "ttir.repeat_interleave"({{.*}}) {{.*}} -> tensor<1x4x32x8xf32>
// CHECK:         "ttir.mesh_partition"(%[[REPEATED]]) <{cluster_axis = 1 : ui32, dim = 1 : si32}> : (tensor<1x4x32x8xf32>) -> tensor<1x1x32x8xf32>
func.func @few_key_heads(%x: tensor<1x64x64xf32>, %w: tensor<64x16xf32>) -> tensor<1x1x32x8xf32> {
  %product = "ttir.matmul"(%x, %w) <{transpose_a = false, transpose_b = false}> : (tensor<1x64x64xf32>, tensor<64x16xf32>) -> tensor<1x64x16xf32>
  %split = "ttir.reshape"(%product) <{shape = [1 : i32, 64 : i32, 2 : i32, 8 : i32]}> : (tensor<1x64x16xf32>) -> tensor<1x64x2x8xf32>
  %heads = "ttir.permute"(%split) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x64x2x8xf32>) -> tensor<1x2x64x8xf32>
  %repeated = "ttir.repeat_interleave"(%heads) <{dim = 1 : si32, repeats = 2 : ui32}> : (tensor<1x2x64x8xf32>) -> tensor<1x4x64x8xf32>
  %k = ring.shard %repeated as <[_, 1, 0, _] in 2x4, sequence = 2 as <contiguous, 64 over 2>> : tensor<1x4x64x8xf32> -> tensor<1x1x32x8xf32>
  return %k : tensor<1x1x32x8xf32>
}

// -----

// Queries, keys and values in one product: their features lie side by side, so
// it is cut into three, each of which a device has its own heads of. The weights
// are cut before they are split.

// CHECK-LABEL: func.func @fused(
// CHECK-SAME:    %[[X:.*]]: tensor<1x64x64xf32>, %[[W:.*]]: tensor<64x96xf32>, %[[BIAS:.*]]: tensor<96xf32>
// CHECK:         %[[WQ:.*]] = "ttir.slice_static"(%[[W]]) {{.*}} -> tensor<64x64xf32>
// CHECK:         ring.shard %[[WQ]] as <[_, 1] in 2x4> : tensor<64x64xf32> -> tensor<64x16xf32>
// CHECK:         "ttir.linear"({{.*}}) {{.*}} : (tensor<1x32x64xf32>, tensor<64x16xf32>, tensor<16xf32>) -> tensor<1x32x16xf32>
// CHECK:         %[[WK:.*]] = "ttir.slice_static"(%[[W]]) <{begins = [0 : i32, 64 : i32]{{.*}} -> tensor<64x32xf32>
// CHECK:         ring.shard %[[WK]] as <[_, 1] in 2x4> : tensor<64x32xf32> -> tensor<64x8xf32>
// CHECK:         "ttir.linear"({{.*}}) {{.*}} -> tensor<1x32x8xf32>
// CHECK-NOT:     ttir.mesh_partition
func.func @fused(%x: tensor<1x64x64xf32>, %w: tensor<64x96xf32>, %bias: tensor<96xf32>) -> (tensor<1x2x32x8xf32>, tensor<1x1x32x8xf32>) {
  %all = "ttir.linear"(%x, %w, %bias) <{transpose_a = false, transpose_b = false}> : (tensor<1x64x64xf32>, tensor<64x96xf32>, tensor<96xf32>) -> tensor<1x64x96xf32>
  %q = "ttir.slice_static"(%all) <{begins = [0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 64 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x64x96xf32>) -> tensor<1x64x64xf32>
  %k = "ttir.slice_static"(%all) <{begins = [0 : i32, 0 : i32, 64 : i32], ends = [1 : i32, 64 : i32, 96 : i32], step = [1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x64x96xf32>) -> tensor<1x64x32xf32>
  %q_rows = "ttir.reshape"(%q) <{shape = [1 : i32, 64 : i32, 8 : i32, 8 : i32]}> : (tensor<1x64x64xf32>) -> tensor<1x64x8x8xf32>
  %q_heads = "ttir.permute"(%q_rows) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x64x8x8xf32>) -> tensor<1x8x64x8xf32>
  %k_rows = "ttir.reshape"(%k) <{shape = [1 : i32, 64 : i32, 4 : i32, 8 : i32]}> : (tensor<1x64x32xf32>) -> tensor<1x64x4x8xf32>
  %k_heads = "ttir.permute"(%k_rows) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x64x4x8xf32>) -> tensor<1x4x64x8xf32>
  %own_q = ring.shard %q_heads as <[_, 1, 0, _] in 2x4, sequence = 2 as <contiguous, 64 over 2>> : tensor<1x8x64x8xf32> -> tensor<1x2x32x8xf32>
  %own_k = ring.shard %k_heads as <[_, 1, 0, _] in 2x4, sequence = 2 as <contiguous, 64 over 2>> : tensor<1x4x64x8xf32> -> tensor<1x1x32x8xf32>
  return %own_q, %own_k : tensor<1x2x32x8xf32>, tensor<1x1x32x8xf32>
}

// -----

// Fused by groups, the queries, the key and the value of a group side by side:
// groups are what is split, and the product stays one.

// CHECK-LABEL: func.func @grouped(
// CHECK:         "ttir.matmul"({{.*}}) {{.*}} : (tensor<1x32x64xf32>, tensor<64x32xf32>) -> tensor<1x32x32xf32>
// CHECK:         "ttir.reshape"({{.*}}) <{shape = [1 : i32, 32 : i32, 1 : i32, 4 : i32, 8 : i32]}>
// CHECK:         "ttir.slice_static"({{.*}}) {{.*}} -> tensor<1x32x1x2x8xf32>
// CHECK:         "ttir.reshape"({{.*}}) {{.*}} -> tensor<1x32x2x8xf32>
// CHECK-NOT:     ttir.mesh_partition
func.func @grouped(%x: tensor<1x64x64xf32>, %w: tensor<64x128xf32>) -> tensor<1x2x32x8xf32> {
  %all = "ttir.matmul"(%x, %w) <{transpose_a = false, transpose_b = false}> : (tensor<1x64x64xf32>, tensor<64x128xf32>) -> tensor<1x64x128xf32>
  %groups = "ttir.reshape"(%all) <{shape = [1 : i32, 64 : i32, 4 : i32, 4 : i32, 8 : i32]}> : (tensor<1x64x128xf32>) -> tensor<1x64x4x4x8xf32>
  %q = "ttir.slice_static"(%groups) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 64 : i32, 4 : i32, 2 : i32, 8 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x64x4x4x8xf32>) -> tensor<1x64x4x2x8xf32>
  %rows = "ttir.reshape"(%q) <{shape = [1 : i32, 64 : i32, 8 : i32, 8 : i32]}> : (tensor<1x64x4x2x8xf32>) -> tensor<1x64x8x8xf32>
  %heads = "ttir.permute"(%rows) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x64x8x8xf32>) -> tensor<1x8x64x8xf32>
  %own = ring.shard %heads as <[_, 1, 0, _] in 2x4, sequence = 2 as <contiguous, 64 over 2>> : tensor<1x8x64x8xf32> -> tensor<1x2x32x8xf32>
  return %own : tensor<1x2x32x8xf32>
}

// -----

// Scores of all words go to the caller, who puts them together: each device of
// the heads' axis makes some.

// CHECK-LABEL: func.func @scores(
// CHECK:         "ttir.matmul"({{.*}}) {{.*}} : (tensor<1x32x64xf32>, tensor<64x24xf32>) -> tensor<1x32x24xf32>
// CHECK:         %[[CAST:.*]] = "ttir.typecast"({{.*}}) {{.*}} -> tensor<1x32x24xbf16>
// CHECK:         ring.unshard %[[CAST]] as <[_, 0, 1] in 2x4, sequence = 1 as <contiguous, 64 over 2>> : tensor<1x32x24xbf16> -> tensor<1x64x96xbf16>
func.func @scores(%out: tensor<1x2x32x8xf32>, %head: tensor<64x96xf32>) -> tensor<1x64x96xbf16> {
  %whole = ring.unshard %out as <[_, 1, 0, _] in 2x4, sequence = 2 as <contiguous, 64 over 2>> : tensor<1x2x32x8xf32> -> tensor<1x8x64x8xf32>
  %rows = "ttir.permute"(%whole) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x8x64x8xf32>) -> tensor<1x64x8x8xf32>
  %hidden = "ttir.reshape"(%rows) <{shape = [1 : i32, 64 : i32, 64 : i32]}> : (tensor<1x64x8x8xf32>) -> tensor<1x64x64xf32>
  %norm = "ttir.rms_norm"(%hidden) <{epsilon = 1.0e-05 : f32, normalized_shape = array<i64: 64>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<1x64x64xf32>) -> tensor<1x64x64xf32>
  %scores = "ttir.matmul"(%norm, %head) <{transpose_a = false, transpose_b = false}> : (tensor<1x64x64xf32>, tensor<64x96xf32>) -> tensor<1x64x96xf32>
  %cast = "ttir.typecast"(%scores) <{conservative_folding = false}> : (tensor<1x64x96xf32>) -> tensor<1x64x96xbf16>
  return %cast : tensor<1x64x96xbf16>
}
