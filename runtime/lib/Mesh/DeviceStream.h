// SPDX-License-Identifier: Apache-2.0
//
// One virtual device, or the host: its values, its memory, and its place in the
// list of instructions.

#ifndef RING_RUNTIME_MESH_DEVICESTREAM_H
#define RING_RUNTIME_MESH_DEVICESTREAM_H

#include "Memory/MemoryPool.h"
#include "Mesh/PostBoard.h"
#include "Mesh/StreamScheduler.h"
#include "Mesh/ValueAccount.h"
#include "Ops/Op.h"
#include "Ops/OpRun.h"
#include "ring-runtime/Runtime.h"

#include <chrono>

namespace ring::rt {

/// What the streams of one run share.
struct MeshRun : RunServices {
  /// `here` are the streams of this process, in order. Where they are not all,
  /// `carrier` connects them with the others. `pool` may have memory of earlier
  /// runs.
  MeshRun(const Program &program, int threads, const RunOptions &options,
          std::vector<int64_t> here, PostCarrier *carrier = nullptr,
          std::shared_ptr<MemoryPool> pool = MemoryPool::make());

  const StorageRef &posted(size_t index, int64_t source, size_t i) override {
    return board.get(index, source, i);
  }
  /// Notes that `bytes` came from `source`.
  void countTransfer(int64_t source, int64_t target, int64_t bytes);
  Bytes allocate(int64_t size) override { return pool->allocate(size); }
  StorageRef once(size_t index,
                  const std::function<StorageRef()> &make) override;
  Status parallelFor(
      int64_t items, int64_t grain, int64_t scratchBytes,
      const std::function<void(int64_t, int64_t, void *)> &body) override {
    return scheduler.parallelFor(items, grain, scratchBytes, body);
  }
  bool help() override { return scheduler.help(); }
  /// The pieces that `group` shares as the result of an instruction, as long as
  /// one of it has them.
  StorageRef shareInGroup(size_t index, int64_t group, TensorPieces pieces);
  /// How many streams of this process read the posts of an instruction.
  int64_t readersHere(size_t index) const;
  /// The traffic between devices, the host left out.
  std::vector<LinkLoad> linkLoads() const;
  /// Seconds from the start of the run.
  double now() const;
  /// Counts an instruction and reports from time to time.
  void countDone();

  const Program &program;
  const RunOptions &options;
  std::vector<int64_t> here; ///< streams; their places are the scheduler's
  PostCarrier *carrier;
  std::shared_ptr<MemoryPool> pool;
  StreamScheduler scheduler;
  PostBoard board;
  std::vector<const Op *> ops; ///< by instruction
  std::vector<bool> isOutput;  ///< by value: of the program
  std::chrono::steady_clock::time_point start;

  std::mutex onceMutex;
  std::map<size_t, StorageRef> made;
  std::map<std::pair<size_t, int64_t>, std::weak_ptr<Storage>> shared;
  std::vector<std::atomic<int64_t>> sent;     ///< bytes, by stream
  std::vector<std::atomic<int64_t>> received; ///< bytes, by stream
  std::mutex trafficMutex;
  /// Bytes by source and target; kept for traces only.
  std::map<std::pair<int64_t, int64_t>, int64_t> traffic;
  std::atomic<int64_t> done{0};
  int64_t all = 0;
  std::mutex progressMutex;
  double lastProgress = 0;
};

/// Runs the instructions of one device, or those of the host.
class DeviceStream final : public Stream {
public:
  /// `stream` is the device's number; the number of devices is the host's.
  DeviceStream(MeshRun &mesh, int64_t stream, int64_t memoryLimit);

  /// Gives an input its value.
  Status bind(int32_t value, StorageRef storage);

  Outcome advance() override;
  Status failure() const override { return outcome; }
  std::string waitingFor() const override;

  const StorageRef &valueOf(int32_t value) const { return values[value]; }
  DeviceStatistics takeStatistics();
  std::vector<TraceEvent> takeTrace() { return std::move(trace); }
  /// Whether the stream takes part in an instruction.
  bool takesPart(size_t index) const;

private:
  bool isHost() const { return stream == mesh.program.deviceCount(); }
  bool holds(const ValueType &type) const {
    return (type.placement == Placement::Whole) == isHost();
  }
  std::string nameOf() const;
  bool reads(size_t index) const;
  bool writes(size_t index) const;

  /// Runs the instruction at `pc`; false if it has to wait.
  Result<bool> execute();
  Status post(size_t index);
  Status findSources(size_t index, const Op &op);
  bool awaits(size_t index);
  Status compute(const Op &op, const OpTypes &types, bool intoBuffers);
  Status writeInputsDown(const Op &op, OpRun &run);
  Result<bool> leaveInPieces(const Op &op, OpRun &run);
  Status runOp(const Op &op, OpRun &run);
  Status prepareOutputs(const Op &op, OpRun &run);
  Status unpackInputs(const Op &op, OpRun &run);
  Status packOutputs(const Op &op, OpRun &run);
  void releaseDead();
  void note(const Op &op, const OpTypes &types, const TraceEvent &event);

  MeshRun &mesh;
  int64_t stream;
  ValueAccount account;
  std::vector<StorageRef> values;
  size_t pc = 0;
  bool hasPosted = false; ///< the instruction at pc
  bool knowsSources = false;
  std::vector<int64_t> sources;
  size_t missing = 0; ///< of the sources
  Status outcome = Status::success();
  DeviceStatistics statistics;
  std::vector<TraceEvent> trace;
};

} // namespace ring::rt

#endif // RING_RUNTIME_MESH_DEVICESTREAM_H
