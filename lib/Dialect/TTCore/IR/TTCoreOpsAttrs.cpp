// SPDX-License-Identifier: Apache-2.0
// Attributes of ttcore: builders, verifiers, parsing and printing.

#include "ttmlir/Dialect/TTCore/IR/DimensionListFormat.h"
#include "ttmlir/Dialect/TTCore/IR/OpenDialect.h"
#include "ttmlir/Dialect/TTCore/IR/TTCore.h"
#include "ttmlir/Dialect/TTCore/IR/TTCoreOpsTypes.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tt::ttcore;

#include "ttmlir/Dialect/TTCore/IR/TTCoreOpsEnums.cpp.inc"

namespace mlir::tt::ttcore {

/// Prints a core as `(row,column)`.
static void printCoordBracketStyle(AsmPrinter &printer, CoreCoordAttr coord) {
  printer << "(" << coord.getY() << "," << coord.getX() << ")";
}

static ParseResult parseCoordBracketStyle(AsmParser &parser,
                                          CoreCoordAttr &coord) {
  int64_t y, x;
  if (parser.parseLParen() || parser.parseInteger(y) || parser.parseComma() ||
      parser.parseInteger(x) || parser.parseRParen())
    return failure();
  coord = CoreCoordAttr::get(parser.getContext(), y, x);
  return success();
}

} // namespace mlir::tt::ttcore

#define GET_ATTRDEF_CLASSES
#include "ttmlir/Dialect/TTCore/IR/TTCoreOpsAttrDefs.cpp.inc"

//===----------------------------------------------------------------------===//
// Builders and queries
//===----------------------------------------------------------------------===//

GridAttr GridAttr::get(MLIRContext *context) { return get(context, {1, 1}); }

GridAttr GridAttr::get(MLIRContext *context, ArrayRef<int64_t> shape) {
  return get(context, shape, AffineMap::get(context), AffineMap::get(context));
}

GridAttr GridAttr::get(MLIRContext *context, int64_t rank) {
  return get(context, SmallVector<int64_t>(rank, 1));
}

uint64_t GridAttr::getGridVolume() const {
  uint64_t volume = 1;
  for (int64_t dim : getShape())
    volume *= dim;
  return volume;
}

MeshAttr MeshesAttr::getMesh(StringRef name) {
  for (MeshAttr mesh : getMeshes())
    if (mesh.getName() == name)
      return mesh;
  return nullptr;
}

TensorMeshAttr TensorMeshAttr::get(MLIRContext *context, StringRef name) {
  return get(context, StringAttr::get(context, name));
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult
CoreRangeAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      CoreCoordAttr start, CoreCoordAttr end) {
  for (CoreCoordAttr coord : {start, end})
    if (coord.getY() < 0 || coord.getX() < 0) // C1
      return emitError() << "expects no negative core coordinate, but got ("
                         << coord.getY() << "," << coord.getX() << ")";
  if (start.getY() > end.getY() || start.getX() > end.getX()) // C2
    return emitError() << "expects the range to end at or after ("
                       << start.getY() << "," << start.getX() << "), but got ("
                       << end.getY() << "," << end.getX() << ")";
  return success();
}

LogicalResult DeviceAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 GridAttr workerGrid, GridAttr dramGrid,
                                 AffineMap l1Map, AffineMap dramMap,
                                 ArrayRef<int64_t> meshShape,
                                 ArrayRef<unsigned> chipIds,
                                 ArrayRef<Topology> meshTopology) {
  if (chipIds.empty()) // C1
    return emitError() << "expects at least one chip, but got none";
  int64_t places = 1;
  for (int64_t dim : meshShape)
    places *= dim;
  if (static_cast<int64_t>(chipIds.size()) != places) // C2
    return emitError() << "expects " << places
                       << " chip ids, one for each place of the mesh, but got "
                       << chipIds.size();
  for (int64_t dim : workerGrid.getShape())
    if (dim <= 0) // C3
      return emitError() << "expects positive worker grid dimensions, but got "
                         << dim;
  if (!meshTopology.empty() && meshTopology.size() != meshShape.size()) // C4
    return emitError() << "expects a topology for each of the "
                       << meshShape.size() << " mesh axes, but got "
                       << meshTopology.size();
  return success();
}

//===----------------------------------------------------------------------===//
// Registration, parsing and printing
//===----------------------------------------------------------------------===//

void TTCoreDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ttmlir/Dialect/TTCore/IR/TTCoreOpsAttrDefs.cpp.inc"
      >();
}

Attribute TTCoreDialect::parseAttribute(DialectAsmParser &parser,
                                        Type type) const {
  return parseOpenAttribute(
      parser, type, *this, [&](StringRef *mnemonic, Attribute &result) {
        return generatedAttributeParser(parser, mnemonic, type, result);
      });
}

void TTCoreDialect::printAttribute(Attribute attr,
                                   DialectAsmPrinter &printer) const {
  if (failed(generatedAttributePrinter(attr, printer)))
    llvm_unreachable("every ttcore attribute has a generated printer");
}
