// SPDX-License-Identifier: Apache-2.0
//
// What a mask leaves of one tile of scores, from the positions of its queries
// and keys. Plain arithmetic: the kernels use it on the device, and whoever
// writes their arguments uses it to list the masks that they will need.

#ifndef RING_DEVICE_TILEMASK_H
#define RING_DEVICE_TILEMASK_H

#include <cstdint>

/// Rows and columns of a tile.
constexpr int32_t kTileSize = 32;

/// A band without a bound on one side.
constexpr int32_t kUnbounded = 0x7fffffff;

/// Rows of a tile that lie evenly in the sequence.
struct TilePositions {
  int32_t first;  ///< position of the first row
  int32_t stride; ///< by which it rises from row to row, at least 1
  int32_t valid;  ///< rows that are not padding, 0 to 32
};

/// The keys that a query at position p attends to: p - before to p + after.
struct TileBand {
  int32_t before;
  int32_t after;
};

/// A mask in one word: key j is visible to query i if
/// low <= j - slope i <= high and j < valid, where the slope is 1 to 32. From
/// the low bits on the word has valid (6 bits), slope - 1 (5 bits), and low and
/// high (10 bits each), both with 31 * 32 added.
constexpr int32_t kMostSlope = 32;
constexpr uint32_t kMaskAll = 0xffffffffu;

inline uint32_t maskWord(int32_t slope, int32_t low, int32_t high,
                         int32_t valid) {
  const int32_t most = (kTileSize - 1) * kMostSlope;
  return static_cast<uint32_t>(valid) | static_cast<uint32_t>(slope - 1) << 6 |
         static_cast<uint32_t>(low + most) << 11 |
         static_cast<uint32_t>(high + most) << 21;
}

inline int32_t floorDivide(int32_t a, int32_t b) {
  return a >= 0 ? a / b : -((b - 1 - a) / b);
}

/// The mask of a tile whose queries rise by s t, and keys by t: from
///   query + i s t - before <= key + j t <= query + i s t + after
/// follows ceil((query - before - key) / t) <= j - s i
///                                      <= floor((query + after - key) / t).
inline uint32_t maskOfTile(TilePositions queries, TilePositions keys,
                           TileBand band) {
  const int32_t slope = queries.stride / keys.stride;
  const int32_t last = kTileSize - 1, first = -last * slope;
  const int32_t apart = queries.first - keys.first;
  int32_t low = first, high = last;
  if (band.before != kUnbounded) {
    const int32_t bound = -floorDivide(band.before - apart, keys.stride);
    low = bound > low ? bound : low;
  }
  if (band.after != kUnbounded) {
    const int32_t bound = floorDivide(apart + band.after, keys.stride);
    high = bound < high ? bound : high;
  }
  if (low > last || high < first || low > high || keys.valid == 0)
    return kMaskAll;
  return maskWord(slope, low, high, keys.valid);
}

/// Whether a mask hides nothing.
inline bool hidesNothing(uint32_t mask) {
  const int32_t slope = static_cast<int32_t>(mask >> 6 & 0x1f) + 1;
  const int32_t last = kTileSize - 1;
  return mask == maskWord(slope, -last * slope, last, kTileSize);
}

/// Whether a mask hides key j from query i.
inline bool hides(uint32_t mask, int32_t i, int32_t j) {
  if (mask == kMaskAll)
    return true;
  const int32_t most = (kTileSize - 1) * kMostSlope;
  const int32_t apart = j - (static_cast<int32_t>(mask >> 6 & 0x1f) + 1) * i;
  return apart < static_cast<int32_t>(mask >> 11 & 0x3ff) - most ||
         apart > static_cast<int32_t>(mask >> 21 & 0x3ff) - most ||
         j >= static_cast<int32_t>(mask & 0x3f);
}

/// The lowest and highest position of some rows.
struct PositionSpan {
  int32_t low;
  int32_t high;
};

/// Whether any of the keys may be visible to any of the queries, by their
/// outermost positions alone. What is let through in vain is masked.
inline bool mayMeet(PositionSpan queries, PositionSpan keys, TileBand band) {
  return (band.after == kUnbounded || keys.low - band.after <= queries.high) &&
         (band.before == kUnbounded || keys.high + band.before >= queries.low);
}

/// Whether all of the keys are certainly visible to all of the queries.
inline bool allMeet(PositionSpan queries, PositionSpan keys, TileBand band) {
  return (band.after == kUnbounded || keys.high - band.after <= queries.low) &&
         (band.before == kUnbounded || keys.low + band.before >= queries.high);
}

#endif // RING_DEVICE_TILEMASK_H
