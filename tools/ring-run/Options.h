// SPDX-License-Identifier: Apache-2.0
// The command line of ring-run. Parsed by hand, since libLLVM has taken names
// such as --stats and --threads; what is not ours goes on to the pass flags.

#ifndef RING_TOOLS_RING_RUN_OPTIONS_H
#define RING_TOOLS_RING_RUN_OPTIONS_H

#include "ring-runtime/Runtime.h"

#include <string>
#include <vector>

namespace mlir::ring {

struct Options {
  std::string file = "-";
  std::string function;
  std::string pipeline;
  std::string mesh;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  uint64_t seed = 1;
  ::ring::rt::Distribution distribution = ::ring::rt::Distribution::Normal;
  bool check = false;
  bool bisect = false;
  bool dump = false;
  /// Plan again with less memory when a plan does not fit a device.
  bool fallback = false;
  /// Show what the planner would choose from, for which machine, and stop.
  bool explain = false;
  std::string explainMachine;
  bool help = false;
  std::string statistics;
  std::string trace;
  std::string report;
  /// Backend, memory and threads.
  ::ring::rt::RunOptions run;
  /// Flags that are left for the passes, the program's name first.
  std::vector<const char *> passFlags;

  /// Reads the command line; a message, or nothing when it is sound.
  std::string parse(int argc, char **argv);

private:
  /// What is asked for beside --bisect and cannot be had.
  std::string checkBisection() const;
};

/// The text of --help.
const char *helpText();

} // namespace mlir::ring

#endif // RING_TOOLS_RING_RUN_OPTIONS_H
