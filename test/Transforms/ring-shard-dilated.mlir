// SPDX-License-Identifier: Apache-2.0
// Dilated attention as one device's program: rows are packed by reshapes and
// slices, attend on the device or among the ranks that share a segment, and go
// back into their places.

// RUN: ring-opt %s --ring-shard --canonicalize --cse --split-input-file | FileCheck %s

!t = tensor<1x3x32x8xbf16>

// Four shards of 8 rows. Segments of 4: two on every rank, as further heads.
// Segments of 8, every other row: 4 rows, the columns 8 to 15 of wide rows.
// Segments of 16, every fourth row: 2 rows of either of two neighbours, of which
// the second alone sees the first's.
// CHECK-LABEL: func.func @even(
// CHECK:         %[[Q:.+]] = ring.shard %{{.+}} as <[_, _, 1, _] in 1x4, sequence = 2 as <contiguous, 32 over 4>>
// CHECK:         %[[FAR:.+]] = "ttir.slice_static"(%{{.+}}) <{begins = [0 : i32, 0 : i32, 0 : i32, 16 : i32], ends = [1 : i32, 1 : i32, 2 : i32, 24 : i32]
// CHECK:         %[[HEAD:.+]] = "ttir.slice_static"(%[[Q]]) <{begins = [0 : i32, 1 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 2 : i32, 8 : i32, 8 : i32]
// CHECK:         %[[WIDE:.+]] = "ttir.reshape"(%[[HEAD]]){{.*}} -> tensor<1x1x4x16xbf16>
// CHECK:         %[[PACKED:.+]] = "ttir.slice_static"(%[[WIDE]]) <{begins = [0 : i32, 0 : i32, 0 : i32, 8 : i32], ends = [1 : i32, 1 : i32, 4 : i32, 16 : i32]
// CHECK:         %[[O:.+]], %{{.+}} = ring.partial %[[PACKED]], {{.*}} pattern(#ring.causal) : tensor<1x1x4x8xbf16>
// CHECK:         %[[SHARE:.+]] = "ttir.multiply"(%[[O]],
// CHECK:         %[[CAST:.+]] = "ttir.typecast"(%[[SHARE]])
// CHECK:         %[[GAPS:.+]] = "ttir.pad"(%[[CAST]]) <{padding = array<i32: 0, 0, 0, 0, 0, 0, 8, 0>, value = 0.000000e+00 : f32}>
// CHECK:         "ttir.reshape"(%[[GAPS]]){{.*}} -> tensor<1x1x8x8xbf16>
// CHECK:         ring.partial {{.*}} pattern(#ring.causal) : tensor<1x2x4x8xbf16>, tensor<1x2x4x8xbf16>, tensor<1x2x4x8xbf16>
// CHECK:         ring.partial %[[FAR]], {{.*}} pattern(#ring.causal) block(<queries = <contiguous, 4 over 2>, keys = <contiguous, 4 over 2>, axis = <1 in 1x4, size = 2>>) : tensor<1x1x2x8xbf16>
// CHECK:         %[[NEXT:.+]]:2 = ring.shift {{.*}} by 1 on <1 in 1x4, size = 2> reaching 1 : tensor<1x1x2x8xbf16>, tensor<1x1x2x8xbf16>
// CHECK:         ring.partial %[[FAR]], %[[NEXT]]#0, %[[NEXT]]#1 {{.*}} source = -1
// CHECK-NOT:     ring.shift
// CHECK:         "ttir.concat"
// CHECK:         ring.unshard
func.func @even(%q: !t, %k: !t, %v: !t) -> !t {
  %0 = ring.attention %q, %k, %v
      pattern(#ring.dilated<segments = [4, 8, 16], rates = [1, 2, 4], causal = true>)
      plan(<strategy = ring, axis = <1 in 1x4>>) : !t, !t, !t -> !t
  return %0 : !t
}

// -----

!t = tensor<1x4x32x8xf32>

// Where the choice is free, four ranks trade four heads: 4 * 3/4 rows against
// 2 * 3. One that is asked for trades among two as well.
// CHECK-LABEL: func.func @trade(
// CHECK:         ring.all_to_all %{{.+}} split 1 concat 2 on <1 in 1x4> : tensor<1x4x4x8xf32> -> tensor<1x1x16x8xf32>
// CHECK:         ring.partial {{.*}} : tensor<1x1x16x8xf32>, tensor<1x1x16x8xf32>, tensor<1x1x16x8xf32>
// CHECK:         ring.all_to_all %{{.+}} split 2 concat 1 on <1 in 1x4> : tensor<1x1x16x8xf32> -> tensor<1x4x4x8xf32>
func.func @trade(%q: !t, %k: !t, %v: !t) -> !t {
  %0 = ring.attention %q, %k, %v pattern(#ring.dilated<segments = [32], rates = [2]>)
      plan(<strategy = usp, axis = <1 in 1x4>>) : !t, !t, !t -> !t
  return %0 : !t
}

// CHECK-LABEL: func.func @no_gain(
// CHECK-NOT:     ring.all_to_all
// CHECK:         ring.shift {{.*}} on <1 in 1x4, size = 2>
func.func @no_gain(%q: !t, %k: !t, %v: !t) -> !t {
  %0 = ring.attention %q, %k, %v pattern(#ring.dilated<segments = [16], rates = [2]>)
      plan(<strategy = usp, axis = <1 in 1x4>>) : !t, !t, !t -> !t
  return %0 : !t
}

// CHECK-LABEL: func.func @gathered(
// CHECK:         ring.all_gather %{{.+}} dim 2 on <1 in 1x4, size = 2> : tensor<1x4x4x8xf32> -> tensor<1x4x8x8xf32>
// CHECK:         ring.partial {{.*}}block(<keys = <contiguous, 8 over 1>, axis = <1 in 1x4, size = 2>>)
func.func @gathered(%q: !t, %k: !t, %v: !t) -> !t {
  %0 = ring.attention %q, %k, %v pattern(#ring.dilated<segments = [16], rates = [2]>)
      plan(<strategy = all_gather, axis = <1 in 1x4>>) : !t, !t, !t -> !t
  return %0 : !t
}

// -----

!t = tensor<1x4x32x8xf32>

// LongNet: pairs are merged by their log-sum-exps, of which rows that a pair
// does not cover have -inf. Heads 0 and 2, then 1 and 3 keep the same rows, and
// are cut out of wide rows of all heads.
// CHECK-LABEL: func.func @longnet(
// CHECK:         %[[ALL:.+]] = "ttir.reshape"(%{{.+}}) {{.*}} -> tensor<1x4x4x16xf32>
// CHECK:         "ttir.slice_static"(%[[ALL]]) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 3 : i32, 4 : i32, 8 : i32], step = [1 : i32, 2 : i32, 1 : i32, 1 : i32]}>
// CHECK:         "ttir.slice_static"(%[[ALL]]) <{begins = [0 : i32, 1 : i32, 0 : i32, 8 : i32], ends = [1 : i32, 4 : i32, 4 : i32, 16 : i32], step = [1 : i32, 2 : i32, 1 : i32, 1 : i32]}>
// CHECK:         "ttir.pad"(%{{.+}}) <{padding = array<i32: 0, 0, 0, 0, 0, 0, 0, 1>, value = 0xFF800000 : f32}>
// CHECK:         ring.merge
func.func @longnet(%q: !t, %k: !t, %v: !t) -> !t {
  %0 = ring.attention %q, %k, %v
      pattern(#ring.dilated<segments = [4, 8], rates = [1, 2], phase = head_mod, mix = lse, norm = none>)
      plan(<strategy = ring, axis = <1 in 1x4>>) : !t, !t, !t -> !t
  return %0 : !t
}

// -----

!t = tensor<1x1x12x8xf32>

// Three shards of 4 rows, segments of 6, every other row: 0 2 4 | 6 8 10. The
// first device has 0 and 2 and fetches 4; the second has 4 and 6, of two
// segments, and fetches four rows; the third has 8 and 10 and fetches 6. Six
// keys are more than a shard has rows, so they come in two rounds of three.
// CHECK-LABEL: func.func @straddling(
// CHECK:         %[[Q:.+]] = ring.route %{{.+}} dim 2 legs
// CHECK-SAME{LITERAL}: [[#ring.leg<size = 2, stride = 2>], [#ring.leg<size = 1>, #ring.leg<offset = 2, size = 1, at = 1>], [#ring.leg<size = 2, stride = 2>]]
// CHECK:         %[[K:.+]] = ring.route %{{.+}} dim 2 legs
// CHECK-SAME{LITERAL}: [[#ring.leg<size = 2, stride = 2>, #ring.leg<source = 1, size = 1, at = 2>], [#ring.leg<source = -1, size = 2, stride = 2>, #ring.leg<size = 1, at = 2>], [#ring.leg<source = -1, offset = 2, size = 1>, #ring.leg<size = 2, stride = 2, at = 1>]]
// CHECK:         ring.route
// CHECK:         %[[LATER:.+]] = ring.route %{{.+}} dim 2 legs
// CHECK-SAME{LITERAL}: [[], [#ring.leg<offset = 2, size = 1>, #ring.leg<source = 1, size = 2, stride = 2, at = 1>], []]
// CHECK:         %[[FIRST:.+]], %{{.+}} = ring.partial %[[Q]], %[[K]], %{{.+}} pattern(#ring.window<before = 2, after = 2>)
// CHECK-SAME:      query_places = <counts = [1, 2, 1], ranges = [0, 2, 1, 2, 1, 1, 6, 1, 1, 7, 2, 1]>
// CHECK-SAME:      key_places = <counts = [1, 1, 1], ranges = [0, 3, 1, 0, 3, 1, 6, 3, 1]>
// CHECK:         %[[SECOND:.+]], %{{.+}} = ring.partial %[[Q]], %[[LATER]], %{{.+}} pattern(#ring.window<before = 2, after = 2>)
// CHECK-SAME:      key_places = <counts = [1, 1, 1], ranges = [17, 3, 1, 6, 3, 1, 17, 3, 1]>
// CHECK:         %[[O:.+]], %{{.+}} = ring.merge %[[FIRST]], %{{.+}} with %[[SECOND]], %{{.+}}
// CHECK:         ring.route %[[O]] dim 2 legs
// CHECK-SAME{LITERAL}: [[#ring.leg<size = 2, step = 2>], [#ring.leg<size = 1>, #ring.leg<offset = 1, size = 1, at = 2>], [#ring.leg<size = 2, step = 2>]]
func.func @straddling(%q: !t, %k: !t, %v: !t) -> !t {
  %0 = ring.attention %q, %k, %v pattern(#ring.dilated<segments = [6], rates = [2]>)
      plan(<strategy = ring, axis = <1 in 1x3>>) : !t, !t, !t -> !t
  return %0 : !t
}
