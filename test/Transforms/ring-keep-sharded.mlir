// RUN: ring-opt %s --ring-keep-sharded --canonicalize --cse --split-input-file | FileCheck %s

// Elementwise ops, a product with weights and a norm between two attentions run
// on the shards; nothing is put together and split again.

// CHECK-LABEL: func.func @between_attentions(
// CHECK-SAME:    %[[X:.*]]: tensor<1x64x32xf32>, %[[W:.*]]: tensor<32x32xf32>, %[[G:.*]]: tensor<32xf32>
// CHECK-DAG:     %[[LX:.*]] = ring.shard %[[X]] {{.*}} -> tensor<1x16x32xf32>
// CHECK:         %[[SUM:.*]] = "ttir.add"(%[[LX]], {{.*}}) : (tensor<1x16x32xf32>
// CHECK:         %[[LW:.*]] = ring.shard %[[W]] as <[_, _] in 1x4> : tensor<32x32xf32> -> tensor<32x32xf32>
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

// Heads that an attention split are gathered for the product over the hidden
// dimension and split again for the next attention, all on the devices.

// CHECK-LABEL: func.func @heads(
// CHECK-SAME:    %[[OUT:.*]]: tensor<1x2x32x8xf32>
// CHECK:         %[[ROWS:.*]] = "ttir.permute"(%[[OUT]])
// CHECK:         %[[HIDDEN:.*]] = "ttir.reshape"(%[[ROWS]]) <{shape = [1 : i32, 32 : i32, 16 : i32]}>
// CHECK:         %[[ALL:.*]] = ring.all_gather %[[HIDDEN]] dim 2 on <1 in 2x4> : tensor<1x32x16xf32> -> tensor<1x32x64xf32>
// CHECK:         %[[PRODUCT:.*]] = "ttir.matmul"(%[[ALL]],
// CHECK:         "ttir.mesh_partition"({{.*}}) <{cluster_axis = 1 : ui32, dim = 1 : si32}>
// CHECK-NOT:     ring.unshard
func.func @heads(%out: tensor<1x2x32x8xf32>, %w: tensor<64x64xf32>) -> tensor<1x2x32x8xf32> {
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

// A sum over the sequence mixes tokens, and a quotient might make padding
// infinite: both stay whole.

// CHECK-LABEL: func.func @stay_whole(
// CHECK:         %[[WHOLE:.*]] = ring.unshard
// CHECK:         "ttir.div"(%[[WHOLE]], %[[WHOLE]]) : (tensor<1x60x32xf32>
// CHECK:         ring.shard
func.func @stay_whole(%x: tensor<1x16x32xf32>) -> tensor<1x16x32xf32> {
  %whole = ring.unshard %x as <[_, 1, _] in 1x4, sequence = 1 as <contiguous, 64 over 4>> : tensor<1x16x32xf32> -> tensor<1x60x32xf32>
  %quotient = "ttir.div"(%whole, %whole) : (tensor<1x60x32xf32>, tensor<1x60x32xf32>) -> tensor<1x60x32xf32>
  %again = ring.shard %quotient as <[_, 1, _] in 1x4, sequence = 1 as <contiguous, 64 over 4>> : tensor<1x60x32xf32> -> tensor<1x16x32xf32>
  return %again : tensor<1x16x32xf32>
}
