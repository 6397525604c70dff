// SPDX-License-Identifier: Apache-2.0
//
// One walk from the last instruction to the first: what a transfer brings is
// marked before the transfer that brought what it sends.

#include "Mesh/KeyValueMarks.h"

#include "Ops/Op.h"
#include "Ops/SliceBounds.h"

#include <algorithm>

namespace ring::rt {

namespace {

class Marker {
public:
  explicit Marker(const Program &program)
      : program(program), marks(program.values().size(), false),
        arrived(program.values().size(), false),
        inKeys(markValuesInKeys(program)) {
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
    if (value != kAbsent && !inKeys[value])
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
  std::vector<bool> inKeys;  ///< values that are counted with their keys
};

/// Whether instruction `index` takes the first columns of all rows.
bool takesColumns(const Program &program, size_t index) {
  const Instruction &step = program.instructions()[index];
  if (step.op != "slice" || step.inputs[0] == kAbsent ||
      step.outputs[0] == kAbsent)
    return false;
  const ValueType &from = program.values()[step.inputs[0]],
                  &to = program.values()[step.outputs[0]];
  Shape wide = to.shape;
  if (wide.empty() || isBlockFormat(to.element))
    return false;
  wide.back() = from.shape.back();
  Result<SliceBounds> bounds = SliceBounds::get(OpTypes(program, index));
  auto areAll = [](const std::vector<int64_t> &numbers, int64_t expected) {
    return std::all_of(numbers.begin(), numbers.end(),
                       [&](int64_t number) { return number == expected; });
  };
  return bounds && wide == from.shape && areAll(bounds->begins, 0) &&
         areAll(bounds->steps, 1);
}

/// Whether an op that reads rows where they are has `value` as the values of
/// `key`, and as nothing else.
bool readsInKeys(const Instruction &step, int32_t value, int32_t key) {
  const Op &op = *opTable().find(step.op);
  const std::vector<size_t> &pairs = op.costs.keysAndValues;
  if (!op.access.takesPieces || pairs.size() != 2 ||
      std::count(step.inputs.begin(), step.inputs.end(), value) != 1)
    return false;
  return step.inputs[pairs[0]] == key && step.inputs[pairs[1]] == value;
}

} // namespace

std::vector<bool> markValuesInKeys(const Program &program) {
  const std::vector<Instruction> &steps = program.instructions();
  std::vector<int32_t> keyOf(program.values().size(), kAbsent);
  for (size_t i = 0; i < steps.size(); ++i)
    if (takesColumns(program, i))
      keyOf[steps[i].outputs[0]] = steps[i].inputs[0];
  std::vector<bool> inKeys;
  for (int32_t key : keyOf)
    inKeys.push_back(key != kAbsent);
  for (const Instruction &step : steps)
    for (int32_t value : step.inputs)
      if (value != kAbsent && inKeys[value] &&
          !readsInKeys(step, value, keyOf[value]))
        inKeys[value] = false;
  for (const Port &port : program.outputs())
    inKeys[port.value] = false;
  return inKeys;
}

std::vector<bool> markKeysAndValues(const Program &program) {
  return Marker(program).run();
}

} // namespace ring::rt
