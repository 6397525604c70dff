// SPDX-License-Identifier: Apache-2.0
// The ttir dialect itself and the base classes of its ops.
#ifndef TTMLIR_DIALECT_TTIR_IR_TTIRBASE_TD
#define TTMLIR_DIALECT_TTIR_IR_TTIRBASE_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TTIR_Dialect : Dialect {
  let name = "ttir";
  let cppNamespace = "::mlir::tt::ttir";
  let summary = "tensor programs before a backend is chosen";
  let description = [{
    What a front end produces and where ring-mlir reads attention from and
    writes it back to. An open subset of tt-mlir's dialect of the same name:
    ops, attributes and types that are not defined here pass through unchanged.
  }];
  let dependentDialects = ["::mlir::tt::ttcore::TTCoreDialect"];

  let useDefaultAttributePrinterParser = 0;
  let useDefaultTypePrinterParser = 0;
  let extraClassDeclaration = [{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    ::mlir::Type parseType(::mlir::DialectAsmParser &parser) const override;
  }];
}

class TTIR_Op<string mnemonic, list<Trait> traits = []>
    : Op<TTIR_Dialect, mnemonic, traits>;

/// An op on whole tensors without side effects.
class TTIR_NamedOp<string mnemonic, list<Trait> traits = []>
    : TTIR_Op<mnemonic, [Pure] # traits> {
  let results = (outs AnyRankedTensor:$result);
}

def AnyRankedTensorOrMemRef
    : AnyTypeOf<[AnyRankedTensor, AnyNon0RankedMemRef]>;

/// A scalar that fills or bounds a tensor.
def TTIR_ScalarAttr : AnyAttrOf<[F32Attr, I32Attr]>;

#endif // TTMLIR_DIALECT_TTIR_IR_TTIRBASE_TD
