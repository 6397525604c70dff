// SPDX-License-Identifier: Apache-2.0
// The options of host programs.

#include "HostCommandLine.h"
#include "llvm/Support/CommandLine.h"

namespace mlir::ring::host {

static llvm::cl::opt<int64_t> &scoreMebibytes() {
  static llvm::cl::opt<int64_t> option(
      "score-mebibytes",
      llvm::cl::desc("for host programs: the most that the scores of a block "
                     "take on a device, in MiB"),
      llvm::cl::init(HostOptions().scoreMebibytes));
  return option;
}

void addCommandLineOptions() { scoreMebibytes(); }

HostOptions commandLineOptions() {
  HostOptions options;
  options.scoreMebibytes = scoreMebibytes();
  return options;
}

} // namespace mlir::ring::host
