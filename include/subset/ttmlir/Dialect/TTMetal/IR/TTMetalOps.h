// SPDX-License-Identifier: Apache-2.0
// The op classes of ttmetal.
#ifndef TTMLIR_DIALECT_TTMETAL_IR_TTMETALOPS_H
#define TTMLIR_DIALECT_TTMETAL_IR_TTMETALOPS_H

#include "ttmlir/Dialect/TTCore/IR/TTCoreOpsTypes.h"
#include "ttmlir/Dialect/TTMetal/IR/TTMetal.h"
#include "ttmlir/Dialect/TTMetal/IR/TTMetalOpsTypes.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "ttmlir/Dialect/TTMetal/IR/TTMetalOps.h.inc"

#endif // TTMLIR_DIALECT_TTMETAL_IR_TTMETALOPS_H
