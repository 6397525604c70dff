// SPDX-License-Identifier: Apache-2.0
// The op classes of ttcore.
#ifndef TTMLIR_DIALECT_TTCORE_IR_TTCOREOPS_H
#define TTMLIR_DIALECT_TTCORE_IR_TTCOREOPS_H

#include "ttmlir/Dialect/TTCore/IR/TTCore.h"
#include "ttmlir/Dialect/TTCore/IR/TTCoreOpsTypes.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "ttmlir/Dialect/TTCore/IR/TTCoreOps.h.inc"

#endif // TTMLIR_DIALECT_TTCORE_IR_TTCOREOPS_H
