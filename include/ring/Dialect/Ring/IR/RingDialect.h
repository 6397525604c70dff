// SPDX-License-Identifier: Apache-2.0
// The ring dialect: attention whose sequence is distributed over a mesh.

#ifndef RING_DIALECT_RING_IR_RINGDIALECT_H
#define RING_DIALECT_RING_IR_RINGDIALECT_H

#include "mlir/IR/Dialect.h"

#include "ring/Dialect/Ring/IR/RingDialect.h.inc"

#endif // RING_DIALECT_RING_IR_RINGDIALECT_H
