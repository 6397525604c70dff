// SPDX-License-Identifier: Apache-2.0
// Every fold of the ring dialect, and beside each the cases that look alike
// and must stay.

// RUN: ring-opt %s --canonicalize | FileCheck %s

!part = tensor<1x4x16x8xf32>
!lse = tensor<1x4x16x1xf32>
!kv = tensor<1x4x16x8xbf16>

// CHECK-LABEL: func.func @merge_with_empty
// CHECK-SAME: %[[O:.*]]: tensor<1x4x16x8xf32>, %[[L:.*]]: tensor<1x4x16x1xf32>
// CHECK-NOT: ring.
// CHECK: return %[[O]], %[[L]], %[[O]], %[[L]]
func.func @merge_with_empty(%o: !part, %l: !lse) -> (!part, !lse, !part, !lse) {
  %eo, %el = ring.empty : !part, !lse
  %a, %al = ring.merge %eo, %el with %o, %l : !part, !lse
  %b, %bl = ring.merge %o, %l with %eo, %el : !part, !lse
  return %a, %al, %b, %bl : !part, !lse, !part, !lse
}

// A sink has a weight in the softmax: the part is not empty.
// CHECK-LABEL: func.func @merge_with_sink
// CHECK: %[[EO:.*]], %[[EL:.*]] = ring.empty sink
// CHECK: %[[M:.*]], %[[ML:.*]] = ring.merge %[[EO]], %[[EL]] with
// CHECK: return %[[M]], %[[ML]]
func.func @merge_with_sink(%o: !part, %l: !lse, %sink: tensor<1x4x1x1xf32>) -> (!part, !lse) {
  %eo, %el = ring.empty sink(%sink : tensor<1x4x1x1xf32>) : !part, !lse
  %a, %al = ring.merge %eo, %el with %o, %l : !part, !lse
  return %a, %al : !part, !lse
}

// An empty output beside the lse of another part is no empty part.
// CHECK-LABEL: func.func @merge_with_half_empty
// CHECK: ring.merge
func.func @merge_with_half_empty(%o: !part, %l: !lse) -> (!part, !lse) {
  %eo, %el = ring.empty : !part, !lse
  %a, %al = ring.merge %eo, %l with %o, %l : !part, !lse
  return %a, %al : !part, !lse
}

// CHECK-LABEL: func.func @no_choice
// CHECK-SAME: %[[A:.*]]: tensor<1x4x16x8xbf16>, %[[B:.*]]: tensor<1x4x16x8xbf16>
// CHECK-NOT: ring.
// CHECK: return %[[A]], %[[B]], %[[A]]
func.func @no_choice(%a: !kv, %b: !kv) -> (!kv, !kv, !kv) {
  %0 = ring.select %a, %b where [true, true] on <0 in 2x4> : !kv
  %1 = ring.select %a, %b where [false, false] on <0 in 2x4> : !kv
  %2 = ring.select %a, %a where [true, false] on <0 in 2x4> : !kv
  return %0, %1, %2 : !kv, !kv, !kv
}

// CHECK-LABEL: func.func @choice
// CHECK: ring.select
func.func @choice(%a: !kv, %b: !kv) -> !kv {
  %0 = ring.select %a, %b where [true, false] on <0 in 2x4> : !kv
  return %0 : !kv
}

// CHECK-LABEL: func.func @shard_and_unshard
// CHECK-SAME: %[[WHOLE:.*]]: tensor<1x8x60x4xbf16>, %[[SHARD:.*]]: tensor<1x2x8x4xbf16>
// CHECK-NOT: ring.
// CHECK: return %[[WHOLE]], %[[SHARD]]
func.func @shard_and_unshard(%whole: tensor<1x8x60x4xbf16>, %shard: tensor<1x2x8x4xbf16>)
    -> (tensor<1x8x60x4xbf16>, tensor<1x2x8x4xbf16>) {
  %0 = ring.shard %whole as <[_, 1, 0, _] in 8x4, sequence = 2 as <zigzag, 64 over 8>>
      : tensor<1x8x60x4xbf16> -> tensor<1x2x8x4xbf16>
  %1 = ring.unshard %0 as <[_, 1, 0, _] in 8x4, sequence = 2 as <zigzag, 64 over 8>>
      : tensor<1x2x8x4xbf16> -> tensor<1x8x60x4xbf16>
  %2 = ring.unshard %shard as <[_, 1, 0, _] in 8x4, sequence = 2 as <zigzag, 64 over 8>>
      : tensor<1x2x8x4xbf16> -> tensor<1x8x60x4xbf16>
  %3 = ring.shard %2 as <[_, 1, 0, _] in 8x4, sequence = 2 as <zigzag, 64 over 8>>
      : tensor<1x8x60x4xbf16> -> tensor<1x2x8x4xbf16>
  return %1, %3 : tensor<1x8x60x4xbf16>, tensor<1x2x8x4xbf16>
}

