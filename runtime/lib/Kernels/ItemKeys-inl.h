// SPDX-License-Identifier: Apache-2.0
//
// The keys and values of the block that an item is at: where their panels are,
// who packs them, and what is fetched meanwhile. Packing takes a hundredth of
// the time of short sequences, most of it waiting for the memory. So keys are
// packed when they are first met, and those that come next are fetched while
// these are multiplied.

#if defined(RING_RUNTIME_KERNELS_ITEMKEYS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RING_RUNTIME_KERNELS_ITEMKEYS_INL_H
#undef RING_RUNTIME_KERNELS_ITEMKEYS_INL_H
#else
#define RING_RUNTIME_KERNELS_ITEMKEYS_INL_H
#endif

#include "Kernels/CacheSize.h"
#include "Kernels/ItemWindows-inl.h"
#include "Kernels/KeyValuePack-inl.h"
#include "Kernels/RowFetch-inl.h"

#include <algorithm>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace ring::rt::kernels {
namespace HWY_NAMESPACE {

class ItemKeys {
public:
  ItemKeys(const ForwardCall &call, const ItemRows &rows,
           const ItemWindows &windows, int64_t blockSize, ItemScratch *scratch)
      : call(call), shape(call.problem.shape), rows(rows), windows(windows),
        blockSize(blockSize), block(scratch->keys), scratch(scratch),
        fetchesBlocks(call.keyValue.packed && fetchingPays()) {}

  /// Begins with the block that the scratch memory describes: plans to fetch
  /// what will be packed next. The groups of this block bring it bit by bit.
  void startBlock(int64_t groups, RowFetch &fetch) {
    keyPanels = nullptr;
    fetch.clear();
    if (!call.keyValue.packed)
      return;
    const auto [begin, end] = nextToPack();
    if (begin >= end)
      return;
    int64_t panels = 0;
    for (int64_t group = 0; group < groups; ++group) {
      const VisibleKeys own = windows.visibleKeys(scratch->groupWindows[group]);
      panels += own.none() ? 0 : divideUp(own.end - own.first(), kPanel);
    }
    if (panels == 0)
      return;
    const TensorView &key = call.keyValue.key, &value = call.keyValue.value;
    for (auto [view, dim] :
         {std::pair(&value, shape.valueDim), std::pair(&key, shape.keyDim)}) {
      const int64_t bytes = elementBytes(view->type);
      fetch.addLater(view->rowAt(rows.batch, rows.keyValueHead,
                                 shape.keyValueHeads, begin),
                     end - begin, bytes * dim, bytes * view->rowStride, panels);
    }
  }

  /// Has the panels of the current block at hand, with what a group sees of
  /// them.
  void locate(const VisibleKeys &visible) {
    if (!keyPanels)
      findPanels();
    if (call.keyValue.packed)
      packVisible(visible);
  }

  /// What a group fetches while it multiplies (see multiplyTile): its share of
  /// the block after the one at `panels` or, from the last, of the first, where
  /// the next item begins; something that is there already if that is better
  /// left alone. `floatsPerKey` is the distance of two keys.
  const float *shareOfNext(int64_t group, const float *panels,
                           int64_t floatsPerKey) const {
    if (!fetchesBlocks)
      return panels;
    const int64_t next =
        block.begin < windows.lastBegin ? blockSize : -block.begin;
    const int64_t share = group % kUnrolledLines;
    return panels + (next + share * blockSize / kUnrolledLines) * floatsPerKey;
  }

  const float *keyPanels = nullptr; ///< of the current block
  ValuePanels valuePanels = {};

private:
  /// Whether to fetch the block that comes next. With 512 KiB of L2 cache (Zen
  /// 3) it was slower than leaving it to the hardware, with 1 MiB (Zen 4) as
  /// fast or faster by up to 3 %, most of all where others use the L3 cache as
  /// well.
  static bool fetchingPays() {
    constexpr int64_t kSmallest = int64_t(1) << 20;
    const int64_t cache = secondLevelCacheBytes();
    return cache == 0 || cache >= kSmallest;
  }

