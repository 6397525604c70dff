// SPDX-License-Identifier: Apache-2.0
//
// Whose keys a device meets, and who sends to whom, read from programs of which
// that is known.

#include "Report/Steps.h"
#include "RingPrograms.h"

#include "gtest/gtest.h"

using namespace ring::rt;
using namespace ring::rt::test;

namespace {

constexpr int64_t kRanks = 4;

std::vector<ReportRing> ringsOf(const RingProgram &ring) {
  Result<Program> program = ring.build().build();
  EXPECT_TRUE(program) << program.message();
  return findRings(*program, stepsOf(*program));
}

RingProgram causalRing() {
  RingProgram ring;
  ring.ranks = kRanks;
  ring.causal = true;
  return ring;
}

const ReportHolding &holdingOf(const ReportRound &round, int64_t device) {
  for (const ReportHolding &holding : round.holdings)
    if (holding.device == device)
      return holding;
  ADD_FAILURE() << "device " << device << " holds nothing";
  return round.holdings[0];
}

void expectPassesOn(const ReportRing &ring) {
  ASSERT_EQ(ring.rounds.size(), size_t(kRanks));
  for (int64_t step = 0; step < kRanks; ++step) {
    const ReportRound &round = ring.rounds[step];
    for (int64_t device = 0; device < kRanks; ++device) {
      int64_t from = (device - step + kRanks) % kRanks;
      const ReportHolding &holding = holdingOf(round, device);
      EXPECT_EQ(holding.keysOf, std::vector<int64_t>{from}) << "step " << step;
      EXPECT_EQ(holding.queriesOf, std::vector<int64_t>{device});
    }
    // After the last block nothing is left to send.
    ASSERT_EQ(round.sends.size(), size_t(step + 1 < kRanks ? kRanks : 0));
    for (const ReportSend &send : round.sends) {
      EXPECT_EQ(send.target, (send.source + 1) % kRanks);
      EXPECT_EQ(send.shardsOf, holdingOf(round, send.source).keysOf);
      EXPECT_EQ(send.what, "keys and values");
      EXPECT_GT(send.bytes, 0);
    }
  }
}

TEST(ReportRings, KeysGoAround) {
  for (bool overlapped : {false, true})
    for (bool carried : {false, true}) {
      RingProgram ring = causalRing();
      ring.overlapped = overlapped;
      ring.carried = carried;
      std::vector<ReportRing> rings = ringsOf(ring);
      ASSERT_EQ(rings.size(), 1u);
      EXPECT_EQ(rings[0].devices, (std::vector<int64_t>{0, 1, 2, 3}));
      EXPECT_EQ(rings[0].alike, 0);
      expectPassesOn(rings[0]);
    }
}

TEST(ReportRings, AMaskLeavesContiguousDevicesNothing) {
  ReportRing ring = ringsOf(causalRing())[0];
  for (int64_t step = 0; step < kRanks; ++step)
    for (int64_t device = 0; device < kRanks; ++device)
      EXPECT_EQ(holdingOf(ring.rounds[step], device).flops > 0, step <= device)
          << "device " << device << ", step " << step;
}

TEST(ReportRings, ZigzagShowsBothEnds) {
  RingProgram program = causalRing();
  program.layout = encode::LayoutKind::Zigzag;
  ReportRing ring = ringsOf(program)[0];
  // 256 rows over 4 ranks: rank 1 has 32 from the front and 32 from the back.
  const ReportHolding &holding = holdingOf(ring.rounds[1], 2);
  ASSERT_EQ(holding.keys.size(), 2u);
  EXPECT_EQ(holding.keys[0].begin, 32);
  EXPECT_EQ(holding.keys[1].begin, 192);
  EXPECT_EQ(holding.keys[1].size, 32);
  // And so everybody has something to do in every round.
  for (const ReportRound &round : ring.rounds)
    for (const ReportHolding &one : round.holdings)
      EXPECT_GT(one.flops, 0);
}

/// Two groups of two devices, each exchanging in its own way.
std::vector<ReportRing> gatheredOver(int64_t axis) {
  ProgramBuilder builder("gather", {2, 2});
  Shape shard = {1, 1, 32, 16}, all = {1, 1, 64, 16};
  int32_t q = builder.addInput("q", localTensor(ElementType::F32, shard));
  int32_t k = builder.addInput("k", localTensor(ElementType::F32, shard));
  int32_t v = builder.addInput("v", localTensor(ElementType::F32, shard));
  Attributes gather = {{"dim", int64_t(2)}, {"axis", axis}};
  std::vector<int32_t> whole;
  for (int32_t value : {k, v})
    whole.push_back(builder.addOne("ring.all_gather", {value},
                                   localTensor(ElementType::F32, all), gather));
  builder.addOutput("out",
                    builder.addOne("ring.attention", {q, whole[0], whole[1]},
                                   localTensor(ElementType::F32, shard), {}));
  Result<Program> program = builder.build();
  EXPECT_TRUE(program) << program.message();
  return findRings(*program, stepsOf(*program));
}

TEST(ReportRings, RingsThatDoTheSameAreToldOnce) {
  for (int64_t axis : {0, 1}) {
    std::vector<ReportRing> rings = gatheredOver(axis);
    ASSERT_EQ(rings.size(), 1u);
    EXPECT_EQ(rings[0].alike, 1);
    std::vector<int64_t> first = {0, axis == 0 ? 2 : 1};
    EXPECT_EQ(rings[0].devices, first);
    // First everything is gathered, then everything is attended to.
    ASSERT_EQ(rings[0].rounds.size(), 2u);
    EXPECT_TRUE(rings[0].rounds[0].holdings.empty());
    EXPECT_EQ(rings[0].rounds[0].sends.size(), 4u); // keys and values apart
    EXPECT_EQ(holdingOf(rings[0].rounds[1], 0).keysOf, first);
    EXPECT_TRUE(rings[0].rounds[1].sends.empty());
  }
}

TEST(ReportRings, NothingIsSaidWhereNothingIsSent) {
  RingProgram alone;
  alone.ranks = 1;
  EXPECT_TRUE(ringsOf(alone).empty());
  RingProgram many;
  many.ranks = 128;
  many.sequence = many.length = 128;
  EXPECT_TRUE(ringsOf(many).empty());
}

} // namespace
