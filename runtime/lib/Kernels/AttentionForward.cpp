// SPDX-License-Identifier: Apache-2.0
//
// Forward attention: the loop over items, key blocks and row groups, compiled
// once per instruction set and chosen at run time.

#include "Kernels/Attention.h"
#include "Kernels/ItemRows.h"
#include "Kernels/WeightTile.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "Kernels/AttentionForward.cpp"
#include "hwy/foreach_target.h" // IWYU pragma: keep

#include "Kernels/AttentionTile-inl.h"
#include "Kernels/KeyValuePack-inl.h"

#ifndef RING_RUNTIME_KERNELS_ATTENTIONFORWARD_ONCE
#define RING_RUNTIME_KERNELS_ATTENTIONFORWARD_ONCE
namespace ring::rt::kernels {
namespace {

constexpr double kLog2E = 1.4426950408889634074;
constexpr double kLn2 = 0.69314718055994530942;

/// K and V of a call: packed already, or to be packed block by block.
struct KeyValueSource {
  const float *packed = nullptr;
  TensorView key;
  TensorView value;
};

/// One forward call.
struct ForwardCall {
  const AttentionProblem &problem;
  const TensorView &query;
  KeyValueSource keyValue;
  const AttentionState &state;
  char *scratch;
};

} // namespace
} // namespace ring::rt::kernels
#endif // RING_RUNTIME_KERNELS_ATTENTIONFORWARD_ONCE

HWY_BEFORE_NAMESPACE();
namespace ring::rt::kernels {
namespace HWY_NAMESPACE {
namespace {

void packItems(const AttentionShape &shape, const TensorView &key,
               const TensorView &value, float *packed, WorkRange items) {
  const PackedHeadLayout layout = packedHeadLayout(shape);
  const int64_t perHead = divideUp(shape.keys, kPackKeys);
  for (int64_t item = items.begin; item < items.end; ++item) {
    const int64_t head = item / perHead;
    const int64_t begin = item % perHead * kPackKeys;
    float *to = packed + head * layout.headFloats;
    packKeysOf(
        shape, key, value, head / shape.keyValueHeads,
        head % shape.keyValueHeads, begin,
        std::min(kPackKeys, shape.keys - begin), to + begin * shape.keyDim,
        to + layout.keyFloats + begin * kPanel, layout.paddedKeys * kPanel);
  }
}

/// One item on its way through all key blocks.
class ItemRun {
public:
  ItemRun(const ForwardCall &call, int64_t item)
      : call(call), shape(call.problem.shape), rows(itemRows(shape, item)),
        valueDim(roundUp(shape.valueDim, kPanel)) {
    const ScratchLayout layout =
        scratchLayout(shape, /*unpacked=*/!call.keyValue.packed);
    scratch = reinterpret_cast<ItemScratch *>(call.scratch);
    query = reinterpret_cast<float *>(call.scratch + layout.query);
    out = reinterpret_cast<float *>(call.scratch + layout.out);
    packedKey = reinterpret_cast<float *>(call.scratch + layout.key);
    packedValue = reinterpret_cast<float *>(call.scratch + layout.value);
  }

  void run() {
    for (int64_t row = 0; row < rows.count; ++row) {
      const int64_t index = headRow(shape, rows, row).query;
      expandPositions(call.problem.queryPositions, index, index + 1,
                      &scratch->queryPositions[row]);
      scratch->windows[row] =
          rowWindow(call.problem.masking, scratch->queryPositions[row]);
    }
    offsetBase = scratch->queryPositions[0];
    const int64_t groups = divideUp(rows.count, kTileRows);
    std::fill_n(scratch->loaded, groups, false);
    for (int64_t group = 0; group < groups; ++group)
      scratch->groupWindows[group] = groupWindow(
          scratch->windows + group * kTileRows,
          std::min<int64_t>(kTileRows, rows.count - group * kTileRows));
    for (int64_t begin = 0; begin < shape.keys; begin += blockKeys(shape)) {
      fillKeyBlock(call.problem, begin, kPanel, scratch->keys);
      keyPanels = nullptr;
      for (int64_t group = 0; group < groups; ++group)
        runGroup(group * kTileRows);
    }
    for (int64_t group = 0; group < groups; ++group)
      if (scratch->loaded[group])
        storeGroup(group * kTileRows);
  }

private:
  /// Picks the tile height for the rows from `row` on.
  void runGroup(int64_t row) {
    const int64_t count = std::min<int64_t>(kTileRows, rows.count - row);
    if (count > 8)
      runTile<kTileRows>(row, count);
    else if (count > 4)
      runTile<(kTileRows < 8 ? kTileRows : 8)>(row, count);
    else if (count > 2)
      runTile<4>(row, count);
    else if (count > 1)
      runTile<2>(row, count);
    else
      runTile<1>(row, count);
  }

