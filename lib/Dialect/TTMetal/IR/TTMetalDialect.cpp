// SPDX-License-Identifier: Apache-2.0
// The ttmetal dialect: registration, parsing and printing.

#include "ttmlir/Dialect/TTMetal/IR/TTMetal.h"

#include "ttmlir/Dialect/TTCore/IR/DimensionListFormat.h"
#include "ttmlir/Dialect/TTCore/IR/OpenDialect.h"
#include "ttmlir/Dialect/TTCore/IR/TTCore.h"
#include "ttmlir/Dialect/TTMetal/IR/TTMetalOps.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tt;
using namespace mlir::tt::ttmetal;

#include "ttmlir/Dialect/TTMetal/IR/TTMetalOpsDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "ttmlir/Dialect/TTMetal/IR/TTMetalOpsAttrDefs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "ttmlir/Dialect/TTMetal/IR/TTMetalOpsTypes.cpp.inc"

#define GET_OP_CLASSES
#include "ttmlir/Dialect/TTMetal/IR/TTMetalOps.cpp.inc"

void TTMetalDialect::initialize() {
  ttcore::addOpenOperations<
#define GET_OP_LIST
#include "ttmlir/Dialect/TTMetal/IR/TTMetalOps.cpp.inc"
      >(*this);
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ttmlir/Dialect/TTMetal/IR/TTMetalOpsAttrDefs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "ttmlir/Dialect/TTMetal/IR/TTMetalOpsTypes.cpp.inc"
      >();
  allowUnknownOperations();
}

Attribute TTMetalDialect::parseAttribute(DialectAsmParser &parser,
                                         Type type) const {
  return ttcore::parseOpenAttribute(
      parser, type, *this, [&](StringRef *mnemonic, Attribute &result) {
        return generatedAttributeParser(parser, mnemonic, type, result);
      });
}

void TTMetalDialect::printAttribute(Attribute attr,
                                    DialectAsmPrinter &printer) const {
  if (failed(generatedAttributePrinter(attr, printer)))
    llvm_unreachable("every ttmetal attribute has a generated printer");
}

Type TTMetalDialect::parseType(DialectAsmParser &parser) const {
  return ttcore::parseOpenType(
      parser, *this, [&](StringRef *mnemonic, Type &result) {
        return generatedTypeParser(parser, mnemonic, result);
      });
}

void TTMetalDialect::printType(Type type, DialectAsmPrinter &printer) const {
  if (failed(generatedTypePrinter(type, printer)))
    llvm_unreachable("every ttmetal type has a generated printer");
}
