// SPDX-License-Identifier: Apache-2.0
//
// Brings a compute core what it needs, in the order in which it needs it:
// constant tiles once, then for every step and every chunk of queries the state
// of the steps before (where it was spilled), the queries, and all chunks of
// keys and values that they may see. Rows that come from another device are not
// touched before their arrival was counted; when a step has read them, their
// store is given back to the mover.

#include "api/dataflow/dataflow_api.h"

#include "AttentionBuffers.h"
#include "CommonWords.h"
#include "ConstantTiles.h"
#include "NocCores.h"

namespace {

/// Reads one tile out of pages of several.
template <typename Accessor>
void readTile(const Accessor &pages, uint32_t tile, uint32_t pageTiles,
              uint32_t bytes, uint32_t address) {
  noc_async_read(pages.get_noc_addr(tile / pageTiles, tile % pageTiles * bytes),
                 address, bytes);
}

/// Waits until a counter of this core has come that far.
void awaitCount(uint32_t semaphore, uint32_t count) {
  noc_semaphore_wait_min(
      reinterpret_cast<volatile tt_l1_ptr uint32_t *>(semaphoreAt(semaphore)),
      count);
}

/// Writes a stretch of L1 to another core, `apart` bytes further on there.
void handOn(uint32_t core, uint32_t address, int32_t apart, uint32_t bytes) {
  noc_async_write(address,
                  onCore(core, static_cast<uint32_t>(
                                   static_cast<int32_t>(address) + apart)),
                  bytes);
}

/// Waits until the rows of a piece are there.
void awaitArrival(const Piece &piece) {
  if (piece.arrivalSemaphore)
    awaitCount(piece.arrivalSemaphore - 1, piece.arrivals);
}

void makeConstantTiles(const Tables &tables) {
  const uint32_t firstTerm = kMinusTile + constant<kScoreBlockColumns>();
  const uint32_t constants = firstTerm + constant<kMaskTerms>();
  const uint32_t terms[] = {constant<kFirstMaskTerm>(),
                            constant<kSecondMaskTerm>(),
                            constant<kThirdMaskTerm>()};
  cb_reserve_back(kConstantTiles, constants);
  uint32_t address = get_write_ptr(kConstantTiles);
  for (uint32_t tile = 0; tile < constants; ++tile) {
    const uint32_t diagonal =
        tile < firstTerm ? kOneBits : terms[tile - firstTerm];
    writeTile(address, [&](int32_t i, int32_t j) {
      return tile == kOnesTile ? kOneBits
             : tile == kIdentityTile || tile >= firstTerm
                 ? (i == j ? diagonal : 0u)
                 : (j == 0 ? kMinusOneBits : 0u);
    });
    address += get_tile_size(kConstantTiles);
  }
  cb_push_back(kConstantTiles, constants);

  const uint32_t masks = tables.words(kMaskCount);
  cb_reserve_back(kMasks, masks + 1);
  address = get_write_ptr(kMasks);
  writeTile(address, [](int32_t, int32_t) { return 0u; });
  for (uint32_t number = 0; number < masks; ++number) {
    address += get_tile_size(kMasks);
    const uint32_t mask = tables.words(tables.maskWord(number));
    writeTile(address, [mask](int32_t i, int32_t j) {
      return hides(mask, i, j) ? kHiddenBits : 0u;
    });
  }
  cb_push_back(kMasks, masks + 1);
}

} // namespace

