// SPDX-License-Identifier: Apache-2.0
//
// Laws that any model of a chip must keep, on random shapes: whoever breaks one
// predicts what cannot be.

#include "ring/Machine/ChipModel.h"
#include "ring/Machine/MachineFile.h"

#include <gtest/gtest.h>

#include <random>

namespace ring::machine {
namespace {

/// Relative room for the rounding of sums.
constexpr double kRounding = 1e-9;

class ChipLaws : public ::testing::TestWithParam<const char *> {
protected:
  int64_t pick(std::initializer_list<int64_t> choices) {
    return choices.begin()[random() % choices.size()];
  }
  int64_t between(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  }

  AttentionCall randomCall() {
    AttentionCall call;
    call.batch = pick({1, 1, 2});
    call.heads = pick({1, 2, 8, 10, 32});
    call.keyHeads = pick({1, 2}) == 1 ? 1 : call.heads;
    call.queries = between(33, 9000);
    call.keys = between(33, 9000);
    call.keyDim = pick({32, 64, 128, 576});
    call.valueDim = pick({32, 64, 128, 512});
    call.latentValues =
        call.keyHeads == 1 && call.valueDim < call.keyDim && pick({0, 1}) == 1;
    call.tileBytes = pick({1, 2}) == 1 ? kBf16TileBytes : kBfp8TileBytes;
    call.queryChunk = 32 * between(1, 12);
    call.keyChunk = 32 * between(1, 16);
    call.kernel = pick({0, 1}) == 0 ? AttentionKernel::Ring
                                    : AttentionKernel::Distributed;
    call.f32Accumulation = pick({0, 0, 1}) == 1;
    call.carriesState = pick({0, 0, 1}) == 1;
    if (pick({0, 1}) == 1) {
      call.pairs = 0.5;
      call.borders = 1;
      call.longestRow = 1;
    }
    return call;
  }

  double seconds(const AttentionCall &call) const {
    return attentionTime(machine, call).seconds;
  }
  void expectNotFaster(double less, double more, const char *law) const {
    EXPECT_LE(less, more * (1 + kRounding)) << law;
  }
  /// Calls `check` on many shapes.
  template <typename Check>
  void onRandomCalls(Check check) {
    for (int i = 0; i < 400; ++i)
      check(randomCall());
  }

  Machine machine = *loadMachine(GetParam());
  std::mt19937 random{20260801};
};

TEST_P(ChipLaws, NothingIsFasterThanItsLanes) {
  onRandomCalls([&](const AttentionCall &call) {
    AttentionTime time = attentionTime(machine, call);
    const Chip &chip = machine.chip;
    double most = time.seconds * (1 + kRounding);
    EXPECT_LE(time.computeSeconds, most);
    EXPECT_LE(time.streamSeconds, most);
    EXPECT_LE(time.dramSeconds, most);
    EXPECT_LE(time.flops / chip.peak(call.fidelity, chip.cores()), most);
    EXPECT_GT(time.utilisation, 0);
    EXPECT_LE(time.utilisation, 1);
    EXPECT_LE(time.fillSeconds, time.seconds);
    EXPECT_GE(time.chunkWaste, 0);
    EXPECT_LT(time.chunkWaste, 1);
    EXPECT_GE(time.slotWaste, 0);
    EXPECT_LT(time.slotWaste, 1);
  });
}

TEST_P(ChipLaws, MoreTokensAreNotFaster) {
  onRandomCalls([&](const AttentionCall &call) {
    AttentionCall queries = call, keys = call;
    queries.queries += between(1, 4000);
    keys.keys += between(1, 4000);
    // A triangle's row does not get shorter.
    if (call.pairs == 1) {
      expectNotFaster(seconds(call), seconds(keys), "more keys");
      expectNotFaster(seconds(call), seconds(queries), "more queries");
    }
    AttentionCall heads = call, batch = call;
    heads.heads *= 2;
    if (heads.keyHeads > 1)
      heads.keyHeads *= 2;
    batch.batch *= 2;
    expectNotFaster(seconds(call), seconds(heads), "more heads");
    expectNotFaster(seconds(call), seconds(batch), "more batch entries");
  });
}

TEST_P(ChipLaws, MoreWorkForAPairIsNotFaster) {
  onRandomCalls([&](const AttentionCall &call) {
    AttentionCall exact = call, wide = call, f32 = call, state = call;
    exact.fidelity = Fidelity::HiFi4;
    wide.keyDim += 32;
    f32.f32Accumulation = true;
    state.carriesState = true;
    expectNotFaster(seconds(call), seconds(exact), "a higher fidelity");
    expectNotFaster(seconds(call), seconds(wide), "wider keys");
    expectNotFaster(seconds(call), seconds(f32), "f32 sums");
    expectNotFaster(seconds(call), seconds(state), "a state to carry");
    AttentionCall packed = call;
    packed.tileBytes = kBfp8TileBytes;
    AttentionCall plain = call;
    plain.tileBytes = kBf16TileBytes;
    expectNotFaster(seconds(packed), seconds(plain), "bfp8 keys");
    AttentionCall tiny = call;
    tiny.tileBytes = kBfp4TileBytes;
    expectNotFaster(seconds(tiny), seconds(packed), "bfp4 keys");
    AttentionCall apart = call;
    apart.latentValues = false;
    expectNotFaster(seconds(call), seconds(apart), "values of their own");
  });
}

/// More of anything that a chip has. Cores count where keys are read once for
/// all of them: where each reads its own, more of them hinder each other, as
/// has been measured.
TEST_P(ChipLaws, AStrongerChipIsNotSlower) {
  onRandomCalls([&](const AttentionCall &call) {
    double before = seconds(call);
    Machine better = machine;
    better.chip.dramBandwidth *= 1.5;
    expectNotFaster(attentionTime(better, call).seconds, before, "DRAM");
    better = machine;
    better.chip.nocBandwidth *= 1.5;
    expectNotFaster(attentionTime(better, call).seconds, before, "NoC");
    better = machine;
    better.chip.clock *= 1.2;
    expectNotFaster(attentionTime(better, call).seconds, before, "clock");
    AttentionCall few = call;
    few.kernel = AttentionKernel::Ring;
    few.heads = few.keyHeads = 1;
    few.batch = 1;
    few.carriesState = false;
    few.pairs = 1;
    few.borders = few.longestRow = 0;
    few.cores = 16;
    AttentionCall many = few;
    many.cores = 48;
    // All cores have to be filled first, which is not the loop's business.
    AttentionTime a = attentionTime(machine, few),
                  b = attentionTime(machine, many);
    expectNotFaster(b.seconds - b.fillSeconds, a.seconds - a.fillSeconds,
                    "cores");
  });
}

TEST_P(ChipLaws, ATriangleTakesAboutHalf) {
  onRandomCalls([&](AttentionCall call) {
    // Many chunks a core, so that neither rounding shows.
    call.heads = call.keyHeads = 32;
    call.latentValues = false;
    call.batch = 8;
    call.queries = call.keys = 8192;
    call.queryChunk = call.keyChunk = 128;
    call.carriesState = false;
    call.pairs = 1;
    call.borders = call.longestRow = 0;
    double whole = seconds(call);
    call.pairs = 0.5;
    call.borders = 1;
    call.longestRow = 1;
    EXPECT_NEAR(seconds(call) / whole, 0.5, 0.05);
  });
}

INSTANTIATE_TEST_SUITE_P(Chips, ChipLaws,
                         ::testing::Values("n150", "p100", "p150"),
                         [](const auto &info) {
                           return std::string(info.param);
                         });

} // namespace
} // namespace ring::machine
