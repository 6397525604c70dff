// SPDX-License-Identifier: Apache-2.0
//
// The entry points: backends by name, checks of options and inputs, inputs by
// seed.

#include "ring-runtime/Runtime.h"

#include "Launch/LaunchBackend.h"
#include "Mesh/CpuBackend.h"
#include "Mpi/MpiBackend.h"
#include "Ops/Op.h"
#include "Reference/ReferenceBackend.h"
#include "Sim/SimBackend.h"
#include "Ttnn/TtnnBackend.h"
#include "ring-runtime/MetalMachine.h"
#include "ring/Machine/Bytes.h"
#include "ring/Machine/MachineFile.h"
#include "ring/Support/NearestName.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace ring::rt {

std::vector<std::string> backendNames() {
  std::vector<std::string> names = {"cpu", "tile", "reference", "sim"};
  if (metalIsBuiltIn())
    names.push_back("metal");
  if (mpiIsBuiltIn())
    names.push_back("mpi");
  if (ttnnIsBuiltIn())
    names.push_back("ttnn");
  return names;
}

Result<std::unique_ptr<Backend>> makeBackend(const std::string &name) {
  if (name == "cpu")
    return std::unique_ptr<Backend>(std::make_unique<CpuBackend>());
  if (name == "tile")
    return std::unique_ptr<Backend>(
        std::make_unique<LaunchBackend>(makeTileLaunchMachine()));
  if (name == "metal") {
    if (!metalIsBuiltIn())
      return MetalMachine::devicesThere().status();
    return std::unique_ptr<Backend>(
        std::make_unique<LaunchBackend>(makeMetalLaunchMachine()));
  }
  if (name == "reference")
    return std::unique_ptr<Backend>(std::make_unique<ReferenceBackend>());
  if (name == "sim")
    return std::unique_ptr<Backend>(std::make_unique<SimBackend>());
  if (name == "mpi")
    return makeMpiBackend();
  if (name == "ttnn")
    return makeTtnnBackend();
  std::string known;
  for (const std::string &one : backendNames())
    known += (known.empty() ? "" : ", ") + one;
  return error("expects a backend of ", known, ", but got '", name, "'",
               didYouMean(name, backendNames()));
}

std::optional<int64_t> parseBytes(const std::string &text) {
  return machine::parseBytes(text);
}

Status checkOptions(const RunOptions &options) {
  std::vector<std::string> known = backendNames();
  // Of a backend that is not there it says what it would take.
  if (std::find(known.begin(), known.end(), options.backend) == known.end())
    return makeBackend(options.backend).status();
  if (options.backend != "sim")
    return Status::success();
  if (options.machine.empty()) {
    std::string names;
    for (const std::string &name : machine::builtInMachines())
      names += (names.empty() ? "" : ", ") + name;
    return error("expects a machine to simulate: one of ", names,
                 ", or the path of a machine file");
  }
  machine::MachineOrError machine = machine::loadMachine(options.machine);
  return machine ? Status::success() : Status::failure(machine.error);
}

Status checkInputs(const Program &program,
                   const std::vector<PortTensors> &inputs) {
  if (inputs.size() != program.inputs().size())
    return error("expects ", program.inputs().size(), " inputs, but got ",
                 inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Port &port = program.inputs()[i];
    const ValueType &type = program.values()[port.value];
    size_t count = type.placement == Placement::Whole
                       ? 1
                       : static_cast<size_t>(program.deviceCount());
    if (inputs[i].size() != count)
      return error("expects ", count, " tensors for input '", port.name,
                   "', but got ", inputs[i].size());
    for (const Tensor &tensor : inputs[i])
      if (tensor.element() != type.element || tensor.shape() != type.shape ||
          !tensor.data())
        return error("expects input '", port.name, "' to be ", describe(type),
                     ", but got ",
                     tensor.shape().empty() ? "a scalar"
                                            : describe(tensor.shape()),
                     " of ", nameOf(tensor.element()));
  }
  return Status::success();
}

namespace {

/// All runs give the same outputs, so those of the last stand for all.
Result<RunResult> runRepeatedly(Backend &backend, const Program &program,
                                const std::vector<PortTensors> &inputs,
                                const RunOptions &options) {
  std::vector<RunResult> results;
  std::vector<PortTensors> outputs;
  for (int i = 0; i < options.repeat; ++i) {
    outputs.clear();
    Result<RunResult> result = backend.run(program, inputs, options);
    if (!result)
      return result;
    outputs = std::move(result->outputs);
    results.push_back(std::move(*result));
  }
  auto median = results.begin() + (options.repeat - 1) / 2;
  std::nth_element(results.begin(), median, results.end(),
                   [](const RunResult &a, const RunResult &b) {
                     return a.seconds < b.seconds;
                   });
  median->outputs = std::move(outputs);
  return std::move(*median);
}

} // namespace

