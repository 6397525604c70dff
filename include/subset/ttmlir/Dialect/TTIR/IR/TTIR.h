// SPDX-License-Identifier: Apache-2.0
// The ttir dialect class.
#ifndef TTMLIR_DIALECT_TTIR_IR_TTIR_H
#define TTMLIR_DIALECT_TTIR_IR_TTIR_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"

#include "ttmlir/Dialect/TTIR/IR/TTIROpsDialect.h.inc"

#endif // TTMLIR_DIALECT_TTIR_IR_TTIR_H
