// SPDX-License-Identifier: Apache-2.0
//
// Which keys the rows of an item see: where tiles start in the block of keys at
// hand, where they stop, and what they mask.

#if defined(RING_RUNTIME_KERNELS_ITEMWINDOWS_INL_H) ==                         \
    defined(HWY_TARGET_TOGGLE)
#ifdef RING_RUNTIME_KERNELS_ITEMWINDOWS_INL_H
#undef RING_RUNTIME_KERNELS_ITEMWINDOWS_INL_H
#else
#define RING_RUNTIME_KERNELS_ITEMWINDOWS_INL_H
#endif

#include "Kernels/AttentionTile-inl.h"
#include "Kernels/ForwardCall.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace ring::rt::kernels {
namespace HWY_NAMESPACE {

/// The keys of a block that some row of a group sees, as panels.
struct VisibleKeys {
  int64_t firstPanel;
  int64_t end; ///< one past the last key; not above the first: none

  int64_t first() const { return firstPanel * kPanel; }
  bool none() const { return end <= first(); }
};

/// The windows of an item's rows. What it knows of a block is of the one that
/// the scratch memory describes.
class ItemWindows {
public:
  ItemWindows(const ForwardCall &call, const ItemRows &rows, int64_t blockSize,
              ItemScratch *scratch)
      : call(call), shape(call.problem.shape), rows(rows), blockSize(blockSize),
        scratch(scratch) {}

  /// Finds which positions each row sees, each group of rows and all of them,
  /// and where they end.
  void find(int64_t groups) {
    int64_t positions[kItemRows];
    for (int64_t row = 0, count; row < rows.count; row += count) {
      const int64_t first = headRow(shape, rows, row).query;
      count = std::min(rows.count - row, shape.queries - first);
      expandPositions(call.problem.queryPositions, first, first + count,
                      positions + row);
    }
    offsetBase = positions[0];
    // A copy, so that writing windows is seen not to change it.
    const AttentionMasking masking = call.problem.masking;
    const int64_t base = offsetBase;
    for (int64_t row = 0; row < rows.count; ++row) {
      const RowWindow window = rowWindow(masking, positions[row]);
      scratch->low[row] = clampedOffset(window.low, base);
      scratch->high[row] = clampedOffset(window.high, base);
    }
    // Rows that only fill up the last tile: any window will do.
    const int64_t padded = std::min(groups * kTileRows, kItemRows);
    std::fill(scratch->low + rows.count, scratch->low + padded, 0);
    std::fill(scratch->high + rows.count, scratch->high + padded, 0);
    for (int64_t group = 0; group < groups; ++group)
      scratch->groupWindows[group] = windowOfRows(
          group * kTileRows,
          std::min<int64_t>(kTileRows, rows.count - group * kTileRows));
    item = windowOfRows(0, rows.count);
    lastBegin = lastPart(item, blockSize, shape.keys);
    const int64_t lastEnd = std::min(lastBegin + blockSize, shape.keys);
    pastSeen =
        std::min(lastPart(item, kPackUnit, lastEnd) + kPackUnit, lastEnd);
    for (int64_t group = 0; group < groups; ++group)
      scratch->lastBlocks[group] =
          lastPart(scratch->groupWindows[group], blockSize, lastBegin + 1);
  }

  /// From the first panel that the group sees to the last key, so that the
  /// product with V stops at the diagonal and not at the panel's edge.
  VisibleKeys visibleKeys(const GroupWindow &window) const {
    const KeyBlock &keys = scratch->keys;
    if (window.shows(keys.all))
      return {0, keys.count};
    if (keys.stride) {
      const int64_t first = keys.below(window.anyLow);
      const int64_t end = keys.upTo(window.anyHigh);
      return {first < end ? first / kPanel : 0, first < end ? end : 0};
    }
    int64_t first = 0, last = keys.panels - 1;
    while (first <= last && window.hides(keys.bounds[first]))
      ++first;
    while (first <= last && window.hides(keys.bounds[last]))
      --last;
    if (first > last)
      return {0, 0};
    int64_t end = std::min((last + 1) * kPanel, keys.count);
    if (window.shows(keys.bounds[last]))
      return {first, end};
    const int32_t low = clampedOffset(window.anyLow, offsetBase);
    const int32_t high = clampedOffset(window.anyHigh, offsetBase);
    while (end > last * kPanel &&
           (keys.offsets[end - 1] < low || keys.offsets[end - 1] > high))
      --end;
    return {first, end};
  }

