// SPDX-License-Identifier: Apache-2.0
// What models have around their attention, in TTNN: most ops by the same name,
// some with other attributes, in several ops or in place.

// RUN: ring-opt %s --convert-ring-to-ttnn | FileCheck %s --implicit-check-not="\"ttir."

!t = tensor<64x32xf32>

// CHECK-LABEL: func.func @elementwise(
// CHECK:         "ttnn.abs"
// CHECK:         "ttnn.pow_tensor"
// CHECK:         "ttnn.clamp_scalar"(%{{.+}}) <{max = 1.000000e+00 : f32, min = 0.000000e+00 : f32}>
// CHECK:         "ttnn.leaky_relu"(%{{.+}}) <{parameter = 1.000000e-01 : f32}>
// CHECK:         "ttnn.remainder"
// CHECK:         "ttnn.isfinite"
// CHECK:         "ttnn.ne"
// CHECK:         "ttnn.logical_and"
func.func @elementwise(%a: !t, %b: !t) -> !t {
  %0 = "ttir.abs"(%a) : (!t) -> !t
  %1 = "ttir.pow"(%0, %b) : (!t, !t) -> !t
  %2 = "ttir.clamp_scalar"(%1) <{max = 1.0 : f32, min = 0.0 : f32}> : (!t) -> !t
  %3 = "ttir.leaky_relu"(%2) <{parameter = 1.000000e-01 : f32}> : (!t) -> !t
  %4 = "ttir.remainder"(%3, %b) : (!t, !t) -> !t
  %5 = "ttir.isfinite"(%4) : (!t) -> !t
  %6 = "ttir.ne"(%5, %b) : (!t, !t) -> !t
  %7 = "ttir.logical_and"(%6, %b) : (!t, !t) -> !t
  return %7 : !t
}

