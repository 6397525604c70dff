// SPDX-License-Identifier: Apache-2.0
// --sweep: the largest attention of a file, planned with other numbers of
// tokens and devices.

#ifndef RING_TOOLS_RING_RUN_SWEEPRUN_H
#define RING_TOOLS_RING_RUN_SWEEPRUN_H

#include "Options.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::ring {

/// Plans at every point, prints the table and writes it; how to end if that
/// cannot be had.
std::optional<int> runSweep(ModuleOp module, const Options &options,
                            std::optional<Sweep> &sweep);

} // namespace mlir::ring

#endif // RING_TOOLS_RING_RUN_SWEEPRUN_H
