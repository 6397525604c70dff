// SPDX-License-Identifier: Apache-2.0
//
// The arguments of the attention kernels. What meets what, in which order and
// after which arrival is decided outside and written into these words; kernels
// only walk them. The reader, the compute kernel and the writer of a core get
// the same compile-time and common arguments, so that they walk in step.
//
// Compile-time arguments: one word each, in the order of `Constant`.
// Common arguments: the words of `Common`, then
//   pieces       encoded `Piece`s, step after step
//   queries      first row of tiles, first position
//   masks        one word, as in TileMask.h
//   stores       (reader) address of keys, of values, rows of tiles of a head
//   mask         (reader) where one is given: the words of `GivenMask`, then
//                for each piece the column of tiles that it begins with
// Runtime arguments of a core: the words of `Own`.

#ifndef RING_DEVICE_ATTENTIONARGUMENTS_H
#define RING_DEVICE_ATTENTIONARGUMENTS_H

#include "TileMask.h"

/// Compile-time arguments of reader, compute kernel and writer. Numbers of
/// tiles, unless they say otherwise.
enum Constant : uint32_t {
  kQueryRows,  ///< of a chunk
  kKeyRows,    ///< of a chunk
  kHeadTiles,  ///< of a row of queries and keys
  kValueTiles, ///< of a row of values
  kScoreBlockRows,
  kScoreBlockColumns, ///< together at most kDstTiles
  kOutputBlockRows,
  kOutputBlockColumns, ///< together at most kDstTiles
  kDstTiles,           ///< that the destination registers hold
  kScaleBits,          ///< of the scores, as bits of an f32
  kNearBits,           ///< up to which references are 0, as bits of an f32
  kResident,           ///< 1: states stay in L1, 0: they are spilled
  kHasSink,            ///< 1: rows start with a sink
  kKeyPageTiles,       ///< of a page of keys in DRAM
  kValuePageTiles,     ///< of a page of values in DRAM
  /// Tiles of bf16 that a tile of the given mask is the sum of, and its page
  /// has; 0 without one.
  kMaskParts,
  /// Numbers whose sum a given mask is multiplied by, and their bits as bf16.
  kMaskTerms,
  kFirstMaskTerm,
  kSecondMaskTerm,
  kThirdMaskTerm,
  kConstants ///< how many there are; accessors follow
};

/// The words that a core has to itself. The last ones are the reader's alone:
/// cores that work on the same keys in the same order hand them on, each to the
/// next, and only the first reads them from DRAM.
enum Own : uint32_t {
  kFirstRow,    ///< of tiles of queries, heads one after the other
  kRows,        ///< of tiles of queries
  kStashed,     ///< semaphore: states that have reached DRAM
  kHandedFrom,  ///< core, as kMoverCore, or kNoCore
  kHandedTo,    ///< core, or kNoCore
  kChunksThere, ///< of queries, of the core that keys are handed to
  kRoom,        ///< semaphore: chunks of keys that the next core has room for
  kFilled       ///< semaphore: chunks of keys that have been handed here
};
constexpr uint32_t kNoCore = 0xffffffff;

/// The first words of the common arguments.
enum Common : uint32_t {
  kSteps,
  kPieces,
  kQueryPieces,
  kMaskCount,
  kStores,
  kHeadRows, ///< rows of tiles of a head of queries
  kGroup,    ///< query heads of a key head
  kBefore,   ///< of the band, kUnbounded without
  kAfter,
  kStride,    ///< by which positions rise from query to query
  kKeyStride, ///< and from key to key
  kMoverCore, ///< on the NoC, x in the low half and y in the high half
  kQueryAddress,
  kSinkAddress,
  kOutputAddress,
  kLogSumAddress,
  kStashAddress,
  kCommons
};

/// The first words of a given mask, behind the stores.
enum GivenMask : uint32_t {
  kMaskAddress,
  kMaskQueryHeads, ///< query heads of a batch
  kMaskBatchPages, ///< from one batch to the next, or 0
  kMaskHeadPages,  ///< from one head to the next, or 0
  kMaskRowPages,   ///< from one row of tiles to the next, or 0
  kGivenMaskWords
};

