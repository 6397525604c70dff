// SPDX-License-Identifier: Apache-2.0
//
// A tensor in pieces is written block by block of its own memory, so that each
// block is filled and overwritten while it is in a cache, and every line goes
// to memory once.

#include "Ops/PieceWriter.h"

#include "Data/Numbers.h"

#include <algorithm>
#include <cstring>

namespace ring::rt {

namespace {

/// Elements that one hand-over writes.
constexpr int64_t kBlock = 1 << 15;

/// `fill`, as often as it takes to copy it from.
class Filling {
public:
  Filling(ElementType element, double fill)
      : size(heldElementBytes(element)), pattern(kPattern * size) {
    std::vector<double> numbers(kPattern, fill);
    storeNumbers(pattern.data(), element, 0, numbers.data(), kPattern);
    isZero = std::all_of(pattern.begin(), pattern.end(),
                         [](uint8_t byte) { return byte == 0; });
  }

  void write(uint8_t *into, int64_t begin, int64_t end) const {
    if (isZero) {
      std::memset(into + begin * size, 0, (end - begin) * size);
      return;
    }
    for (int64_t at = begin; at < end; at += kPattern)
      std::memcpy(into + at * size, pattern.data(),
                  std::min(kPattern, end - at) * size);
  }

private:
  static constexpr int64_t kPattern = 512;
  int64_t size;
  std::vector<uint8_t> pattern;
  bool isZero;
};

/// A piece as runs of elements that are next to each other here.
class PieceRuns {
public:
  PieceRuns(const TensorPiece &piece, int64_t elementSize)
      : piece(piece), size(elementSize), outer(piece.sizes.size()) {
    if (outer > 0 && piece.intoStrides.back() == 1) {
      --outer;
      length = piece.sizes.back();
      fromStep = piece.fromStrides.back();
    }
    for (size_t i = 0; i < outer; ++i)
      runs *= piece.sizes[i];
    end = piece.last() + 1;
  }

  /// Copies what lies in elements [begin, stop).
  void copy(uint8_t *into, int64_t begin, int64_t stop) const {
    if (piece.into >= stop || end <= begin)
      return;
    // Runs come in order: the first that ends behind `begin`.
    int64_t low = 0, high = runs;
    while (low < high) {
      int64_t middle = (low + high) / 2;
      if (offsets(middle).into + length > begin)
        high = middle;
      else
        low = middle + 1;
    }
    for (int64_t run = low; run < runs; ++run) {
      Offsets at = offsets(run);
      if (at.into >= stop)
        return;
      int64_t skipped = std::max<int64_t>(0, begin - at.into);
      int64_t count = std::min(length, stop - at.into) - skipped;
      copyRun(into + (at.into + skipped) * size,
              piece.source->data() + (at.from + skipped * fromStep) * size,
              count);
    }
  }

private:
  struct Offsets {
    int64_t from, into;
  };

  Offsets offsets(int64_t run) const {
    Offsets at{piece.from, piece.into};
    for (size_t i = outer; i-- > 0;) {
      int64_t index = run % piece.sizes[i];
      run /= piece.sizes[i];
      at.from += index * piece.fromStrides[i];
      at.into += index * piece.intoStrides[i];
    }
    return at;
  }

  void copyRun(uint8_t *into, const uint8_t *from, int64_t count) const {
    if (fromStep == 1) {
      std::memcpy(into, from, count * size);
      return;
    }
    for (int64_t i = 0; i < count; ++i)
      std::memcpy(into + i * size, from + i * fromStep * size, size);
  }

  const TensorPiece &piece;
  int64_t size;
  size_t outer; ///< dimensions that runs go over
  int64_t runs = 1, length = 1, fromStep = 1, end = 0;
};

} // namespace

Status writePieces(OpRun &run, const TensorPieces &tensor, ElementType element,
                   int64_t count, uint8_t *into) {
  Filling filling(element, tensor.fill);
  std::vector<PieceRuns> pieces;
  for (const TensorPiece &piece : tensor.pieces)
    pieces.emplace_back(piece, heldElementBytes(element));
  int64_t blocks = (count + kBlock - 1) / kBlock;
  return run.parallelFor(blocks, 1, [&](int64_t first, int64_t last) {
    int64_t begin = first * kBlock, end = std::min(last * kBlock, count);
    if (!tensor.covers)
      filling.write(into, begin, end);
    for (const PieceRuns &piece : pieces)
      piece.copy(into, begin, end);
  });
}

} // namespace ring::rt
