// SPDX-License-Identifier: Apache-2.0
// Rows that lie differently on every device: legs, places and the ops with them
// come out as they went in.
//
// RUN: ring-opt %s | ring-opt | FileCheck %s

// CHECK-LABEL: func.func private @legs
// CHECK-SAME: [#ring.leg<size = 4>, #ring.leg<source = -1, offset = 2, size = 4, stride = 3, at = 5, step = 2>]
func.func private @legs() attributes {a = [
  #ring.leg<source = 0, offset = 0, size = 4, stride = 1, at = 0, step = 1>,
  #ring.leg<source = -1, offset = 2, size = 4, stride = 3, at = 5, step = 2>]}

// CHECK-LABEL: func.func private @places
// CHECK-SAME: #ring.places<counts = [1, 2], ranges = [0, 4, 1, 8, 3, 2, 1099511627776, 1, 1]>
func.func private @places() attributes {
  a = #ring.places<counts = [1, 2], ranges = [0, 4, 1, 8, 3, 2, 1099511627776, 1, 1]>}

// CHECK-LABEL: func.func @route
// CHECK: %[[ROWS:.*]] = ring.route %{{.*}} dim 2 legs
// CHECK-SAME{LITERAL}: [[#ring.leg<size = 2, stride = 2>, #ring.leg<source = 1, offset = 4, size = 1, at = 2>], []]
// CHECK-SAME: fill(0xFF800000) on <0 in 2> : tensor<1x2x6x4xf32> -> tensor<1x2x3x4xf32>
// CHECK: ring.partial %[[ROWS]], %[[ROWS]], %[[ROWS]] pattern(#ring.window<before = 2, after = 2>)
// CHECK-SAME: block(<query_places = <counts = [1, 1], ranges = [0, 3, 1, 6, 3, 1]>, key_places = <counts = [1, 1], ranges = [0, 3, 1, 6, 3, 1]>, axis = <0 in 2>>)
func.func @route(%k: tensor<1x2x6x4xf32>) -> tensor<1x2x3x4xf32> {
  %rows = ring.route %k dim 2 legs [
      [#ring.leg<size = 2, stride = 2>, #ring.leg<source = 1, offset = 4, size = 1, at = 2>], []]
      fill(0xFF800000) on <0 in 2> : tensor<1x2x6x4xf32> -> tensor<1x2x3x4xf32>
  %out, %lse = ring.partial %rows, %rows, %rows pattern(#ring.window<before = 2, after = 2>)
      block(<query_places = <counts = [1, 1], ranges = [0, 3, 1, 6, 3, 1]>,
             key_places = <counts = [1, 1], ranges = [0, 3, 1, 6, 3, 1]>, axis = <0 in 2>>)
      : tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32> -> tensor<1x2x3x4xf32>, tensor<1x2x3x1xf32>
  return %out : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: func.func @start_route
// CHECK: ring.start_route %{{.*}} into %{{.*}} dim 2 legs
// CHECK-SAME{LITERAL}: [[#ring.leg<source = 1, size = 1>], []]
// CHECK-SAME: on <0 in 2> : tensor<1x2x6x4xf32> into !ring.buffer<1x2x1x4xf32>
func.func @start_route(%k: tensor<1x2x6x4xf32>) -> tensor<1x2x1x4xf32> {
  %buffer = ring.buffer : !ring.buffer<1x2x1x4xf32>
  %token = ring.start_route %k into %buffer dim 2 legs [[#ring.leg<source = 1, size = 1>], []] on <0 in 2>
      : tensor<1x2x6x4xf32> into !ring.buffer<1x2x1x4xf32>
  %row = ring.wait %token : tensor<1x2x1x4xf32>
  return %row : tensor<1x2x1x4xf32>
}
