// SPDX-License-Identifier: Apache-2.0
// The ttnn dialect: registration, types, and the names of attribute aliases.

#include "ttmlir/Dialect/TTNN/IR/TTNN.h"

#include "ttmlir/Dialect/TTCore/IR/OpenDialect.h"
#include "ttmlir/Dialect/TTCore/IR/TTCore.h"
#include "ttmlir/Dialect/TTNN/IR/TTNNOps.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

#include "ttmlir/Dialect/TTNN/IR/TTNNOpsDialect.cpp.inc"

using namespace mlir;
using namespace mlir::tt;
using namespace mlir::tt::ttnn;

#define GET_TYPEDEF_CLASSES
#include "ttmlir/Dialect/TTNN/IR/TTNNOpsTypes.cpp.inc"

namespace {

/// Gives aliases the names tt-mlir gives them, so that text it printed comes
/// out unchanged.
struct TTNNAliases : public OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    if (isa<TTNNLayoutAttr>(attr))
      os << "ttnn_layout";
    else if (auto buffer = dyn_cast<BufferTypeAttr>(attr))
      os << stringifyEnum(buffer.getValue());
    else
      return AliasResult::NoAlias;
    return AliasResult::OverridableAlias;
  }
};

} // namespace

void TTNNDialect::initialize() {
  ttcore::addOpenOperations<
#define GET_OP_LIST
#include "ttmlir/Dialect/TTNN/IR/TTNNOps.cpp.inc"
      >(*this);
  registerAttributes();
  registerTypes();
  addInterfaces<TTNNAliases>();
  allowUnknownOperations();
}

void TTNNDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "ttmlir/Dialect/TTNN/IR/TTNNOpsTypes.cpp.inc"
      >();
}

Type TTNNDialect::parseType(DialectAsmParser &parser) const {
  return ttcore::parseOpenType(
      parser, *this, [&](StringRef *mnemonic, Type &result) {
        return generatedTypeParser(parser, mnemonic, result);
      });
}

void TTNNDialect::printType(Type type, DialectAsmPrinter &printer) const {
  if (failed(generatedTypePrinter(type, printer)))
    llvm_unreachable("every ttnn type has a generated printer");
}
