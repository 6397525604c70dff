// SPDX-License-Identifier: Apache-2.0
//
// The scratch memory of one attention work item, and which keys its rows see.
// Plain C++ shared by the vector code of all instruction sets.

#ifndef RING_RUNTIME_KERNELS_WEIGHTTILE_H
#define RING_RUNTIME_KERNELS_WEIGHTTILE_H

#include "Kernels/AttentionLayout.h"

namespace ring::rt::kernels {

/// Floats between two rows of the weight tile. The 16 beyond a block's keys put
/// the rows into different sets of the L1 cache.
constexpr int kWeightStride = kMostBlockKeys + 16;

/// The positions that one query row sees are an interval, whatever the mask:
/// causality and the window bound it on either side and padding bounds it from
/// above. Example: causal, windowLeft 3, keyLimit 8: the query at position 9
/// sees [6, 7].
struct RowWindow {
  int64_t low;
  int64_t high;
};

inline RowWindow rowWindow(const AttentionMasking &masking,
                           int64_t queryPosition) {
  RowWindow window{std::numeric_limits<int64_t>::min(),
                   std::numeric_limits<int64_t>::max()};
  if (masking.windowLeft >= 0)
    window.low = queryPosition - masking.windowLeft;
  if (masking.windowRight >= 0)
    window.high = queryPosition + masking.windowRight;
  if (masking.causal)
    window.high = std::min(window.high, queryPosition);
  if (masking.keyLimit != std::numeric_limits<int64_t>::max())
    window.high = std::min(window.high, masking.keyLimit - 1);
  return window;
}

/// The windows of a group of rows: what all of them see and what any sees.
struct GroupWindow {
  int64_t anyLow, anyHigh;
  int64_t allLow, allHigh;

  /// No row sees any key at a position in `bounds`.
  bool hides(const PositionBounds &bounds) const {
    return bounds.high < anyLow || bounds.low > anyHigh;
  }
  /// Every row's window has a position in `bounds`.
  bool allMeet(const PositionBounds &bounds) const {
    return bounds.high >= allLow && bounds.low <= allHigh;
  }
  /// Every row sees every key at a position in `bounds`.
  bool shows(const PositionBounds &bounds) const {
    return bounds.low >= allLow && bounds.high <= allHigh;
  }
};

/// The windows of rows at positions in `bounds`: the higher a row sits, the
/// higher are both ends of its window.
inline GroupWindow groupWindow(const AttentionMasking &masking,
                               const PositionBounds &bounds) {
  const RowWindow lowest = rowWindow(masking, bounds.low);
  const RowWindow highest = rowWindow(masking, bounds.high);
  return {lowest.low, highest.high, highest.low, lowest.high};
}

/// Further from a base than any sequence is long.
constexpr int64_t kFarthestOffset = int64_t(1) << 30;

/// A position relative to `base`, for comparisons in 32-bit lanes. Clamped to
/// kFarthestOffset in both directions.
inline int32_t clampedOffset(int64_t position, int64_t base) {
  // Bounds may be the extreme integers, so compare before subtracting.
  return static_cast<int32_t>(
      std::clamp(position, base - kFarthestOffset, base + kFarthestOffset) -
      base);
}

/// The offset of keys that only fill up a panel: above every row's window.
constexpr int32_t kPaddingOffset = std::numeric_limits<int32_t>::max();

/// The keys of the block at hand.
struct KeyBlock {
  int64_t begin;  ///< first key row
  int64_t count;  ///< real keys; the rest up to a whole panel is padding
  int64_t panels; ///< panels in use
  PositionBounds all;
  int64_t stride; ///< from position to position; 0: they do not rise evenly
  /// Of each panel, without a stride; not set where the rows at hand see the
  /// whole block.
  PositionBounds bounds[kMostBlockKeys / kNarrowestPanel];
  /// Of each key, from the base of the rows at hand; set up to the last panel
  /// that they see, in panels that not all of them see whole.
  alignas(kBufferAlignment) int32_t offsets[kMostBlockKeys];

  /// With a stride: how many keys are at `position` or below.
  int64_t upTo(int64_t position) const {
    if (position >= all.high)
      return count;
    if (position < all.low)
      return 0;
    return (stride == 1 ? position - all.low : (position - all.low) / stride) +
           1;
  }
  /// With a stride: how many keys are below `position`.
  int64_t below(int64_t position) const {
    return position > all.low ? upTo(position - 1) : 0;
  }
};

/// Describes the keys from row `begin` on, at most `most`, in panels of `panel`
/// keys, to rows that see `window` and whose offsets are from `base`.
void fillKeyBlock(const AttentionProblem &problem, int64_t begin, int64_t most,
                  int64_t panel, const GroupWindow &window, int64_t base,
                  KeyBlock &block);

/// The fixed-size part of an item's scratch memory.
struct alignas(kBufferAlignment) ItemScratch {
  alignas(kBufferAlignment) float weights[kTallestTile * kWeightStride];
  alignas(kBufferAlignment) float laneSums[kItemRows * kMostLanes];
  alignas(kBufferAlignment) float blockSums[kTallestTile * kMostLanes];
  /// Minus the reference of the row's weights.
  alignas(kBufferAlignment) float origin[kItemRows];
  /// Of the row's weights, once it is complete; as many more as a vector holds.
  alignas(kBufferAlignment) float sums[kItemRows + kMostLanes];
  bool seen[kItemRows]; ///< whether it has one; the origin is 0 before
  float rescale[kTallestTile];
  int32_t low[kItemRows]; ///< first and last offset that a row sees
  int32_t high[kItemRows];
  GroupWindow groupWindows[kItemRows]; ///< by row group
  int64_t lastBlocks[kItemRows];       ///< by row group: where it ends
  bool loaded[kItemRows];              ///< by row group: state is in scratch
  bool allSeen[kItemRows];  ///< by row group: all its rows have a reference
  bool finished[kItemRows]; ///< by row group: its rows are in the result
  bool blank[kItemRows];    ///< by row group: the output is 0, not written yet
  bool inPlace[kItemRows];  ///< by row group: the output is the state's own
  KeyBlock keys;
};

/// Where the variable parts of the scratch memory lie, in bytes.
struct ScratchLayout {
  size_t query, out, key, value, end;
};

ScratchLayout scratchLayout(const AttentionShape &shape, bool unpacked);

} // namespace ring::rt::kernels

#endif // RING_RUNTIME_KERNELS_WEIGHTTILE_H
