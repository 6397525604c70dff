// SPDX-License-Identifier: Apache-2.0
// Our kernels as functions of the ttmetal dialect.

#ifndef RING_LIB_CONVERSION_LAUNCH_METALKERNELS_H
#define RING_LIB_CONVERSION_LAUNCH_METALKERNELS_H

#include "LaunchProgram.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::ring {

/// Where kernels find what is no argument of theirs.
struct MetalAddresses {
  int64_t words = 0;
  int64_t semaphores = 0;
};

/// Writes the kernels of a launch into the module, and gives what
/// `enqueue_program` says of them. `operandOf` is the operand of each buffer.
FailureOr<ArrayAttr> metalKernels(LaunchOp launch, const LaunchProgram &program,
                                  ArrayRef<unsigned> operandOf,
                                  MetalAddresses addresses,
                                  SymbolTable &symbols);

} // namespace mlir::ring

#endif // RING_LIB_CONVERSION_LAUNCH_METALKERNELS_H