  /// Folds the current key block into `count` <= Rows rows. Rows beyond
  /// `count` are computed from zeros and dropped.
  template <int Rows>
  void runTile(int64_t row, int64_t count) {
    const GroupWindow &window = scratch->groupWindows[row / kTileRows];
    const KeyBlock &keys = scratch->keys;
    int64_t first = keys.panels, last = 0;
    for (int64_t panel = 0; panel < keys.panels; ++panel) {
      if (window.hides(keys.bounds[panel]))
        continue;
      first = std::min(first, panel);
      last = panel + 1;
    }
    if (first >= last)
      return;
    if (!scratch->loaded[row / kTileRows])
      loadGroup(row, count, Rows);
    locatePanels();

    std::fill_n(scratch->rescale, Rows, 1.0f);
    if (!weighKeys<Rows>(row, count, first, last, window, /*careful=*/false))
      weighKeys<Rows>(row, count, first, last, window, /*careful=*/true);
    for (int64_t index = 0; index < Rows; ++index)
      addBlockSums(scratch->blockSums + index * kMostLanes,
                   scratch->rescale[index],
                   scratch->laneSums + (row + index) * kMostLanes);
    const int64_t end = lastVisible(window, first * kPanel,
                                    std::min(last * kPanel, keys.count));
    for (int64_t column = 0; column < valueDim; column += kPanel)
      weighPanel<Rows>(scratch->weights,
                       valuePanels + column / kPanel * valuePanelStride +
                           first * kPanel * kPanel,
                       end - first * kPanel, scratch->rescale,
                       out + row * valueDim + column, valueDim);
  }

  /// The weights of panels [first, last) and their sums. False if a sum came
  /// out too large, which cannot happen when `careful`.
  template <int Rows>
  bool weighKeys(int64_t row, int64_t count, int64_t first, int64_t last,
                 const GroupWindow &window, bool careful) {
    const KeyBlock &keys = scratch->keys;
    const float *packedQuery = query + row * shape.keyDim;
    float *reference = scratch->max + row;
    std::fill_n(scratch->blockSums, Rows * kMostLanes, 0.0f);
    bool quick = !careful && haveReference(reference, Rows);
    for (int64_t panel = first; panel < last; ++panel) {
      const float *keyPanel = keyPanels + panel * kPanel * shape.keyDim;
      float *weights = scratch->weights + (panel - first) * kPanel;
      const bool masked = call.problem.masking.additive.data ||
                          (panel + 1) * kPanel > keys.count ||
                          !window.shows(keys.bounds[panel]);
      if (quick && !masked) {
        weighKeyPanel<Rows>(packedQuery, keyPanel, shape.keyDim, reference,
                            weights, scratch->blockSums);
        continue;
      }
      scoreKeyPanel<Rows>(packedQuery, keyPanel, shape.keyDim, weights);
      if (masked)
        maskPanel(row, count, panel, weights);
      for (int64_t index = 0; index < Rows; ++index)
        weighScores(weights + index * kWeightStride, (panel - first) * kPanel,
                    reference[index], scratch->rescale[index],
                    scratch->blockSums + index * kMostLanes);
      quick = !careful && haveReference(reference, Rows);
    }
    for (int64_t index = 0; index < Rows; ++index)
      if (!isNearReference(scratch->blockSums + index * kMostLanes))
        return false;
    return true;
  }

  /// Whether all rows have seen a key.
  static bool haveReference(const float *reference, int64_t count) {
    return std::all_of(reference, reference + count, [](float value) {
      return value != -std::numeric_limits<float>::infinity();
    });
  }

  /// One past the last key before `end` that some row sees, so that the
  /// product with V stops at the diagonal and not at the panel's edge.
  int64_t lastVisible(const GroupWindow &window, int64_t begin,
                      int64_t end) const {
    const int64_t *positions = scratch->keys.positions;
    while (end > begin && (positions[end - 1] < window.anyLow ||
                           positions[end - 1] > window.anyHigh))
      --end;
    return end;
  }

