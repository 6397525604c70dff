// SPDX-License-Identifier: Apache-2.0
// Derives the map and the memref of a ttnn layout from a tensor's shape and the
// place it should have.

#include "ttmlir/Dialect/TTNN/IR/TTNNOpsAttrs.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tt;
using namespace mlir::tt::ttnn;
using ttcore::TileType;
using LayoutBuilder = TTNNLayoutAttr::Builder;

LayoutBuilder::Builder(MLIRContext *context, ArrayRef<int64_t> tensorShape,
                       Type elementType)
    : context(context), tensorShape(tensorShape), elementType(elementType),
      bufferType(BufferType::DRAM),
      memLayout(TensorMemoryLayoutAttr::get(context,
                                            TensorMemoryLayout::Interleaved)),
      gridShape({1, 1}) {}

LayoutBuilder::Builder(TTNNLayoutAttr layout, ArrayRef<int64_t> tensorShape)
    : context(layout.getContext()), tensorShape(tensorShape),
      elementType(layout.getElementType()), bufferType(layout.getBufferType()),
      memLayout(layout.getMemLayout()), gridShape(layout.getGridShape()),
      coreRangeSet(layout.getCoreRangeSet()),
      tensorMesh(layout.getTensorMesh()),
      ignorePhysicalLayout(layout.getIgnorePhysicalLayout()) {}

LayoutBuilder::Builder(RankedTensorType type)
    : Builder(cast<TTNNLayoutAttr>(type.getEncoding()), type.getShape()) {}

LayoutBuilder &LayoutBuilder::setElementType(Type type) {
  elementType = type;
  return *this;
}

LayoutBuilder &LayoutBuilder::setLayout(Layout layout) {
  ttcore::DataType format = ttcore::getDataType(elementType);
  elementType =
      layout == Layout::Tile
          ? TileType::get(context, TileType::getDefaultShape(), format)
          : ttcore::dataTypeToElementType(context, format);
  return *this;
}

LayoutBuilder &LayoutBuilder::setBufferType(BufferType type) {
  // Cores are those of one kind of memory.
  if (type != bufferType)
    coreRangeSet = nullptr;
  bufferType = type;
  return *this;
}

LayoutBuilder &LayoutBuilder::setMemoryLayout(TensorMemoryLayoutAttr layout) {
  if (layout != memLayout)
    coreRangeSet = nullptr;
  memLayout = layout;
  return *this;
}

LayoutBuilder &LayoutBuilder::setMemoryLayout(TensorMemoryLayout layout) {
  return setMemoryLayout(TensorMemoryLayoutAttr::get(context, layout));
}

LayoutBuilder &LayoutBuilder::setGridShape(ArrayRef<int64_t> shape) {
  if (shape != ArrayRef<int64_t>(gridShape))
    coreRangeSet = nullptr;
  gridShape.assign(shape.begin(), shape.end());
  return *this;
}

LayoutBuilder &LayoutBuilder::setTensorMesh(ttcore::TensorMeshAttr mesh) {
  tensorMesh = mesh;
  return *this;
}

LayoutBuilder &LayoutBuilder::setCoreRangeSet(CoreRangeSetAttr cores) {
  coreRangeSet = cores;
  return *this;
}

LayoutBuilder &LayoutBuilder::setIgnorePhysicalLayout(bool ignore) {
  ignorePhysicalLayout = ignore;
  return *this;
}

/// Rounds the last two dimensions up to whole tiles: 1x8x500x100 becomes
/// 1x8x512x128.
static SmallVector<int64_t> padToTiles(ArrayRef<int64_t> shape, TileType tile) {
  SmallVector<int64_t> padded(shape);
  if (!padded.empty())
    padded.end()[-1] = llvm::alignTo(padded.end()[-1], tile.getWidth());
  if (padded.size() > 1)
    padded.end()[-2] = llvm::alignTo(padded.end()[-2], tile.getHeight());
  return padded;
}

/// The size of the plane that `linear` maps `shape` to: one more than where the
/// last number goes.
static SmallVector<int64_t> planeShape(AffineMap linear,
                                       ArrayRef<int64_t> shape) {
  if (llvm::is_contained(shape, 0))
    return SmallVector<int64_t>(linear.getNumResults(), 0);
  SmallVector<int64_t> last;
  for (int64_t size : shape)
    last.push_back(size - 1);
  SmallVector<int64_t> plane = linear.compose(last);
  for (int64_t &size : plane)
    ++size;
  return plane;
}

/// Worked example, tensor<1x8x512x128xbf16> in tiles of 32x32, DRAM
/// interleaved:
///   linear  (d0, d1, d2, d3) -> (d0 * 4096 + d1 * 512 + d2, d3)
///   plane   0 * 4096 + 7 * 512 + 511 + 1 = 4096 rows, 128 columns
///   memref  4096 / 32 = 128 by 128 / 32 = 4 tiles
TTNNLayoutAttr LayoutBuilder::build() {
  if (ttnn::isSystemBufferType(bufferType))
    memLayout = nullptr;
  bool interleaved =
      memLayout && memLayout.getValue() == TensorMemoryLayout::Interleaved;
  bool spread = memLayout && !(interleaved && isDRAMBufferType(bufferType));
  if (!spread)
    gridShape.assign({1, 1});

  auto tile = dyn_cast<TileType>(elementType);
  SmallVector<int64_t> shape =
      tile ? padToTiles(tensorShape, tile) : SmallVector<int64_t>(tensorShape);
  AffineMap linear =
      ttcore::collapsedLinearAffineMap(context, shape, gridShape, {{0, -1}});
  SmallVector<int64_t> share = planeShape(linear, shape);
  if (tile)
    share = tile.getTiledShape(share);

  if (spread && interleaved) {
    // Pages go round the cores of L1, so a share has no rows, only a number of
    // tiles or numbers: 512x512 in tiles on 8x8 cores is 256 / 64 = 1x4.
    int64_t pages = 1, cores = 1;
    for (int64_t size : share)
      pages *= size;
    for (int64_t size : gridShape)
      cores *= size;
    share.assign(gridShape.size(), 1);
    share.back() = llvm::divideCeil(pages, cores);
  } else if (spread) {
    for (auto [size, cores] : llvm::zip(share, gridShape))
      size = llvm::divideCeil(size, cores);
  }

  auto memref = MemRefType::get(share, elementType, MemRefLayoutAttrInterface(),
                                BufferTypeAttr::get(context, bufferType));
  return TTNNLayoutAttr::get(context, linear, gridShape, memref, memLayout,
                             tensorMesh, ignorePhysicalLayout, coreRangeSet);
}
