// SPDX-License-Identifier: Apache-2.0
// The ttir dialect: registration. It has no attributes and types of its own, so
// it keeps all that it meets as text.

#include "ttmlir/Dialect/TTIR/IR/TTIR.h"

#include "ttmlir/Dialect/TTCore/IR/OpenDialect.h"
#include "ttmlir/Dialect/TTCore/IR/TTCore.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"

#include "ttmlir/Dialect/TTIR/IR/TTIROpsDialect.cpp.inc"

using namespace mlir;
using namespace mlir::tt;
using namespace mlir::tt::ttir;

void TTIRDialect::initialize() {
  ttcore::addOpenOperations<
#define GET_OP_LIST
#include "ttmlir/Dialect/TTIR/IR/TTIROps.cpp.inc"
      >(*this);
  allowUnknownOperations();
}

Attribute TTIRDialect::parseAttribute(DialectAsmParser &parser,
                                      Type type) const {
  return ttcore::parseOpenAttribute(
      parser, type, *this,
      [](StringRef *, Attribute &) { return OptionalParseResult(); });
}

Type TTIRDialect::parseType(DialectAsmParser &parser) const {
  return ttcore::parseOpenType(
      parser, *this, [](StringRef *, Type &) { return OptionalParseResult(); });
}
