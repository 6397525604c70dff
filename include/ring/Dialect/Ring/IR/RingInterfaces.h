// SPDX-License-Identifier: Apache-2.0
// What passes may ask of ops that attend and of ops that move data.

#ifndef RING_DIALECT_RING_IR_RINGINTERFACES_H
#define RING_DIALECT_RING_IR_RINGINTERFACES_H

#include "mlir/IR/OpDefinition.h"
#include "ring/Dialect/Ring/IR/RingAttrs.h"

#include "ring/Dialect/Ring/IR/RingOpInterfaces.h.inc"

#endif // RING_DIALECT_RING_IR_RINGINTERFACES_H
