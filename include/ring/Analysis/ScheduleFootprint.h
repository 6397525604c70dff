// SPDX-License-Identifier: Apache-2.0
// What a scheduled function costs a device: bytes on the wire and in memory.

#ifndef RING_ANALYSIS_SCHEDULEFOOTPRINT_H
#define RING_ANALYSIS_SCHEDULEFOOTPRINT_H

#include "ring/Dialect/Ring/IR/RingOps.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::ring {

/// Bytes of one device, the same on every device.
///
/// A buffer is in use from the start of a transfer into it to the last read of
/// what arrived, where a transfer reads what it sends until its wait. For a
/// one-way ring of more than two ranks over K and V shards of `n` bytes
/// together, this gives
///
/// ```
///   bufferBytes         2n   two buffers for K and two for V
///   peakBufferBytes     2n   one is read and sent on, the other written
///   peakKeyValueBytes   3n   the buffers, and the own shard while it is read
/// ```
struct ScheduleFootprint {
  static ScheduleFootprint of(Block &block);

  unsigned numStarts = 0;
  unsigned numBuffers = 0;
  /// All buffers; they are there for the whole function.
  int64_t bufferBytes = 0;
  /// The most that is in use at a time.
  int64_t peakBufferBytes = 0;
  /// The most bytes of keys and values at a time: those that are attended to or
  /// sent for that end, from their definition to their last read (arguments:
  /// from their first), and all buffers that some arrive in.
  int64_t peakKeyValueBytes = 0;
  /// Bytes sent along each axis, by transfers that start and by those that
  /// block.
  llvm::MapVector<AxisAttr, int64_t> bytesSent;
};

} // namespace mlir::ring

#endif // RING_ANALYSIS_SCHEDULEFOOTPRINT_H
