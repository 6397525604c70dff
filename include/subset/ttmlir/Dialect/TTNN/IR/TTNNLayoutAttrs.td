// SPDX-License-Identifier: Apache-2.0
// Attributes that say where and how a tensor is stored.
#ifndef TTMLIR_DIALECT_TTNN_IR_TTNNLAYOUTATTRS_TD
#define TTMLIR_DIALECT_TTNN_IR_TTNNLAYOUTATTRS_TD

include "ttmlir/Dialect/TTNN/IR/TTNNCoreAttrs.td"

def TTNN_LayoutAttr : TTNN_EnumAttr<TTNN_Layout, "layout">;
def TTNN_TensorMemoryLayoutAttr
    : TTNN_EnumAttr<TTNN_TensorMemoryLayout, "tensor_memory_layout">;
def TTNN_BufferTypeAttr : TTNN_EnumAttr<TTNN_BufferType, "buffer_type">;
def TTNN_ShardOrientationAttr
    : TTNN_EnumAttr<TTNN_ShardOrientation, "shard_orientation">;
def TTNN_ShardDistributionStrategyAttr
    : TTNN_EnumAttr<TTNN_ShardDistributionStrategy,
                    "shard_distribution_strategy">;

//===----------------------------------------------------------------------===//
// Memory configuration
//===----------------------------------------------------------------------===//

def TTNN_ShardSpecAttr : TTNN_Attr<"ShardSpec", "shard_spec"> {
  let summary = "cores, shape and order of 2-D shards";
  let parameters = (ins "CoreRangeSetAttr":$coreRangeSet,
                        "ShapeAttr":$shape,
                        "ShardOrientationAttr":$shardOrientation);
  let assemblyFormat = "`<` params `>`";
}

def TTNN_NDShardSpecAttr : TTNN_Attr<"NDShardSpec", "nd_shard_spec"> {
  let summary = "cores, shape and order of shards of any rank";
  let parameters = (ins
    "CoreRangeSetAttr":$coreRangeSet,
    "ShapeAttr":$shape,
    "ShardOrientationAttr":$shardOrientation,
    "ShardDistributionStrategyAttr":$shardDistributionStrategy);
  let assemblyFormat = "`<` params `>`";
}

def TTNN_MemoryConfigAttr : TTNN_Attr<"MemoryConfig", "memory_config"> {
  let summary = "where a tensor is stored and how it is spread";
  let description = [{
    Example: `#ttnn.memory_config<#dram, <interleaved>>`.

    Constraints:
    - (C1) system memory has no memory layout, every other buffer has one
    - (C2) DRAM is not block sharded
    - (C3) a shard spec needs L1 or DRAM, and a sharded memory layout
    - (C4) there is at most one of the two kinds of shard spec
  }];
  let parameters = (ins
    OptionalParameter<"TensorMemoryLayoutAttr">:$tensorMemoryLayout,
    "BufferTypeAttr":$bufferType,
    OptionalParameter<"std::optional<ShardSpecAttr>">:$shardSpec,
    OptionalParameter<"std::optional<NDShardSpecAttr>">:$ndShardSpec);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    static MemoryConfigAttr get(::mlir::MLIRContext *context,
                                TensorMemoryLayoutAttr tensorMemoryLayout,
                                BufferTypeAttr bufferType,
                                std::optional<ShardSpecAttr> shardSpec);
    /// The configuration of tensors with `layout`.
    static MemoryConfigAttr get(TTNNLayoutAttr layout);
  }];
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Tensor encodings
//===----------------------------------------------------------------------===//

