// SPDX-License-Identifier: Apache-2.0
// Ops that a device takes in fewer forms than TTIR has.

// RUN: split-file %s %t
// RUN: ring-opt %t/one-device.mlir --convert-ring-to-ttnn --ring-verify-device-rules | FileCheck %s
// RUN: ring-opt %t/mesh.mlir --convert-ring-to-ttnn --ring-verify-device-rules | FileCheck %s --check-prefix=MESH

// The numbers are those of TTIR.
// RUN: for f in rows where bias pads integers; do ring-run %t/one-device.mlir --function=$f --convert-ring-to-ttnn --check || exit 1; done
// RUN: for f in cut_rows cut_tiles vectors; do ring-run %t/mesh.mlir --function=$f --convert-ring-to-ttnn --check || exit 1; done

//--- one-device.mlir

// CHECK-LABEL: func.func @rows(
// CHECK-SAME:      %[[N:[a-z0-9]+]]: {{[^,]+, [^,]+}}, %[[T:[a-z0-9]+]]:
// CHECK:         %[[UNSIGNED:.+]] = "ttnn.typecast"(%[[N]]){{.*}} -> tensor<6x2xui32
// CHECK:         %[[NUMBERS:.+]] = "ttnn.to_layout"(%[[UNSIGNED]]){{.*}} -> tensor<6x2xui32, #[[ROWS:[a-z_0-9]+]]>
// CHECK:         %[[TABLE:.+]] = "ttnn.to_layout"(%[[T]])
// CHECK:         "ttnn.embedding"(%[[NUMBERS]], %[[TABLE]]){{.*}} -> tensor<6x2x40xbf16
func.func @rows(%n: tensor<6x2xi32>, %t: tensor<50x40xbf16>) -> tensor<6x2x40xbf16> {
  %0 = "ttir.embedding"(%n, %t) : (tensor<6x2xi32>, tensor<50x40xbf16>) -> tensor<6x2x40xbf16>
  return %0 : tensor<6x2x40xbf16>
}

// CHECK-LABEL: func.func @where(
// CHECK-SAME:      %[[C:[a-z0-9]+]]: {{[^,]+, [^,]+}}, %[[A:[a-z0-9]+]]:
// CHECK:         %[[CONDITION:.+]] = "ttnn.typecast"(%[[C]]){{.*}} -> tensor<8x40xbf16
// CHECK:         "ttnn.where"(%[[CONDITION]], %[[A]], %{{.+}})
func.func @where(%c: tensor<8x40xf32>, %a: tensor<8x40xbf16>, %b: tensor<8x40xbf16>) -> tensor<8x40xbf16> {
  %0 = "ttir.where"(%c, %a, %b) : (tensor<8x40xf32>, tensor<8x40xbf16>, tensor<8x40xbf16>) -> tensor<8x40xbf16>
  return %0 : tensor<8x40xbf16>
}

