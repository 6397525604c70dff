// SPDX-License-Identifier: Apache-2.0
// Ops of models whose TTNN form is another: the same numbers on one device.

// RUN: split-file %s %t
// RUN: for part in product caches place; do ring-run %t/$part.mlir --check --convert-ring-to-ttnn || exit 1; done

//--- product.mlir
func.func @product(%a: tensor<5x4x3x8xf32>, %b: tensor<5x8x7x4xf32>, %w: tensor<9x7xf32>) -> (tensor<4x3x7xf32>, tensor<4x3x9xf32>, tensor<4x3x9xf32>) {
  %0 = "ttir.dot_general"(%a, %b) <{batch_dims_lhs = array<i64: 1>, batch_dims_rhs = array<i64: 3>, contract_dims_lhs = array<i64: 0, 3>, contract_dims_rhs = array<i64: 0, 1>}> : (tensor<5x4x3x8xf32>, tensor<5x8x7x4xf32>) -> tensor<4x3x7xf32>
  %1 = "ttir.dot_general"(%0, %w) <{batch_dims_lhs = array<i64>, batch_dims_rhs = array<i64>, contract_dims_lhs = array<i64: 2>, contract_dims_rhs = array<i64: 1>}> : (tensor<4x3x7xf32>, tensor<9x7xf32>) -> tensor<4x3x9xf32>
  %2 = "ttir.abs"(%1) : (tensor<4x3x9xf32>) -> tensor<4x3x9xf32>
  %3 = "ttir.cumsum"(%2) <{dim = 1 : i64}> : (tensor<4x3x9xf32>) -> tensor<4x3x9xf32>
  return %0, %1, %3 : tensor<4x3x7xf32>, tensor<4x3x9xf32>, tensor<4x3x9xf32>
}

//--- caches.mlir
// One user of three is filled with 40 of 64 rows.
func.func @caches(%cache: tensor<3x2x64x8xf32>, %x: tensor<1x2x40x8xf32>) -> tensor<3x2x64x8xf32> {
  %0 = "ttir.fill_cache"(%cache, %x) <{batch_offset = 1 : i32}> : (tensor<3x2x64x8xf32>, tensor<1x2x40x8xf32>) -> tensor<3x2x64x8xf32>
  return %0 : tensor<3x2x64x8xf32>
}

//--- place.mlir
// Row 17 of both users, in place.
func.func @place(%cache: tensor<2x2x64x8xf32>, %x: tensor<1x2x2x8xf32>) -> tensor<2x2x64x8xf32> {
  %i = "ttir.constant"() <{value = dense<17> : tensor<1xi32>}> : () -> tensor<1xi32>
  "ttir.update_cache"(%cache, %x, %i) <{batch_offset = 0 : i32}> : (tensor<2x2x64x8xf32>, tensor<1x2x2x8xf32>, tensor<1xi32>) -> ()
  return %cache : tensor<2x2x64x8xf32>
}
