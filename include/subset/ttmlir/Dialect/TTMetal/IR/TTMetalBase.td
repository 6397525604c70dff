// SPDX-License-Identifier: Apache-2.0
// The ttmetal dialect itself and the base class of its ops.
#ifndef TTMLIR_DIALECT_TTMETAL_IR_TTMETALBASE_TD
#define TTMLIR_DIALECT_TTMETAL_IR_TTMETALBASE_TD

include "mlir/IR/OpBase.td"

def TTMetal_Dialect : Dialect {
  let name = "ttmetal";
  let cppNamespace = "::mlir::tt::ttmetal";
  let summary = "commands of the TTMetal host API";
  let description = [{
    What a host queues on a device: buffers, semaphores and programs made of
    kernels. An open subset of tt-mlir's dialect of the same name: ops,
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
  }];
}

class TTMetal_Op<string mnemonic, list<Trait> traits = []>
    : Op<TTMetal_Dialect, mnemonic, traits>;

#endif // TTMLIR_DIALECT_TTMETAL_IR_TTMETALBASE_TD
