// SPDX-License-Identifier: Apache-2.0
// Gradients of dilated attention as one device's program: packed rows as those
// of the attention, and what they contribute back in their places.

// RUN: ring-opt %s --ring-shard --canonicalize --cse --split-input-file | FileCheck %s

!t = tensor<1x2x32x8xbf16>
!l = tensor<1x2x32x1xf32>

// Head 0 has segments of 4, two on every rank; head 1 segments of 16, which two
// ranks share: keys take one hop, their gradients one more, together. The output
// was divided by two pairs; gradients are, in the end.
// CHECK-LABEL: func.func @even(
// CHECK:         %[[OWN:.+]] = "ttir.multiply"({{.*}} -> tensor<1x2x4x8xf32>
// CHECK:         %[[DQ:.+]], %[[DK:.+]], %[[DV:.+]] = ring.partial_backward %{{.+}}, %[[OWN]], %{{.+}} pattern(#ring.causal) : tensor<1x2x4x8xbf16>, tensor<1x2x4x8xf32>
// CHECK:         %[[HOP:.+]]:2 = ring.shift %[[K:.+]], %[[V:.+]] by 1 on <1 in 1x4, size = 2> : tensor<1x1x2x8xbf16>, tensor<1x1x2x8xbf16>
// CHECK:         %[[DQ0:.+]], %[[DK0:.+]], %[[DV0:.+]] = ring.partial_backward {{.*}}, %[[K]], %[[V]] pattern(#ring.causal) block(<queries = <contiguous, 4 over 2>, keys = <contiguous, 4 over 2>, axis = <1 in 1x4, size = 2>>)
// CHECK:         %[[BEHIND:.+]]:2 = ring.shift %[[DK0]], %[[DV0]] by 1 on <1 in 1x4, size = 2> : tensor<1x1x2x8xf32>, tensor<1x1x2x8xf32>
// CHECK:         %[[DQ1:.+]], %[[DK1:.+]], %[[DV1:.+]] = ring.partial_backward {{.*}}, %[[HOP]]#0, %[[HOP]]#1 pattern(#ring.causal) block({{.*}}source = -1
// CHECK:         "ttir.add"(%[[DQ0]], %[[DQ1]])
// CHECK:         %[[SUM_K:.+]] = "ttir.add"(%[[BEHIND]]#0, %[[DK1]])
// CHECK:         %[[SUM_V:.+]] = "ttir.add"(%[[BEHIND]]#1, %[[DV1]])
// CHECK:         %[[HOME:.+]]:2 = ring.shift %[[SUM_K]], %[[SUM_V]] by 1 on <1 in 1x4, size = 2>
// CHECK:         %[[ROWS:.+]] = "ttir.pad"(%[[HOME]]#0) <{padding = array<i32: 0, 0, 0, 0, 0, 0, 8, 16>
// CHECK:         "ttir.reshape"(%[[ROWS]]){{.*}} -> tensor<1x1x8x8xf32>
// CHECK:         %[[SHARE:.+]] = "ttir.full"() <{fill_value = 5.000000e-01 : f32
// CHECK:         "ttir.multiply"(%{{.+}}, %[[SHARE]])
func.func @even(%g: !t, %o: !t, %l: !l, %q: !t, %k: !t, %v: !t) -> (!t, !t, !t) {
  %dq, %dk, %dv = ring.attention_backward %g, %o, %l, %q, %k, %v
      pattern(#ring.dilated<segments = [4, 16], rates = [1, 4], causal = true>)
      plan(<strategy = ring, axis = <1 in 1x4>>) : !t, !t, !l, !t, !t, !t -> !t, !t, !t
  return %dq, %dk, %dv : !t, !t, !t
}

// -----

!t = tensor<1x1x12x8xf32>
!l = tensor<1x1x12x1xf32>

// Three shards of 4 rows, segments of 6, every other row: 0 2 4 | 6 8 10. The
// gradients of keys and values go back side by side. Every row was on two
// devices, so there are two lists of legs, and their sum.
// CHECK-LABEL: func.func @straddling(
// CHECK:         %[[DQ:.+]], %[[DK:.+]], %[[DV:.+]] = ring.partial_backward {{.*}} pattern(#ring.window<before = 2, after = 2>)
// CHECK:         ring.route %[[DQ]] dim 2
// CHECK:         %[[BOTH:.+]] = "ttir.concat"(%[[DK]], %[[DV]]) <{dim = 3 : si32}>
// CHECK:         %[[ONE:.+]] = ring.route %[[BOTH]] dim 2 legs
// CHECK-SAME{LITERAL}: [[#ring.leg<size = 2, step = 2>], [#ring.leg<source = -1, offset = 2, size = 1>, #ring.leg<source = 1, size = 1, at = 2>], [#ring.leg<source = -1, offset = 4, size = 2, step = 2>]]
// CHECK:         %[[OTHER:.+]] = ring.route %[[BOTH]] dim 2 legs
// CHECK-SAME{LITERAL}: [[#ring.leg<source = 1, size = 2, step = 2>], [#ring.leg<offset = 2, size = 1>, #ring.leg<offset = 3, size = 1, at = 2>], [#ring.leg<offset = 1, size = 2, step = 2>]]
// CHECK:         %[[SUM:.+]] = "ttir.add"(%[[ONE]], %[[OTHER]])
// CHECK-NOT:     ring.route
// CHECK:         "ttir.slice_static"(%[[SUM]]) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 4 : i32, 8 : i32]
// CHECK:         "ttir.slice_static"(%[[SUM]]) <{begins = [0 : i32, 0 : i32, 0 : i32, 8 : i32], ends = [1 : i32, 1 : i32, 4 : i32, 16 : i32]
func.func @straddling(%g: !t, %o: !t, %l: !l, %q: !t, %k: !t, %v: !t) -> (!t, !t, !t) {
  %dq, %dk, %dv = ring.attention_backward %g, %o, %l, %q, %k, %v
      pattern(#ring.dilated<segments = [6], rates = [2]>)
      plan(<strategy = ring, axis = <1 in 1x3>>) : !t, !t, !l, !t, !t, !t -> !t, !t, !t
  return %dq, %dk, %dv : !t, !t, !t
}

// -----

!t = tensor<1x2x32x8xf32>
!l = tensor<1x2x32x1xf32>

// Of a mean the output and log-sum-exp of each pair are computed again, from
// keys that are gathered once for both.
// CHECK-LABEL: func.func @mean(
// CHECK-NOT:     ring.shard %arg1
// CHECK:         %[[OUT:.+]], %[[LSE:.+]] = ring.partial %[[Q:.+]], %[[K:.+]], %[[V:.+]] :
// CHECK:         ring.partial_backward %{{.+}}, %[[OUT]], %[[LSE]], %[[Q]], %[[K]], %[[V]] :
// CHECK:         %[[ALL_K:.+]] = ring.all_gather %{{.+}} dim 2 on <1 in 1x4, size = 2>
// CHECK:         %[[ALL_V:.+]] = ring.all_gather %{{.+}} dim 2 on <1 in 1x4, size = 2>
// CHECK-NOT:     ring.all_gather
// CHECK:         %[[OUT:.+]], %[[LSE:.+]] = ring.partial %[[Q:.+]], %[[ALL_K]], %[[ALL_V]]
// CHECK:         %{{.+}}, %[[DK:.+]], %[[DV:.+]] = ring.partial_backward %{{.+}}, %[[OUT]], %[[LSE]], %[[Q]], %[[ALL_K]], %[[ALL_V]]
// CHECK:         ring.all_to_all %[[DK]] split 2 concat 0 on <1 in 1x4, size = 2>
// CHECK:         ring.all_to_all %[[DV]] split 2 concat 0 on <1 in 1x4, size = 2>
func.func @mean(%g: !t, %o: !t, %l: !l, %q: !t, %k: !t, %v: !t) -> (!t, !t, !t) {
  %dq, %dk, %dv = ring.attention_backward %g, %o, %l, %q, %k, %v
      pattern(#ring.dilated<segments = [8, 16], rates = [2, 4], mix = mean, norm = none, phase = zero>)
      plan(<strategy = all_gather, axis = <1 in 1x4>>) : !t, !t, !l, !t, !t, !t -> !t, !t, !t
  return %dq, %dk, %dv : !t, !t, !t
}
