// SPDX-License-Identifier: Apache-2.0
// Diagnostics of attempts, which may fail.

#ifndef RING_TOOLS_RING_RUN_QUIETERRORS_H
#define RING_TOOLS_RING_RUN_QUIETERRORS_H

#include "mlir/IR/Diagnostics.h"

namespace mlir::ring {

/// Keeps diagnostics to itself: a plan that cannot be had is no error of the
/// tool, and of one that is dropped a single line is enough.
class QuietErrors : public ScopedDiagnosticHandler {
public:
  explicit QuietErrors(MLIRContext *context)
      : ScopedDiagnosticHandler(context) {
    setHandler([this](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
          first.empty())
        first = diagnostic.str();
      return success();
    });
  }

  /// What went wrong first.
  std::string first;
};

} // namespace mlir::ring

#endif // RING_TOOLS_RING_RUN_QUIETERRORS_H