  int64_t head() const {
    return rows.batch * shape.keyValueHeads + rows.keyValueHead;
  }

  /// Keys [begin, end) that will be met next and that nobody has packed: those
  /// of the item's next block. After the last one the next item begins anew, so
  /// that what it packs is far off; unless this was the first one as well:
  /// under a causal mask the next item sees as many more keys as it has rows.
  std::pair<int64_t, int64_t> nextToPack() const {
    const PackedUnits units(packedLayout(shape),
                            static_cast<float *>(call.keyValue.packed), head());
    int64_t begin = block.begin + blockSize;
    int64_t end = std::min(begin + blockSize, windows.pastSeen);
    if (windows.lastBegin == 0) {
      begin = windows.visibleKeys(scratch->groupWindows[0]).end;
      end = std::min(windows.pastSeen + kItemRows, shape.keys);
    }
    while (begin < end && !units.isRaw(begin / kPackUnit))
      begin += kPackUnit;
    return {begin, end};
  }

  /// Finds the current block's panels; without a packed form, makes them.
  void findPanels() {
    if (const auto *packed = static_cast<float *>(call.keyValue.packed)) {
      const PackedLayout layout = packedLayout(shape);
      keyPanels = packed + layout.keyAt(head()) + block.begin * shape.keyDim;
      valuePanels.first =
          packed + layout.valueAt(head()) + block.begin * kPanel;
      valuePanels.stride = layout.paddedKeys * kPanel;
      ready = {};
    } else {
      const ScratchLayout layout = scratchLayout(shape, /*unpacked=*/true);
      auto *keyTo = reinterpret_cast<float *>(call.scratch + layout.key);
      auto *valueTo = reinterpret_cast<float *>(call.scratch + layout.value);
      packKeysOf(shape, call.problem.scale, call.keyValue.key,
                 call.keyValue.value, rows.batch, rows.keyValueHead,
                 block.begin, block.count, keyTo, valueTo, blockSize * kPanel);
      keyPanels = keyTo;
      valuePanels.first = valueTo;
      valuePanels.stride = blockSize * kPanel;
    }
    valuePanels.keyStride = kPanel;
    valuePanels.fetchStride = valuePanels.stride;
    const TensorView &value = call.keyValue.value;
    if (kReadsInPlace && liesInPanels(shape, value)) {
      valuePanels.first = static_cast<const float *>(value.data) +
                          rows.batch * value.batchStride +
                          rows.keyValueHead * value.headStride +
                          block.begin * value.rowStride;
      valuePanels.stride = kPanel;
      valuePanels.keyStride = value.rowStride;
      // All panels lie in the same rows: one after the other fetches them.
      valuePanels.fetchStride = blockSize / kUnrolledSteps * kLineFloats;
    }
  }

  /// Has the keys that a group sees packed, and with them all that the item
  /// sees of the block: they were fetched while the block before was
  /// multiplied. Of the first block only what has to be: the rest is fetched
  /// meanwhile.
  void packVisible(const VisibleKeys &visible) {
    if (visible.firstPanel >= ready.firstPanel && visible.end <= ready.end)
      return;
    ready = block.begin == 0 ? visible : windows.visibleKeys(windows.item);
    packUnits(shape, call.problem.scale, call.keyValue, rows.batch,
              rows.keyValueHead, block.begin + ready.first(),
              block.begin + ready.end);
    ready.end = roundUp(ready.end, kPackUnit);
  }

  const ForwardCall &call;
  const AttentionShape &shape;
  const ItemRows &rows;
  const ItemWindows &windows;
  const int64_t blockSize; ///< in keys
  const KeyBlock &block;
  ItemScratch *const scratch;
  const bool fetchesBlocks;
  VisibleKeys ready = {}; ///< keys of the block that are surely packed
};

} // namespace HWY_NAMESPACE
} // namespace ring::rt::kernels
HWY_AFTER_NAMESPACE();

#endif // RING_RUNTIME_KERNELS_ITEMKEYS_INL_H