// Another layout is another order of rows; another length is other rows; the
// host's tensor is not the one that every device has.
// CHECK-LABEL: func.func @shard_and_unshard_differently
// CHECK: ring.shard
// CHECK-COUNT-3: ring.unshard
func.func @shard_and_unshard_differently(%whole: tensor<1x8x60x4xbf16>)
    -> (tensor<1x8x60x4xbf16>, tensor<1x8x62x4xbf16>, tensor<1x8x60x4xbf16>) {
  %0 = ring.shard %whole as <[_, 1, 0, _] in 8x4, sequence = 2 as <zigzag, 64 over 8>>
      : tensor<1x8x60x4xbf16> -> tensor<1x2x8x4xbf16>
  %1 = ring.unshard %0 as <[_, 1, 0, _] in 8x4, sequence = 2 as <contiguous, 64 over 8>>
      : tensor<1x2x8x4xbf16> -> tensor<1x8x60x4xbf16>
  %2 = ring.unshard %0 as <[_, 1, 0, _] in 8x4, sequence = 2 as <zigzag, 64 over 8>>
      : tensor<1x2x8x4xbf16> -> tensor<1x8x62x4xbf16>
  %3 = ring.unshard %0 as <[_, 1, 0, _] in 8x4, sequence = 2 as <zigzag, 64 over 8>> replicated
      : tensor<1x2x8x4xbf16> -> tensor<1x8x60x4xbf16>
  return %1, %2, %3 : tensor<1x8x60x4xbf16>, tensor<1x8x62x4xbf16>, tensor<1x8x60x4xbf16>
}

// CHECK-LABEL: func.func @relayout_to_itself
// CHECK-SAME: %[[Q:.*]]: tensor<1x4x16x8xbf16>
// CHECK-NOT: ring.
// CHECK: return %[[Q]], %[[Q]], %[[Q]]
func.func @relayout_to_itself(%q: !kv) -> (!kv, !kv, !kv) {
  %0 = ring.relayout %q dim 2 from <zigzag, 64 over 4> to <zigzag, 64 over 4> on <1 in 2x4> : !kv
  %1 = ring.relayout %q dim 2 from <contiguous, 64 over 4> to <zigzag, 64 over 4> on <1 in 2x4> : !kv
  %2 = ring.relayout %1 dim 2 from <zigzag, 64 over 4> to <contiguous, 64 over 4> on <1 in 2x4> : !kv
  %3 = ring.relayout %q dim 2 from <contiguous, 16 over 1> to <striped, 16 over 1> on <1 in 4x1> : !kv
  return %0, %2, %3 : !kv, !kv, !kv
}

// Back to a third layout, or along another axis, is not back.
// CHECK-LABEL: func.func @relayout_elsewhere
// CHECK-COUNT-4: ring.relayout
func.func @relayout_elsewhere(%q: !kv) -> (!kv, !kv) {
  %0 = ring.relayout %q dim 2 from <contiguous, 64 over 4> to <zigzag, 64 over 4> on <1 in 4x4> : !kv
  %1 = ring.relayout %0 dim 2 from <zigzag, 64 over 4> to <striped, 64 over 4> on <1 in 4x4> : !kv
  %2 = ring.relayout %q dim 2 from <contiguous, 64 over 4> to <striped, 64 over 4> on <1 in 4x4> : !kv
  %3 = ring.relayout %2 dim 2 from <striped, 64 over 4> to <contiguous, 64 over 4> on <0 in 4x4> : !kv
  return %1, %3 : !kv, !kv
}

// CHECK-LABEL: func.func @shift_in_place
// CHECK-SAME: %[[K:.*]]: tensor<1x4x16x8xbf16>, %[[V:.*]]: tensor<1x4x16x8xbf16>
// CHECK-NOT: ring.
// CHECK: return %[[K]], %[[V]], %[[K]], %[[V]]
func.func @shift_in_place(%k: !kv, %v: !kv) -> (!kv, !kv, !kv, !kv) {
  %a:2 = ring.shift %k, %v by 0 on <0 in 4x2> : !kv, !kv
  %b:2 = ring.shift %k, %v by -8 on <0 in 4x2> : !kv, !kv
  return %a#0, %a#1, %b#0, %b#1 : !kv, !kv, !kv, !kv
}

