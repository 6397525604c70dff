// SPDX-License-Identifier: Apache-2.0
// TTIR ops of a ring program as TTNN calls: tiles in DRAM, one device, freed
// after the last use.

// RUN: ring-opt %s --convert-ring-to-ttnn --split-input-file | FileCheck %s --implicit-check-not="ttir."
// RUN: ring-opt %s --convert-ring-to-ttnn --split-input-file --verify-roundtrip -o /dev/null

!x = tensor<1x8x512x128xbf16>

// CHECK-DAG: #[[DRAM:.+]] = #ttnn.buffer_type<dram>
// CHECK-DAG: #[[LAYOUT:.+]] = #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 4096 + d1 * 512 + d2, d3), <1x1>, memref<128x4x!ttcore.tile<32x32, bf16>, #[[DRAM]]>, <interleaved>>
// CHECK-LABEL: func.func @same_ops(
// CHECK-SAME:      %[[A:[a-z0-9]+]]: tensor<1x8x512x128xbf16, #[[LAYOUT]]>, %[[B:[a-z0-9]+]]: tensor<1x8x512x128xbf16, #[[LAYOUT]]>) -> tensor<1x8x512x128xbf16, #[[LAYOUT]]>
// CHECK:         %[[SUM:.+]] = "ttnn.add"(%[[A]], %[[B]]) : (tensor<1x8x512x128xbf16, #[[LAYOUT]]>, tensor<1x8x512x128xbf16, #[[LAYOUT]]>) -> tensor<1x8x512x128xbf16, #[[LAYOUT]]>
// CHECK-NEXT:    %[[RATIO:.+]] = "ttnn.divide"(%[[SUM]], %[[A]])
// CHECK-NEXT:    "ttnn.deallocate"(%[[SUM]]) <{force = false}>
// CHECK-NEXT:    return %[[RATIO]]
func.func @same_ops(%a: !x, %b: !x) -> !x {
  %0 = "ttir.add"(%a, %b) : (!x, !x) -> !x
  %1 = "ttir.div"(%0, %a) : (!x, !x) -> !x
  return %1 : !x
}

// -----

// Two arguments are never freed, one device serves all.
// CHECK-LABEL: func.func @created(
// CHECK:         %[[DEVICE:.+]] = "ttnn.get_device"() <{mesh_offset = #ttnn<mesh_offset 0x0>, mesh_shape = #ttnn<mesh_shape 1x1>}>
// CHECK-NOT:     "ttnn.get_device"
// CHECK:         %[[LINE:.+]] = "ttnn.arange"(%[[DEVICE]]) <{end = 64 : si64, start = 0 : si64, step = 1 : si64}> : (!ttnn.device) -> tensor<64xf32,
// CHECK:         %[[ROW:.+]] = "ttnn.reshape"(%[[LINE]]) <{shape = [1 : i32, 1 : i32, 1 : i32, 64 : i32]}>
// CHECK:         %[[SQUARE:.+]] = "ttnn.repeat"(%[[ROW]]) <{repeat_dims = #ttnn.shape<1x1x64x1>}>
// CHECK:         %[[FULL:.+]] = "ttnn.full"(%[[DEVICE]]) <{fill_value = 1.000000e+00 : f32, shape = #ttnn.shape<1x1x64x64>}>
// CHECK:         "ttnn.le"(%[[SQUARE]], %[[FULL]])
// CHECK:         "ttnn.pad"(%{{.+}}) <{padding = array<i32: 0, 0, 0, 0, 0, 32, 0, 0>, use_multicore = true, value = 0.000000e+00 : f32}>
func.func @created() -> tensor<1x1x96x64xf32> {
  %0 = "ttir.arange"() <{start = 0 : si64, end = 64 : si64, step = 1 : si64, arange_dimension = 3 : i64}> : () -> tensor<1x1x1x64xf32>
  %1 = "ttir.broadcast"(%0) <{broadcast_dimensions = array<i64: 1, 1, 64, 1>}> : (tensor<1x1x1x64xf32>) -> tensor<1x1x64x64xf32>
  %2 = "ttir.full"() <{shape = array<i32: 1, 1, 64, 64>, fill_value = 1.0 : f32}> : () -> tensor<1x1x64x64xf32>
  %3 = "ttir.le"(%1, %2) : (tensor<1x1x64x64xf32>, tensor<1x1x64x64xf32>) -> tensor<1x1x64x64xf32>
  %4 = "ttir.pad"(%3) <{padding = array<i32: 0, 0, 0, 0, 0, 32, 0, 0>, value = 0.0 : f32}> : (tensor<1x1x64x64xf32>) -> tensor<1x1x96x64xf32>
  return %4 : tensor<1x1x96x64xf32>
}

// -----

