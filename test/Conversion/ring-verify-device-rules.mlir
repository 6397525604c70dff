// SPDX-License-Identifier: Apache-2.0
// What compiles and stops, or is wrong, on a device: one case for each rule.

// RUN: ring-opt %s --ring-verify-device-rules --split-input-file --verify-diagnostics -o /dev/null

!x = tensor<1x4x64x64xbf16>
!s = tensor<1x2x64x64xbf16>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 2x2>]>} {
  // All is well.
  func.func @kept(%x: !x) -> !x {
    %0 = "ttir.mesh_shard"(%x) <{shard_dims = array<i64: 1, -1>, shard_direction = #ttcore.shard_direction<full_to_shard>, shard_shape = array<i64: 1, 2, 1, 1>, shard_type = #ttcore.shard_type<devices>}> : (!x) -> !s
    %1 = "ttir.collective_permute"(%0) <{source_target_pairs = dense<[[0, 1], [1, 0], [2, 2], [3, 3]]> : tensor<4x2xi64>}> : (!s) -> !s
    %2 = "ttir.mesh_shard"(%1) <{shard_dims = array<i64: 1, -1>, shard_direction = #ttcore.shard_direction<shard_to_full>, shard_shape = array<i64: 1, 2, 1, 1>, shard_type = #ttcore.shard_type<devices>}> : (!s) -> !x
    return %2 : !x
  }

  // Device 1 is in a row, and device 2 in a column, with device 0.
  func.func @zeros_along_a_line(%x: !x) -> !x {
    %0 = "ttir.collective_permute"(%x) <{source_target_pairs = dense<[[1, 3], [3, 1]]> : tensor<2x2xi64>}> : (!x) -> !x
    return %0 : !x
  }

  func.func @d1(%x: !x) -> !s {
    // expected-note @+1 {{made by ttir.exp}}
    %0 = "ttir.exp"(%x) : (!x) -> !x
    // expected-error @+1 {{'ttir.mesh_shard' op breaks rule D1: expects an argument of a public function, which is all that a device's runtime splits, but got a tensor that is made here}}
    %1 = "ttir.mesh_shard"(%0) <{shard_dims = array<i64: 1, -1>, shard_direction = #ttcore.shard_direction<full_to_shard>, shard_shape = array<i64: 1, 2, 1, 1>, shard_type = #ttcore.shard_type<devices>}> : (!x) -> !s
    return %1 : !s
  }

  func.func private @d1_called(%x: !x) -> !s {
    // expected-error @+1 {{'ttir.mesh_shard' op breaks rule D1}}
    %0 = "ttir.mesh_shard"(%x) <{shard_dims = array<i64: 1, -1>, shard_direction = #ttcore.shard_direction<full_to_shard>, shard_shape = array<i64: 1, 2, 1, 1>, shard_type = #ttcore.shard_type<devices>}> : (!x) -> !s
    return %0 : !s
  }

  // What runs once is called by the runtime.
  func.func private @d1_once(%x: !x) -> !s attributes {tt.function_type = "const_eval"} {
    %0 = "ttir.mesh_shard"(%x) <{shard_dims = array<i64: 1, -1>, shard_direction = #ttcore.shard_direction<full_to_shard>, shard_shape = array<i64: 1, 2, 1, 1>, shard_type = #ttcore.shard_type<devices>}> : (!x) -> !s
    return %0 : !s
  }

  func.func @d2(%x: !s) -> !x {
    // expected-error @+1 {{'ttir.mesh_shard' op breaks rule D2: expects what comes back to the host to be returned, but got another use}}
    %0 = "ttir.mesh_shard"(%x) <{shard_dims = array<i64: 1, -1>, shard_direction = #ttcore.shard_direction<shard_to_full>, shard_shape = array<i64: 1, 2, 1, 1>, shard_type = #ttcore.shard_type<devices>}> : (!s) -> !x
    // expected-note @+1 {{used by ttir.exp}}
    %1 = "ttir.exp"(%0) : (!x) -> !x
    return %1 : !x
  }

  func.func @d5(%x: !x) -> !x {
    // expected-error @+1 {{'ttir.collective_permute' op breaks rule D5: expects sender and receiver in one row or column of the mesh, but got devices 0 and 3}}
    %0 = "ttir.collective_permute"(%x) <{source_target_pairs = dense<[[0, 3], [1, 1], [2, 2], [3, 0]]> : tensor<4x2xi64>}> : (!x) -> !x
    return %0 : !x
  }

  func.func @d5_trade(%x: !x) -> tensor<1x1x256x64xbf16> {
    // expected-error @+1 {{'ttir.all_to_all' op breaks rule D5: expects sender and receiver in one row or column of the mesh, but got devices 0 and 3}}
    %0 = "ttir.all_to_all"(%x) <{split_dim = 1 : si32, concat_dim = 2 : si32, split_count = 4 : si32, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> : (!x) -> tensor<1x1x256x64xbf16>
    return %0 : tensor<1x1x256x64xbf16>
  }

  func.func @d6(%x: !x) -> !x {
    // expected-error @+1 {{'ttir.collective_permute' op breaks rule D6: expects every device to be a target, but got none for device 3}}
    %0 = "ttir.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (!x) -> !x
    return %0 : !x
  }

  func.func @d7(%n: tensor<1x4xi32>, %t: tensor<50x40xf32>) -> tensor<1x4x40xf32> {
    // expected-error @+1 {{'ttir.embedding' op breaks rule D7: expects a table of bf16, but got 'f32'}}
    %0 = "ttir.embedding"(%n, %t) : (tensor<1x4xi32>, tensor<50x40xf32>) -> tensor<1x4x40xf32>
    return %0 : tensor<1x4x40xf32>
  }

  func.func @d8(%x: tensor<1x2x64x32xf32>) -> tensor<1x2x64x32xf32> {
    // expected-error @+1 {{'ttir.sdpa_fw' op breaks rule D8: expects bf16, but got 'tensor<1x2x64x32xf32>'}}
    %0 = "ttir.sdpa_fw"(%x, %x, %x) <{mask_type = #ttcore.attention_mask_type<causal>, dropout_probability = 0.0 : f32, return_intermediates = false}> : (tensor<1x2x64x32xf32>, tensor<1x2x64x32xf32>, tensor<1x2x64x32xf32>) -> tensor<1x2x64x32xf32>
    return %0 : tensor<1x2x64x32xf32>
  }

  func.func @d8_tiles(%x: tensor<1x2x40x32xbf16>) -> tensor<1x2x40x32xbf16> {
    // expected-error @+1 {{'ttir.sdpa_fw' op breaks rule D8: expects whole tiles, but got 'tensor<1x2x40x32xbf16>'}}
    %0 = "ttir.sdpa_fw"(%x, %x, %x) <{mask_type = #ttcore.attention_mask_type<causal>, dropout_probability = 0.0 : f32, return_intermediates = false}> : (tensor<1x2x40x32xbf16>, tensor<1x2x40x32xbf16>, tensor<1x2x40x32xbf16>) -> tensor<1x2x40x32xbf16>
    return %0 : tensor<1x2x40x32xbf16>
  }
}

// -----

#dram = #ttnn.buffer_type<dram>
#host = #ttnn.buffer_type<system_memory>
#device = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#hosts = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<2x2x!ttcore.tile<32x32, bf16>, #host>>
#half = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
#hosts_half = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x2x!ttcore.tile<32x32, bf16>, #host>>
#rows = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<64x64xbf16, #dram>, <interleaved>>
#half_rows = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<20x64xbf16, #dram>, <interleaved>>
#numbers = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x4xui32, #dram>, <interleaved>>
#signed = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x4xsi32, #dram>, <interleaved>>
#taken = #ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * 32 + d1, d2), <1x1>, memref<1x2x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
!x = tensor<64x64xbf16, #device>
!h = tensor<64x64xbf16, #hosts>
!s = tensor<32x64xbf16, #half>
!hs = tensor<32x64xbf16, #hosts_half>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 2x2>]>} {
  func.func @kept(%h: !h) -> !h {
    %d = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 2x2>}> : () -> !ttnn.device
    %0 = "ttnn.distribute_tensor"(%h, %d) <{mapper_config = #ttnn.mesh_mapper_config<placements = [<shard, 0 : i64>, <replicate>]>}> : (!h, !ttnn.device) -> !hs
    %1 = "ttnn.to_device"(%0, %d) : (!hs, !ttnn.device) -> !s
    %2 = "ttnn.aggregate_tensor"(%1, %d) <{composer_config = #ttnn.mesh_composer_config<dims = [0 : i64, 1 : i64], mesh_shape_override = [2 : ui32, 1 : ui32]>}> : (!s, !ttnn.device) -> !h
    "ttnn.deallocate"(%0) <{force = false}> : (!hs) -> ()
    return %2 : !h
  }

  func.func @d1(%x: !x, %d: !ttnn.device) -> !hs {
    // expected-note @+1 {{made by ttnn.from_device}}
    %0 = "ttnn.from_device"(%x) : (!x) -> !h
    // expected-error @+1 {{'ttnn.distribute_tensor' op breaks rule D1}}
    %1 = "ttnn.distribute_tensor"(%0, %d) <{mapper_config = #ttnn.mesh_mapper_config<placements = [<shard, 0 : i64>, <replicate>]>}> : (!h, !ttnn.device) -> !hs
    return %1 : !hs
  }

  func.func @d2(%s: !s, %d: !ttnn.device) -> !x {
    // expected-error @+1 {{'ttnn.aggregate_tensor' op breaks rule D2}}
    %0 = "ttnn.aggregate_tensor"(%s, %d) <{composer_config = #ttnn.mesh_composer_config<dims = [0 : i64, 1 : i64], mesh_shape_override = [2 : ui32, 1 : ui32]>}> : (!s, !ttnn.device) -> !h
    // expected-note @+1 {{used by ttnn.to_device}}
    %1 = "ttnn.to_device"(%0, %d) : (!h, !ttnn.device) -> !x
    return %1 : !x
  }

  func.func @d3_computed_on_the_host(%h: !h) -> !h {
    // expected-error @+1 {{'ttnn.exp' op breaks rule D3: expects operand 0 on the device, but got one of the host's}}
    %0 = "ttnn.exp"(%h) : (!h) -> !h
    return %0 : !h
  }

  func.func @d3_computed_for_the_host(%x: !x) -> !h {
    // expected-error @+1 {{'ttnn.exp' op breaks rule D3: expects result 0 on the device, but got one of the host's}}
    %0 = "ttnn.exp"(%x) : (!x) -> !h
    return %0 : !h
  }

  func.func @d3_split_on_the_device(%h: !h, %d: !ttnn.device) -> !s {
    // expected-error @+1 {{'ttnn.distribute_tensor' op breaks rule D3: expects a result of the host, which to_device takes to the devices, but got}}
    %0 = "ttnn.distribute_tensor"(%h, %d) <{mapper_config = #ttnn.mesh_mapper_config<placements = [<shard, 0 : i64>, <replicate>]>}> : (!h, !ttnn.device) -> !s
    return %0 : !s
  }

  func.func @d4(%x: tensor<40x64xbf16, #device>) -> tensor<20x64xbf16, #half> {
    // expected-error @+1 {{'ttnn.mesh_partition' op breaks rule D4: expects shares of whole tiles in dimension 0, but got 20}}
    %0 = "ttnn.mesh_partition"(%x) <{cluster_axis = 1 : ui32, dim = 0 : si32}> : (tensor<40x64xbf16, #device>) -> tensor<20x64xbf16, #half>
    return %0 : tensor<20x64xbf16, #half>
  }

  func.func @d4_rows(%x: tensor<40x64xbf16, #rows>) -> tensor<20x64xbf16, #half_rows> {
    %0 = "ttnn.mesh_partition"(%x) <{cluster_axis = 1 : ui32, dim = -2 : si32}> : (tensor<40x64xbf16, #rows>) -> tensor<20x64xbf16, #half_rows>
    return %0 : tensor<20x64xbf16, #half_rows>
  }

  func.func @d5(%x: !x, %y: !x) -> !x {
    // expected-error @+1 {{'ttnn.point_to_point' op breaks rule D5: expects sender and receiver in one row or column of the mesh, but got devices 1 and 2}}
    %0 = "ttnn.point_to_point"(%x, %y) <{sender_coord = array<i64: 0, 1>, receiver_coord = array<i64: 1, 0>}> : (!x, !x) -> !x
    return %0 : !x
  }

  func.func @d7_tiles(%n: tensor<1x4xui32, #numbers>, %t: !x) -> tensor<1x4x64xbf16, #taken> {
    // expected-error @+1 {{'ttnn.embedding' op breaks rule D7: expects numbers and table row by row, but got tiles}}
    %0 = "ttnn.embedding"(%n, %t) : (tensor<1x4xui32, #numbers>, !x) -> tensor<1x4x64xbf16, #taken>
    return %0 : tensor<1x4x64xbf16, #taken>
  }

  func.func @d7_sign(%n: tensor<1x4xsi32, #signed>, %t: tensor<64x64xbf16, #rows>) -> tensor<1x4x64xbf16, #taken> {
    // expected-error @+1 {{'ttnn.embedding' op breaks rule D7: expects numbers of ui32, but got 'si32'}}
    %0 = "ttnn.embedding"(%n, %t) : (tensor<1x4xsi32, #signed>, tensor<64x64xbf16, #rows>) -> tensor<1x4x64xbf16, #taken>
    return %0 : tensor<1x4x64xbf16, #taken>
  }
}

// -----

// Kernels with the text that a rule looks at, and no more.

#cores = #ttnn.core_range_set<[#ttnn.core_range<(0,0), (0,0)>]>
#sends = #ttnn.source_write_kernel<source = "void kernel_main() {}", core_ranges = #cores, ct_args = [], common_rt_args = [#ttnn.kernel_arg_global_semaphore<1>], rt_args = []>
#wrong = #ttnn.source_write_kernel<source = "void kernel_main() {}", core_ranges = #cores, ct_args = [], common_rt_args = [#ttnn.kernel_arg_global_semaphore<2>], rt_args = []>
#program = #ttnn.program<kernels = [#sends], cbs = [], semaphores = []>
#fabric = #ttcore.fabric_connection_config<noc_index = noc1, topology = linear, cluster_axis = 1, routing_mode = bidir_line_mesh, num_links = 1>
!x = tensor<32x32xbf16>

func.func @d9_kept(%x: !x, %s: !ttnn.global_semaphore) {
  "ttnn.generic"(%x, %s) <{operandSegmentSizes = array<i32: 1, 1>, program = #ttnn.mesh_program_descriptor<[#ttnn.mesh_program<range = #ttnn.mesh_range<(0,0), (0,1)>, program = #program>, #ttnn.mesh_program<range = #ttnn.mesh_range<(0,2), (0,2)>, program = #program>], fabric_connection_config = #fabric>}> : (!x, !ttnn.global_semaphore) -> ()
  return
}

func.func @d9_semaphore(%x: !x, %s: !ttnn.global_semaphore) {
  // expected-error @+1 {{'ttnn.generic' op breaks rule D9: expects global semaphores to be operands from 1 to 1, but got 2}}
  "ttnn.generic"(%x, %s) <{operandSegmentSizes = array<i32: 1, 1>, program = #ttnn.program<kernels = [#wrong], cbs = [], semaphores = []>}> : (!x, !ttnn.global_semaphore) -> ()
  return
}

func.func @d9_two_programs(%x: !x, %s: !ttnn.global_semaphore) {
  // expected-error @+1 {{'ttnn.generic' op breaks rule D9: expects one program for each device, but got two for row 0, column 1}}
  "ttnn.generic"(%x, %s) <{operandSegmentSizes = array<i32: 1, 1>, program = #ttnn.mesh_program_descriptor<[#ttnn.mesh_program<range = #ttnn.mesh_range<(0,0), (0,1)>, program = #program>, #ttnn.mesh_program<range = #ttnn.mesh_range<(0,1), (0,2)>, program = #program>], fabric_connection_config = #fabric>}> : (!x, !ttnn.global_semaphore) -> ()
  return
}

// -----

!l1 = memref<1x1x1x1x!ttcore.tile<32x32, bf16>, #ttcore.shard<2048x2048, 1>, #ttcore.memory_space<l1>>

func.func private @kernel()

func.func @d10(%b: !l1) {
  // expected-error @+1 {{'ttmetal.enqueue_program' op breaks rule D10: expects kernels to name circular buffers below 1, but got 9}}
  "ttmetal.enqueue_program"(%b, %b) <{cb_ports = array<i64: 0>, kernelConfigs = [#ttmetal.noc_config<@kernel, #ttmetal.core_range<0x0, 1x1>, #ttmetal.kernel_args<ct_args = [<cb_port[0]>, <cb_port[9]>]>, dm_core = 0, noc0>], operandSegmentSizes = array<i32: 1, 1>}> : (!l1, !l1) -> ()
  return
}
