// SPDX-License-Identifier: Apache-2.0
// Types of the ring dialect.

#ifndef RING_DIALECT_RING_IR_RINGTYPES_H
#define RING_DIALECT_RING_IR_RINGTYPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "ring/Dialect/Ring/IR/RingDialect.h"

#define GET_TYPEDEF_CLASSES
#include "ring/Dialect/Ring/IR/RingTypes.h.inc"

#endif // RING_DIALECT_RING_IR_RINGTYPES_H
