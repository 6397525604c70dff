// SPDX-License-Identifier: Apache-2.0
// What ring_distributed_scaled_dot_product_attention takes, and computes
// rightly.

#include "Rules.h"

namespace mlir::ring {
namespace {

/// The op takes a chunk's start as a parameter, in whole chunks and pages. 1024
/// queries from 512 on, pages of 64: a key chunk divides 1536.
Refusal refusePages(const AttentionTraits &traits, PlanAttr plan) {
  if (!traits.tableElementType.isSignlessInteger(32) &&
      !traits.tableElementType.isSignedInteger(32))
    return say("expects a page table of i32, but got {0}",
               traits.tableElementType);
  if (traits.pageRows % kTileRows != 0)
    return say("expects pages of whole tiles of {0} rows, but got {1}",
               kTileRows, traits.pageRows);
  if (traits.queries % traits.pageRows != 0)
    return say("expects a page of {0} keys to divide the queries, but got {1}",
               traits.pageRows, traits.queries);
  if (!traits.chunkStart)
    return say("expects a chunk start that is a constant: it is a parameter of "
               "the device op");
  int64_t start = *traits.chunkStart, end = start + traits.queries;
  if (start % traits.pageRows != 0)
    return say("expects a page of {0} keys to divide the chunk start, but got "
               "{1}",
               traits.pageRows, start);
  if (start % queryChunkOf(plan) != 0)
    return say("expects a query chunk of {0} to divide the chunk start, but "
               "got {1}",
               queryChunkOf(plan), start);
  if (end % keyChunkOf(plan) != 0)
    return say("expects a key chunk of {0} to divide the end of the chunk, but "
               "got {1}",
               keyChunkOf(plan), end);
  if (end > traits.keys)
    return say("expects pages for all {0} positions, but got {1} keys", end,
               traits.keys);
  return std::nullopt;
}

} // namespace

Refusal refuseRingDistributed(const AttentionTraits &traits, PlanAttr plan) {
  AxisAttr axis = plan.getAxis();
  int64_t ranks = axis.getRanks();
  if (plan.getLayout() != LayoutKind::Zigzag)
    return say("expects a zigzag layout, but got {0}",
               stringifyLayoutKind(plan.getLayout()));
  if (!traits.isCausal() || traits.isWindow())
    return say("expects a causal pattern without a window");
  if (traits.sink || traits.joint)
    return say("expects no sink and no joint tokens");
  if (traits.length)
    return say("expects no length: the device op counts all keys");
  if (traits.valueDim != traits.dim)
    return say("expects values as wide as keys, but got {0} and {1}",
               traits.valueDim, traits.dim);
  if (ranks % 2 != 0)
    return say("expects an even ring, but got {0}", ranks);
  // The op finds a device's place in the ring by the first mesh axis that has
  // as many devices. It could be told the place, but one for all devices.
  if (axis.getIndex() != 0 && axis.getMesh()[0] == ranks)
    return say("expects the sequence on mesh axis 0 where both have {0} "
               "devices, but got axis {1}: the device op would take a device's "
               "place from axis 0",
               ranks, axis.getIndex());
  if (traits.queries % (2 * ranks) != 0)
    return say("expects twice the ring to divide the queries, but got {0}",
               traits.queries);
  if (traits.queries / kTileRows < 2 * ranks)
    return say("expects at least {0} tiles of queries, but got {1}", 2 * ranks,
               traits.queries / kTileRows);
  if (traits.queries / (2 * ranks) % queryChunkOf(plan) != 0)
    return say("expects a query chunk to divide {0} rows, but got {1}",
               traits.queries / (2 * ranks), queryChunkOf(plan));
  return traits.pages ? refusePages(traits, plan) : std::nullopt;
}

} // namespace mlir::ring
