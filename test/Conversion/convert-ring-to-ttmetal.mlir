// SPDX-License-Identifier: Apache-2.0
// A function of launches as commands of a host, with kernels of C++ text.

// RUN: ring-opt %s --convert-ring-to-ttmetal | FileCheck %s
// RUN: ring-opt %s --convert-ring-to-ttmetal | ring-opt --verify-roundtrip --ring-verify-device-rules -o /dev/null

!q = tensor<1x4x128x64xbf16>
!x = tensor<1x2x128x64xbf16>
!ql = tensor<1x4x64x64xbf16>
!xl = tensor<1x2x64x64xbf16>
!b = !ring.buffer<1x2x64x64xbf16>
!s = !ring.state<1x4x64x64>

// Tensors are rows of tiles: four of two tiles.
// CHECK-LABEL: func.func @ring(
// CHECK-SAME:      %[[Q:.+]]: memref<1x4x4x2048xbf16>, %[[K:.+]]: memref<1x2x4x2048xbf16>, %[[V:.+]]: memref<1x2x4x2048xbf16>) -> memref<1x4x4x2048xbf16>
// CHECK-SAME:      tt.function_type = "forward_device"
// CHECK-NEXT:    %[[QS:.+]] = "ttmetal.mesh_shard"(%[[Q]]) <{shard_dims = array<i64: -1, 2>, shard_direction = #ttcore.shard_direction<full_to_shard>, shard_shape = array<i64: 1, 1, 2, 1>, shard_type = #ttcore.shard_type<devices>}>
// CHECK-SAME:      -> memref<1x4x2x2048xbf16, #ttcore.host_layout<logical_shape = 1x4x2x2048, host_strides = 16384x4096x2048x1, host_volume = 16384, <"mesh">>>
// CHECK-NEXT:    %[[QB:.+]] = "ttmetal.create_buffer"() <{address = 1048576 : i64}> : () -> memref<8x1x1x2x!ttcore.tile<32x32, bf16>, #ttcore.shard<4096x2048, 1>, #dram>
// CHECK-NEXT:    "ttmetal.enqueue_write_buffer"(%[[QS]], %[[QB]])
// CHECK:         %[[KB:.+]] = "ttmetal.create_buffer"()
// CHECK:         %[[VB:.+]] = "ttmetal.create_buffer"()
// CHECK:         %[[OUT:.+]] = "ttmetal.create_buffer"()
// CHECK-SAME:      -> memref<8x1x1x2x!ttcore.tile<32x32, bf16>
// CHECK-NEXT:    %[[LSE:.+]] = "ttmetal.create_buffer"()
// CHECK-SAME:      -> memref<8x1x1x1x!ttcore.tile<32x32, f32>
// What arrives lies as the shards do.
// CHECK-NEXT:    %[[K1:.+]] = "ttmetal.create_buffer"()
// CHECK-SAME:      -> memref<4x1x1x2x!ttcore.tile<32x32, bf16>
// CHECK-NEXT:    %[[V1:.+]] = "ttmetal.create_buffer"()
// Words of both devices, of two rows of two cores: two compute, one moves.
// CHECK-NEXT:    %[[WORDS:.+]] = memref.get_global @ring_words : memref<2x2x2x[[N:[0-9]+]]xui32>
// CHECK-NEXT:    %[[OWN:.+]] = "ttmetal.mesh_shard"(%[[WORDS]]) <{shard_dims = array<i64: -1, 0>
// CHECK-NEXT:    %[[L1:.+]] = "ttmetal.create_buffer"() <{address = [[AT:[0-9]+]] : i64}> : () -> memref<2x2x1x[[N]]xui32,
// CHECK-NEXT:    "ttmetal.enqueue_write_buffer"(%[[OWN]], %[[L1]])
// CHECK:         "ttmetal.create_global_semaphore"() <{address = 131072 : i64, core_range = #ttmetal.core_range<0x0, 8x8>, initial_value = 0 : ui32}>
// CHECK-NEXT:    "ttmetal.create_global_semaphore"() <{address = 131088 : i64
// CHECK:         "ttmetal.enqueue_program"(%[[QB]], %[[KB]], %[[VB]], %[[K1]], %[[V1]], %[[OUT]], %[[LSE]],
// CHECK-SAME:      cb_ports = array<i64: 0, 1, 2, 3, 4, 7,
// CHECK-SAME:      fabricConnectionConfigs = [#ttcore.fabric_connection_config<noc_index = noc0, topology = linear, cluster_axis = 1, routing_mode = bidir_line_mesh, num_links = 1>]
// CHECK-SAME:      #ttmetal.noc_config<@attention_reader, #ttmetal.core_range<0x0, 1x2>, #ttmetal.kernel_args<{{ *}}ct_args = [<tensor_accessor_args[0]>, <tensor_accessor_args[1]>,
// CHECK-SAME:      dm_core = 0, noc0>
// CHECK-SAME:      #ttmetal.compute_config<@attention_compute, #ttmetal.core_range<0x0, 1x2>, #ttmetal.kernel_args<{{ *}}>, hifi4, true, false, false, [default]>
// CHECK-SAME:      #ttmetal.noc_config<@ring_mover, #ttmetal.core_range<1x0, 1x1>
// CHECK-SAME:      dm_core = 0, noc0, fabric_config_index = 0>
// CHECK-NEXT:    %[[HOST:.+]] = memref.alloc()
// CHECK-NEXT:    "ttmetal.enqueue_read_buffer"(%[[OUT]], %[[HOST]])
// CHECK-NEXT:    "ttmetal.finish"()
// CHECK-NEXT:    %[[DONE:.+]] = "ttmetal.mesh_shard"(%[[HOST]])
// CHECK-NEXT:    return %[[DONE]] : memref<1x4x4x2048xbf16>

