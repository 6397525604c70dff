// SPDX-License-Identifier: Apache-2.0
// Layouts of memrefs. These cannot stay opaque as other rare attributes do:
// the memref parser tells a layout from a memory space by its interface.
#ifndef TTMLIR_DIALECT_TTCORE_IR_TTCOREMEMREFLAYOUTS_TD
#define TTMLIR_DIALECT_TTCORE_IR_TTCOREMEMREFLAYOUTS_TD

include "ttmlir/Dialect/TTCore/IR/TTCoreOpsAttrs.td"

include "mlir/IR/BuiltinAttributeInterfaces.td"

class TTCore_LayoutAttr<string name, string mnemonic>
    : TTCore_Attr<name, mnemonic, [MemRefLayoutAttrInterface]> {
  code layoutDeclaration = [{
    ::mlir::AffineMap getAffineMap() const;
  }];
  let extraClassDeclaration = layoutDeclaration;
}

def TTCore_ViewLayoutAttr : TTCore_LayoutAttr<"ViewLayout", "view"> {
  let summary = "marks a memref as a view, whose map is on the op that made it";
  let parameters = (ins "unsigned":$rank);
  let assemblyFormat = "`<` $rank `>`";
}

def TTCore_ShardLayoutAttr : TTCore_LayoutAttr<"ShardLayout", "shard"> {
  let summary = "byte strides of one shard, and how many copies are kept";
  let description = [{
    The memref has twice the rank of the strides: first where in the grid, then
    where in the shard.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$stride,
                        "uint32_t":$buffers);
  let assemblyFormat = "`<` custom<DimensionList>($stride) `,` $buffers `>`";
}

def TTCore_CBLayoutAttr : TTCore_LayoutAttr<"CBLayout", "cb_layout"> {
  let summary = "byte strides of a circular buffer of one core";
  let parameters = (ins ArrayRefParameter<"int64_t">:$stride,
                        "uint32_t":$buffers);
  let assemblyFormat = "`<` custom<DimensionList>($stride) `,` $buffers `>`";
}

def TTCore_InterleavedLayoutAttr
    : TTCore_LayoutAttr<"InterleavedLayout", "interleaved"> {
  let summary = "byte strides of a buffer spread page by page over the banks";
  let parameters = (ins ArrayRefParameter<"int64_t">:$stride);
  let assemblyFormat = "`<` custom<DimensionList>($stride) `>`";
}

def TTCore_HostLayoutAttr : TTCore_LayoutAttr<"HostLayout", "host_layout"> {
  let summary = "host buffer padded to the footprint the device will use";
  let parameters = (ins ArrayRefParameter<"int64_t">:$logical_shape,
                        ArrayRefParameter<"int64_t">:$host_strides,
                        "int64_t":$host_volume,
                        OptionalParameter<"TensorMeshAttr">:$mesh);
  let assemblyFormat = [{
    `<` `logical_shape` `=` custom<DimensionList>($logical_shape) `,`
        `host_strides` `=` custom<DimensionList>($host_strides) `,`
        `host_volume` `=` $host_volume (`,` $mesh^)? `>`
  }];
  let extraClassDeclaration = layoutDeclaration # [{
    ::llvm::LogicalResult
    getStridesAndOffset(::llvm::ArrayRef<int64_t> shape,
                        ::llvm::SmallVectorImpl<int64_t> &strides,
                        int64_t &offset) const;
  }];
}

#endif // TTMLIR_DIALECT_TTCORE_IR_TTCOREMEMREFLAYOUTS_TD
