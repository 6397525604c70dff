// SPDX-License-Identifier: Apache-2.0
//
// Which keys of a head are in the packed form. Whoever meets keys that are not
// packs them, so threads that work on one head have to agree on who does: a
// unit of keys is claimed, packed and published.

#ifndef RING_RUNTIME_KERNELS_PACKEDUNITS_H
#define RING_RUNTIME_KERNELS_PACKEDUNITS_H

#include "Kernels/AttentionLayout.h"

#include <atomic>
#include <new>
#include <thread>

namespace ring::rt::kernels {

class PackedUnits {
  enum State : uint8_t { kRaw, kClaimed, kPacked };
  using Mark = std::atomic<uint8_t>;
  static_assert(Mark::is_always_lock_free && sizeof(Mark) == 1);

public:
  PackedUnits(const PackedLayout &layout, float *packed, int64_t head)
      : marks(marksOf(layout, packed) + head * layout.units) {}

  static int64_t bytes(const PackedLayout &layout) {
    return roundUp(layout.heads * layout.units, kBufferAlignment);
  }
  /// Makes the marks of all heads, nothing being packed.
  static void clear(const PackedLayout &layout, float *packed) {
    Mark *first = marksOf(layout, packed);
    for (int64_t unit = 0; unit < layout.heads * layout.units; ++unit)
      new (first + unit) Mark(kRaw);
  }

  bool isRaw(int64_t unit) const {
    return marks[unit].load(std::memory_order_relaxed) == kRaw;
  }
  /// Whether the unit is the caller's to pack.
  bool claim(int64_t unit) const {
    uint8_t raw = kRaw;
    return isRaw(unit) && marks[unit].compare_exchange_strong(
                              raw, kClaimed, std::memory_order_relaxed);
  }
  void publish(int64_t unit) const {
    marks[unit].store(kPacked, std::memory_order_release);
  }
  /// Waits until a unit that was claimed is packed, which takes a microsecond
  /// unless whoever packs it was interrupted.
  void await(int64_t unit) const {
    while (marks[unit].load(std::memory_order_acquire) != kPacked)
      std::this_thread::yield();
  }

private:
  static Mark *marksOf(const PackedLayout &layout, float *packed) {
    return reinterpret_cast<Mark *>(packed + layout.end());
  }

  Mark *marks;
};

} // namespace ring::rt::kernels

#endif // RING_RUNTIME_KERNELS_PACKEDUNITS_H
