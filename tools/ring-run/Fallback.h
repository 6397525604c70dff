// SPDX-License-Identifier: Apache-2.0
// What ring-run --fallback does when a plan does not fit a device: the same
// attention is planned again, in the order of the planner, and what was dropped
// is said. Nothing else is substituted; if no plan fits, it is an error.

#ifndef RING_TOOLS_RING_RUN_FALLBACK_H
#define RING_TOOLS_RING_RUN_FALLBACK_H

#include "Options.h"
#include "PlanSections.h"
#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>
#include <vector>

namespace mlir::ring {

/// Whether the command line has something that can be planned again: one
/// ring-attention-pipeline, by flag, and no --bisect.
::ring::rt::Status checkFallback(const Options &options);

/// A run that fits its devices.
struct FittingRun {
  ::ring::rt::Program program;
  ::ring::rt::RunResult result;
};

/// Plans `original`, the module before any pass, again until a run fits. `why`
/// is what the runtime said of the plan that was asked for, and `planned` how
/// its largest attention was planned; afterwards, how it is planned in the run
/// that fits.
FailureOr<FittingRun>
runWithLessMemory(ModuleOp original, const Options &options,
                  const std::vector<::ring::rt::PortTensors> &inputs,
                  StringRef why, std::optional<PlannedExample> &planned);

} // namespace mlir::ring

#endif // RING_TOOLS_RING_RUN_FALLBACK_H
