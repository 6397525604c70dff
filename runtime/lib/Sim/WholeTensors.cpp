// SPDX-License-Identifier: Apache-2.0
//
// Four passes: what is known before the program starts; who needs what, from
// the last instruction to the first; where it then is; and what has to go
// between the host and the chips.

#include "Sim/WholeTensors.h"

#include <algorithm>

namespace ring::rt {

WholeTensors::WholeTensors(const Program &program)
    : program(program), constant(program.values().size(), false),
      needed(program.values().size(), false),
      areOnChips(program.values().size(), false),
      counted(program.values().size(), false) {
  findConstants();
  findNeeds();
  for (size_t i = 0; i < program.instructions().size(); ++i)
    place(i);
  for (size_t i = 0; i < program.instructions().size(); ++i)
    countTraffic(i);
  for (const Port &port : program.outputs())
    if (isWhole(port.value) && areOnChips[port.value])
      received += static_cast<double>(heldBytes(program.values()[port.value]));
}

bool WholeTensors::isWhole(int32_t value) const {
  return value != kAbsent &&
         program.values()[value].placement == Placement::Whole;
}

bool WholeTensors::computes(size_t index) const {
  const Instruction &step = program.instructions()[index];
  const Op &op = *opTable().find(step.op);
  return op.role == Op::Role::Compute && !op.exchanges() && op.computes() &&
         !std::all_of(step.inputs.begin(), step.inputs.end(),
                      [&](int32_t operand) {
                        return operand == kAbsent || constant[operand];
                      });
}

void WholeTensors::findConstants() {
  for (const Instruction &step : program.instructions()) {
    bool known = true;
    for (int32_t operand : step.inputs)
      known &= operand == kAbsent || constant[operand];
    for (int32_t result : step.outputs)
      if (isWhole(result))
        constant[result] = known;
  }
}

void WholeTensors::findNeeds() {
  for (size_t i = program.instructions().size(); i-- > 0;) {
    const Instruction &step = program.instructions()[i];
    bool leadsOn = computes(i);
    for (int32_t result : step.outputs)
      leadsOn |= result != kAbsent && (!isWhole(result) || needed[result]);
    for (int32_t operand : step.inputs)
      if (isWhole(operand) && leadsOn)
        needed[operand] = true;
  }
}

void WholeTensors::place(size_t index) {
  const Instruction &step = program.instructions()[index];
  bool made = computes(index);
  for (int32_t operand : step.inputs)
    made |= operand != kAbsent && (!isWhole(operand) || areOnChips[operand]);
  for (int32_t result : step.outputs)
    if (isWhole(result))
      areOnChips[result] = computes(index) || (made && needed[result]);
}

void WholeTensors::countTraffic(size_t index) {
  const Instruction &step = program.instructions()[index];
  auto bytesOf = [&](int32_t value) {
    return static_cast<double>(heldBytes(program.values()[value]));
  };
  auto devices = static_cast<double>(program.deviceCount());
  for (int32_t result : step.outputs) {
    if (result == kAbsent)
      continue;
    for (int32_t operand : step.inputs) {
      if (operand == kAbsent)
        continue;
      bool fromHost = isWhole(operand) && !areOnChips[operand];
      bool toHost = isWhole(result) && !areOnChips[result];
      if (!fromHost && toHost)
        received += isWhole(operand) ? bytesOf(operand) : bytesOf(result);
      else if (fromHost && !isWhole(result))
        sent += devices * bytesOf(result);
      else if (fromHost && !toHost && !counted[operand]) {
        counted[operand] = true;
        sent += devices * bytesOf(operand);
      }
    }
  }
}

} // namespace ring::rt
