// SPDX-License-Identifier: Apache-2.0
// The ttcore dialect class.
#ifndef TTMLIR_DIALECT_TTCORE_IR_TTCORE_H
#define TTMLIR_DIALECT_TTCORE_IR_TTCORE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"

#include "ttmlir/Dialect/TTCore/IR/TTCoreOpsDialect.h.inc"

#endif // TTMLIR_DIALECT_TTCORE_IR_TTCORE_H
