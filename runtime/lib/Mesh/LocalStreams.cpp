// SPDX-License-Identifier: Apache-2.0
//
// Setting up, binding, running.

#include "Mesh/LocalStreams.h"

#include <algorithm>
#include <cassert>

namespace ring::rt {

namespace {

/// The place of a stream among those of this process, or their number.
size_t placeOf(const std::vector<int64_t> &here, int64_t stream) {
  auto found = std::lower_bound(here.begin(), here.end(), stream);
  if (found == here.end() || *found != stream)
    return here.size();
  return static_cast<size_t>(found - here.begin());
}

} // namespace

MeshRun::MeshRun(const Program &program, int threads, const RunOptions &options,
                 std::vector<int64_t> here, PostCarrier *carrier,
                 std::shared_ptr<MemoryPool> pool)
    : program(program), options(options), here(std::move(here)),
      carrier(carrier), pool(std::move(pool)), scheduler(threads, carrier),
      board(program.instructions().size(), program.deviceCount() + 1,
            [this](size_t stream) {
              scheduler.wake(placeOf(this->here, static_cast<int64_t>(stream)));
            }),
      start(std::chrono::steady_clock::now()), sent(program.deviceCount() + 1),
      received(program.deviceCount() + 1) {
  for (const Instruction &step : program.instructions())
    ops.push_back(opTable().find(step.op));
  isOutput.resize(program.values().size(), false);
  for (const Port &port : program.outputs())
    isOutput[port.value] = true;
  if (carrier)
    carrier->deliverTo([this](size_t instruction, int64_t source,
                              std::vector<StorageRef> operands) {
      board.post(instruction, source, std::move(operands),
                 readersHere(instruction));
    });
}

/// Everybody who holds a result reads; a whole result has one holder.
int64_t MeshRun::readersHere(size_t index) const {
  const Instruction &step = program.instructions()[index];
  bool whole = program.values()[step.outputs[0]].placement == Placement::Whole;
  int64_t host = program.deviceCount();
  int64_t hosts = !here.empty() && here.back() == host ? 1 : 0;
  return whole ? hosts : static_cast<int64_t>(here.size()) - hosts;
}

void MeshRun::countTransfer(int64_t source, int64_t target, int64_t bytes) {
  if (source == target)
    return;
  sent[source] += bytes;
  received[target] += bytes;
  if (!options.trace)
    return;
  std::lock_guard<std::mutex> lock(trafficMutex);
  traffic[{source, target}] += bytes;
}

std::vector<LinkLoad> MeshRun::linkLoads() const {
  std::vector<LinkLoad> loads;
  int64_t host = program.deviceCount();
  for (const auto &[ends, bytes] : traffic)
    if (ends.first != host && ends.second != host)
      loads.push_back({ends.first, ends.second, bytes});
  return loads;
}

StorageRef MeshRun::once(size_t index,
                         const std::function<StorageRef()> &make) {
  std::lock_guard<std::mutex> lock(onceMutex);
  StorageRef &storage = made[index];
  if (!storage)
    storage = make();
  return storage;
}

StorageRef MeshRun::shareInGroup(size_t index, int64_t group,
                                 TensorPieces pieces) {
  std::lock_guard<std::mutex> lock(onceMutex);
  std::weak_ptr<Storage> &known = shared[{index, group}];
  StorageRef storage = known.lock();
  if (!storage)
    known = storage = Storage::inPieces(std::move(pieces));
  return storage;
}

double MeshRun::now() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

void MeshRun::countDone() {
  int64_t finished = ++done;
  if (!options.progress)
    return;
  constexpr double kSecondsBetween = 0.2;
  std::lock_guard<std::mutex> lock(progressMutex);
  if (now() - lastProgress < kSecondsBetween && finished != all)
    return;
  lastProgress = now();
  options.progress(finished, all);
}

LocalStreams::LocalStreams(MeshRun &mesh) : mesh(mesh) {
  const Program &program = mesh.program;
  for (int64_t stream : mesh.here) {
    bool isDevice = stream < program.deviceCount();
    streams.push_back(std::make_unique<DeviceStream>(
        mesh, stream, isDevice ? mesh.options.deviceMemory : 0));
    for (size_t step = 0; step < program.instructions().size(); ++step)
      mesh.all += streams.back()->takesPart(step);
  }
}

bool LocalStreams::has(int64_t stream) const {
  return placeOf(mesh.here, stream) < streams.size();
}

DeviceStream &LocalStreams::at(int64_t stream) {
  assert(has(stream) && "expects a stream of this process");
  return *streams[placeOf(mesh.here, stream)];
}

Status LocalStreams::bind(const std::vector<PortTensors> &inputs) {
  for (size_t port = 0; port < inputs.size(); ++port) {
    int32_t value = mesh.program.inputs()[port].value;
    Placement placement = mesh.program.values()[value].placement;
    std::vector<int64_t> holders = holdersOf(mesh.program, placement);
    for (size_t i = 0; i < holders.size(); ++i) {
      if (!has(holders[i]))
        continue;
      Status status =
          at(holders[i]).bind(value, Storage::wrap(inputs[port][i].shared()));
      if (!status)
        return status;
    }
  }
  return Status::success();
}

Status LocalStreams::run() {
  std::vector<Stream *> pointers;
  for (const std::unique_ptr<DeviceStream> &stream : streams)
    pointers.push_back(stream.get());
  mesh.start = std::chrono::steady_clock::now();
  return mesh.scheduler.run(pointers);
}

Tensor LocalStreams::tensorOf(int64_t stream, int32_t value) {
  const ValueType &type = mesh.program.values()[value];
  return Tensor::share(type.element, type.shape,
                       at(stream).valueOf(value)->share());
}

std::vector<int64_t> holdersOf(const Program &program, Placement placement) {
  if (placement == Placement::Whole)
    return {program.deviceCount()};
  std::vector<int64_t> devices;
  for (int64_t i = 0; i < program.deviceCount(); ++i)
    devices.push_back(i);
  return devices;
}

int threadsOr(const RunOptions &options, int otherwise) {
  return std::max(1, options.threads > 0 ? options.threads : otherwise);
}

} // namespace ring::rt
