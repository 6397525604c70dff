// SPDX-License-Identifier: Apache-2.0
// RUN: grep -v "^//" %s > %t.in
// RUN: ring-opt %s > %t.out
// RUN: diff -B %t.in %t.out

// Every op of ttmetal, in the form it is printed in, kernel configurations and
// all; the last two are not defined.

#l1 = #ttcore.memory_space<l1>
#map = affine_map<(d0, d1) -> (d1, d0)>
#map1 = affine_map<(d0, d1, d2) -> (0, d2, d1)>
module {
  func.func @main(%arg0: memref<64x128xf32>) {
    %0 = "ttmetal.create_buffer"() <{address = 1024 : i64}> : () -> memref<2x4x1x1x!ttcore.tile<32x32, f32>, #ttcore.shard<4096x4096, 1>, #l1>
    %1 = "ttmetal.create_buffer"() <{address = 2048 : i64, virtualGridForwardMapping = #map, virtualGridInverseMapping = #map1}> : () -> memref<2x4x1x1x!ttcore.tile<32x32, f32>, #ttcore.shard<4096x4096, 1>, #l1>
    "ttmetal.enqueue_write_buffer"(%arg0, %0) : (memref<64x128xf32>, memref<2x4x1x1x!ttcore.tile<32x32, f32>, #ttcore.shard<4096x4096, 1>, #l1>) -> ()
    %2 = "ttmetal.create_global_semaphore"() <{address = 4096 : i64, core_range = #ttmetal.core_range<0x0, 8x8>, initial_value = 0 : ui32}> : () -> !ttmetal.global_semaphore
    "ttmetal.enqueue_program"(%0, %2, %0) <{cb_ports = array<i64: 0>, fabricConnectionConfigs = [#ttcore.fabric_connection_config<noc_index = noc0, topology = ring, cluster_axis = 0, routing_mode = unidir_ring_torus, num_links = 1>], kernelConfigs = [#ttmetal.noc_config<@dm0, #ttmetal.core_range<0x0, 1x1>, #ttmetal.kernel_args< ct_args = [<cb_port[0]>, <global_semaphore[1]>]>, dm_core = 1, noc0, fabric_config_index = 0>], operandSegmentSizes = array<i32: 2, 1>}> : (memref<2x4x1x1x!ttcore.tile<32x32, f32>, #ttcore.shard<4096x4096, 1>, #l1>, !ttmetal.global_semaphore, memref<2x4x1x1x!ttcore.tile<32x32, f32>, #ttcore.shard<4096x4096, 1>, #l1>) -> ()
    "ttmetal.reset_global_semaphore"(%2) <{value = 0 : ui32}> : (!ttmetal.global_semaphore) -> ()
    "ttmetal.enqueue_read_buffer"(%0, %arg0) : (memref<2x4x1x1x!ttcore.tile<32x32, f32>, #ttcore.shard<4096x4096, 1>, #l1>, memref<64x128xf32>) -> ()
    %3 = "ttmetal.mesh_shard"(%arg0) <{shard_dims = array<i64: 0, 1>, shard_direction = #ttcore.shard_direction<full_to_shard>, shard_shape = array<i64: 1, 2>, shard_type = #ttcore.shard_type<devices>}> : (memref<64x128xf32>) -> memref<64x64xf32>
    "ttmetal.deallocate_buffer"(%0) : (memref<2x4x1x1x!ttcore.tile<32x32, f32>, #ttcore.shard<4096x4096, 1>, #l1>) -> ()
    "ttmetal.finish"() : () -> ()
    %4 = "ttmetal.create_local_semaphore"() <{initial_value = 1 : ui32}> : () -> !ttmetal.local_semaphore
    %5 = "ttmetal.novel"(%4) <{kind = #ttmetal.novel<2x2, @k>}> : (!ttmetal.local_semaphore) -> !ttmetal.queue<0>
    return
  }
}
