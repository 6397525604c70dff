// SPDX-License-Identifier: Apache-2.0
//
// One work item of forward attention on its way through all key blocks: which
// keys its rows see, and the tiles in between.

#if defined(RING_RUNTIME_KERNELS_ATTENTIONITEM_INL_H) ==                       \
    defined(HWY_TARGET_TOGGLE)
#ifdef RING_RUNTIME_KERNELS_ATTENTIONITEM_INL_H
#undef RING_RUNTIME_KERNELS_ATTENTIONITEM_INL_H
#else
#define RING_RUNTIME_KERNELS_ATTENTIONITEM_INL_H
#endif

#include "Kernels/AttentionTile-inl.h"
#include "Kernels/GroupRows-inl.h"
#include "Kernels/KeyValuePack-inl.h"

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

class ItemRun {
public:
  ItemRun(const ForwardCall &call, int64_t item)
      : call(call), shape(call.problem.shape), rows(itemRows(shape, item)),
        blockSize(blockKeys(shape, kBlockKeys)), groupRows(call, rows),
        scratch(groupRows.scratch) {
    const ScratchLayout layout =
        scratchLayout(shape, /*unpacked=*/!call.keyValue.packed);
    packedKey = reinterpret_cast<float *>(call.scratch + layout.key);
    packedValue = reinterpret_cast<float *>(call.scratch + layout.value);
  }

