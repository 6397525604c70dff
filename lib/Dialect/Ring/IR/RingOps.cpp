// SPDX-License-Identifier: Apache-2.0
// Ops of the ring dialect: the generated parts and the printed forms that ODS
// cannot say. Verifiers and folds have files of their own.

#include "ring/Dialect/Ring/IR/RingOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::ring {

/// The types of operands whose results have the same types, said once.
static ParseResult parseSameTypes(OpAsmParser &parser,
                                  SmallVectorImpl<Type> &operands,
                                  SmallVectorImpl<Type> &results) {
  if (parser.parseTypeList(operands))
    return failure();
  results.assign(operands.begin(), operands.end());
  return success();
}

static void printSameTypes(OpAsmPrinter &printer, Operation *,
                           TypeRange operands, TypeRange) {
  printer << operands;
}

/// A list of parts without the attribute's full name: `[<source = -1, ...>]`.
static ParseResult parseParts(OpAsmParser &parser, ArrayAttr &parts) {
  SmallVector<Attribute> list;
  auto parsePart = [&]() -> ParseResult {
    PartAttr part;
    if (parser.parseCustomAttributeWithFallback(part))
      return failure();
    list.push_back(part);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parsePart))
    return failure();
  parts = parser.getBuilder().getArrayAttr(list);
  return success();
}

static void printParts(OpAsmPrinter &printer, Operation *, ArrayAttr parts) {
  printer << '[';
  llvm::interleaveComma(
      parts.getAsRange<PartAttr>(), printer,
      [&](PartAttr part) { printer.printStrippedAttrOrType(part); });
  printer << ']';
}

} // namespace mlir::ring

using namespace mlir;
using namespace mlir::ring;

#include "ring/Dialect/Ring/IR/RingOpInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "ring/Dialect/Ring/IR/RingOps.cpp.inc"
