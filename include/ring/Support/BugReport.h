// SPDX-License-Identifier: Apache-2.0
// What a tool says when it crashes: LLVM's own words would send our users to
// LLVM's developers.

#ifndef RING_SUPPORT_BUGREPORT_H
#define RING_SUPPORT_BUGREPORT_H

#include "llvm/Support/PrettyStackTrace.h"

namespace mlir::ring {

/// Has a crash ask for a report to us. Every tool's main calls it first.
inline void askForBugReports() {
  llvm::setBugReportMsg(
      "This is a bug of ring-mlir. Please report it to ring-mlir, with the "
      "input file, the command line and what is printed below.\n");
}

} // namespace mlir::ring

#endif // RING_SUPPORT_BUGREPORT_H
