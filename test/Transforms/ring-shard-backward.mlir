// SPDX-License-Identifier: Apache-2.0
// Gradients as one device's program: what travels, in which order, and back.

// RUN: ring-opt %s --split-input-file --ring-plan=strategy=ring --ring-shard 2>/dev/null | FileCheck %s

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x3>]>} {

// Keys take two hops. The gradients of the keys follow one hop behind, on three
// hops, the last of which brings them home.

// CHECK-LABEL: func.func @ring
func.func @ring(
    %grad: tensor<1x4x192x64xbf16>, %out: tensor<1x4x192x64xbf16>, %lse: tensor<1x4x192x1xf32>,
    %q: tensor<1x4x192x64xbf16>, %k: tensor<1x2x192x64xbf16>, %v: tensor<1x2x192x64xbf16>)
    -> (tensor<1x4x192x64xbf16>, tensor<1x2x192x64xbf16>, tensor<1x2x192x64xbf16>) {
  // CHECK: %[[GRAD:.*]] = ring.shard %arg0 as <[_, _, 1, _] in 1x3, sequence = 2 as <zigzag, 192 over 3>>
  // CHECK: %[[OUT:.*]] = ring.shard %arg1
  // CHECK: %[[LSE:.*]] = ring.shard %arg2 {{.*}} -> tensor<1x4x64x1xf32>
  // CHECK: %[[Q:.*]] = ring.shard %arg3
  // CHECK: %[[K:.*]] = ring.shard %arg4
  // CHECK: %[[V:.*]] = ring.shard %arg5
  // CHECK: %[[HOP1:.*]]:2 = ring.shift %[[K]], %[[V]] by 1 on <1 in 1x3>
  // CHECK: %[[DQ0:.*]], %[[DK0:.*]], %[[DV0:.*]] = ring.partial_backward %[[GRAD]], %[[OUT]], %[[LSE]], %[[Q]], %[[K]], %[[V]] pattern(#ring.causal)
  // CHECK-SAME: block(<queries = <zigzag, 192 over 3>, keys = <zigzag, 192 over 3>, axis = <1 in 1x3>>)
  // CHECK-SAME: -> tensor<1x4x64x64xf32>, tensor<1x2x64x64xf32>, tensor<1x2x64x64xf32>
  // CHECK: %[[HOP2:.*]]:4 = ring.shift %[[HOP1]]#0, %[[HOP1]]#1, %[[DK0]], %[[DV0]] by 1 on <1 in 1x3>
  // CHECK-SAME: : tensor<1x2x64x64xbf16>, tensor<1x2x64x64xbf16>, tensor<1x2x64x64xf32>, tensor<1x2x64x64xf32>
  // CHECK: %[[DQ1:.*]], %[[DK1:.*]], %[[DV1:.*]] = ring.partial_backward %[[GRAD]], %[[OUT]], %[[LSE]], %[[Q]], %[[HOP1]]#0, %[[HOP1]]#1
  // CHECK-SAME: source = -1
  // CHECK: %[[DQ01:.*]] = "ttir.add"(%[[DQ0]], %[[DQ1]])
  // CHECK: %[[DK01:.*]] = "ttir.add"(%[[HOP2]]#2, %[[DK1]])
  // CHECK: %[[DV01:.*]] = "ttir.add"(%[[HOP2]]#3, %[[DV1]])
  // CHECK: %[[HOP3:.*]]:2 = ring.shift %[[DK01]], %[[DV01]] by 1
  // CHECK: %[[DQ2:.*]], %[[DK2:.*]], %[[DV2:.*]] = ring.partial_backward %[[GRAD]], %[[OUT]], %[[LSE]], %[[Q]], %[[HOP2]]#0, %[[HOP2]]#1
  // CHECK-SAME: source = -2
  // CHECK: %[[DQ:.*]] = "ttir.add"(%[[DQ01]], %[[DQ2]])
  // CHECK: %[[DK:.*]] = "ttir.add"(%[[HOP3]]#0, %[[DK2]])
  // CHECK: %[[DV:.*]] = "ttir.add"(%[[HOP3]]#1, %[[DV2]])
  // CHECK: %[[HOME:.*]]:2 = ring.shift %[[DK]], %[[DV]] by 1
  // CHECK-NOT: ring.shift
  // CHECK: %[[DQ_BF16:.*]] = "ttir.typecast"(%[[DQ]])
  // CHECK: ring.unshard %[[DQ_BF16]]
  // CHECK: %[[DK_BF16:.*]] = "ttir.typecast"(%[[HOME]]#0)
  // CHECK: ring.unshard %[[DK_BF16]] as <[_, _, 1, _] in 1x3, sequence = 2 as <zigzag, 192 over 3>>
  // CHECK: %[[DV_BF16:.*]] = "ttir.typecast"(%[[HOME]]#1)
  // CHECK: ring.unshard %[[DV_BF16]]
  %dq, %dk, %dv = ring.attention_backward %grad, %out, %lse, %q, %k, %v
      pattern(#ring.causal) parallel(<sequence = 1>)
      : tensor<1x4x192x64xbf16>, tensor<1x4x192x64xbf16>, tensor<1x4x192x1xf32>,
        tensor<1x4x192x64xbf16>, tensor<1x2x192x64xbf16>, tensor<1x2x192x64xbf16>
      -> tensor<1x4x192x64xbf16>, tensor<1x2x192x64xbf16>, tensor<1x2x192x64xbf16>
  return %dq, %dk, %dv : tensor<1x4x192x64xbf16>, tensor<1x2x192x64xbf16>, tensor<1x2x192x64xbf16>
}

// Padded keys are known by the length where no causal pattern hides them.

// CHECK-LABEL: func.func @padded
func.func @padded(
    %grad: tensor<1x4x70x64xf32>, %out: tensor<1x4x70x64xf32>, %lse: tensor<1x4x70x1xf32>,
    %q: tensor<1x4x70x64xf32>, %k: tensor<1x4x70x64xf32>, %v: tensor<1x4x70x64xf32>) -> tensor<1x4x70x64xf32> {
  // CHECK-COUNT-3: ring.partial_backward {{.*}} length(70) block(<keys = <contiguous, 96 over 3>
  %dq, %dk, %dv = ring.attention_backward %grad, %out, %lse, %q, %k, %v parallel(<sequence = 1>)
      : tensor<1x4x70x64xf32>, tensor<1x4x70x64xf32>, tensor<1x4x70x1xf32>,
        tensor<1x4x70x64xf32>, tensor<1x4x70x64xf32>, tensor<1x4x70x64xf32>
      -> tensor<1x4x70x64xf32>, tensor<1x4x70x64xf32>, tensor<1x4x70x64xf32>
  return %dk : tensor<1x4x70x64xf32>
}
}

// -----

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 4x2>]>} {

// Two key heads on four devices: each device has a part of a head's gradient, and
// adds up all of them.

// CHECK-LABEL: func.func @shared_heads
func.func @shared_heads(
    %grad: tensor<1x8x64x64xf32>, %out: tensor<1x8x64x64xf32>, %lse: tensor<1x8x64x1xf32>,
    %q: tensor<1x8x64x64xf32>, %k: tensor<1x2x64x64xf32>, %v: tensor<1x2x64x64xf32>) -> tensor<1x2x64x64xf32> {
  // CHECK: %[[BOTH:.*]] = ring.shard %arg4 as <[_, _, 1, _] in 4x2, {{.*}} -> tensor<1x2x32x64xf32>
  // CHECK: ring.select {{.*}} where [false, false, true, true] on <0 in 4x2> : tensor<1x1x32x64xf32>
  // CHECK: %[[ALL:.*]] = ring.all_gather %{{.*}} dim 1 on <0 in 4x2> : tensor<1x1x32x64xf32> -> tensor<1x4x32x64xf32>
  // CHECK: %[[FIRST:.*]] = "ttir.slice_static"(%[[ALL]]) <{begins = [0 : i32, 0 : i32,
  // CHECK: %[[SECOND:.*]] = "ttir.slice_static"(%[[ALL]]) <{begins = [0 : i32, 1 : i32,
  // CHECK: %[[SUM:.*]] = "ttir.add"(%[[FIRST]], %[[SECOND]]) {{.*}} -> tensor<1x2x32x64xf32>
  // CHECK: ring.unshard %[[SUM]] as <[_, _, 1, _] in 4x2,
  %dq, %dk, %dv = ring.attention_backward %grad, %out, %lse, %q, %k, %v parallel(<sequence = 1, heads = 0>)
      : tensor<1x8x64x64xf32>, tensor<1x8x64x64xf32>, tensor<1x8x64x1xf32>,
        tensor<1x8x64x64xf32>, tensor<1x2x64x64xf32>, tensor<1x2x64x64xf32>
      -> tensor<1x8x64x64xf32>, tensor<1x2x64x64xf32>, tensor<1x2x64x64xf32>
  return %dk : tensor<1x2x64x64xf32>
}

// Gathered keys: the parts of a device's own keys come by an all-to-all.

// CHECK-LABEL: func.func @all_gather
func.func @all_gather(
    %grad: tensor<1x2x64x64xf32>, %out: tensor<1x2x64x64xf32>, %lse: tensor<1x2x64x1xf32>,
    %q: tensor<1x2x64x64xf32>, %k: tensor<1x2x64x64xf32>, %v: tensor<1x2x64x64xf32>) -> tensor<1x2x64x64xf32> {
  // CHECK: %[[KEYS:.*]] = ring.all_gather
  // CHECK: %[[VALUES:.*]] = ring.all_gather
  // CHECK: %[[DQ:.*]], %[[DK:.*]], %[[DV:.*]] = ring.partial_backward {{.*}}, %[[KEYS]], %[[VALUES]]
  // CHECK: %[[PARTS:.*]] = ring.all_to_all %[[DK]] split 2 concat 0 on <1 in 4x2> : tensor<1x2x64x64xf32> -> tensor<2x2x32x64xf32>
  // CHECK: %[[FIRST:.*]] = "ttir.slice_static"(%[[PARTS]]) <{begins = [0 : i32,
  // CHECK: %[[SECOND:.*]] = "ttir.slice_static"(%[[PARTS]]) <{begins = [1 : i32,
  // CHECK: "ttir.add"(%[[FIRST]], %[[SECOND]])
  %dq, %dk, %dv = ring.attention_backward %grad, %out, %lse, %q, %k, %v
      plan(<strategy = all_gather, axis = <1 in 4x2>>)
      : tensor<1x2x64x64xf32>, tensor<1x2x64x64xf32>, tensor<1x2x64x1xf32>,
        tensor<1x2x64x64xf32>, tensor<1x2x64x64xf32>, tensor<1x2x64x64xf32>
      -> tensor<1x2x64x64xf32>, tensor<1x2x64x64xf32>, tensor<1x2x64x64xf32>
  return %dk : tensor<1x2x64x64xf32>
}
}
