// SPDX-License-Identifier: Apache-2.0
// From TTNN to a Python script that runs it with ttnn: what takes a fused
// attention to a device today, since no TTNN op stands for it.

#ifndef RING_TARGET_PYTHON_H
#define RING_TARGET_PYTHON_H

#include "mlir/IR/BuiltinOps.h"
#include "ring/Target/HostOptions.h"

namespace mlir::ring {

/// Writes the public functions of `module`, which is in TTNN, and a main that
/// runs and checks them. A fused attention becomes a call of the device op; an
/// op that ttnn has no call for is an error at its location.
LogicalResult translateToPython(ModuleOp module, raw_ostream &output,
                                const HostOptions &options = {});

/// Registers `--mlir-to-python` with ring-translate.
void registerToPythonTranslation();

} // namespace mlir::ring

#endif // RING_TARGET_PYTHON_H
