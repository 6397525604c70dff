// SPDX-License-Identifier: Apache-2.0
// The ttcore dialect: registration, and the names of attribute aliases.

#include "ttmlir/Dialect/TTCore/IR/TTCore.h"

#include "ttmlir/Dialect/TTCore/IR/OpenDialect.h"
#include "ttmlir/Dialect/TTCore/IR/TTCoreOps.h"

#include "ttmlir/Dialect/TTCore/IR/TTCoreOpsDialect.cpp.inc"

using namespace mlir;
using namespace mlir::tt::ttcore;

namespace {

/// Gives aliases the names tt-mlir gives them, so that text it printed comes
/// out unchanged.
struct TTCoreAliases : public OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    if (auto space = dyn_cast<MemorySpaceAttr>(attr))
      os << stringifyEnum(space.getValue());
    else if (auto iterator = dyn_cast<IteratorTypeAttr>(attr))
      os << stringifyEnum(iterator.getValue());
    else if (isKeptAttribute(attr, "ttcore", "metal_layout"))
      os << "layout";
    else if (isKeptAttribute(attr, "ttcore", "system_desc"))
      os << "system_desc";
    else
      return AliasResult::NoAlias;
    return AliasResult::OverridableAlias;
  }
};

} // namespace

void TTCoreDialect::initialize() {
  addOpenOperations<
#define GET_OP_LIST
#include "ttmlir/Dialect/TTCore/IR/TTCoreOps.cpp.inc"
      >(*this);
  registerAttributes();
  registerTypes();
  addInterfaces<TTCoreAliases>();
  allowUnknownOperations();
}
