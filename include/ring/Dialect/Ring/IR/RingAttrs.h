// SPDX-License-Identifier: Apache-2.0
// Attributes of the ring dialect and the enums and interfaces they build on.

#ifndef RING_DIALECT_RING_IR_RINGATTRS_H
#define RING_DIALECT_RING_IR_RINGATTRS_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectImplementation.h"
#include "ring/Dialect/Ring/IR/Positions.h"
#include "ring/Dialect/Ring/IR/RingDialect.h"

#include "ring/Dialect/Ring/IR/RingEnums.h.inc"

#include "ring/Dialect/Ring/IR/RingAttrInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ring/Dialect/Ring/IR/RingAttrs.h.inc"

namespace mlir::ring {

/// The name of the discardable attribute that asks for a distributed attention.
inline constexpr llvm::StringLiteral kParallelAttrName = "ring.parallel";

/// Larger meshes than this are a typing error, and the bound keeps products of
/// axes within an int64_t.
inline constexpr int64_t kMostDevices = int64_t{1} << 20;

} // namespace mlir::ring

#endif // RING_DIALECT_RING_IR_RINGATTRS_H
