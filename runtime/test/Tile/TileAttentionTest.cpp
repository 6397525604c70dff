// SPDX-License-Identifier: Apache-2.0
//
// Our device kernels, executed at tile level: what they compute.

#include "AttentionRun.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace ring::test;
using ring::positions::Band;
using ring::positions::LayoutKind;

namespace {

TEST(TileAttention, OneCoreOneHead) {
  AttentionCase what;
  EXPECT_EQ(runCase(what), "");
}

/// Full attention on rings of every small size, one way and both.
class TileRing : public testing::TestWithParam<std::tuple<uint32_t, bool>> {
protected:
  AttentionCase ringCase(int64_t lengthPerDevice) const {
    AttentionCase what;
    what.devices = std::get<0>(GetParam());
    what.bothDirections = std::get<1>(GetParam());
    what.length = lengthPerDevice * what.devices;
    return what;
  }
};

TEST_P(TileRing, Full) { EXPECT_EQ(runCase(ringCase(64)), ""); }

TEST_P(TileRing, CausalContiguous) {
  AttentionCase what = ringCase(64);
  what.band = Band::causal();
  EXPECT_EQ(runCase(what), "");
}

/// Cores hand keys and values on to each other, also where some have fewer
/// chunks of queries, and where a head has more cores than chunks.
TEST_P(TileRing, KeysHandedOn) {
  AttentionCase what = ringCase(160);
  what.options.handOn = true;
  what.options.queryChunk = 1;
  what.sizes.queryHeads = 4;
  what.sizes.keyHeads = 2;
  for (uint32_t cores : {4, 7, 30}) {
    what.options.cores = cores;
    EXPECT_EQ(runCase(what, 2), "") << cores;
  }
  // Under a band everybody reads its own.
  what.band = Band::causal();
  EXPECT_EQ(runCase(what, 2), "");
}

/// Cores whose chunk sees nothing of what arrives are ahead of the others.
TEST_P(TileRing, ChunksThatSeeNothing) {
  AttentionCase what = ringCase(64);
  what.band = Band::causal();
  what.layout = LayoutKind::Zigzag;
  what.sizes.queryHeads = 4;
  what.options.cores = 8;
  what.options.queryChunk = what.options.keyChunk = 1;
  EXPECT_EQ(runCase(what), "");
}

TEST_P(TileRing, CausalZigzag) {
  AttentionCase what = ringCase(64);
  what.band = Band::causal();
  what.layout = LayoutKind::Zigzag;
  EXPECT_EQ(runCase(what), "");
}

TEST_P(TileRing, CausalStriped) {
  AttentionCase what = ringCase(64);
  what.band = Band::causal();
  what.layout = LayoutKind::Striped;
  EXPECT_EQ(runCase(what), "");
}

TEST_P(TileRing, GroupedHeadsOnSeveralCores) {
  AttentionCase what = ringCase(64);
  what.sizes.queryHeads = 4;
  what.sizes.keyHeads = 2;
  what.sizes.headDim = 64;
  what.options.cores = 3;
  what.options.queryChunk = 1;
  what.band = Band::causal();
  what.layout = LayoutKind::Zigzag;
  EXPECT_EQ(runCase(what), "");
}

TEST_P(TileRing, Padded) {
  AttentionCase what = ringCase(64);
  what.length -= 45;
  EXPECT_EQ(runCase(what), "");
  what.band = Band::causal();
  what.layout = LayoutKind::Zigzag;
  EXPECT_EQ(runCase(what), "");
  what.layout = LayoutKind::Striped;
  EXPECT_EQ(runCase(what), "");
}

TEST_P(TileRing, Window) {
  AttentionCase what = ringCase(96);
  what.band = {39, 0};
  EXPECT_EQ(runCase(what), "");
  what.band = {70, 5};
  EXPECT_EQ(runCase(what), "");
}

TEST_P(TileRing, SpilledStates) {
  AttentionCase what = ringCase(96);
  what.sizes.queryHeads = 2;
  what.options.spill = true;
  what.options.queryChunk = 2;
  what.band = Band::causal();
  EXPECT_EQ(runCase(what), "");
}

/// A mask that is a tensor: what is added, keys that are hidden, and rows that
/// see nothing at all.
TEST_P(TileRing, GivenMask) {
  AttentionCase what = ringCase(64);
  what.sizes.queryHeads = 2;
  what.mask.emplace();
  what.mask->emptyRows = 7;
  EXPECT_EQ(runCase(what), "");
  what.length -= 45;
  what.sizes.headDim = 40; // whose scale is no power of two
  what.mask->wide = true;
  EXPECT_EQ(runCase(what), "");
}

/// Beside a band, and beside layouts whose parts lie side by side.
TEST_P(TileRing, GivenMaskUnderABand) {
  AttentionCase what = ringCase(64);
  what.mask.emplace();
  what.band = Band::causal();
  EXPECT_EQ(runCase(what), "");
  what.layout = LayoutKind::Zigzag;
  what.sizes.queryHeads = 2;
  what.mask->perHead = true;
  EXPECT_EQ(runCase(what, 2), "");
}

INSTANTIATE_TEST_SUITE_P(Sizes, TileRing,
                         testing::Combine(testing::Values(2u, 3u, 4u, 8u),
                                          testing::Bool()));

TEST(TileAttention, RingOf32) {
  AttentionCase what;
  what.devices = 32;
  what.length = 32 * 64;
  what.band = Band::causal();
  what.layout = LayoutKind::Zigzag;
  EXPECT_EQ(runCase(what, 2), "");
}

TEST(TileAttention, ShardOfPaddingAlone) {
  AttentionCase what;
  what.devices = 4;
  what.length = 70; // of 128: the last device has none
  EXPECT_EQ(runCase(what), "");
  what.band = Band::causal();
  EXPECT_EQ(runCase(what), "");
}

TEST(TileAttention, JointRows) {
  AttentionCase what;
  what.devices = 4;
  what.length = 4 * 64 - 13;
  what.jointLength = 45;
  what.sizes.queryHeads = what.sizes.keyHeads = 2;
  EXPECT_EQ(runCase(what), "");
}

TEST(TileAttention, Sink) {
  AttentionCase what;
  what.devices = 2;
  what.length = 128;
  what.sizes.queryHeads = 2;
  what.options.sink = true;
  what.band = Band::causal();
  EXPECT_EQ(runCase(what), "");
}

/// One mask for all batches, heads or queries, or one for each.
TEST(TileAttention, GivenMasksOfAllShapes) {
  AttentionCase what;
  what.length = 150;
  what.sizes.batch = 2;
  what.sizes.queryHeads = 4;
  what.sizes.keyHeads = 2;
  what.options.cores = 3;
  what.mask.emplace();
  for (uint32_t devices : {1u, 2u})
    for (uint32_t shape = 0; shape < 8; ++shape) {
      what.devices = devices;
      what.mask->perBatch = shape & 1;
      what.mask->perHead = shape & 2;
      what.mask->perQuery = shape & 4;
      what.mask->wide = shape % 3;
      EXPECT_EQ(runCase(what, 2), "") << shape << " on " << devices;
    }
}

/// Chunks that do not divide, keys that are handed on, spilled states, a sink,
/// and one tile of queries for keys on all devices.
TEST(TileAttention, GivenMaskAndTheRest) {
  AttentionCase what;
  what.devices = 2;
  what.length = 2 * 7 * 32 - 9;
  what.options.queryChunk = 3;
  what.options.keyChunk = 5;
  what.options.sink = true;
  what.mask.emplace();
  what.mask->emptyRows = 5;
  EXPECT_EQ(runCase(what), "");
  what.options.queryChunk = 1;
  what.options.handOn = true;
  what.options.cores = 4;
  EXPECT_EQ(runCase(what), "");
  what.options.spill = true;
  EXPECT_EQ(runCase(what), "");
  AttentionCase parts;
  parts.devices = 4;
  parts.length = 4 * 64 - 7;
  parts.replicatedQueries = {parts.length - 1};
  parts.sizes.queryHeads = 4;
  parts.mask.emplace();
  parts.mask->perQuery = false;
  parts.mask->perHead = true;
  EXPECT_EQ(runCase(parts), "");
}

/// Hidden altogether, and numbers that count for as much as scores.
TEST(TileAttention, GivenMasksOfAllSizes) {
  AttentionCase what;
  what.devices = 2;
  what.length = 100;
  what.mask.emplace();
  what.mask->hidden = 1;
  EXPECT_EQ(runCase(what), "");
  what.options.sink = true;
  EXPECT_EQ(runCase(what), "");
  what.mask->hidden = 0.5;
  for (float least : {-1e9f, -3.38e38f}) {
    what.mask->hides = least;
    EXPECT_EQ(runCase(what, 2), "") << least;
  }
  what.mask->hidden = 0;
  for (bool wide : {false, true})
    for (double magnitude : {10.0, 100.0, 1000.0}) {
      what.mask->wide = wide;
      what.mask->magnitude = magnitude;
      EXPECT_EQ(runCase(what, 2), "") << magnitude;
    }
}

TEST(TileAttention, SinkAlone) {
  AttentionCase what;
  what.options.sink = true;
  what.band = {-20, std::nullopt}; // the last rows see no key
  EXPECT_EQ(runCase(what), "");
}

TEST(TileAttention, ValuesOfAnotherDimension) {
  AttentionCase what;
  what.devices = 4;
  what.length = 256;
  what.sizes.headDim = 96;
  what.sizes.valueDim = 48;
  EXPECT_EQ(runCase(what), "");
  what.sizes.headDim = 40;
  what.sizes.valueDim = 160;
  EXPECT_EQ(runCase(what), "");
}

TEST(TileAttention, ChunksThatDoNotDivide) {
  AttentionCase what;
  what.devices = 2;
  what.length = 2 * 7 * 32;
  what.options.queryChunk = 3;
  what.options.keyChunk = 5;
  what.sizes.headDim = 64;
  what.band = Band::causal();
  EXPECT_EQ(runCase(what), "");
}

TEST(TileAttention, LargeScores) {
  AttentionCase what;
  what.devices = 2;
  what.length = 128;
  for (uint32_t chunk : {1, 2})
    for (double magnitude : {10.0, 100.0, 1000.0}) {
      what.options.keyChunk = chunk;
      what.magnitude = magnitude;
      EXPECT_EQ(runCase(what, 2), "") << magnitude;
    }
}

/// Scores that rise, or fall, by much from chunk to chunk: references are
/// raised with every chunk, or never.
TEST(TileAttention, RisingAndFallingScores) {
  for (bool rising : {true, false}) {
    AttentionCase what;
    what.devices = 2;
    what.length = 2 * 6 * 32;
    what.options.keyChunk = 1;
    AttentionRun run(what);
    for (float &number : run.data().queries)
      number = std::fabs(number);
    const int64_t dim = what.sizes.headDim;
    for (int64_t key = 0; key < what.length; ++key)
      for (int64_t d = 0; d < dim; ++d) {
        const int64_t step = key / 32;
        run.data().keys[key * dim + d] += rising ? step : -step;
      }
    for (float &number : run.data().keys)
      number = std::round(number * 4) / 4; // what bf16 holds
    EXPECT_EQ(run.run(1), "") << rising;
  }
}

TEST(TileAttention, VeryNegativeScores) {
  AttentionCase what;
  what.devices = 2;
  what.length = 128;
  AttentionRun run(what);
  // All scores are about -1000, and differ.
  for (float &number : run.data().queries)
    number = -200;
  for (float &number : run.data().keys)
    number = std::fabs(number);
  EXPECT_EQ(run.run(1), "");
}

TEST(TileAttention, RowsThatSeeNothing) {
  AttentionCase what;
  what.devices = 2;
  what.length = 128;
  // A row sees keys from 30 behind it on: the last 30 rows see none.
  what.band = {-30, std::nullopt};
  EXPECT_EQ(runCase(what), "");
  AttentionRun run(what);
  ASSERT_EQ(run.run(3), "");
  const AttentionNumbers found = run.found();
  EXPECT_TRUE(std::isinf(found.logSums[127]));
  EXPECT_EQ(found.outputs[127 * 32 + 5], 0);
}

// Sums and outputs that were rescaled with every chunk would be cut to tf32 as
// often.
TEST(TileAttention, ManyChunksOfKeys) {
  AttentionCase what;
  what.length = 128 * 32;
  what.replicatedQueries = {what.length};
  what.options.keyChunk = 1;
  EXPECT_EQ(runCase(what, 1), "");
}

TEST(TileAttention, PartsOfOneQueryTileMerge) {
  AttentionCase what;
  what.devices = 4;
  what.length = 300;
  what.replicatedQueries = {299};
  what.sizes.queryHeads = 4;
  EXPECT_EQ(runCase(what), "");
}

TEST(TileAttention, WideRegisters) {
  AttentionCase what;
  what.devices = 2;
  what.length = 256;
  what.options.queryChunk = what.options.keyChunk = 4;
  what.sizes.headDim = what.sizes.valueDim = 128;
  what.options.compute.fullSync = true;
  EXPECT_EQ(runCase(what), "");
}

TEST(TileAttention, SameBitsForEverySeed) {
  AttentionCase what;
  what.devices = 4;
  what.length = 256;
  what.band = Band::causal();
  AttentionRun run(what);
  ASSERT_EQ(run.run(0), "");
  const AttentionNumbers first = run.found();
  for (uint64_t seed = 1; seed < 20; ++seed) {
    ASSERT_EQ(run.run(seed), "");
    EXPECT_EQ(run.found().outputs, first.outputs) << seed;
  }
}

TEST(TileAttention, ApproximateExponentials) {
  AttentionCase what;
  what.options.approximateExp = true;
  AttentionRun run(what);
  ASSERT_TRUE(run.execute(1).passed());
  const AttentionNumbers expected = run.reference(), found = run.found();
  double worst = 0;
  for (size_t i = 0; i < found.outputs.size(); ++i)
    worst = std::max(worst, std::fabs(found.outputs[i] - expected.outputs[i]));
  EXPECT_LT(worst, 0.1);
  EXPECT_GT(worst, 0.003); // the option did something
}

/// A mask hides all keys of the first chunk from some rows: these get their
/// references later, for which the mask must still be there.
TEST(TileAttention, GivenMaskThatHidesTheFirstKeys) {
  for (bool approximate : {false, true})
    for (bool wide : {false, true}) {
      AttentionCase what;
      what.devices = 2;
      what.length = 6 * 32;
      what.sizes.headDim = 40; // whose scale is no power of two
      what.options.keyChunk = 1;
      what.options.approximateExp = approximate;
      what.mask.emplace().wide = wide;
      what.mask->magnitude = 4;
      AttentionRun run(what);
      for (int64_t row = 1; row < what.length; row += 2)
        std::fill_n(&run.data().mask[row * what.length], 100,
                    -std::numeric_limits<float>::infinity());
      if (!approximate) {
        EXPECT_EQ(run.run(1), "") << wide;
        continue;
      }
      ASSERT_TRUE(run.execute(1).passed());
      const AttentionJudgement judgement = run.judge();
      EXPECT_LT(judgement.outputs.comparison.maxError, 0.1) << wide;
      EXPECT_LT(judgement.logSums.comparison.maxError, 0.1) << wide;
    }
}

} // namespace
