// SPDX-License-Identifier: Apache-2.0
// Where a block is cut so that its pieces are square.

#include "SquareCuts.h"
#include "ring/Analysis/AttentionTraits.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::ring {
namespace {

/// Up to this many squares in a row are always worth their overhead, up to
/// the second number those of at least `kLargeSquare` rows. The scores of
/// smaller ones take no more memory than the operands do.
constexpr int64_t kFewSquares = 16, kMostSquares = 64, kLargeSquare = 256;
/// Into how many pieces at most a narrow window cuts its block.
constexpr int64_t kMostWindowPieces = 8;

/// Rows `begin` to `end - 1`.
struct RowSpan {
  int64_t begin, end;

  int64_t size() const { return end - begin; }
  bool isEmpty() const { return end <= begin; }
  /// The smallest span with both in it.
  RowSpan hull(const RowSpan &other) const {
    if (isEmpty() || other.isEmpty())
      return isEmpty() ? other : *this;
    return {std::min(begin, other.begin), std::max(end, other.end)};
  }
  /// The same in whole tiles, as far as there are `rows`.
  RowSpan inTiles(int64_t rows) const {
    return {begin / kTileRows * kTileRows,
            std::min<int64_t>(llvm::alignTo(end, kTileRows), rows)};
  }
  /// Grown to `size` rows if there are so many, to the end first.
  RowSpan grownTo(int64_t size, int64_t rows) const {
    if (size <= this->size() || size > rows)
      return *this;
    int64_t grownEnd = std::min(begin + size, rows);
    return {grownEnd - size, grownEnd};
  }
};

/// The rows of `range` between two positions; no bound where there is none.
RowSpan rowsWithin(const PositionRange &range, std::optional<int64_t> first,
                   std::optional<int64_t> last) {
  RowSpan rows{0, range.size};
  if (first)
    rows.begin = std::max<int64_t>(
        0, llvm::divideCeilSigned(*first - range.begin, range.stride));
  if (last)
    rows.end = std::min(
        range.size,
        llvm::divideFloorSigned(*last - range.begin, range.stride) + 1);
  return rows;
}

/// The queries that reach any of the keys, and the keys that any of the queries
/// reaches. With 64 queries from 64 on, the 64 keys before them and a window
/// of 20 keys before a query, those are queries 0 to 19 and keys 44 to 63.
std::pair<RowSpan, RowSpan> reachedRows(const PositionRange &queries,
                                        const PositionRange &keys,
                                        const Band &band) {
  auto plus = [](int64_t position, std::optional<int64_t> distance,
                 int64_t sign) {
    return distance ? std::optional(position + sign * *distance) : std::nullopt;
  };
  return {rowsWithin(queries, plus(keys.begin, band.after, -1),
                     plus(keys.last(), band.before, 1)),
          rowsWithin(keys, plus(queries.begin, band.before, -1),
                     plus(queries.last(), band.after, 1))};
}

/// Whether `rows` rows are cut into pieces of `piece` rows. A rest is worth it
/// only beside squares that the kernel takes.
bool isWorthCutting(int64_t rows, int64_t piece) {
  if (rows <= piece || (rows % piece != 0 && piece % kTileRows != 0))
    return false;
  int64_t pieces = rows / piece;
  return pieces <= kFewSquares ||
         (pieces <= kMostSquares && piece >= kLargeSquare);
}

/// `rows` in pieces of `size` rows and a rest.
SmallVector<RowPiece> cutInto(const RowPiece &rows, int64_t size) {
  SmallVector<RowPiece> pieces;
  for (int64_t done = 0; done < rows.size; done += size)
    pieces.push_back(
        {rows.first + done, std::min(size, rows.size - done), rows.stride});
  return pieces;
}

/// The rows of a piece that follows a window along the diagonal of a square of
/// `rows` rows: at least as many as the window reaches, a divisor, a few pieces
/// only; all rows where the window is too wide. A reach of 100 in 1024 rows:
/// 128, so that 15 of 64 pieces are computed.
int64_t windowPiece(int64_t rows, const Band &band) {
  if (!band.before || !band.after)
    return rows;
  int64_t reach = std::max({*band.before, *band.after, int64_t(1)});
  int64_t least =
      std::max<int64_t>(reach, llvm::divideCeil(rows, kMostWindowPieces));
  for (int64_t piece = llvm::alignTo(least, kTileRows); 2 * piece <= rows;
       piece += kTileRows)
    if (rows % piece == 0)
      return piece;
  return rows;
}

/// The rows of each range of `positions`.
SmallVector<RowPiece> rowsOf(ArrayRef<PositionRange> positions) {
  SmallVector<RowPiece> pieces;
  int64_t first = 0;
  for (const PositionRange &range : positions) {
    pieces.push_back({first, range.size, range.stride});
    first += range.size;
  }
  return pieces;
}

/// Cuts each of `queries` by the shortest of `keys`, then, beside each piece,
/// those keys that are longer.
void appendSquares(ArrayRef<RowPiece> queries, ArrayRef<RowPiece> keys,
                   SmallVectorImpl<RowPair> &pairs) {
  int64_t shortest = keys.front().size;
  for (const RowPiece &range : keys)
    shortest = std::min(shortest, range.size);
  for (const RowPiece &range : queries)
    for (const RowPiece &piece :
         cutInto(range,
                 isWorthCutting(range.size, shortest) ? shortest : range.size))
      for (const RowPiece &beside : keys)
        for (const RowPiece &part : cutInto(
                 beside, isWorthCutting(beside.size, piece.size) ? piece.size
                                                                 : beside.size))
          pairs.push_back({piece, part});
}

} // namespace

SmallVector<RowPair> cutSquares(ArrayRef<BlockPositions> positions,
                                const Band &band) {
  SmallVector<RowPiece> queries = rowsOf(positions.front().first);
  SmallVector<RowPiece> keys = rowsOf(positions.front().second);
  SmallVector<RowPair> pairs;
  if (queries.size() != 1 || keys.size() != 1 || band.isUnbounded()) {
    appendSquares(queries, keys, pairs);
    return pairs;
  }

  RowPiece query = queries.front(), key = keys.front();
  RowSpan reaching{0, 0}, reached{0, 0};
  for (const auto &[onQueries, onKeys] : positions) {
    auto [some, any] = reachedRows(onQueries.front(), onKeys.front(), band);
    if (some.isEmpty() || any.isEmpty())
      continue;
    reaching = reaching.hull(some);
    reached = reached.hull(any);
  }
  if (reaching.isEmpty())
    return {{query, key}};
  reaching = reaching.inTiles(query.size);
  reached = reached.inTiles(key.size);
  reaching = reaching.grownTo(reached.size(), query.size);
  reached = reached.grownTo(reaching.size(), key.size);

  RowPiece someKeys{reached.begin, reached.size(), key.stride};
  RowPiece someQueries{reaching.begin, reaching.size(), query.stride};
  for (RowSpan outside :
       {RowSpan{0, reaching.begin}, RowSpan{reaching.end, query.size}})
    if (!outside.isEmpty())
      pairs.push_back(
          {{outside.begin, outside.size(), query.stride}, someKeys});
  int64_t piece = someQueries.size;
  if (someKeys.size == piece && query.stride == 1 && key.stride == 1)
    piece = windowPiece(piece, band);
  appendSquares(cutInto(someQueries, piece), someKeys, pairs);
  return pairs;
}

} // namespace mlir::ring
