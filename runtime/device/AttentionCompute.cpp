// SPDX-License-Identifier: Apache-2.0
//
// Flash attention over tiles. For every step of the ring and every chunk of
// queries, a state (maxima m, sums l, outputs o, all f32) takes in the chunks
// of keys and values that the reader brings, and is normalised after the last
// step:
//
//   s  = q k^T + mask           m' = max(m, rows of s)
//   p  = exp(scale (s - m'))    c  = exp(scale (m - m'))
//   l' = l c + rows of p        o' = o c + p v
//
// How exact it is depends on what passes through the unpacker, which cuts f32
// to tf32. Maxima come out of it and so are exact in it; s - m' is therefore
// made in L1, where packing adds in f32, and is small wherever it counts. Old o
// and l would lose up to 2^-10 of themselves with every chunk. But m need not
// be the maximum, only near it: as long as no score of a chunk exceeds it by
// more than a bound, m stays, c is 1, and packing adds onto l and o in L1.

#include "api/compute/bcast.h"
#include "api/compute/binary_max_min.h"
#include "api/compute/common.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/eltwise_unary/fill.h"
#include "api/compute/eltwise_unary/recip.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"
#include "api/compute/reduce.h"
#include "api/compute/tile_move_copy.h"
#include "api/debug/assert.h"

#include "AttentionBuffers.h"
#include "CommonWords.h"