// Two shifts make one, modulo the ring; there and back is nowhere.
// CHECK-LABEL: func.func @shift_of_shift
// CHECK-SAME: %[[K:.*]]: tensor<1x4x16x8xbf16>, %[[V:.*]]: tensor<1x4x16x8xbf16>
// CHECK: %[[KV:.*]]:2 = ring.shift %[[K]], %[[V]] by 1 on <0 in 4x2>
// CHECK-NOT: ring.shift
// CHECK: return %[[KV]]#0, %[[KV]]#1, %[[K]]
func.func @shift_of_shift(%k: !kv, %v: !kv) -> (!kv, !kv, !kv) {
  %a:2 = ring.shift %k, %v by 3 on <0 in 4x2> : !kv, !kv
  %b:2 = ring.shift %a#0, %a#1 by 2 on <0 in 4x2> : !kv, !kv
  %c = ring.shift %k by 1 on <0 in 4x2> : !kv
  %d = ring.shift %c by -1 on <0 in 4x2> : !kv
  return %b#0, %b#1, %d : !kv, !kv, !kv
}

// The steps of a ring stay: each arrival is also used.
// CHECK-LABEL: func.func @ring_keeps_its_steps
// CHECK: %[[A:.*]]:2 = ring.shift %{{.*}}, %{{.*}} by 1
// CHECK: %[[B:.*]]:2 = ring.shift %[[A]]#0, %[[A]]#1 by 1
// CHECK: %[[C:.*]]:2 = ring.shift %[[B]]#0, %[[B]]#1 by 1
// CHECK: return %[[A]]#0, %[[B]]#0, %[[C]]#0, %[[C]]#1
func.func @ring_keeps_its_steps(%k: !kv, %v: !kv) -> (!kv, !kv, !kv, !kv) {
  %a:2 = ring.shift %k, %v by 1 on <0 in 4x2> : !kv, !kv
  %b:2 = ring.shift %a#0, %a#1 by 1 on <0 in 4x2> : !kv, !kv
  %c:2 = ring.shift %b#0, %b#1 by 1 on <0 in 4x2> : !kv, !kv
  return %a#0, %b#0, %c#0, %c#1 : !kv, !kv, !kv, !kv
}

// Different axes, a sub-ring of the same axis, other tensors, another order.
// CHECK-LABEL: func.func @shifts_apart
// CHECK-COUNT-8: ring.shift
func.func @shifts_apart(%k: !kv, %v: !kv) -> (!kv, !kv, !kv, !kv, !kv, !kv) {
  %a = ring.shift %k by 1 on <0 in 4x4> : !kv
  %b = ring.shift %a by 1 on <1 in 4x4> : !kv
  %c = ring.shift %k by 1 on <0 in 4x4> : !kv
  %d = ring.shift %c by 1 on <0 in 4x4, size = 2> : !kv
  %e = ring.shift %k by 1 on <0 in 4x4> : !kv
  %f:2 = ring.shift %e, %v by 1 on <0 in 4x4> : !kv, !kv
  %g:2 = ring.shift %k, %v by 1 on <0 in 4x4> : !kv, !kv
  %h:2 = ring.shift %g#1, %g#0 by 1 on <0 in 4x4> : !kv, !kv
  return %b, %d, %f#0, %f#1, %h#0, %h#1 : !kv, !kv, !kv, !kv, !kv, !kv
}

// CHECK-LABEL: func.func @ring_of_one
// CHECK-SAME: %[[K:.*]]: tensor<1x4x16x8xbf16>
// CHECK-NOT: ring.
// CHECK: return %[[K]], %[[K]], %[[K]]
func.func @ring_of_one(%k: !kv) -> (!kv, !kv, !kv) {
  %0 = ring.all_gather %k dim 2 on <1 in 4x1> : !kv -> !kv
  %1 = ring.all_to_all %k split 1 concat 2 on <1 in 4x1> : !kv -> !kv
  %2 = ring.gather %k dim 2 parts [<source = 3, size = 16>] on <1 in 4x1> : !kv -> !kv
  return %0, %1, %2 : !kv, !kv, !kv
}

// A fold must not change the type: an encoding is part of it.
// CHECK-LABEL: func.func @ring_of_one_with_encoding
// CHECK: ring.all_gather
// CHECK: ring.all_to_all
// CHECK: ring.gather
func.func @ring_of_one_with_encoding(%k: tensor<4x8xf32, "a">)
    -> (tensor<4x8xf32, "b">, tensor<4x8xf32, "b">, tensor<4x8xf32, "b">) {
  %0 = ring.all_gather %k dim 0 on <1 in 4x1> : tensor<4x8xf32, "a"> -> tensor<4x8xf32, "b">
  %1 = ring.all_to_all %k split 0 concat 1 on <1 in 4x1> : tensor<4x8xf32, "a"> -> tensor<4x8xf32, "b">
  %2 = ring.gather %k dim 0 parts [<source = 0, size = 4>] on <1 in 4x1> : tensor<4x8xf32, "a"> -> tensor<4x8xf32, "b">
  return %0, %1, %2 : tensor<4x8xf32, "b">, tensor<4x8xf32, "b">, tensor<4x8xf32, "b">
}

