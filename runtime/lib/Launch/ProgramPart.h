// SPDX-License-Identifier: Apache-2.0
//
// Some instructions of a program as a program of their own: what is between two
// launches runs on another backend.

#ifndef RING_RUNTIME_LAUNCH_PROGRAMPART_H
#define RING_RUNTIME_LAUNCH_PROGRAMPART_H

#include "ring-runtime/Program.h"

namespace ring::rt {

/// Inputs and outputs are the tensors that cross the borders, here by their
/// numbers in the whole program.
struct ProgramPart {
  Program program;
  std::vector<int32_t> inputs, outputs;
};

/// The instructions [begin, end), and the buffers that they use. Refuses to cut
/// through a transfer or an attention that is under way.
Result<ProgramPart> partOf(const Program &program, size_t begin, size_t end);

} // namespace ring::rt

#endif // RING_RUNTIME_LAUNCH_PROGRAMPART_H
