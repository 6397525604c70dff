// SPDX-License-Identifier: Apache-2.0
//
// Flash attention over tiles. For every step of the ring and every chunk of
// queries, a state (references m, sums l, outputs o) takes in the chunks of
// keys and values that the reader brings, and is normalised after the last
// step:
//
//   p  = exp(scale (q k^T + mask - m))
//   l' = l + rows of p                  o' = o + p v
//
// A reference only has to keep weights p in the range of floats; it need not be
// the maximum of its row. So maxima are looked for in the first chunk alone. If
// they are all near 0, so are the references, and nothing is subtracted at all.
// Later chunks are weighed by the references that there are, and the sums of
// their rows, which are needed anyway, show whether that went well. If not, the
// references are raised to the new maxima, the state is rescaled, and the chunk
// is weighed again.
//
// All of a weight is made in the registers, in f32: keys, masks and references
// are products that add up there. What passes through the unpacker is cut to
// tf32, and old sums and outputs would lose up to 2^-10 of themselves each
// time; packing adds onto them in L1, in f32, and they are unpacked only when
// references rise and between steps.
//
// Values are met one chunk late: while the pack thread still makes weights of a
// chunk, the math thread multiplies those of the one before by their values.

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
#include "ComputeTiles.h"

namespace {

#ifdef RING_APPROXIMATE_EXP
constexpr bool kApproximateExp = true;
#else
constexpr bool kApproximateExp = false;
#endif

/// Where rows start that have seen nothing, as a reference: -2^66, exact in
/// every format, below all scores and far above what a mask adds.
constexpr float kNoMaximum = -73786976294838206464.0f;
/// A sum that is 0 is divided by this instead.
constexpr float kLeastSum = 1e-30f;
/// The bits of 2^64: a chunk whose sums are larger was weighed by references
/// that are too low. What is weighed by good ones stays far below the largest
/// float, also when the chunks of a long sequence add up.
constexpr int32_t kMostSumBits = 0x5f800000;
constexpr uint32_t kOneBitsF32 = 0x3f800000;

/// The sizes, once for all functions.
struct Sizes {
  uint32_t queryRows, keyRows, headTiles, valueTiles;
  uint32_t scoreBlockRows, scoreBlockColumns;
  uint32_t outputBlockRows, outputBlockColumns;
  uint32_t dstTiles;
  uint32_t queries;        ///< the buffer that products take them from
  uint32_t queryScaleBits; ///< by which they are multiplied there
  uint32_t scaleBits;      ///< by which scores are still to be multiplied
  uint32_t nearBits;

  uint32_t weights() const { return queryRows * keyRows; }
  uint32_t outputs() const { return queryRows * valueTiles; }
  uint32_t givenMasks() const { return weights() * constant<kMaskParts>(); }
  /// How many tiles of kConstantTiles are in front of the terms.
  uint32_t constants() const { return kMinusTile + scoreBlockColumns; }
  /// Tiles of a row of a part of the state.
  uint32_t width(uint32_t part) const { return part == 2 ? valueTiles : 1; }
};

/// A chunk of queries by a chunk of keys.
struct Pair {
  const QueryChunk &queries;
  const KeyChunk &keys;
};

/// One bit for each chunk of queries of a core: whether its references are
/// anything else than 0. Chunks beyond the last bit count as such, which is
/// right, if slower: a processor of a core has few bytes of memory to itself.
struct Centred {
  static constexpr uint32_t kBits = 64;
  uint64_t bits = 0;

