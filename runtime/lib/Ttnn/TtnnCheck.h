// SPDX-License-Identifier: Apache-2.0
//
// What is known of a program on devices before it runs: whether every
// instruction has a call that does what it says.

#ifndef RING_RUNTIME_TTNN_TTNNCHECK_H
#define RING_RUNTIME_TTNN_TTNNCHECK_H

#include "Ttnn/TtnnCall.h"

namespace ring::rt {

/// Where an instruction runs.
enum class TtnnPlace {
  Nowhere, ///< a buffer, or a transfer that its wait runs
  Host,    ///< on the CPU backend: whole values, and numbers of nothing
  Devices
};
TtnnPlace placeOf(const Program &program, size_t index);

/// The instruction that a step on devices runs: a wait runs the transfer that
/// it waits for.
size_t callOf(const Program &program, size_t index);

/// The instruction and where it came from, for messages.
std::string describeStep(const Program &program, size_t index);

/// Fails with the first instruction that devices cannot run.
Status checkProgram(const Program &program);

/// The same for devices of so many cores.
Status checkCores(const Program &program, ::ttnn::CoreCoord grid);

/// Whether the program's rings go round, rather than to and fro on a line.
bool goesRound(const Program &program);

} // namespace ring::rt

#endif // RING_RUNTIME_TTNN_TTNNCHECK_H
