// SPDX-License-Identifier: Apache-2.0
//
// The judgement of a program's outputs: how exact each can be follows from the
// instructions that it came about by.

#include "Data/Unit.h"
#include "Ops/Op.h"
#include "ring-runtime/Judgement.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace ring::rt {

namespace {

/// What roundings have left in a value, as sums of squares of units.
struct Roundings {
  bool computed = false;
  double before = 0; ///< without the one that stored the value
  double after = 0;  ///< with it

  void meet(const Roundings &other) {
    computed |= other.computed;
    before = std::max(before, other.before);
    after = std::max(after, other.after);
  }
};

/// Whether rows stay what they are, and with them the numbers that share an
/// exponent.
bool keepsRows(const OpTypes &types) {
  const Shape &shape = types.output(0)->shape;
  const std::vector<int64_t> &order = types.ints("permutation");
  if (!order.empty() && order.back() + 1 != static_cast<int64_t>(order.size()))
    return false;
  for (size_t i = 0; i < types.inputCount(); ++i)
    if (types.input(i) && isFloat(types.input(i)->element) &&
        (shape.empty() || types.input(i)->shape.empty() ||
         types.input(i)->shape.back() != shape.back()))
      return false;
  return true;
}

/// Whether an instruction only passes on what its operands hold.
bool onlyMoves(const Op &op, const OpTypes &types) {
  if (op.role != Op::Role::Compute)
    return true;
  if (types.inputCount() == 0 || op.computes())
    return false;
  ElementType element = types.output(0)->element;
  for (size_t i = 0; i < types.inputCount(); ++i)
    if (types.input(i) && isFloat(types.input(i)->element) &&
        types.input(i)->element != element)
      return false;
  // Elements that come to share another exponent are rounded again.
  return !isBlockFormat(element) || op.access.moves || op.access.shares ||
         keepsRows(types);
}

/// The coarsest type of real numbers that a program has, by its unit.
double coarsestUnit(const Program &program) {
  double coarsest = 0;
  for (const ValueType &type : program.values())
    coarsest = std::max(coarsest, rootMeanSquareUnit(type.element));
  return coarsest;
}

/// The numbers of all shards of an output, one behind the other.
std::vector<double> numbersOf(const PortTensors &tensors,
                              const RowSample &sample) {
  std::vector<double> numbers;
  for (const Tensor &tensor : tensors) {
    std::vector<double> shard = sample.numbersOf(tensor);
    numbers.insert(numbers.end(), shard.begin(), shard.end());
  }
  return numbers;
}

std::vector<double> numbersOf(const std::vector<std::vector<double>> &shards) {
  std::vector<double> numbers;
  for (const std::vector<double> &shard : shards)
    numbers.insert(numbers.end(), shard.begin(), shard.end());
  return numbers;
}

} // namespace

std::string describeSample(int64_t judged, int64_t rows) {
  return judged == rows
             ? ""
             : std::to_string(judged) + " of " + std::to_string(rows) + " rows";
}

std::vector<Precision> precisionOf(const Program &program,
                                   const Program &meaning, bool roundsWeights) {
  double coarsest = coarsestUnit(meaning);
  std::vector<Roundings> roundings(program.values().size());
  for (size_t index = 0; index < program.instructions().size(); ++index) {
    const Op &op = *opTable().find(program.instructions()[index].op);
    OpTypes types(program, index);
    Roundings all;
    for (int32_t value : types.instruction().inputs)
      if (value != kAbsent)
        all.meet(roundings[value]);
    bool moves = onlyMoves(op, types);
    if (roundsWeights && op.name == "ring.finish") {
      double unit = rootMeanSquareUnit(ElementType::BF16);
      all.after += unit * unit;
    }
    for (int32_t value : types.instruction().outputs) {
      if (value == kAbsent)
        continue;
      roundings[value] = all;
      if (moves)
        continue;
      double unit = rootMeanSquareUnit(program.values()[value].element);
      roundings[value] = {true, all.after,
                          all.after + (unit <= coarsest ? unit * unit : 0)};
    }
  }
  std::vector<Precision> precisions;
  for (const Port &port : program.outputs()) {
    const ValueType &type = program.values()[port.value];
    const Roundings &rounded = roundings[port.value];
    precisions.push_back({type.element,
                          type.shape.empty() ? 1 : type.shape.back(),
                          rounded.computed, std::sqrt(rounded.before)});
  }
  return precisions;
}

/// NaN where the reference has it is right, and rarely what somebody wants.
static std::string describeNan(const Comparison &comparison, size_t count) {
  return comparison.nan == 0 || !comparison.finite
             ? ""
             : "; " + std::to_string(comparison.nan) + " of " +
                   std::to_string(count) +
                   " numbers are NaN, as they are in the reference";
}

OutputJudgements judge(const Program &program, const RunResult &result,
                       const Program &meaning, const PortNumbers &reference,
                       double tolerance, const RowSample &sample) {
  OutputJudgements all;
  std::vector<Precision> precisions =
      precisionOf(program, meaning, result.roundsWeights);
  for (size_t i = 0; i < precisions.size(); ++i) {
    const Port &port = program.outputs()[i];
    const ValueType &type = program.values()[port.value];
    std::vector<double> found = numbersOf(result.outputs[i], sample);
    std::vector<double> expected = numbersOf(reference[i]);
    Judgement judgement = tolerance > 0 ? judge(found, expected, tolerance)
                                        : judge(found, expected, precisions[i]);
    const Comparison &comparison = judgement.comparison;
    char numbers[160];
    std::snprintf(numbers, sizeof(numbers),
                  ": relative error %.2e, max error %.2e, rmse %.2e, pcc %.6f, "
                  "%.2f of the bound: ",
                  comparison.relativeError, comparison.maxError,
                  comparison.rmse, comparison.pcc, judgement.worst);
    auto shards = static_cast<int64_t>(result.outputs[i].size());
    int64_t rows =
        shards *
        (type.shape.empty() ? 1 : elementCount(type.shape) / type.shape.back());
    int64_t judged =
        sample.isAll()
            ? rows
            : shards * static_cast<int64_t>(sample.rowsOf(type.shape).size());
    std::string some = describeSample(judged, rows);
    all.rows += rows;
    all.judgedRows += judged;
    all.text += "  " + port.name + " " + describe(type) +
                (some.empty() ? "" : ", " + some) +
                (comparison.finite ? numbers : ": ") +
                (judgement.passed() ? "ok" : "WRONG, " + judgement.fault) +
                describeNan(comparison, found.size()) + "\n";
    all.passed &= judgement.passed();
    all.worst = std::max(all.worst, judgement.worst);
    all.outputs.push_back(std::move(judgement));
  }
  return all;
}

} // namespace ring::rt
