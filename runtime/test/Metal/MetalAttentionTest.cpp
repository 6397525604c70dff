// SPDX-License-Identifier: Apache-2.0
//
// Our device kernels on TT-Metalium: what they compute, within the bounds that
// hold on the tile machine. Its bits are those of idealised arithmetic, so that
// how many differ is printed and not judged.

#include "MetalTest.h"

#include <cmath>
#include <cstdio>
#include <functional>

using namespace ring::rt;
using namespace ring::test;
using ring::positions::Band;
using ring::positions::LayoutKind;

namespace {

struct NamedCase {
  const char *name;
  std::function<void(AttentionCase &)> change;
};

void PrintTo(const NamedCase &what, std::ostream *stream) {
  *stream << what.name;
}

class MetalAttention
    : public testing::TestWithParam<std::tuple<MeshSize, NamedCase>> {};

TEST_P(MetalAttention, IsRight) {
  const auto &[size, named] = GetParam();
  if (const std::string reason = whyNot(size); !reason.empty())
    GTEST_SKIP() << reason;
  MetalMachine *machine = openMesh(size);
  ASSERT_TRUE(machine);
  AttentionCase what;
  what.devices = size.devices();
  what.length = 64 * what.devices;
  named.change(what);
  EXPECT_EQ(runBoth(what, *machine, named.name), "");
}

const NamedCase kCases[] = {
    {"Full", [](AttentionCase &) {}},
    {"FullOneWay", [](AttentionCase &what) { what.bothDirections = false; }},
    {"CausalZigzag",
     [](AttentionCase &what) {
       what.band = Band::causal();
       what.layout = LayoutKind::Zigzag;
     }},
    {"GroupedHeadsOnSeveralCores",
     [](AttentionCase &what) {
       what.sizes.queryHeads = 4;
       what.sizes.keyHeads = 2;
       what.sizes.headDim = 64;
       what.options.cores = 3;
       what.options.queryChunk = 1;
       what.band = Band::causal();
       what.layout = LayoutKind::Zigzag;
     }},
    {"Padded", [](AttentionCase &what) { what.length -= 45; }},
    {"Joint",
     [](AttentionCase &what) {
       what.length -= 13;
       what.jointLength = 45;
       what.sizes.queryHeads = what.sizes.keyHeads = 2;
     }},
    {"Window", [](AttentionCase &what) { what.band = {39, 0}; }},
    {"Sink",
     [](AttentionCase &what) {
       what.sizes.queryHeads = 2;
       what.options.sink = true;
       what.band = Band::causal();
     }},
    {"GivenMask",
     [](AttentionCase &what) {
       what.length -= 13;
       what.sizes.queryHeads = 4;
       what.sizes.keyHeads = 2;
       what.mask.emplace().perHead = true;
       what.mask->emptyRows = 7;
     }},
    {"GivenWideMaskUnderABand",
     [](AttentionCase &what) {
       what.sizes.batch = 2;
       what.sizes.headDim = 40;
       what.band = Band::causal();
       what.mask.emplace().perBatch = true;
       what.mask->wide = true;
     }},
    // Scores are the mask alone, whose last bits a low fidelity must not lose.
    {"GivenMaskOfLowFidelity",
     [](AttentionCase &what) {
       what.magnitude = 0.01;
       what.sizes.headDim = 40;
       what.options.keyChunk = 1;
       what.options.compute.fidelity = MathFidelity::HiFi2;
       what.mask.emplace().magnitude = 30;
     }},
    {"OneQueryTile",
     [](AttentionCase &what) {
       what.length -= 7;
       what.replicatedQueries = {what.length - 1};
       what.sizes.queryHeads = 4;
     }},
    {"ValuesOfAnotherDimension",
     [](AttentionCase &what) {
       what.sizes.headDim = 96;
       what.sizes.valueDim = 48;
     }},
    {"SpilledStates",
     [](AttentionCase &what) {
       what.options.spill = true;
       what.band = Band::causal();
     }},
    {"RowsThatSeeNothing",
     [](AttentionCase &what) { what.band = {-30, std::nullopt}; }},
    {"WideRegisters",
     [](AttentionCase &what) {
       what.options.compute.fullSync = true;
       what.options.keyChunk = 1;
     }},
    // The device adds up products at 12 bits of the largest of eight, so that
    // scores are exact to some 3e-4 of themselves: the tile machine takes
    // scores that are 100 times as large.
    {"LargeScores",
     [](AttentionCase &what) {
       what.magnitude = 10;
       what.options.keyChunk = 1;
     }},
};

/// A line of eight goes round a board of 2 x 4 and closes.
INSTANTIATE_TEST_SUITE_P(Rings, MetalAttention,
                         testing::Combine(testing::Values(MeshSize{1, 1},
                                                          MeshSize{1, 2},
                                                          MeshSize{1, 8}),
                                          testing::ValuesIn(kCases)),
                         [](const auto &info) {
                           return "On" + std::get<0>(info.param).name() + "_" +
                                  std::get<1>(info.param).name;
                         });

/// What is added onto in L1, chunk after chunk, keeps its bits.
TEST(MetalAttention, ManyChunksOfKeys) {
  if (const std::string reason = whyNot({1, 1}); !reason.empty())
    GTEST_SKIP() << reason;
  MetalMachine *machine = openMesh({1, 1});
  ASSERT_TRUE(machine);
  AttentionCase what;
  what.length = 128 * 32;
  what.replicatedQueries = {what.length};
  what.options.keyChunk = 1;
  EXPECT_EQ(runBoth(what, *machine, "ManyChunksOfKeys"), "");
}

/// A define reaches the kernel.
TEST(MetalAttention, ApproximateExponentials) {
  if (const std::string reason = whyNot({1, 1}); !reason.empty())
    GTEST_SKIP() << reason;
  MetalMachine *machine = openMesh({1, 1});
  ASSERT_TRUE(machine);
  AttentionCase what;
  what.options.approximateExp = true;
  AttentionRun run(what);
  ASSERT_EQ(
      onMetal(*machine)(run.program().program, run.prepare(), run.inputs()),
      "");
  const double worst = run.judge().outputs.comparison.maxError;
  EXPECT_LT(worst, 0.1);
  EXPECT_GT(worst, 0.005); // above that of the exact ones
}

/// Runs a case that is judged by how far off it may be, and says how far it is.
void expectNear(AttentionRun &run, const AttentionOptions &options,
                MetalMachine &machine, const char *what, double outputs,
                double logSums) {
  ASSERT_EQ(
      onMetal(machine)(run.program().program, run.prepare(), run.inputs()), "");
  const AttentionJudgement judgement = run.judge();
  std::printf("%s, approximate %d, fidelity %d: outputs off by %g, "
              "log-sum-exps by %g\n",
              what, options.approximateExp,
              static_cast<int>(options.compute.fidelity),
              judgement.outputs.comparison.maxError,
              judgement.logSums.comparison.maxError);
  EXPECT_LT(judgement.outputs.comparison.maxError, outputs);
  EXPECT_LT(judgement.logSums.comparison.maxError, logSums);
}

/// Scores of later keys exceed the first by more than floats hold, as weights:
/// what the exponential makes of them must be found, and references raised. At
/// a low fidelity products leave out bits of references too. The scores are
/// about 110, of which the device loses some 0.03.
TEST(MetalAttention, OutgrownReferences) {
  if (const std::string reason = whyNot({1, 1}); !reason.empty())
    GTEST_SKIP() << reason;
  MetalMachine *machine = openMesh({1, 1});
  ASSERT_TRUE(machine);
  for (bool approximate : {false, true})
    for (MathFidelity fidelity : {MathFidelity::HiFi4, MathFidelity::HiFi2}) {
      AttentionCase what;
      what.length = 4 * 32;
      what.options.keyChunk = 1;
      what.options.approximateExp = approximate;
      what.options.compute.fidelity = fidelity;
      AttentionRun run(what);
      for (float &number : run.data().queries)
        number = std::fabs(number);
      const int64_t dim = what.sizes.headDim;
      for (int64_t i = 32 * dim; i < what.length * dim; ++i)
        run.data().keys[i] += 24;
      for (float &number : run.data().keys)
        number = std::round(number * 8) / 8; // what bf16 holds
      expectNear(run, what.options, *machine, "outgrown references", 0.05, 1);
    }
}

/// A mask hides the first chunk of keys from some rows, with exponentials of
/// either kind.
TEST(MetalAttention, GivenMaskThatHidesTheFirstKeys) {
  if (const std::string reason = whyNot({1, 1}); !reason.empty())
    GTEST_SKIP() << reason;
  MetalMachine *machine = openMesh({1, 1});
  ASSERT_TRUE(machine);
  for (bool approximate : {false, true})
    for (MathFidelity fidelity : {MathFidelity::HiFi4, MathFidelity::HiFi2}) {
      AttentionCase what;
      what.length = 4 * 32;
      what.sizes.headDim = 40;
      what.options.keyChunk = 1;
      what.options.approximateExp = approximate;
      what.options.compute.fidelity = fidelity;
      what.mask.emplace().wide = true;
      what.mask->magnitude = 4;
      AttentionRun run(what);
      for (int64_t row = 1; row < what.length; row += 2)
        std::fill_n(&run.data().mask[row * what.length], 40,
                    -std::numeric_limits<float>::infinity());
      expectNear(run, what.options, *machine, "hidden first keys", 0.1, 0.1);
    }
}

/// Two rings of four side by side, in the halves of a 2 x 4 mesh, with numbers
/// of their own.
TEST(MetalAttention, TwoRingsOnOneMesh) {
  const MeshSize size = {2, 4};
  if (const std::string reason = whyNot(size); !reason.empty())
    GTEST_SKIP() << reason;
  AttentionCase what;
  what.devices = 4;
  what.length = 4 * 64;
  what.band = Band::causal();
  what.layout = LayoutKind::Zigzag;
  AttentionRun first(what, 1), second(what, 2);
  AttentionRun firstOnTiles(what, 1), secondOnTiles(what, 2);
  ASSERT_EQ(firstOnTiles.run(0), "");
  ASSERT_EQ(secondOnTiles.run(0), "");
  MetalMachine *machine = openMesh(size);
  ASSERT_TRUE(machine);
  ASSERT_EQ(runSideBySide({&first, &second}, {{0, 1, 5, 4}, {2, 3, 7, 6}},
                          size.devices(), onMetal(*machine)),
            "");
  report(size.name(), "FirstRingOfFour", first.judge(), first.found(),
         firstOnTiles.found());
  report(size.name(), "SecondRingOfFour", second.judge(), second.found(),
         secondOnTiles.found());
}

} // namespace
