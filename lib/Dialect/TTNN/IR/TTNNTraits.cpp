// SPDX-License-Identifier: Apache-2.0
// Verifiers of traits of ttnn ops.

#include "ttmlir/Dialect/TTNN/IR/TTNNTraits.h"

using namespace mlir;
using namespace mlir::tt;

LogicalResult mlir::tt::ttnn::verifyTileTypes(Operation *op) {
  for (Type type : op->getResultTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !isa<ttcore::TileType>(tensor.getElementType()))
      continue;
    auto layout = dyn_cast_or_null<TTNNLayoutAttr>(tensor.getEncoding());
    if (!layout)
      continue;
    if (Type stored = layout.getScalarElementType();
        stored != tensor.getElementType())
      return op->emitOpError() << "expects a result of element type " << stored
                               << ", which its layout stores, but got "
                               << tensor.getElementType();
  }
  return success();
}
