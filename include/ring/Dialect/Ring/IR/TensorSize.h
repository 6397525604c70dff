// SPDX-License-Identifier: Apache-2.0
// How much memory a tensor takes on a device.

#ifndef RING_DIALECT_RING_IR_TENSORSIZE_H
#define RING_DIALECT_RING_IR_TENSORSIZE_H

#include "mlir/IR/BuiltinTypes.h"

namespace mlir::ring {

/// Bytes of a tensor. Elements that are not plain numbers (device tiles) count
/// by the data format that their type's text names.
int64_t sizeInBytes(RankedTensorType type);

/// Bytes of a tile of 1024 elements.
inline double tileBytesOf(Type elementType) {
  return static_cast<double>(
      sizeInBytes(RankedTensorType::get({32, 32}, elementType)));
}

} // namespace mlir::ring

#endif // RING_DIALECT_RING_IR_TENSORSIZE_H
