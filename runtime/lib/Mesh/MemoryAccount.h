// SPDX-License-Identifier: Apache-2.0
//
// What a device holds, against what it may hold. Charges follow the program
// alone, never the timing of threads, so a program fits or does not fit every
// time. What the kernels of the CPU work in is noted apart: a device has its
// own kernels, which work in L1, so that it says nothing of a device.

#ifndef RING_RUNTIME_MESH_MEMORYACCOUNT_H
#define RING_RUNTIME_MESH_MEMORYACCOUNT_H

#include "ring-runtime/Status.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace ring::rt {

/// One device's memory. Used by that device's stream only.
class MemoryAccount {
public:
  /// `limit` in bytes; 0 for none.
  explicit MemoryAccount(int64_t limit = 0) : limit(limit) {}

  /// Takes memory for a value, and notes whether it is keys or values.
  Status charge(int64_t bytes, const std::string &what, bool keyValue) {
    if (limit > 0 && held + bytes > limit)
      return Status::outOfMemory({what, bytes, held, limit});
    held += bytes;
    peak = std::max(peak, held);
    keyValues += keyValue ? bytes : 0;
    peakKeyValues = std::max(peakKeyValues, keyValues);
    return Status::success();
  }

  /// Notes that memory which is held has become that of keys or values.
  void becomeKeyValue(int64_t bytes) {
    keyValues += bytes;
    peakKeyValues = std::max(peakKeyValues, keyValues);
  }

  void release(int64_t bytes, bool keyValue) {
    held -= bytes;
    keyValues -= keyValue ? bytes : 0;
  }

  /// Notes what the CPU's kernels work in for the time of one instruction.
  void noteScratch(int64_t bytes) { scratch = std::max(scratch, bytes); }

  int64_t heldBytes() const { return held; }
  int64_t peakBytes() const { return peak; }
  int64_t peakKeyValueBytes() const { return peakKeyValues; }
  int64_t scratchBytes() const { return scratch; }

private:
  int64_t limit;
  int64_t held = 0;
  int64_t peak = 0;
  int64_t scratch = 0;
  int64_t keyValues = 0;
  int64_t peakKeyValues = 0;
};

} // namespace ring::rt

#endif // RING_RUNTIME_MESH_MEMORYACCOUNT_H
