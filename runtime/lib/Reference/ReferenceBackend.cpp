// SPDX-License-Identifier: Apache-2.0
//
// Lockstep: instruction by instruction, device by device.

#include "Reference/ReferenceBackend.h"

#include "Ops/Op.h"
#include "Reference/Reference.h"

#include <chrono>

namespace ring::rt {

namespace {

using reference::Call;
using reference::Numbers;
using reference::Values;

/// By value: whether its rows are computed one by one, and nobody but the end
/// of the program reads them.
std::vector<bool> sampledOutputs(const Program &program) {
  std::vector<int> readers(program.values().size(), 0);
  std::vector<bool> isOutput(program.values().size(), false);
  for (const Instruction &step : program.instructions())
    for (int32_t value : step.inputs)
      if (value != kAbsent)
        ++readers[value];
  for (const Port &port : program.outputs())
    isOutput[port.value] = true;
  std::vector<bool> sampled(program.values().size(), false);
  for (const Instruction &step : program.instructions()) {
    int results = 0;
    for (int32_t value : step.outputs)
      results += value != kAbsent;
    int32_t value = step.outputs.empty() ? kAbsent : step.outputs[0];
    bool byRow =
        step.op == "sdpa" || step.op == "sdpa_fw" ||
        step.op == "chunked_sdpa" ||
        (step.op == "ring.attention" && step.attributes.count("segments") == 0);
    if (byRow && results == 1 && value != kAbsent && isOutput[value] &&
        readers[value] == 0 && program.values()[value].shape.size() == 4)
      sampled[value] = true;
  }
  return sampled;
}

/// The state of a run.
class Lockstep {
public:
  Lockstep(const Program &program, const RowSample &sample)
      : program(program), sample(sample), sampled(sampledOutputs(program)),
        streams(program.deviceCount() + 1, Values(program.values().size())),
        waitOf(program.instructions().size(), 0) {
    for (size_t i = 0; i < program.instructions().size(); ++i)
      if (roleOf(i) == Op::Role::Wait)
        waitOf[program.startOf(i)] = i;
  }

  Status step(size_t index);
  /// Whether only the rows of the sample are there.
  bool hasOnlySample(int32_t value) const {
    return !sample.isAll() && sampled[value];
  }

  const Program &program;
  const RowSample &sample;
  std::vector<bool> sampled;   ///< by value: whether rows can be left out
  std::vector<Values> streams; ///< the last is the host

private:
  Op::Role roleOf(size_t index) const {
    return opTable().find(program.instructions()[index].op)->role;
  }
  bool holdsResult(size_t index, int64_t stream) const;
  Status compute(size_t index, size_t outputsOf, int64_t stream);