// CHECK-LABEL: func.func @dimensions(
// CHECK:         "ttnn.cumsum"(%{{.+}}) <{dim = 1 : si32}>
// CHECK:         "ttnn.sort"(%{{.+}}) <{descending = true, dim = 0 : si8, stable = false}>
// CHECK:         "ttnn.topk"(%{{.+}}) <{dim = -1 : si32, k = 2 : i32, largest = true, sorted = true}>
// CHECK:         "ttnn.gather"(%{{.+}}, %{{.+}}) <{dim = 1 : si32}>
// CHECK:         "ttnn.scatter"(%{{.+}}, %{{.+}}, %{{.+}}) <{dim = 1 : si32, scatter_reduce_type = #ttcore.reduce_type<sum>}>
// CHECK:         "ttnn.prod"(%{{.+}}) <{dim_arg = 1 : si64, keep_dim = true}>
// CHECK:         "ttnn.argmax"(%{{.+}}) <{dim = 1 : si32, keep_dim = true}>
// CHECK:         "ttnn.min"
// CHECK:         "ttnn.repeat"(%{{.+}}) <{repeat_dims = #ttnn.shape<1x32>}>
func.func @dimensions(%a: !t) -> (tensor<64x1xi32>, !t) {
  %0 = "ttir.cumsum"(%a) <{dim = 1 : i64}> : (!t) -> !t
  %1:2 = "ttir.sort"(%0) <{descending = true, dim = 0 : si32, stable = false}> : (!t) -> (!t, tensor<64x32xi32>)
  %2:2 = "ttir.topk"(%1#0) <{dim = -1 : i32, k = 2 : i32, largest = true, sorted = true}> : (!t) -> (tensor<64x2xf32>, tensor<64x2xi32>)
  %3 = "ttir.gather"(%1#0, %2#1) <{dim = 1 : i32}> : (!t, tensor<64x2xi32>) -> tensor<64x2xf32>
  %4 = "ttir.scatter"(%0, %2#1, %3) <{dim = 1 : i32, scatter_reduce_type = #ttcore.reduce_type<sum>}> : (!t, tensor<64x2xi32>, tensor<64x2xf32>) -> !t
  %5 = "ttir.prod"(%4) <{dim_arg = [1 : i32], keep_dim = true}> : (!t) -> tensor<64x1xf32>
  %6 = "ttir.argmax"(%4) <{dim_arg = [1 : i32], keep_dim = true}> : (!t) -> tensor<64x1xi32>
  %7 = "ttir.min"(%4) <{dim_arg = [1 : i32], keep_dim = true}> : (!t) -> tensor<64x1xf32>
  %8 = "ttir.repeat"(%7) <{repeat_dimensions = array<i64: 1, 32>}> : (tensor<64x1xf32>) -> !t
  %9 = "ttir.repeat"(%5) <{repeat_dimensions = array<i64: 1, 32>}> : (tensor<64x1xf32>) -> !t
  %10 = "ttir.add"(%8, %9) : (!t, !t) -> !t
  return %6, %10 : tensor<64x1xi32>, !t
}

// Weights of [out, in]: transposed by the product.
// CHECK-LABEL: func.func @weights(
// CHECK-SAME:      %[[X:[a-z0-9]+]]: {{.*}} %[[W:[a-z0-9]+]]:
// CHECK:         %[[A:.+]] = "ttnn.reshape"(%[[X]]) <{shape = [1 : i32, 64 : i32, 32 : i32]}>
// CHECK:         %[[B:.+]] = "ttnn.reshape"(%[[W]]) <{shape = [1 : i32, 48 : i32, 32 : i32]}>
// CHECK:         %[[P:.+]] = "ttnn.matmul"(%[[A]], %[[B]]) <{transpose_a = false, transpose_b = true}>
// CHECK:         "ttnn.reshape"(%[[P]]) <{shape = [64 : i32, 48 : i32]}>
func.func @weights(%x: !t, %w: tensor<48x32xf32>) -> tensor<64x48xf32> {
  %0 = "ttir.dot_general"(%x, %w) <{batch_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, contract_dims_lhs = array<i64: 1>, contract_dims_rhs = array<i64: 1>}> : (!t, tensor<48x32xf32>) -> tensor<64x48xf32>
  return %0 : tensor<64x48xf32>
}

// Any dimensions: batches first, then free ones and contracted ones.
// CHECK-LABEL: func.func @any_product(
// CHECK:         "ttnn.permute"(%{{.+}}) <{permutation = array<i64: 1, 2, 0, 3>}>
// CHECK:         "ttnn.reshape"{{.*}} <{shape = [4 : i32, 3 : i32, 40 : i32]}>
// CHECK:         "ttnn.permute"(%{{.+}}) <{permutation = array<i64: 3, 0, 1, 2>}>
// CHECK:         "ttnn.reshape"{{.*}} <{shape = [4 : i32, 40 : i32, 7 : i32]}>
// CHECK:         "ttnn.matmul"{{.*}} <{transpose_a = false, transpose_b = false}>
func.func @any_product(%a: tensor<5x4x3x8xf32>, %b: tensor<5x8x7x4xf32>) -> tensor<4x3x7xf32> {
  %0 = "ttir.dot_general"(%a, %b) <{batch_dims_lhs = array<i64: 1>, batch_dims_rhs = array<i64: 3>, contract_dims_lhs = array<i64: 0, 3>, contract_dims_rhs = array<i64: 0, 1>}> : (tensor<5x4x3x8xf32>, tensor<5x8x7x4xf32>) -> tensor<4x3x7xf32>
  return %0 : tensor<4x3x7xf32>
}

// Caches are written in place.
// CHECK-LABEL: func.func @caches(
// CHECK-SAME:      %[[C:[a-z0-9]+]]: {{.*}} %[[X:[a-z0-9]+]]: {{.*}} %[[ROW:[a-z0-9]+]]: {{.*}} %[[I:[a-z0-9]+]]: tensor<1xi32
// CHECK:         "ttnn.fill_cache"(%[[C]], %[[X]]) <{batch_offset = 0 : i32}> : ({{.*}}) -> ()
// CHECK:         %[[PLACE:.+]] = "ttnn.typecast"(%[[I]]){{.*}} -> tensor<1xui32
// CHECK:         "ttnn.update_cache"(%[[C]], %[[ROW]], %[[PLACE]]) <{batch_offset = 0 : i32}> : ({{.*}}) -> ()
// CHECK:         return %[[C]]
func.func @caches(%cache: tensor<1x2x64x32xbf16>, %x: tensor<1x2x40x32xbf16>, %row: tensor<1x2x1x32xbf16>, %i: tensor<1xi32>) -> tensor<1x2x64x32xbf16> {
  "ttir.fill_cache"(%cache, %x) <{batch_offset = 0 : i32}> : (tensor<1x2x64x32xbf16>, tensor<1x2x40x32xbf16>) -> ()
  "ttir.update_cache"(%cache, %row, %i) <{batch_offset = 0 : i32}> : (tensor<1x2x64x32xbf16>, tensor<1x2x1x32xbf16>, tensor<1xi32>) -> ()
  return %cache : tensor<1x2x64x32xbf16>
}