// CHECK-LABEL: func.func @there_and_back
// CHECK-SAME: %[[Q:.*]]: tensor<1x4x16x8xbf16>
// CHECK-NOT: ring.
// CHECK: return %[[Q]]
func.func @there_and_back(%q: !kv) -> !kv {
  %0 = ring.all_to_all %q split 1 concat 2 on <0 in 4x2> : !kv -> tensor<1x1x64x8xbf16>
  %1 = ring.all_to_all %0 split 2 concat 1 on <0 in 4x2> : tensor<1x1x64x8xbf16> -> !kv
  return %1 : !kv
}

// The reverse trade along another axis, of another dimension, or into another
// encoding, is no way back.
// CHECK-LABEL: func.func @there_and_elsewhere
// CHECK-COUNT-6: ring.all_to_all
func.func @there_and_elsewhere(%q: !kv, %e: tensor<4x8xf32, "a">)
    -> (!kv, tensor<1x4x64x2xbf16>, tensor<4x8xf32, "b">) {
  %0 = ring.all_to_all %q split 1 concat 2 on <0 in 4x4> : !kv -> tensor<1x1x64x8xbf16>
  %1 = ring.all_to_all %0 split 2 concat 1 on <1 in 4x4> : tensor<1x1x64x8xbf16> -> !kv
  %2 = ring.all_to_all %q split 1 concat 2 on <0 in 4x4> : !kv -> tensor<1x1x64x8xbf16>
  %3 = ring.all_to_all %2 split 3 concat 1 on <0 in 4x4> : tensor<1x1x64x8xbf16> -> tensor<1x4x64x2xbf16>
  %4 = ring.all_to_all %e split 0 concat 1 on <0 in 4x4> : tensor<4x8xf32, "a"> -> tensor<1x32xf32, "a">
  %5 = ring.all_to_all %4 split 1 concat 0 on <0 in 4x4> : tensor<1x32xf32, "a"> -> tensor<4x8xf32, "b">
  return %1, %3, %5 : !kv, tensor<1x4x64x2xbf16>, tensor<4x8xf32, "b">
}

// One's own rows, all and in order. Rank -4 of 4 is oneself.
// CHECK-LABEL: func.func @gather_of_oneself
// CHECK-SAME: %[[K:.*]]: tensor<1x4x16x8xbf16>
// CHECK-NOT: ring.
// CHECK: return %[[K]], %[[K]]
func.func @gather_of_oneself(%k: !kv) -> (!kv, !kv) {
  %0 = ring.gather %k dim 2 parts [<source = 0, size = 16>] on <0 in 4x2> : !kv -> !kv
  %1 = ring.gather %k dim 2 parts [<source = -4, size = 16>] on <0 in 4x2> : !kv -> !kv
  return %0, %1 : !kv, !kv
}

// Someone else's rows, one's own in another order, or only some of them.
// CHECK-LABEL: func.func @gather_of_others
// CHECK-COUNT-3: ring.gather
func.func @gather_of_others(%k: !kv) -> (!kv, !kv, tensor<1x4x8x8xbf16>) {
  %0 = ring.gather %k dim 2 parts [<source = 1, size = 16>] on <0 in 4x2> : !kv -> !kv
  %1 = ring.gather %k dim 2 parts [<source = 0, offset = 8, size = 8>, <source = 0, size = 8>] on <0 in 4x2>
      : !kv -> !kv
  %2 = ring.gather %k dim 2 parts [<source = 0, size = 8, stride = 2>] on <0 in 4x2> : !kv -> tensor<1x4x8x8xbf16>
  return %0, %1, %2 : !kv, !kv, tensor<1x4x8x8xbf16>
}

// What starts a transfer or waits for it has effects on other devices: it
// stays, even if nobody uses what arrives.
// CHECK-LABEL: func.func @transfers_under_way_stay
// CHECK: ring.buffer
// CHECK: ring.start_shift
// CHECK: ring.wait
func.func @transfers_under_way_stay(%k: !kv) {
  %buffer = ring.buffer : !ring.buffer<1x4x16x8xbf16>
  %token = ring.start_shift %k into %buffer by 1 on <0 in 4x2> : !kv into !ring.buffer<1x4x16x8xbf16>
  %next = ring.wait %token : !kv
  return
}
