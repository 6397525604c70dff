// SPDX-License-Identifier: Apache-2.0
// Attributes of the ring dialect: where devices stand (axis), what they hold
// (layout, block), which keys count (patterns), and what was decided (plan).

#ifndef RING_DIALECT_RING_IR_RINGATTRS_TD
#define RING_DIALECT_RING_IR_RINGATTRS_TD

include "ring/Dialect/Ring/IR/RingDialect.td"
include "ring/Dialect/Ring/IR/RingEnums.td"
include "ring/Dialect/Ring/IR/RingInterfaces.td"

//===----------------------------------------------------------------------===//
// Where a device stands and what it holds
//===----------------------------------------------------------------------===//

def Ring_ParallelAttr : Ring_Attr<"Parallel", "parallel"> {
  let summary = "which mesh axes carry the sequence and the heads";
  let description = [{
    The annotation that asks for a distributed attention. On TTIR it is the
    discardable attribute `ring.parallel`, on an SDPA, a function or the module.

    ```mlir
    func.func private @model() attributes {
      ring.parallel = #ring.parallel<sequence = 0, heads = 1>
    }
    ```

    `joint = sharded` deals joint tokens, where there are any, to the devices of
    the sequence axis too, as contiguous shares; otherwise every device has all
    of them.

    ```mlir
    func.func private @many_joint_tokens() attributes {
      ring.parallel = #ring.parallel<sequence = 0, joint = sharded>
    }
    ```

    With `outer` the sequence lies on two axes: first it is split over `outer`,
    whose links are the slow ones, then each piece over `sequence`.

    ```mlir
    func.func private @two_levels() attributes {
      ring.parallel = #ring.parallel<sequence = 1, outer = 0>
    }
    ```

    With `cache_block` keys and values are a cache that is dealt to the devices
    of the sequence axis: its rows in blocks of so many, round the ranks
    (`#ring.layout<block_cyclic, ...>`). Of a paged cache these are whole pages,
    each device has the same number of physical blocks, in order, and a page
    table names for logical page `j` a block of the device that `j` is dealt to;
    -1 is a page that is not used.

    ```mlir
    func.func private @served() attributes {
      ring.parallel = #ring.parallel<sequence = 0, heads = 1, cache_block = 64>
    }
    ```

    Constraints:
    - (C1) axes are not negative.
    - (C2) sequence, outer and heads are different axes.
    - (C3) a cache block has at least one row.
  }];
  let parameters = (ins
    "int64_t":$sequence,
    OptionalParameter<"std::optional<int64_t>">:$outer,
    OptionalParameter<"std::optional<int64_t>">:$heads,
    DefaultValuedParameter<"JointPlacement", "JointPlacement::Replicated">:$joint,
    OptionalParameter<"std::optional<int64_t>">:$cache_block);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let builders = [AttrBuilder<(ins "int64_t":$sequence,
                                   "std::optional<int64_t>":$heads), [{
    return $_get($_ctxt, sequence, std::nullopt, heads,
                 JointPlacement::Replicated, std::nullopt);
  }]>,
  AttrBuilder<(ins "int64_t":$sequence, "std::optional<int64_t>":$heads,
                   "JointPlacement":$joint), [{
    return $_get($_ctxt, sequence, std::nullopt, heads, joint, std::nullopt);
  }]>];
}