  /// Finds the current block's panels, packing them first if need be.
  void locatePanels() {
    if (keyPanels)
      return;
    const KeyBlock &keys = scratch->keys;
    if (const float *packed = call.keyValue.packed) {
      const PackedHeadLayout layout = packedHeadLayout(shape);
      packed += (rows.batch * shape.keyValueHeads + rows.keyValueHead) *
                layout.headFloats;
      keyPanels = packed + keys.begin * shape.keyDim;
      valuePanels = packed + layout.keyFloats + keys.begin * kPanel;
      valuePanelStride = layout.paddedKeys * kPanel;
      return;
    }
    packKeysOf(shape, call.keyValue.key, call.keyValue.value, rows.batch,
               rows.keyValueHead, keys.begin, keys.count, packedKey,
               packedValue, blockKeys(shape) * kPanel);
    keyPanels = packedKey;
    valuePanels = packedValue;
    valuePanelStride = blockKeys(shape) * kPanel;
  }

  void maskPanel(int64_t row, int64_t count, int64_t panel, float *scores) {
    if (call.problem.masking.additive.data)
      addMask(row, count, panel, scores);
    int32_t offsets[kPanel];
    for (int64_t key = 0; key < kPanel; ++key) {
      const int64_t at = panel * kPanel + key;
      offsets[key] =
          at < scratch->keys.count
              ? clampedOffset(scratch->keys.positions[at], offsetBase)
              : kPaddingOffset;
    }
    for (int64_t index = 0; index < count; ++index) {
      const RowWindow &window = scratch->windows[row + index];
      maskPanelRow(offsets, clampedOffset(window.low, offsetBase),
                   clampedOffset(window.high, offsetBase),
                   scores + index * kWeightStride);
    }
  }

  void addMask(int64_t row, int64_t count, int64_t panel, float *scores) {
    const AdditiveMask &mask = call.problem.masking.additive;
    const int64_t begin = panel * kPanel;
    const int64_t keys = std::min<int64_t>(kPanel, scratch->keys.count - begin);
    for (int64_t index = 0; index < count; ++index) {
      const HeadRow at = headRow(shape, rows, row + index);
      const int64_t offset =
          rows.batch * mask.batchStride + at.head * mask.headStride +
          at.query * mask.rowStride + scratch->keys.begin + begin;
      float *to = scores + index * kWeightStride;
      for (int64_t key = 0; key < keys; ++key)
        to[key] += static_cast<float>(kLog2E) *
                   loadElement(mask.data, mask.type, offset + key);
    }
  }

  /// Packs the queries of a row group, times scale and log2(e).
  template <typename T>
  void packQueries(const T *data, int64_t row, int64_t count) {
    const T *queryRows[kTileRows] = {};
    for (int64_t index = 0; index < count; ++index) {
      const HeadRow at = headRow(shape, rows, row + index);
      queryRows[index] = data + rows.batch * call.query.batchStride +
                         at.head * call.query.headStride +
                         at.query * call.query.rowStride;
    }
    const auto scale = static_cast<float>(double(call.problem.scale) * kLog2E);
    packTransposed<kTileRows>(queryRows, count, shape.keyDim, scale,
                              query + row * shape.keyDim);
    if (row + kTileRows < rows.count)
      fetchRows(queryRows[0] + kTileRows * call.query.rowStride,
                call.query.rowStride, kTileRows, shape.keyDim);
  }

  /// Takes the queries of a row group and their state into scratch. The
  /// maximum goes to the log2 domain; the part that its rounding loses is
  /// multiplied onto the sums, so that a carried maximum of 10^4 costs no
  /// precision.
  void loadGroup(int64_t row, int64_t count, int64_t tileRows) {
    scratch->loaded[row / kTileRows] = true;
    if (call.query.type == ElementType::F32)
      packQueries(static_cast<const float *>(call.query.data), row, count);
    else
      packQueries(static_cast<const uint16_t *>(call.query.data), row, count);
    for (int64_t index = 0; index < tileRows; ++index) {
      float *outRow = out + (row + index) * valueDim;
      float *lanes = scratch->laneSums + (row + index) * kMostLanes;
      float &max2 = scratch->max[row + index];
      std::fill_n(outRow, valueDim, 0.0f);
      std::fill_n(lanes, kMostLanes, 0.0f);
      max2 = -std::numeric_limits<float>::infinity();
      if (index >= count)
        continue;
      const int64_t source = stateRow(shape, call.state, rows, row + index);
      const float max = call.state.max[source];
      if (max == -std::numeric_limits<float>::infinity())
        continue;
      const double exact = double(max) * kLog2E;
      max2 = static_cast<float>(exact);
      const auto correction =
          static_cast<float>(std::exp2(exact - double(max2)));
      lanes[0] = correction * call.state.sum[source];
      scaleInto(call.state.out + source * shape.valueDim, correction, outRow);
    }
  }

