// SPDX-License-Identifier: Apache-2.0
// An attention whose arguments are sharded along the sequence, and nothing more is
// said: tt-xla's custom call, in MLIR's generic form.
!t = tensor<1x8x256x64xbf16>

module @sharded attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=1, "sp"=4]>, sym_name = "mesh"}> : () -> ()
  func.func public @main(
      %query: !t {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"sp"}, {}]>, ttir.name = "query"},
      %key: !t {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"sp"}, {}]>, ttir.name = "key"},
      %value: !t {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"sp"}, {}]>, ttir.name = "value"}) -> (!t {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"sp"}, {}]>}) {
    %out = "stablehlo.custom_call"(%query, %key, %value) <{api_version = 0 : i32, call_target_name = "tt.scaled_dot_product_attention"}> {mhlo.frontend_attributes = {is_causal = "True"}} : (!t, !t, !t) -> !t
    return %out : !t
  }
}
