// SPDX-License-Identifier: Apache-2.0
// The `2x4` notation for shapes and coordinates, which attributes and types of
// every TT dialect use in their assembly format.
#ifndef TTMLIR_DIALECT_TTCORE_IR_DIMENSIONLISTFORMAT_H
#define TTMLIR_DIALECT_TTCORE_IR_DIMENSIONLISTFORMAT_H

#include "mlir/IR/OpImplementation.h"

namespace mlir::tt {

/// Prints `shape` as `2x4`; nothing for a shape without dimensions.
inline void printDimensionList(AsmPrinter &printer, ArrayRef<int64_t> shape) {
  printer.printDimensionList(shape);
}

inline ParseResult parseDimensionList(AsmParser &parser,
                                      SmallVector<int64_t> &shape) {
  return parser.parseDimensionList(shape, /*allowDynamic=*/false,
                                   /*withTrailingX=*/false);
}

/// The same for a fixed number of dimensions that are parameters of their own.
template <typename... Dims>
void printVargDimensionList(AsmPrinter &printer, Dims... dims) {
  printer.printDimensionList({static_cast<int64_t>(dims)...});
}

template <typename... Dims>
ParseResult parseVargDimensionList(AsmParser &parser, Dims &...dims) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  if (parseDimensionList(parser, shape))
    return failure();
  if (shape.size() != sizeof...(Dims))
    return parser.emitError(loc) << "expects " << sizeof...(Dims)
                                 << " dimensions, but got " << shape.size();
  size_t next = 0;
  ((dims = shape[next++]), ...);
  return success();
}

} // namespace mlir::tt

#endif // TTMLIR_DIALECT_TTCORE_IR_DIMENSIONLISTFORMAT_H
