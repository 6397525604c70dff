// SPDX-License-Identifier: Apache-2.0
// A device program as the attribute of ttnn.generic.

#ifndef RING_LIB_CONVERSION_LAUNCH_GENERICPROGRAM_H
#define RING_LIB_CONVERSION_LAUNCH_GENERICPROGRAM_H

#include "LaunchProgram.h"

namespace mlir::ring {

/// `#ttnn.program` if all devices do the same by themselves, else
/// `#ttnn.mesh_program_descriptor`. `tensorOf` is the operand of each buffer;
/// semaphores follow the tensors. What tt-mlir would take although its runtime
/// stops at it is an error at the launch.
FailureOr<Attribute> genericProgram(LaunchOp launch,
                                    const LaunchProgram &program,
                                    ArrayRef<unsigned> tensorOf,
                                    int64_t numLinks);

} // namespace mlir::ring

#endif // RING_LIB_CONVERSION_LAUNCH_GENERICPROGRAM_H
