// SPDX-License-Identifier: Apache-2.0
//
// Mistakes that the tile machine must find: in kernels (CMakeLists.txt makes
// them) and in the arguments of programs. Each has to be reported as what it
// is.

#include "AttentionRun.h"

#include "AttentionArguments.h"
#include "MoverArguments.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

using namespace ring::rt;
using namespace ring::test;
using ring::positions::Band;

#include "Mutants.inc"

namespace {

/// A ring that uses everything: both directions, slots that are filled again,
/// several heads, chunks and cores, masks, spilled states.
AttentionCase ringCase() {
  AttentionCase what;
  what.devices = 4;
  what.length = 4 * 128;
  what.bothDirections = false;
  what.sizes.queryHeads = 2;
  what.options.cores = 3;
  what.options.spill = true;
  what.band = {std::nullopt, 300};
  return what;
}

/// Three cores hand keys on; the last has fewer chunks of queries, and an odd
/// number of chunks of keys leaves its pages apart from the others'.
AttentionCase chainCase() {
  AttentionCase what;
  what.devices = 2;
  what.length = 2 * 5 * 32;
  what.bothDirections = false;
  what.options.cores = 3;
  what.options.queryChunk = what.options.keyChunk = 1;
  what.options.handOn = true;
  return what;
}

/// Chunks of one row, of which some see nothing of what arrives.
AttentionCase zigzagCase() {
  AttentionCase what;
  what.devices = 4;
  what.length = 4 * 64;
  what.layout = ring::positions::LayoutKind::Zigzag;
  what.band = Band::causal();
  what.bothDirections = false;
  what.sizes.queryHeads = 4;
  what.options.cores = 8;
  what.options.queryChunk = what.options.keyChunk = 1;
  return what;
}

/// The ring with a mask that is a tensor.
AttentionCase maskCase() {
  AttentionCase what = ringCase();
  what.mask.emplace();
  return what;
}

/// Scores that outgrow the references of the first chunk.
AttentionCase largeCase() {
  AttentionCase what;
  what.length = 256;
  what.options.keyChunk = 1;
  what.magnitude = 300;
  return what;
}

/// Exponentials on the pack thread.
AttentionCase approximateCase() {
  AttentionCase what = ringCase();
  what.options.approximateExp = true;
  return what;
}

struct KernelMistake {
  const char *mutant;
  const char *source;
  const char *report;
  uint32_t launches = 2;
  AttentionCase (*where)() = ringCase;
};

void PrintTo(const KernelMistake &mistake, std::ostream *stream) {
  *stream << mistake.mutant;
}

constexpr uint32_t kSeeds = 24;

class TileKernelMistake : public testing::TestWithParam<KernelMistake> {};

TEST_P(TileKernelMistake, IsReported) {
  const KernelMistake &mistake = GetParam();
  AttentionRun run(mistake.where());
  ASSERT_EQ(run.refusal(), "");
  std::string found;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    found = run.run(seed, mistake.launches,
                    {{mistake.source, kMutants.at(mistake.mutant)}});
    if (std::getenv("RING_TILE_SHOW"))
      std::printf("%s\n", found.c_str());
    else if (found.find(mistake.report) != std::string::npos)
      return;
  }
  FAIL() << "instead: " << found;
}

const char *const kReader = "AttentionReader.cpp";
const char *const kWriter = "AttentionWriter.cpp";
const char *const kCompute = "AttentionCompute.cpp";
const char *const kApproximate = "AttentionCompute.cpp RING_APPROXIMATE_EXP";
const char *const kRingMover = "RingMover.cpp";

