// SPDX-License-Identifier: Apache-2.0
// The ttnn dialect class.
#ifndef TTMLIR_DIALECT_TTNN_IR_TTNN_H
#define TTMLIR_DIALECT_TTNN_IR_TTNN_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"

#include "ttmlir/Dialect/TTNN/IR/TTNNOpsDialect.h.inc"

#endif // TTMLIR_DIALECT_TTNN_IR_TTNN_H
