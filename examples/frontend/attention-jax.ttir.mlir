// SPDX-License-Identifier: Apache-2.0
// The same after tt-mlir's stablehlo-pipeline and stablehlo-to-ttir-pipeline, as
// its sources have it: arguments have their shards' types, the mesh is the
// module's, and the attention is spelled out behind gathers and slices (P3).
!local = tensor<1x64x4x32xbf16>
!gathered = tensor<1x256x4x32xbf16>
!real = tensor<1x250x4x32xbf16>
!scores = tensor<1x4x64x250xf32>
!row = tensor<1x4x64xf32>
!column = tensor<1x4x64x1xf32>

module @jit_attention attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32, ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  func.func public @main(
      %q: !local {ttcore.argument_type = #ttcore.argument_type<input>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1x64x4x32xbf16>>, ttcore.shard_status = #ttcore.shard_status<presharded>},
      %k: !local {ttcore.argument_type = #ttcore.argument_type<input>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1x64x4x32xbf16>>, ttcore.shard_status = #ttcore.shard_status<presharded>},
      %v: !local {ttcore.argument_type = #ttcore.argument_type<input>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1x64x4x32xbf16>>, ttcore.shard_status = #ttcore.shard_status<presharded>}) -> (!local {jax.result_info = "result", ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1x64x4x32xbf16>>, ttcore.shard_status = #ttcore.shard_status<presharded>}) {
    %scale = "ttir.constant"() <{value = dense<0.176776692> : !scores}> : () -> !scores
    %lows = "ttir.constant"() <{value = dense<0xFF800000> : !row}> : () -> !row
    %k_all = "ttir.all_gather"(%k) <{all_gather_dim = 1 : si32, cluster_axis = 1 : ui32}> : (!local) -> !gathered
    %k_real = "ttir.slice_static"(%k_all) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 250 : i32, 4 : i32, 32 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!gathered) -> !real
    %v_all = "ttir.all_gather"(%v) <{all_gather_dim = 1 : si32, cluster_axis = 1 : ui32}> : (!local) -> !gathered
    %v_real = "ttir.slice_static"(%v_all) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 250 : i32, 4 : i32, 32 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!gathered) -> !real
    %products = "ttir.dot_general"(%q, %k_real) <{batch_dims_lhs = array<i64: 0, 2>, batch_dims_rhs = array<i64: 0, 2>, contract_dims_lhs = array<i64: 3>, contract_dims_rhs = array<i64: 3>}> : (!local, !real) -> !scores
    %scores = "ttir.multiply"(%products, %scale) : (!scores, !scores) -> !scores
    %largest = "ttir.max"(%scores) <{dim_arg = [3 : i32], keep_dim = false}> : (!scores) -> !row
    %held = "ttir.maximum"(%lows, %largest) : (!row, !row) -> !row
    %held_column = "ttir.reshape"(%held) <{shape = [1 : i32, 4 : i32, 64 : i32, 1 : i32]}> : (!row) -> !column
    %held_wide = "ttir.broadcast"(%held_column) <{broadcast_dimensions = array<i64: 1, 1, 1, 250>}> : (!column) -> !scores
    %shifted = "ttir.subtract"(%scores, %held_wide) : (!scores, !scores) -> !scores
    %powers = "ttir.exp"(%shifted) : (!scores) -> !scores
    %sum = "ttir.sum"(%powers) <{dim_arg = [3 : i32], keep_dim = false}> : (!scores) -> !row
    %sum_column = "ttir.reshape"(%sum) <{shape = [1 : i32, 4 : i32, 64 : i32, 1 : i32]}> : (!row) -> !column
    %sum_wide = "ttir.broadcast"(%sum_column) <{broadcast_dimensions = array<i64: 1, 1, 1, 250>}> : (!column) -> !scores
    %weights = "ttir.div"(%powers, %sum_wide) : (!scores, !scores) -> !scores loc("jit(attention)/softmax/div")
    %narrow = "ttir.typecast"(%weights) <{conservative_folding = false}> : (!scores) -> tensor<1x4x64x250xbf16>
    %attended = "ttir.dot_general"(%v_real, %narrow) <{batch_dims_lhs = array<i64: 0, 2>, batch_dims_rhs = array<i64: 0, 1>, contract_dims_lhs = array<i64: 1>, contract_dims_rhs = array<i64: 3>}> : (!real, tensor<1x4x64x250xbf16>) -> tensor<1x4x32x64xbf16>
    %rows = "ttir.permute"(%attended) <{permutation = array<i64: 0, 3, 1, 2>}> : (tensor<1x4x32x64xbf16>) -> !local
    return %rows : !local
  }
}
