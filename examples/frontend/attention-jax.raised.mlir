// SPDX-License-Identifier: Apache-2.0
// attention-jax.ttir.mlir after ring-raise: one op on the padded sequence, of which
// 250 keys are real.
module @jit_attention attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32, ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  func.func public @main(%arg0: tensor<1x64x4x32xbf16> {ttcore.argument_type = #ttcore.argument_type<input>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1x64x4x32xbf16>>, ttcore.shard_status = #ttcore.shard_status<presharded>}, %arg1: tensor<1x64x4x32xbf16> {ttcore.argument_type = #ttcore.argument_type<input>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1x64x4x32xbf16>>, ttcore.shard_status = #ttcore.shard_status<presharded>}, %arg2: tensor<1x64x4x32xbf16> {ttcore.argument_type = #ttcore.argument_type<input>, ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1x64x4x32xbf16>>, ttcore.shard_status = #ttcore.shard_status<presharded>}) -> (tensor<1x64x4x32xbf16> {jax.result_info = "result", ttcore.local_shape = #ttcore<local_shape local_shape = tensor<1x64x4x32xbf16>>, ttcore.shard_status = #ttcore.shard_status<presharded>}) {
    %0 = "ttir.permute"(%arg0) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x64x4x32xbf16>) -> tensor<1x4x64x32xbf16>
    %1 = "ttir.permute"(%arg1) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x64x4x32xbf16>) -> tensor<1x4x64x32xbf16>
    %2 = "ttir.all_gather"(%1) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (tensor<1x4x64x32xbf16>) -> tensor<1x4x256x32xbf16>
    %3 = "ttir.permute"(%arg2) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x64x4x32xbf16>) -> tensor<1x4x64x32xbf16>
    %4 = "ttir.all_gather"(%3) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (tensor<1x4x64x32xbf16>) -> tensor<1x4x256x32xbf16>
    %5 = "ttir.all_gather"(%0) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (tensor<1x4x64x32xbf16>) -> tensor<1x4x256x32xbf16>
    %output = ring.attention %5, %2, %4 length(250) parallel(<sequence = 1>) per_device : tensor<1x4x256x32xbf16>, tensor<1x4x256x32xbf16>, tensor<1x4x256x32xbf16> -> tensor<1x4x256x32xbf16>
    %6 = "ttir.mesh_partition"(%output) <{cluster_axis = 1 : ui32, dim = 2 : si32}> : (tensor<1x4x256x32xbf16>) -> tensor<1x4x64x32xbf16>
    %7 = "ttir.permute"(%6) <{permutation = array<i64: 0, 1, 3, 2>}> : (tensor<1x4x64x32xbf16>) -> tensor<1x4x32x64xbf16>
    %8 = "ttir.permute"(%7) <{permutation = array<i64: 0, 3, 1, 2>}> : (tensor<1x4x32x64xbf16>) -> tensor<1x64x4x32xbf16>
    return %8 : tensor<1x64x4x32xbf16>
  }
}

