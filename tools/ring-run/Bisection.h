// SPDX-License-Identifier: Apache-2.0
// ring-run --bisect: which pass first changed what a program computes.

#ifndef RING_TOOLS_RING_RUN_BISECTION_H
#define RING_TOOLS_RING_RUN_BISECTION_H

#include "Options.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "ring/Tooling/Execution.h"

namespace mlir::ring {

/// What a bisection found; it outlives the pass manager that has the
/// instrumentation.
struct BisectionResult {
  /// The first pass whose program does not run, or gives something else.
  std::string culprit;
  /// The first pass whose program needs more memory than a device may hold,
  /// which is no mistake of a pass; nothing after it has run.
  std::string shortage;
  /// False on the ranks of an MPI run that have no results and say nothing.
  bool speaks = true;
};

/// Runs what every pass leaves, of the module or of one function, and remembers
/// the first that went wrong. The context must not use threads.
class Bisection : public PassInstrumentation {
public:
  Bisection(const Reference &reference, const Options &options,
            BisectionResult &found)
      : reference(reference), options(options), found(found) {}

  void runAfterPass(Pass *pass, Operation *op) override;

private:
  const Reference &reference;
  const Options &options;
  BisectionResult &found;
  /// Whether there is nothing more to run.
  bool over = false;
};

} // namespace mlir::ring

#endif // RING_TOOLS_RING_RUN_BISECTION_H
