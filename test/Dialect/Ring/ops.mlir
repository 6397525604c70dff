// SPDX-License-Identifier: Apache-2.0
// Every op of the ring dialect with all of its optional parts, read, printed
// and read again; once more by way of the generic form.

// RUN: ring-opt %s | ring-opt | FileCheck %s
// RUN: ring-opt --mlir-print-op-generic %s | ring-opt | FileCheck %s

// Stage WHAT

// CHECK-LABEL: func.func @attention_plain
// CHECK-SAME: %[[Q:.*]]: tensor<1x4x16x8xbf16>, %[[K:.*]]: tensor<1x2x16x8xbf16>, %[[V:.*]]: tensor<1x2x16x6xbf16>
// CHECK: %[[OUT:.*]] = ring.attention %[[Q]], %[[K]], %[[V]] : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x6xbf16> -> tensor<1x4x16x6xbf16>{{$}}
// CHECK: return %[[OUT]]
func.func @attention_plain(%q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x6xbf16>) -> tensor<1x4x16x6xbf16> {
  %out = ring.attention %q, %k, %v : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x6xbf16> -> tensor<1x4x16x6xbf16>
  return %out : tensor<1x4x16x6xbf16>
}

// CHECK-LABEL: func.func @attention_with_everything
// CHECK-SAME: %[[Q:.*]]: tensor<2x4x16x8xbf16>, %[[K:.*]]: tensor<2x2x16x8xbf16>, %[[V:.*]]: tensor<2x2x16x8xbf16>, %[[MASK:.*]]: tensor<1x4x1x16xbf16>, %[[SINK:.*]]: tensor<1x4x1x1xbf16>
// CHECK: %[[OUT:.*]], %[[LSE:.*]] = ring.attention %[[Q]], %[[K]], %[[V]]
// CHECK-SAME: mask(%[[MASK]] : tensor<1x4x1x16xbf16>) sink(%[[SINK]] : tensor<1x4x1x1xbf16>)
// CHECK-SAME: pattern(#ring.window<before = 3, after = 1>) scale(1.250000e-01) length(12)
// CHECK-SAME: parallel(<sequence = 0, heads = 1>) plan(<strategy = ring, axis = <0 in 8x4>, layout = zigzag>) {note = "kept"}
// CHECK-SAME: : tensor<2x4x16x8xbf16>, tensor<2x2x16x8xbf16>, tensor<2x2x16x8xbf16> -> tensor<2x4x16x8xbf16> lse(tensor<2x4x16x1xf32>)
// CHECK: return %[[OUT]], %[[LSE]]
func.func @attention_with_everything(
    %q: tensor<2x4x16x8xbf16>, %k: tensor<2x2x16x8xbf16>, %v: tensor<2x2x16x8xbf16>,
    %mask: tensor<1x4x1x16xbf16>, %sink: tensor<1x4x1x1xbf16>)
    -> (tensor<2x4x16x8xbf16>, tensor<2x4x16x1xf32>) {
  %out, %lse = ring.attention %q, %k, %v
      mask(%mask : tensor<1x4x1x16xbf16>) sink(%sink : tensor<1x4x1x1xbf16>)
      pattern(#ring.window<before = 3, after = 1>) scale(0.125) length(12)
      parallel(<sequence = 0, heads = 1>)
      plan(<strategy = ring, axis = <0 in 8x4>, layout = zigzag>) {note = "kept"}
      : tensor<2x4x16x8xbf16>, tensor<2x2x16x8xbf16>, tensor<2x2x16x8xbf16>
      -> tensor<2x4x16x8xbf16> lse(tensor<2x4x16x1xf32>)
  return %out, %lse : tensor<2x4x16x8xbf16>, tensor<2x4x16x1xf32>
}

// CHECK-LABEL: func.func @attention_joint
// CHECK-SAME: %[[JQ:[a-z0-9_]+]]: tensor<1x4x6x8xbf16>, %[[JK:[a-z0-9_]+]]: tensor<1x2x6x8xbf16>, %[[JV:[a-z0-9_]+]]: tensor<1x2x6x8xbf16>)
// CHECK: %[[OUT:.*]], %[[JOINT:.*]], %[[LSE:.*]] = ring.attention
// CHECK-SAME: joint(%[[JQ]], %[[JK]], %[[JV]] : tensor<1x4x6x8xbf16>, tensor<1x2x6x8xbf16>, tensor<1x2x6x8xbf16>) length(9) joint_length(5)
// CHECK-SAME: -> tensor<1x4x16x8xbf16> joint(tensor<1x4x6x8xbf16>) lse(tensor<1x4x22x1xf32>)
// CHECK: return %[[JOINT]], %[[LSE]]
func.func @attention_joint(
    %q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, %v: tensor<1x2x16x8xbf16>,
    %jq: tensor<1x4x6x8xbf16>, %jk: tensor<1x2x6x8xbf16>, %jv: tensor<1x2x6x8xbf16>)
    -> (tensor<1x4x6x8xbf16>, tensor<1x4x22x1xf32>) {
  %out, %joint, %lse = ring.attention %q, %k, %v
      joint(%jq, %jk, %jv : tensor<1x4x6x8xbf16>, tensor<1x2x6x8xbf16>, tensor<1x2x6x8xbf16>) length(9) joint_length(5)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>
      -> tensor<1x4x16x8xbf16> joint(tensor<1x4x6x8xbf16>) lse(tensor<1x4x22x1xf32>)
  return %joint, %lse : tensor<1x4x6x8xbf16>, tensor<1x4x22x1xf32>
}

// A paged cache: 10 blocks of 32 keys, 4 of them for each batch entry. The
// length may reach the last key of the last page.
// CHECK-LABEL: func.func @attention_paged
// CHECK-SAME: %[[TABLE:[a-z0-9_]+]]: tensor<2x4xi32>, %[[START:[a-z0-9_]+]]: tensor<1xi32>
// CHECK: ring.attention
// CHECK-SAME: pages(%[[TABLE]] : tensor<2x4xi32>) start(%[[START]] : tensor<1xi32>) pattern(#ring.causal) length(128)
func.func @attention_paged(
    %q: tensor<2x4x16x8xbf16>, %k: tensor<10x2x32x8xbf16>, %v: tensor<10x2x32x8xbf16>,
    %table: tensor<2x4xi32>, %start: tensor<1xi32>) -> tensor<2x4x16x8xbf16> {
  %out = ring.attention %q, %k, %v pages(%table : tensor<2x4xi32>) start(%start : tensor<1xi32>)
      pattern(#ring.causal) length(128)
      : tensor<2x4x16x8xbf16>, tensor<10x2x32x8xbf16>, tensor<10x2x32x8xbf16> -> tensor<2x4x16x8xbf16>
  return %out : tensor<2x4x16x8xbf16>
}

// Segmentations that fit a sequence of 16, each in its own way.
// CHECK-LABEL: func.func @attention_dilated
// CHECK: ring.attention {{.*}} pattern(#ring.dilated<segments = [8, 16], rates = [1, 2]>)
// CHECK: ring.attention {{.*}} pattern(#ring.dilated<segments = [4, 12], rates = [1, 3], segmentation = concat>)
// CHECK: ring.attention {{.*}} pattern(#ring.dilated<segments = [4, 16], rates = [1, 2], segmentation = prefix>)
// CHECK: ring.attention {{.*}} pattern(#ring.dilated<segments = [32], rates = [2], shorter = skip>)
// CHECK: ring.attention {{.*}} pattern(#ring.dilated<segments = [32], rates = [2], shorter = clamp>)
func.func @attention_dilated(%q: tensor<1x4x16x8xf32>) {
  %0 = ring.attention %q, %q, %q pattern(#ring.dilated<segments = [8, 16], rates = [1, 2]>)
      : tensor<1x4x16x8xf32>, tensor<1x4x16x8xf32>, tensor<1x4x16x8xf32> -> tensor<1x4x16x8xf32>
  %1 = ring.attention %q, %q, %q pattern(#ring.dilated<segments = [4, 12], rates = [1, 3], segmentation = concat>)
      : tensor<1x4x16x8xf32>, tensor<1x4x16x8xf32>, tensor<1x4x16x8xf32> -> tensor<1x4x16x8xf32>
  %2 = ring.attention %q, %q, %q pattern(#ring.dilated<segments = [4, 16], rates = [1, 2], segmentation = prefix>)
      : tensor<1x4x16x8xf32>, tensor<1x4x16x8xf32>, tensor<1x4x16x8xf32> -> tensor<1x4x16x8xf32>
  %3 = ring.attention %q, %q, %q pattern(#ring.dilated<segments = [32], rates = [2], shorter = skip>)
      : tensor<1x4x16x8xf32>, tensor<1x4x16x8xf32>, tensor<1x4x16x8xf32> -> tensor<1x4x16x8xf32>
  %4 = ring.attention %q, %q, %q pattern(#ring.dilated<segments = [32], rates = [2], shorter = clamp>)
      : tensor<1x4x16x8xf32>, tensor<1x4x16x8xf32>, tensor<1x4x16x8xf32> -> tensor<1x4x16x8xf32>
  return
}

// Stage HOW: the border

// CHECK-LABEL: func.func @border
// CHECK-SAME: %[[WHOLE:.*]]: tensor<1x8x60x4xbf16>
// CHECK: %[[SHARD:.*]] = ring.shard %[[WHOLE]] as <[_, 1, 0, _] in 8x4, sequence = 2 as <contiguous, 64 over 8>> : tensor<1x8x60x4xbf16> -> tensor<1x2x8x4xbf16>
// CHECK: %[[DEALT:.*]] = ring.relayout %[[SHARD]] dim 2 from <contiguous, 64 over 8> to <striped, 64 over 8> on <0 in 8x4> : tensor<1x2x8x4xbf16>
// CHECK: %[[JOINED:.*]] = ring.unshard %[[DEALT]] as <[_, 1, 0, _] in 8x4, sequence = 2 as <striped, 64 over 8>> replicated : tensor<1x2x8x4xbf16> -> tensor<1x8x60x4xbf16>
// CHECK: %[[HEADS:.*]] = ring.shard %[[WHOLE]] as <[_, 1, _, _] in 8x4> replicated : tensor<1x8x60x4xbf16> -> tensor<1x2x60x4xbf16>
// CHECK: return %[[JOINED]], %[[HEADS]]
func.func @border(%whole: tensor<1x8x60x4xbf16>) -> (tensor<1x8x60x4xbf16>, tensor<1x2x60x4xbf16>) {
  %shard = ring.shard %whole as <[_, 1, 0, _] in 8x4, sequence = 2 as <contiguous, 64 over 8>>
      : tensor<1x8x60x4xbf16> -> tensor<1x2x8x4xbf16>
  %dealt = ring.relayout %shard dim 2 from <contiguous, 64 over 8> to <striped, 64 over 8> on <0 in 8x4>
      : tensor<1x2x8x4xbf16>
  %joined = ring.unshard %dealt as <[_, 1, 0, _] in 8x4, sequence = 2 as <striped, 64 over 8>> replicated
      : tensor<1x2x8x4xbf16> -> tensor<1x8x60x4xbf16>
  %heads = ring.shard %whole as <[_, 1, _, _] in 8x4> replicated : tensor<1x8x60x4xbf16> -> tensor<1x2x60x4xbf16>
  return %joined, %heads : tensor<1x8x60x4xbf16>, tensor<1x2x60x4xbf16>
}

// Stage HOW: blocks

// CHECK-LABEL: func.func @parts
// CHECK-SAME: %[[Q:.*]]: tensor<1x4x16x8xbf16>, %[[K:.*]]: tensor<1x2x16x8xbf16>, %[[MASK:.*]]: tensor<1x1x16x16xbf16>, %[[SINK:.*]]: tensor<1x4x1x1xbf16>
// CHECK: %[[O0:.*]], %[[L0:.*]] = ring.empty : tensor<1x4x16x8xf32>, tensor<1x4x16x1xf32>
// CHECK: %[[O1:.*]], %[[L1:.*]] = ring.empty sink(%[[SINK]] : tensor<1x4x1x1xbf16>) : tensor<1x4x16x8xf32>, tensor<1x4x16x1xf32>
// CHECK: %[[O2:.*]], %[[L2:.*]] = ring.partial %[[Q]], %[[K]], %[[K]] : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xf32>, tensor<1x4x16x1xf32>
// CHECK: %[[O3:.*]], %[[L3:.*]] = ring.partial %[[Q]], %[[K]], %[[K]] mask(%[[MASK]] : tensor<1x1x16x16xbf16>) pattern(#ring.causal) scale(5.000000e-01) length(100)
// CHECK-SAME: block(<queries = <zigzag, 128 over 8>, keys = <zigzag, 128 over 8>, source = -1, axis = <0 in 8x4>>)
// CHECK-SAME: -> tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>
// CHECK: %[[O4:.*]], %[[L4:.*]] = ring.merge %[[O0]], %[[L0]] with %[[O1]], %[[L1]] : tensor<1x4x16x8xf32>, tensor<1x4x16x1xf32>
// CHECK: %[[O5:.*]] = ring.select %[[O4]], %[[O2]] where [true, false, false, true] on <1 in 8x4> : tensor<1x4x16x8xf32>
// CHECK: return %[[O5]], %[[O3]], %[[L4]]
func.func @parts(%q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>,
                 %mask: tensor<1x1x16x16xbf16>, %sink: tensor<1x4x1x1xbf16>)
    -> (tensor<1x4x16x8xf32>, tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>) {
  %o0, %l0 = ring.empty : tensor<1x4x16x8xf32>, tensor<1x4x16x1xf32>
  %o1, %l1 = ring.empty sink(%sink : tensor<1x4x1x1xbf16>) : tensor<1x4x16x8xf32>, tensor<1x4x16x1xf32>
  %o2, %l2 = ring.partial %q, %k, %k
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xf32>, tensor<1x4x16x1xf32>
  %o3, %l3 = ring.partial %q, %k, %k mask(%mask : tensor<1x1x16x16xbf16>)
      pattern(#ring.causal) scale(0.5) length(100)
      block(<queries = <zigzag, 128 over 8>, keys = <zigzag, 128 over 8>, source = -1, axis = <0 in 8x4>>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>
  %o4, %l4 = ring.merge %o0, %l0 with %o1, %l1 : tensor<1x4x16x8xf32>, tensor<1x4x16x1xf32>
  %o5 = ring.select %o4, %o2 where [true, false, false, true] on <1 in 8x4> : tensor<1x4x16x8xf32>
  return %o5, %o3, %l4 : tensor<1x4x16x8xf32>, tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>
}

// CHECK-LABEL: func.func @states
// CHECK-SAME: %[[Q:.*]]: tensor<1x4x16x8xbf16>, %[[K:.*]]: tensor<1x2x16x8xbf16>, %[[MASK:.*]]: tensor<1x1x1x16xbf16>, %[[SINK:.*]]: tensor<1x4x1x1xf32>
// CHECK: %[[S0:.*]] = ring.init : !ring.state<1x4x16x8>
// CHECK: %[[S1:.*]] = ring.init sink(%[[SINK]] : tensor<1x4x1x1xf32>) : !ring.state<1x4x16x8>
// CHECK: %[[S2:.*]] = ring.accumulate %[[Q]], %[[K]], %[[K]] into %[[S0]] : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> !ring.state<1x4x16x8>
// CHECK: %[[S3:.*]] = ring.accumulate %[[Q]], %[[K]], %[[K]] into %[[S1]] mask(%[[MASK]] : tensor<1x1x1x16xbf16>) pattern(#ring.window<before = 7, after = 0>) scale(5.000000e-01) length(100)
// CHECK-SAME: block(<queries = <mirrored, 64 over 4, offset = 64>, keys = <contiguous, 64 over 4>, source = 2, axis = <0 in 8x4, size = 4>>)
// CHECK: %[[S4:.*]] = ring.select %[[S2]], %[[S3]] where [true, false] on <0 in 8x4, size = 2, stride = 4> : !ring.state<1x4x16x8>
// CHECK: %[[OUT:.*]], %[[LSE:.*]] = ring.finish %[[S4]] : !ring.state<1x4x16x8> -> tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>
// CHECK: return %[[OUT]], %[[LSE]]
func.func @states(%q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>,
                  %mask: tensor<1x1x1x16xbf16>, %sink: tensor<1x4x1x1xf32>)
    -> (tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>) {
  %s0 = ring.init : !ring.state<1x4x16x8>
  %s1 = ring.init sink(%sink : tensor<1x4x1x1xf32>) : !ring.state<1x4x16x8>
  %s2 = ring.accumulate %q, %k, %k into %s0
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> !ring.state<1x4x16x8>
  %s3 = ring.accumulate %q, %k, %k into %s1 mask(%mask : tensor<1x1x1x16xbf16>)
      pattern(#ring.window<before = 7, after = 0>) scale(0.5) length(100)
      block(<queries = <mirrored, 64 over 4, offset = 64>, keys = <contiguous, 64 over 4>,
             source = 2, axis = <0 in 8x4, size = 4>>)
      : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> !ring.state<1x4x16x8>
  %s4 = ring.select %s2, %s3 where [true, false] on <0 in 8x4, size = 2, stride = 4> : !ring.state<1x4x16x8>
  %out, %lse = ring.finish %s4 : !ring.state<1x4x16x8> -> tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>
  return %out, %lse : tensor<1x4x16x8xbf16>, tensor<1x4x16x1xf32>
}

// Stage HOW: transfers

// CHECK-LABEL: func.func @transfers
// CHECK-SAME: %[[K:.*]]: tensor<1x4x16x8xbf16>, %[[V:.*]]: tensor<1x4x16x6xbf16>
// CHECK: %[[ONE:.*]] = ring.shift %[[K]] by -1 on <0 in 4x2> : tensor<1x4x16x8xbf16>
// CHECK: %[[TWO:.*]]:2 = ring.shift %[[ONE]], %[[V]] by 1 on <0 in 4x2> : tensor<1x4x16x8xbf16>, tensor<1x4x16x6xbf16>
// CHECK: %[[ALL:.*]] = ring.all_gather %[[TWO]]#0 dim 2 on <0 in 4x2> : tensor<1x4x16x8xbf16> -> tensor<1x4x64x8xbf16>
// CHECK: %[[HEADS:.*]] = ring.all_to_all %[[K]] split 1 concat 2 on <0 in 4x2> : tensor<1x4x16x8xbf16> -> tensor<1x1x64x8xbf16>
// CHECK: %[[HALO:.*]] = ring.gather %[[K]] dim 2 parts [<source = -1, offset = 12, size = 4>, <source = 0, size = 16>, <source = 1, size = 4, stride = 4>] on <0 in 4x2> : tensor<1x4x16x8xbf16> -> tensor<1x4x24x8xbf16>
// CHECK: return %[[ALL]], %[[HEADS]], %[[HALO]]
func.func @transfers(%k: tensor<1x4x16x8xbf16>, %v: tensor<1x4x16x6xbf16>)
    -> (tensor<1x4x64x8xbf16>, tensor<1x1x64x8xbf16>, tensor<1x4x24x8xbf16>) {
  %one = ring.shift %k by -1 on <0 in 4x2> : tensor<1x4x16x8xbf16>
  %two:2 = ring.shift %one, %v by 1 on <0 in 4x2> : tensor<1x4x16x8xbf16>, tensor<1x4x16x6xbf16>
  %all = ring.all_gather %two#0 dim 2 on <0 in 4x2> : tensor<1x4x16x8xbf16> -> tensor<1x4x64x8xbf16>
  %heads = ring.all_to_all %k split 1 concat 2 on <0 in 4x2> : tensor<1x4x16x8xbf16> -> tensor<1x1x64x8xbf16>
  %halo = ring.gather %k dim 2 parts [<source = -1, offset = 12, size = 4>,
      <source = 0, size = 16>, <source = 1, size = 4, stride = 4>] on <0 in 4x2>
      : tensor<1x4x16x8xbf16> -> tensor<1x4x24x8xbf16>
  return %all, %heads, %halo : tensor<1x4x64x8xbf16>, tensor<1x1x64x8xbf16>, tensor<1x4x24x8xbf16>
}

// Stage WHEN

// CHECK-LABEL: func.func @schedule
// CHECK-SAME: %[[K:.*]]: tensor<1x4x16x8xbf16>, %[[V:.*]]: tensor<1x4x16x6xbf16>
// CHECK: %[[B0:.*]] = ring.buffer : !ring.buffer<1x4x16x8xbf16>
// CHECK: %[[B1:.*]] = ring.buffer : !ring.buffer<1x4x16x6xbf16>
// CHECK: %[[B2:.*]] = ring.buffer {name = "all"} : !ring.buffer<1x4x64x8xbf16>
// CHECK: %[[B3:.*]] = ring.buffer : !ring.buffer<1x1x64x8xbf16>
// CHECK: %[[B4:.*]] = ring.buffer : !ring.buffer<1x4x4x8xbf16>
// CHECK: %[[T0:.*]] = ring.start_shift %[[K]], %[[V]] into %[[B0]], %[[B1]] by 1 on <0 in 4x2> : tensor<1x4x16x8xbf16>, tensor<1x4x16x6xbf16> into !ring.buffer<1x4x16x8xbf16>, !ring.buffer<1x4x16x6xbf16>
// CHECK: %[[T1:.*]] = ring.start_all_gather %[[K]] into %[[B2]] dim 2 on <0 in 4x2> : tensor<1x4x16x8xbf16> into !ring.buffer<1x4x64x8xbf16>
// CHECK: %[[T2:.*]] = ring.start_all_to_all %[[K]] into %[[B3]] split 1 concat 2 on <0 in 4x2> : tensor<1x4x16x8xbf16> into !ring.buffer<1x1x64x8xbf16>
// CHECK: %[[T3:.*]] = ring.start_gather %[[K]] into %[[B4]] dim 2 parts [<source = -1, offset = 12, size = 4>] on <0 in 4x2> : tensor<1x4x16x8xbf16> into !ring.buffer<1x4x4x8xbf16>
// CHECK: %[[KV:.*]]:2 = ring.wait %[[T0]] : tensor<1x4x16x8xbf16>, tensor<1x4x16x6xbf16>
// CHECK: %[[ALL:.*]] = ring.wait %[[T1]] : tensor<1x4x64x8xbf16>
// CHECK: %[[HEADS:.*]] = ring.wait %[[T2]] : tensor<1x1x64x8xbf16>
// CHECK: %[[HALO:.*]] = ring.wait %[[T3]] : tensor<1x4x4x8xbf16>
// CHECK: return %[[KV]]#1, %[[ALL]], %[[HEADS]], %[[HALO]]
func.func @schedule(%k: tensor<1x4x16x8xbf16>, %v: tensor<1x4x16x6xbf16>)
    -> (tensor<1x4x16x6xbf16>, tensor<1x4x64x8xbf16>, tensor<1x1x64x8xbf16>, tensor<1x4x4x8xbf16>) {
  %b0 = ring.buffer : !ring.buffer<1x4x16x8xbf16>
  %b1 = ring.buffer : !ring.buffer<1x4x16x6xbf16>
  %b2 = ring.buffer {name = "all"} : !ring.buffer<1x4x64x8xbf16>
  %b3 = ring.buffer : !ring.buffer<1x1x64x8xbf16>
  %b4 = ring.buffer : !ring.buffer<1x4x4x8xbf16>
  %t0 = ring.start_shift %k, %v into %b0, %b1 by 1 on <0 in 4x2>
      : tensor<1x4x16x8xbf16>, tensor<1x4x16x6xbf16> into !ring.buffer<1x4x16x8xbf16>, !ring.buffer<1x4x16x6xbf16>
  %t1 = ring.start_all_gather %k into %b2 dim 2 on <0 in 4x2>
      : tensor<1x4x16x8xbf16> into !ring.buffer<1x4x64x8xbf16>
  %t2 = ring.start_all_to_all %k into %b3 split 1 concat 2 on <0 in 4x2>
      : tensor<1x4x16x8xbf16> into !ring.buffer<1x1x64x8xbf16>
  %t3 = ring.start_gather %k into %b4 dim 2 parts [<source = -1, offset = 12, size = 4>] on <0 in 4x2>
      : tensor<1x4x16x8xbf16> into !ring.buffer<1x4x4x8xbf16>
  %kv:2 = ring.wait %t0 : tensor<1x4x16x8xbf16>, tensor<1x4x16x6xbf16>
  %all = ring.wait %t1 : tensor<1x4x64x8xbf16>
  %heads = ring.wait %t2 : tensor<1x1x64x8xbf16>
  %halo = ring.wait %t3 : tensor<1x4x4x8xbf16>
  return %kv#1, %all, %heads, %halo
      : tensor<1x4x16x6xbf16>, tensor<1x4x64x8xbf16>, tensor<1x1x64x8xbf16>, tensor<1x4x4x8xbf16>
}

// CHECK-LABEL: func.func @launch
// CHECK-SAME: %[[QUERY:.*]]: tensor<1x4x32x8xbf16>, %[[KEY:.*]]: tensor<1x4x32x8xbf16>, %[[VALUE:.*]]: tensor<1x4x32x6xbf16>
// CHECK: %[[OUT:.*]]:2 = ring.launch(%[[Q:.*]] = %[[QUERY]], %[[K:.*]] = %[[KEY]], %[[V:.*]] = %[[VALUE]]) compute(<q_chunk = 32, k_chunk = 32, exp_approx = true, grid = 8x7>) chained {name = "first"} : (tensor<1x4x32x8xbf16>, tensor<1x4x32x8xbf16>, tensor<1x4x32x6xbf16>) -> (tensor<1x4x32x6xbf16>, tensor<1x4x32x1xf32>) {
// CHECK: ring.accumulate %[[Q]], %[[K]], %[[V]]
// CHECK: %[[O:.*]], %[[L:.*]] = ring.finish
// CHECK: ring.yield %[[O]], %[[L]] : tensor<1x4x32x6xbf16>, tensor<1x4x32x1xf32>
// CHECK: return %[[OUT]]#0
func.func @launch(%query: tensor<1x4x32x8xbf16>, %key: tensor<1x4x32x8xbf16>, %value: tensor<1x4x32x6xbf16>) -> tensor<1x4x32x6xbf16> {
  %out, %lse = ring.launch(%q = %query, %k = %key, %v = %value) compute(<q_chunk = 32, k_chunk = 32, exp_approx = true, grid = 8x7>) chained {name = "first"}
      : (tensor<1x4x32x8xbf16>, tensor<1x4x32x8xbf16>, tensor<1x4x32x6xbf16>) -> (tensor<1x4x32x6xbf16>, tensor<1x4x32x1xf32>) {
    %0 = ring.init : !ring.state<1x4x32x6>
    %1 = ring.accumulate %q, %k, %v into %0 : tensor<1x4x32x8xbf16>, tensor<1x4x32x8xbf16>, tensor<1x4x32x6xbf16> -> !ring.state<1x4x32x6>
    %o, %l = ring.finish %1 : !ring.state<1x4x32x6> -> tensor<1x4x32x6xbf16>, tensor<1x4x32x1xf32>
    ring.yield %o, %l : tensor<1x4x32x6xbf16>, tensor<1x4x32x1xf32>
  }
  return %out : tensor<1x4x32x6xbf16>
}
