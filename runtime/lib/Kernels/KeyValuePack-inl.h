// SPDX-License-Identifier: Apache-2.0
//
// The packed form of a range of keys and values of one head, and how threads
// that need it share the work.

#if defined(RING_RUNTIME_KERNELS_KEYVALUEPACK_INL_H) ==                        \
    defined(HWY_TARGET_TOGGLE)
#ifdef RING_RUNTIME_KERNELS_KEYVALUEPACK_INL_H
#undef RING_RUNTIME_KERNELS_KEYVALUEPACK_INL_H
#else
#define RING_RUNTIME_KERNELS_KEYVALUEPACK_INL_H
#endif

#include "Kernels/AttentionLayout.h"
#include "Kernels/ForwardCall.h"
#include "Kernels/Pack-inl.h"
#include "Kernels/PackedUnits.h"

HWY_BEFORE_NAMESPACE();
namespace ring::rt::kernels {
namespace HWY_NAMESPACE {

/// Packs keys [begin, begin + count), begin a multiple of kPanel, of one head,
/// times scale * log2(e). `keyTo` and `valueTo` are where the panels of key
/// `begin` go; `valuePanelStride` is the distance of two value panels. Without
/// `valueTo` only keys are packed.
template <typename KeyT, typename ValueT>
void packKeys(const AttentionShape &shape, float scale, const KeyT *key,
              int64_t keyRowStride, const ValueT *value, int64_t valueRowStride,
              int64_t begin, int64_t count, float *keyTo, float *valueTo,
              int64_t valuePanelStride) {
  const auto factor = static_cast<float>(double(scale) * kLog2E);
  for (int64_t first = 0; first < count; first += kPanel) {
    const int64_t panelRows = std::min<int64_t>(kPanel, count - first);
    const int64_t nextRows =
        std::clamp<int64_t>(shape.keys - begin - first - kPanel, 0, kPanel);
    const KeyT *keyAt = key + (begin + first) * keyRowStride;
    const ValueT *valueAt = value + (begin + first) * valueRowStride;
    if (valueTo)
      fetchRows(valueAt, valueRowStride, panelRows, shape.valueDim);
    const KeyT *keyRows[kPanel];
    for (int64_t row = 0; row < panelRows; ++row)
      keyRows[row] = keyAt + row * keyRowStride;
    packTransposed<kPanel>(keyRows, panelRows, shape.keyDim, factor,
                           keyTo + first * shape.keyDim);

    fetchRows(keyAt + kPanel * keyRowStride, keyRowStride, nextRows,
              shape.keyDim);
    for (int64_t column = 0; valueTo && column < shape.valueDim;
         column += kPanel) {
      float *panel =
          valueTo + column / kPanel * valuePanelStride + first * kPanel;
      packRows(valueAt + column, valueRowStride, panelRows,
               std::min<int64_t>(kPanel, shape.valueDim - column), panel);
      std::fill(panel + panelRows * kPanel, panel + kPanel * kPanel, 0.0f);
    }
  }
}

/// `packKeys` for the element types at hand; values only where need be.
inline void packKeysOf(const AttentionShape &shape, float scale,
                       const TensorView &key, const TensorView &value,
                       int64_t batch, int64_t head, int64_t begin,
                       int64_t count, float *keyTo, float *valueTo,
                       int64_t valuePanelStride) {
  if (kReadsInPlace && liesInPanels(shape, value))
    valueTo = nullptr;
  const auto pack = [&](const auto *keyRows, const auto *valueRows) HWY_ATTR {
    packKeys(shape, scale, keyRows, key.rowStride, valueRows, value.rowStride,
             begin, count, keyTo, valueTo, valuePanelStride);
  };
  const int64_t heads = shape.keyValueHeads;
  const auto *keyF32 = key.headRows<float>(batch, head, heads);
  const auto *keyBf16 = key.headRows<uint16_t>(batch, head, heads);
  const auto *valueF32 = value.headRows<float>(batch, head, heads);
  const auto *valueBf16 = value.headRows<uint16_t>(batch, head, heads);
  const bool keyWide = key.type == ElementType::F32;
  const bool valueWide = value.type == ElementType::F32;
  if (keyWide && valueWide)
    pack(keyF32, valueF32);
  else if (keyWide)
    pack(keyF32, valueBf16);
  else if (valueWide)
    pack(keyBf16, valueF32);
  else
    pack(keyBf16, valueBf16);
}

/// Has keys [begin, end) of a head in the packed form: packs what nobody has
/// begun to pack, then waits for those who have.
inline void packUnits(const AttentionShape &shape, float scale,
                      const KeyValueBlock &keyValue, int64_t batch,
                      int64_t keyValueHead, int64_t begin, int64_t end) {
  auto *packed = static_cast<float *>(keyValue.packed);
  const PackedLayout layout = packedLayout(shape);
  const int64_t head = batch * shape.keyValueHeads + keyValueHead;
  const PackedUnits units(layout, packed, head);
  const int64_t firstUnit = begin / kPackUnit,
                pastUnit = divideUp(end, kPackUnit);
  for (int64_t unit = firstUnit; unit < pastUnit; ++unit) {
    if (!units.claim(unit))
      continue;
    const int64_t key = unit * kPackUnit;
    packKeysOf(shape, scale, keyValue.key, keyValue.value, batch, keyValueHead,
               key, std::min(kPackUnit, shape.keys - key),
               packed + layout.keyAt(head) + key * shape.keyDim,
               packed + layout.valueAt(head) + key * kPanel,
               layout.paddedKeys * kPanel);
    units.publish(unit);
  }
  for (int64_t unit = firstUnit; unit < pastUnit; ++unit)
    units.await(unit);
}

} // namespace HWY_NAMESPACE
} // namespace ring::rt::kernels
HWY_AFTER_NAMESPACE();

#endif // RING_RUNTIME_KERNELS_KEYVALUEPACK_INL_H
