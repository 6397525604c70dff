// SPDX-License-Identifier: Apache-2.0
// The encoding of ttnn tensors: what it says, and what it must not say.

#include "LayoutRules.h"
#include "ttmlir/Dialect/TTNN/IR/TTNNOpsAttrs.h"

using namespace mlir;
using namespace mlir::tt;
using namespace mlir::tt::ttnn;
using ttcore::TileType;

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult mlir::tt::ttnn::verifyBufferHasLayout(
    function_ref<InFlightDiagnostic()> emitError, BufferType bufferType,
    TensorMemoryLayoutAttr layout) {
  bool onHost = isSystemBufferType(bufferType);
  if (onHost == static_cast<bool>(layout))
    return emitError() << "expects " << (onHost ? "no" : "a")
                       << " memory layout for " << stringifyEnum(bufferType)
                       << ", but got "
                       << (layout ? stringifyEnum(layout.getValue()) : "none");
  if (bufferType == BufferType::DRAM &&
      layout.getValue() == TensorMemoryLayout::BlockSharded)
    return emitError() << "expects dram to be interleaved, height_sharded or "
                          "width_sharded, but got block_sharded";
  return success();
}

LogicalResult
TTNNLayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError, AffineMap,
                       ArrayRef<int64_t> gridShape, MemRefType memref,
                       TensorMemoryLayoutAttr memLayout, ttcore::TensorMeshAttr,
                       bool ignorePhysicalLayout,
                       CoreRangeSetAttr coreRangeSet) {
  auto space = dyn_cast_or_null<BufferTypeAttr>(memref.getMemorySpace());
  if (!space) // C1
    return emitError() << "expects the memref's memory space to be a "
                          "#ttnn.buffer_type, but got "
                       << memref;
  BufferType buffer = space.getValue();
  bool sharded = memLayout && isShardedMemoryLayout(memLayout.getValue());
  bool unitGrid =
      gridShape.size() == 2 && gridShape[0] == 1 && gridShape[1] == 1;
  if (!isL1BufferType(buffer) && !sharded && !unitGrid) { // C2
    InFlightDiagnostic diag = emitError();
    diag << "expects a grid of 1x1 for " << stringifyEnum(buffer)
         << ", but got ";
    llvm::interleave(gridShape, diag, "x");
    return diag;
  }
  if (failed(verifyBufferHasLayout(emitError, buffer, memLayout))) // C3, C4
    return failure();
  if (sharded && !coreRangeSet && !ignorePhysicalLayout) // C5
    return emitError() << "expects core_ranges for "
                       << stringifyEnum(memLayout.getValue())
                       << ", but got none";
  if (!sharded && coreRangeSet) // C5
    return emitError() << "expects no core_ranges for a layout that is not "
                          "sharded, but got "
                       << coreRangeSet;
  return success();
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

BufferType TTNNLayoutAttr::getBufferType() const {
  return cast<BufferTypeAttr>(getMemref().getMemorySpace()).getValue();
}

bool TTNNLayoutAttr::isTiled() const { return isa<TileType>(getElementType()); }

Layout TTNNLayoutAttr::getLayout() const {
  return isTiled() ? Layout::Tile : Layout::RowMajor;
}

bool TTNNLayoutAttr::isSystemBufferType() const {
  return ttnn::isSystemBufferType(getBufferType());
}

bool TTNNLayoutAttr::isDeviceBufferType() const {
  return ttnn::isDeviceBufferType(getBufferType());
}

bool TTNNLayoutAttr::hasDRAMBufferType() const {
  return isDRAMBufferType(getBufferType());
}

bool TTNNLayoutAttr::hasL1BufferType() const {
  return isL1BufferType(getBufferType());
}

std::optional<TensorMemoryLayout> TTNNLayoutAttr::getMemLayoutOpt() const {
  if (!getMemLayout())
    return std::nullopt;
  return getMemLayout().getValue();
}

bool TTNNLayoutAttr::hasShardedTensorMemoryLayout() const {
  return getMemLayout() && isShardedMemoryLayout(getMemLayout().getValue());
}

bool TTNNLayoutAttr::hasInterleavedDRAMTensorMemoryLayout() const {
  return hasDRAMBufferType() &&
         getMemLayoutOpt() == TensorMemoryLayout::Interleaved;
}

Type TTNNLayoutAttr::getElementType() const {
  return getMemref().getElementType();
}

Type TTNNLayoutAttr::getScalarElementType() const {
  if (auto tile = dyn_cast<TileType>(getElementType()))
    return tile.getElementType();
  return getElementType();
}

ttcore::DataType TTNNLayoutAttr::getDataType() const {
  return ttcore::getDataType(getElementType());
}

uint64_t TTNNLayoutAttr::getElementSizeBytes() const {
  return ttcore::getElementSizeBytes(getElementType());
}

SmallVector<int64_t> TTNNLayoutAttr::getShardShape() const {
  return SmallVector<int64_t>(getMemref().getShape());
}

SmallVector<int64_t> TTNNLayoutAttr::getScalarShardShape() const {
  if (auto tile = dyn_cast<TileType>(getElementType()))
    return tile.getScalarShape(getShardShape());
  return getShardShape();
}

uint64_t TTNNLayoutAttr::getShardSizeInBytes() const {
  uint64_t bytes = getElementSizeBytes();
  for (int64_t size : getMemref().getShape())
    bytes *= size;
  return bytes;
}