  void run() {
    const int64_t groups = divideUp(rows.count, kTileRows);
    findWindows(groups);
    lastBegin = lastBlock(itemWindow, shape.keys);
    for (int64_t group = 0; group < groups; ++group)
      scratch->lastBlocks[group] =
          lastBlock(scratch->groupWindows[group], lastBegin + 1);
    for (int64_t begin = 0; begin <= lastBegin; begin += blockSize) {
      fillKeyBlock(call.problem, begin, blockSize, kPanel, itemWindow,
                   offsetBase, scratch->keys);
      keyPanels = nullptr;
      for (int64_t group = 0; group < groups; ++group) {
        const bool last = begin == scratch->lastBlocks[group];
        if (begin > scratch->lastBlocks[group])
          continue;
        groupRows.planFetch(group, last);
        runGroup(group, last);
        // One group at a time: all in a row would wait for the memory.
        if (last)
          groupRows.store(group);
      }
    }
    groupRows.storeLse();
  }

private:
  /// Which positions each row sees, and each group of rows.
  void findWindows(int64_t groups) {
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
      scratch->groupWindows[group] =
          windowOfRows(group * kTileRows, groupRows.countOf(group));
    itemWindow = windowOfRows(0, rows.count);
    std::fill_n(scratch->loaded, groups, false);
    std::fill_n(scratch->finished, groups, false);
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

  /// The first key of the last block with one of the first `keys` keys that
  /// some row sees; the first block's if there is none.
  int64_t lastBlock(const GroupWindow &window, int64_t keys) const {
    int64_t begin = std::max<int64_t>(keys - 1, 0) / blockSize * blockSize;
    while (begin > 0 &&
           window.hides(boundsOfRows(call.problem.keyPositions, begin,
                                     std::min(begin + blockSize, shape.keys))))
      begin -= blockSize;
    return begin;
  }

  /// Folds the current key block into a group of rows, in a tile that is just
  /// tall enough. The tile's rows beyond the group's are computed from zeros
  /// and dropped.
  void runGroup(int64_t group, bool last) {
    const VisibleKeys visible = visibleKeys(scratch->groupWindows[group]);
    if (visible.none())
      return;
    if (!scratch->loaded[group])
      groupRows.load(group);
    locatePanels();
    const int64_t count = groupRows.countOf(group);
    if (count > 8)
      runTile<kTileRows>(group, visible, last);
    else if (count > 4)
      runTile<(kTileRows < 8 ? kTileRows : 8)>(group, visible, last);
    else if (count > 2)
      runTile<4>(group, visible, last);
    else if (count > 1)
      runTile<2>(group, visible, last);
    else
      runTile<1>(group, visible, last);
  }

  template <int Rows>
  void runTile(int64_t group, const VisibleKeys &visible, bool last) {
    const float *rescale = nullptr;
    const bool triangle = endsInTriangle(group, visible);
    if (!weighQuickly<Rows>(group, visible, triangle)) {
      weighCarefully<Rows>(group, visible);
      rescale = scratch->rescale;
    }
    rescale = groupRows.settle(group, rescale);
    addBlockSums<Rows>(scratch->blockSums, rescale,
                       scratch->laneSums + group * kTileRows * kMostLanes);
    ValuePanels values = valuePanels;
    values.first += visible.first() * values.keyStride;
    values.fetch = shareOfNext(group, valuePanels.first, values.keyStride);
    TileOutputs outputs{groupRows.outOf(group), groupRows.valueDim,
                        !scratch->blank[group], rescale};
    InverseSums inverse;
    if (last && groupRows.finish(group, inverse)) {
      outputs.result = groupRows.resultRow<float>(group * kTileRows);
      outputs.resultStride = call.result->rowStride;
      outputs.inverse = inverse.rows;
    }
    weighValues<Rows>(scratch->weights, values, visible.end - visible.first(),
                      triangle, outputs);
    scratch->blank[group] = false;
  }

  // ---- Weights -----------------------------------------------------------

  TileRows tileRows(int64_t group) const {
    return {groupRows.queryOf(group), shape.keyDim,
            scratch->origin + group * kTileRows, scratch->blockSums};
  }

  /// The weights of the visible keys and their sums, without a search for the
  /// maximum. False if that does not work: then nothing but weights and sums of
  /// the block has changed.
  template <int Rows>
  bool weighQuickly(int64_t group, const VisibleKeys &visible, bool triangle) {
    if (call.problem.masking.additive.data)
      return false;
    clearBlockSums<Rows>(scratch->blockSums);
    const TileRows tile = tileRows(group);
    const int64_t end = divideUp(visible.end, kPanel);
    for (int64_t panel = visible.firstPanel; panel < end;) {
      const float *keyPanel = keyPanels + panel * kPanel * shape.keyDim;
      float *weights = scratch->weights + panel * kPanel - visible.first();
      if (const int64_t whole = wholePanels(group, panel, end)) {
        weighWholePanels<Rows>(tile, keyPanel, whole,
                               shareOfNext(group, keyPanels, shape.keyDim),
                               groupRows.fetch, weights);
        panel += whole;
        continue;
      }
      const PanelWindow window = panelWindow(group, panel);
      const int64_t keys = visible.end - panel * kPanel;
      if (Rows == kTileRows && triangle)
        weighDiagonal(tile, keyPanel, keys, window, weights);
      else
        weighMaskedPanel<Rows>(tile, keyPanel, keys, window, weights);
      ++panel;
    }
    return areNearReference<Rows>(scratch->blockSums) && guessesHold(group);
  }

  /// Whether the reference 0 is near the scores of the rows that saw their
  /// first keys in this block; if so, it is theirs from now on.
  bool guessesHold(int64_t group) {
    if (scratch->allSeen[group])
      return true;
    const int64_t begin = group * kTileRows,
                  end = begin + groupRows.countOf(group);
    const bool allSee = scratch->groupWindows[group].allMeet(scratch->keys.all);
    const auto guesses = [&](int64_t row) {
      return !scratch->seen[row] && (allSee || seesBlock(row));
    };
    for (int64_t row = begin; row < end; ++row)
      if (guesses(row) &&
          !isNearGuess(scratch->blockSums + (row - begin) * kMostLanes))
        return false;
    bool allSeen = true;
    for (int64_t row = begin; row < end; ++row) {
      scratch->seen[row] |= guesses(row);
      allSeen &= scratch->seen[row];
    }
    scratch->allSeen[group] = allSeen;
    return true;
  }

  /// The same, looking at every score before it becomes a weight.
  template <int Rows>
  void weighCarefully(int64_t group, const VisibleKeys &visible) {
    const int64_t row = group * kTileRows;
    clearBlockSums<Rows>(scratch->blockSums);
    const TileRows tile = tileRows(group);
    std::fill_n(scratch->rescale, kTileRows, 1.0f);
    const int64_t end = divideUp(visible.end, kPanel);
    for (int64_t panel = visible.firstPanel; panel < end; ++panel) {
      const int64_t earlier = panel * kPanel - visible.first();
      float *weights = scratch->weights + earlier;
      scorePanel<Rows>(tile, keyPanels + panel * kPanel * shape.keyDim,
                       weights);
      if (call.problem.masking.additive.data)
        addMask(group, panel, weights);
      if (!wholePanels(group, panel, panel + 1)) {
        const PanelWindow window = panelWindow(group, panel);
        for (int64_t index = 0; index < groupRows.countOf(group); ++index)
          maskScores(window, index, weights + index * kWeightStride);
      }
      for (int64_t index = 0; index < Rows; ++index)
        weighScores(weights + index * kWeightStride, earlier,
                    scratch->origin[row + index], scratch->seen[row + index],
                    scratch->rescale[index],
                    scratch->blockSums + index * kMostLanes);
    }
  }

  /// Adds the additive mask to the scores of a panel.
  void addMask(int64_t group, int64_t panel, float *scores) {
    const AdditiveMask &mask = call.problem.masking.additive;
    const int64_t begin = panel * kPanel;
    const int64_t keys = std::min<int64_t>(kPanel, scratch->keys.count - begin);
    for (int64_t index = 0; index < groupRows.countOf(group); ++index) {
      const HeadRow at = headRow(shape, rows, group * kTileRows + index);
      const int64_t offset =
          rows.batch * mask.batchStride + at.head * mask.headStride +
          at.query * mask.rowStride + scratch->keys.begin + begin;
      float *to = scores + index * kWeightStride;
      for (int64_t key = 0; key < keys; ++key)
        to[key] += static_cast<float>(kLog2E) *
                   loadElement(mask.data, mask.type, offset + key);
    }
  }

  // ---- Visibility --------------------------------------------------------

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

  /// Whether each row of a group sees one key more than the row before it, the
  /// last one all that are visible: what causality makes of rows that sit as
  /// the keys do.
  bool endsInTriangle(int64_t group, const VisibleKeys &visible) const {
    const KeyBlock &keys = scratch->keys;
    const GroupWindow &window = scratch->groupWindows[group];
    if (!keys.stride || !groupRows.isOneTile(group) ||
        visible.end - visible.first() < kTileRows ||
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

  // ---- K and V -----------------------------------------------------------

  /// Finds the current block's panels, packing them first if need be.
  void locatePanels() {
    if (keyPanels)
      return;
    const KeyBlock &keys = scratch->keys;
    if (const float *packed = call.keyValue.packed) {
      const PackedLayout layout = packedLayout(shape);
      const int64_t head = rows.batch * shape.keyValueHeads + rows.keyValueHead;
      keyPanels = packed + layout.keyAt(head) + keys.begin * shape.keyDim;
      valuePanels.first = packed + layout.valueAt(head) + keys.begin * kPanel;
      valuePanels.stride = layout.paddedKeys * kPanel;
    } else {
      packKeysOf(shape, call.problem.scale, call.keyValue.key,
                 call.keyValue.value, rows.batch, rows.keyValueHead, keys.begin,
                 keys.count, packedKey, packedValue, blockSize * kPanel);
      keyPanels = packedKey;
      valuePanels.first = packedValue;
      valuePanels.stride = blockSize * kPanel;
    }
    valuePanels.keyStride = kPanel;
    valuePanels.fetchStride = valuePanels.stride;
    const TensorView &value = call.keyValue.value;
    if (kReadsInPlace && liesInPanels(shape, value)) {
      valuePanels.first = static_cast<const float *>(value.data) +
                          rows.batch * value.batchStride +
                          rows.keyValueHead * value.headStride +
                          keys.begin * value.rowStride;
      valuePanels.stride = kPanel;
      valuePanels.keyStride = value.rowStride;
      // All panels lie in the same rows: one after the other fetches them.
      valuePanels.fetchStride = blockSize / kUnrolledSteps * kLineFloats;
    }
  }

  /// What a group fetches while it multiplies (see multiplyTile): its share of
  /// the block after the one at `panels` or, from the last, of the first, where
  /// the next item begins. `floatsPerKey` is the distance of two keys.
  const float *shareOfNext(int64_t group, const float *panels,
                           int64_t floatsPerKey) const {
    if (!kFetchesBlocks || !call.keyValue.packed)
      return panels;
    const int64_t begin = scratch->keys.begin;
    const int64_t next = begin < lastBegin ? blockSize : -begin;
    const int64_t share = group % kUnrolledLines;
    return panels + (next + share * blockSize / kUnrolledLines) * floatsPerKey;
  }

  const ForwardCall &call;
  const AttentionShape &shape;
  const ItemRows rows;
  const int64_t blockSize; ///< in keys
  GroupRows groupRows;
  ItemScratch *const scratch;
  float *packedKey;
  float *packedValue;
  GroupWindow itemWindow;
  int64_t offsetBase = 0;
  int64_t lastBegin = 0; ///< where the last block begins that some row sees
  const float *keyPanels = nullptr;
  ValuePanels valuePanels = {};
};

} // namespace HWY_NAMESPACE
} // namespace ring::rt::kernels
HWY_AFTER_NAMESPACE();

#endif // RING_RUNTIME_KERNELS_ATTENTIONITEM_INL_H