// CHECK:       memref.global "private" constant @ring_words
// Our text closes the function that it lands in, and leaves another one open.
// CHECK:       func.func private @attention_reader() attributes {tt.function_type = "kernel", ttkernel.arg_spec =
// CHECK-NEXT:    emitc.verbatim "void ring_kernel();\0Aring_kernel();\0A}\0A#define RING_CONSTANTS 1u, 2u, 2u, 2u,
// CHECK-SAME:      #define RING_WORDS_ADDRESS [[AT]]\0A#define RING_SEMAPHORES_ADDRESS 131072\0A#define kernel_main ring_kernel\0A
// CHECK-SAME:      void ring_kernel_end() {"
// CHECK:       func.func private @ring_mover()
func.func @ring(%query: !q, %key: !x, %value: !x) -> !q {
  %qs = ring.shard %query as <[_, _, 1, _] in 1x2, sequence = 2 as <contiguous, 128 over 2>> : !q -> !ql
  %ks = ring.shard %key as <[_, _, 1, _] in 1x2, sequence = 2 as <contiguous, 128 over 2>> : !x -> !xl
  %vs = ring.shard %value as <[_, _, 1, _] in 1x2, sequence = 2 as <contiguous, 128 over 2>> : !x -> !xl
  %output, %lse = ring.launch(%q = %qs, %k = %ks, %v = %vs) compute(<q_chunk = 32, k_chunk = 64, fidelity = hifi4, grid = 2x1>)
      : (!ql, !xl, !xl) -> (!ql, tensor<1x4x64x1xf32>) {
    %0 = ring.buffer : !b
    %1 = ring.buffer : !b
    %2 = ring.start_shift %k, %v into %0, %1 by 1 on <1 in 1x2> : !xl, !xl into !b, !b
    %3 = ring.init : !s
    %4 = ring.accumulate %q, %k, %v into %3 : !ql, !xl, !xl -> !s
    %5:2 = ring.wait %2 : !xl, !xl
    %6 = ring.accumulate %q, %5#0, %5#1 into %4 : !ql, !xl, !xl -> !s
    %out, %sums = ring.finish %6 : !s -> !ql, tensor<1x4x64x1xf32>
    ring.yield %out, %sums : !ql, tensor<1x4x64x1xf32>
  }
  %whole = ring.unshard %output as <[_, _, 1, _] in 1x2, sequence = 2 as <contiguous, 128 over 2>> : !ql -> !q
  return %whole : !q
}
