// SPDX-License-Identifier: Apache-2.0
// What --explain prints: what the planner would choose from, as the passes of
// the command line would ask it.

#ifndef RING_TOOLS_RING_RUN_EXPLANATION_H
#define RING_TOOLS_RING_RUN_EXPLANATION_H

#include "Options.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

namespace mlir::ring {

/// Runs those of `passes` that come before planning, then prints a table for
/// every attention, with the options that planning would have had.
LogicalResult explain(ModuleOp module, PassManager &passes,
                      const Options &options);

/// The error about a module in which nothing is to be planned: it has no
/// attention, or one that names no mesh axis. `purpose` is what it is wanted
/// for, `hint` how it comes to name one.
InFlightDiagnostic emitNoAttention(ModuleOp module, StringRef purpose,
                                   StringRef hint);

} // namespace mlir::ring

#endif // RING_TOOLS_RING_RUN_EXPLANATION_H
