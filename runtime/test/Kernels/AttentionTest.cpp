// SPDX-License-Identifier: Apache-2.0
//
// Forward attention against the double precision oracle, on every instruction
// set that this machine has.

#include "AttentionRuns.h"
#include "Kernels/AttentionLayout.h"

#include <atomic>
#include <cstring>
#include <thread>

namespace ring::rt::kernels::test {
namespace {

void expectMatchesOracle(const AttentionCase &test,
                         double tolerance = kTolerance) {
  const OracleResult expected = oracle(test);
  for (Path path :
       {Path::Packed, Path::Unpacked, Path::Reference, Path::Whole}) {
    const Result actual = run(test, path);
    EXPECT_LE(relativeError(actual.out, expected.out), tolerance)
        << "path " << static_cast<int>(path);
    EXPECT_LE(lseError(actual.lse, expected.lse), tolerance)
        << "path " << static_cast<int>(path);
  }
}

/// Every test runs on each instruction set in turn.
class Attention : public testing::TestWithParam<int64_t> {
protected:
  ScopedTarget target{GetParam()};
  std::mt19937 engine{20240611};
};

TEST_P(Attention, PlainShapes) {
  const AttentionShape shapes[] = {
      {1, 1, 1, 1, 1, 1, 1},       {1, 2, 2, 33, 65, 16, 16},
      {2, 3, 3, 200, 530, 64, 64}, {1, 1, 1, 97, 257, 128, 128},
      {1, 1, 1, 12, 32, 32, 32},   {1, 2, 2, 5, 31, 80, 48},
  };
  for (const AttentionShape &shape : shapes)
    expectMatchesOracle(makeCase(engine, shape));
}

TEST_P(Attention, LongKeys) {
  // From 64 dimensions on, weights may be made while the next keys are scored:
  // in the last of the multiplications, of which some are left over.
  for (int64_t dim : {63, 64, 65, 71, 72, 100, 127, 128, 200})
    for (bool causal : {false, true}) {
      AttentionCase test = makeCase(engine, {1, 1, 1, 40, 450, dim, 24});
      test.problem.masking.causal = causal;
      test.usePositions({{380, 40, 1}}, {{0, 450, 1}});
      expectMatchesOracle(test);
    }
}

TEST_P(Attention, OddDimensions) {
  expectMatchesOracle(makeCase(engine, {1, 1, 1, 19, 37, 7, 13}));
  expectMatchesOracle(makeCase(engine, {1, 2, 2, 13, 40, 33, 1}));
  expectMatchesOracle(makeCase(engine, {2, 1, 1, 3, 3, 1, 70}));
}

TEST_P(Attention, GroupedQueries) {
  expectMatchesOracle(makeCase(engine, {2, 6, 2, 50, 70, 32, 24}));
  expectMatchesOracle(makeCase(engine, {1, 5, 1, 101, 64, 16, 16}));
  expectMatchesOracle(makeCase(engine, {2, 4, 2, 300, 40, 8, 8}));
}

TEST_P(Attention, OneQuery) {
  expectMatchesOracle(makeCase(engine, {2, 8, 2, 1, 700, 64, 64}));
  expectMatchesOracle(makeCase(engine, {1, 3, 3, 1, 5, 20, 20}));
}

TEST_P(Attention, RowGapsAreNotRead) {
  expectMatchesOracle(
      makeCase(engine, {2, 4, 2, 40, 70, 24, 40}, ElementType::F32, 5));
  // Queries that are read where they are, and rows too far apart for that.
  for (int64_t gap : {9, 150})
    expectMatchesOracle(
        makeCase(engine, {1, 2, 2, 250, 300, 36, 20}, ElementType::F32, gap));
}

TEST_P(Attention, Bf16) {
  // The oracle knows the rounded inputs, so the same tolerance holds.
  expectMatchesOracle(
      makeCase(engine, {1, 4, 2, 100, 300, 64, 64}, ElementType::BF16));
  expectMatchesOracle(
      makeCase(engine, {1, 1, 1, 13, 29, 18, 7}, ElementType::BF16, 3));
}

TEST_P(Attention, Causal) {
  for (int64_t size : {1, 40, 200, 600}) {
    AttentionCase test = makeCase(engine, {1, 2, 1, size, size, 16, 16});
    test.problem.masking.causal = true;
    expectMatchesOracle(test);
  }
}

TEST_P(Attention, CausalShards) {
  // Contiguous, zigzag and striped shards, each against each.
  const std::vector<PositionRange> shards[] = {
      {{60, 60, 1}}, {{30, 30, 1}, {180, 30, 1}}, {{1, 60, 4}},
      {{0, 60, 1}},  {{0, 30, 1}, {210, 30, 1}},  {{3, 60, 4}},
  };
  for (const auto &query : shards)
    for (const auto &key : shards) {
      AttentionCase test = makeCase(engine, {1, 2, 2, 60, 60, 16, 16});
      test.problem.masking.causal = true;
      test.usePositions(query, key);
      expectMatchesOracle(test);
    }
}

/// Where the diagonal lies in a block, a panel and a tile, and what else cuts
/// it off: queries after the keys, between them, or on a grid of their own.
TEST_P(Attention, Diagonals) {
  for (int64_t shift : {0, 1, 7, 20, 511})
    for (int64_t queryStride : {1, 2, 3})
      for (int64_t limit : {int64_t(30), int64_t(530), int64_t(1) << 40}) {
        AttentionCase test = makeCase(engine, {1, 1, 1, 50, 600, 8, 32});
        test.problem.masking.causal = true;
        test.problem.masking.keyLimit = limit;
        test.usePositions({{shift, 50, queryStride}}, {{3, 600, 2}});
        SCOPED_TRACE(testing::Message() << "shift " << shift << ", stride "
                                        << queryStride << ", limit " << limit);
        expectMatchesOracle(test);
      }
}

TEST_P(Attention, Windows) {
  for (int64_t left : {-1, 0, 3, 100})
    for (int64_t right : {-1, 0, 5})
      for (bool causal : {false, true}) {
        AttentionCase test = makeCase(engine, {1, 2, 2, 150, 150, 8, 8});
        test.problem.masking.windowLeft = left;
        test.problem.masking.windowRight = right;
        test.problem.masking.causal = causal;
        expectMatchesOracle(test);
      }
}

TEST_P(Attention, WindowAcrossShards) {
  AttentionCase test = makeCase(engine, {1, 1, 1, 64, 64, 8, 8});
  test.problem.masking.windowLeft = 20;
  test.usePositions({{64, 64, 1}}, {{0, 64, 1}});
  expectMatchesOracle(test);
}

TEST_P(Attention, KeyLimitHidesPadding) {
  for (int64_t limit : {0, 1, 33, 64, 69, 70, 1000}) {
    AttentionCase test = makeCase(engine, {1, 2, 2, 20, 70, 16, 16});
    test.problem.masking.keyLimit = limit;
    expectMatchesOracle(test);
  }
}

TEST_P(Attention, AdditiveMasks) {
  for (int bits = 0; bits < 8; ++bits) {
    AttentionCase test = makeCase(engine, {2, 4, 2, 30, 70, 16, 16});
    test.useMask(engine, bits & 1, bits & 2, bits & 4,
                 bits % 3 ? ElementType::F32 : ElementType::BF16);
    test.problem.masking.causal = bits & 1;
    expectMatchesOracle(test);
  }
}

TEST_P(Attention, FullyMaskedRowsAreZero) {
  AttentionCase test = makeCase(engine, {1, 1, 1, 40, 40, 16, 16});
  test.problem.masking.causal = true;
  test.usePositions({{0, 40, 1}}, {{20, 40, 1}});
  expectMatchesOracle(test);
  const Result actual = run(test);
  for (int64_t row = 0; row < 20; ++row) {
    EXPECT_EQ(actual.lse[row], kMinusInfinity);
    for (int64_t d = 0; d < 16; ++d)
      EXPECT_EQ(actual.out[row * 16 + d], 0.0f);
  }
}

TEST_P(Attention, ValuesInPlace) {
  // Aligned values of whole panels are read where they are, others are packed:
  // the same bits come out.
  for (int64_t dim : {32, 64, 128}) {
    AttentionCase test = makeCase(engine, {2, 4, 2, 50, 600, 24, dim});
    test.problem.masking.causal = true;
    test.usePositions({{300, 50, 1}}, {{0, 600, 1}});
    const size_t bytes = test.v.wide.size() * sizeof(float);
    auto aligned = allocateNaN(bytes);
    std::memcpy(aligned.get(), test.v.wide.data(), bytes);
    auto shifted = allocateNaN(bytes + sizeof(float));
    std::memcpy(static_cast<float *>(shifted.get()) + 1, aligned.get(), bytes);
    test.v.view.data = aligned.get();
    ASSERT_TRUE(liesInPanels(test.problem.shape, test.v.view));
    expectMatchesOracle(test);
    const Result inPlace = run(test), whole = run(test, Path::Whole);
    test.v.view.data = static_cast<float *>(shifted.get()) + 1;
    ASSERT_FALSE(liesInPanels(test.problem.shape, test.v.view));
    EXPECT_EQ(inPlace.out, run(test).out);
    EXPECT_EQ(whole.out, run(test, Path::Whole).out);
  }
}

TEST_P(Attention, WholeInBf16) {
  AttentionCase test = makeCase(engine, {1, 2, 1, 40, 70, 24, 24});
  const Result wide = runWhole(test, ElementType::F32);
  const Result narrow = runWhole(test, ElementType::BF16);
  EXPECT_EQ(wide.lse, narrow.lse);
  for (size_t i = 0; i < wide.out.size(); ++i)
    EXPECT_EQ(narrow.out[i], bf16ToFloat(floatToBf16(wide.out[i])));
}

TEST_P(Attention, WholeWithoutKeys) {
  AttentionCase test = makeCase(engine, {1, 2, 1, 30, 40, 16, 16});
  test.problem.masking.keyLimit = 0;
  for (bool sink : {false, true}) {
    if (sink)
      test.sinks = {2.0f, -1.0f};
    const Result actual = run(test, Path::Whole);
    for (size_t row = 0; row < actual.lse.size(); ++row)
      EXPECT_EQ(actual.lse[row], sink ? test.sinks[row / 30] : kMinusInfinity);
    for (float value : actual.out)
      EXPECT_EQ(value, 0.0f);
  }
}

TEST_P(Attention, FirstScoresFarFromZero) {
  // The reference that a row's first block tries is 0. Here the scores of all
  // rows are far above it, or so far below that no weight would be left: every
  // row is near one vector, and every key near a multiple of it. They are
  // around 400, which f32 rounds to 2^-16 of a weight.
  for (float factor : {-100.0f, 100.0f}) {
    AttentionCase test = makeCase(engine, {1, 1, 1, 30, 70, 16, 16});
    for (int64_t i = 16; i < 30 * 16; ++i) {
      test.q.wide[i] = test.q.wide[i % 16] + 0.1f * test.q.wide[i];
      test.q.exact[i] = test.q.wide[i];
    }
    for (int64_t i = 0; i < 70 * 16; ++i) {
      test.k.wide[i] = factor * test.q.wide[i % 16] + 0.1f * test.k.wide[i];
      test.k.exact[i] = test.k.wide[i];
    }
    expectMatchesOracle(test, 1.0 / (1 << 14));
  }
}

TEST_P(Attention, AllMinusInfinityMask) {
  AttentionCase test = makeCase(engine, {1, 1, 1, 5, 40, 16, 16});
  test.useMask(engine, false, false, true, ElementType::F32);
  std::fill(test.maskWide.begin(), test.maskWide.end(), kMinusInfinity);
  expectMatchesOracle(test);
}

TEST_P(Attention, NotANumberStaysInItsRow) {
  constexpr int64_t kRow = 37;
  for (auto [dim, causal] : {std::pair(16, false), std::pair(16, true),
                             std::pair(72, false), std::pair(72, true)}) {
    AttentionCase test = makeCase(engine, {1, 1, 1, 60, 300, dim, dim});
    test.problem.masking.causal = causal;
    test.usePositions({{200, 60, 1}}, {{0, 300, 1}});
    test.q.wide[kRow * dim] = NAN;
    for (Path path :
         {Path::Packed, Path::Unpacked, Path::Reference, Path::Whole}) {
      const Result actual = run(test, path);
      for (int64_t row = 0; row < 60; ++row) {
        EXPECT_EQ(std::isnan(actual.lse[row]), row == kRow)
            << row << ", path " << static_cast<int>(path);
        for (int64_t d = 0; d < dim; ++d)
          EXPECT_EQ(std::isnan(actual.out[row * dim + d]), row == kRow) << row;
      }
    }
    // Through a state, with a block before and one behind.
    OwnedState owned(test.problem.shape);
    for (int64_t begin : {0, 100, 200}) {
      const KeySlice slice(test, begin, begin + 100);
      runBlock(slice.problem, test.q.view, slice.key, slice.value,
               owned.state(), Path::Packed);
    }
    const Result actual = finished(test.problem.shape, owned);
    for (int64_t row = 0; row < 60; ++row) {
      EXPECT_EQ(std::isnan(actual.lse[row]), row == kRow) << row;
      EXPECT_EQ(std::isnan(actual.out[row * dim]), row == kRow) << row;
    }
  }
}

/// A key with NaN makes NaN of the rows that see it and of no others.
TEST_P(Attention, NotANumberAmongKeys) {
  constexpr int64_t kFirst = 200;
  for (auto [dim, key] : {std::pair(16, 237), std::pair(72, 237),
                          std::pair(72, 150), std::pair(72, 2)}) {
    AttentionCase test = makeCase(engine, {1, 1, 1, 60, 300, dim, dim});
    test.problem.masking.causal = true;
    test.usePositions({{kFirst, 60, 1}}, {{0, 300, 1}});
    test.k.wide[key * dim + 3] = NAN;
    for (Path path :
         {Path::Packed, Path::Unpacked, Path::Reference, Path::Whole}) {
      const Result actual = run(test, path);
      for (int64_t row = 0; row < 60; ++row) {
        const bool sees = kFirst + row >= key;
        EXPECT_EQ(std::isnan(actual.lse[row]), sees)
            << row << ", path " << static_cast<int>(path);
        EXPECT_EQ(std::isnan(actual.out[row * dim]), sees)
            << row << ", path " << static_cast<int>(path);
      }
    }
  }
}

TEST_P(Attention, HiddenBlockLeavesStateAlone) {
  AttentionCase seen = makeCase(engine, {1, 2, 2, 40, 40, 16, 16});
  OwnedState owned(seen.problem.shape);
  runBlock(seen.problem, seen.q.view, seen.k.view, seen.v.view, owned.state(),
           Path::Packed);
  const OwnedState before = owned;
  AttentionCase hidden = makeCase(engine, seen.problem.shape);
  hidden.problem.masking.keyLimit = 0;
  runBlock(hidden.problem, hidden.q.view, hidden.k.view, hidden.v.view,
           owned.state(), Path::Packed);
  EXPECT_EQ(before.out, owned.out);
  EXPECT_EQ(before.max, owned.max);
  EXPECT_EQ(before.sum, owned.sum);
}

TEST_P(Attention, Sinks) {
  AttentionCase test = makeCase(engine, {1, 4, 2, 30, 50, 16, 16});
  test.sinks = {0.5f, -3.0f, 20.0f, 1.0f};
  test.problem.masking.causal = true;
  test.problem.masking.keyLimit = 25;
  test.usePositions({{0, 30, 1}}, {{10, 50, 1}});
  expectMatchesOracle(test);
}

TEST_P(Attention, LargeScores) {
  // Scores around +-10^4 are rounded to 2^-24 of that by any f32 dot product, a
  // relative error of 16 * 10^4 * 2^-24 in a weight at worst, with 16 terms of
  // a dot product all of that size.
  for (int64_t dim : {16, 64}) {
    AttentionCase test = makeCase(engine, {1, 2, 2, 40, 600, dim, 16},
                                  ElementType::F32, 0, 100.0f);
    const Result actual = run(test);
    const OracleResult expected = oracle(test);
    EXPECT_LE(relativeError(actual.out, expected.out), 16 * 1e4 / (1 << 24));
    EXPECT_LE(lseError(actual.lse, expected.lse), 1e-6);
  }
}

TEST_P(Attention, ScoresThatGrowFromBlockToBlock) {
  // Later keys score ever higher: every block outgrows the reference, by steps
  // below and above the slack.
  for (float step : {0.01f, 0.1f, 3.0f}) {
    AttentionCase test = makeCase(engine, {1, 1, 1, 30, 1200, 8, 8});
    for (int64_t j = 0; j < 1200; ++j)
      for (int64_t d = 0; d < 8; ++d) {
        const float value = d == 0 ? step * static_cast<float>(j) : 0.0f;
        test.k.wide[j * 8 + d] = value;
        test.k.exact[j * 8 + d] = value;
      }
    for (int64_t i = 0; i < 30; ++i) {
      test.q.wide[i * 8] = 1.0f;
      test.q.exact[i * 8] = 1.0;
    }
    const Result actual = run(test);
    const OracleResult expected = oracle(test);
    // One term a score, so its error is that of the scale and of log2(e).
    EXPECT_LE(relativeError(actual.out, expected.out),
              std::max(kTolerance, 4.0 * 1200 * step / (1 << 24)));
    EXPECT_LE(lseError(actual.lse, expected.lse), 1e-6);
  }
}

TEST_P(Attention, VeryNegativeScores) {
  AttentionCase test = makeCase(engine, {1, 1, 1, 20, 100, 16, 16});
  test.useMask(engine, false, false, false, ElementType::F32);
  for (float &term : test.maskWide)
    term = -1e4f + (term == kMinusInfinity ? 0.0f : term);
  const Result actual = run(test);
  EXPECT_LE(relativeError(actual.out, oracle(test).out), 4 * 1e4 / (1 << 24));
}

TEST_P(Attention, RowsHiddenByFiniteMasks) {
  // f32 loses the scores beside numbers as large as these, so that all keys of
  // a row that has nothing else weigh the same: in one block, and in several.
  constexpr int64_t kHidden = 3, kQueries = 20, kKeys = 150, kDim = 16;
  for (float number :
       {-1e9f, -1e10f, -1e20f, -1e30f, std::numeric_limits<float>::lowest()})
    for (Path path :
         {Path::Packed, Path::Unpacked, Path::Reference, Path::Whole}) {
      SCOPED_TRACE(testing::Message()
                   << number << ", path " << static_cast<int>(path));
      AttentionCase test = makeCase(engine, {1, 1, 1, kQueries, kKeys, 16, 16});
      test.useMask(engine, false, false, true, ElementType::F32);
      std::fill_n(test.maskWide.begin() + kHidden * kKeys, kKeys, number);
      // Its neighbour sees one key, in the last block.
      std::fill_n(test.maskWide.begin() + (kHidden + 1) * kKeys, kKeys - 1,
                  number);
      test.maskWide[(kHidden + 2) * kKeys - 1] = 0.0f;
      Result actual;
      if (path == Path::Whole) {
        actual = run(test, path);
      } else {
        OwnedState owned(test.problem.shape);
        for (int64_t begin = 0, end; begin < kKeys; begin = end) {
          end = std::min<int64_t>(kKeys, begin + 40);
          const KeySlice slice(test, begin, end);
          runBlock(slice.problem, test.q.view, slice.key, slice.value,
                   owned.state(), path);
        }
        actual = finished(test.problem.shape, owned);
      }
      OracleResult expected = oracle(test);
      for (int64_t d = 0; d < kDim; ++d) {
        double mean = 0;
        for (int64_t key = 0; key < kKeys; ++key)
          mean += test.v.exact[key * kDim + d] / kKeys;
        expected.out[kHidden * kDim + d] = mean;
        EXPECT_EQ(actual.out[(kHidden + 1) * kDim + d],
                  test.v.wide[(kKeys - 1) * kDim + d]);
      }
      EXPECT_LE(relativeError(actual.out, expected.out), kTolerance);
    }
}

TEST_P(Attention, EqualScoresOfAnySize) {
  // Keys that are all alike weigh the same, however they are spread to blocks.
  for (float size : {1e3f, 1e9f, 1e12f, 1e18f, 1e30f})
    for (float sign : {-1.0f, 1.0f}) {
      SCOPED_TRACE(testing::Message() << sign * size);
      AttentionCase test = makeCase(engine, {1, 1, 1, 20, 300, 8, 16});
      for (TestTensor *tensor : {&test.q, &test.k})
        for (size_t i = 0; i < tensor->wide.size(); ++i) {
          const float first = tensor == &test.q ? 1.0f : sign * size;
          tensor->wide[i] = i % 8 == 0 ? first : 0.0f;
          tensor->exact[i] = tensor->wide[i];
        }
      OwnedState owned(test.problem.shape);
      for (int64_t begin = 0; begin < 300; begin += 60) {
        const KeySlice slice(test, begin, begin + 60);
        runBlock(slice.problem, test.q.view, slice.key, slice.value,
                 owned.state(), begin % 120 ? Path::Packed : Path::Unpacked);
      }
      EXPECT_LE(relativeError(finished(test.problem.shape, owned).out,
                              oracle(test).out),
                kTolerance);
    }
}

TEST_P(Attention, KeysInRandomBlocks) {
  for (int round = 0; round < 6; ++round) {
    AttentionCase test = makeCase(engine, {2, 4, 2, 60, 400, 16, 24});
    test.problem.masking.causal = round % 2;
    test.usePositions({{200, 60, 2}}, {{0, 200, 1}, {300, 200, 1}});
    if (round >= 4)
      test.useMask(engine, false, true, true, ElementType::F32);
    OwnedState owned(test.problem.shape);
    for (int64_t begin = 0; begin < 400;) {
      const int64_t end = std::min<int64_t>(400, begin + 1 + engine() % 150);
      const KeySlice slice(test, begin, end);
      runBlock(slice.problem, test.q.view, slice.key, slice.value,
               owned.state(), round % 3 ? Path::Packed : Path::Unpacked);
      begin = end;
    }
    const Result actual = finished(test.problem.shape, owned);
    const OracleResult expected = oracle(test);
    EXPECT_LE(relativeError(actual.out, expected.out), kTolerance);
    EXPECT_LE(lseError(actual.lse, expected.lse), kTolerance);
  }
}

TEST_P(Attention, SameBitsHoweverSpread) {
  AttentionCase test = makeCase(engine, {2, 4, 2, 250, 700, 40, 40});
  test.problem.masking.causal = true;
  const Result oneByOne = run(test);
  for (int round = 0; round < 3; ++round) {
    const AttentionShape &shape = test.problem.shape;
    OwnedState owned(shape);
    const PackedForm packed(shape, test.k.view, test.v.view);
    auto scratch = allocateNaN(accumulateScratchBytes(shape));
    const int64_t cut = static_cast<int64_t>(engine() % workItems(shape));
    accumulate(test.problem, test.q.view, packed.block, owned.state(),
               {cut, workItems(shape)}, scratch.get());
    accumulate(test.problem, test.q.view, packed.block, owned.state(), {0, cut},
               scratch.get());
    const Result actual = finished(shape, owned);
    EXPECT_EQ(0, std::memcmp(actual.out.data(), oneByOne.out.data(),
                             actual.out.size() * sizeof(float)));
    EXPECT_EQ(actual.lse, oneByOne.lse);
  }
}

TEST_P(Attention, ThreadsShareThePacking) {
  // One head, so that all of them meet the same keys, in different orders.
  for (bool causal : {false, true}) {
    AttentionCase test = makeCase(engine, {1, 1, 1, 1000, 1500, 40, 40});
    test.problem.masking.causal = causal;
    test.usePositions({{500, 1000, 1}}, {{0, 1500, 1}});
    const AttentionShape &shape = test.problem.shape;
    const Result expected = run(test);
    OwnedState owned(shape);
    const PackedForm packed(shape, test.k.view, test.v.view);
    std::vector<std::thread> threads;
    constexpr int64_t kThreads = 3;
    std::atomic<int64_t> here{0};
    for (int64_t thread = 0; thread < kThreads; ++thread)
      threads.emplace_back([&, thread] {
        auto scratch = allocateNaN(accumulateScratchBytes(shape));
        // All at once, so that they meet.
        for (++here; here < kThreads;)
          std::this_thread::yield();
        for (int64_t item = thread; item < workItems(shape); item += kThreads)
          accumulate(test.problem, test.q.view, packed.block, owned.state(),
                     {item, item + 1}, scratch.get());
      });
    for (std::thread &thread : threads)
      thread.join();
    const Result actual = finished(shape, owned);
    EXPECT_EQ(actual.out, expected.out);
    EXPECT_EQ(actual.lse, expected.lse);
  }
}

TEST_P(Attention, PackedQueriesGiveTheSameBits) {
  for (ElementType type : {ElementType::F32, ElementType::BF16})
    for (const AttentionShape &shape :
         {AttentionShape{2, 4, 2, 250, 300, 40, 24},
          {1, 6, 2, 50, 90, 16, 16}}) {
      AttentionCase test = makeCase(engine, shape, type);
      test.problem.masking.causal = true;
      const Result expected = run(test);
      OwnedState owned(shape);
      const PackedForm packed(shape, test.k.view, test.v.view);
      auto queries = allocateNaN(packedQueryBytes(shape));
      packQuery(test.problem, test.q.view, queries.get(),
                {0, workItems(shape)});
      auto scratch = allocateNaN(accumulateScratchBytes(shape));
      accumulate(test.problem, test.q.view, packed.block, owned.state(),
                 {0, workItems(shape)}, scratch.get(), queries.get());
      const Result actual = finished(shape, owned);
      EXPECT_EQ(actual.out, expected.out);
      EXPECT_EQ(actual.lse, expected.lse);
    }
}

/// Positions that neither rise nor fall, so that keys which no row of an item
/// sees lie between those that it does see.
TEST_P(Attention, HiddenKeysBetweenOthers) {
  AttentionCase test = makeCase(engine, {1, 1, 1, 200, 600, 16, 16});
  test.problem.masking.causal = true;
  test.usePositions({{300, 200, 1}}, {{0, 64, 1},
                                      {900, 96, 1},
                                      {64, 40, 1},
                                      {2000, 64, -1},
                                      {310, 170, 1},
                                      {700, 80, 1},
                                      {200, 86, 1}});
  expectMatchesOracle(test);
}

TEST_P(Attention, RandomProblems) {
  const auto pick = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(engine() % (high - low + 1));
  };
  for (int round = 0; round < 60; ++round) {
    AttentionShape shape;
    shape.batch = pick(1, 2);
    shape.keyValueHeads = pick(1, 3);
    shape.queryHeads = shape.keyValueHeads * pick(1, 4);
    shape.queries = pick(1, 130);
    shape.keys = pick(1, 160);
    shape.keyDim = pick(1, 70);
    shape.valueDim = pick(1, 70);
    AttentionCase test =
        makeCase(engine, shape,
                 pick(0, 1) ? ElementType::F32 : ElementType::BF16, pick(0, 2));
    AttentionMasking &masking = test.problem.masking;
    masking.causal = pick(0, 1);
    masking.windowLeft = pick(0, 2) ? -1 : pick(0, 60);
    masking.windowRight = pick(0, 2) ? -1 : pick(0, 60);
    if (pick(0, 2) == 0)
      masking.keyLimit = pick(0, 200);
    if (pick(0, 1))
      test.usePositions({{pick(0, 50), shape.queries, pick(1, 3)}},
                        {{pick(0, 50), shape.keys, pick(1, 3)}});
    if (pick(0, 3) == 0)
      test.useMask(engine, pick(0, 1), pick(0, 1), pick(0, 1),
                   pick(0, 1) ? ElementType::F32 : ElementType::BF16);
    SCOPED_TRACE(testing::Message() << "round " << round);
    expectMatchesOracle(test);
  }
}

/// Outputs that lie as tiles do are updated where they are, others by way of
/// scratch memory. Rows without a reference may have anything there: here NaN.
/// The number of rows leaves a short tile.
TEST_P(Attention, StateInPlace) {
  const int64_t dim = 2 * kWidestPanel, queries = 211;
  for (auto [queryHeads, shift] : {std::pair(2, 0), {2, 4}, {4, 0}}) {
    AttentionCase test =
        makeCase(engine, {1, queryHeads, 2, queries, 300, kWidestPanel, dim});
    test.problem.masking.causal = true;
    test.usePositions({{89, queries, 1}}, {{0, 300, 1}});
    const int64_t rows = queryHeads * queries;
    auto memory = allocateNaN((rows * dim + kWidestPanel) * sizeof(float));
    std::vector<float> max(rows, kMinusInfinity), sum(rows, 0.0f);
    const AttentionState state{static_cast<float *>(memory.get()) + shift,
                               max.data(), sum.data()};
    // From the last keys, which few rows see, to the first, which all do.
    for (auto [begin, end] :
         {std::pair(250, 300), {120, 250}, {40, 120}, {0, 40}}) {
      const KeySlice slice(test, begin, end);
      runBlock(slice.problem, test.q.view, slice.key, slice.value, state,
               Path::Packed);
    }
    Result actual{std::vector<float>(rows * dim), std::vector<float>(rows)};
    finish(test.problem.shape, state,
           denseView(static_cast<void *>(actual.out.data()), ElementType::F32,
                     queryHeads, queries, dim),
           actual.lse.data());
    const OracleResult expected = oracle(test);
    EXPECT_LE(relativeError(actual.out, expected.out), kTolerance);
    EXPECT_LE(lseError(actual.lse, expected.lse), kTolerance);
  }
}

TEST_P(Attention, StateOfSomeQueries) {
  // Rows 10 to 30 of a state of 50 rows, by rowsPerHead.
  AttentionCase test = makeCase(engine, {1, 3, 3, 20, 60, 16, 16});
  AttentionShape whole = test.problem.shape;
  whole.queries = 50;
  OwnedState owned(whole);
  AttentionState part = owned.state();
  part.out += ptrdiff_t{10} * 16;
  part.max += 10;
  part.sum += 10;
  part.rowsPerHead = 50;
  runBlock(test.problem, test.q.view, test.k.view, test.v.view, part,
           Path::Packed);
  const Result result = finished(whole, owned);
  const OracleResult expected = oracle(test);
  for (int64_t head = 0; head < 3; ++head)
    for (int64_t row = 0; row < 50; ++row)
      for (int64_t d = 0; d < 16; ++d) {
        const bool inside = row >= 10 && row < 30;
        EXPECT_NEAR(result.out[(head * 50 + row) * 16 + d],
                    inside ? expected.out[(head * 20 + row - 10) * 16 + d]
                           : 0.0,
                    kTolerance);
      }
}

INSTANTIATE_TEST_SUITE_P(Targets, Attention,
                         testing::ValuesIn(targetsOfMachine()), targetOfTest);

} // namespace
} // namespace ring::rt::kernels::test
