// SPDX-License-Identifier: Apache-2.0
// Blocks of attention as the machine model knows them: sizes, and what a
// pattern leaves of them.

#ifndef RING_LIB_PLANNER_BLOCKCALLS_H
#define RING_LIB_PLANNER_BLOCKCALLS_H

#include "ring/Dialect/Ring/IR/RingOps.h"
#include "ring/Machine/Timeline.h"

#include <map>

namespace mlir::ring {

namespace machine = ::ring::machine;

/// Sets what the number format of keys says of a call.
void setFormat(machine::AttentionCall &call, Type elementType);
/// The same with the plan's settings.
void setFormat(machine::AttentionCall &call, Type elementType, PlanAttr plan);

/// Numbers the blocks of a timeline by what is computed of them.
class BlockCalls {
public:
  explicit BlockCalls(machine::Timeline &timeline) : timeline(timeline) {}

  /// The number of `block`, of which the pairs of these positions count: keys
  /// before `limit`, within the band, and all of `extra` more. kNoBlock if none
  /// does.
  int32_t number(const machine::TimelineBlock &block,
                 ArrayRef<PositionRange> queries, ArrayRef<PositionRange> keys,
                 const Band &band, std::optional<int64_t> limit,
                 int64_t extra = 0);

private:
  machine::Timeline &timeline;
  std::map<std::vector<int64_t>, int32_t> known;
};

} // namespace mlir::ring

#endif // RING_LIB_PLANNER_BLOCKCALLS_H
