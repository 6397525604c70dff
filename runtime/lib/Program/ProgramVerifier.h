// SPDX-License-Identifier: Apache-2.0
//
// Decides whether a program makes sense before anything of it runs.

#ifndef RING_RUNTIME_PROGRAM_PROGRAMVERIFIER_H
#define RING_RUNTIME_PROGRAM_PROGRAMVERIFIER_H

#include "ring-runtime/Program.h"

namespace ring::rt {

/// Verifies a program that has been read, and fills in what follows from it:
/// which values die where, and which transfer each wait is for.
class ProgramVerifier {
public:
  explicit ProgramVerifier(Program &program) : program(program) {}

  Status verify();

private:
  Status verifyInstruction(size_t index);
  Status define(int32_t value);
  Status verifyOperands(const Instruction &step);
  Status verifyPlacement(const Instruction &step, bool crosses);
  Status followTransfers(size_t index);
  Status checkFresh(int32_t value);
  Status verifyPorts();
  Status verifyComposites();
  void findDeaths();

  /// A value that lies in a buffer, and in which of its uses.
  struct Landing {
    int32_t buffer = kAbsent;
    int64_t use = 0;
  };

  Program &program;
  std::vector<bool> defined;
  std::vector<Landing> landings;    ///< by value
  std::vector<int64_t> bufferUses;  ///< by value: transfers started into it
  std::vector<bool> bufferBusy;     ///< by value: a transfer is under way
  std::vector<size_t> startOfToken; ///< by value
  std::vector<bool> awaited;        ///< by value
};

} // namespace ring::rt

#endif // RING_RUNTIME_PROGRAM_PROGRAMVERIFIER_H