INSTANTIATE_TEST_SUITE_P(
    All, TileKernelMistake,
    testing::Values(
        KernelMistake{"QueriesWithoutBarrier", kReader,
                      "pushes a page of circular buffer 0 that the read"},
        KernelMistake{"KeysWithoutBarrier", kReader,
                      "pushes a page of circular buffer 1 that the read"},
        KernelMistake{"ReadWithoutArrival", kReader,
                      "without knowing that the write of"},
        KernelMistake{"HandedWithoutBarrier", kReader,
                      "pushes a page of circular buffer", 2, chainCase},
        KernelMistake{"HandedWithoutRoom", kReader,
                      "expects to write into reserved pages", 2, chainCase},
        KernelMistake{"HandedToTheSamePages", kReader,
                      "expects to write into reserved pages", 2, chainCase},
        KernelMistake{"TakenUnfilled", kReader, "circular buffer", 2,
                      chainCase},
        KernelMistake{"StoreGivenBackTwice", kReader, "overwrites page"},
        KernelMistake{"StoreGivenBackUnawaited", kReader, "overwrites page", 2,
                      zigzagCase},
        KernelMistake{"ValuesNotReserved", kReader,
                      "expects to read into reserved pages"},
        KernelMistake{"ReaderEndsEarly", kReader,
                      "expects a kernel to end with nothing under way"},
        KernelMistake{"StateReadTooEarly", kReader, "reads page"},
        KernelMistake{"OutputsWithoutBarrier", kWriter,
                      "pops a page of circular buffer 20 that the write"},
        KernelMistake{"OutputsFlushedOnly", kWriter,
                      "expects a kernel to end with nothing under way"},
        KernelMistake{"StatesFlushedOnly", kWriter,
                      "without knowing that the write of"},
        KernelMistake{"OutputsNotPopped", kWriter, "standstill"},
        KernelMistake{"WeightsNotAwaited", kCompute,
                      "reads tile 0 of circular buffer 7, but has waited"},
        KernelMistake{"KeysNotPopped", kCompute, "standstill"},
        KernelMistake{"FormatNotSet", kCompute,
                      "reconfig_data_format is missing"},
        KernelMistake{"PackFormatNotSet", kCompute,
                      "pack_reconfig_data_format is missing"},
        KernelMistake{"ColumnsLeftOut", kCompute, "reduce_uninit is missing"},
        KernelMistake{"RowsLeftOut", kCompute, "reduce_uninit is missing"},
        KernelMistake{"RowsForColumns", kCompute, "takes maxima of rows for"},
        KernelMistake{"MaximaOfAnotherEnded", kCompute,
                      "ends the maxima of circular buffer 0, but began"},
        KernelMistake{"UnitNotPrepared", kCompute,
                      "last initialised for something else"},
        KernelMistake{"ExponentialNotPrepared", kCompute,
                      "uses the vector unit, which was last"},
        KernelMistake{"RegistersNotAcquired", kCompute,
                      "registers that are not acquired"},
        KernelMistake{"RegisterNotWritten", kCompute,
                      "reads register 1, which was not written"},
        KernelMistake{"AccumulationLeftOn", kCompute, "adds onto tile"},
        KernelMistake{"StateNotRescaled", kCompute, "outputs: ", 1, largeCase},
        KernelMistake{"ReferencesForgotten", kCompute, "outputs: ", 1,
                      largeCase},
        KernelMistake{"LastValuesForgotten", kCompute, "circular buffer 7"},
        KernelMistake{"VectorsNotAwaited", kApproximate,
                      "a stall of the packer is missing", 2, approximateCase},
        KernelMistake{"PackThreadTooEarly", kApproximate,
                      "on the pack thread that it has not waited for", 2,
                      approximateCase},
        KernelMistake{"PackThreadNotPrepared", kApproximate,
                      "uses the vector unit, which was last", 2,
                      approximateCase},
        KernelMistake{"MaskForgotten", kCompute, "outputs: "},
        KernelMistake{"MaskWithoutBarrier", kReader,
                      "pushes a page of circular buffer 26 that the read", 2,
                      maskCase},
        KernelMistake{"GivenMaskNotAwaited", kCompute,
                      "of circular buffer 26, but has waited", 2, maskCase},
        KernelMistake{"GivenMaskNotPopped", kCompute,
                      "of circular buffer 26, which nobody has written", 2,
                      maskCase},
        KernelMistake{"GivenMaskNotScaled", kCompute, "outputs: ", 2, maskCase},
        KernelMistake{"SendWithoutBarrier", kRingMover,
                      "sends bytes that the read"},
        KernelMistake{"SendWithoutFlush", kRingMover,
                      "without knowing that the write of"},
        KernelMistake{"PageUsedAgain", kRingMover, "has not"},
        KernelMistake{"ArrivalsNotReset", kRingMover, "to be 0 after", 1},
        KernelMistake{"ArrivalsNotReset", kRingMover,
                      "without knowing that the write of", 2},
        KernelMistake{"CreditsNotReset", kRingMover, "to be 0 after", 1},
        KernelMistake{"CreditsNotReset", kRingMover, "overwrites page", 2},
        KernelMistake{"EndWithoutCredits", kRingMover, "overwrites page"},
        KernelMistake{"CreditsIgnored", kRingMover, "overwrites page"},
        KernelMistake{"ReleasedUnread", kRingMover, "overwrites page"},
        KernelMistake{"ConnectionLeftOpen", kRingMover,
                      "expects a kernel to close its connections"}),
    [](const auto &info) {
      return info.param.mutant + std::string("_") +
             std::to_string(info.param.launches);
    });

/// References that are never raised: weights overflow.
TEST(TileKernelMistake, RisesAreNotIgnored) {
  AttentionRun run(largeCase());
  EXPECT_EQ(run.run(0), "");
  EXPECT_EQ(
      run.run(0, 1, {{kCompute, kMutants.at("RiseIgnored")}}).substr(0, 9),
      "outputs: ");
}

} // namespace