def Ring_AxisAttr : Ring_Attr<"Axis", "axis"> {
  let summary = "one axis of a mesh, or a sub-ring of it";
  let description = [{
    `#ring.axis<0 in 8x4>` is axis 0 of a mesh of 8 x 4 devices: four rings of
    eight. The *rank* of a device is its coordinate on that axis; devices are
    numbered in row-major order of their coordinates.

    With `size` and `stride` the axis is cut into sub-rings: a device with
    coordinate `c` has rank `(c / stride) mod size`. So `size = 2, stride = 4`
    on an axis of eight pairs coordinates 0 and 4, 1 and 5, and so on, and
    `size = 4` groups 0 to 3 and 4 to 7. A digit of a mixed-radix number:

    ```
    coordinate        0 1 2 3 4 5 6 7
    size 4 (stride 1) 0 1 2 3 0 1 2 3
    size 2, stride 4  0 0 0 0 1 1 1 1
    ```

    ```mlir
    #whole = #ring.axis<0 in 8x4>
    #inner = #ring.axis<0 in 8x4, size = 4>
    #outer = #ring.axis<0 in 8x4, size = 2, stride = 4>
    func.func private @rings() attributes {rings = [#whole, #inner, #outer]}
    ```

    Constraints:
    - (C1) the mesh has at least one axis, every axis at least one device, and
      the mesh at most 2^20.
    - (C2) the axis exists in the mesh.
    - (C3) size and stride are positive, a stride comes with a size, and size *
      stride divides the axis.
  }];
  let parameters = (ins
    "int64_t":$index,
    ArrayRefParameter<"int64_t">:$mesh,
    OptionalParameter<"std::optional<int64_t>">:$size,
    OptionalParameter<"std::optional<int64_t>">:$stride);
  let assemblyFormat = [{
    `<` $index `in` custom<Dimensions>($mesh) (`,` `size` `=` $size^)?
    (`,` `stride` `=` $stride^)? `>`
  }];
  let genVerifyDecl = 1;
  let builders = [AttrBuilder<(ins "int64_t":$index, "::llvm::ArrayRef<int64_t>":$mesh), [{
    return $_get($_ctxt, index, mesh, std::nullopt, std::nullopt);
  }]>];
  let extraClassDeclaration = [{
    /// The axis in the arithmetic of positions.
    ::ring::positions::MeshAxis getValue() const;
    /// How many ranks a ring on this axis has.
    int64_t getRanks() const;
    /// How many devices the whole mesh has.
    int64_t getNumDevices() const;
    /// The rank of a device, given by its linear index in the mesh.
    int64_t rankOf(int64_t device) const;
    /// The device `offset` ranks further round the ring of `device`.
    int64_t neighbour(int64_t device, int64_t offset) const;
  }];
}

def Ring_LayoutAttr : Ring_Attr<"Layout", "layout"> {
  let summary = "which positions of a sequence each rank holds";
  let description = [{
    `#ring.layout<zigzag, 4096 over 8>` deals 4096 positions to 8 ranks. They
    are cut into chunks, which go round by round to the ranks, from the first to
    the last or back. So rank `r` of `P` holds

    | layout | rows of a chunk | its chunks | why |
    |---|---|---|---|
    | `contiguous`   | `n / P` | `r` | what sharded models bring; windows |
    | `mirrored`     | `n / P` | `P-1-r` | the late half of a zigzag |
    | `zigzag`       | `n / 2P` | `r` and `2P-1-r` | every rank has the same share of a causal triangle |
    | `striped`      | 1 | `r, r+P, r+2P, ...` | the same by single tokens |
    | `block_cyclic` | `by` | `r, r+P, r+2P, ...` | caches that grow: every rank has its share at any length |

    `offset` moves all positions up; with it a zigzag is the concatenation of a
    contiguous and a mirrored layout:
    `<zigzag, 4096 over 8>` = `<contiguous, 2048 over 8>` then
    `<mirrored, 2048 over 8, offset = 2048>`.

    ```mlir
    func.func private @layouts() attributes {layouts = [
      #ring.layout<zigzag, 4096 over 8>,
      #ring.layout<mirrored, 2048 over 8, offset = 2048>,
      #ring.layout<block_cyclic, 131072 over 8 by 64>
    ]}
    ```

    Constraints:
    - (C1) length and ranks are positive and offset is not negative; length and
      offset are at most 2^40.
    - (C2) ranks (for zigzag twice the ranks) divides the length.
    - (C3) block_cyclic, and no other, has a block (`by`); whole blocks of every
      rank make up the length.
  }];
  let parameters = (ins
    EnumParameter<Ring_LayoutKind>:$kind,
    "int64_t":$length,
    "int64_t":$ranks,
    DefaultValuedParameter<"int64_t", "0">:$offset,
    DefaultValuedParameter<"int64_t", "0">:$block);
  let assemblyFormat = [{
    `<` $kind `,` $length `over` $ranks (`by` $block^)?
    (`,` `offset` `=` $offset^)? `>`
  }];
  let genVerifyDecl = 1;
  let builders = [AttrBuilder<(ins "LayoutKind":$kind, "int64_t":$length,
                                   "int64_t":$ranks, "int64_t":$offset), [{
    return $_get($_ctxt, kind, length, ranks, offset, /*block=*/0);
  }]>];
  let extraClassDeclaration = [{
    /// The layout in the arithmetic of positions.
    ::ring::positions::SequenceLayout getValue() const;
    /// How many positions one rank holds.
    int64_t getShardLength() const { return getLength() / getRanks(); }
    /// The positions rank `rank` holds, in the order of its rows.
    ::mlir::ring::Positions positionsOf(int64_t rank) const;
    /// The same layout, all positions moved up.
    LayoutAttr movedBy(int64_t offset) const;
    /// The layouts of the first and the second half of every shard. Only for
    /// zigzag, whose halves are layouts themselves.
    std::pair<LayoutAttr, LayoutAttr> halves() const;
  }];
}

