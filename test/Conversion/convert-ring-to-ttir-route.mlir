// SPDX-License-Identifier: Apache-2.0
// Rows that are fetched by list: slices where devices do the same, else numbers
// of rows that each device cuts from a constant.

// RUN: ring-opt %s --convert-ring-to-ttir | FileCheck %s --implicit-check-not="= ring."
// RUN: ring-run %s --function=alike --convert-ring-to-ttir --check
// RUN: ring-run %s --function=straddling --convert-ring-to-ttir --check
// RUN: ring-run %s --function=filled --convert-ring-to-ttir --check
// RUN: ring-run %s --function=scattered --convert-ring-to-ttir --check

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x2>]>} {

// CHECK-LABEL: func.func @alike(
// CHECK-NOT: ttir.embedding
// CHECK: "ttir.slice_static"{{.+}}begins = [0 : i32, 0 : i32, 4 : i32, 0 : i32]
// CHECK: "ttir.slice_static"{{.+}}ends = [1 : i32, 2 : i32, 3 : i32, 4 : i32], step = [1 : i32, 1 : i32, 2 : i32, 1 : i32]
// CHECK: "ttir.concat"
func.func @alike(%k: tensor<1x2x6x4xf32>) -> tensor<1x2x4x4xf32> {
  %0 = ring.route %k dim 2 legs [
      [#ring.leg<size = 2, stride = 2, at = 2>, #ring.leg<offset = 4, size = 2>],
      [#ring.leg<size = 2, stride = 2, at = 2>, #ring.leg<offset = 4, size = 2>]] on <1 in 1x2>
      : tensor<1x2x6x4xf32> -> tensor<1x2x4x4xf32>
  return %0 : tensor<1x2x4x4xf32>
}

// The second device sends row 4; what the first sends nobody takes. The first
// takes rows 0, 2 and that one, which is number 6; the second rows 1 and 3, and
// one of zeros, 7. Tables are cut in dimensions that are in no tiles.
// CHECK-LABEL: func.func @straddling(
// CHECK: %[[OWN:.+]] = "ttir.reshape"({{.+}} -> tensor<6x8xbf16>
// CHECK: "ttir.constant"() <{value = dense<{{\[\[\[\[}}0]], {{\[\[}}4]]]]> : tensor<1x2x1x1xi32>}>
// CHECK: "ttir.mesh_partition"{{.+}} <{cluster_axis = 1 : ui32, dim = 1 : si32}>
// CHECK: "ttir.embedding"
// CHECK: "ttir.collective_permute"{{.+}}dense<{{\[\[}}0, 1], [1, 0]]> {{.+}} (tensor<1x8xbf16>)
// CHECK: "ttir.concat"(%[[OWN]], {{.+}} -> tensor<8x8xbf16>
// CHECK: dense<{{\[\[\[\[}}0, 2, 6]], {{\[\[}}1, 3, 7]]]]> : tensor<1x2x1x3xi32>
// CHECK: "ttir.embedding"
func.func @straddling(%k: tensor<1x2x6x4xbf16>) -> tensor<1x2x3x4xbf16> {
  %0 = ring.route %k dim 2 legs [
      [#ring.leg<size = 2, stride = 2>, #ring.leg<source = 1, offset = 4, size = 1, at = 2>],
      [#ring.leg<offset = 1, size = 2, stride = 2>]] on <1 in 1x2>
      : tensor<1x2x6x4xbf16> -> tensor<1x2x3x4xbf16>
  return %0 : tensor<1x2x3x4xbf16>
}

// A device takes rows out of tables of bf16, so that those of f32 come in three
// parts, side by side, whose sum they are. An infinity is all in the first.
// CHECK-LABEL: func.func @filled(
// CHECK: "ttir.full"() <{fill_value = 0xFF800000 : f32, shape = array<i32: 1, 2>}>
// CHECK: %[[TABLE:.+]] = "ttir.concat"{{.+}} -> tensor<4x2xf32>
// CHECK: %[[FIRST:.+]] = "ttir.typecast"(%[[TABLE]]) <{conservative_folding = true}>{{.+}} -> tensor<4x2xbf16>
// CHECK: %[[TAKEN:.+]] = "ttir.typecast"(%[[FIRST]]) <{conservative_folding = true}>{{.+}} -> tensor<4x2xf32>
// CHECK: %[[ALL:.+]] = "ttir.eq"(%[[TABLE]], %[[TAKEN]])
// CHECK: %[[LEFT:.+]] = "ttir.subtract"(%[[TABLE]], %[[TAKEN]])
// CHECK: %[[REST:.+]] = "ttir.where"(%[[ALL]], %{{.+}}, %[[LEFT]])
// CHECK: %[[SECOND:.+]] = "ttir.typecast"(%[[REST]])
// CHECK: %[[PARTS:.+]] = "ttir.concat"(%[[FIRST]], %[[SECOND]], %{{.+}}) <{dim = 1 : si32}>{{.+}} -> tensor<4x6xbf16>
// CHECK: %[[ROWS:.+]] = "ttir.embedding"(%{{.+}}, %[[PARTS]])
// CHECK-COUNT-3: "ttir.slice_static"(%[[ROWS]])
// CHECK: "ttir.add"
func.func @filled(%l: tensor<1x2x3x1xf32>) -> tensor<1x2x6x1xf32> {
  %0 = ring.route %l dim 2 legs [
      [#ring.leg<size = 3, step = 2>],
      [#ring.leg<size = 2, at = 1, step = 3>]] fill(0xFF800000) on <1 in 1x2>
      : tensor<1x2x3x1xf32> -> tensor<1x2x6x1xf32>
  return %0 : tensor<1x2x6x1xf32>
}

// CHECK-LABEL: func.func @scattered(
func.func @scattered(%g: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %0 = ring.route %g dim 2 legs [
      [#ring.leg<size = 2, step = 2>, #ring.leg<source = 1, offset = 1, size = 1, at = 1>],
      [#ring.leg<source = 1, offset = 2, size = 2>, #ring.leg<offset = 3, size = 1, at = 3>]] on <1 in 1x2>
      : tensor<1x2x4x4xf32> -> tensor<1x2x4x4xf32>
  return %0 : tensor<1x2x4x4xf32>
}

}
