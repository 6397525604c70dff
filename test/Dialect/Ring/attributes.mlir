// SPDX-License-Identifier: Apache-2.0
// Attributes and types of the ring dialect, read and printed again: what is
// default is left out, and every choice of every enumeration is there.

// RUN: ring-opt %s | ring-opt | FileCheck %s

// CHECK-LABEL: func.func private @parallel
// CHECK-SAME: [#ring.parallel<sequence = 0>, #ring.parallel<sequence = 1, heads = 0>, #ring.parallel<sequence = 0, joint = sharded>, #ring.parallel<sequence = 0, heads = 1, joint = sharded>, #ring.parallel<sequence = 2, outer = 1, heads = 0>]
func.func private @parallel() attributes {a = [
  #ring.parallel<sequence = 0, joint = replicated>, #ring.parallel<sequence = 1, heads = 0>,
  #ring.parallel<sequence = 0, joint = sharded>,
  #ring.parallel<sequence = 0, heads = 1, joint = sharded>,
  #ring.parallel<sequence = 2, heads = 0, outer = 1>]}

// CHECK-LABEL: func.func private @axis
// CHECK-SAME: [#ring.axis<0 in 1>, #ring.axis<2 in 2x3x4>, #ring.axis<0 in 8x4, size = 4>, #ring.axis<0 in 8x4, size = 2, stride = 4>, #ring.axis<0 in 1024x1024>]
func.func private @axis() attributes {a = [
  #ring.axis<0 in 1>, #ring.axis<2 in 2x3x4>, #ring.axis<0 in 8x4, size = 4>,
  #ring.axis<0 in 8x4, size = 2, stride = 4>,
  #ring.axis<0 in 1024x1024>]}

// CHECK-LABEL: func.func private @layout
// CHECK-SAME: [#ring.layout<contiguous, 64 over 8>, #ring.layout<mirrored, 64 over 8, offset = 64>, #ring.layout<zigzag, 64 over 8>, #ring.layout<striped, 1099511627776 over 1>]
func.func private @layout() attributes {a = [
  #ring.layout<contiguous, 64 over 8, offset = 0>, #ring.layout<mirrored, 64 over 8, offset = 64>,
  #ring.layout<zigzag, 64 over 8>, #ring.layout<striped, 1099511627776 over 1>]}

// CHECK-LABEL: func.func private @block
// CHECK-SAME: [#ring.block<queries = <zigzag, 64 over 8>, keys = <striped, 128 over 8>, axis = <0 in 8x4>>, #ring.block<queries = <contiguous, 64 over 2>, keys = <contiguous, 64 over 2>, source = -1, axis = <0 in 8x4, size = 2>>, #ring.block<keys = <contiguous, 64 over 1>, first_key = 3, axis = <0 in 8x4>>, #ring.block<keys = <contiguous, 64 over 32>, source = -1, axis = <1 in 8x4>, outer_source = -2, outer = <0 in 8x4>>, #ring.block<keys = <contiguous, 64 over 8>, axis = <0 in 8x4, size = 4>, outer = <0 in 8x4, size = 2, stride = 4>>]
func.func private @block() attributes {a = [
  #ring.block<queries = <zigzag, 64 over 8>, keys = <striped, 128 over 8>, source = 0, axis = <0 in 8x4>>,
  #ring.block<axis = <0 in 8x4, size = 2>, source = -1,
              keys = <contiguous, 64 over 2>, queries = <contiguous, 64 over 2>>,
  #ring.block<keys = <contiguous, 64 over 1>, source = 0, first_key = 3, axis = <0 in 8x4>>,
  #ring.block<keys = <contiguous, 64 over 32>, source = -1, axis = <1 in 8x4>, outer_source = -2, outer = <0 in 8x4>>,
  #ring.block<keys = <contiguous, 64 over 8>, axis = <0 in 8x4, size = 4>, outer_source = 0, outer = <0 in 8x4, size = 2, stride = 4>>]}

// CHECK-LABEL: func.func private @sharding
// CHECK-SAME: [#ring.sharding<[_, _] in 8x4>, #ring.sharding<[1, 0] in 8x4>, #ring.sharding<[_, 1, 0, _] in 8x4, sequence = 2 as <zigzag, 64 over 8>>, #ring.sharding<[_, 1] in 8x4, sequence = 1 as <zigzag, 64 over 32>, outer = 0>]
func.func private @sharding() attributes {a = [
  #ring.sharding<[_, _] in 8x4>, #ring.sharding<[1, 0] in 8x4>,
  #ring.sharding<[_, 1, 0, _] in 8x4, sequence = 2 as <zigzag, 64 over 8>>,
  #ring.sharding<[_, 1] in 8x4, sequence = 1 as <zigzag, 64 over 32>, outer = 0>]}

// CHECK-LABEL: func.func private @part
// CHECK-SAME: [#ring.part<source = 0, size = 4>, #ring.part<source = -9, offset = 2, size = 4, stride = 3>]
func.func private @part() attributes {a = [
  #ring.part<source = 0, offset = 0, size = 4, stride = 1>,
  #ring.part<source = -9, offset = 2, size = 4, stride = 3>]}

// CHECK-LABEL: func.func private @patterns
// CHECK-SAME: [#ring.causal, #ring.window<before = 0, after = 1099511627776>, #ring.window<before = 8, after = -8>]
func.func private @patterns() attributes {a = [
  #ring.causal, #ring.window<before = 0, after = 1099511627776>,
  #ring.window<before = 8, after = -8>]}

// CHECK-LABEL: func.func private @dilated
// CHECK-SAME: #ring.dilated<segments = [8], rates = [1]>
// CHECK-SAME: #ring.dilated<segments = [8, 4], rates = [2, 1], segmentation = concat, phase = head_mod, mix = lse, norm = none, shorter = skip, order = hilbert, causal = true>
// CHECK-SAME: #ring.dilated<segments = [8], rates = [2], segmentation = prefix, phase = head_block, mix = mean, norm = none, shorter = clamp, order = snake>
// CHECK-SAME: #ring.dilated<segments = [8], rates = [2], phase = all_residues, norm = none>
// CHECK-SAME: #ring.dilated<segments = [8], rates = [2], segmentation = prefix, chunks = 4, phase = zero, extra = last, norm = none>
func.func private @dilated() attributes {a = [
  #ring.dilated<segments = [8], rates = [1], segmentation = tiled, phase = group, mix = head_partition,
                norm = groups, shorter = error, order = identity, causal = false>,
  #ring.dilated<segments = [8, 4], rates = [2, 1], segmentation = concat, phase = head_mod, mix = lse,
                norm = none, shorter = skip, order = hilbert, causal = true>,
  #ring.dilated<segments = [8], rates = [2], segmentation = prefix, phase = head_block, mix = mean,
                norm = none, shorter = clamp, order = snake>,
  #ring.dilated<segments = [8], rates = [2], phase = all_residues, norm = none>,
  #ring.dilated<segments = [8], rates = [2], segmentation = prefix, chunks = 4, phase = zero, extra = last, norm = none>]}

// CHECK-LABEL: func.func private @compute
// CHECK-SAME: #ring.compute<q_chunk = 32>
// CHECK-SAME: #ring.compute<q_chunk = 256, k_chunk = 512, exp_approx = true, fidelity = lofi, fp32_accumulation = true, grid = 8x7, ccl_offset = 0x7>
// CHECK-SAME: #ring.compute<fidelity = hifi3>
// CHECK-SAME: #ring.compute<fidelity = hifi4>
func.func private @compute() attributes {a = [
  #ring.compute<q_chunk = 32, fidelity = hifi2>,
  #ring.compute<q_chunk = 256, k_chunk = 512, exp_approx = true, fidelity = lofi,
                fp32_accumulation = true, grid = 8x7, ccl_offset = 0x7>,
  #ring.compute<fidelity = hifi3>, #ring.compute<fidelity = hifi4>]}

// CHECK-LABEL: func.func private @plan
// CHECK-SAME: #ring.plan<strategy = replicate, axis = <0 in 8x4>>
// CHECK-SAME: #ring.plan<strategy = all_gather, axis = <0 in 8x4>, layout = striped>
// CHECK-SAME: #ring.plan<strategy = ring, axis = <0 in 8x4>, heads_axis = 1, layout = zigzag, directions = both, form = fused, topology = linear, num_links = 2, compute = <q_chunk = 64>>
// CHECK-SAME: #ring.plan<strategy = ulysses, axis = <0 in 8x4>>
// CHECK-SAME: #ring.plan<strategy = usp, axis = <0 in 8x4>, head_ranks = 4>
// CHECK-SAME: #ring.plan<strategy = halo, axis = <1 in 8x4>>
// CHECK-SAME: #ring.plan<strategy = split_kv, axis = <1 in 8x4>>
// CHECK-SAME: #ring.plan<strategy = split_kv, axis = <0 in 8x4>, merge = tree>
// CHECK-SAME: #ring.plan<strategy = split_kv, axis = <0 in 3>, merge = round>
// CHECK-SAME: #ring.plan<strategy = split_kv, axis = <0 in 3>, merge = gather>
// CHECK-SAME: #ring.plan<strategy = split_kv, axis = <0 in 3>, merge = reduce>
func.func private @plan() attributes {a = [
  #ring.plan<strategy = replicate, axis = <0 in 8x4>, layout = contiguous, directions = forward,
             form = explicit, topology = ring, num_links = 1>,
  #ring.plan<strategy = all_gather, axis = <0 in 8x4>, layout = striped>,
  #ring.plan<strategy = ring, axis = <0 in 8x4>, heads_axis = 1, layout = zigzag, directions = both,
             form = fused, topology = linear, num_links = 2, compute = <q_chunk = 64>>,
  #ring.plan<strategy = ulysses, axis = <0 in 8x4>>,
  #ring.plan<strategy = usp, axis = <0 in 8x4>, head_ranks = 4>,
  #ring.plan<strategy = halo, axis = <1 in 8x4>>,
  #ring.plan<strategy = split_kv, axis = <1 in 8x4>>,
  #ring.plan<strategy = split_kv, axis = <0 in 8x4>, merge = tree>,
  #ring.plan<strategy = split_kv, axis = <0 in 3>, merge = round>,
  #ring.plan<strategy = split_kv, axis = <0 in 3>, merge = gather>,
  #ring.plan<strategy = split_kv, axis = <0 in 3>, merge = reduce>]}

// CHECK-LABEL: func.func private @types
// CHECK-SAME: (!ring.state<1x8x64x128>, !ring.buffer<4xf32>, !ring.buffer<1x8x64x64xbf16>, !ring.token)
func.func private @types(
  !ring.state<1x8x64x128>, !ring.buffer<4xf32>, !ring.buffer<1x8x64x64xbf16>, !ring.token)