namespace {

#ifdef RING_APPROXIMATE_EXP
constexpr bool kApproximateExp = true;
#else
constexpr bool kApproximateExp = false;
#endif

/// Where rows start that have seen nothing, as a maximum: -2^66, exact in every
/// format, below all scores and far above what a mask adds.
constexpr float kNoMaximum = -73786976294838206464.0f;
/// A sum that is 0 is divided by this instead.
constexpr float kLeastSum = 1e-30f;
constexpr uint32_t kOneBitsF32 = 0x3f800000;

/// The sizes, once for all functions.
struct Sizes {
  uint32_t queryRows, keyRows, headTiles, valueTiles;
  uint32_t scoreBlockRows, scoreBlockColumns;
  uint32_t outputBlockRows, outputBlockColumns;
  uint32_t dstTiles;
  uint32_t scaleBits;
  int32_t riseBits;
};

uint32_t lesser(uint32_t a, uint32_t b) { return a < b ? a : b; }

/// Hands the registers from the math thread to the packer.
void handOver() {
  tile_regs_commit();
  tile_regs_wait();
}

void startPacking(uint32_t buffer) {
  handOver();
  pack_reconfig_data_format(buffer);
}

/// Packs `count` registers to consecutive tiles of reserved pages, in the
/// format that is set, and gives the registers back.
void finishPacking(uint32_t buffer, uint32_t firstTile, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    pack_tile<true>(i, buffer, firstTile + i);
  tile_regs_release();
}

void packTiles(uint32_t buffer, uint32_t firstTile, uint32_t count) {
  startPacking(buffer);
  finishPacking(buffer, firstTile, count);
}

/// Packs a block of rows x columns registers into rows of `stride` tiles.
void packBlock(uint32_t buffer, uint32_t firstTile, uint32_t rows,
               uint32_t columns, uint32_t stride) {
  startPacking(buffer);
  for (uint32_t r = 0; r < rows; ++r)
    for (uint32_t c = 0; c < columns; ++c)
      pack_tile<true>(r * columns + c, buffer, firstTile + r * stride + c);
  tile_regs_release();
}

/// exp(scale x) of the first `count` registers.
void exponentials(uint32_t count, uint32_t scaleBits) {
  if (scaleBits != kOneBitsF32) {
    binop_with_scalar_tile_init();
    for (uint32_t i = 0; i < count; ++i)
      mul_unary_tile(i, scaleBits);
  }
  exp_tile_init<kApproximateExp>();
  for (uint32_t i = 0; i < count; ++i)
    exp_tile<kApproximateExp>(i);
}

/// a (rows x inner) times b (inner x columns, rows of `bStride` tiles), packed
/// into rows of `outStride` tiles, in blocks that fit the registers.
void multiply(uint32_t a, uint32_t b, uint32_t out, uint32_t rows,
              uint32_t columns, uint32_t inner, uint32_t aStride,
              uint32_t bStride, uint32_t outStride, uint32_t blockRows,
              uint32_t blockColumns, uint32_t transpose) {
  reconfig_data_format(b, a);
  for (uint32_t r = 0; r < rows; r += blockRows) {
    const uint32_t height = lesser(blockRows, rows - r);
    for (uint32_t c = 0; c < columns; c += blockColumns) {
      const uint32_t width = lesser(blockColumns, columns - c);
      matmul_block_init(a, b, transpose, width, height, aStride);
      tile_regs_acquire();
      for (uint32_t k = 0; k < inner; ++k)
        matmul_block(a, b, r * aStride + k, k * bStride + c, 0, transpose,
                     width, height, aStride);
      packBlock(out, r * outStride + c, height, width, outStride);
    }
  }
}

/// Adds masks onto the packed, unpushed scores.
void maskScores(const Sizes &sizes, const Tables &tables,
                const QueryChunk &queries, const KeyChunk &keys) {
  pack_reconfig_l1_acc(1);
  reconfig_data_format_srca(kMasks);
  copy_tile_init(kMasks);
  for (uint32_t r = 0; r < queries.rows; ++r)
    for (uint32_t c = 0; c < keys.rows; ++c) {
      const uint32_t mask = tables.maskOf(queries.firstRow + r, keys, c);
      if (hidesNothing(mask))
        continue;
      const uint32_t tile = tables.maskTile(mask);
      ASSERT(tile <= tables.words(kMaskCount));
      tile_regs_acquire();
      copy_tile(kMasks, tile, 0);
      packTiles(kScores, r * sizes.keyRows + c, 1);
    }
  pack_reconfig_l1_acc(0);
}

/// Adds a given mask, in parts, onto the packed, unpushed scores. It is in
/// units of scaled scores; scores are scaled later.
void addGivenMasks(const Sizes &sizes, uint32_t rows, uint32_t columns) {
  const uint32_t parts = constant<kMaskParts>();
  const uint32_t group = sizes.queryRows * sizes.keyRows * parts;
  cb_wait_front(kGivenMasks, group);
  pack_reconfig_l1_acc(1);
  reconfig_data_format_srca(kGivenMasks);
  copy_tile_init(kGivenMasks);
  binop_with_scalar_tile_init();
  for (uint32_t r = 0; r < rows; ++r)
    for (uint32_t c = 0; c < columns; c += sizes.dstTiles) {
      const uint32_t count = lesser(sizes.dstTiles, columns - c);
      const uint32_t tile = r * sizes.keyRows + c;
      for (uint32_t part = 0; part < parts; ++part) {
        tile_regs_acquire();
        for (uint32_t i = 0; i < count; ++i)
          copy_tile(kGivenMasks, (tile + i) * parts + part, i);
        for (uint32_t i = 0; i < count; ++i)
          mul_unary_tile(i, constant<kMaskScaleBits>());
        packTiles(kScores, tile, count);
      }
    }
  pack_reconfig_l1_acc(0);
  cb_pop_front(kGivenMasks, group);
}

/// kChunkMaxima = the maxima of the scores' rows.
void findChunkMaxima(const Sizes &sizes, uint32_t rows, uint32_t columns) {
  reconfig_data_format(kScores, kOnes);
  // Between these two the packer leaves out columns, and takes no format.
  pack_reconfig_data_format(kChunkMaxima);
  reduce_init<PoolType::MAX, ReduceDim::REDUCE_ROW>(kScores, kOnes,
                                                    kChunkMaxima);
  cb_reserve_back(kChunkMaxima, sizes.queryRows);
  for (uint32_t r = 0; r < rows; r += sizes.dstTiles) {
    const uint32_t count = lesser(sizes.dstTiles, rows - r);
    tile_regs_acquire();
    for (uint32_t i = 0; i < count; ++i)
      for (uint32_t c = 0; c < columns; ++c)
        reduce_tile<PoolType::MAX, ReduceDim::REDUCE_ROW>(
            kScores, kOnes, (r + i) * sizes.keyRows + c, 0, i);
    handOver();
    finishPacking(kChunkMaxima, r, count);
  }
  reduce_uninit(kScores);
  cb_push_back(kChunkMaxima, sizes.queryRows);
  cb_wait_front(kChunkMaxima, sizes.queryRows);
}

/// Whether a row's maximum exceeds the state's by more than the bound. The
/// bound is above 0, so that numbers compare as the integers of their bits.
bool rises(const Sizes &sizes, uint32_t rows, uint32_t maxima) {
  reconfig_data_format(kChunkMaxima, maxima);
  sub_init(kChunkMaxima, maxima);
  binary_max_tile_init();
  cb_reserve_back(kRises, 1);
  tile_regs_acquire();
  for (uint32_t r = 0; r < rows; ++r) {
    sub_tiles(kChunkMaxima, maxima, r, r, r ? 1 : 0);
    if (r)
      binary_max_tile(0, 1, 0);
  }
  packTiles(kRises, 0, 1);
  cb_push_back(kRises, 1);
  cb_wait_front(kRises, 1);
  bool found = false;
  for (uint32_t i = 0; i < static_cast<uint32_t>(kTileSize) && !found; ++i)
    found = static_cast<int32_t>(read_tile_value(
                kRises, 0, i / 16 * 512 + i % 16 * 16)) > sizes.riseBits;
  cb_pop_front(kRises, 1);
  return found;
}

/// kNewMaxima = the larger of the state's maxima and the chunk's.
void raiseMaxima(const Sizes &sizes, uint32_t rows, uint32_t maxima) {
  cb_reserve_back(kNewMaxima, sizes.queryRows);
  reconfig_data_format_srca(kChunkMaxima);
  copy_tile_init(kChunkMaxima);
  binary_max_tile_init();
  for (uint32_t r = 0; r < rows; ++r) {
    tile_regs_acquire();
    copy_tile(kChunkMaxima, r, 0);
    copy_tile(maxima, r, 1);
    binary_max_tile(0, 1, 0);
    packTiles(kNewMaxima, r, 1);
  }
  cb_push_back(kNewMaxima, sizes.queryRows);
  cb_wait_front(kNewMaxima, sizes.queryRows);
}

/// kCorrections = exp(scale (m - m')).
void findCorrections(const Sizes &sizes, uint32_t rows, uint32_t maxima) {
  reconfig_data_format(maxima, kNewMaxima);
  sub_init(maxima, kNewMaxima);
  cb_reserve_back(kCorrections, sizes.queryRows);
  for (uint32_t r = 0; r < rows; r += sizes.dstTiles) {
    const uint32_t count = lesser(sizes.dstTiles, rows - r);
    tile_regs_acquire();
    for (uint32_t i = 0; i < count; ++i)
      sub_tiles(maxima, kNewMaxima, r + i, r + i, i);
    exponentials(count, sizes.scaleBits);
    packTiles(kCorrections, r, count);
  }
  cb_push_back(kCorrections, sizes.queryRows);
  cb_pop_front(maxima, sizes.queryRows);
  cb_wait_front(kCorrections, sizes.queryRows);
}

/// Makes what is at the front of a buffer with room for one group its back:
/// giving the group up and reserving it again yields the same pages with what
/// they hold, and packing can add onto them.
void reopen(uint32_t buffer, uint32_t group) {
  cb_wait_front(buffer, group);
  cb_pop_front(buffer, group);
  cb_reserve_back(buffer, group);
}

/// Scores become s - m', in place.
void centreScores(const Sizes &sizes, uint32_t rows, uint32_t columns,
                  uint32_t maxima) {
  reopen(kScores, sizes.queryRows * sizes.keyRows);
  reconfig_data_format(kMasks, maxima);
  sub_bcast_cols_init(kMasks, maxima);
  pack_reconfig_l1_acc(1);
  for (uint32_t r = 0; r < rows; ++r) {
    tile_regs_acquire();
    sub_tiles_bcast_cols(kMasks, maxima, 0, r, 0);
    startPacking(kScores);
    for (uint32_t c = 0; c < columns; ++c)
      pack_tile<true>(0, kScores, r * sizes.keyRows + c);
    tile_regs_release();
  }
  pack_reconfig_l1_acc(0);
  cb_push_back(kScores, sizes.queryRows * sizes.keyRows);
  cb_wait_front(kScores, sizes.queryRows * sizes.keyRows);
}

/// kWeights = exp(scale (s - m')).
void findWeights(const Sizes &sizes, uint32_t rows, uint32_t columns) {
  cb_reserve_back(kWeights, sizes.queryRows * sizes.keyRows);
  reconfig_data_format_srca(kScores);
  copy_tile_init(kScores);
  for (uint32_t r = 0; r < rows; ++r)
    for (uint32_t c = 0; c < columns; c += sizes.dstTiles) {
      const uint32_t count = lesser(sizes.dstTiles, columns - c);
      const uint32_t tile = r * sizes.keyRows + c;
      tile_regs_acquire();
      for (uint32_t i = 0; i < count; ++i)
        copy_tile(kScores, tile + i, i);
      exponentials(count, sizes.scaleBits);
      packTiles(kWeights, tile, count);
    }
  cb_push_back(kWeights, sizes.queryRows * sizes.keyRows);
  cb_pop_front(kScores, sizes.queryRows * sizes.keyRows);
  cb_wait_front(kWeights, sizes.queryRows * sizes.keyRows);
}

/// Tiles of `from`, rows of `width`, times a factor for each row, to `to`.
void scaleRows(const Sizes &sizes, uint32_t from, uint32_t factors, uint32_t to,
               uint32_t rows, uint32_t width) {
  reconfig_data_format(from, factors);
  mul_bcast_cols_init(from, factors);
  const uint32_t tiles = rows * width;
  for (uint32_t tile = 0; tile < tiles; tile += sizes.dstTiles) {
    const uint32_t count = lesser(sizes.dstTiles, tiles - tile);
    tile_regs_acquire();
    for (uint32_t i = 0; i < count; ++i)
      mul_tiles_bcast_cols(from, factors, tile + i, (tile + i) / width, i);
    packTiles(to, tile, count);
  }
}

/// Copies tiles through the registers.
void copyTiles(const Sizes &sizes, uint32_t from, uint32_t to, uint32_t tiles) {
  reconfig_data_format_srca(from);
  copy_tile_init(from);
  for (uint32_t tile = 0; tile < tiles; tile += sizes.dstTiles) {
    const uint32_t count = lesser(sizes.dstTiles, tiles - tile);
    tile_regs_acquire();
    for (uint32_t i = 0; i < count; ++i)
      copy_tile(from, tile + i, i);
    packTiles(to, tile, count);
  }
}

/// Adds the sums of the weights' rows, and the weighted values, onto the sums
/// and outputs that are packed at `to`, and pushes them. The sum of a row is
/// its product with ones; all columns of weights meet the same tile of ones.
void addChunk(const Sizes &sizes, uint32_t rows, uint32_t columns,
              uint32_t to) {
  pack_reconfig_l1_acc(1);
  multiply(kWeights, kOnes, to + 1, rows, 1, columns, sizes.keyRows, 0, 1,
           sizes.dstTiles, 1, 0);
  cb_wait_front(kValues, sizes.keyRows * sizes.valueTiles);
  multiply(kWeights, kValues, to + 2, rows, sizes.valueTiles, columns,
           sizes.keyRows, sizes.valueTiles, sizes.valueTiles,
           sizes.outputBlockRows, sizes.outputBlockColumns, 0);
  pack_reconfig_l1_acc(0);
  cb_push_back(to + 1, sizes.queryRows);
  cb_push_back(to + 2, sizes.queryRows * sizes.valueTiles);
}

/// The state takes in one chunk of keys and values. It stays where it is, the
/// three buffers at `from`, if it may and its maxima hold; else it is rescaled
/// to those at `to`. Gives where it is.
uint32_t attend(const Sizes &sizes, const Tables &tables,
                const QueryChunk &queries, const KeyChunk &keys, uint32_t from,
                uint32_t to, bool mayStay) {
  const uint32_t scores = sizes.queryRows * sizes.keyRows;
  const uint32_t outputs = sizes.queryRows * sizes.valueTiles;

  cb_wait_front(kKeys, sizes.headTiles * sizes.keyRows);
  cb_reserve_back(kScores, scores);
  multiply(kQueries, kKeys, kScores, queries.rows, keys.rows, sizes.headTiles,
           sizes.headTiles, sizes.keyRows, sizes.keyRows, sizes.scoreBlockRows,
           sizes.scoreBlockColumns, 1);
  cb_pop_front(kKeys, sizes.headTiles * sizes.keyRows);
  if (keys.masked)
    maskScores(sizes, tables, queries, keys);
  if (constant<kMaskParts>())
    addGivenMasks(sizes, queries.rows, keys.rows);
  cb_push_back(kScores, scores);
  cb_wait_front(kScores, scores);

  findChunkMaxima(sizes, queries.rows, keys.rows);
  cb_wait_front(from, sizes.queryRows);
  if (mayStay && !rises(sizes, queries.rows, from)) {
    centreScores(sizes, queries.rows, keys.rows, from);
    findWeights(sizes, queries.rows, keys.rows);
    reopen(from + 1, sizes.queryRows);
    reopen(from + 2, outputs);
    addChunk(sizes, queries.rows, keys.rows, from);
    to = from;
  } else {
    raiseMaxima(sizes, queries.rows, from);
    findCorrections(sizes, queries.rows, from);
    centreScores(sizes, queries.rows, keys.rows, kNewMaxima);
    findWeights(sizes, queries.rows, keys.rows);
    cb_wait_front(from + 1, sizes.queryRows);
    cb_reserve_back(to + 1, sizes.queryRows);
    scaleRows(sizes, from + 1, kCorrections, to + 1, queries.rows, 1);
    cb_wait_front(from + 2, outputs);
    cb_reserve_back(to + 2, outputs);
    scaleRows(sizes, from + 2, kCorrections, to + 2, queries.rows,
              sizes.valueTiles);
    addChunk(sizes, queries.rows, keys.rows, to);
    cb_pop_front(from + 1, sizes.queryRows);
    cb_pop_front(from + 2, outputs);
    cb_reserve_back(to, sizes.queryRows);
    copyTiles(sizes, kNewMaxima, to, queries.rows);
    cb_push_back(to, sizes.queryRows);
    cb_pop_front(kNewMaxima, sizes.queryRows);
    cb_pop_front(kCorrections, sizes.queryRows);
  }
  cb_pop_front(kChunkMaxima, sizes.queryRows);
  cb_pop_front(kValues, sizes.keyRows * sizes.valueTiles);
  cb_pop_front(kWeights, scores);
  return to;
}

/// A state that has seen nothing but, where there is one, a sink.
void initState(const Sizes &sizes, uint32_t rows, bool hasSink, uint32_t to) {
  if (hasSink) {
    cb_wait_front(kSinks, 2);
    reconfig_data_format_srca(kSinks);
  }
  for (uint32_t part = 0; part < 3; ++part) {
    const uint32_t width = part == 2 ? sizes.valueTiles : 1;
    cb_reserve_back(to + part, sizes.queryRows * width);
    for (uint32_t tile = 0; tile < rows * width; ++tile) {
      tile_regs_acquire();
      if (hasSink && part < 2) {
        copy_tile_init(kSinks);
        copy_tile(kSinks, part, 0);
      } else {
        fill_tile_init();
        fill_tile(0, part == 0 ? kNoMaximum : 0.0f);
      }
      packTiles(to + part, tile, 1);
    }
    cb_push_back(to + part, sizes.queryRows * width);
  }
  if (hasSink)
    cb_pop_front(kSinks, 2);
}

/// The state goes on to the next step as it is.
void passState(const Sizes &sizes, uint32_t rows, uint32_t from, uint32_t to) {
  for (uint32_t part = 0; part < 3; ++part) {
    const uint32_t width = part == 2 ? sizes.valueTiles : 1;
    cb_wait_front(from + part, sizes.queryRows * width);
    cb_reserve_back(to + part, sizes.queryRows * width);
    copyTiles(sizes, from + part, to + part, rows * width);
    cb_pop_front(from + part, sizes.queryRows * width);
    cb_push_back(to + part, sizes.queryRows * width);
  }
}

/// outputs = o / l, log-sum-exps = scale m + log l. A row that saw nothing has
/// o = l = 0: its output is 0 / kLeastSum, its log-sum-exp about -2^66 scale.
void finish(const Sizes &sizes, uint32_t rows, uint32_t from) {
  const uint32_t outputs = sizes.queryRows * sizes.valueTiles;
  cb_wait_front(from, sizes.queryRows);
  cb_wait_front(from + 1, sizes.queryRows);
  cb_wait_front(from + 2, outputs);
  cb_reserve_back(kLogSums, sizes.queryRows);
  cb_reserve_back(kCorrections, sizes.queryRows);
  reconfig_data_format_srca(from + 1);
  copy_tile_init(from + 1);
  for (uint32_t r = 0; r < rows; ++r) {
    tile_regs_acquire();
    copy_tile(from + 1, r, 0);
    copy_tile(from, r, 1);
    fill_tile_init();
    fill_tile(2, kLeastSum);
    binary_max_tile_init();
    binary_max_tile(0, 2, 2);
    log_tile_init();
    log_tile(2);
    binop_with_scalar_tile_init();
    mul_unary_tile(1, sizes.scaleBits);
    add_binary_tile_init();
    add_binary_tile(1, 2, 1);
    startPacking(kLogSums);
    pack_tile<true>(1, kLogSums, r);
    tile_regs_release();

    tile_regs_acquire();
    copy_tile(from + 1, r, 0);
    fill_tile_init();
    fill_tile(1, kLeastSum);
    binary_max_tile_init();
    binary_max_tile(0, 1, 0);
    recip_tile_init();
    recip_tile(0);
    packTiles(kCorrections, r, 1);
  }
  cb_push_back(kLogSums, sizes.queryRows);
  cb_push_back(kCorrections, sizes.queryRows);

  cb_wait_front(kCorrections, sizes.queryRows);
  cb_reserve_back(kOutputs, outputs);
  scaleRows(sizes, from + 2, kCorrections, kOutputs, rows, sizes.valueTiles);
  cb_push_back(kOutputs, outputs);
  cb_pop_front(kCorrections, sizes.queryRows);
  cb_pop_front(from, sizes.queryRows);
  cb_pop_front(from + 1, sizes.queryRows);
  cb_pop_front(from + 2, outputs);
}

} // namespace

