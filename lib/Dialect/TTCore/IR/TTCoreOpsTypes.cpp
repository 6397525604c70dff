// SPDX-License-Identifier: Apache-2.0
// Types of ttcore: the tile, parsing and printing.

#include "ttmlir/Dialect/TTCore/IR/TTCoreOpsTypes.h"

#include "ttmlir/Dialect/TTCore/IR/DimensionListFormat.h"
#include "ttmlir/Dialect/TTCore/IR/OpenDialect.h"
#include "ttmlir/Dialect/TTCore/IR/TTCore.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tt::ttcore;

#define GET_TYPEDEF_CLASSES
#include "ttmlir/Dialect/TTCore/IR/TTCoreOpsTypes.cpp.inc"

//===----------------------------------------------------------------------===//
// TileType
//===----------------------------------------------------------------------===//

LogicalResult TileType::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> shape, DataType) {
  if (shape.size() != 2) // C1
    return emitError() << "expects a tile of 2 dimensions, but got "
                       << shape.size();
  return success();
}

TileType TileType::get(Type elementType, ArrayRef<int64_t> shape) {
  return get(elementType.getContext(), shape,
             elementTypeToDataType(elementType));
}

SmallVector<int64_t>
TileType::getScalarShape(SmallVector<int64_t> tiledShape) const {
  assert(tiledShape.size() >= 2 && "a shape in tiles has two dimensions");
  tiledShape.end()[-2] *= getHeight();
  tiledShape.end()[-1] *= getWidth();
  return tiledShape;
}

SmallVector<int64_t>
TileType::getTiledShape(SmallVector<int64_t> scalarShape) const {
  assert(scalarShape.size() >= 2 && "only two dimensions can be tiled");
  scalarShape.end()[-2] = llvm::divideCeil(scalarShape.end()[-2], getHeight());
  scalarShape.end()[-1] = llvm::divideCeil(scalarShape.end()[-1], getWidth());
  return scalarShape;
}

Type TileType::getElementType() const {
  return dataTypeToElementType(getContext(), getDataType());
}

TileType TileType::cloneWith(std::optional<ArrayRef<int64_t>> shape,
                             Type elementType) const {
  return get(getContext(), shape.value_or(getShape()),
             elementTypeToDataType(elementType));
}

//===----------------------------------------------------------------------===//
// Registration, parsing and printing
//===----------------------------------------------------------------------===//

void TTCoreDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "ttmlir/Dialect/TTCore/IR/TTCoreOpsTypes.cpp.inc"
      >();
}

Type TTCoreDialect::parseType(DialectAsmParser &parser) const {
  return parseOpenType(parser, *this, [&](StringRef *mnemonic, Type &result) {
    return generatedTypeParser(parser, mnemonic, result);
  });
}

void TTCoreDialect::printType(Type type, DialectAsmPrinter &printer) const {
  if (failed(generatedTypePrinter(type, printer)))
    llvm_unreachable("every ttcore type has a generated printer");
}