/// Rows of keys and values that rise evenly in the sequence and lie in one
/// store. Semaphores are their number plus 1; 0 is none.
struct Piece {
  uint32_t store = 0;
  uint32_t arrivalSemaphore = 0; ///< none: the rows are always there
  uint32_t arrivals = 0;         ///< to be counted before the rows are there
  /// The mover's, to be raised when the step has read the store.
  uint32_t readSemaphore = 0;
  bool last = false;     ///< of its step
  uint32_t firstRow = 0; ///< of tiles, in a head of the store
  uint32_t rows = 0;     ///< of tiles; 0 in a step that reads nothing
  uint32_t valid = 0;    ///< keys that are no padding: the first ones
  uint32_t position = 0; ///< of the first key
};

/// A piece as words: arguments are few.
constexpr uint32_t kPieceWords = 4;

inline void encode(const Piece &piece, uint32_t *words) {
  words[0] = piece.store | piece.arrivalSemaphore << 8 |
             piece.readSemaphore << 12 | piece.arrivals << 16 |
             static_cast<uint32_t>(piece.last) << 31;
  words[1] = piece.firstRow | piece.rows << 16;
  words[2] = piece.valid;
  words[3] = piece.position;
}

template <typename Words>
Piece decodePiece(const Words &words, uint32_t at) {
  const uint32_t source = words(at), rows = words(at + 1);
  Piece piece;
  piece.store = source & 0xff;
  piece.arrivalSemaphore = source >> 8 & 0xf;
  piece.readSemaphore = source >> 12 & 0xf;
  piece.arrivals = source >> 16 & 0x7fff;
  piece.last = source >> 31;
  piece.firstRow = rows & 0xffff;
  piece.rows = rows >> 16;
  piece.valid = words(at + 2);
  piece.position = words(at + 3);
  return piece;
}

constexpr uint32_t kQueryPieceWords = 2;
constexpr uint32_t kStoreWords = 3;

/// A chunk of queries of one head.
struct QueryChunk {
  uint32_t number; ///< of those of its core
  uint32_t row;    ///< of tiles, of all heads
  uint32_t head;
  uint32_t firstRow; ///< of tiles, in the head
  uint32_t rows;     ///< of tiles; fewer where a head or a core's share ends
};

/// A chunk of keys.
struct KeyChunk {
  Piece piece;
  uint32_t number; ///< of the piece
  uint32_t row;    ///< first row of tiles, in the piece
  uint32_t rows;   ///< of tiles; fewer than a chunk has at a piece's end
  bool masked;     ///< false: certainly all keys are visible to all queries
};

/// Reads the tables, through `Words`: a function from an index to a common
/// argument.
template <typename Words>
struct AttentionTables {
  Words words;

  uint32_t pieceWord(uint32_t piece) const {
    return kCommons + piece * kPieceWords;
  }
  Piece piece(uint32_t number) const {
    return decodePiece(words, pieceWord(number));
  }
  uint32_t queryWord(uint32_t piece) const {
    return pieceWord(words(kPieces)) + piece * kQueryPieceWords;
  }
  uint32_t maskWord(uint32_t mask) const {
    return queryWord(words(kQueryPieces)) + mask;
  }
  uint32_t storeWord(uint32_t store) const {
    return maskWord(words(kMaskCount)) + store * kStoreWords;
  }

  uint32_t givenMaskWord() const { return storeWord(words(kStores)); }

  /// The page of the given mask for a row of query tiles and a tile of keys of
  /// piece `piece`.
  uint32_t maskPage(uint32_t head, uint32_t row, uint32_t piece,
                    uint32_t keyTile) const {
    const uint32_t mask = givenMaskWord();
    const uint32_t heads = words(mask + kMaskQueryHeads);
    return head / heads * words(mask + kMaskBatchPages) +
           head % heads * words(mask + kMaskHeadPages) +
           row * words(mask + kMaskRowPages) +
           words(mask + kGivenMaskWords + piece) + keyTile;
  }

  TileBand band() const {
    return {static_cast<int32_t>(words(kBefore)),
            static_cast<int32_t>(words(kAfter))};
  }

  /// The chunk of queries that begins with a row of tiles, of those up to
  /// `end`; it has no rows if there are no more. Heads lie one after the other.
  QueryChunk queryChunk(uint32_t row, uint32_t end, uint32_t chunkRows,
                        uint32_t number = 0) const {
    const uint32_t headRows = words(kHeadRows);
    QueryChunk chunk = {number, row, row / headRows, row % headRows, end - row};
    if (chunk.rows > chunkRows)
      chunk.rows = chunkRows;
    if (chunk.rows > headRows - chunk.firstRow)
      chunk.rows = headRows - chunk.firstRow;
    return chunk;
  }
  QueryChunk chunkBehind(const QueryChunk &chunk, uint32_t end,
                         uint32_t chunkRows) const {
    return queryChunk(chunk.row + chunk.rows, end, chunkRows, chunk.number + 1);
  }

