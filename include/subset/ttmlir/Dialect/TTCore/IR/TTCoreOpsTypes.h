// SPDX-License-Identifier: Apache-2.0
// Types, attributes and enumerations of ttcore, and the conversions between
// MLIR's element types and the formats a device stores.
#ifndef TTMLIR_DIALECT_TTCORE_IR_TTCOREOPSTYPES_H
#define TTMLIR_DIALECT_TTCORE_IR_TTCOREOPSTYPES_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpImplementation.h"

#include <array>
#include <optional>

#include "ttmlir/Dialect/TTCore/IR/TTCoreOpsEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ttmlir/Dialect/TTCore/IR/TTCoreOpsAttrDefs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "ttmlir/Dialect/TTCore/IR/TTCoreOpsTypes.h.inc"

namespace mlir::tt::ttcore {

/// The format that stores numbers of `elementType`, or nothing if no device
/// format does. 64-bit numbers are stored in 32 bits, as on the device.
std::optional<DataType> elementTypeToDataTypeImpl(Type elementType);

/// The same where `elementType` is known to be storable.
DataType elementTypeToDataType(Type elementType);

/// The MLIR type of one number of `dataType`. Block formats, whose numbers
/// share exponents, have no such type and give a default tile instead.
Type dataTypeToElementType(MLIRContext *context, DataType dataType);

/// The format of `elementType`, be it a tile or a number.
DataType getDataType(Type elementType);

/// Bytes of one `elementType`, be it a tile or a number.
uint64_t getElementSizeBytes(Type elementType);

/// Maps a tensor's coordinates onto as many dimensions as `gridShape` has, by
/// joining the half-open `collapseIntervals` of dimensions in row-major order.
/// Negative bounds count from the end. For a 1x8x512x128 tensor, a 2-D grid
/// and the interval [0, -1):
///   (d0, d1, d2, d3) -> (d0 * 4096 + d1 * 512 + d2, d3)
AffineMap collapsedLinearAffineMap(
    MLIRContext *context, ArrayRef<int64_t> shape, ArrayRef<int64_t> gridShape,
    ArrayRef<std::pair<std::int64_t, std::int64_t>> collapseIntervals);

} // namespace mlir::tt::ttcore

#endif // TTMLIR_DIALECT_TTCORE_IR_TTCOREOPSTYPES_H