def Ring_PlacesAttr : Ring_Attr<"Places", "places"> {
  let summary = "the positions of a tensor's rows, listed for every device";
  let description = [{
    For rows that no layout deals: `counts` says how many ranges each device of
    the mesh has, and `ranges` lists them all, three numbers for each: the first
    position, how many there are, and the step between them.

    ```mlir
    func.func private @uneven() attributes {
      // Device 0 has rows at 0 to 2 and at 8, device 1 at 1, 3, 5 and 7.
      rows = #ring.places<counts = [2, 1], ranges = [0, 3, 1, 8, 1, 1, 1, 4, 2]>
    }
    ```

    Constraints:
    - (C1) there is at least one device, every device has at least one range, and
      there are three numbers for each range.
    - (C2) positions are not negative and at most 2^40, sizes and steps positive.
    - (C3) every device has the same number of rows.
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$counts,
    ArrayRefParameter<"int64_t">:$ranges);
  let assemblyFormat = [{
    `<` struct(custom<IntegerList>($counts), custom<IntegerList>($ranges)) `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The positions of the rows on a device, in row order.
    ::mlir::ring::Positions positionsOn(int64_t device) const;
    /// How many rows there are on every device.
    int64_t getRows() const;
  }];
}

def Ring_BlockAttr : Ring_Attr<"Block", "block"> {
  let summary = "which queries meet which keys on a device";
  let description = [{
    The place of one block in the whole attention. A device of rank `r` on
    `axis` holds the queries of rank `r` and the keys that belong to rank
    `(r + source) mod P`: after one shift by 1 its keys come from `source = -1`.
    Where only some rows of that rank's shard are there, they start with row
    `first_key`. A key layout over one rank means that every device has all keys.
    Without a layout of the queries their positions do not matter.

    In a ring of rings the layouts are over the ranks of `outer` times those of
    `axis`: the device of rank `o` on `outer` and `r` on `axis` has the rank
    `o * P + r`, and its keys belong to rank `(o + outer_source) mod O` on
    `outer` and `(r + source) mod P` on `axis`. Both may be parts of one mesh
    axis.

    Rows that lie differently on every device are listed: `query_places` and
    `key_places` in place of the layouts.

    ```mlir
    func.func private @second_step() attributes {
      block = #ring.block<queries = <zigzag, 4096 over 8>,
                          keys = <zigzag, 4096 over 8>,
                          source = -1, axis = <0 in 8x4>>
    }
    func.func private @second_step_of_the_second_round() attributes {
      block = #ring.block<queries = <zigzag, 4096 over 32>,
                          keys = <zigzag, 4096 over 32>,
                          source = -1, axis = <1 in 8x4>,
                          outer_source = -1, outer = <0 in 8x4>>
    }
    ```

    Constraints:
    - (C1) both layouts have as many ranks as the axis, times those of outer, or
      the keys' has one.
    - (C2) first_key is a row of the keys' shard.
    - (C3) there is a layout of the keys, or queries and keys are both listed,
      without layouts, sources, outer and first_key, for every device of the
      mesh.
    - (C4) outer is on another axis of the same mesh, or the other part of the
      same axis: size * stride of axis is the stride of outer, and axis has no
      stride of its own.
    - (C5) an outer_source comes with outer.
  }];
  let parameters = (ins
    OptionalParameter<"LayoutAttr">:$queries,
    OptionalParameter<"LayoutAttr">:$keys,
    OptionalParameter<"PlacesAttr">:$query_places,
    OptionalParameter<"PlacesAttr">:$key_places,
    DefaultValuedParameter<"int64_t", "0">:$source,
    DefaultValuedParameter<"int64_t", "0">:$first_key,
    "AxisAttr":$axis,
    DefaultValuedParameter<"int64_t", "0">:$outer_source,
    OptionalParameter<"AxisAttr">:$outer);
  let builders = [AttrBuilder<(ins "LayoutAttr":$queries, "LayoutAttr":$keys,
      "int64_t":$source, "int64_t":$first_key, "AxisAttr":$axis), [{
    return $_get($_ctxt, queries, keys, PlacesAttr(), PlacesAttr(), source,
                 first_key, axis, /*outer_source=*/0, AxisAttr());
  }]>,
  AttrBuilder<(ins "LayoutAttr":$queries, "LayoutAttr":$keys,
      "int64_t":$source, "AxisAttr":$axis, "int64_t":$outer_source,
      "AxisAttr":$outer), [{
    return $_get($_ctxt, queries, keys, PlacesAttr(), PlacesAttr(), source,
                 /*first_key=*/0, axis, outer_source, outer);
  }]>,
  AttrBuilder<(ins "PlacesAttr":$query_places, "PlacesAttr":$key_places,
      "AxisAttr":$axis), [{
    return $_get($_ctxt, LayoutAttr(), LayoutAttr(), query_places, key_places,
                 /*source=*/0, /*first_key=*/0, axis, /*outer_source=*/0,
                 AxisAttr());
  }]>];
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The block in the arithmetic of positions, without places.
    ::ring::positions::Block getValue() const;
    /// How many ranks the layouts are over: those of the axis, times those of
    /// the outer one.
    int64_t getRanks() const;
    /// The rank of a device among them.
    int64_t rankOf(int64_t device) const;
    /// Some device of a rank.
    int64_t deviceOf(int64_t rank) const;
    /// The one axis of the mesh, or part of it, that has these ranks in this
    /// order; null where they lie on two.
    AxisAttr getRankAxis() const;
    /// Positions of the `count` query rows on a device; from 0 on where there is
    /// no layout.
    ::mlir::ring::Positions queriesOn(int64_t device, int64_t count) const;
    /// Positions of the `count` key rows that are there on a device.
    ::mlir::ring::Positions keysOn(int64_t device, int64_t count) const;
  }];
}

def Ring_ShardingAttr : Ring_Attr<"Sharding", "sharding"> {
  let summary = "how a whole tensor is split over a mesh";
  let description = [{
    One entry per dimension: the mesh axis that splits it, or `_` for none.
    One dimension may be the sequence: it is padded to the length of the
    layout and dealt by it; all others are split contiguously. With `outer` the
    sequence is split over that axis first, and each piece over its own.

    ```mlir
    func.func private @query() attributes {
      sharding = #ring.sharding<[_, 1, 0, _] in 8x4,
                                sequence = 2 as <zigzag, 4096 over 8>>
    }
    func.func private @query_on_two_axes() attributes {
      sharding = #ring.sharding<[_, _, 1, _] in 8x4,
                                sequence = 2 as <zigzag, 4096 over 32>,
                                outer = 0>
    }
    ```

    Constraints:
    - (C1) the mesh is one of `#ring.axis`; the axes exist in it and none is used
      twice.
    - (C2) the sequence dimension exists and is split.
    - (C3) the layout has as many ranks as the axis of the sequence dimension,
      times those of outer.
    - (C4) outer comes with a sequence.
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$axes,
    ArrayRefParameter<"int64_t">:$mesh,
    OptionalParameter<"std::optional<int64_t>">:$sequence,
    OptionalParameter<"LayoutAttr">:$layout,
    OptionalParameter<"std::optional<int64_t>">:$outer);
  let assemblyFormat = [{
    `<` custom<ShardedAxes>($axes) `in` custom<Dimensions>($mesh)
    (`,` `sequence` `=` $sequence^ `as` $layout)? (`,` `outer` `=` $outer^)? `>`
  }];
  let genVerifyDecl = 1;
  let builders = [AttrBuilder<(ins "::llvm::ArrayRef<int64_t>":$axes,
      "::llvm::ArrayRef<int64_t>":$mesh, "std::optional<int64_t>":$sequence,
      "LayoutAttr":$layout), [{
    return $_get($_ctxt, axes, mesh, sequence, layout, std::nullopt);
  }]>];
  let extraClassDeclaration = [{
    /// The mark of a dimension that is not split.
    static constexpr int64_t kReplicated = -1;
    /// The shape of one device's shard of a tensor of the given shape, or
    /// nothing where a dimension does not divide or the layout is too short.
    std::optional<::llvm::SmallVector<int64_t>>
    getShardShape(::llvm::ArrayRef<int64_t> shape) const;
    /// The mesh axes that split a dimension, the slowest first.
    ::llvm::SmallVector<int64_t, 2> axesOf(int64_t dim) const;
  }];
}

def Ring_PartAttr : Ring_Attr<"Part", "part"> {
  let summary = "some rows of another rank's shard";
  let description = [{
    `size` rows starting at `offset`, every `stride`-th, of the tensor held by
    the rank `source` places further round the ring.

    ```mlir
    func.func private @halo() attributes {
      last_rows_of_the_previous_rank = #ring.part<source = -1, offset = 448, size = 64>
    }
    ```

    Constraints:
    - (C1) offset is not negative, size and stride are positive.
  }];
  let parameters = (ins
    "int64_t":$source,
    DefaultValuedParameter<"int64_t", "0">:$offset,
    "int64_t":$size,
    DefaultValuedParameter<"int64_t", "1">:$stride);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Ring_LegAttr : Ring_Attr<"Leg", "leg"> {
  let summary = "some rows of a rank's tensor, and where they go";
  let description = [{
    `size` rows starting at `offset`, every `stride`-th, of the tensor held by
    the rank `source` places further round the ring; they become the rows `at`,
    `at + step`, ... of the result.

    ```mlir
    func.func private @every_third() attributes {
      rows = #ring.leg<source = -1, offset = 1, size = 5, stride = 3, at = 10>
    }
    ```

    Constraints:
    - (C1) offset and at are not negative, size, stride and step are positive.
  }];
  let parameters = (ins
    DefaultValuedParameter<"int64_t", "0">:$source,
    DefaultValuedParameter<"int64_t", "0">:$offset,
    "int64_t":$size,
    DefaultValuedParameter<"int64_t", "1">:$stride,
    DefaultValuedParameter<"int64_t", "0">:$at,
    DefaultValuedParameter<"int64_t", "1">:$step);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Which keys a query attends to
//===----------------------------------------------------------------------===//

def Ring_CausalAttr : Ring_Attr<"Causal", "causal", [
    DeclareAttrInterfaceMethods<Ring_PatternAttrInterface>]> {
  let summary = "a query attends to the keys up to its own position";
  let description = [{
    ```mlir
    func.func private @decoder() attributes {pattern = #ring.causal}
    ```
  }];
}

def Ring_WindowAttr : Ring_Attr<"Window", "window", [
    DeclareAttrInterfaceMethods<Ring_PatternAttrInterface>]> {
  let summary = "a query attends to the keys near its own position";
  let description = [{
    The query at position `p` attends to the keys at `p - before` to
    `p + after`. A causal sliding window of size `w`, as TTIR's
    `sliding_window_size` counts it, is `before = w - 1, after = 0`. Either
    may be negative for a window that lies wholly to one side, as a block of
    keys away from the diagonal sees it.

    ```mlir
    func.func private @local() attributes {pattern = #ring.window<before = 4095, after = 0>}
    ```

    Constraints:
    - (C1) the window has at least one key: before + after is not negative, and
      both are at most 2^40 in magnitude.
  }];
  let parameters = (ins "int64_t":$before, "int64_t":$after);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Ring_DilatedAttr : Ring_Attr<"Dilated", "dilated", [
    DeclareAttrInterfaceMethods<Ring_PatternAttrInterface>]> {
  let summary = "segments of the sequence attend within themselves, every r-th row";
  let description = [{
    Dilated attention: for each pair of a segment length `s` and a rate `r`,
    the rows `phase, phase + r, ...` of every segment attend to each other.

    | | |
    |---|---|
    | `segmentation = tiled` | segments of `s` rows, one behind the other |
    | `concat` | pair `i` has one segment, behind those of the pairs before |
    | `prefix` | the sequence is cut into `chunks`; the first `s` of the rows `phase, phase + r, ...` of each chunk, of all chunks together, attend to each other |
    | `phase = group` | pair `i` keeps residue `i mod r` |
    | `head_mod`, `head_block` | head `h` of `H` keeps residue `h mod r`, `h / ceil(H / r)` |
    | `all_residues` | every residue is a set of rows of its own |
    | `zero` | residue 0 |
    | `mix = head_partition` | each pair serves its own heads, dealt in order; the `extra` groups, the first or the last, have one more where they do not divide |
    | `lse`, `mean` | every head runs every pair; the results are merged by their softmax denominators (LongNet), or averaged |
    | `norm = groups` | the result is divided by the number of pairs |
    | `shorter = error, skip, clamp` | a sequence shorter than a segment is an error, gets nothing of that pair, or is the segment |
    | `order = hilbert, snake` | a device visits the kept keys of a segment, as far as they come from one device, along a walk through a square: laid out row by row on one whose side is a power of two, along a Hilbert curve, or with every other row backwards. Masks follow the positions, so no result depends on it |

    Rows that no pair covers are 0, with lse = -inf.

    ```mlir
    func.func private @longnet() attributes {
      pattern = #ring.dilated<segments = [2048, 4096], rates = [1, 2],
                              phase = head_mod, mix = lse, norm = none,
                              causal = true>
    }
    ```

    Constraints:
    - (C1) there are as many rates as segments, and at least one.
    - (C2) segments and rates are positive, no rate exceeds its segment and no
      segment 2^40.
    - (C3) dividing by the groups needs a mix by heads.
    - (C4) there is at least one chunk, at most 2^40, and more than one only of
      prefixes.
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$segments,
    ArrayRefParameter<"int64_t">:$rates,
    DefaultValuedParameter<"Segmentation", "Segmentation::Tiled">:$segmentation,
    DefaultValuedParameter<"int64_t", "1">:$chunks,
    DefaultValuedParameter<"DilationPhase", "DilationPhase::Group">:$phase,
    DefaultValuedParameter<"DilationMix", "DilationMix::HeadPartition">:$mix,
    DefaultValuedParameter<"ExtraHeads", "ExtraHeads::First">:$extra,
    DefaultValuedParameter<"DilationNorm", "DilationNorm::Groups">:$norm,
    DefaultValuedParameter<"ShortSequence", "ShortSequence::Error">:$shorter,
    DefaultValuedParameter<"KeyOrder", "KeyOrder::Identity">:$order,
    DefaultValuedParameter<"bool", "false">:$causal);
  let assemblyFormat = [{
    `<` struct(custom<IntegerList>($segments), custom<IntegerList>($rates),
               $segmentation, $chunks, $phase, $mix, $extra, $norm, $shorter,
               $order, $causal) `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The pattern in the arithmetic of positions.
    ::ring::positions::Dilation getValue() const;
  }];
}

def Ring_DocumentsAttr : Ring_Attr<"Documents", "documents", [
    DeclareAttrInterfaceMethods<Ring_PatternAttrInterface>]> {
  let summary = "documents packed into one sequence, each attending to itself";
  let description = [{
    `ends` has the row behind the last of each document; the first begins with
    row 0, every other one where the one before it ends. A row attends to the
    rows of its own document, all of them or, if `causal`, those up to its own.
    Rows behind the last document see nothing, and nobody sees them: their
    output is 0, with lse = -inf. A document without rows ends where the one
    before it does. The windows of a picture or a video that each attend to
    themselves are documents too.

    ```mlir
    func.func private @packed() attributes {
      documents = #ring.documents<ends = [512, 2048, 4096], causal = true>,
      windows = #ring.documents<ends = [64, 128, 160]>
    }
    ```

    Constraints:
    - (C1) there is at least one end, and ends are not negative and do not fall.
    - (C2) the documents have at least one row, and at most 2^40.
    - (C3) the documents times the rows of the longest, and the rows of all, are
      at most 2^28 together: blocks list rows by places that far apart.
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$ends,
    DefaultValuedParameter<"bool", "false">:$causal);
  let assemblyFormat = "`<` struct(custom<IntegerList>($ends), $causal) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The pattern in the arithmetic of positions.
    ::ring::positions::Documents getValue() const;
  }];
}

//===----------------------------------------------------------------------===//
// What was decided
//===----------------------------------------------------------------------===//

def Ring_ComputeAttr : Ring_Attr<"Compute", "compute"> {
  let summary = "how a device computes its blocks";
  let description = [{
    The settings that reach the device's attention kernel: rows of a query
    and of a key chunk, approximate exponentials, passes of the matrix engine,
    f32 accumulation, the cores that compute (`grid`, columns x rows, from the
    first one on) and the core from which on the others move data (`ccl_offset`):
    along the row if that is below the grid, else down the column.

    ```mlir
    func.func private @settings() attributes {
      compute = #ring.compute<q_chunk = 256, k_chunk = 512, fidelity = hifi2,
                              grid = 8x7, ccl_offset = 0x7>
    }
    ```

    Constraints:
    - (C1) chunk sizes are positive multiples of the tile, 32.
    - (C2) grid and ccl_offset have two entries.
  }];
  let parameters = (ins
    OptionalParameter<"std::optional<int64_t>">:$q_chunk,
    OptionalParameter<"std::optional<int64_t>">:$k_chunk,
    DefaultValuedParameter<"bool", "false">:$exp_approx,
    DefaultValuedParameter<"MathFidelity", "MathFidelity::HiFi2">:$fidelity,
    DefaultValuedParameter<"bool", "false">:$fp32_accumulation,
    OptionalArrayRefParameter<"int64_t">:$grid,
    OptionalArrayRefParameter<"int64_t">:$ccl_offset);
  let assemblyFormat = [{
    `<` struct($q_chunk, $k_chunk, $exp_approx, $fidelity, $fp32_accumulation,
               custom<Dimensions>($grid), custom<Dimensions>($ccl_offset)) `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Whether the cores that move data follow each other down a column, beside
    /// those that compute, rather than along a row below them.
    bool movesByColumn() const {
      return !getGrid().empty() && !getCclOffset().empty() &&
             getCclOffset()[1] < getGrid()[1];
    }
  }];
}

def Ring_PlanAttr : Ring_Attr<"Plan", "plan"> {
  let summary = "how one attention is going to be distributed";
  let description = [{
    What `ring-plan` decides, or takes from the pipeline's options, and the
    passes after it carry out.

    ```mlir
    func.func private @planned() attributes {
      plan = #ring.plan<strategy = ring, axis = <0 in 8x4>, heads_axis = 1,
                        layout = zigzag, directions = both>
    }
    func.func private @two_levels() attributes {
      on_one_axis = #ring.plan<strategy = double_ring, axis = <0 in 32x4>, inner_ranks = 8>,
      on_two = #ring.plan<strategy = double_ring, axis = <1 in 2x4>, outer = 0>
    }
    ```

    `balanced` deals the queries of packed documents anew, so that every rank has
    as many of them and about the same work; outputs go back to where their
    queries came from.

    ```mlir
    func.func private @even_work() attributes {
      plan = #ring.plan<strategy = halo, axis = <0 in 8x4>, balanced = true>
    }
    ```

    `merge` says how the outputs and log-sum-exps that `split_kv` has on every
    rank become one:

    | merge | each rank gets | merges on a rank |
    |---|---|---|
    | `tree` | those of the rank 1, 2, 4, ... before, each time the sum so far | of all queries, log2 P times |
    | `round` | those of every other rank, one after the other round the ring | of all queries, P - 1 times |
    | `gather` | those of all ranks at once | of all queries, P - 1 parts |
    | `reduce` | those of all ranks for its share of the queries and heads; then the result of all shares | of its share, P - 1 parts |

    Without, it is a tree where the ranks are a power of two, else round.

    ```mlir
    func.func private @decode() attributes {
      plan = #ring.plan<strategy = split_kv, axis = <0 in 8x4>, merge = reduce>
    }
    ```

    Constraints:
    - (C1) the heads axis exists in the mesh and is not one of the sequence's.
    - (C2) head_ranks, those of the all-to-all inside `usp`, is positive and
      divides the ranks of the axis; only `usp` has one.
    - (C3) there is at least one link.
    - (C4) the layout is contiguous, zigzag or striped: mirrored is half of a
      sequence, and block-cyclic the layout of a cache.
    - (C5) `double_ring`, and no other, has either inner_ranks, the neighbours that
      are an inner ring, or outer, the mesh axis of the outer ring.
    - (C6) inner_ranks is positive and divides the ranks of the axis.
    - (C7) outer is another axis of the mesh than the sequence's.
    - (C8) only `split_kv` has a merge, and a tree only of ranks that are a power
      of two.
  }];
  let parameters = (ins
    "Strategy":$strategy,
    "AxisAttr":$axis,
    OptionalParameter<"std::optional<int64_t>">:$heads_axis,
    DefaultValuedParameter<"LayoutKind", "LayoutKind::Contiguous">:$layout,
    DefaultValuedParameter<"Directions", "Directions::Forward">:$directions,
    DefaultValuedParameter<"Form", "Form::Explicit">:$form,
    DefaultValuedParameter<"Topology", "Topology::Ring">:$topology,
    OptionalParameter<"std::optional<int64_t>">:$head_ranks,
    OptionalParameter<"std::optional<int64_t>">:$inner_ranks,
    OptionalParameter<"std::optional<int64_t>">:$outer,
    DefaultValuedParameter<"int64_t", "1">:$num_links,
    OptionalParameter<"ComputeAttr">:$compute,
    DefaultValuedParameter<"bool", "false">:$balanced,
    OptionalParameter<"std::optional<PartMerge>">:$merge);
  let builders = [AttrBuilder<(ins "Strategy":$strategy, "AxisAttr":$axis,
      "std::optional<int64_t>":$heads_axis, "LayoutKind":$layout,
      "Directions":$directions, "Form":$form, "Topology":$topology,
      "std::optional<int64_t>":$head_ranks, "int64_t":$num_links,
      "ComputeAttr":$compute), [{
    return $_get($_ctxt, strategy, axis, heads_axis, layout, directions, form,
                 topology, head_ranks, std::nullopt, std::nullopt, num_links,
                 compute, /*balanced=*/false, /*merge=*/std::nullopt);
  }]>];
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// How many ranks the sequence is dealt to, on one axis or two.
    int64_t getRanks() const;
    /// The two rings of a double ring.
    AxisAttr getInnerRing() const;
    AxisAttr getOuterRing() const;
  }];
}

#endif // RING_DIALECT_RING_IR_RINGATTRS_TD
