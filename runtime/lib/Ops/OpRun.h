// SPDX-License-Identifier: Apache-2.0
//
// What an op sees while it runs on a device: data, threads, and the operands of
// the devices it exchanges with.

#ifndef RING_RUNTIME_OPS_OPRUN_H
#define RING_RUNTIME_OPS_OPRUN_H

#include "Memory/Storage.h"
#include "Ops/OpTypes.h"

#include <functional>

namespace ring::rt {

/// What the executor provides to the ops of one run.
class RunServices {
public:
  virtual ~RunServices() = default;
  /// Operand `i` that device `source` posted for instruction `index`.
  virtual const StorageRef &posted(size_t index, int64_t source, size_t i) = 0;
  /// Memory for what an op makes; null if there is none.
  virtual Bytes allocate(int64_t size) = 0;
  /// What `make` makes, made once for all devices of the run.
  virtual StorageRef once(size_t index,
                          const std::function<StorageRef()> &make) = 0;
  /// Calls `body(begin, end, scratch)` for ranges that make up [0, items), on
  /// this thread and on threads without work. Each call has `scratchBytes` of
  /// memory of its own. `grain` items are taken at a time. Fails if there is no
  /// memory for the scratch, and leaves the rest undone if another process
  /// cannot go on: a kernel may take minutes.
  virtual Status
  parallelFor(int64_t items, int64_t grain, int64_t scratchBytes,
              const std::function<void(int64_t, int64_t, void *)> &body) = 0;
  /// Takes part in a kernel that another thread has open, if there is one: for
  /// a thread that waits for that other one. False if there is none.
  virtual bool help() = 0;
};

/// One op on one device. Block formats do not show: `input` is bf16 that the
/// executor unpacked, and `output` is f32 (bf16 for ops that move elements as
/// they are), which the executor packs afterwards.
class OpRun {
public:
  OpRun(const OpTypes &types, int64_t stream, RunServices &services)
      : types(types), stream(stream), services(services) {}

  /// The device's number; the host has the one after the last device.
  int64_t device() const { return stream; }

  const uint8_t *input(size_t i) const { return readable[i]->data(); }
  uint8_t *output(size_t i) const { return outputs[i]->mutableData(); }
  bool hasInput(size_t i) const { return types.inputValue(i) != kAbsent; }
  bool hasOutput(size_t i) const { return types.outputValue(i) != kAbsent; }
  /// How the elements of an operand are held.
  ElementType inputElement(size_t i) const;
  ElementType outputElement(size_t i) const;

  /// What holds an operand, block formats packed.
  const StorageRef &inputStorage(size_t i) const { return inputs[i]; }
  /// What holds what `input` gives.
  const StorageRef &readableStorage(size_t i) const { return readable[i]; }
  /// Bytes of what `output` gives while the op runs.
  int64_t outputBytes(size_t i) const;
  /// What device `source` posted as operand `i`, block formats packed.
  const StorageRef &peer(int64_t source, size_t i) const {
    return services.posted(types.index(), source, i);
  }
  /// The same in one place, unpacked to bf16 if it is of a block format.
  Result<StorageRef> readPeer(int64_t source, size_t i);
  /// A tensor of that type in one place: written down if it is in pieces.
  Result<StorageRef> inOnePlace(const StorageRef &storage,
                                const ValueType &type);
  /// The elements of a packed block tensor as bf16.
  Result<StorageRef> unpack(const StorageRef &packed, const ValueType &type);
  /// Memory of that size, with anything in it; null if there is none.
  Bytes allocate(int64_t size) { return services.allocate(size); }
  StorageRef allocateStorage(int64_t size);
  /// Makes a result share storage.
  void shareOutput(size_t i, StorageRef storage) {
    outputs[i] = std::move(storage);
  }
  /// Shares what `make` makes once for all devices.
  Status shareOnce(size_t i, const std::function<StorageRef()> &make);

  /// Spreads `items` over threads; see RunServices::parallelFor.
  Status
  parallelFor(int64_t items, int64_t grain, int64_t scratchBytes,
              const std::function<void(int64_t, int64_t, void *)> &body) {
    return services.parallelFor(items, grain, scratchBytes, body);
  }
  Status parallelFor(int64_t items, int64_t grain,
                     const std::function<void(int64_t, int64_t)> &body) {
    return parallelFor(
        items, grain, 0,
        [&](int64_t begin, int64_t end, void *) { body(begin, end); });
  }

  /// Takes part in what another thread is at; see RunServices::help.
  bool help() { return services.help(); }

  const OpTypes types;
  std::vector<StorageRef> inputs;
  std::vector<StorageRef> readable; ///< the inputs, block formats unpacked
  std::vector<StorageRef> outputs;
  bool keepsQueries = false; ///< whether the op packs them for those behind it
  /// What it took to make operands readable; see DeviceStatistics.
  int64_t writtenDownBytes = 0;
  int64_t packedBytes = 0;

private:
  int64_t stream;
  RunServices &services;
};

/// bf16 for the block formats, which are read that way.
ElementType heldElement(ElementType element);
/// f32 for the block formats, whose rows are packed when they are complete.
ElementType computedElement(ElementType element);

} // namespace ring::rt

#endif // RING_RUNTIME_OPS_OPRUN_H
