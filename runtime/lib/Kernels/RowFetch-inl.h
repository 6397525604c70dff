// SPDX-License-Identifier: Apache-2.0
//
// Rows that will be needed soon, fetched a few lines at a time while a tile is
// multiplied. All at once they would fill the buffers of the L1 cache, and the
// multiplication would wait for the memory after all.

#if defined(RING_RUNTIME_KERNELS_ROWFETCH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RING_RUNTIME_KERNELS_ROWFETCH_INL_H
#undef RING_RUNTIME_KERNELS_ROWFETCH_INL_H
#else
#define RING_RUNTIME_KERNELS_ROWFETCH_INL_H
#endif

#include "Kernels/AttentionLayout.h"
#include "Kernels/MicroKernel-inl.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace ring::rt::kernels {
namespace HWY_NAMESPACE {

/// What is still to be fetched: rows that the next tile needs and, after them,
/// rows for later.
class RowFetch {
public:
  /// Forgets everything.
  void clear() { sets = later = left = pace = 0; }
  /// Forgets what is not for later.
  void clearNext() {
    sets = later;
    left = 0;
  }

  /// Adds `rows` rows of `bytes` bytes, `stride` bytes apart. Only hints come
  /// of it: the addresses need not be valid.
  void add(const void *first, int64_t rows, int64_t bytes, int64_t stride) {
    left += push(first, rows, bytes, stride);
  }

  /// The same for later, after `clear`, so that `times` calls of `next` fetch
  /// them.
  void addLater(const void *first, int64_t rows, int64_t bytes, int64_t stride,
                int64_t times) {
    pace += divideUp(push(first, rows, bytes, stride), times);
    later = sets;
  }

  /// How many lines each of `times` calls of `next` should fetch.
  int64_t linesEach(int64_t times) const {
    return divideUp(left, times) + pace;
  }

  void next(int64_t lines) {
    while (lines > 0 && sets > 0) {
      Rows &set = wanted[sets - 1];
      const char *line = set.row + set.at * kLine;
      const int64_t count = std::min(lines, set.lines - set.at);
      for (int64_t index = 0; index < count; ++index)
        fetchLine(line + index * kLine);
      lines -= count;
      left -= sets > later ? count : 0;
      set.at += count;
      if (set.at < set.lines)
        continue;
      set.at = 0;
      set.row += set.stride;
      if (--set.rows == 0)
        --sets;
      later = std::min(later, sets);
    }
  }

private:
  static constexpr int64_t kLine = kLineFloats * sizeof(float);

  /// Returns how many lines that is.
  int64_t push(const void *first, int64_t rows, int64_t bytes, int64_t stride) {
    if (rows <= 0)
      return 0;
    // Rows without gaps are one long row.
    if (stride == bytes) {
      bytes *= rows;
      rows = 1;
    }
    const int64_t lines = divideUp(bytes, kLine);
    wanted[sets++] = {static_cast<const char *>(first), rows, lines, stride, 0};
    return rows * lines;
  }

  struct Rows {
    const char *row;
    int64_t rows, lines, stride;
    int64_t at; ///< lines of the row that are under way
  };
  Rows wanted[4];
  int sets = 0;
  int later = 0;    ///< sets for later, which come first
  int64_t left = 0; ///< lines of the others
  int64_t pace = 0; ///< lines for later with every call
};

} // namespace HWY_NAMESPACE
} // namespace ring::rt::kernels
HWY_AFTER_NAMESPACE();

#endif // RING_RUNTIME_KERNELS_ROWFETCH_INL_H
