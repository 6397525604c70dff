// SPDX-License-Identifier: Apache-2.0
// The ttnn dialect itself and the base classes of its ops.
#ifndef TTMLIR_DIALECT_TTNN_IR_TTNNBASE_TD
#define TTMLIR_DIALECT_TTNN_IR_TTNNBASE_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TTNN_Dialect : Dialect {
  let name = "ttnn";
  let cppNamespace = "::mlir::tt::ttnn";
  let summary = "calls of the TTNN library";
  let description = [{
    Each op is one library call on tensors whose encoding says where and how
    they are stored; data type, memory configuration and page layout follow
    from it. An open subset of tt-mlir's dialect of the same name: ops,
    attributes and types that are not defined here pass through unchanged.
  }];
  let dependentDialects = ["::mlir::tt::ttcore::TTCoreDialect"];

  let useDefaultAttributePrinterParser = 0;
  let useDefaultTypePrinterParser = 0;
  let extraClassDeclaration = [{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attr,
                        ::mlir::DialectAsmPrinter &printer) const override;
    ::mlir::Type parseType(::mlir::DialectAsmParser &parser) const override;
    void printType(::mlir::Type type,
                   ::mlir::DialectAsmPrinter &printer) const override;

    void registerAttributes();
    void registerTypes();
  }];
}

/// Constraint of every op on tensors of tiles:
/// - the element type of a result agrees with that of its layout
def TTNN_CheckTileType : NativeOpTrait<"CheckTileTypeTrait"> {
  let cppNamespace = "::mlir::tt::ttnn";
}

/// A library call without side effects.
class TTNN_Op<string mnemonic, list<Trait> traits = []>
    : Op<TTNN_Dialect, mnemonic, [Pure, TTNN_CheckTileType] # traits>;

/// The same with one tensor as result, as most have.
class TTNN_TensorOp<string mnemonic, list<Trait> traits = []>
    : TTNN_Op<mnemonic, traits> {
  let results = (outs AnyRankedTensor:$result);
}

/// A scalar that fills, bounds or raises a tensor.
def TTNN_ScalarAttr : AnyAttrOf<[F32Attr, I32Attr]>;

#endif // TTMLIR_DIALECT_TTNN_IR_TTNNBASE_TD
