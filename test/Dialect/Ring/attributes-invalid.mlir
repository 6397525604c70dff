// SPDX-License-Identifier: Apache-2.0
// The numbered constraints of the ring dialect's attributes, each violated
// once or more. The line above a case names its constraint;
// test/Docs/constraints.test checks that none is missing.

// RUN: ring-opt %s -split-input-file -verify-diagnostics

// #ring.parallel (C1)
// expected-error @+1 {{expects mesh axes not to be negative, but got -1}}
func.func private @parallel() attributes {attribute = #ring.parallel<sequence = -1>}

// -----

// #ring.parallel (C1)
// expected-error @+1 {{expects mesh axes not to be negative, but got -2}}
func.func private @parallel() attributes {attribute = #ring.parallel<sequence = 0, heads = -2>}

// -----

// #ring.parallel (C2)
// expected-error @+1 {{expects sequence and heads on different mesh axes, but got 1 for both}}
func.func private @parallel() attributes {attribute = #ring.parallel<sequence = 1, heads = 1>}

// -----

// #ring.axis (C1)
// expected-error @+1 {{expects a mesh of positive axes with at most 1048576 devices, but got [0, 4]}}
func.func private @axis() attributes {attribute = #ring.axis<0 in 0x4>}

// -----

// #ring.axis (C1)
// expected-error @+1 {{expects a mesh of positive axes with at most 1048576 devices, but got [1048577]}}
func.func private @axis() attributes {attribute = #ring.axis<0 in 1048577>}

// -----

// #ring.axis (C1)
// expected-error @+1 {{expects a mesh of positive axes with at most 1048576 devices}}
func.func private @axis() attributes {attribute = #ring.axis<0 in 4294967296x4294967296>}

// -----

// #ring.axis (C1)
// expected-error @+1 {{expects dimensions such as 8x4}}
func.func private @axis() attributes {attribute = #ring.axis<0 in >}

// -----

// #ring.axis (C2)
// expected-error @+1 {{expects an axis of a 2-D mesh, but got 2}}
func.func private @axis() attributes {attribute = #ring.axis<2 in 8x4>}

// -----

// #ring.axis (C2)
// expected-error @+1 {{expects an axis of a 2-D mesh, but got -1}}
func.func private @axis() attributes {attribute = #ring.axis<-1 in 8x4>}

// -----

// #ring.axis (C3)
// expected-error @+1 {{expects size * stride to divide the 8 devices of axis 0, but got 3 * 1}}
func.func private @axis() attributes {attribute = #ring.axis<0 in 8x4, size = 3>}

// -----

// #ring.axis (C3)
// expected-error @+1 {{expects size * stride to divide the 8 devices of axis 0, but got 4 * 4}}
func.func private @axis() attributes {attribute = #ring.axis<0 in 8x4, size = 4, stride = 4>}

// -----

// #ring.axis (C3)
// expected-error @+1 {{expects size * stride to divide the 8 devices of axis 0, but got 0 * 1}}
func.func private @axis() attributes {attribute = #ring.axis<0 in 8x4, size = 0>}

// -----

// #ring.axis (C3)
// expected-error @+1 {{expects size * stride to divide the 8 devices of axis 0, but got 2 * -4}}
func.func private @axis() attributes {attribute = #ring.axis<0 in 8x4, size = 2, stride = -4>}

// -----

// #ring.axis (C3)
// expected-error @+1 {{expected 'size'}}
func.func private @axis() attributes {attribute = #ring.axis<0 in 8x4, stride = 1>}

// -----

// #ring.layout (C1)
// expected-error @+1 {{expects a positive length over positive ranks at an offset that is not negative, none above 1099511627776, but got 0 over 8 at 0}}
func.func private @layout() attributes {attribute = #ring.layout<contiguous, 0 over 8>}

// -----

// #ring.layout (C1)
// expected-error @+1 {{expects a positive length over positive ranks at an offset that is not negative, none above 1099511627776, but got 64 over 0 at 0}}
func.func private @layout() attributes {attribute = #ring.layout<contiguous, 64 over 0>}

// -----

// #ring.layout (C1)
// expected-error @+1 {{expects a positive length over positive ranks at an offset that is not negative, none above 1099511627776, but got 64 over 8 at -1}}
func.func private @layout() attributes {attribute = #ring.layout<striped, 64 over 8, offset = -1>}

// -----

// #ring.layout (C1)
// expected-error @+1 {{expects a positive length over positive ranks at an offset that is not negative, none above 1099511627776, but got 1099511627777 over 1 at 0}}
func.func private @layout() attributes {attribute = #ring.layout<contiguous, 1099511627777 over 1>}

// -----

// #ring.layout (C1)
func.func private @layout() attributes {
  // expected-error @+1 {{expects a positive length over positive ranks at an offset that is not negative, none above 1099511627776, but got 64 over 8 at 1099511627777}}
  attribute = #ring.layout<contiguous, 64 over 8, offset = 1099511627777>}

// -----

// #ring.layout (C2)
// expected-error @+1 {{expects the ranks to divide 63, but got 8}}
func.func private @layout() attributes {attribute = #ring.layout<contiguous, 63 over 8>}

// -----

// #ring.layout (C2)
// expected-error @+1 {{expects twice the ranks to divide 72, but got 8}}
func.func private @layout() attributes {attribute = #ring.layout<zigzag, 72 over 8>}

// -----

// #ring.block (C1)
func.func private @block() attributes {
  // expected-error @+1 {{expects a layout of the queries over the 8 ranks of the axis, but got 4}}
  attribute = #ring.block<queries = <contiguous, 64 over 4>, keys = <contiguous, 64 over 8>, axis = <0 in 8x4>>}

// -----

// #ring.block (C1)
func.func private @block() attributes {
  // expected-error @+1 {{expects a layout of the keys over the 8 ranks of the axis or over 1, but got 4}}
  attribute = #ring.block<queries = <contiguous, 64 over 8>, keys = <contiguous, 64 over 4>, axis = <0 in 8x4>>}

// -----

// #ring.block (C1)
func.func private @block() attributes {
  // expected-error @+1 {{expects a layout of the queries over the 2 ranks of the axis, but got 8}}
  attribute = #ring.block<queries = <contiguous, 64 over 8>, keys = <contiguous, 64 over 8>, axis = <0 in 8x4, size = 2>>}

// -----

// #ring.block (C2)
func.func private @block() attributes {
  // expected-error @+1 {{expects first_key to be one of 8 rows, but got 8}}
  attribute = #ring.block<keys = <contiguous, 64 over 8>, first_key = 8, axis = <0 in 8x4>>}

// -----

// #ring.block (C2)
func.func private @block() attributes {
  // expected-error @+1 {{expects first_key to be one of 8 rows, but got -1}}
  attribute = #ring.block<keys = <contiguous, 64 over 8>, first_key = -1, axis = <0 in 8x4>>}

// -----

// #ring.sharding (C1)
// expected-error @+1 {{expects an axis of a 2-D mesh, but got 2}}
func.func private @sharding() attributes {attribute = #ring.sharding<[_, 2] in 8x4>}

// -----

// #ring.sharding (C1)
// expected-error @+1 {{expects every mesh axis to split one dimension, but got axis 0 twice}}
func.func private @sharding() attributes {attribute = #ring.sharding<[0, 0] in 8x4>}

// -----

// #ring.sharding (C1)
// expected-error @+1 {{expects a mesh of positive axes with at most 1048576 devices, but got [8, 0]}}
func.func private @sharding() attributes {attribute = #ring.sharding<[0, _] in 8x0>}

// -----

// #ring.sharding (C1)
// expected-error @+1 {{expects a mesh axis or _, but got -1}}
func.func private @sharding() attributes {attribute = #ring.sharding<[0, -1] in 8x4>}

// -----

// #ring.sharding (C2)
func.func private @sharding() attributes {
  // expected-error @+1 {{expects the sequence to be a split dimension, but got 2}}
  attribute = #ring.sharding<[_, 0] in 8x4, sequence = 2 as <contiguous, 64 over 8>>}

// -----

// #ring.sharding (C2)
func.func private @sharding() attributes {
  // expected-error @+1 {{expects the sequence to be a split dimension, but got -1}}
  attribute = #ring.sharding<[_, 0] in 8x4, sequence = -1 as <contiguous, 64 over 8>>}

// -----

// #ring.sharding (C2)
func.func private @sharding() attributes {
  // expected-error @+1 {{expects the sequence to be a split dimension, but got 0}}
  attribute = #ring.sharding<[_, 0] in 8x4, sequence = 0 as <contiguous, 64 over 8>>}

// -----

// #ring.sharding (C3)
func.func private @sharding() attributes {
  // expected-error @+1 {{expects a layout over the 4 devices of axis 1, but got 8}}
  attribute = #ring.sharding<[_, 1] in 8x4, sequence = 1 as <contiguous, 64 over 8>>}

// -----

// #ring.part (C1)
// expected-error @+1 {{expects an offset that is not negative, a positive size and a positive stride, but got -1, 4 and 1}}
func.func private @part() attributes {attribute = #ring.part<source = 1, offset = -1, size = 4>}

// -----

// #ring.part (C1)
// expected-error @+1 {{expects an offset that is not negative, a positive size and a positive stride, but got 0, 0 and 1}}
func.func private @part() attributes {attribute = #ring.part<source = 1, size = 0>}

// -----

// #ring.part (C1)
// expected-error @+1 {{expects an offset that is not negative, a positive size and a positive stride, but got 0, 4 and 0}}
func.func private @part() attributes {attribute = #ring.part<source = 1, size = 4, stride = 0>}

// -----

// #ring.window (C1)
// expected-error @+1 {{expects a window of at least one key and at most 1099511627776 to a side, but got -1 before and 0 after}}
func.func private @window() attributes {attribute = #ring.window<before = -1, after = 0>}

// -----

// #ring.window (C1)
// expected-error @+1 {{expects a window of at least one key and at most 1099511627776 to a side, but got 0 before and -1 after}}
func.func private @window() attributes {attribute = #ring.window<before = 0, after = -1>}

// -----

// #ring.window (C1)
func.func private @window() attributes {
  // expected-error @+1 {{expects a window of at least one key and at most 1099511627776 to a side, but got -1099511627777 before and 1099511627777 after}}
  attribute = #ring.window<before = -1099511627777, after = 1099511627777>}

// -----

// #ring.window (C1)
// expected-error @+1 {{expects a window of at least one key and at most 1099511627776 to a side, but got 0 before and 9223372036854775807 after}}
func.func private @window() attributes {attribute = #ring.window<before = 0, after = 9223372036854775807>}

// -----

// #ring.documents (C1)
// expected-error @+1 {{expects the end of at least one document}}
func.func private @documents() attributes {attribute = #ring.documents<ends = []>}

// -----

// #ring.documents (C1)
// expected-error @+1 {{expects ends of documents that do not fall, but got 4 behind 8}}
func.func private @documents() attributes {attribute = #ring.documents<ends = [8, 4]>}

// -----

// #ring.documents (C2)
// expected-error @+1 {{expects documents of 1 to 1099511627776 rows, but got 0}}
func.func private @documents() attributes {attribute = #ring.documents<ends = [0, 0]>}

// -----

// #ring.documents (C3)
// expected-error @+1 {{expects documents times the rows of the longest to be at most 268435456, but got 2 times 268435455}}
func.func private @documents() attributes {attribute = #ring.documents<ends = [1, 268435456]>}

// -----

// #ring.dilated (C1)
// expected-error @+1 {{expects as many rates as segments, at least one, but got 2 segments and 1 rates}}
func.func private @dilated() attributes {attribute = #ring.dilated<segments = [8, 16], rates = [1]>}

// -----

// #ring.dilated (C1)
// expected-error @+1 {{expects as many rates as segments, at least one, but got 0 segments and 0 rates}}
func.func private @dilated() attributes {attribute = #ring.dilated<segments = [], rates = []>}

// -----

// #ring.dilated (C2)
// expected-error @+1 {{expects a segment of 1 to 1099511627776 and a rate of 1 to the segment, but got segment 0 and rate 1}}
func.func private @dilated() attributes {attribute = #ring.dilated<segments = [0], rates = [1]>}

// -----

// #ring.dilated (C2)
// expected-error @+1 {{expects a segment of 1 to 1099511627776 and a rate of 1 to the segment, but got segment 8 and rate 0}}
func.func private @dilated() attributes {attribute = #ring.dilated<segments = [8], rates = [0]>}

// -----

// #ring.dilated (C2)
// expected-error @+1 {{expects a segment of 1 to 1099511627776 and a rate of 1 to the segment, but got segment 8 and rate 9}}
func.func private @dilated() attributes {attribute = #ring.dilated<segments = [8], rates = [9]>}

// -----

// #ring.dilated (C2)
// expected-error @+1 {{expects a segment of 1 to 1099511627776 and a rate of 1 to the segment, but got segment 1099511627777 and rate 1}}
func.func private @dilated() attributes {attribute = #ring.dilated<segments = [1099511627777], rates = [1]>}

// -----

// #ring.dilated (C3)
// expected-error @+1 {{expects norm = none with mix = lse: only a partition of the heads has groups}}
func.func private @dilated() attributes {attribute = #ring.dilated<segments = [8], rates = [1], mix = lse>}

// -----

// #ring.dilated (C4)
// expected-error @+1 {{expects 1 to 1099511627776 chunks, but got 0}}
func.func private @dilated() attributes {attribute = #ring.dilated<segments = [8], rates = [1], segmentation = prefix, chunks = 0>}

// -----

// #ring.dilated (C4)
// expected-error @+1 {{expects chunks only of prefixes, but got tiled segments and 2 chunks}}
func.func private @dilated() attributes {attribute = #ring.dilated<segments = [8], rates = [1], chunks = 2>}

// -----

// #ring.dilated (C3)
func.func private @dilated() attributes {
  // expected-error @+1 {{expects norm = none with mix = mean: only a partition of the heads has groups}}
  attribute = #ring.dilated<segments = [8], rates = [1], mix = mean, norm = groups>}

// -----

// #ring.compute (C1)
// expected-error @+1 {{expects chunks to be positive multiples of 32, but got 48}}
func.func private @compute() attributes {attribute = #ring.compute<q_chunk = 48>}

// -----

// #ring.compute (C1)
// expected-error @+1 {{expects chunks to be positive multiples of 32, but got 0}}
func.func private @compute() attributes {attribute = #ring.compute<k_chunk = 0>}

// -----

// #ring.compute (C2)
// expected-error @+1 {{expects columns x rows of cores, but got [8]}}
func.func private @compute() attributes {attribute = #ring.compute<grid = 8>}

// -----

// #ring.compute (C2)
// expected-error @+1 {{expects columns x rows of cores, but got [0, 7, 1]}}
func.func private @compute() attributes {attribute = #ring.compute<ccl_offset = 0x7x1>}

// -----

// #ring.plan (C1)
func.func private @plan() attributes {
  // expected-error @+1 {{expects heads on another axis of the 2-D mesh than the sequence's, but got 0}}
  attribute = #ring.plan<strategy = ring, axis = <0 in 8x4>, heads_axis = 0>}

// -----

// #ring.plan (C1)
func.func private @plan() attributes {
  // expected-error @+1 {{expects heads on another axis of the 2-D mesh than the sequence's, but got 2}}
  attribute = #ring.plan<strategy = ring, axis = <0 in 8x4>, heads_axis = 2>}

// -----

// #ring.plan (C2)
// expected-error @+1 {{expects head ranks only with strategy = usp, but got strategy = ring}}
func.func private @plan() attributes {attribute = #ring.plan<strategy = ring, axis = <0 in 8x4>, head_ranks = 2>}

// -----

// #ring.plan (C2)
// expected-error @+1 {{expects the head ranks to divide 8, but got 3}}
func.func private @plan() attributes {attribute = #ring.plan<strategy = usp, axis = <0 in 8x4>, head_ranks = 3>}

// -----

// #ring.plan (C2)
// expected-error @+1 {{expects the head ranks to divide 8, but got 0}}
func.func private @plan() attributes {attribute = #ring.plan<strategy = usp, axis = <0 in 8x4>, head_ranks = 0>}

// -----

// #ring.plan (C3)
func.func private @plan() attributes {
  // expected-error @+1 {{expects at least one link, but got 0}}
  attribute = #ring.plan<strategy = ring, axis = <0 in 8x4>, num_links = 0>}

// -----

// #ring.plan (C4)
func.func private @plan() attributes {
  // expected-error @+1 {{expects a layout of the whole sequence, but got mirrored, which is half of a zigzag}}
  attribute = #ring.plan<strategy = ring, axis = <0 in 8x4>, layout = mirrored>}

// -----

// #ring.parallel (C1)
// expected-error @+1 {{expects mesh axes not to be negative, but got -1}}
func.func private @parallel() attributes {attribute = #ring.parallel<sequence = 0, outer = -1>}

// -----

// #ring.parallel (C2)
// expected-error @+1 {{expects outer on another mesh axis than sequence and heads, but got 0}}
func.func private @parallel() attributes {attribute = #ring.parallel<sequence = 0, outer = 0>}

// -----

// #ring.parallel (C2)
// expected-error @+1 {{expects outer on another mesh axis than sequence and heads, but got 1}}
func.func private @parallel() attributes {attribute = #ring.parallel<sequence = 0, outer = 1, heads = 1>}

// -----

// #ring.block (C1)
func.func private @block() attributes {
  // expected-error @+1 {{expects a layout of the keys over the 32 ranks of the axes or over 1, but got 8}}
  attribute = #ring.block<keys = <contiguous, 64 over 8>, axis = <1 in 8x4>, outer = <0 in 8x4>>}

// -----

// #ring.block (C4)
func.func private @block() attributes {
  // expected-error @+1 {{expects outer in the mesh of #ring.axis<1 in 8x4>, but got #ring.axis<0 in 4x8>}}
  attribute = #ring.block<keys = <contiguous, 64 over 16>, axis = <1 in 8x4>, outer = <0 in 4x8>>}

// -----

// #ring.block (C4)
func.func private @block() attributes {
  // expected-error @+1 {{expects outer on another axis than #ring.axis<0 in 8x4, size = 4>, or a part of it with stride = 4, but got #ring.axis<0 in 8x4, size = 4>}}
  attribute = #ring.block<keys = <contiguous, 64 over 16>, axis = <0 in 8x4, size = 4>, outer = <0 in 8x4, size = 4>>}

// -----

// #ring.block (C4)
func.func private @block() attributes {
  // expected-error @+1 {{expects whole axes where there are two, but got #ring.axis<1 in 8x4> and #ring.axis<0 in 8x4, size = 4>}}
  attribute = #ring.block<keys = <contiguous, 64 over 16>, axis = <1 in 8x4>, outer = <0 in 8x4, size = 4>>}

// -----

// #ring.block (C5)
func.func private @block() attributes {
  // expected-error @+1 {{expects an outer axis with outer_source = -1}}
  attribute = #ring.block<keys = <contiguous, 64 over 4>, axis = <1 in 8x4>, outer_source = -1>}

// -----

// #ring.sharding (C1)
func.func private @sharding() attributes {
  // expected-error @+1 {{expects every mesh axis to split one dimension, but got axis 1 twice}}
  attribute = #ring.sharding<[_, 1] in 8x4, sequence = 1 as <contiguous, 64 over 4>, outer = 1>}

// -----

// #ring.sharding (C3)
func.func private @sharding() attributes {
  // expected-error @+1 {{expects a layout over the 32 devices of axis 1 and axis 0, but got 4}}
  attribute = #ring.sharding<[_, 1] in 8x4, sequence = 1 as <contiguous, 64 over 4>, outer = 0>}

// -----

// #ring.sharding (C4)
func.func private @sharding() attributes {
  // expected-error @+1 {{expected 'sequence'}}
  attribute = #ring.sharding<[_, 1] in 8x4, outer = 0>}

// -----

// #ring.plan (C1)
func.func private @plan() attributes {
  // expected-error @+1 {{expects heads on another axis of the 2-D mesh than the sequence's, but got 0}}
  attribute = #ring.plan<strategy = double_ring, axis = <1 in 8x4>, heads_axis = 0, outer = 0>}

// -----

// #ring.plan (C5)
func.func private @plan() attributes {
  // expected-error @+1 {{expects either inner or outer with strategy = double_ring, but got none}}
  attribute = #ring.plan<strategy = double_ring, axis = <1 in 8x4>>}

// -----

// #ring.plan (C5)
func.func private @plan() attributes {
  // expected-error @+1 {{expects either inner or outer with strategy = double_ring, but got both}}
  attribute = #ring.plan<strategy = double_ring, axis = <1 in 8x4>, inner_ranks = 2, outer = 0>}

// -----

// #ring.plan (C5)
func.func private @plan() attributes {
  // expected-error @+1 {{expects neither inner nor outer with strategy = ring, but got one}}
  attribute = #ring.plan<strategy = ring, axis = <1 in 8x4>, outer = 0>}

// -----

// #ring.plan (C6)
func.func private @plan() attributes {
  // expected-error @+1 {{expects the ranks of the inner ring to divide 8, but got 3}}
  attribute = #ring.plan<strategy = double_ring, axis = <0 in 8x4>, inner_ranks = 3>}

// -----

// #ring.plan (C7)
func.func private @plan() attributes {
  // expected-error @+1 {{expects the outer ring on another axis of the 2-D mesh than the sequence's, but got 2}}
  attribute = #ring.plan<strategy = double_ring, axis = <0 in 8x4>, outer = 2>}

// -----

// #ring.plan (C8)
func.func private @plan() attributes {
  // expected-error @below {{expects a merge only with strategy = split_kv, but got strategy = ring}}
  attribute = #ring.plan<strategy = ring, axis = <0 in 8x4>, merge = reduce>}

// -----

// #ring.plan (C8)
func.func private @plan() attributes {
  // expected-error @below {{expects ranks that are a power of two for merge = tree, but got 6}}
  attribute = #ring.plan<strategy = split_kv, axis = <0 in 6x4>, merge = tree>}

// -----

// #ring.parallel (C3)
// expected-error @+1 {{expects a cache block of at least one row, but got 0}}
func.func private @parallel() attributes {attribute = #ring.parallel<sequence = 1, cache_block = 0>}

// -----

// #ring.layout (C3)
// expected-error @+1 {{expects a block of 1 to 64 rows in a block-cyclic layout, and none in others, but got 0}}
func.func private @layout() attributes {attribute = #ring.layout<block_cyclic, 64 over 8>}

// -----

// #ring.layout (C3)
// expected-error @+1 {{expects a block of 1 to 64 rows in a block-cyclic layout, and none in others, but got 4}}
func.func private @layout() attributes {attribute = #ring.layout<striped, 64 over 8 by 4>}

// -----

// #ring.layout (C3)
// expected-error @+1 {{expects 8 ranks to share the 64 positions in whole blocks, but got blocks of 16}}
func.func private @layout() attributes {attribute = #ring.layout<block_cyclic, 64 over 8 by 16>}

// -----

// #ring.plan (C4)
// expected-error @+1 {{expects contiguous, zigzag or striped queries, but got block_cyclic, which is a layout of caches}}
func.func private @plan() attributes {attribute = #ring.plan<strategy = ring, axis = <0 in 8>, layout = block_cyclic>}
