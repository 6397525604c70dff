// SPDX-License-Identifier: Apache-2.0
//
// Walks a program on devices. A local value is one tensor of tt-metal over the
// whole mesh; what is whole stays on the host, where the CPU backend runs it,
// and crosses over shard by shard. So layouts that tt-metal does not know, such
// as the zigzag, need nothing of it.

#include "Ttnn/TtnnBackend.h"

#include "Data/Numbers.h"
#include "Mesh/CpuBackend.h"
#include "Ops/Op.h"
#include "Ttnn/TtnnCall.h"
#include "ring-runtime/ProgramBuilder.h"

#include <chrono>
#include <exception>

namespace ring::rt {

namespace {

/// The mesh, open for as long as this lives.
class OpenMesh {
public:
  explicit OpenMesh(const Shape &mesh)
      : shape(static_cast<uint32_t>(mesh.size() > 1 ? mesh[0] : 1),
              static_cast<uint32_t>(mesh.back())) {
    constexpr size_t kTraceRegion = 0, kQueues = 1;
    tt::tt_fabric::SetFabricConfig(tt::tt_fabric::FabricConfig::FABRIC_1D_RING);
    device = ::ttnn::distributed::open_mesh_device(
        shape, DEFAULT_L1_SMALL_SIZE, kTraceRegion, kQueues,
        tt::tt_metal::DispatchCoreConfig());
  }
  ~OpenMesh() { ::ttnn::distributed::close_mesh_device(device); }
  OpenMesh(const OpenMesh &) = delete;
  OpenMesh &operator=(const OpenMesh &) = delete;

  const ::ttnn::MeshShape shape;
  std::shared_ptr<::ttnn::MeshDevice> device;
};

/// One run.
class Walk {
public:
  Walk(const Program &program, const RunOptions &options)
      : program(program), options(options), mesh(program.mesh()),
        onDevices(program.values().size()), onHost(program.values().size()) {}

  Status bind(const std::vector<PortTensors> &inputs);
  Status run();
  Result<PortTensors> tensorsOf(int32_t value);

private:
  bool isLocal(int32_t value) const {
    return program.values()[value].placement == Placement::Local;
  }
  Status execute(size_t index);
  Status runOnHost(size_t index);
  Status runOnDevices(size_t index, size_t outputsOf);
  Status makeConstant(size_t index);
  /// Sends one tensor for each device.
  Result<::ttnn::Tensor> send(const PortTensors &shards);
  Result<PortTensors> fetch(const ::ttnn::Tensor &tensor,
                            const ValueType &type);
  void release(size_t index);