Result<RunResult> run(const Program &program,
                      const std::vector<PortTensors> &inputs,
                      const RunOptions &options) {
  bool simulates = options.backend == "sim";
  if (!simulates && !options.machine.empty())
    return error("expects the backend sim with a machine, but got '",
                 options.backend, "'");
  if (!simulates)
    if (Status status = checkInputs(program, inputs); !status)
      return status;
  Result<std::unique_ptr<Backend>> backend = makeBackend(options.backend);
  if (!backend)
    return backend.status();
  bool repeats = options.backend == "cpu" || options.backend == "tile" ||
                 options.backend == "metal";
  if (options.repeat < 1 || (options.repeat > 1 && !repeats))
    return error(
        "expects one run, or more with the backend cpu, tile or metal, "
        "but got ",
        options.repeat, " with '", options.backend, "'");
  return runRepeatedly(**backend, program, inputs, options);
}

/// What the integers of each input may be, by how instructions use them: as
/// they are, or after they were moved about.
static std::vector<IndexRange> indexRangesOf(const Program &program) {
  constexpr int32_t kNone = -1;
  std::vector<int32_t> portOf(program.values().size(), kNone);
  std::vector<IndexRange> ranges;
  for (const Port &port : program.inputs()) {
    if (!isFloat(program.values()[port.value].element))
      portOf[port.value] = static_cast<int32_t>(ranges.size());
    ranges.push_back({port.limit, false});
  }
  for (size_t index = 0; index < program.instructions().size(); ++index) {
    const Op &op = *opTable().find(program.instructions()[index].op);
    OpTypes types(program, index);
    for (size_t i = 0; i < types.inputCount(); ++i) {
      if (!types.input(i) || portOf[types.inputValue(i)] == kNone)
        continue;
      int32_t port = portOf[types.inputValue(i)];
      std::optional<IndexRange> range =
          op.signature.indices ? op.signature.indices(types, i) : std::nullopt;
      if (!range) {
        for (int32_t output : types.instruction().outputs)
          if (output != kAbsent && !op.computes() &&
              !isFloat(program.values()[output].element))
            portOf[output] = port;
        continue;
      }
      IndexRange &known = ranges[port];
      known.distinct |= range->distinct;
      known.limit =
          known.limit > 0 ? std::min(known.limit, range->limit) : range->limit;
    }
  }
  return ranges;
}

Result<std::vector<PortTensors>> generateInputs(const Program &program,
                                                uint64_t seed,
                                                Distribution distribution) {
  std::vector<PortTensors> inputs;
  std::vector<IndexRange> ranges = indexRangesOf(program);
  uint64_t stream = 0;
  for (const Port &port : program.inputs()) {
    const ValueType &type = program.values()[port.value];
    int64_t count =
        type.placement == Placement::Whole ? 1 : program.deviceCount();
    PortTensors tensors;
    for (int64_t i = 0; i < count; ++i) {
      const IndexRange &range = ranges[inputs.size()];
      Result<Tensor> tensor =
          generate(type.element, type.shape, seed, stream++, distribution,
                   range.limit, range.distinct);
      if (!tensor)
        return error("input '", port.name, "': ", tensor.message());
      tensors.push_back(*tensor);
    }
    inputs.push_back(std::move(tensors));
  }
  return inputs;
}

Result<Tensor> stack(const PortTensors &shards) {
  if (shards.empty())
    return error("expects at least one shard, but got none");
  Shape shape = shards[0].shape();
  shape.insert(shape.begin(), static_cast<int64_t>(shards.size()));
  // Tiles of 1-D shards are not those of the 2-D stack, and scalars must not
  // come to share an exponent: f32 has all their bits.
  if (isBlockFormat(shards[0].element()) && shape.size() <= 2) {
    std::vector<double> numbers;
    for (const Tensor &shard : shards)
      for (double number : shard.numbers())
        numbers.push_back(number);
    return Tensor::fromNumbers(ElementType::F32, shape, numbers);
  }
  Result<Tensor> whole = Tensor::zeros(shards[0].element(), shape);
  if (!whole)
    return whole;
  for (size_t i = 0; i < shards.size(); ++i)
    std::memcpy(whole->data() + i * shards[i].bytes(), shards[i].data(),
                shards[i].bytes());
  return whole;
}

Result<PortTensors> unstack(const Tensor &stacked, int64_t devices) {
  if (stacked.shape().empty() || stacked.shape()[0] != devices)
    return error("expects ", devices, " shards in front, but got the shape ",
                 describe(stacked.shape()));
  Shape shape(stacked.shape().begin() + 1, stacked.shape().end());
  PortTensors shards;
  bool flat = isBlockFormat(stacked.element()) && stacked.shape().size() <= 2;
  std::vector<double> numbers;
  if (flat)
    numbers = stacked.numbers();
  int64_t bytes = stacked.bytes() / devices;
  for (int64_t i = 0; i < devices; ++i) {
    Result<Tensor> shard =
        flat ? Tensor::fromNumbers(stacked.element(), shape,
                                   numbers.data() + i * elementCount(shape))
             : Tensor::copyOf(stacked.element(), shape,
                              stacked.data() + i * bytes);
    if (!shard)
      return shard.status();
    shards.push_back(*shard);
  }
  return shards;
}

} // namespace ring::rt