def TTNN_TTNNLayoutAttr : TTNN_Attr<"TTNNLayout", "ttnn_layout"> {
  let summary = "encoding of a tensor: its place in memory";
  let description = [{
    `linear` maps a tensor's coordinates to two dimensions, the last two
    padded to whole tiles first if it is tiled. `memref` is one core's share of
    that plane, in tiles or in numbers, and names the buffer. For DRAM
    interleaved the grid is 1x1 and the share is the whole.

    ```mlir
    #dram = #ttnn.buffer_type<dram>
    // tensor<1x8x512x128xbf16>: 8 * 512 rows are 128 tiles, 128 columns are 4
    #layout = #ttnn.ttnn_layout<
        (d0, d1, d2, d3) -> (d0 * 4096 + d1 * 512 + d2, d3), <1x1>,
        memref<128x4x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
    ```

    Constraints:
    - (C1) the memref's memory space is a buffer type
    - (C2) the grid is 1x1, unless the buffer is in L1 or sharded
    - (C3) system memory has no memory layout, every other buffer has one
    - (C4) DRAM is not block sharded
    - (C5) a sharded layout names its cores, unless `ignorePhysicalLayout`, and
      no other layout does
  }];
  let parameters = (ins
    "::mlir::AffineMap":$linear,
    ArrayRefParameter<"int64_t">:$grid_shape,
    "::mlir::MemRefType":$memref,
    OptionalParameter<"TensorMemoryLayoutAttr">:$mem_layout,
    OptionalParameter<"::mlir::tt::ttcore::TensorMeshAttr">:$tensor_mesh,
    OptionalParameter<"bool">:$ignorePhysicalLayout,
    OptionalParameter<"CoreRangeSetAttr">:$core_range_set);
  let assemblyFormat = [{
    `<` $linear `,` `<` custom<DimensionList>($grid_shape) `>` `,`
        (`mesh` `=` $tensor_mesh^ `,`)? $memref ``
        custom<LayoutOptions>($mem_layout, $core_range_set,
                              $ignorePhysicalLayout) `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool isTiled() const;
    Layout getLayout() const;
    BufferType getBufferType() const;
    bool isSystemBufferType() const;
    bool isDeviceBufferType() const;
    bool hasDRAMBufferType() const;
    bool hasL1BufferType() const;
    bool hasShardedTensorMemoryLayout() const;
    bool hasInterleavedDRAMTensorMemoryLayout() const;
    std::optional<TensorMemoryLayout> getMemLayoutOpt() const;

    /// The memref's element: a tile or a number.
    ::mlir::Type getElementType() const;
    /// The element, or what a tile is made of.
    ::mlir::Type getScalarElementType() const;
    ::mlir::tt::ttcore::DataType getDataType() const;
    uint64_t getElementSizeBytes() const;

    /// One core's share, in tiles if tiled.
    ::llvm::SmallVector<int64_t> getShardShape() const;
    /// One core's share, in numbers.
    ::llvm::SmallVector<int64_t> getScalarShardShape() const;
    uint64_t getShardSizeInBytes() const;

    /// Builds a layout from what its tensor is and where it should go; the
    /// map and the memref follow. Starts as DRAM interleaved.
    class Builder {
    public:
      Builder(::mlir::MLIRContext *context,
              ::llvm::ArrayRef<int64_t> tensorShape,
              ::mlir::Type elementType);
      /// Starts from `layout`, for a tensor of another shape.
      Builder(TTNNLayoutAttr layout, ::llvm::ArrayRef<int64_t> tensorShape);
      /// Starts from the encoding of `type`.
      explicit Builder(::mlir::RankedTensorType type);

      Builder &setElementType(::mlir::Type elementType);
      /// Switches between tiles and numbers of the same format.
      Builder &setLayout(Layout layout);
      Builder &setBufferType(BufferType bufferType);
      Builder &setMemoryLayout(TensorMemoryLayoutAttr memLayout);
      Builder &setMemoryLayout(TensorMemoryLayout memLayout);
      Builder &setGridShape(::llvm::ArrayRef<int64_t> gridShape);
      Builder &setTensorMesh(::mlir::tt::ttcore::TensorMeshAttr mesh);
      Builder &setCoreRangeSet(CoreRangeSetAttr coreRangeSet);
      Builder &setIgnorePhysicalLayout(bool ignore);

      TTNNLayoutAttr build();
      operator TTNNLayoutAttr() { return build(); }

    private:
      ::mlir::MLIRContext *context;
      ::llvm::SmallVector<int64_t> tensorShape;
      ::mlir::Type elementType;
      BufferType bufferType;
      TensorMemoryLayoutAttr memLayout;
      ::llvm::SmallVector<int64_t> gridShape;
      CoreRangeSetAttr coreRangeSet;
      ::mlir::tt::ttcore::TensorMeshAttr tensorMesh;
      bool ignorePhysicalLayout = false;
    };
  }];
}

def TTNN_TTNNNDLayoutAttr : TTNN_Attr<"TTNNNDLayout", "ttnn_nd_layout"> {
  let summary = "encoding of a tensor whose shards have any rank";
  let parameters = (ins
    "::mlir::tt::ttcore::GridAttr":$grid,
    "::mlir::MemRefType":$memref,
    "TensorMemoryLayoutAttr":$mem_layout,
    OptionalParameter<"ShardOrientationAttr">:$shard_orientation,
    OptionalParameter<"ShardDistributionStrategyAttr">:
        $shard_distribution_strategy);
  let assemblyFormat = [{
    `<` $grid `,` $memref `,` $mem_layout (`,` $shard_orientation^)?
        (`,` $shard_distribution_strategy^)? `>`
  }];
}

#endif // TTMLIR_DIALECT_TTNN_IR_TTNNLAYOUTATTRS_TD
