// SPDX-License-Identifier: Apache-2.0
// The storage that ring programs give their tensors. Header only, and written
// against what tt-mlir's own layout builder offers, so that it serves both the
// subset and a real tt-mlir.
#ifndef RING_SUPPORT_DRAMTILEDLAYOUT_H
#define RING_SUPPORT_DRAMTILEDLAYOUT_H

#include "ttmlir/Dialect/TTNN/IR/TTNNOpsAttrs.h"

namespace mlir::ring {

/// The layout of a tensor of `type`'s shape in 32x32 tiles, interleaved over
/// the banks of DRAM. For tensor<1x8x512x128xbf16>:
///   #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * 4096 + d1 * 512 + d2, d3),
///       <1x1>, memref<128x4x!ttcore.tile<32x32, bf16>, #dram>, <interleaved>>
/// The last two dimensions are rounded up to whole tiles first, so for
/// tensor<1x8x500x1xf32> the map is the same and the memref 128x1 tiles.
inline tt::ttnn::TTNNLayoutAttr dramTiledLayout(RankedTensorType type) {
  return tt::ttnn::TTNNLayoutAttr::Builder(
             type.getContext(), type.getShape(),
             tt::ttcore::TileType::get(type.getElementType()))
      .setBufferType(tt::ttnn::BufferType::DRAM)
      .setMemoryLayout(tt::ttnn::TensorMemoryLayout::Interleaved)
      .build();
}

/// `type` with that layout as its encoding.
inline RankedTensorType withDramTiledLayout(RankedTensorType type) {
  return RankedTensorType::get(type.getShape(), type.getElementType(),
                               dramTiledLayout(type));
}

} // namespace mlir::ring

#endif // RING_SUPPORT_DRAMTILEDLAYOUT_H
