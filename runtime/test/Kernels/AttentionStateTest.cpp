// SPDX-License-Identifier: Apache-2.0
//
// The algebra of carried states, and the positions of rows.

#include "AttentionRuns.h"

namespace ring::rt::kernels::test {
namespace {

TEST(AttentionState, MergeOfHalvesIsTheWhole) {
  std::mt19937 engine(7);
  AttentionCase test = makeCase(engine, {1, 2, 2, 30, 90, 16, 16});
  test.problem.masking.causal = true;
  test.usePositions({{0, 30, 1}}, {{5, 90, 1}});
  OwnedState left(test.problem.shape), right(test.problem.shape);
  const KeySlice low(test, 0, 11), high(test, 11, 90);
  runBlock(low.problem, test.q.view, low.key, low.value, left.state(),
           Path::Packed);
  runBlock(high.problem, test.q.view, high.key, high.value, right.state(),
           Path::Packed);
  const OracleResult expected = oracle(test);

  Result a = finished(test.problem.shape, left);
  const Result b = finished(test.problem.shape, right);
  mergeNormalised(60, 16, a.out.data(), a.lse.data(), b.out.data(),
                  b.lse.data());
  EXPECT_LE(relativeError(a.out, expected.out), kTolerance);
  EXPECT_LE(lseError(a.lse, expected.lse), kTolerance);

  OwnedState rebuilt(test.problem.shape);
  stateFromNormalised(test.problem.shape, rebuilt.state(), b.out.data(),
                      b.lse.data());
  mergeStates(test.problem.shape, rebuilt.state(), left.state());
  EXPECT_LE(
      relativeError(finished(test.problem.shape, rebuilt).out, expected.out),
      kTolerance);

  mergeStates(test.problem.shape, left.state(), right.state());
  const Result merged = finished(test.problem.shape, left);
  EXPECT_LE(relativeError(merged.out, expected.out), kTolerance);
  EXPECT_LE(lseError(merged.lse, expected.lse), kTolerance);
}

TEST(AttentionState, MergeOfFarApartParts) {
  float out[] = {1.0f, 2.0f}, lse[] = {1e4f};
  const float other[] = {5.0f, 6.0f}, otherLse[] = {-1e4f};
  mergeNormalised(1, 2, out, lse, other, otherLse);
  EXPECT_EQ(out[0], 1.0f);
  EXPECT_EQ(lse[0], 1e4f);
  const float higher[] = {3e4f};
  mergeNormalised(1, 2, out, lse, other, higher);
  EXPECT_EQ(out[1], 6.0f);
  EXPECT_EQ(lse[0], 3e4f);
}

TEST(AttentionState, MergeKeepsNotANumber) {
  const float nothing = kMinusInfinity, number = 1.0f, notANumber = NAN;
  for (float other : {nothing, number, notANumber})
    for (bool first : {false, true}) {
      float out[] = {1.0f}, otherOut[] = {1.0f};
      float lse[] = {first ? notANumber : other};
      const float otherLse[] = {first ? other : notANumber};
      mergeNormalised(1, 1, out, lse, otherOut, otherLse);
      EXPECT_TRUE(std::isnan(lse[0]));
      EXPECT_TRUE(std::isnan(out[0]));
    }
}

TEST(AttentionState, MergeWithEmptyParts) {
  float out[] = {NAN, NAN}, lse[] = {kMinusInfinity};
  const float empty[] = {NAN, NAN}, none[] = {kMinusInfinity};
  mergeNormalised(1, 2, out, lse, empty, none);
  EXPECT_EQ(out[0], 0.0f);
  EXPECT_EQ(lse[0], kMinusInfinity);
  const float full[] = {2.0f, 3.0f}, some[] = {0.25f};
  mergeNormalised(1, 2, out, lse, full, some);
  EXPECT_EQ(out[1], 3.0f);
  EXPECT_EQ(lse[0], 0.25f);
  mergeNormalised(1, 2, out, lse, empty, none);
  EXPECT_EQ(out[1], 3.0f);
  EXPECT_EQ(lse[0], 0.25f);
}

TEST(AttentionState, FinishInPlaceAndInBf16) {
  const AttentionShape shape{1, 1, 1, 1, 1, 1, 3};
  float out[] = {2.0f, 4.0f, 1.0f}, max[] = {1.0f}, sum[] = {2.0f};
  uint16_t narrow[3];
  const AttentionState state{out, max, sum};
  finish(shape, state,
         denseView(static_cast<void *>(narrow), ElementType::BF16, 1, 1, 3),
         nullptr);
  EXPECT_EQ(bf16ToFloat(narrow[2]), 0.5f);
  float lse = NAN;
  finish(shape, state,
         denseView(static_cast<void *>(out), ElementType::F32, 1, 1, 3), &lse);
  EXPECT_EQ(out[1], 2.0f);
  EXPECT_FLOAT_EQ(lse, std::log(2.0f) + std::log(2.0f));
}

} // namespace
} // namespace ring::rt::kernels::test
