// SPDX-License-Identifier: Apache-2.0
// The same after tt-mlir's stablehlo-pipeline and stablehlo-to-ttir-pipeline, as
// its sources have it: the rule of the custom call wants all rows of query, key
// and value, so that each is gathered and every device computes all of it, to keep
// a quarter of the result (P1). Results are whole on the host, unless
// result-presharded says otherwise.
!local = tensor<1x8x64x64xbf16>
!t = tensor<1x8x256x64xbf16>

module @sharded attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32, ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  func.func public @main(
      %query: !local {ttcore.argument_type = #ttcore.argument_type<input>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1x8x64x64xbf16>>, ttcore.shard_status = #ttcore.shard_status<presharded>, ttir.name = "query"},
      %key: !local {ttcore.argument_type = #ttcore.argument_type<input>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1x8x64x64xbf16>>, ttcore.shard_status = #ttcore.shard_status<presharded>, ttir.name = "key"},
      %value: !local {ttcore.argument_type = #ttcore.argument_type<input>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1x8x64x64xbf16>>, ttcore.shard_status = #ttcore.shard_status<presharded>, ttir.name = "value"}) -> (!t {ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1x8x256x64xbf16>>, ttcore.shard_status = #ttcore.shard_status<unsharded>}) {
    %q = "ttir.all_gather"(%query) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!local) -> !t
    %k = "ttir.all_gather"(%key) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!local) -> !t
    %v = "ttir.all_gather"(%value) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!local) -> !t
    %all = "ttir.scaled_dot_product_attention"(%q, %k, %v) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!t, !t, !t) -> !t
    %own = "ttir.mesh_partition"(%all) <{cluster_axis = 1 : ui32, dim = 2 : si32}> : (!t) -> !local
    %out = "ttir.mesh_shard"(%own) <{shard_dims = array<i64: -1, 2>, shard_direction = #ttcore.shard_direction<shard_to_full>, shard_shape = array<i64: 1, 1, 4, 1>, shard_type = #ttcore.shard_type<devices>}> : (!local) -> !t
    return %out : !t
  }
}
