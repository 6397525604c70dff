// SPDX-License-Identifier: Apache-2.0
//
// Walks a program on devices. A local value is one tensor of tt-metal over the
// whole mesh; what is whole stays on the host, where the CPU backend runs it,
// and crosses over shard by shard. So layouts that tt-metal does not know, such
// as the zigzag, need nothing of it.

#include "Ttnn/TtnnBackend.h"

#include "Mesh/CpuBackend.h"
#include "Ttnn/TtnnCheck.h"
#include "Ttnn/TtnnRingRooms.h"
#include "Ttnn/TtnnTransfer.h"
#include "ring-runtime/ProgramBuilder.h"

#include <chrono>
#include <exception>

namespace ring::rt {

namespace {

/// One run.
class Walk {
public:
  Walk(const Program &program, const RunOptions &options, OpenMesh &mesh)
      : program(program), options(options), mesh(mesh), rooms(mesh.device()),
        onDevices(program.values().size()), onHost(program.values().size()) {}

  Status bind(const std::vector<PortTensors> &inputs);
  Status run();
  Result<PortTensors> tensorsOf(int32_t value);

private:
  bool isLocal(int32_t value) const {
    return program.values()[value].placement == Placement::Local;
  }
  /// Keeps a value where it belongs.
  Status keep(int32_t value, const PortTensors &tensors);
  Status execute(size_t index);
  Status runOnHost(size_t index);
  Result<Program> alone(size_t index, std::vector<PortTensors> &inputs);
  Status runOnDevices(size_t index);
  void release(size_t index);

