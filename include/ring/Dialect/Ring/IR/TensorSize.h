// SPDX-License-Identifier: Apache-2.0
// How much memory a tensor takes on a device.

#ifndef RING_DIALECT_RING_IR_TENSORSIZE_H
#define RING_DIALECT_RING_IR_TENSORSIZE_H

#include "mlir/IR/BuiltinTypes.h"

namespace mlir::ring {

/// Bytes of a tensor. Elements that are not plain numbers (device tiles) count
/// by the data format that their type's text names.
int64_t sizeInBytes(RankedTensorType type);

} // namespace mlir::ring

#endif // RING_DIALECT_RING_IR_TENSORSIZE_H