void kernel_main() {
  const Sizes sizes = {constant<kQueryRows>(),
                       constant<kKeyRows>(),
                       constant<kHeadTiles>(),
                       constant<kValueTiles>(),
                       constant<kScoreBlockRows>(),
                       constant<kScoreBlockColumns>(),
                       constant<kOutputBlockRows>(),
                       constant<kOutputBlockColumns>(),
                       constant<kDstTiles>(),
                       constant<kScaleBits>(),
                       static_cast<int32_t>(constant<kRiseBits>())};
  const bool hasSink = constant<kHasSink>();
  const uint32_t stashIn = constant<kResident>() ? kStashOut : kStashIn;

  const Tables tables{};
  const uint32_t firstChunk = ownWord(kFirstChunk);
  const uint32_t chunks = ownWord(kChunks);

  compute_kernel_hw_startup<SrcOrder::Reverse>(kQueries, kKeys, kScores);
  cb_wait_front(kOnes, 1);
  cb_wait_front(kMasks, tables.words(kMaskCount) + 1);

  uint32_t firstPiece = 0, nextPiece = 0;
  const uint32_t steps = tables.words(kSteps);
  for (uint32_t step = 0; step < steps; ++step) {
    const bool lastStep = step + 1 == steps;
    for (uint32_t c = 0; c < chunks; ++c) {
      const QueryChunk queries =
          tables.queryChunk(firstChunk + c, sizes.queryRows);
      uint32_t left = 0; // chunks of keys that are still to come
      nextPiece = tables.forKeyChunks(firstPiece, queries, sizes.keyRows,
                                      [&left](const KeyChunk &) { ++left; });

      bool stashed = false;
      uint32_t state = stashIn;
      if (!step) {
        state = kState;
        initState(sizes, queries.rows, hasSink, state);
      }
      cb_wait_front(kQueries, sizes.queryRows * sizes.headTiles);
      tables.forKeyChunks(
          firstPiece, queries, sizes.keyRows, [&](const KeyChunk &keys) {
            --left;
            // What came from another step, or goes to one, changes its place.
            const bool stash = !left && !lastStep;
            const bool stays = state == kState || state == kOtherState;
            const uint32_t other = state == kState ? kOtherState : kState;
            state = attend(sizes, tables, queries, keys, state,
                           stash ? kStashOut : other, stays && !stash);
            stashed = stash;
          });
      cb_pop_front(kQueries, sizes.queryRows * sizes.headTiles);
      if (lastStep)
        finish(sizes, queries.rows, state);
      else if (!stashed)
        passState(sizes, queries.rows, state, kStashOut);
    }
    firstPiece = nextPiece;
  }
}
