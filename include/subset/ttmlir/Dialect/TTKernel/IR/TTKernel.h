// SPDX-License-Identifier: Apache-2.0
// The ttkernel dialect: what kernels call on a core. Nothing of it is defined
// here; its ops, attributes and types, as programs of kernels have them, pass
// through unchanged.
#ifndef TTMLIR_DIALECT_TTKERNEL_IR_TTKERNEL_H
#define TTMLIR_DIALECT_TTKERNEL_IR_TTKERNEL_H

#include "mlir/IR/Dialect.h"

namespace mlir::tt::ttkernel {

class TTKernelDialect : public Dialect {
public:
  explicit TTKernelDialect(MLIRContext *context);
  static constexpr StringLiteral getDialectNamespace() { return "ttkernel"; }

  Attribute parseAttribute(DialectAsmParser &parser, Type type) const override;
  Type parseType(DialectAsmParser &parser) const override;
};

} // namespace mlir::tt::ttkernel

MLIR_DECLARE_EXPLICIT_TYPE_ID(::mlir::tt::ttkernel::TTKernelDialect)

#endif // TTMLIR_DIALECT_TTKERNEL_IR_TTKERNEL_H