void kernel_main() {
  const uint32_t queryRows = constant<kQueryRows>();
  const uint32_t keyRows = constant<kKeyRows>();
  const uint32_t headTiles = constant<kHeadTiles>();
  const uint32_t valueTiles = constant<kValueTiles>();
  const uint32_t keyPageTiles = constant<kKeyPageTiles>();
  const uint32_t valuePageTiles = constant<kValuePageTiles>();
  const bool resident = constant<kResident>();
  const bool hasSink = constant<kHasSink>();
  const uint32_t maskParts = constant<kMaskParts>();
  constexpr auto queryArgs = TensorAccessorArgs<kFirstAccessor>();
  constexpr auto keyArgs =
      TensorAccessorArgs<queryArgs.next_compile_time_args_offset()>();
  constexpr auto valueArgs =
      TensorAccessorArgs<keyArgs.next_compile_time_args_offset()>();
  constexpr auto sinkArgs =
      TensorAccessorArgs<valueArgs.next_compile_time_args_offset()>();
  constexpr auto stashArgs =
      TensorAccessorArgs<sinkArgs.next_compile_time_args_offset()>();
  constexpr auto maskArgs =
      TensorAccessorArgs<stashArgs.next_compile_time_args_offset()>();

  const Tables tables{};
  const uint32_t firstRow = ownWord(kFirstRow);
  const uint32_t endRow = firstRow + ownWord(kRows);
  const uint32_t from = ownWord(kHandedFrom), to = ownWord(kHandedTo);
  const auto queries = TensorAccessor(queryArgs, tables.words(kQueryAddress));
  const auto sinks = TensorAccessor(sinkArgs, tables.words(kSinkAddress));
  const auto stash = TensorAccessor(stashArgs, tables.words(kStashAddress));
  const uint32_t tileBytes = get_tile_size(kQueries);

  makeConstantTiles(tables);

  uint32_t firstPiece = 0, nextPiece = 0, stashed = 0;
  uint32_t met = 0, handed = 0; // chunks of keys, here and at the next core
  const uint32_t steps = tables.words(kSteps);
  for (uint32_t step = 0; step < steps; ++step) {
    for (QueryChunk chunk = tables.queryChunk(firstRow, endRow, queryRows);
         chunk.rows; chunk = tables.chunkBehind(chunk, endRow, queryRows)) {
      if (step && !resident) {
        // The writer counts the states that have reached DRAM.
        awaitCount(ownWord(kStashed), ++stashed);
        const uint32_t groups[3] = {queryRows, queryRows,
                                    queryRows * valueTiles};
        uint32_t page = chunk.row * (valueTiles + 2);
        for (uint32_t part = 0; part < 3; ++part) {
          cb_reserve_back(kStashIn + part, groups[part]);
          const uint32_t bytes = get_tile_size(kStashIn + part);
          const uint32_t tiles = chunk.rows * (part == 2 ? valueTiles : 1);
          for (uint32_t i = 0; i < tiles; ++i)
            noc_async_read(stash.get_noc_addr(page + i),
                           get_write_ptr(kStashIn + part) + i * bytes, bytes);
          page += tiles;
        }
        noc_async_read_barrier();
        for (uint32_t part = 0; part < 3; ++part)
          cb_push_back(kStashIn + part, groups[part]);
      }

      if (!step && hasSink) {
        const uint32_t bytes = get_tile_size(kSinks);
        cb_reserve_back(kSinks, 2);
        for (uint32_t i = 0; i < 2; ++i)
          noc_async_read(sinks.get_noc_addr(2 * chunk.head + i),
                         get_write_ptr(kSinks) + i * bytes, bytes);
        noc_async_read_barrier();
        cb_push_back(kSinks, 2);
      }

      cb_reserve_back(kQueries, queryRows * headTiles);
      const uint32_t firstTile = chunk.row * headTiles;
      for (uint32_t i = 0; i < chunk.rows * headTiles; ++i)
        noc_async_read(queries.get_noc_addr(firstTile + i),
                       get_write_ptr(kQueries) + i * tileBytes, tileBytes);
      noc_async_read_barrier();
      cb_push_back(kQueries, queryRows * headTiles);

      const uint32_t keyHead = chunk.head / tables.words(kGroup);
      // Reads keys and values into reserved pages.
      auto readChunk = [&](const Piece &piece, const KeyChunk &chunk) {
        const uint32_t store = tables.storeWord(piece.store);
        const auto keys = TensorAccessor(keyArgs, tables.words(store));
        const auto values = TensorAccessor(valueArgs, tables.words(store + 1));
        const uint32_t row =
            keyHead * tables.words(store + 2) + piece.firstRow + chunk.row;
        // A product transposes inside tiles only, so that the tiles of the keys
        // are put down transposed.
        for (uint32_t r = 0; r < chunk.rows; ++r)
          for (uint32_t d = 0; d < headTiles; ++d)
            readTile(keys, (row + r) * headTiles + d, keyPageTiles, tileBytes,
                     get_write_ptr(kKeys) + (d * keyRows + r) * tileBytes);
        for (uint32_t i = 0; i < chunk.rows * valueTiles; ++i)
          readTile(values, row * valueTiles + i, valuePageTiles, tileBytes,
                   get_write_ptr(kValues) + i * tileBytes);
        noc_async_read_barrier();
      };
      // Reads the given mask of a chunk of keys, while their scores are made.
      auto readMask = [&](const QueryChunk &rows, const KeyChunk &columns) {
        const auto mask = TensorAccessor(
            maskArgs, tables.words(tables.givenMaskWord() + kMaskAddress));
        const uint32_t bytes = maskParts * tileBytes;
        cb_reserve_back(kGivenMasks, queryRows * keyRows * maskParts);
        for (uint32_t r = 0; r < rows.rows; ++r)
          for (uint32_t c = 0; c < columns.rows; ++c)
            noc_async_read(
                mask.get_noc_addr(tables.maskPage(rows.head, rows.firstRow + r,
                                                  columns.number,
                                                  columns.row + c)),
                get_write_ptr(kGivenMasks) + (r * keyRows + c) * bytes, bytes);
        noc_async_read_barrier();
        cb_push_back(kGivenMasks, queryRows * keyRows * maskParts);
      };
      nextPiece = tables.forKeyChunks(
          firstPiece, chunk, keyRows, [&](const KeyChunk &keys) {
            const Piece &piece = keys.piece;
            cb_reserve_back(kKeys, headTiles * keyRows);
            cb_reserve_back(kValues, keyRows * valueTiles);
            if (from != kNoCore) {
              noc_semaphore_inc(onCore(from, semaphoreAt(ownWord(kRoom))), 1);
              awaitCount(ownWord(kFilled), met + 1);
            } else {
              awaitArrival(piece);
              readChunk(piece, keys);
            }
            if (to != kNoCore && chunk.number < ownWord(kChunksThere)) {
              // The next core has met what was handed to it, and so may be in
              // another group of its pages.
              const auto apart = [&](uint32_t groups, uint32_t tiles) {
                return static_cast<int32_t>((handed % groups - met % groups) *
                                            keyRows * tiles * tileBytes);
              };
              const int32_t keysApart = apart(kKeyGroups, headTiles);
              const int32_t valuesApart = apart(kValueGroups, valueTiles);
              awaitCount(ownWord(kRoom), ++handed);
              for (uint32_t d = 0; d < headTiles; ++d)
                handOn(to, get_write_ptr(kKeys) + d * keyRows * tileBytes,
                       keysApart, keys.rows * tileBytes);
              handOn(to, get_write_ptr(kValues), valuesApart,
                     keys.rows * valueTiles * tileBytes);
              noc_async_write_barrier();
              noc_semaphore_inc(onCore(to, semaphoreAt(ownWord(kFilled))), 1);
            }
            ++met;
            cb_push_back(kKeys, headTiles * keyRows);
            cb_push_back(kValues, keyRows * valueTiles);
            if (maskParts)
              readMask(chunk, keys);
          });
    }

    // Nothing of the step is read any more: whoever sends may overwrite it. Who
    // had nothing to read waits all the same: counted before its time, it would
    // make up for one who still reads what was there before.
    const uint32_t mover = tables.words(kMoverCore);
    for (; firstPiece < nextPiece; ++firstPiece) {
      const Piece piece = tables.piece(firstPiece);
      if (!piece.readSemaphore)
        continue;
      awaitArrival(piece);
      noc_semaphore_inc(onCore(mover, semaphoreAt(piece.readSemaphore - 1)), 1);
    }
  }
  noc_async_atomic_barrier();
}
