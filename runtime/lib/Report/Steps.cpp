// SPDX-License-Identifier: Apache-2.0
//
// Steps are counted by what is exchanged.

#include "Report/Steps.h"

namespace ring::rt {

bool exchangesData(const Op &op) {
  return op.role == Op::Role::Wait ||
         (op.role == Op::Role::Compute && op.exchanges() &&
          !op.signature.crossesPlacement);
}

std::vector<int32_t> stepsOf(const Program &program) {
  std::vector<int32_t> steps;
  int32_t step = 0;
  bool exchanged = false;
  for (const Instruction &instruction : program.instructions()) {
    const Op &op = *opTable().find(instruction.op);
    if (exchanged && op.costs.flops && !op.exchanges()) {
      ++step;
      exchanged = false;
    }
    exchanged |= exchangesData(op);
    steps.push_back(step);
  }
  return steps;
}

} // namespace ring::rt
