// SPDX-License-Identifier: Apache-2.0
// The ttcore dialect itself and the base class of its ops.
#ifndef TTMLIR_DIALECT_TTCORE_IR_TTCOREBASE_TD
#define TTMLIR_DIALECT_TTCORE_IR_TTCOREBASE_TD

include "mlir/IR/OpBase.td"

def TTCore_Dialect : Dialect {
  let name = "ttcore";
  let cppNamespace = "::mlir::tt::ttcore";
  let summary = "types, attributes and ops that all TT dialects share";
  let description = [{
    What a program says about the machine it is for (device, grid, mesh,
    tiles) and about its own shape (device and CPU modules, cached results,
    composites). An open subset of tt-mlir's dialect of the same name: what is
    not defined here passes through unchanged.
  }];

  // Parsing is ours, not the default, because unknown attributes and types
  // have to be kept rather than rejected.
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

class TTCore_Op<string mnemonic, list<Trait> traits = []>
    : Op<TTCore_Dialect, mnemonic, traits>;

#endif // TTMLIR_DIALECT_TTCORE_IR_TTCOREBASE_TD