  /// Calls `visit(queries)` for every chunk of `rows` rows from `first` on.
  template <typename Visit>
  void forQueryChunks(uint32_t first, uint32_t rows, uint32_t chunkRows,
                      Visit visit) const {
    const uint32_t end = first + rows;
    for (QueryChunk chunk = queryChunk(first, end, chunkRows); chunk.rows;
         chunk = chunkBehind(chunk, end, chunkRows))
      visit(chunk);
  }

  /// The positions of a row of query tiles: those of the last piece that starts
  /// at it or before.
  TilePositions queryPositions(uint32_t row) const {
    uint32_t piece = words(kQueryPieces) - 1;
    while (piece && words(queryWord(piece)) > row)
      --piece;
    const uint32_t word = queryWord(piece);
    const auto stride = static_cast<int32_t>(words(kStride));
    const int32_t apart =
        static_cast<int32_t>((row - words(word)) * kTileSize) * stride;
    return {static_cast<int32_t>(words(word + 1)) + apart, stride, kTileSize};
  }

  /// The positions of a row of key tiles of a piece.
  TilePositions keyPositions(const Piece &piece, uint32_t row) const {
    const auto stride = static_cast<int32_t>(words(kKeyStride));
    const auto key = static_cast<int32_t>(row * kTileSize);
    int32_t valid = static_cast<int32_t>(piece.valid) - key;
    valid = valid < 0 ? 0 : valid;
    return {static_cast<int32_t>(piece.position) + key * stride, stride,
            valid > kTileSize ? kTileSize : valid};
  }

  uint32_t maskOf(uint32_t queryRow, const KeyChunk &keys,
                  uint32_t column) const {
    return maskOfTile(queryPositions(queryRow),
                      keyPositions(keys.piece, keys.row + column), band());
  }

  /// The number of a mask's tile: those of the list stand behind the zeros. A
  /// mask that is not in the list has the number behind the last.
  uint32_t maskTile(uint32_t mask) const {
    const uint32_t count = words(kMaskCount);
    uint32_t tile = 0;
    while (tile < count && words(maskWord(tile)) != mask)
      ++tile;
    return tile + 1;
  }

  /// Calls `visit(keys)` for every chunk of keys that some of the queries may
  /// see, of the step that begins with piece number `piece`. Gives the number
  /// of the next step's first piece.
  template <typename Visit>
  uint32_t forKeyChunks(uint32_t piece, const QueryChunk &queries,
                        uint32_t chunkRows, Visit visit) const {
    PositionSpan seen = {kUnbounded, 0};
    for (uint32_t row = 0; row < queries.rows; ++row) {
      const TilePositions tile = queryPositions(queries.firstRow + row);
      const int32_t last = tile.first + (kTileSize - 1) * tile.stride;
      seen.low = tile.first < seen.low ? tile.first : seen.low;
      seen.high = last > seen.high ? last : seen.high;
    }
    while (true) {
      KeyChunk keys = {this->piece(piece), piece, 0, 0, true};
      ++piece;
      for (; keys.row < keys.piece.rows; keys.row += chunkRows) {
        const uint32_t left = keys.piece.rows - keys.row;
        keys.rows = left < chunkRows ? left : chunkRows;
        const int32_t valid = static_cast<int32_t>(keys.piece.valid) -
                              static_cast<int32_t>(keys.row * kTileSize);
        if (valid <= 0)
          break;
        const TilePositions first = keyPositions(keys.piece, keys.row);
        const int32_t most = static_cast<int32_t>(keys.rows * kTileSize);
        const PositionSpan span = {
            first.first,
            first.first + ((valid < most ? valid : most) - 1) * first.stride};
        if (!mayMeet(seen, span, band()))
          continue;
        keys.masked = valid < most || !allMeet(seen, span, band());
        visit(keys);
      }
      if (keys.piece.last)
        return piece;
    }
  }
};

#endif // RING_DEVICE_ATTENTIONARGUMENTS_H