!x = tensor<1x2x64x64xbf16>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 2x2>]>} {
  // One transfer per pair, all into one output.
  // CHECK-LABEL: func.func @permute(
  // CHECK-SAME:      %[[X:[a-z0-9]+]]:
  // CHECK:         %[[DEVICE:.+]] = "ttnn.get_device"
  // CHECK:         %[[OUT:.+]] = "ttnn.zeros"(%[[DEVICE]]) <{shape = #ttnn.shape<1x2x64x64>}>
  // CHECK-NEXT:    %[[P0:.+]] = "ttnn.point_to_point"(%[[X]], %[[OUT]]) <{receiver_coord = array<i64: 0, 1>, sender_coord = array<i64: 0, 0>}>
  // CHECK:         %[[P1:.+]] = "ttnn.point_to_point"(%[[X]], %[[P0]]) <{receiver_coord = array<i64: 0, 0>, sender_coord = array<i64: 0, 1>}>
  // CHECK:         %[[P2:.+]] = "ttnn.point_to_point"(%[[X]], %[[P1]]) <{receiver_coord = array<i64: 1, 1>, sender_coord = array<i64: 1, 0>}>
  // CHECK:         return %[[P2]]
  func.func @permute(%x: !x) -> !x {
    %0 = "ttir.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1], [1, 0], [2, 3]]> : tensor<3x2xi64>}> : (!x) -> !x
    return %0 : !x
  }

  // Who sends to itself finds its own value in the output.
  // CHECK-LABEL: func.func @partly_to_itself(
  // CHECK-SAME:      %[[X:[a-z0-9]+]]:
  // CHECK:         %[[COPY:.+]] = "ttnn.assign"(%[[X]])
  // CHECK-NEXT:    %[[P0:.+]] = "ttnn.point_to_point"(%[[X]], %[[COPY]]) <{receiver_coord = array<i64: 1, 1>, sender_coord = array<i64: 0, 1>}>
  // CHECK:         %[[P1:.+]] = "ttnn.point_to_point"(%[[X]], %[[P0]]) <{receiver_coord = array<i64: 0, 1>, sender_coord = array<i64: 1, 1>}>
  // CHECK:         return %[[P1]]
  func.func @partly_to_itself(%x: !x) -> !x {
    %0 = "ttir.collective_permute"(%x) <{source_target_pairs = dense<[[0, 0], [1, 3], [2, 2], [3, 1]]> : tensor<4x2xi64>}> : (!x) -> !x
    return %0 : !x
  }

  // Two groups of two: a buffer per sender, in which its own piece is there.
  // CHECK-LABEL: func.func @all_to_all(
  // CHECK-DAG:     %[[A:.+]] = "ttnn.slice_static"(%{{.+}}) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32]
  // CHECK-DAG:     %[[B:.+]] = "ttnn.slice_static"(%{{.+}}) <{begins = [0 : i32, 1 : i32, 0 : i32, 0 : i32]
  // CHECK:         %[[FROM0:.+]] = "ttnn.assign"(%[[A]])
  // CHECK:         %[[S0:.+]] = "ttnn.point_to_point"(%[[B]], %[[FROM0]]) <{receiver_coord = array<i64: 0, 1>, sender_coord = array<i64: 0, 0>}>
  // CHECK:         %[[S1:.+]] = "ttnn.point_to_point"(%[[B]], %[[S0]]) <{receiver_coord = array<i64: 1, 1>, sender_coord = array<i64: 1, 0>}>
  // CHECK:         %[[FROM1:.+]] = "ttnn.assign"(%[[B]])
  // CHECK:         %[[S2:.+]] = "ttnn.point_to_point"(%[[A]], %[[FROM1]]) <{receiver_coord = array<i64: 0, 0>, sender_coord = array<i64: 0, 1>}>
  // CHECK:         %[[S3:.+]] = "ttnn.point_to_point"(%[[A]], %[[S2]]) <{receiver_coord = array<i64: 1, 0>, sender_coord = array<i64: 1, 1>}>
  // CHECK:         "ttnn.concat"(%[[S1]], %[[S3]]) <{dim = 2 : si32}>
  func.func @all_to_all(%x: !x) -> tensor<1x1x128x64xbf16> {
    %0 = "ttir.all_to_all"(%x) <{split_dim = 1 : si32, concat_dim = 2 : si32, split_count = 2 : si32, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : (!x) -> tensor<1x1x128x64xbf16>
    return %0 : tensor<1x1x128x64xbf16>
  }

  // The host's tensor is spread by the host and then sent; of the devices along
  // axis 0, which have the same, one is asked.
  // CHECK-LABEL: func.func @between_host_and_mesh(
  // CHECK-SAME:      %[[X:[a-z0-9]+]]: tensor<1x2x128x64xbf16, #[[HOST:[a-z_0-9]+]]>) -> tensor<1x2x128x64xbf16, #[[HOST]]>
  // CHECK:         %[[DEVICE:.+]] = "ttnn.get_device"
  // CHECK:         %[[PARTS:.+]] = "ttnn.distribute_tensor"(%[[X]], %[[DEVICE]]) <{mapper_config = #ttnn.mesh_mapper_config<placements = [<replicate>, <shard, 2 : i64>]>}>{{.*}} -> tensor<1x2x64x64xbf16, #[[HOSTS_PART:[a-z_0-9]+]]>
  // CHECK:         %[[LOCAL:.+]] = "ttnn.to_device"(%[[PARTS]], %[[DEVICE]]) : (tensor<1x2x64x64xbf16, #[[HOSTS_PART]]>, !ttnn.device) -> tensor<1x2x64x64xbf16, #[[LAYOUT:[a-z_0-9]+]]>
  // CHECK:         %[[WHOLE:.+]] = "ttnn.aggregate_tensor"(%[[LOCAL]], %[[DEVICE]]) <{composer_config = #ttnn.mesh_composer_config<dims = [3 : i64, 2 : i64], mesh_shape_override = [1 : ui32, 2 : ui32]>}>{{.*}} -> tensor<1x2x128x64xbf16, #[[HOST]]>
  // CHECK:         return %[[WHOLE]]
  func.func @between_host_and_mesh(%x: tensor<1x2x128x64xbf16>) -> tensor<1x2x128x64xbf16> {
    %0 = "ttir.mesh_shard"(%x) <{shard_dims = array<i64: -1, 2>, shard_direction = #ttcore.shard_direction<full_to_shard>, shard_shape = array<i64: 1, 1, 2, 1>, shard_type = #ttcore.shard_type<devices>}> : (tensor<1x2x128x64xbf16>) -> !x
    %1 = "ttir.mesh_shard"(%0) <{shard_dims = array<i64: -1, 2>, shard_direction = #ttcore.shard_direction<shard_to_full>, shard_shape = array<i64: 1, 1, 2, 1>, shard_type = #ttcore.shard_type<devices>}> : (!x) -> tensor<1x2x128x64xbf16>
    return %1 : tensor<1x2x128x64xbf16>
  }

  // On every axis another dimension: all devices are asked.
  // CHECK-LABEL: func.func @from_all_devices(
  // CHECK:         "ttnn.aggregate_tensor"{{.*}} <{composer_config = #ttnn.mesh_composer_config<dims = [1 : i64, 2 : i64]>}>
  func.func @from_all_devices(%x: !x) -> tensor<1x4x128x64xbf16> {
    %0 = "ttir.mesh_shard"(%x) <{shard_dims = array<i64: 1, 2>, shard_direction = #ttcore.shard_direction<shard_to_full>, shard_shape = array<i64: 1, 2, 2, 1>, shard_type = #ttcore.shard_type<devices>}> : (!x) -> tensor<1x4x128x64xbf16>
    return %0 : tensor<1x4x128x64xbf16>
  }
}

// -----

!x = tensor<64x64xbf16>

// tt-mlir makes programs of functions that say what they are for. What is called
// is one too; what runs once says so; a composite's is inlined.
// CHECK-LABEL: func.func @program(
// CHECK-SAME:      attributes {tt.function_type = "forward_device"}
// CHECK:         ttcore.load_cached(@once, [%{{.+}}]) : (tensor<64x64xbf16, #[[HOST:[a-z_0-9]+]]>) -> tensor<64x64xbf16, #[[LAYOUT:[a-z_0-9]+]]>
func.func @program(%x: !x, %y: !x) -> !x {
  %0 = ttcore.load_cached(@once, [%x]) : (!x) -> !x
  %1 = call @called(%0) : (!x) -> !x
  %2 = "ttcore.composite"(%1, %y) <{composite_name = "novel", decomposition = @inlined}> : (!x, !x) -> !x
  return %2 : !x
}
// CHECK-LABEL: func.func private @once(
// CHECK-SAME:      %{{.+}}: tensor<64x64xbf16, #[[HOST]]>) -> tensor<64x64xbf16, #[[LAYOUT]]> attributes {tt.function_type = "const_eval"}
// CHECK:         "ttnn.distribute_tensor"
func.func private @once(%x: !x) -> !x {
  %0 = "ttir.mesh_shard"(%x) <{shard_dims = array<i64: -1>, shard_direction = #ttcore.shard_direction<full_to_shard>, shard_shape = array<i64: 1>, shard_type = #ttcore.shard_type<replicate>}> : (!x) -> !x
  return %0 : !x
}
// CHECK-LABEL: func.func private @called(
// CHECK-SAME:      attributes {tt.function_type = "forward_device"}
func.func private @called(%x: !x) -> !x {
  %0 = "ttir.exp"(%x) : (!x) -> !x
  return %0 : !x
}
// CHECK-LABEL: func.func private @inlined(
// CHECK-NOT:       tt.function_type
// CHECK:         "ttnn.add"
func.func private @inlined(%x: !x, %y: !x) -> !x {
  %0 = "ttir.add"(%x, %y) : (!x, !x) -> !x
  return %0 : !x
}
