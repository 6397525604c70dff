// SPDX-License-Identifier: Apache-2.0
// The rule about buffers that memory_config and ttnn_layout share.
#ifndef LIB_DIALECT_TTNN_IR_LAYOUTRULES_H
#define LIB_DIALECT_TTNN_IR_LAYOUTRULES_H

#include "ttmlir/Dialect/TTNN/IR/TTNNOpsAttrs.h"

namespace mlir::tt::ttnn {

/// System memory has no memory layout, every other buffer has one; and DRAM is
/// not block sharded.
LogicalResult
verifyBufferHasLayout(function_ref<InFlightDiagnostic()> emitError,
                      BufferType bufferType, TensorMemoryLayoutAttr layout);

} // namespace mlir::tt::ttnn

#endif // LIB_DIALECT_TTNN_IR_LAYOUTRULES_H
