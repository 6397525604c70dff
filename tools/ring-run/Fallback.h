// SPDX-License-Identifier: Apache-2.0
// What to do when a plan does not fit the memory of a device: take the
// planner's next one that does.

#ifndef RING_TOOLS_RING_RUN_FALLBACK_H
#define RING_TOOLS_RING_RUN_FALLBACK_H

#include "Options.h"
#include "mlir/IR/BuiltinOps.h"
#include "ring/Tooling/PlanWatcher.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace mlir::ring {

/// Whether the command line has something that can be planned again: passes,
/// and no --bisect.
::ring::rt::Status checkFallback(const Options &options);

/// A run that fits its devices.
struct FittingRun {
  ::ring::rt::Program program;
  ::ring::rt::RunResult result;
};

/// Runs the passes of the command line, the attentions planned as `request`
/// says and not as the options do.
using Recompile =
    std::function<LogicalResult(ModuleOp module, const PlanRequest &request,
                                std::optional<PlannedExample> &planned)>;

/// Plans `original`, the module before any pass, again until a run fits. `why`
/// is what the runtime said of the plan that was asked for, and `planned` how
/// its largest attention was planned; afterwards, how it is planned in the run
/// that fits.
FailureOr<FittingRun>
runWithLessMemory(ModuleOp original, const Options &options,
                  const Recompile &recompile,
                  const std::vector<::ring::rt::PortTensors> &inputs,
                  StringRef why, std::optional<PlannedExample> &planned);

} // namespace mlir::ring

#endif // RING_TOOLS_RING_RUN_FALLBACK_H