  std::vector<size_t> waitOf; ///< by start
};

bool Lockstep::holdsResult(size_t index, int64_t stream) const {
  for (int32_t value : program.instructions()[index].outputs)
    if (value != kAbsent)
      return (program.values()[value].placement == Placement::Whole) ==
             (stream == program.deviceCount());
  return false;
}

Status Lockstep::compute(size_t index, size_t outputsOf, int64_t stream) {
  const Instruction &step = program.instructions()[index];
  const reference::Function *function = reference::find(step.op);
  if (!function)
    return error("the reference has no '", step.op, "'");
  Call call(OpTypes(program, index, outputsOf), stream, streams);
  call.outputs.resize(call.types.outputCount());
  std::vector<int64_t> rows;
  if (call.types.outputCount() > 0 && call.types.output(0) &&
      hasOnlySample(call.types.outputValue(0))) {
    rows = sample.rowsOf(call.types.output(0)->shape);
    call.rows = &rows;
  }
  for (size_t i = 0; i < call.outputs.size(); ++i) {
    const ValueType *type = call.types.output(i);
    if (!type)
      continue;
    // A state holds as many numbers as it takes bytes, over 4.
    call.outputs[i].resize(type->kind == ValueKind::State
                               ? heldBytes(*type) / 4
                               : elementCount(type->shape));
    if (i == 0 && call.rows)
      call.outputs[i].resize(rows.size() * type->shape.back());
  }
  if (Status status = (*function)(call); !status)
    return error("reference, instruction ", index, " '", step.op,
                 "': ", status.message());
  for (size_t i = 0; i < call.outputs.size(); ++i)
    if (call.types.outputValue(i) != kAbsent)
      streams[stream][call.types.outputValue(i)] = std::move(call.outputs[i]);
  return Status::success();
}

Status Lockstep::step(size_t index) {
  Op::Role role = roleOf(index);
  // A transfer arrives at once: nothing it reads can change before its wait.
  size_t outputsOf = role == Op::Role::Start ? waitOf[index] : index;
  bool computes = role == Op::Role::Compute || role == Op::Role::Start;
  for (int64_t stream = 0; computes && stream <= program.deviceCount();
       ++stream)
    if (holdsResult(outputsOf, stream))
      if (Status status = compute(index, outputsOf, stream); !status)
        return status;
  for (int32_t value : program.diesAfter(index))
    for (Values &values : streams)
      values[value] = Numbers();
  return Status::success();
}

} // namespace

Result<PortNumbers>
runReference(const Program &program, const std::vector<PortTensors> &inputs,
             const std::function<void(int64_t, int64_t)> &progress,
             const RowSample &sample) {
  Lockstep lockstep(program, sample);
  for (size_t port = 0; port < inputs.size(); ++port) {
    int32_t value = program.inputs()[port].value;
    bool whole = program.values()[value].placement == Placement::Whole;
    for (size_t i = 0; i < inputs[port].size(); ++i)
      lockstep.streams[whole ? program.deviceCount() : i][value] =
          inputs[port][i].numbers();
  }
  int64_t count = static_cast<int64_t>(program.instructions().size());
  for (int64_t i = 0; i < count; ++i) {
    if (Status status = lockstep.step(i); !status)
      return status;
    if (progress)
      progress(i + 1, count);
  }
  PortNumbers outputs;
  for (const Port &port : program.outputs()) {
    bool whole = program.values()[port.value].placement == Placement::Whole;
    outputs.emplace_back();
    for (int64_t i = 0; i <= program.deviceCount(); ++i)
      if (whole == (i == program.deviceCount())) {
        Numbers &numbers = lockstep.streams[i][port.value];
        outputs.back().push_back(
            lockstep.hasOnlySample(port.value)
                ? numbers
                : sample.numbersOf(numbers,
                                   program.values()[port.value].shape));
      }
  }
  return outputs;
}

double sampledShare(const Program &program, const RowSample &sample) {
  std::vector<bool> sampled = sampledOutputs(program);
  double all = 0, needed = 0;
  for (size_t i = 0; i < program.instructions().size(); ++i) {
    const Op &op = *opTable().find(program.instructions()[i].op);
    if (!op.costs.flops || op.role != Op::Role::Compute)
      continue;
    OpTypes types(program, i);
    double flops = op.costs.flops(types, 0), share = 1;
    if (!sample.isAll() && types.output(0) && sampled[types.outputValue(0)]) {
      const Shape &shape = types.output(0)->shape;
      share = static_cast<double>(sample.rowsOf(shape).size() * shape.back()) /
              static_cast<double>(elementCount(shape));
    }
    all += flops;
    needed += share * flops;
  }
  return all > 0 ? needed / all : 1;
}

Result<RunResult> ReferenceBackend::run(const Program &program,
                                        const std::vector<PortTensors> &inputs,
                                        const RunOptions &options) {
  auto begin = std::chrono::steady_clock::now();
  Result<PortNumbers> numbers = runReference(program, inputs, options.progress);
  if (!numbers)
    return numbers.status();
  RunResult result;
  result.devices.resize(program.deviceCount());
  for (size_t port = 0; port < numbers->size(); ++port) {
    const ValueType &type = program.values()[program.outputs()[port].value];
    PortTensors tensors;
    for (const std::vector<double> &list : (*numbers)[port]) {
      Result<Tensor> tensor =
          Tensor::fromNumbers(type.element, type.shape, list);
      if (!tensor)
        return tensor.status();
      tensors.push_back(*tensor);
    }
    result.outputs.push_back(std::move(tensors));
  }
  result.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  return result;
}

} // namespace ring::rt
