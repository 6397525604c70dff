// SPDX-License-Identifier: Apache-2.0
// The ttkernel dialect: everything is kept as text.

#include "ttmlir/Dialect/TTKernel/IR/TTKernel.h"

#include "ttmlir/Dialect/TTCore/IR/OpenDialect.h"

using namespace mlir;
using namespace mlir::tt;
using namespace mlir::tt::ttkernel;

MLIR_DEFINE_EXPLICIT_TYPE_ID(::mlir::tt::ttkernel::TTKernelDialect)

TTKernelDialect::TTKernelDialect(MLIRContext *context)
    : Dialect(getDialectNamespace(), context, TypeID::get<TTKernelDialect>()) {
  allowUnknownOperations();
}

Attribute TTKernelDialect::parseAttribute(DialectAsmParser &parser,
                                          Type type) const {
  return ttcore::parseOpenAttribute(
      parser, type, *this,
      [](StringRef *, Attribute &) { return OptionalParseResult(); });
}

Type TTKernelDialect::parseType(DialectAsmParser &parser) const {
  return ttcore::parseOpenType(
      parser, *this, [](StringRef *, Type &) { return OptionalParseResult(); });
}