  void scaleInto(const float *HWY_RESTRICT from, float factor,
                 float *HWY_RESTRICT to) const {
    for (int64_t d = 0; d < shape.valueDim; ++d)
      to[d] = factor * from[d];
  }

  /// The way back of `loadGroup`.
  void storeGroup(int64_t row) {
    const int64_t end = std::min(row + kTileRows, rows.count);
    for (; row < end; ++row) {
      const float max2 = scratch->max[row];
      if (max2 == -std::numeric_limits<float>::infinity())
        continue;
      const int64_t target = stateRow(shape, call.state, rows, row);
      const auto max = static_cast<float>(double(max2) * kLn2);
      const auto correction =
          static_cast<float>(std::exp2(double(max2) - double(max) * kLog2E));
      float sum = 0.0f;
      for (int64_t lane = 0; lane < kLanes; ++lane)
        sum += scratch->laneSums[row * kMostLanes + lane];
      call.state.max[target] = max;
      call.state.sum[target] = correction * sum;
      scaleInto(out + row * valueDim, correction,
                call.state.out + target * shape.valueDim);
    }
  }

  const ForwardCall &call;
  const AttentionShape &shape;
  const ItemRows rows;
  /// Value dimensions padded to whole panels: the row length of `out`.
  const int64_t valueDim;
  ItemScratch *scratch;
  float *query;
  float *out;
  float *packedKey;
  float *packedValue;
  int64_t offsetBase = 0;
  const float *keyPanels = nullptr;
  const float *valuePanels = nullptr;
  int64_t valuePanelStride = 0;
};

void forwardItems(const ForwardCall &call, WorkRange items) {
  for (int64_t item = items.begin; item < items.end; ++item)
    ItemRun(call, item).run();
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace ring::rt::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ring::rt::kernels {
HWY_EXPORT(packItems);
HWY_EXPORT(forwardItems);

size_t packedKeyValueBytes(const AttentionShape &shape) {
  return static_cast<size_t>(shape.batch * shape.keyValueHeads *
                             packedHeadLayout(shape).headFloats) *
         sizeof(float);
}

int64_t packWorkItems(const AttentionShape &shape) {
  return shape.batch * shape.keyValueHeads * divideUp(shape.keys, kPackKeys);
}

void packKeyValue(const AttentionShape &shape, const TensorView &key,
                  const TensorView &value, void *packed, WorkRange items) {
  HWY_DYNAMIC_DISPATCH(packItems)
  (shape, key, value, static_cast<float *>(packed), items);
}

int64_t workItems(const AttentionShape &shape) {
  const ItemLayout layout = itemLayout(shape);
  return layout.units * layout.itemsPerUnit;
}

size_t accumulateScratchBytes(const AttentionShape &shape) {
  return scratchLayout(shape, /*unpacked=*/false).end;
}

size_t accumulateUnpackedScratchBytes(const AttentionShape &shape) {
  return scratchLayout(shape, /*unpacked=*/true).end;
}

void accumulate(const AttentionProblem &problem, const TensorView &query,
                const void *packedKeyValue, const AttentionState &state,
                WorkRange items, void *scratch) {
  const KeyValueSource source{
      static_cast<const float *>(packedKeyValue), {}, {}};
  HWY_DYNAMIC_DISPATCH(forwardItems)
  ({problem, query, source, state, static_cast<char *>(scratch)}, items);
}

void accumulateUnpacked(const AttentionProblem &problem,
                        const TensorView &query, const TensorView &key,
                        const TensorView &value, const AttentionState &state,
                        WorkRange items, void *scratch) {
  const KeyValueSource source{nullptr, key, value};
  HWY_DYNAMIC_DISPATCH(forwardItems)
  ({problem, query, source, state, static_cast<char *>(scratch)}, items);
}

} // namespace ring::rt::kernels
#endif // HWY_ONCE
