// SPDX-License-Identifier: Apache-2.0
//
// How long a launch takes, predicted from what its kernels do, and the chunks
// with which that is shortest.

#ifndef RING_RUNTIME_LAUNCHTIME_H
#define RING_RUNTIME_LAUNCHTIME_H

#include "ring-runtime/AttentionWork.h"
#include "ring-runtime/LaunchDescription.h"
#include "ring/Machine/Machine.h"

namespace ring::rt {

/// Seconds, of the device that takes longest.
struct LaunchTime {
  /// What two threads of a core do beside each other.
  struct Lanes {
    double math = 0;
    double pack = 0;
    double longer() const { return math > pack ? math : pack; }
  };

  double seconds = 0;
  // Of the busiest core, one after the other:
  Lanes weighing;    ///< scores, exponentials and weights
  Lanes adding;      ///< sums, values and the state
  double chunks = 0; ///< handing over from chunk to chunk
  // Beside it:
  double dram = 0;
  double links = 0;
  /// tt-metal's definition: useful operations over cores * clock * 2048.
  double utilisation = 0;
  /// Share of the transfers' time that the compute hides.
  double hidden = 1;

  double compute() const {
    return weighing.longer() + adding.longer() + chunks;
  }
};

/// Of a program on chips that are wired as `links` says; a direction of a ring
/// has one of them. Machines that are one processor have no kernels.
LaunchTime launchTime(const machine::Machine &machine,
                      const LaunchDescription &launch,
                      const AttentionProgram &attention);

/// Sets the chunks that are 0, and whether keys are handed on, to what is
/// predicted to be fastest, of what fits into L1, with states in DRAM where
/// they do not; an error if nothing does.
Status chooseChunks(const machine::Machine &machine, LaunchDescription &launch);

} // namespace ring::rt

#endif // RING_RUNTIME_LAUNCHTIME_H