  bool get(uint32_t chunk) const {
    return chunk >= kBits || (bits >> chunk & 1);
  }
  void set(uint32_t chunk, bool centred) {
    if (chunk >= kBits)
      return;
    const uint64_t bit = uint64_t{1} << chunk;
    bits = centred ? bits | bit : bits & ~bit;
  }
};

/// exp(scale x) of the first `count` registers, on the math thread.
NOT_INLINED void exponentials(uint32_t count, uint32_t scaleBits) {
  scaleRegisters(count, scaleBits);
  exp_tile_init<kApproximateExp>();
  for (uint32_t i = 0; i < count; ++i)
    exp_tile<kApproximateExp>(i);
}

/// Adds masks onto the registers of a block of scores, as products with the
/// identity.
void addMasks(const Tables &tables, const Pair &pair, const Block &block) {
  matmul_block_init(kMasks, kConstantTiles, 1, 1, 1, 1);
  for (uint32_t r = 0; r < block.rows; ++r)
    for (uint32_t c = 0; c < block.columns; ++c) {
      const uint32_t mask = tables.maskOf(pair.queries.firstRow + block.row + r,
                                          pair.keys, block.column + c);
      if (hidesNothing(mask))
        continue;
      const uint32_t tile = tables.maskTile(mask);
      ASSERT(tile <= tables.words(kMaskCount));
      matmul_block(kMasks, kConstantTiles, tile, kIdentityTile,
                   r * block.columns + c, 1, 1, 1, 1);
    }
}

/// Adds the given mask onto the registers of a block of scores, times the terms
/// of what makes it one of unscaled scores. It is the second factor, of which
/// HiFi2 takes in all bits, and terms have no more than it takes of the first.
NOT_INLINED void addGivenMasks(const Sizes &sizes, const Block &block) {
  const uint32_t parts = constant<kMaskParts>();
  const uint32_t firstTerm = sizes.constants();
  matmul_block_init(kConstantTiles, kGivenMasks, 0, 1, 1, 1);
  for (uint32_t r = 0; r < block.rows; ++r)
    for (uint32_t c = 0; c < block.columns; ++c) {
      const uint32_t tile =
          ((block.row + r) * sizes.keyRows + block.column + c) * parts;
      for (uint32_t part = 0; part < parts; ++part)
        for (uint32_t term = 0; term < constant<kMaskTerms>(); ++term)
          matmul_block(kConstantTiles, kGivenMasks, firstTerm + term,
                       tile + part, r * block.columns + c, 0, 1, 1, 1);
    }
}

/// Subtracts references from the registers of a block of scores: a product with
/// a tile of which only the first column counts.
void subtractReferences(uint32_t references, const Block &block) {
  matmul_block_init(references, kConstantTiles, 1, block.columns, block.rows,
                    1);
  matmul_block(references, kConstantTiles, block.row, kMinusTile, 0, 1,
               block.columns, block.rows, 1);
}

/// Makes weights of the first `count` registers and hands them to the packer.
/// The pack thread makes approximate exponentials while the math thread goes on
/// to the next block. It prepares the vector unit when it has the first block:
/// the math thread, which may have used it, has given that up. What the math
/// thread uses it for next depends on tiles that are packed behind these.
void handOverWeights(uint32_t count, uint32_t scaleBits, bool first) {
  if (!kApproximateExp)
    exponentials(count, scaleBits);
  handOver();
  if (kApproximateExp) {
    if (first)
      exp_packthread_tile_init<true>();
    for (uint32_t i = 0; i < count; ++i)
      exp_packthread_tile<true>(i);
    PACK(TTI_STALLWAIT(p_stall::STALL_PACK, p_stall::WAIT_SFPU));
  }
}

/// What becomes of scores on their way to kWeights.
enum class Scores { Stay, Weigh, WeighCentred };

/// kWeights = s, or exp(scale (s - m)), behind the weights that are there
/// already.
NOT_INLINED void makeScores(const Sizes &sizes, const Tables &tables,
                            const Pair &pair, uint32_t references,
                            Scores scores) {
  cb_reserve_back(kWeights, sizes.weights());
  reconfig_data_format(kKeys, sizes.queries);
  pack_reconfig_data_format(kWeights);
  const auto make = [&](const Block &block) {
    matmul_block_init(sizes.queries, kKeys, 1, block.columns, block.rows,
                      sizes.headTiles);
    tile_regs_acquire();
    for (uint32_t k = 0; k < sizes.headTiles; ++k)
      matmul_block(sizes.queries, kKeys, block.row * sizes.headTiles + k,
                   k * sizes.keyRows + block.column, 0, 1, block.columns,
                   block.rows, sizes.headTiles);
    if (pair.keys.masked)
      addMasks(tables, pair, block);
    if (constant<kMaskParts>())
      addGivenMasks(sizes, block);
    if (scores == Scores::WeighCentred)
      subtractReferences(references, block);
    if (scores == Scores::Stay)
      handOver();
    else
      handOverWeights(block.rows * block.columns, sizes.scaleBits,
                      !block.row && !block.column);
    finishPacking(kWeights, block, sizes.keyRows);
  };
  forBlocks(pair.queries.rows, pair.keys.rows, sizes.scoreBlockRows,
            sizes.scoreBlockColumns, make);
  cb_push_back(kWeights, sizes.weights());
}

/// kChunkSums = the sums of the rows of the weights at the front: their
/// products with ones. All columns of weights meet the same tile.
NOT_INLINED void sumWeights(const Sizes &sizes, uint32_t rows,
                            uint32_t columns) {
  cb_wait_front(kWeights, sizes.weights());
  cb_reserve_back(kChunkSums, sizes.queryRows);
  multiply(kWeights, kConstantTiles, kChunkSums, rows, 1, columns,
           sizes.keyRows, 0, 1, sizes.dstTiles, 1);
  cb_push_back(kChunkSums, sizes.queryRows);
  cb_wait_front(kChunkSums, sizes.queryRows);
}

/// Whether a sum is larger than it may be. Sums are no less than 0, so that
/// they compare as the integers of their bits; those of what is no number are
/// larger than all others.
NOT_INLINED bool exceeds(uint32_t rows) {
  reconfig_data_format(kChunkSums, kConstantTiles);
  // Between these two the packer leaves out rows, and takes no format.
  pack_reconfig_data_format(kLargest);
  reduce_init<PoolType::MAX, ReduceDim::REDUCE_COL>(kChunkSums, kConstantTiles,
                                                    kLargest);
  cb_reserve_back(kLargest, 1);
  tile_regs_acquire();
  for (uint32_t r = 0; r < rows; ++r)
    reduce_tile<PoolType::MAX, ReduceDim::REDUCE_COL>(
        kChunkSums, kConstantTiles, r, kOnesTile, 0);
  handOver();
  finishPacking(kLargest, 0, 1);
  reduce_uninit(kChunkSums);
  cb_push_back(kLargest, 1);
  cb_wait_front(kLargest, 1);
  const auto largest = static_cast<int32_t>(read_tile_value(kLargest, 0, 0));
  cb_pop_front(kLargest, 1);
  return largest > kMostSumBits;
}

/// The state takes in the sums and weights at the front, with their values.
NOT_INLINED void addChunk(const Sizes &sizes, uint32_t rows, uint32_t columns,
                          uint32_t state) {
  reopen(state + 1, sizes.queryRows);
  reopen(state + 2, sizes.outputs());
  cb_wait_front(kValues, sizes.keyRows * sizes.valueTiles);
  pack_reconfig_l1_acc(1);
  copyTiles(kChunkSums, state + 1, rows, sizes.dstTiles);
  multiply(kWeights, kValues, state + 2, rows, sizes.valueTiles, columns,
           sizes.keyRows, sizes.valueTiles, sizes.valueTiles,
           sizes.outputBlockRows, sizes.outputBlockColumns);
  pack_reconfig_l1_acc(0);
  cb_push_back(state + 1, sizes.queryRows);
  cb_push_back(state + 2, sizes.outputs());
  cb_pop_front(kChunkSums, sizes.queryRows);
  cb_pop_front(kWeights, sizes.weights());
  cb_pop_front(kValues, sizes.keyRows * sizes.valueTiles);
}

/// kChunkMaxima = the maxima of the scores' rows. Scores pass through the place
/// of the weights, of which there are none now.
NOT_INLINED void findChunkMaxima(const Sizes &sizes, const Tables &tables,
                                 const Pair &pair) {
  makeScores(sizes, tables, pair, 0, Scores::Stay);
  cb_wait_front(kWeights, sizes.weights());

  reconfig_data_format(kWeights, kConstantTiles);
  pack_reconfig_data_format(kChunkMaxima);
  reduce_init<PoolType::MAX, ReduceDim::REDUCE_ROW>(kWeights, kConstantTiles,
                                                    kChunkMaxima);
  cb_reserve_back(kChunkMaxima, sizes.queryRows);
  for (uint32_t r = 0; r < pair.queries.rows; r += sizes.dstTiles) {
    const uint32_t count = lesser(sizes.dstTiles, pair.queries.rows - r);
    tile_regs_acquire();
    for (uint32_t i = 0; i < count; ++i)
      for (uint32_t c = 0; c < pair.keys.rows; ++c)
        reduce_tile<PoolType::MAX, ReduceDim::REDUCE_ROW>(
            kWeights, kConstantTiles, (r + i) * sizes.keyRows + c, kOnesTile,
            i);
    handOver();
    finishPacking(kChunkMaxima, r, count);
  }
  reduce_uninit(kWeights);
  cb_push_back(kChunkMaxima, sizes.queryRows);
  cb_pop_front(kWeights, sizes.weights());
}

/// kNewMaxima = the larger of the references and the chunk's maxima. Gives
/// whether one of them is far from 0.
NOT_INLINED bool findNewMaxima(const Sizes &sizes, uint32_t rows,
                               uint32_t references) {
  cb_wait_front(kChunkMaxima, sizes.queryRows);
  cb_reserve_back(kNewMaxima, sizes.queryRows);
  reconfig_data_format_srca(kChunkMaxima);
  copy_tile_init(kChunkMaxima);
  binary_max_tile_init();
  for (uint32_t r = 0; r < rows; ++r) {
    tile_regs_acquire();
    copy_tile(kChunkMaxima, r, 0);
    copy_tile(references, r, 1);
    binary_max_tile(0, 1, 0);
    packTiles(kNewMaxima, r, 1);
  }
  cb_pop_front(kChunkMaxima, sizes.queryRows);
  cb_push_back(kNewMaxima, sizes.queryRows);
  cb_wait_front(kNewMaxima, sizes.queryRows);
  // The first column: every eighth word of the faces at the left, its low half.
  for (uint32_t r = 0; r < rows; ++r)
    for (uint32_t i = 0; i < static_cast<uint32_t>(kTileSize); ++i) {
      const uint32_t word =
          read_tile_value(kNewMaxima, r, i / 16 * 256 + i % 16 * 8);
      if ((word & 0x7fff) > sizes.nearBits >> 16)
        return true;
    }
  return false;
}

/// The references at `to`: the new maxima as products see them, which at a low
/// fidelity leave out some of their bits, or 0.
NOT_INLINED void setReferences(const Sizes &sizes, uint32_t rows, bool centred,
                               uint32_t to) {
  cb_reserve_back(to, sizes.queryRows);
  if (centred) {
    reconfig_data_format(kConstantTiles, kNewMaxima);
    matmul_block_init(kNewMaxima, kConstantTiles, 0, 1, 1, 1);
  } else {
    fill_tile_init();
  }
  for (uint32_t r = 0; r < rows; ++r) {
    tile_regs_acquire();
    if (centred)
      matmul_block(kNewMaxima, kConstantTiles, r, kIdentityTile, 0, 0, 1, 1, 1);
    else
      fill_tile(0, 0.0f);
    packTiles(to, r, 1);
  }
  cb_pop_front(kNewMaxima, sizes.queryRows);
  cb_push_back(to, sizes.queryRows);
  cb_wait_front(to, sizes.queryRows);
}

/// kCorrections = exp(scale (m - m')).
NOT_INLINED void findCorrections(const Sizes &sizes, uint32_t rows,
                                 uint32_t references, uint32_t newReferences) {
  reconfig_data_format(references, newReferences);
  sub_init(references, newReferences);
  cb_reserve_back(kCorrections, sizes.queryRows);
  for (uint32_t r = 0; r < rows; r += sizes.dstTiles) {
    const uint32_t count = lesser(sizes.dstTiles, rows - r);
    tile_regs_acquire();
    for (uint32_t i = 0; i < count; ++i)
      sub_tiles(references, newReferences, r + i, r + i, i);
    exponentials(count, sizes.scaleBits);
    packTiles(kCorrections, r, count);
  }
  cb_push_back(kCorrections, sizes.queryRows);
  cb_wait_front(kCorrections, sizes.queryRows);
}

/// Raises the references of the state at `from` to the maxima of a chunk, and
/// rescales it to `to`. Gives whether references are anything else than 0.
bool raiseReferences(const Sizes &sizes, const Tables &tables, const Pair &pair,
                     uint32_t from, uint32_t to) {
  const uint32_t rows = pair.queries.rows;
  findChunkMaxima(sizes, tables, pair);
  const bool centred = findNewMaxima(sizes, rows, from);
  setReferences(sizes, rows, centred, to);
  findCorrections(sizes, rows, from, to);
  cb_pop_front(from, sizes.queryRows);
  for (uint32_t part = 1; part < 3; ++part) {
    const uint32_t group = sizes.queryRows * sizes.width(part);
    cb_wait_front(from + part, group);
    cb_reserve_back(to + part, group);
    scaleRows(from + part, kCorrections, to + part, rows, sizes.width(part),
              sizes.dstTiles);
    cb_push_back(to + part, group);
    cb_pop_front(from + part, group);
  }
  cb_pop_front(kCorrections, sizes.queryRows);
  return centred;
}

/// A chunk of queries on its way through the keys of a step.
struct Pass {
  uint32_t state;     ///< where it is
  bool centred;       ///< references are anything else than 0
  bool fresh = false; ///< there are no references yet
  /// Rows of tiles of the chunk whose values are still to be met.
  uint32_t late = 0;
};

/// Meets the values of the chunk that was weighed last.
void settle(const Sizes &sizes, uint32_t rows, Pass &pass) {
  if (pass.late)
    addChunk(sizes, rows, pass.late, pass.state);
  pass.late = 0;
}

/// Weighs a chunk, and meets the values of the one before.
void meet(const Sizes &sizes, const Tables &tables, const Pair &pair,
          Pass &pass) {
  cb_wait_front(kKeys, sizes.headTiles * sizes.keyRows);
  if (constant<kMaskParts>())
    cb_wait_front(kGivenMasks, sizes.givenMasks());
  cb_wait_front(pass.state, sizes.queryRows);
  bool again = pass.fresh;
  do {
    if (again) {
      const uint32_t other = pass.state == kState ? kOtherState : kState;
      pass.centred = raiseReferences(sizes, tables, pair, pass.state, other);
      pass.state = other;
    }
    makeScores(sizes, tables, pair, pass.state,
               pass.centred ? Scores::WeighCentred : Scores::Weigh);
    settle(sizes, pair.queries.rows, pass);
    sumWeights(sizes, pair.queries.rows, pair.keys.rows);
    // References that were raised for the chunk itself are good.
    again = !again && exceeds(pair.queries.rows);
    if (again) {
      cb_pop_front(kWeights, sizes.weights());
      cb_pop_front(kChunkSums, sizes.queryRows);
    }
  } while (again);
  cb_pop_front(kKeys, sizes.headTiles * sizes.keyRows);
  if (constant<kMaskParts>())
    cb_pop_front(kGivenMasks, sizes.givenMasks());
  pass.fresh = false;
  pass.late = pair.keys.rows;
}

/// A state that has seen nothing but, where there is one, a sink.
NOT_INLINED void initState(const Sizes &sizes, uint32_t rows, bool hasSink,
                           uint32_t to) {
  if (hasSink) {
    cb_wait_front(kSinks, 2);
    reconfig_data_format_srca(kSinks);
  }
  for (uint32_t part = 0; part < 3; ++part) {
    const uint32_t group = sizes.queryRows * sizes.width(part);
    cb_reserve_back(to + part, group);
    for (uint32_t tile = 0; tile < rows * sizes.width(part); ++tile) {
      tile_regs_acquire();
      if (hasSink && part < 2) {
        copy_tile_init(kSinks);
        copy_tile(kSinks, part, 0);
      } else {
        fill_tile_init();
        fill_tile(0, part == 0 ? kNoMaximum : 0.0f);
      }
      if (part == 0)
        scaleRegisters(1, sizes.queryScaleBits);
      packTiles(to + part, tile, 1);
    }
    cb_push_back(to + part, group);
  }
  if (hasSink)
    cb_pop_front(kSinks, 2);
}

/// The state goes on to another place as it is.
NOT_INLINED void passState(const Sizes &sizes, uint32_t rows, uint32_t from,
                           uint32_t to) {
  for (uint32_t part = 0; part < 3; ++part) {
    const uint32_t group = sizes.queryRows * sizes.width(part);
    cb_wait_front(from + part, group);
    cb_reserve_back(to + part, group);
    copyTiles(from + part, to + part, rows * sizes.width(part), sizes.dstTiles);
    cb_pop_front(from + part, group);
    cb_push_back(to + part, group);
  }
}

/// outputs = o / l, log-sum-exps = scale m + log l. A row that saw nothing has
/// o = l = 0: its output is 0 / kLeastSum, its log-sum-exp about -2^66 scale.
NOT_INLINED void finish(const Sizes &sizes, uint32_t rows, uint32_t from) {
  cb_wait_front(from, sizes.queryRows);
  cb_wait_front(from + 1, sizes.queryRows);
  cb_wait_front(from + 2, sizes.outputs());
  cb_reserve_back(kLogSums, sizes.queryRows);
  cb_reserve_back(kCorrections, sizes.queryRows);
  for (uint32_t r = 0; r < rows; ++r) {
    tile_regs_acquire();
    reconfig_data_format_srca(from);
    copy_tile_init(from);
    copy_tile(from, r, 0);
    reconfig_data_format_srca(from + 1);
    copy_tile_init(from + 1);
    copy_tile(from + 1, r, 1);
    fill_tile_init();
    fill_tile(2, kLeastSum);
    binary_max_tile_init();
    binary_max_tile(1, 2, 2);
    log_tile_init();
    log_tile(2);
    scaleRegisters(1, sizes.scaleBits);
    add_binary_tile_init();
    add_binary_tile(0, 2, 0);
    packTiles(kLogSums, r, 1);

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
  cb_reserve_back(kOutputs, sizes.outputs());
  scaleRows(from + 2, kCorrections, kOutputs, rows, sizes.valueTiles,
            sizes.dstTiles);
  cb_push_back(kOutputs, sizes.outputs());
  cb_pop_front(kCorrections, sizes.queryRows);
  cb_pop_front(from, sizes.queryRows);
  cb_pop_front(from + 1, sizes.queryRows);
  cb_pop_front(from + 2, sizes.outputs());
}

/// The queries of a chunk, where its products take them from.
NOT_INLINED void takeQueries(const Sizes &sizes, uint32_t rows) {
  const uint32_t group = sizes.queryRows * sizes.headTiles;
  cb_wait_front(kQueries, group);
  if (sizes.queries == kQueries)
    return;
  cb_reserve_back(kScaledQueries, group);
  copyTiles(
      kQueries, kScaledQueries, rows * sizes.headTiles, sizes.dstTiles,
      [&](uint32_t count) { scaleRegisters(count, sizes.queryScaleBits); });
  cb_push_back(kScaledQueries, group);
  cb_pop_front(kQueries, group);
  cb_wait_front(kScaledQueries, group);
}

} // namespace

void kernel_main() {
  // Exponentials of the pack thread know no factor, so that queries are scaled
  // for them beforehand, and rounded once more.
  const uint32_t scaleBits = constant<kScaleBits>();
  const bool scalesQueries = kApproximateExp && scaleBits != kOneBitsF32;
  const Sizes sizes = {constant<kQueryRows>(),
                       constant<kKeyRows>(),
                       constant<kHeadTiles>(),
                       constant<kValueTiles>(),
                       constant<kScoreBlockRows>(),
                       constant<kScoreBlockColumns>(),
                       constant<kOutputBlockRows>(),
                       constant<kOutputBlockColumns>(),
                       constant<kDstTiles>(),
                       scalesQueries ? kScaledQueries : kQueries,
                       scalesQueries ? scaleBits : kOneBitsF32,
                       scalesQueries ? kOneBitsF32 : scaleBits,
                       constant<kNearBits>()};
  const bool hasSink = constant<kHasSink>();
  const uint32_t stashIn = constant<kResident>() ? kStashOut : kStashIn;
  const Tables tables{};
  const uint32_t firstRow = ownWord(kFirstRow);
  const uint32_t endRow = firstRow + ownWord(kRows);

  compute_kernel_hw_startup<SrcOrder::Reverse>(kQueries, kKeys, kWeights);
  cb_wait_front(kConstantTiles, sizes.constants() + constant<kMaskTerms>());
  cb_wait_front(kMasks, tables.words(kMaskCount) + 1);

  Centred centred;
  uint32_t firstPiece = 0, nextPiece = 0;
  const uint32_t steps = tables.words(kSteps);
  for (uint32_t step = 0; step < steps; ++step) {
    for (QueryChunk queries =
             tables.queryChunk(firstRow, endRow, sizes.queryRows);
         queries.rows;
         queries = tables.chunkBehind(queries, endRow, sizes.queryRows)) {
      Pass pass = {stashIn, centred.get(queries.number)};
      if (!step) {
        pass = {kState, true, true};
        initState(sizes, queries.rows, hasSink, kState);
      }
      takeQueries(sizes, queries.rows);
      nextPiece = tables.forKeyChunks(
          firstPiece, queries, sizes.keyRows, [&](const KeyChunk &keys) {
            if (pass.state == stashIn) {
              passState(sizes, queries.rows, stashIn, kState);
              pass.state = kState;
            }
            meet(sizes, tables, {queries, keys}, pass);
          });
      settle(sizes, queries.rows, pass);
      cb_pop_front(sizes.queries, sizes.queryRows * sizes.headTiles);
      centred.set(queries.number, pass.centred);
      if (step + 1 == steps)
        finish(sizes, queries.rows, pass.state);
      else
        passState(sizes, queries.rows, pass.state, kStashOut);
    }
    firstPiece = nextPiece;
  }
}
