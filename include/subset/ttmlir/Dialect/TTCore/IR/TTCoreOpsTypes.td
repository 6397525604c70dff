// SPDX-License-Identifier: Apache-2.0
// Types of ttcore. Also includes its attributes, which tt-mlir keeps in the
// file of this name.
#ifndef TTMLIR_DIALECT_TTCORE_IR_TTCOREOPSTYPES_TD
#define TTMLIR_DIALECT_TTCORE_IR_TTCOREOPSTYPES_TD

include "ttmlir/Dialect/TTCore/IR/TTCoreMemRefLayouts.td"
include "ttmlir/Dialect/TTCore/IR/TTCoreOpsAttrs.td"

include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/BuiltinTypes.td"
include "mlir/IR/CommonTypeConstraints.td"

class TTCore_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<TTCore_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def TTCore_Tile : TTCore_Type<"Tile", "tile",
    [MemRefElementTypeInterface, FloatTypeInterface, ShapedTypeInterface,
     ValueSemantics]> {
  let summary = "the block of numbers a core computes on at once";
  let description = [{
    Example: `!ttcore.tile<32x32, bf16>`.

    Constraints:
    - (C1) a tile has two dimensions
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape,
                        "DataType":$dataType);
  let assemblyFormat = "`<` custom<DimensionList>($shape) `,` $dataType `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    static constexpr std::array<int64_t, 2> getDefaultShape() {
      return {32, 32};
    }

    /// The tile of `shape` that stores numbers of `elementType`.
    static TileType get(::mlir::Type elementType,
                        ::llvm::ArrayRef<int64_t> shape = getDefaultShape());

    /// Turns a shape counted in tiles into one counted in numbers.
    ::llvm::SmallVector<int64_t>
    getScalarShape(::llvm::SmallVector<int64_t> tiledShape) const;
    /// Turns a shape counted in numbers into one counted in tiles, rounded up.
    ::llvm::SmallVector<int64_t>
    getTiledShape(::llvm::SmallVector<int64_t> scalarShape) const;

    /// Bytes of one tile in memory, shared exponents included.
    uint64_t getSizeBytes() const;
    int64_t getHeight() const { return getShape()[0]; }
    int64_t getWidth() const { return getShape()[1]; }

    /// Type of one number. Block formats have no such builtin type and give
    /// the tile itself, in its default shape.
    ::mlir::Type getElementType() const;
    const ::llvm::fltSemantics &getFloatSemantics();

    TileType cloneWith(std::optional<::llvm::ArrayRef<int64_t>> shape,
                       ::mlir::Type elementType) const;
    bool hasRank() const { return true; }
    int64_t getRank() const { return 2; }
    bool hasStaticShape() const { return true; }
    int64_t getNumElements() const { return getHeight() * getWidth(); }
  }];
}

def TTCore_DictType : TTCore_Type<"Dict", "dict"> {
  let summary = "dictionary of values by string or number";
}

def TTCore_Tuple : NestedTupleOf<[AnyRankedTensor]>;
def TTCore_TupleMemberType : AnyTypeOf<[AnyRankedTensor]>;

#endif // TTMLIR_DIALECT_TTCORE_IR_TTCOREOPSTYPES_TD
