// SPDX-License-Identifier: Apache-2.0
//
// One walk from the last instruction to the first: what a transfer brings is
// marked before the transfer that brought what it sends.

#include "Mesh/KeyValueMarks.h"

#include "Ops/Op.h"

namespace ring::rt {

namespace {

class Marker {
public:
  explicit Marker(const Program &program)
      : program(program), marks(program.values().size(), false),
        arrived(program.values().size(), false) {
    for (const Instruction &step : program.instructions())
      if (roleOf(step) == Op::Role::Wait)
        for (int32_t value : step.outputs)
          if (value != kAbsent)
            arrived[value] = true;
  }

  std::vector<bool> run() {
    const std::vector<Instruction> &steps = program.instructions();
    for (size_t i = steps.size(); i-- > 0;)
      visit(i, steps[i]);
    return std::move(marks);
  }

private:
  static const Op &opOf(const Instruction &step) {
    return *opTable().find(step.op);
  }
  static Op::Role roleOf(const Instruction &step) { return opOf(step).role; }

  void mark(int32_t value) {
    if (value != kAbsent)
      marks[value] = true;
  }

  void visit(size_t index, const Instruction &step) {
    const Op &op = opOf(step);
    for (size_t operand : op.costs.keysAndValues)
      if (operand < step.inputs.size())
        mark(step.inputs[operand]);
    bool brings = false;
    for (int32_t value : step.outputs)
      brings |= value != kAbsent && marks[value];
    if (!brings)
      return;
    // A wait brings what its start sent, into the start's buffers.
    if (op.role == Op::Role::Wait) {
      for (int32_t value :
           program.instructions()[program.startOf(index)].inputs)
        mark(value);
      return;
    }
    // A blocking transfer sends what it reads; keys that are put together from
    // what arrived are there beside it.
    bool sends = op.exchanges() && !op.signature.crossesPlacement;
    for (int32_t value : step.inputs)
      if (value != kAbsent && (sends || arrived[value]))
        mark(value);
  }

  const Program &program;
  std::vector<bool> marks;
  std::vector<bool> arrived; ///< results of waits
};

} // namespace

std::vector<bool> markKeysAndValues(const Program &program) {
  return Marker(program).run();
}

} // namespace ring::rt