  const Program &program;
  const RunOptions &options;
  OpenMesh &mesh;
  RingRooms rooms;
  std::vector<DeviceTensor> onDevices;
  std::vector<PortTensors> onHost;
};

Status Walk::keep(int32_t value, const PortTensors &tensors) {
  if (!isLocal(value)) {
    onHost[value] = tensors;
    return Status::success();
  }
  Result<::ttnn::Tensor> sent = send(mesh, tensors);
  if (sent)
    onDevices[value] = *sent;
  return sent.status();
}

Status Walk::bind(const std::vector<PortTensors> &inputs) {
  for (size_t i = 0; i < inputs.size(); ++i)
    if (Status status = keep(program.inputs()[i].value, inputs[i]); !status)
      return status.in("input '" + program.inputs()[i].name + "'");
  return Status::success();
}

Result<PortTensors> Walk::tensorsOf(int32_t value) {
  if (!isLocal(value))
    return onHost[value];
  return fetch(*onDevices[value], program.values()[value]);
}

/// One instruction as a program of its own, and its inputs.
Result<Program> Walk::alone(size_t index, std::vector<PortTensors> &inputs) {
  const Instruction &step = program.instructions()[index];
  ProgramBuilder builder("host", program.mesh());
  std::vector<int32_t> operands;
  for (int32_t value : step.inputs) {
    if (value == kAbsent) {
      operands.push_back(kAbsent);
      continue;
    }
    Result<PortTensors> tensors = tensorsOf(value);
    if (!tensors)
      return tensors.status();
    operands.push_back(
        builder.addInput("x" + std::to_string(value), program.values()[value]));
    inputs.push_back(*tensors);
  }
  std::vector<ValueType> types;
  std::vector<bool> present;
  for (int32_t value : step.outputs) {
    present.push_back(value != kAbsent);
    types.push_back(value == kAbsent ? ValueType() : program.values()[value]);
  }
  Attributes attributes = step.attributes;
  if (step.op == "constant") {
    const ConstantData &data =
        program.constants()[OpTypes(program, index).intOr("data", 0)];
    attributes["data"] =
        builder.addConstantData(data.data, data.size, data.splat);
  }
  std::vector<int32_t> results =
      builder.addOptional(step.op, operands, types, present, attributes);
  for (size_t i = 0; i < results.size(); ++i)
    if (present[i])
      builder.addOutput("y" + std::to_string(i), results[i]);
  return builder.build();
}

/// Has the CPU backend run one instruction, on whole values or across the
/// border.
Status Walk::runOnHost(size_t index) {
  std::vector<PortTensors> inputs;
  Result<Program> step = alone(index, inputs);
  if (!step)
    return step.status();
  RunOptions quiet;
  quiet.threads = options.threads;
  Result<RunResult> result = CpuBackend().run(*step, inputs, quiet);
  if (!result)
    return result.status();
  size_t output = 0;
  for (int32_t value : program.instructions()[index].outputs)
    if (value != kAbsent)
      if (Status status = keep(value, result->outputs[output++]); !status)
        return status;
  return Status::success();
}

Status Walk::runOnDevices(size_t index) {
  size_t step = callOf(program, index);
  const OpTypes types(program, step, index);
  TtnnCall call(types, mesh.device(), rooms, onDevices);
  return ttnnTable().at(program.instructions()[step].op).run(call);
}

Status Walk::execute(size_t index) {
  switch (placeOf(program, index)) {
  case TtnnPlace::Nowhere:
    return Status::success();
  case TtnnPlace::Host:
    return runOnHost(index);
  case TtnnPlace::Devices:
    return runOnDevices(index);
  }
  return Status::success();
}

void Walk::release(size_t index) {
  for (int32_t value : program.diesAfter(index)) {
    onDevices[value].reset();
    onHost[value].clear();
  }
}

Status Walk::run() {
  size_t steps = program.instructions().size();
  for (size_t i = 0; i < steps; ++i) {
    // tt-metal throws; nothing of ours does.
    try {
      if (Status status = execute(i); !status)
        return status.in(describeStep(program, i));
    } catch (const std::exception &problem) {
      return error(describeStep(program, i), ": tt-metal: ", problem.what());
    }
    release(i);
    if (options.progress)
      options.progress(static_cast<int64_t>(i + 1),
                       static_cast<int64_t>(steps));
  }
  return Status::success();
}

class TtnnBackend final : public Backend {
public:
  Result<RunResult> run(const Program &program,
                        const std::vector<PortTensors> &inputs,
                        const RunOptions &options) override {
    if (options.deviceMemory > 0 || options.trace)
      return error("expects neither a memory limit nor a trace on devices: "
                   "they have their own");
    if (Status status = checkProgram(program); !status)
      return status;
    Result<std::unique_ptr<OpenMesh>> mesh =
        OpenMesh::open(program.mesh(), goesRound(program));
    if (!mesh)
      return mesh.status();
    try {
      return runOn(**mesh, program, inputs, options);
    } catch (const std::exception &problem) {
      return error("tt-metal: ", problem.what());
    }
  }

private:
  static Result<RunResult> runOn(OpenMesh &mesh, const Program &program,
                                 const std::vector<PortTensors> &inputs,
                                 const RunOptions &options) {
    ::ttnn::CoreCoord grid = mesh.device().compute_with_storage_grid_size();
    if (Status status = checkCores(program, grid); !status)
      return status;
    Walk walk(program, options, mesh);
    if (Status status = walk.bind(inputs); !status)
      return status;
    auto begin = std::chrono::steady_clock::now();
    if (Status status = walk.run(); !status)
      return status;
    RunResult result;
    // Nobody counts on a device: all statistics but the time are 0.
    result.devices.resize(static_cast<size_t>(program.deviceCount()));
    for (const Port &port : program.outputs()) {
      Result<PortTensors> tensors = walk.tensorsOf(port.value);
      if (!tensors)
        return tensors.status();
      result.outputs.push_back(*tensors);
    }
    std::chrono::duration<double> taken =
        std::chrono::steady_clock::now() - begin;
    result.seconds = taken.count();
    return result;
  }
};

} // namespace

bool ttnnIsBuiltIn() { return true; }

Result<std::unique_ptr<Backend>> makeTtnnBackend() {
  return std::unique_ptr<Backend>(std::make_unique<TtnnBackend>());
}

} // namespace ring::rt
