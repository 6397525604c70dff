// SPDX-License-Identifier: Apache-2.0
// Attributes of the ring dialect: registration and printed forms. Verifiers
// are in RingAttrVerifiers.cpp, the arithmetic of meshes and layouts in
// RingLayouts.cpp.

#include "ring/Dialect/Ring/IR/RingAttrs.h"
#include "AssemblyForms.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::ring {

/// Parses `[2048, 4096]`.
static ParseResult parseIntegerList(AsmParser &parser,
                                    SmallVector<int64_t> &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(values.emplace_back());
  });
}

static void printIntegerList(AsmPrinter &printer, ArrayRef<int64_t> values) {
  printer << '[';
  llvm::interleaveComma(values, printer);
  printer << ']';
}

/// Parses `[_, 1, 0, _]`: the mesh axis of each dimension, or none.
static ParseResult parseShardedAxes(AsmParser &parser,
                                    SmallVector<int64_t> &axes) {
  auto parseAxis = [&]() -> ParseResult {
    int64_t &axis = axes.emplace_back(ShardingAttr::kReplicated);
    if (succeeded(parser.parseOptionalKeyword("_")))
      return success();
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseInteger(axis))
      return failure();
    if (axis < 0)
      return parser.emitError(loc)
             << "expects a mesh axis or _, but got " << axis;
    return success();
  };
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        parseAxis);
}

static void printShardedAxes(AsmPrinter &printer, ArrayRef<int64_t> axes) {
  printer << '[';
  llvm::interleaveComma(axes, printer, [&](int64_t axis) {
    if (axis == ShardingAttr::kReplicated)
      printer << '_';
    else
      printer << axis;
  });
  printer << ']';
}

} // namespace mlir::ring

using namespace mlir;
using namespace mlir::ring;

#include "ring/Dialect/Ring/IR/RingAttrInterfaces.cpp.inc"
#include "ring/Dialect/Ring/IR/RingEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "ring/Dialect/Ring/IR/RingAttrs.cpp.inc"

namespace mlir::ring {

void RingDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ring/Dialect/Ring/IR/RingAttrs.cpp.inc"
      >();
}

} // namespace mlir::ring
