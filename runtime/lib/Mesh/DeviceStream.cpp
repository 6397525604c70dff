// SPDX-License-Identifier: Apache-2.0
//
// How an instruction runs on a device: post what others read, wait for what
// others post, take memory, compute, give back what nobody reads any more.

#include "Mesh/DeviceStream.h"

#include "Data/BlockTensor.h"
#include "Ops/PieceMoves.h"
#include "Ops/PieceWriter.h"

#include <algorithm>
#include <cstring>

namespace ring::rt {

DeviceStream::DeviceStream(MeshRun &mesh, int64_t stream, int64_t memoryLimit)
    : mesh(mesh), stream(stream), account(mesh.program, memoryLimit),
      values(mesh.program.values().size()) {}

std::string DeviceStream::nameOf() const {
  return isHost() ? "the host" : "device " + std::to_string(stream);
}

Status DeviceStream::bind(int32_t value, StorageRef storage) {
  if (Status status = account.charge(value); !status)
    return status.in(nameOf());
  values[value] = std::move(storage);
  return Status::success();
}

bool DeviceStream::reads(size_t index) const {
  for (int32_t value : mesh.program.instructions()[index].inputs)
    if (value != kAbsent && holds(mesh.program.values()[value]))
      return true;
  return false;
}

bool DeviceStream::writes(size_t index) const {
  for (int32_t value : mesh.program.instructions()[index].outputs)
    if (value != kAbsent && holds(mesh.program.values()[value]))
      return true;
  return false;
}

bool DeviceStream::takesPart(size_t index) const {
  return reads(index) || writes(index);
}

std::string DeviceStream::waitingFor() const {
  std::string text = nameOf() + " waits at instruction " + std::to_string(pc);
  if (pc < mesh.program.instructions().size())
    text += " '" + mesh.program.text(pc) + "'";
  if (missing < sources.size())
    text += " for device " + std::to_string(sources[missing]);
  return text;
}

Stream::Outcome DeviceStream::advance() {
  const size_t count = mesh.program.instructions().size();
  while (pc < count) {
    if (!takesPart(pc)) {
      ++pc;
      continue;
    }
    Result<bool> finished = execute();
    if (!finished) {
      const Instruction &step = mesh.program.instructions()[pc];
      outcome = finished.status().in(
          nameOf() + ", instruction " + std::to_string(pc) + " '" + step.op +
          "'" + (step.location.empty() ? "" : " at " + step.location));
      return Outcome::Failed;
    }
    if (!*finished)
      return Outcome::Blocked;
    releaseDead();
    mesh.countDone();
    if (mesh.carrier)
      mesh.carrier->poll();
    hasPosted = false;
    knowsSources = false;
    sources.clear();
    missing = 0;
    ++pc;
  }
  statistics.seconds = mesh.now();
  return Outcome::Finished;
}

/// Operands in pieces go as they are to ops that take them so; other processes
/// have no use for pieces of this one's memory.
Status DeviceStream::post(size_t index) {
  const Instruction &step = mesh.program.instructions()[index];
  const Op &op = *mesh.ops[index];
  OpRun run(OpTypes(mesh.program, index), stream, mesh);
  std::vector<StorageRef> operands;
  for (size_t i = 0; i < step.inputs.size(); ++i) {
    int32_t value = step.inputs[i];
    operands.push_back(value == kAbsent ? nullptr : values[value]);
    const TensorPieces *pieces = operands[i] ? operands[i]->pieces() : nullptr;
    if (!pieces || (!mesh.carrier && !op.needsOnePlace(run.types, i, *pieces)))
      continue;
    Result<StorageRef> dense = run.inOnePlace(operands[i], *run.types.input(i));
    if (!dense)
      return dense.status();
    operands[i] = *dense;
  }
  if (mesh.carrier)
    mesh.carrier->send(index, stream, operands);
  if (int64_t readers = mesh.readersHere(index))
    mesh.board.post(index, stream, std::move(operands), readers);
  return Status::success();
}

/// Asks the op whom it reads, and has what comes from other processes sent.
Status DeviceStream::findSources(size_t index, const Op &op) {
  if (knowsSources)
    return Status::success();
  op.exchange.sources(OpTypes(mesh.program, index), stream, sources);
  knowsSources = true;
  for (size_t i = 0; mesh.carrier && i < sources.size(); ++i)
    if (Status status = mesh.carrier->expect(index, sources[i]); !status)
      return status;
  return Status::success();
}

/// Looks whether everything the instruction reads of others is there.
bool DeviceStream::awaits(size_t index) {
  missing = mesh.board.firstMissing(index, sources, missing, stream);
  return missing < sources.size();
}

Result<bool> DeviceStream::execute() {
  const Op &op = *mesh.ops[pc];
  OpTypes types(mesh.program, pc);
  switch (op.role) {
  case Op::Role::Buffer:
    if (Status status = account.charge(types.outputValue(0)); !status)
      return status;
    return true;
  case Op::Role::Start:
    if (Status status = post(pc); !status)
      return status;
    // The transfer may arrive from now on; the wait asks again.
    if (Status status = findSources(pc, op); !status)
      return status;
    return true;
  case Op::Role::Wait: {
    size_t start = mesh.program.startOf(pc);
    const Op &transfer = *mesh.ops[start];
    if (Status status = findSources(start, transfer); !status)
      return status;
    if (awaits(start))
      return false;
    Status status = compute(transfer, OpTypes(mesh.program, start, pc),
                            /*intoBuffers=*/true);
    mesh.board.finishReading(start);
    if (!status)
      return status;
    return true;
  }
  case Op::Role::Compute:
    break;
  }
  if (op.exchanges()) {
    if (!hasPosted && reads(pc))
      if (Status status = post(pc); !status)
        return status;
    hasPosted = true;
    if (!writes(pc))
      return true;
    if (Status status = findSources(pc, op); !status)
      return status;
    if (awaits(pc))
      return false;
  }
  Status status = compute(op, types, /*intoBuffers=*/false);
  if (op.exchanges())
    mesh.board.finishReading(pc);
  if (!status)
    return status;
  return true;
}

Status DeviceStream::prepareOutputs(const Op &op, OpRun &run) {
  const OpTypes &types = run.types;
  run.outputs.resize(types.outputCount());
  for (size_t i = 0; i < types.outputCount(); ++i) {
    int32_t value = types.outputValue(i);
    if (value == kAbsent)
      continue;
    const ValueType &type = *types.output(i);
    bool inPlace = i == 0 && op.access.inPlaceInput >= 0;
    if (op.access.shares)
      continue;
    if (inPlace) {
      StorageRef &state = run.inputs[op.access.inPlaceInput];
      // Two references: the value's and the run's own.
      if (account.takesOver(pc, op, types) && state.use_count() == 2 &&
          state == values[types.inputValue(op.access.inPlaceInput)] &&
          !state->pieces() && !state->isForeign()) {
        state->forgetPacked();
        run.outputs[i] = state;
        continue;
      }
    }
    run.outputs[i] = run.allocateStorage(run.outputBytes(i));
    if (!run.outputs[i])
      return error("there is no memory for ",
                   describeValue(mesh.program, value));
    if (inPlace && !op.access.overwrites)
      std::memcpy(run.outputs[i]->mutableData(),
                  run.inputs[op.access.inPlaceInput]->data(), heldBytes(type));
  }
  return Status::success();
}

/// The first columns of an operand before, in the place where that one was
/// written down: values in keys. Nothing if operand `i` is no such.
static StorageRef columnsOfWritten(const Op &op, const OpRun &run,
                                   const std::vector<StorageRef> &given,
                                   size_t i) {
  const Shape &shape = run.types.input(i)->shape;
  for (size_t j = 0; j < i; ++j) {
    if (!given[j] || given[j] == run.inputs[j] || !given[j]->pieces())
      continue;
    const ValueType &whole = *run.types.input(j);
    Shape row = shape;
    if (!row.empty() && row.size() == whole.shape.size())
      row.back() = whole.shape.back();
    if (row != whole.shape || whole.element != run.types.input(i)->element)
      continue;
    SliceBounds bounds{std::vector<int64_t>(shape.size(), 0),
                       std::vector<int64_t>(shape.size(), 1), shape};
    auto before = slicePieces(*given[j]->pieces(), whole.shape, bounds);
    if (!before || !(*before == *given[i]->pieces()))
      continue;
    auto columns =
        slicePieces(piecesOf(run.inputs[j], whole.shape), whole.shape, bounds);
    if (columns && !op.needsOnePlace(run.types, i, *columns))
      return Storage::inPieces(std::move(*columns));
  }
  return nullptr;
}

/// Has operands in pieces written down, but for those that the op takes so.
Status DeviceStream::writeInputsDown(const Op &op, OpRun &run) {
  const std::vector<StorageRef> given = run.inputs;
  for (size_t i = 0; i < run.inputs.size(); ++i) {
    const TensorPieces *pieces =
        run.inputs[i] ? run.inputs[i]->pieces() : nullptr;
    if (!pieces || !op.needsOnePlace(run.types, i, *pieces))
      continue;
    if (StorageRef columns = columnsOfWritten(op, run, given, i)) {
      run.inputs[i] = std::move(columns);
      continue;
    }
    Result<StorageRef> dense =
        run.inOnePlace(run.inputs[i], *run.types.input(i));
    if (!dense)
      return dense.status();
    run.inputs[i] = *dense;
  }
  return Status::success();
}

/// Where an op only moves elements: leaves them where they are, or writes them
/// down if this is where the program ends. False if the op has to run.
Result<bool> DeviceStream::leaveInPieces(const Op &op, OpRun &run) {
  const ValueType *type = run.types.output(0);
  if (!op.access.pieces || !type || isBlockFormat(type->element) ||
      elementCount(type->shape) == 0)
    return false;
  for (size_t i = 0; i < run.types.inputCount(); ++i)
    if (const ValueType *operand = run.types.input(i);
        !operand || operand->element != type->element ||
        elementCount(operand->shape) == 0)
      return false;
  std::optional<TensorPieces> found = op.access.pieces(run);
  if (!found)
    return false;
  run.outputs.resize(run.types.outputCount());
  const TensorPiece *all =
      found->pieces.size() == 1 ? &found->pieces.front() : nullptr;
  bool inOnePlace = all && found->covers && all->from == 0 &&
                    all->sizes.size() <= 1 &&
                    (all->sizes.empty() || all->fromStrides[0] == 1);
  if (!mesh.isOutput[run.types.outputValue(0)]) {
    if (inOnePlace)
      run.outputs[0] = all->source;
    else if (op.access.sharedBy)
      run.outputs[0] = mesh.shareInGroup(run.types.index(),
                                         op.access.sharedBy(run.types, stream),
                                         std::move(*found));
    else
      run.outputs[0] = Storage::inPieces(std::move(*found), run.inputs);
    return true;
  }
  run.outputs[0] = run.allocateStorage(run.outputBytes(0));
  if (!run.outputs[0])
    return error("there is no memory for ",
                 describeValue(mesh.program, run.types.outputValue(0)));
  if (Status status =
          writePieces(run, *found, type->element, elementCount(type->shape),
                      run.outputs[0]->mutableData());
      !status)
    return status;
  return true;
}

/// Makes operands of block formats readable element by element.
Status DeviceStream::unpackInputs(const Op &op, OpRun &run) {
  run.readable = run.inputs;
  for (size_t i = 0; i < run.inputs.size(); ++i) {
    if (!op.needsUnpacked(run.types, i))
      continue;
    Result<StorageRef> unpacked =
        run.unpack(run.inputs[i], *run.types.input(i));
    if (!unpacked)
      return unpacked.status();
    run.readable[i] = *unpacked;
  }
  return Status::success();
}

/// Packs results of block formats into their tiles.
Status DeviceStream::packOutputs(const Op &op, OpRun &run) {
  for (size_t i = 0; i < run.outputs.size(); ++i) {
    const ValueType *type = run.types.output(i);
    if (!type || op.access.shares || !isBlockFormat(type->element))
      continue;
    StorageRef packed = run.allocateStorage(heldBytes(*type));
    if (!packed)
      return error("there is no memory for ", heldBytes(*type), " bytes");
    BlockTensor blocks(type->element, type->shape);
    const uint8_t *elements = run.outputs[i]->data();
    bool wide = op.outputElement(*type) == ElementType::F32;
    Status status = run.parallelFor(
        blocks.strips(), blocks.grain(), [&](int64_t begin, int64_t end) {
          if (wide)
            blocks.pack(reinterpret_cast<const float *>(elements),
                        packed->mutableData(), begin, end);
          else
            blocks.pack(reinterpret_cast<const uint16_t *>(elements),
                        packed->mutableData(), begin, end);
        });
    if (!status)
      return status;
    run.outputs[i] = std::move(packed);
  }
  return Status::success();
}

Status DeviceStream::runOp(const Op &op, OpRun &run) {
  if (Status status = writeInputsDown(op, run); !status)
    return status;
  if (Status status = prepareOutputs(op, run); !status)
    return status;
  if (Status status = unpackInputs(op, run); !status)
    return status;
  if (Status status = op.run(run); !status)
    return status;
  // What leaves the program is in one place, also where it was only shared.
  for (size_t i = 0; op.access.shares && i < run.outputs.size(); ++i) {
    int32_t value = run.types.outputValue(i);
    if (value == kAbsent || !mesh.isOutput[value])
      continue;
    Result<StorageRef> dense =
        run.inOnePlace(run.outputs[i], *run.types.output(i));
    if (!dense)
      return dense.status();
    run.outputs[i] = *dense;
  }
  return packOutputs(op, run);
}

Status DeviceStream::compute(const Op &op, const OpTypes &types,
                             bool intoBuffers) {
  TraceEvent event{stream, pc, mesh.now()};
  {
    OpRun run(types, stream, mesh);
    for (size_t i = 0; i < types.inputCount(); ++i) {
      int32_t value = types.inputValue(i);
      run.inputs.push_back(value == kAbsent ? nullptr : values[value]);
    }
    if (Status status = account.chargeResults(pc, op, types, intoBuffers,
                                              mesh.scheduler.threadCount());
        !status)
      return status;
    run.keepsQueries = op.costs.packedBytes && op.costs.packedBytes(types) > 0;
    event.heldBytes = account.memory().heldBytes();
    Result<bool> left = leaveInPieces(op, run);
    if (!left)
      return left.status();
    if (!*left)
      if (Status status = runOp(op, run); !status)
        return status;
    statistics.writtenDownBytes += run.writtenDownBytes;
    statistics.packedBytes += run.packedBytes;
    for (size_t i = 0; i < types.outputCount(); ++i)
      if (types.outputValue(i) != kAbsent)
        values[types.outputValue(i)] = std::move(run.outputs[i]);
  }
  event.end = mesh.now();
  note(op, types, event);
  return Status::success();
}

void DeviceStream::releaseDead() {
  account.releaseDead(pc);
  for (int32_t value : mesh.program.diesAfter(pc))
    values[value] = nullptr;
}

void DeviceStream::note(const Op &op, const OpTypes &types,
                        const TraceEvent &event) {
  // A transfer that was started runs under the name of its wait.
  const std::string &name = mesh.program.instructions()[pc].op;
  OpStatistics &entry = statistics.ops[name];
  ++entry.count;
  entry.seconds += event.end - event.begin;
  double flops = op.costs.flops ? op.costs.flops(types, stream) : 0;
  entry.flops += flops;
  statistics.flops += flops;
  entry.bytes += bytesTouched(types);
  if (op.exchange.arrivals) {
    std::vector<Arrival> arrivals;
    op.exchange.arrivals(types, stream, arrivals);
    for (const Arrival &arrival : arrivals)
      mesh.countTransfer(arrival.source, stream, arrival.bytes);
  }
  statistics.busySeconds += event.end - event.begin;
  if (mesh.options.trace)
    trace.push_back(event);
}

DeviceStatistics DeviceStream::takeStatistics() {
  statistics.bytesSent = mesh.sent[stream];
  statistics.bytesReceived = mesh.received[stream];
  statistics.peakBytes = account.memory().peakBytes();
  statistics.peakKeyValueBytes = account.memory().peakKeyValueBytes();
  statistics.scratchBytes = account.memory().scratchBytes();
  return std::move(statistics);
}

} // namespace ring::rt
