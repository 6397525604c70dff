// SPDX-License-Identifier: Apache-2.0
// Attributes and enumerations of ttnn.
#ifndef TTMLIR_DIALECT_TTNN_IR_TTNNOPSATTRS_H
#define TTMLIR_DIALECT_TTNN_IR_TTNNOPSATTRS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "ttmlir/Dialect/TTCore/IR/TTCoreOpsTypes.h"
#include "ttmlir/Dialect/TTNN/IR/TTNN.h"

#include "ttmlir/Dialect/TTNN/IR/TTNNOpsEnums.h.inc"

namespace mlir::tt::ttnn {

inline bool isSystemBufferType(BufferType type) {
  return type == BufferType::SystemMemory;
}

inline bool isL1BufferType(BufferType type) {
  return type == BufferType::L1 || type == BufferType::L1Small;
}

inline bool isDRAMBufferType(BufferType type) {
  return type == BufferType::DRAM;
}

inline bool isDeviceBufferType(BufferType type) {
  return isL1BufferType(type) || isDRAMBufferType(type);
}

inline bool isShardedMemoryLayout(TensorMemoryLayout layout) {
  return layout == TensorMemoryLayout::HeightSharded ||
         layout == TensorMemoryLayout::WidthSharded ||
         layout == TensorMemoryLayout::BlockSharded;
}

} // namespace mlir::tt::ttnn

#define GET_ATTRDEF_CLASSES
#include "ttmlir/Dialect/TTNN/IR/TTNNOpsAttrDefs.h.inc"

#endif // TTMLIR_DIALECT_TTNN_IR_TTNNOPSATTRS_H
