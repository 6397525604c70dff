// SPDX-License-Identifier: Apache-2.0
//
// Programs that are timed in turns, with memory that earlier runs have left.

#ifndef RING_BENCH_MACHINE_TIMEDPROGRAM_H
#define RING_BENCH_MACHINE_TIMEDPROGRAM_H

#include "ring-runtime/ProgramBuilder.h"
#include "ring-runtime/Runtime.h"

#include <vector>

namespace ring::bench {

/// A program with its inputs and the seconds of its runs. Ends the process with
/// a message where it cannot be built or run.
class TimedProgram {
public:
  explicit TimedProgram(const rt::ProgramBuilder &builder);

  /// Runs once; `counts` says whether the time is kept.
  void run(rt::Backend &backend, bool counts);
  double median() const;

private:
  rt::Program program;
  std::vector<rt::PortTensors> inputs;
  std::vector<double> seconds;
};

/// Runs all of them once for nothing and then several times in turns.
void timeInTurns(std::vector<TimedProgram> &programs);

/// The same for one.
double medianSeconds(const rt::ProgramBuilder &builder);

} // namespace ring::bench

#endif // RING_BENCH_MACHINE_TIMEDPROGRAM_H