  const Program &program;
  const RunOptions &options;
  OpenMesh mesh;
  std::vector<DeviceTensor> onDevices;
  std::vector<PortTensors> onHost;
};

Status Walk::bind(const std::vector<PortTensors> &inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    int32_t value = program.inputs()[i].value;
    if (!isLocal(value)) {
      onHost[value] = inputs[i];
      continue;
    }
    Result<::ttnn::Tensor> sent = send(inputs[i]);
    if (!sent)
      return error("input '", program.inputs()[i].name, "': ", sent.message());
    onDevices[value] = *sent;
  }
  return Status::success();
}

Result<::ttnn::Tensor> Walk::send(const PortTensors &shards) {
  std::vector<::ttnn::Tensor> tensors;
  for (const Tensor &shard : shards) {
    std::optional<::ttnn::DataType> type = dataTypeOf(shard.element());
    if (!type)
      return error("expects an element type of tt-metal, but got ",
                   nameOf(shard.element()));
    // Indices are read row by row, everything else in tiles.
    bool real = isFloat(shard.element());
    tt::tt_metal::TensorSpec spec(
        TtnnCall::shapeOf(shard.shape()),
        tt::tt_metal::TensorLayout(
            *type,
            tt::tt_metal::PageConfig(real ? ::ttnn::Layout::TILE
                                          : ::ttnn::Layout::ROW_MAJOR),
            ::ttnn::MemoryConfig()));
    std::vector<double> numbers = shard.numbers();
    tensors.push_back(
        real ? ::ttnn::Tensor::from_vector(
                   std::vector<float>(numbers.begin(), numbers.end()), spec)
             : ::ttnn::Tensor::from_vector(
                   std::vector<int32_t>(numbers.begin(), numbers.end()), spec));
  }
  return ::ttnn::distributed::from_host_shards(tensors, mesh.shape)
      .to_device(mesh.device.get());
}

Result<PortTensors> Walk::fetch(const ::ttnn::Tensor &tensor,
                                const ValueType &type) {
  PortTensors shards;
  for (const ::ttnn::Tensor &shard :
       ::ttnn::distributed::get_device_tensors(tensor.cpu())) {
    std::vector<double> numbers;
    if (isFloat(type.element)) {
      std::vector<float> found = shard.to_vector<float>();
      numbers.assign(found.begin(), found.end());
    } else {
      std::vector<int32_t> found = shard.to_vector<int32_t>();
      numbers.assign(found.begin(), found.end());
    }
    Result<Tensor> made =
        Tensor::fromNumbers(type.element, type.shape, numbers);
    if (!made)
      return made.status();
    shards.push_back(*made);
  }
  return shards;
}

Result<PortTensors> Walk::tensorsOf(int32_t value) {
  if (!isLocal(value))
    return onHost[value];
  return fetch(*onDevices[value], program.values()[value]);
}

/// Has the CPU backend run one instruction, on whole values or across the
/// border: a program of its own.
Status Walk::runOnHost(size_t index) {
  const Instruction &step = program.instructions()[index];
  ProgramBuilder builder("host", program.mesh());
  std::vector<PortTensors> inputs;
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
  std::vector<int32_t> results =
      builder.addOptional(step.op, operands, types, present, step.attributes);
  for (size_t i = 0; i < results.size(); ++i)
    if (present[i])
      builder.addOutput("y" + std::to_string(i), results[i]);
  Result<Program> alone = builder.build();
  if (!alone)
    return alone.status();
  Result<RunResult> result = CpuBackend().run(*alone, inputs, options);
  if (!result)
    return result.status();
  size_t output = 0;
  for (int32_t value : step.outputs) {
    if (value == kAbsent)
      continue;
    const PortTensors &tensors = result->outputs[output++];
    if (!isLocal(value)) {
      onHost[value] = tensors;
      continue;
    }
    Result<::ttnn::Tensor> sent = send(tensors);
    if (!sent)
      return sent.status();
    onDevices[value] = *sent;
  }
  return Status::success();
}

/// A constant is the same on every device.
Status Walk::makeConstant(size_t index) {
  const OpTypes types(program, index);
  const ConstantData &constant = program.constants()[types.intOr("data", 0)];
  const ValueType &type = *types.output(0);
  ElementType stored =
      isBlockFormat(type.element) ? ElementType::F32 : type.element;
  // The file's data may lie at any address.
  std::vector<uint8_t> aligned(constant.data, constant.data + constant.size);
  std::vector<double> numbers(elementCount(type.shape));
  loadNumbers(aligned.data(), stored, 0, constant.splat ? 0 : 1, numbers.data(),
              static_cast<int64_t>(numbers.size()));
  Result<Tensor> made = Tensor::fromNumbers(type.element, type.shape, numbers);
  if (!made)
    return made.status();
  PortTensors copies(static_cast<size_t>(program.deviceCount()), *made);
  Result<::ttnn::Tensor> sent = send(copies);
  if (!sent)
    return sent.status();
  onDevices[types.outputValue(0)] = *sent;
  return Status::success();
}

Status Walk::runOnDevices(size_t index, size_t outputsOf) {
  const OpTypes types(program, index, outputsOf);
  const std::string &op = program.instructions()[index].op;
  auto found = ttnnTable().find(op);
  if (found == ttnnTable().end())
    return error("has no call in tt-metal; compile with target=ttnn");
  TtnnCall call(types, *mesh.device, ::ttnn::ccl::Topology::Ring, onDevices);
  return found->second(call);
}

Status Walk::execute(size_t index) {
  const Instruction &step = program.instructions()[index];
  const Op &op = *opTable().find(step.op);
  switch (op.role) {
  case Op::Role::Buffer:
  case Op::Role::Start:
    return Status::success();
  case Op::Role::Wait:
    return runOnDevices(program.startOf(index), index);
  case Op::Role::Compute:
    break;
  }
  bool local = true;
  for (const std::vector<int32_t> *values : {&step.inputs, &step.outputs})
    for (int32_t value : *values)
      local &= value == kAbsent || isLocal(value);
  if (!local)
    return runOnHost(index);
  if (step.op == "constant")
    return makeConstant(index);
  // Numbers that depend on nothing are made once, by the CPU backend.
  return step.op == "arange" ? runOnHost(index) : runOnDevices(index, index);
}

void Walk::release(size_t index) {
  for (int32_t value : program.diesAfter(index)) {
    onDevices[value].reset();
    onHost[value].clear();
  }
}

Status Walk::run() {
  const std::vector<Instruction> &steps = program.instructions();
  for (size_t i = 0; i < steps.size(); ++i) {
    if (Status status = execute(i); !status)
      return error("instruction ", i, " '", steps[i].op, "'",
                   steps[i].location.empty() ? "" : " at ", steps[i].location,
                   ": ", status.message());
    release(i);
    if (options.progress)
      options.progress(static_cast<int64_t>(i + 1),
                       static_cast<int64_t>(steps.size()));
  }
  return Status::success();
}

class TtnnBackend final : public Backend {
public:
  Result<RunResult> run(const Program &program,
                        const std::vector<PortTensors> &inputs,
                        const RunOptions &options) override {
    if (program.mesh().size() > 2)
      return error("expects a mesh of one or two axes on devices, but got ",
                   describe(program.mesh()));
    if (options.deviceMemory > 0 || options.trace)
      return error("expects neither a memory limit nor a trace on devices: "
                   "they have their own");
    // tt-metal throws; nothing of ours does.
    try {
      return runOrThrow(program, inputs, options);
    } catch (const std::exception &problem) {
      return error("tt-metal: ", problem.what());
    }
  }

private:
  static Result<RunResult> runOrThrow(const Program &program,
                                      const std::vector<PortTensors> &inputs,
                                      const RunOptions &options) {
    Walk walk(program, options);
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
