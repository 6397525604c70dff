// SPDX-License-Identifier: Apache-2.0
// The command line of ring-run: what all tools share, what belongs to
// compiling, and flags that go on to the passes.

#ifndef RING_TOOLS_RING_RUN_OPTIONS_H
#define RING_TOOLS_RING_RUN_OPTIONS_H

#include "ring-runtime/Tooling.h"
#include "ring/Tooling/Sweep.h"

namespace mlir::ring {

struct Options : ::ring::rt::tooling::Settings {
  std::string function;
  std::string pipeline;
  std::string mesh;
  bool bisect = false;
  /// Plan again with less memory when a plan does not fit a device.
  bool fallback = false;
  /// Show what the planner would choose from, for which machine, and stop.
  bool explain = false;
  std::string explainMachine;
  /// Plan the largest attention at every point of these ranges, on which
  /// machine, and where the table goes beside the screen.
  bool sweep = false;
  SweepRanges sweepRanges;
  std::string sweepMachine, sweepTable;
  /// Flags that are left for the passes, the program's name first.
  std::vector<const char *> passFlags;

  /// Whether there are any.
  bool hasPasses() const { return passFlags.size() > 1 || !pipeline.empty(); }
  /// Whether a simulation is asked for, and on no machine.
  bool lacksMachine() const {
    return run.backend == "sim" && run.machine.empty();
  }
  /// An option by its name.
  struct Given {
    const char *name;
    bool isGiven;
  };
  /// Reads the command line and says whether it is sound.
  ::ring::rt::Status parse(int argc, char **argv);
  /// The text of --help.
  std::string helpText();
  /// The names of all options.
  std::vector<std::string> names();

private:
  /// The options of ring-run alone.
  std::vector<::ring::rt::tooling::Option> compilerOptions();
  std::vector<std::string> sweepTexts; ///< tokens=..., devices=...
  /// The options that ask for what a run leaves.
  std::vector<Given> resultsOfRun() const;
  /// What is asked for of a run beside an option that makes none.
  ::ring::rt::Status checkNothingRuns(StringRef beside) const;
  /// Takes the machine for --explain; says what does not go with it.
  ::ring::rt::Status readExplanation();
  /// Takes what belongs to --sweep; says what does not go with it.
  ::ring::rt::Status readSweep();
  /// Whether each file that is written is one of its own.
  ::ring::rt::Status checkFiles() const;
  /// What is asked for beside --bisect and cannot be had.
  ::ring::rt::Status checkBisection() const;
};

} // namespace mlir::ring

#endif // RING_TOOLS_RING_RUN_OPTIONS_H
