// SPDX-License-Identifier: Apache-2.0
// The constraints of legs and places, and of the ops that have them.
//
// RUN: ring-opt %s --split-input-file --verify-diagnostics

// -----

// #ring.leg (C1)
// expected-error @+1 {{expects offset and at that are not negative, and a positive size, stride and step, but got -1, 0, 1, 1 and 1}}
func.func private @a() attributes {attribute = #ring.leg<offset = -1, size = 1>}

// -----

// #ring.leg (C1)
// expected-error @+1 {{expects offset and at that are not negative, and a positive size, stride and step, but got 0, 0, 4, 1 and 0}}
func.func private @a() attributes {attribute = #ring.leg<size = 4, step = 0>}

// -----

// #ring.places (C1)
// expected-error @+1 {{expects 1 to 1 ranges on every device, but got 0}}
func.func private @a() attributes {attribute = #ring.places<counts = [0], ranges = [0, 4, 1]>}

// -----

// #ring.places (C1)
// expected-error @+1 {{expects a device and three numbers for each of its ranges, but got 1 ranges and 4 numbers}}
func.func private @a() attributes {attribute = #ring.places<counts = [1], ranges = [0, 4, 1, 3]>}

// -----

// #ring.places (C1)
// expected-error @+1 {{expects a device and three numbers for each of its ranges, but got 0 ranges and 0 numbers}}
func.func private @a() attributes {attribute = #ring.places<counts = [], ranges = []>}

// -----

// #ring.places (C2)
// expected-error @+1 {{expects positions from 0 to 1099511627776, but got 4 from -1 by 1}}
func.func private @a() attributes {attribute = #ring.places<counts = [1], ranges = [-1, 4, 1]>}

// -----

// #ring.places (C2)
// expected-error @+1 {{expects positions from 0 to 1099511627776, but got 2 from 1099511627776 by 1}}
func.func private @a() attributes {attribute = #ring.places<counts = [1], ranges = [1099511627776, 2, 1]>}

// -----

// #ring.places (C2)
// expected-error @+1 {{expects positions from 0 to 1099511627776, but got 4 from 0 by 0}}
func.func private @a() attributes {attribute = #ring.places<counts = [1], ranges = [0, 4, 0]>}

// -----

// #ring.places (C3)
// expected-error @+1 {{expects as many rows on every device, but got 4 and 3}}
func.func private @a() attributes {attribute = #ring.places<counts = [1, 1], ranges = [0, 4, 1, 4, 3, 1]>}

// -----

// #ring.block (C3)
// expected-error @+1 {{expects a layout of the keys, or places of queries and keys without layouts, sources, outer and first_key}}
func.func private @a() attributes {attribute = #ring.block<axis = <0 in 1>>}

// -----

// #ring.block (C3)
// expected-error @+1 {{expects a layout of the keys, or places of queries and keys without layouts, sources, outer and first_key}}
func.func private @a() attributes {attribute = #ring.block<key_places = <counts = [1], ranges = [0, 4, 1]>, axis = <0 in 1>>}

// -----

// #ring.block (C3)
// expected-error @+1 {{expects a layout of the keys, or places of queries and keys without layouts, sources, outer and first_key}}
func.func private @a() attributes {attribute = #ring.block<query_places = <counts = [1], ranges = [0, 4, 1]>, key_places = <counts = [1], ranges = [0, 4, 1]>, source = 1, axis = <0 in 1>>}

// -----

// #ring.block (C3)
// expected-error @+1 {{expects places on each of 2 devices, but got 1}}
func.func private @a() attributes {attribute = #ring.block<query_places = <counts = [1], ranges = [0, 4, 1]>, key_places = <counts = [1], ranges = [0, 4, 1]>, axis = <0 in 2>>}

// -----

// ring.route (C1)
func.func @route(%k: tensor<1x2x6x4xf32>) {
  // expected-error @+1 {{expects dim of a 4-D tensor, but got 4}}
  %0 = ring.route %k dim 4 legs [[], []] on <0 in 2> : tensor<1x2x6x4xf32> -> tensor<1x2x3x4xf32>
  return
}

// -----

// ring.start_route (C1)
func.func @start_route(%k: tensor<1x2x6x4xf32>, %b: !ring.buffer<1x2x3x4xf32>) {
  // expected-error @+1 {{expects dim of a 4-D tensor, but got 4}}
  %0 = ring.start_route %k into %b dim 4 legs [[], []] on <0 in 2> : tensor<1x2x6x4xf32> into !ring.buffer<1x2x3x4xf32>
  return
}

// -----

// ring.route (C2)
func.func @route(%k: tensor<1x2x6x4xf32>) {
  // expected-error @+1 {{expects a list of legs for each of 2 devices, but got 1}}
  %0 = ring.route %k dim 2 legs [[]] on <0 in 2> : tensor<1x2x6x4xf32> -> tensor<1x2x3x4xf32>
  return
}

// -----

// ring.start_route (C2)
func.func @start_route(%k: tensor<1x2x6x4xf32>, %b: !ring.buffer<1x2x3x4xf32>) {
  // expected-error @+1 {{expects a list of legs for each of 2 devices, but got 1}}
  %0 = ring.start_route %k into %b dim 2 legs [[]] on <0 in 2> : tensor<1x2x6x4xf32> into !ring.buffer<1x2x3x4xf32>
  return
}

// -----

// ring.route (C3)
func.func @route(%k: tensor<1x2x6x4xf32>) {
  // expected-error @+1 {{expects legs from 6 rows to 3 rows, but got #ring.leg<offset = 5, size = 2> on device 1}}
  %0 = ring.route %k dim 2 legs [[], [#ring.leg<offset = 5, size = 2>]] on <0 in 2> : tensor<1x2x6x4xf32> -> tensor<1x2x3x4xf32>
  return
}

// -----

// ring.start_route (C3)
func.func @start_route(%k: tensor<1x2x6x4xf32>, %b: !ring.buffer<1x2x3x4xf32>) {
  // expected-error @+1 {{expects legs from 6 rows to 3 rows, but got #ring.leg<offset = 5, size = 2> on device 1}}
  %0 = ring.start_route %k into %b dim 2 legs [[], [#ring.leg<offset = 5, size = 2>]] on <0 in 2> : tensor<1x2x6x4xf32> into !ring.buffer<1x2x3x4xf32>
  return
}

// -----

// ring.route (C3)
func.func @route(%k: tensor<1x2x6x4xf32>) {
  // expected-error @+1 {{expects legs from 6 rows to 3 rows, but got #ring.leg<size = 2, at = 2> on device 0}}
  %0 = ring.route %k dim 2 legs [[#ring.leg<size = 2, at = 2>], []] on <0 in 2> : tensor<1x2x6x4xf32> -> tensor<1x2x3x4xf32>
  return
}

// -----

// ring.start_route (C3)
func.func @start_route(%k: tensor<1x2x6x4xf32>, %b: !ring.buffer<1x2x3x4xf32>) {
  // expected-error @+1 {{expects legs from 6 rows to 3 rows, but got #ring.leg<size = 2, at = 2> on device 0}}
  %0 = ring.start_route %k into %b dim 2 legs [[#ring.leg<size = 2, at = 2>], []] on <0 in 2> : tensor<1x2x6x4xf32> into !ring.buffer<1x2x3x4xf32>
  return
}

// -----

// ring.route (C4)
func.func @route(%k: tensor<1x2x6x4xf32>) {
  // expected-error @+1 {{expects one leg to a row, but got two to row 1 on device 0}}
  %0 = ring.route %k dim 2 legs [[#ring.leg<size = 2>, #ring.leg<source = 1, size = 1, at = 1>], []] on <0 in 2> : tensor<1x2x6x4xf32> -> tensor<1x2x3x4xf32>
  return
}

// -----

// ring.start_route (C4)
func.func @start_route(%k: tensor<1x2x6x4xf32>, %b: !ring.buffer<1x2x3x4xf32>) {
  // expected-error @+1 {{expects one leg to a row, but got two to row 1 on device 0}}
  %0 = ring.start_route %k into %b dim 2 legs [[#ring.leg<size = 2>, #ring.leg<source = 1, size = 1, at = 1>], []] on <0 in 2> : tensor<1x2x6x4xf32> into !ring.buffer<1x2x3x4xf32>
  return
}

// -----

// ring.route (C5)
func.func @route(%k: tensor<1x2x6x4xf32>) {
  // expected-error @+1 {{expects 'tensor<1x2x3x4xf32>' to arrive, but got 'tensor<1x2x3x4xbf16>'}}
  %0 = ring.route %k dim 2 legs [[], []] on <0 in 2> : tensor<1x2x6x4xf32> -> tensor<1x2x3x4xbf16>
  return
}

// -----

// ring.start_route (C5)
func.func @start_route(%k: tensor<1x2x6x4xf32>, %b: !ring.buffer<1x2x3x4xbf16>) {
  // expected-error @+1 {{expects 'tensor<1x2x3x4xf32>' to arrive, but got 'tensor<1x2x3x4xbf16>'}}
  %0 = ring.start_route %k into %b dim 2 legs [[], []] on <0 in 2> : tensor<1x2x6x4xf32> into !ring.buffer<1x2x3x4xbf16>
  return
}

// -----

// ring.route (C5)
func.func @route(%k: tensor<1x2x6x4xf32>) {
  // expected-error @+1 {{expects 'tensor<1x2x3x4xf32>' to arrive, but got 'tensor<1x1x3x4xf32>'}}
  %0 = ring.route %k dim 2 legs [[], []] on <0 in 2> : tensor<1x2x6x4xf32> -> tensor<1x1x3x4xf32>
  return
}

// -----

// ring.start_route (C5)
func.func @start_route(%k: tensor<1x2x6x4xf32>, %b: !ring.buffer<1x1x3x4xf32>) {
  // expected-error @+1 {{expects 'tensor<1x2x3x4xf32>' to arrive, but got 'tensor<1x1x3x4xf32>'}}
  %0 = ring.start_route %k into %b dim 2 legs [[], []] on <0 in 2> : tensor<1x2x6x4xf32> into !ring.buffer<1x1x3x4xf32>
  return
}

// -----

// ring.route (C5)
func.func @route(%k: tensor<1x2x6x4xf32>) {
  // expected-error @+1 {{expects at most 16777216 rows to arrive, but got 16777217}}
  %0 = ring.route %k dim 2 legs [[], []] on <0 in 2> : tensor<1x2x6x4xf32> -> tensor<1x2x16777217x4xf32>
  return
}

// -----

// ring.start_route (C5)
func.func @start_route(%k: tensor<1x2x6x4xf32>, %b: !ring.buffer<1x2x16777217x4xf32>) {
  // expected-error @+1 {{expects at most 16777216 rows to arrive, but got 16777217}}
  %0 = ring.start_route %k into %b dim 2 legs [[], []] on <0 in 2> : tensor<1x2x6x4xf32> into !ring.buffer<1x2x16777217x4xf32>
  return
}

// -----

// ring.partial (C5)
func.func @partial(%q: tensor<1x2x6x4xf32>) {
  // expected-error @+1 {{expects 6 queries and 4 keys by the places of its block, but got 6 and 6}}
  %o, %l = ring.partial %q, %q, %q pattern(#ring.causal)
      block(<query_places = <counts = [1], ranges = [0, 6, 1]>, key_places = <counts = [1], ranges = [0, 4, 1]>, axis = <0 in 1>>)
      : tensor<1x2x6x4xf32>, tensor<1x2x6x4xf32>, tensor<1x2x6x4xf32> -> tensor<1x2x6x4xf32>, tensor<1x2x6x1xf32>
  return
}
