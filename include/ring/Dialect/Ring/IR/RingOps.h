// SPDX-License-Identifier: Apache-2.0
// Ops of the ring dialect.

#ifndef RING_DIALECT_RING_IR_RINGOPS_H
#define RING_DIALECT_RING_IR_RINGOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "ring/Dialect/Ring/IR/RingInterfaces.h"
#include "ring/Dialect/Ring/IR/RingTypes.h"

#define GET_OP_CLASSES
#include "ring/Dialect/Ring/IR/RingOps.h.inc"

#endif // RING_DIALECT_RING_IR_RINGOPS_H
