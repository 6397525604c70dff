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

#include "Kernels/MicroKernel-inl.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace ring::rt::kernels {
namespace HWY_NAMESPACE {

/// What is still to be fetched: up to two sets of rows.
class RowFetch {
public:
  void clear() { sets = left = 0; }

  /// Adds `rows` rows of `bytes` bytes, `stride` bytes apart. Only hints come
  /// of it: the addresses need not be valid.
  void add(const void *first, int64_t rows, int64_t bytes, int64_t stride) {
    if (rows <= 0)
      return;
    // Rows without gaps are one long row.
    if (stride == bytes) {
      bytes *= rows;
      rows = 1;
    }
    const int64_t lines = (bytes + kLine - 1) / kLine;
    wanted[sets++] = {static_cast<const char *>(first), rows, lines, stride, 0};
    left += rows * lines;
  }

  /// How many lines each of `times` calls of `next` should fetch.
  int64_t linesEach(int64_t times) const { return (left + times - 1) / times; }

  void next(int64_t lines) {
    while (lines > 0 && sets > 0) {
      Rows &set = wanted[sets - 1];
      const char *line = set.row + set.at * kLine;
      const int64_t count = std::min(lines, set.lines - set.at);
      for (int64_t index = 0; index < count; ++index)
        fetchLine(line + index * kLine);
      lines -= count;
      left -= count;
      set.at += count;
      if (set.at < set.lines)
        continue;
      set.at = 0;
      set.row += set.stride;
      if (--set.rows == 0)
        --sets;
    }
  }

private:
  static constexpr int64_t kLine = kLineFloats * sizeof(float);

  struct Rows {
    const char *row;
    int64_t rows, lines, stride;
    int64_t at; ///< lines of the row that are under way
  };
  Rows wanted[2];
  int sets = 0;
  int64_t left = 0; ///< lines of all sets
};

} // namespace HWY_NAMESPACE
} // namespace ring::rt::kernels
HWY_AFTER_NAMESPACE();

#endif // RING_RUNTIME_KERNELS_ROWFETCH_INL_H
