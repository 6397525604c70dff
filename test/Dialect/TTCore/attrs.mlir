// SPDX-License-Identifier: Apache-2.0
// RUN: grep -v "^//" %s > %t.in
// RUN: ring-opt %s > %t.out
// RUN: diff -B %t.in %t.out

// Every attribute and type of ttcore, in the form it is printed in. The op is
// one that the dialect does not define.

#dram = #ttcore.memory_space<dram>
#l1 = #ttcore.memory_space<l1>
#parallel = #ttcore.iterator_type<parallel>
#reduction = #ttcore.iterator_type<reduction>
#system = #ttcore.memory_space<system>
module {
  "ttcore.novel"() {grid = #ttcore.grid<8x8>, mapped = #ttcore.grid<8x8, virt_to_physical_map = (d0, d1) -> (0, d0, d1), physical_to_virt_map = (d0, d1, d2) -> (d1, d2)>} : () -> ()
  "ttcore.novel"() {core_coord = #ttcore<core_coord 1x2>, core_range = #ttcore.core_range<(0,0), (3,4)>} : () -> ()
  "ttcore.novel"() {fabric = #ttcore.fabric_connection_config<noc_index = noc0, topology = ring, cluster_axis = 0, routing_mode = unidir_ring_torus, num_links = 1>} : () -> ()
  "ttcore.novel"() {mesh = #ttcore.mesh<"mesh" = 2x4>, mesh_topology = #ttcore.mesh_topology<[ring, linear]>, meshes = #ttcore.meshes<[<"mesh" = 1x2>, <"other" = 8>]>, tensor_mesh = #ttcore.tensor_mesh<"mesh">} : () -> ()
  "ttcore.novel"() {arg_alloc = #ttcore.arg_alloc<1024, 4096, l1>, local_shape = #ttcore<local_shape local_shape = tensor<5x128x512xbf16>>} : () -> ()
  "ttcore.novel"() {arch = [#ttcore.arch<wormhole_b0>, #ttcore.arch<blackhole>, #ttcore.arch<quasar>], oob = #ttcore.oob_val<neginf>} : () -> ()
  "ttcore.novel"() {argument = [#ttcore.argument_type<input>, #ttcore.argument_type<parameter>, #ttcore.argument_type<constant>, #ttcore.argument_type<default>]} : () -> ()
  "ttcore.novel"() {iterators = [#parallel, #reduction], layout = #ttcore.tensor_memory_layout<sharded>, space = [#l1, #dram]} : () -> ()
  "ttcore.novel"() {reduce = [#ttcore.reduce_type<sum>, #ttcore.reduce_type<mean>, #ttcore.reduce_type<max>, #ttcore.reduce_type<min>, #ttcore.reduce_type<std>, #ttcore.reduce_type<var>, #ttcore.reduce_type<prod>, #ttcore.reduce_type<invalid>]} : () -> ()
  "ttcore.novel"() {direction = [#ttcore.shard_direction<full_to_shard>, #ttcore.shard_direction<shard_to_full>], status = [#ttcore.shard_status<presharded>, #ttcore.shard_status<unsharded>], type = [#ttcore.shard_type<replicate>, #ttcore.shard_type<maximal>, #ttcore.shard_type<devices>]} : () -> ()
  "ttcore.novel"() {mask = [#ttcore.attention_mask_type<none>, #ttcore.attention_mask_type<causal>, #ttcore.attention_mask_type<arbitrary>], topology = [#ttcore.topology<ring>, #ttcore.topology<linear>, #ttcore.topology<mesh>, #ttcore.topology<torus>, #ttcore.topology<disabled>]} : () -> ()
  "ttcore.novel"() {dict = !ttcore.dict, tile = [!ttcore.tile<32x32, f32>, !ttcore.tile<32x32, f16>, !ttcore.tile<16x32, bf16>, !ttcore.tile<32x32, bfp_bf8>, !ttcore.tile<32x32, bfp_bf4>, !ttcore.tile<32x32, u32>, !ttcore.tile<32x32, u16>, !ttcore.tile<32x32, u8>, !ttcore.tile<32x32, si32>, !ttcore.tile<32x32, i1>]} : () -> ()
  "ttcore.novel"() {data = #ttcore.supportedDataTypes<bfp_bf8>} : () -> ()
  "ttcore.novel"() {cb = memref<2x2xf32, #ttcore.cb_layout<8x4, 2>, #l1>, shard = memref<1x1x2x2x!ttcore.tile<32x32, bfp_bf8>, #ttcore.shard<2176x1088, 1>, #dram>, view = memref<1x1x2x2xf32, #ttcore.view<4>, #l1>} : () -> ()
  "ttcore.novel"() {host = memref<3x5xf32, #ttcore.host_layout<logical_shape = 3x5, host_strides = 32x1, host_volume = 1024, <"mesh">>, #system>, interleaved = memref<1x1x2x2xf32, #ttcore.interleaved<8x4>, #dram>} : () -> ()
}
