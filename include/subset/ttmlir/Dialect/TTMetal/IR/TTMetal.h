// SPDX-License-Identifier: Apache-2.0
// The ttmetal dialect class.
#ifndef TTMLIR_DIALECT_TTMETAL_IR_TTMETAL_H
#define TTMLIR_DIALECT_TTMETAL_IR_TTMETAL_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"

#include "ttmlir/Dialect/TTMetal/IR/TTMetalOpsDialect.h.inc"

#endif // TTMLIR_DIALECT_TTMETAL_IR_TTMETAL_H
