// SPDX-License-Identifier: Apache-2.0
// Rules of device programs that are made of kernels.

#ifndef RING_LIB_CONVERSION_DEVICERULES_KERNELPROGRAMS_H
#define RING_LIB_CONVERSION_DEVICERULES_KERNELPROGRAMS_H

#include "ttmlir/Dialect/TTMetal/IR/TTMetalOps.h"
#include "ttmlir/Dialect/TTNN/IR/TTNNOps.h"

namespace mlir::ring {

/// (D9) Semaphores that kernels name are operands; no device has two programs.
LogicalResult verifyProgram(tt::ttnn::GenericOp op);
/// (D10) Circular buffers that kernels name are operands.
LogicalResult verifyProgram(tt::ttmetal::EnqueueProgramOp op);

} // namespace mlir::ring

#endif // RING_LIB_CONVERSION_DEVICERULES_KERNELPROGRAMS_H