  /// Whether each row of a whole tile sees one key more than the row before it,
  /// the last one all that are visible: what causality makes of rows that sit
  /// as the keys do.
  bool endsInTriangle(int64_t group, const VisibleKeys &visible) const {
    const KeyBlock &keys = scratch->keys;
    const GroupWindow &window = scratch->groupWindows[group];
    if (!keys.stride || visible.end - visible.first() < kTileRows ||
        window.anyHigh != keys.all.low + (visible.end - 1) * keys.stride ||
        window.allHigh != window.anyHigh - (kTileRows - 1) * keys.stride)
      return false;
    const int64_t first = headRow(shape, rows, group * kTileRows).query;
    return strideOfRows(call.problem.queryPositions, first,
                        first + kTileRows) == keys.stride;
  }

  /// How many consecutive panels from `panel` on, before `end`, all rows of a
  /// group see whole.
  int64_t wholePanels(int64_t group, int64_t panel, int64_t end) const {
    const KeyBlock &keys = scratch->keys;
    const GroupWindow &window = scratch->groupWindows[group];
    end = std::min(end, keys.count / kPanel);
    if (window.shows(keys.all))
      return std::max<int64_t>(end - panel, 0);
    if (keys.stride) {
      if (panel * kPanel < keys.below(window.allLow))
        return 0;
      const int64_t past = std::min(end, keys.upTo(window.allHigh) / kPanel);
      return std::max<int64_t>(past - panel, 0);
    }
    int64_t past = panel;
    while (past < end && window.shows(keys.bounds[past]))
      ++past;
    return past - panel;
  }

  /// Whether a row may see a key of the current block.
  bool seesBlock(int64_t row) const {
    const PositionBounds &bounds = scratch->keys.all;
    return scratch->low[row] <= clampedOffset(bounds.high, offsetBase) &&
           scratch->high[row] >= clampedOffset(bounds.low, offsetBase);
  }

  /// What the rows of a group see of a panel.
  PanelWindow panelWindow(int64_t group, int64_t panel) const {
    const int64_t row = group * kTileRows;
    return {scratch->keys.offsets + panel * kPanel, scratch->low + row,
            scratch->high + row};
  }

  GroupWindow item = {};
  int64_t lastBegin = 0;  ///< where the last block begins that some row sees
  int64_t pastSeen = 0;   ///< one past the last unit of keys that some row sees
  int64_t offsetBase = 0; ///< the position that offsets are from

private:
  /// The first key of the last part, of `size` keys each, that has one of the
  /// first `keys` keys and of which somebody sees some; 0 if there is none.
  int64_t lastPart(const GroupWindow &window, int64_t size,
                   int64_t keys) const {
    int64_t begin = std::max<int64_t>(keys - 1, 0) / size * size;
    while (begin > 0 &&
           window.hides(boundsOfRows(call.problem.keyPositions, begin,
                                     std::min(begin + size, shape.keys))))
      begin -= size;
    return begin;
  }

  /// The window of `count` rows of the item; of rows of several heads it may be
  /// wider than need be.
  GroupWindow windowOfRows(int64_t row, int64_t count) const {
    const HeadRow first = headRow(shape, rows, row);
    const bool oneHead = first.query + count <= shape.queries;
    return groupWindow(
        call.problem.masking,
        boundsOfRows(call.problem.queryPositions, oneHead ? first.query : 0,
                     oneHead ? first.query + count : shape.queries));
  }

  const ForwardCall &call;
  const AttentionShape &shape;
  const ItemRows &rows;
  const int64_t blockSize; ///< in keys
  ItemScratch *const scratch;
};

} // namespace HWY_NAMESPACE
} // namespace ring::rt::kernels
HWY_AFTER_NAMESPACE();

#endif // RING_RUNTIME_KERNELS_ITEMWINDOWS_INL_H
