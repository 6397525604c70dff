// SPDX-License-Identifier: Apache-2.0
//
// One work item of forward attention on its way through all key blocks, tile
// after tile.

#if defined(RING_RUNTIME_KERNELS_ATTENTIONITEM_INL_H) ==                       \
    defined(HWY_TARGET_TOGGLE)
#ifdef RING_RUNTIME_KERNELS_ATTENTIONITEM_INL_H
#undef RING_RUNTIME_KERNELS_ATTENTIONITEM_INL_H
#else
#define RING_RUNTIME_KERNELS_ATTENTIONITEM_INL_H
#endif

#include "Kernels/AttentionTile-inl.h"
#include "Kernels/GroupRows-inl.h"
#include "Kernels/ItemKeys-inl.h"
#include "Kernels/ItemWindows-inl.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace ring::rt::kernels {
namespace HWY_NAMESPACE {

class ItemRun {
public:
  ItemRun(const ForwardCall &call, int64_t item)
      : call(call), shape(call.problem.shape), rows(itemRows(shape, item)),
        blockSize(blockKeys(shape, kBlockKeys)), groupRows(call, rows),
        scratch(groupRows.scratch), windows(call, rows, blockSize, scratch),
        keys(call, rows, windows, blockSize, scratch) {}

  void run() {
    const int64_t groups = divideUp(rows.count, kTileRows);
    windows.find(groups);
    std::fill_n(scratch->loaded, groups, false);
    std::fill_n(scratch->finished, groups, false);
    for (int64_t begin = 0; begin <= windows.lastBegin; begin += blockSize) {
      fillKeyBlock(call.problem, begin, blockSize, kPanel, windows.item,
                   windows.offsetBase, scratch->keys);
      keys.startBlock(groups, groupRows.fetch);
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
  /// Folds the current key block into a group of rows, in a tile that is just
  /// tall enough. The tile's rows beyond the group's are computed from zeros
  /// and dropped.
  void runGroup(int64_t group, bool last) {
    const VisibleKeys visible =
        windows.visibleKeys(scratch->groupWindows[group]);
    if (visible.none())
      return;
    if (!scratch->loaded[group])
      groupRows.load(group);
    keys.locate(visible);
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
    const bool triangle =
        groupRows.isOneTile(group) && windows.endsInTriangle(group, visible);
    if (!weighQuickly<Rows>(group, visible, triangle)) {
      weighCarefully<Rows>(group, visible);
      rescale = scratch->rescale;
    }
    addBlockSums<Rows>(scratch->blockSums, rescale,
                       scratch->laneSums + group * kTileRows * kMostLanes);
    ValuePanels values = keys.valuePanels;
    values.first += visible.first() * values.keyStride;
    values.fetch =
        keys.shareOfNext(group, keys.valuePanels.first, values.keyStride);
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
      const float *keyPanel = keys.keyPanels + panel * kPanel * shape.keyDim;
      float *weights = scratch->weights + panel * kPanel - visible.first();
      if (const int64_t whole = windows.wholePanels(group, panel, end)) {
        weighWholePanels<Rows>(
            tile, keyPanel, whole,
            keys.shareOfNext(group, keys.keyPanels, shape.keyDim),
            groupRows.fetch, weights);
        panel += whole;
        continue;
      }
      const PanelWindow window = windows.panelWindow(group, panel);
      const int64_t count = visible.end - panel * kPanel;
      if (Rows == kTileRows && triangle)
        weighDiagonal(tile, keyPanel, count, window, weights);
      else
        weighMaskedPanel<Rows>(tile, keyPanel, count, window, weights);
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
      return !scratch->seen[row] && (allSee || windows.seesBlock(row));
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
      scorePanel<Rows>(tile, keys.keyPanels + panel * kPanel * shape.keyDim,
                       weights);
      if (call.problem.masking.additive.data)
        addMask(group, panel, weights);
      if (!windows.wholePanels(group, panel, panel + 1)) {
        const PanelWindow window = windows.panelWindow(group, panel);
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
        to[key] += inBaseTwo(loadElement(mask.data, mask.type, offset + key));
    }
  }

  const ForwardCall &call;
  const AttentionShape &shape;
  const ItemRows rows;
  const int64_t blockSize; ///< in keys
  GroupRows groupRows;
  ItemScratch *const scratch;
  ItemWindows windows;
  ItemKeys keys;
};

} // namespace HWY_NAMESPACE
} // namespace ring::rt::kernels
HWY_AFTER_NAMESPACE();

#endif // RING_RUNTIME_KERNELS_ATTENTIONITEM_INL_H
