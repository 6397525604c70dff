// SPDX-License-Identifier: Apache-2.0
// Pieces of printed form that attributes and types of the ring dialect share:
// the custom directives of their assembly formats.

#ifndef RING_LIB_DIALECT_RING_IR_ASSEMBLYFORMS_H
#define RING_LIB_DIALECT_RING_IR_ASSEMBLYFORMS_H

#include "mlir/IR/DialectImplementation.h"

namespace mlir::ring {

/// Parses a list of dimensions such as `8x4`; at least one.
inline ParseResult parseDimensions(AsmParser &parser,
                                   SmallVector<int64_t> &dimensions) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseDimensionList(dimensions, /*allowDynamic=*/false,
                                /*withTrailingX=*/false))
    return failure();
  if (dimensions.empty())
    return parser.emitError(loc, "expects dimensions such as 8x4");
  return success();
}

inline void printDimensions(AsmPrinter &printer, ArrayRef<int64_t> dimensions) {
  printer.printDimensionList(dimensions);
}

} // namespace mlir::ring

#endif // RING_LIB_DIALECT_RING_IR_ASSEMBLYFORMS_H