// One row for all is the product's own; any other is added behind.
// CHECK-LABEL: func.func @bias(
// CHECK:         "ttnn.linear"
// CHECK:         %[[PRODUCT:.+]] = "ttnn.matmul"
// CHECK:         "ttnn.add"(%[[PRODUCT]],
// CHECK-NOT:     "ttnn.linear"
func.func @bias(%a: tensor<8x40xf32>, %w: tensor<40x16xf32>, %row: tensor<16xf32>, %all: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %0 = "ttir.linear"(%a, %w, %row) : (tensor<8x40xf32>, tensor<40x16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  %1 = "ttir.linear"(%a, %w, %all) : (tensor<8x40xf32>, tensor<40x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return %0, %1 : tensor<8x16xf32>, tensor<8x16xf32>
}

// Before the first row only row by row.
// CHECK-LABEL: func.func @pads(
// CHECK-SAME:      %[[X:[a-z0-9]+]]:
// CHECK:         "ttnn.pad"(%[[X]])
// CHECK:         %[[LINES:.+]] = "ttnn.to_layout"(%[[X]])
// CHECK:         %[[MORE:.+]] = "ttnn.pad"(%[[LINES]])
// CHECK:         "ttnn.to_layout"(%[[MORE]])
func.func @pads(%x: tensor<4x40xf32>) -> (tensor<6x40xf32>, tensor<6x40xf32>) {
  %0 = "ttir.pad"(%x) <{padding = array<i32: 0, 2, 0, 0>, value = 1.0 : f32}> : (tensor<4x40xf32>) -> tensor<6x40xf32>
  %1 = "ttir.pad"(%x) <{padding = array<i32: 2, 0, 0, 0>, value = 1.0 : f32}> : (tensor<4x40xf32>) -> tensor<6x40xf32>
  return %0, %1 : tensor<6x40xf32>, tensor<6x40xf32>
}

// CHECK-LABEL: func.func @integers(
// CHECK-SAME:      %[[X:[a-z0-9]+]]:
// CHECK:         %[[WIDE:.+]] = "ttnn.typecast"(%[[X]]){{.*}} -> tensor<4x6xf32
// CHECK:         %[[TURNED:.+]] = "ttnn.permute"(%[[WIDE]])
// CHECK:         %[[I:.+]] = "ttnn.typecast"(%[[TURNED]]){{.*}} -> tensor<6x4xi32
// CHECK:         "ttnn.sum"{{.*}} -> tensor<6x1xf32
func.func @integers(%x: tensor<4x6xi32>) -> tensor<6x1xi32> {
  %0 = "ttir.permute"(%x) <{permutation = array<i64: 1, 0>}> : (tensor<4x6xi32>) -> tensor<6x4xi32>
  %1 = "ttir.sum"(%0) <{dim_arg = [1 : i32], keep_dim = true}> : (tensor<6x4xi32>) -> tensor<6x1xi32>
  return %1 : tensor<6x1xi32>
}

// A mask has all rows of the queries.
// CHECK-LABEL: func.func @mask_of_one_row(
// CHECK:         %[[MASK:.+]] = "ttnn.repeat"(%{{.+}}) <{repeat_dims = #ttnn.shape<1x1x64x1>}>
// CHECK:         "ttnn.scaled_dot_product_attention"(%{{.+}}, %{{.+}}, %{{.+}}, %[[MASK]])
func.func @mask_of_one_row(%q: tensor<1x2x64x32xbf16>, %m: tensor<1x1x1x64xbf16>) -> tensor<1x2x64x32xbf16> {
  %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q, %m) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (tensor<1x2x64x32xbf16>, tensor<1x2x64x32xbf16>, tensor<1x2x64x32xbf16>, tensor<1x1x1x64xbf16>) -> tensor<1x2x64x32xbf16>
  return %0 : tensor<1x2x64x32xbf16>
}

// Tables of pages are read row by row.
// CHECK-LABEL: func.func @pages(
// CHECK-SAME:      %[[C:[a-z0-9]+]]: {{[^,]+, [^,]+}}, %[[X:[a-z0-9]+]]: {{[^,]+, [^,]+}}, %[[P:[a-z0-9]+]]:
// CHECK:         %[[PAGES:.+]] = "ttnn.to_layout"(%[[P]])
// CHECK:         "ttnn.paged_fill_cache"(%[[C]], %[[X]], %[[PAGES]])
func.func @pages(%c: tensor<8x2x32x32xbf16>, %x: tensor<1x2x64x32xbf16>, %p: tensor<1x2xi32>) -> tensor<8x2x32x32xbf16> {
  "ttir.paged_fill_cache"(%c, %x, %p) : (tensor<8x2x32x32xbf16>, tensor<1x2x64x32xbf16>, tensor<1x2xi32>) -> ()
  return %c : tensor<8x2x32x32xbf16>
}

// Rows of users go into pages, or without a table into the users' own rows, by
// numbers that are read row by row.
// CHECK-LABEL: func.func @rows_of_users(
// CHECK-SAME:      %[[C:[a-z0-9]+]]: {{[^,]+, [^,]+}}, %[[X:[a-z0-9]+]]: {{[^,]+, [^,]+}}, %[[I:[a-z0-9]+]]: {{[^,]+, [^,]+}}, %[[P:[a-z0-9]+]]: {{[^,]+, [^,]+}}, %[[D:[a-z0-9]+]]:
// CHECK:         %[[INDEX:.+]] = "ttnn.to_layout"(%[[I]])
// CHECK:         %[[PAGES:.+]] = "ttnn.to_layout"(%[[P]])
// CHECK:         "ttnn.paged_update_cache"(%[[C]], %[[X]], %[[INDEX]], %[[PAGES]]) <{share_cache = false}> : ({{.*}}) -> ()
// CHECK:         "ttnn.paged_update_cache"(%[[D]], %[[X]], %{{.+}}) <{share_cache = false}> : ({{.*}}) -> ()
// CHECK-NOT:     paged_update_cache
func.func @rows_of_users(%c: tensor<8x2x32x32xbf16>, %x: tensor<1x3x2x32xbf16>, %i: tensor<3xi32>, %p: tensor<3x2xi32>, %d: tensor<3x2x64x32xbf16>) -> (tensor<8x2x32x32xbf16>, tensor<3x2x64x32xbf16>) {
  "ttir.paged_update_cache"(%c, %x, %i, %p) <{share_cache = false}> : (tensor<8x2x32x32xbf16>, tensor<1x3x2x32xbf16>, tensor<3xi32>, tensor<3x2xi32>) -> ()
  "ttir.paged_update_cache"(%d, %x, %i) <{share_cache = false}> : (tensor<3x2x64x32xbf16>, tensor<1x3x2x32xbf16>, tensor<3xi32>) -> ()
  return %c, %d : tensor<8x2x32x32xbf16>, tensor<3x2x64x32xbf16>
}

//--- mesh.mlir

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x2>]>} {
  // Shares that are no whole tiles are cut row by row.
  // MESH-LABEL: func.func @cut_rows(
  // MESH:         %[[ROWS:.+]] = "ttnn.to_layout"(%{{.+}}){{.*}} -> tensor<1x2x40x32xf32, #[[ROWS_LAYOUT:[a-z_0-9]+]]>
  // MESH:         %[[OWN:.+]] = "ttnn.mesh_partition"(%[[ROWS]]) <{cluster_axis = 1 : ui32, dim = 2 : si32}> : (tensor<1x2x40x32xf32, #[[ROWS_LAYOUT]]>)
  // MESH:         "ttnn.to_layout"(%[[OWN]])
  func.func @cut_rows(%x: tensor<1x2x40x32xf32>) -> tensor<1x2x40x32xf32> {
    %0 = "ttir.mesh_partition"(%x) <{cluster_axis = 1 : ui32, dim = 2 : si32}> : (tensor<1x2x40x32xf32>) -> tensor<1x2x20x32xf32>
    %1 = "ttir.all_gather"(%0) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (tensor<1x2x20x32xf32>) -> tensor<1x2x40x32xf32>
    return %1 : tensor<1x2x40x32xf32>
  }

  // Whole tiles, and dimensions before the last two, are cut as they lie.
  // MESH-LABEL: func.func @cut_tiles(
  // MESH-NOT:     "ttnn.to_layout"
  // MESH-COUNT-3: "ttnn.mesh_partition"
  // MESH-NOT:     "ttnn.to_layout"
  // MESH:         return
  func.func @cut_tiles(%x: tensor<1x2x64x64xf32>) -> (tensor<1x2x32x64xf32>, tensor<1x2x64x32xf32>, tensor<1x1x64x64xf32>) {
    %0 = "ttir.mesh_partition"(%x) <{cluster_axis = 1 : ui32, dim = 2 : si32}> : (tensor<1x2x64x64xf32>) -> tensor<1x2x32x64xf32>
    %1 = "ttir.mesh_partition"(%x) <{cluster_axis = 1 : ui32, dim = -1 : si32}> : (tensor<1x2x64x64xf32>) -> tensor<1x2x64x32xf32>
    %2 = "ttir.mesh_partition"(%x) <{cluster_axis = 1 : ui32, dim = 1 : si32}> : (tensor<1x2x64x64xf32>) -> tensor<1x1x64x64xf32>
    return %0, %1, %2 : tensor<1x2x32x64xf32>, tensor<1x2x64x32xf32>, tensor<1x1x64x64xf32>
  }

  // MESH-LABEL: func.func @vectors(
  // MESH:         %[[WIDE:.+]] = "ttnn.reshape"(%{{.+}}) <{shape = [1 : i32, 1 : i32, 1 : i32, 32 : i32]}>
  // MESH:         %[[SUM:.+]] = "ttnn.all_reduce"(%[[WIDE]])
  // MESH:         %[[BACK:.+]] = "ttnn.reshape"(%[[SUM]]) <{shape = [32 : i32]}>
  // MESH:         %[[TWO:.+]] = "ttnn.reshape"(%[[BACK]]) <{shape = [1 : i32, 32 : i32]}>
  // MESH:         "ttnn.all_gather"(%[[TWO]]) <{all_gather_dim = 1 : si32, cluster_axis = 1 : ui32}>
  func.func @vectors(%x: tensor<32xf32>) -> tensor<64xf32> {
    %0 = "ttir.all_reduce"(%x) <{cluster_axis = 1 : ui32, reduce_type = #ttcore.reduce_type<sum>}> : (tensor<32xf32>) -> tensor<32xf32>
    %1 = "ttir.all_gather"(%0) <{all_gather_dim = 0 : si32, cluster_axis = 1 : ui32}> : (tensor<32xf32>) -> tensor<64xf32>
    return %1 : tensor<64xf32>
  }
}
