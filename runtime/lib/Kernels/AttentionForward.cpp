// SPDX-License-Identifier: Apache-2.0
//
// Forward attention and packing: the entry points, and their vector code
// compiled once per instruction set and chosen at run time.

#include "Kernels/Attention.h"
#include "Kernels/ForwardCall.h"
#include "Kernels/WeightTile.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "Kernels/AttentionForward.cpp"
#include "hwy/foreach_target.h" // IWYU pragma: keep

#include "Kernels/AttentionItem-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ring::rt::kernels {
namespace HWY_NAMESPACE {
namespace {

void packItems(const AttentionShape &shape, float scale,
               const KeyValueBlock &keyValue, WorkRange items) {
  const int64_t perHead = divideUp(shape.keys, kPackKeys);
  for (int64_t item = items.begin; item < items.end; ++item) {
    const int64_t head = item / perHead;
    const int64_t begin = item % perHead * kPackKeys;
    packUnits(shape, scale, keyValue, head / shape.keyValueHeads,
              head % shape.keyValueHeads, begin,
              std::min(begin + kPackKeys, shape.keys));
  }
}

void packQueryItems(const ForwardCall &call, float *packed, WorkRange items) {
  for (int64_t item = items.begin; item < items.end; ++item) {
    const ItemRows rows = itemRows(call.problem.shape, item);
    const AttentionShape &shape = call.problem.shape;
    float *to = packed + item * itemQueryFloats(shape);
    for (int64_t row = 0; row < rows.count; row += kTileRows)
      packQueryRowsOf(call, rows, row,
                      std::min<int64_t>(kTileRows, rows.count - row),
                      to + row * packedQueryFloats(shape));
  }
}

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
HWY_EXPORT(packQueryItems);
HWY_EXPORT(forwardItems);

size_t packedKeyValueBytes(const AttentionShape &shape) {
  const PackedLayout layout = packedLayout(shape);
  return static_cast<size_t>(layout.end()) * sizeof(float) +
         static_cast<size_t>(PackedUnits::bytes(layout));
}

void startPacking(const AttentionShape &shape, void *packed) {
  PackedUnits::clear(packedLayout(shape), static_cast<float *>(packed));
}

int64_t packWorkItems(const AttentionShape &shape) {
  return shape.batch * shape.keyValueHeads * divideUp(shape.keys, kPackKeys);
}

void packKeyValue(const AttentionShape &shape, float scale,
                  const KeyValueBlock &keyValue, WorkRange items) {
  HWY_DYNAMIC_DISPATCH(packItems)(shape, scale, keyValue, items);
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
                const KeyValueBlock &keyValue, const AttentionState &state,
                WorkRange items, void *scratch, const void *packedQuery) {
  ForwardCall call{problem, query, keyValue, static_cast<char *>(scratch)};
  call.state = &state;
  call.packedQuery = static_cast<const float *>(packedQuery);
  HWY_DYNAMIC_DISPATCH(forwardItems)(call, items);
}

size_t packedQueryBytes(const AttentionShape &shape) {
  return static_cast<size_t>(workItems(shape) * itemQueryFloats(shape)) *
         sizeof(float);
}

void packQuery(const AttentionProblem &problem, const TensorView &query,
               void *packed, WorkRange items) {
  const KeyValueBlock none;
  const ForwardCall call{problem, query, none, /*scratch=*/nullptr};
  HWY_DYNAMIC_DISPATCH(packQueryItems)
  (call, static_cast<float *>(packed), items);
}

void accumulateUnpacked(const AttentionProblem &problem,
                        const TensorView &query, const TensorView &key,
                        const TensorView &value, const AttentionState &state,
                        WorkRange items, void *scratch) {
  const KeyValueBlock keyValue{key, value, /*packed=*/nullptr};
  ForwardCall call{problem, query, keyValue, static_cast<char *>(scratch)};
  call.state = &state;
  HWY_DYNAMIC_DISPATCH(forwardItems)(call, items);
}

void attend(const AttentionProblem &problem, const TensorView &query,
            const KeyValueBlock &keyValue, const float *sinks,
            const MutableTensorView &result, float *lse, WorkRange items,
            void *scratch) {
  ForwardCall call{problem, query, keyValue, static_cast<char *>(scratch)};
  call.sinks = sinks;
  call.result = &result;
  call.lse = lse;
  HWY_DYNAMIC_DISPATCH(forwardItems)(call, items);
}

} // namespace ring::rt::kernels
#endif // HWY_ONCE
