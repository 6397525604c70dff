// SPDX-License-Identifier: Apache-2.0
// What attention_jax.py prints, in MLIR's generic form, so that any mlir-opt reads
// it. The body of the manual computation is one device's: the gathers and the
// slices are the program's own.
!whole = tensor<1x256x4x32xbf16>
!local = tensor<1x64x4x32xbf16>
!real = tensor<1x250x4x32xbf16>
!scores = tensor<1x4x64x250xf32>
!row = tensor<1x4x64xf32>
!column = tensor<1x4x64x1xf32>

module @jit_attention attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=1, "sp"=4]>, sym_name = "mesh"}> : () -> ()
  func.func public @main(
      %query: !whole {sdy.sharding = #sdy.sharding<@mesh, [{}, {"sp"}, {}, {}]>},
      %key: !whole {sdy.sharding = #sdy.sharding<@mesh, [{}, {"sp"}, {}, {}]>},
      %value: !whole {sdy.sharding = #sdy.sharding<@mesh, [{}, {"sp"}, {}, {}]>}) -> (!whole {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{}, {"sp"}, {}, {}]>}) {
    %out = "sdy.manual_computation"(%query, %key, %value) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {"sp"}, {}, {}]>, <@mesh, [{}, {"sp"}, {}, {}]>, <@mesh, [{}, {"sp"}, {}, {}]>]>, manual_axes = #sdy<manual_axes{"x", "sp"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {"sp"}, {}, {}]>]>}> ({
    ^bb0(%q: !local, %k: !local, %v: !local):
      %k_all = "stablehlo.all_gather"(%k) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> : (!local) -> !whole
      %k_real = "stablehlo.slice"(%k_all) <{limit_indices = array<i64: 1, 250, 4, 32>, start_indices = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>}> : (!whole) -> !real
      %v_all = "stablehlo.all_gather"(%v) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> : (!local) -> !whole
      %v_real = "stablehlo.slice"(%v_all) <{limit_indices = array<i64: 1, 250, 4, 32>, start_indices = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1, 1, 1>}> : (!whole) -> !real
      %products = "stablehlo.dot_general"(%q, %k_real) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [3]>}> : (!local, !real) -> !scores
      %scale = "stablehlo.constant"() <{value = dense<0.176776692> : !scores}> : () -> !scores
      %scores = "stablehlo.multiply"(%products, %scale) : (!scores, !scores) -> !scores
      %low = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
      %largest = "stablehlo.reduce"(%scores, %low) <{dimensions = array<i64: 3>}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %larger = "stablehlo.maximum"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "stablehlo.return"(%larger) : (tensor<f32>) -> ()
      }) : (!scores, tensor<f32>) -> !row
      %lows = "stablehlo.broadcast_in_dim"(%low) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> !row
      %held = "stablehlo.maximum"(%lows, %largest) : (!row, !row) -> !row
      %held_column = "stablehlo.broadcast_in_dim"(%held) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (!row) -> !column
      %held_wide = "stablehlo.broadcast_in_dim"(%held_column) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (!column) -> !scores
      %shifted = "stablehlo.subtract"(%scores, %held_wide) : (!scores, !scores) -> !scores
      %powers = "stablehlo.exponential"(%shifted) : (!scores) -> !scores
      %zero = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
      %sum = "stablehlo.reduce"(%powers, %zero) <{dimensions = array<i64: 3>}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %both = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "stablehlo.return"(%both) : (tensor<f32>) -> ()
      }) : (!scores, tensor<f32>) -> !row
      %sum_column = "stablehlo.broadcast_in_dim"(%sum) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (!row) -> !column
      %sum_wide = "stablehlo.broadcast_in_dim"(%sum_column) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (!column) -> !scores
      %weights = "stablehlo.divide"(%powers, %sum_wide) : (!scores, !scores) -> !scores
      %narrow = "stablehlo.convert"(%weights) : (!scores) -> tensor<1x4x64x250xbf16>
      %attended = "stablehlo.dot_general"(%v_real, %narrow) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [0, 1], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [3]>}> : (!real, tensor<1x4x64x250xbf16>) -> tensor<1x4x32x64xbf16>
      %rows = "stablehlo.transpose"(%attended) <{permutation = array<i64: 0, 3, 1, 2>}> : (tensor<1x4x32x64xbf16>) -> !local
      "sdy.return"(%rows) : (!local) -> ()
    }) : (!whole, !whole, !whole) -> !whole
    return %out : !whole
  }
}
