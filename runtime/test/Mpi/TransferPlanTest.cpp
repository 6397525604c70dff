// SPDX-License-Identifier: Apache-2.0
//
// What ranks work out alone must fit together: every message that one sends is
// the one that the other receives.

#include "../RingPrograms.h"

#include "Mpi/RankReport.h"
#include "Mpi/TransferPlan.h"

#include <limits>
#include <set>

using namespace ring::rt;
using namespace ring::rt::test;

namespace {

constexpr int kManyTags = std::numeric_limits<int>::max();

TEST(RankDeal, EveryStreamHasOneRank) {
  for (int64_t devices : {1, 2, 5, 8, 31})
    for (int ranks : {1, 2, 3, 4, 7, 40}) {
      RankDeal deal(devices, ranks);
      std::vector<int64_t> inOrder;
      size_t least = devices, most = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        std::vector<int64_t> streams = deal.streamsOf(rank);
        for (int64_t stream : streams)
          EXPECT_EQ(deal.rankOf(stream), rank) << stream << " of " << devices;
        if (rank == 0) {
          ASSERT_EQ(streams.back(), devices) << "the host is rank 0's";
          streams.pop_back();
        }
        inOrder.insert(inOrder.end(), streams.begin(), streams.end());
        least = std::min(least, streams.size());
        most = std::max(most, streams.size());
      }
      ASSERT_EQ(inOrder.size(), size_t(devices));
      for (int64_t i = 0; i < devices; ++i)
        EXPECT_EQ(inOrder[i], i);
      EXPECT_LE(most - least, 1u) << devices << " on " << ranks;
    }
}

TEST(TransferPlan, SendsAndReceivesFitTogether) {
  RingProgram ring;
  ring.ranks = 5;
  ring.length = 320;
  ring.overlapped = true;
  Result<Program> program = ring.build().build();
  ASSERT_TRUE(program) << program.message();
  constexpr int kRanks = 3;
  RankDeal deal(5, kRanks);
  std::vector<TransferPlan> plans;
  for (int rank = 0; rank < kRanks; ++rank) {
    Result<TransferPlan> plan =
        TransferPlan::of(*program, deal, rank, kManyTags);
    ASSERT_TRUE(plan) << plan.message();
    plans.push_back(*plan);
  }
  int messages = 0, received = 0;
  std::set<std::tuple<int, int, int>> tags; // from, to, tag
  for (size_t i = 0; i < program->instructions().size(); ++i)
    for (int64_t stream = 0; stream <= 5; ++stream) {
      int from = deal.rankOf(stream);
      for (const Message &message : plans[from].sendsOf(i, stream)) {
        ++messages;
        const Message *there = plans[message.rank].receiveOf(i, stream);
        ASSERT_NE(there, nullptr) << "instruction " << i;
        EXPECT_EQ(there->rank, from);
        EXPECT_EQ(there->tag, message.tag);
        for (size_t k = 0; k < TransferPlan::operandsSent(*program, i); ++k)
          EXPECT_TRUE(
              tags.insert({from, message.rank, message.tag + int(k)}).second)
              << "tag " << message.tag << " twice";
      }
      for (int rank = 0; rank < kRanks; ++rank)
        received += plans[rank].receiveOf(i, stream) != nullptr;
    }
  EXPECT_EQ(messages, received);
  // Four shifts over the three borders of the blocks, and one result of each of
  // the four devices that are not on rank 0. All ranks have q, k and v.
  EXPECT_EQ(messages, 4 * 3 + 4);
}

TEST(TransferPlan, OnlyWhatTheHostMadeIsSentToBeSharded) {
  ProgramBuilder builder("shard", {4});
  ValueType whole = wholeTensor(ElementType::F32, {8});
  ValueType shard = localTensor(ElementType::F32, {2});
  Attributes sharding = {{"axes", std::vector<int64_t>{0}}};
  int32_t x = builder.addInput("x", whole);
  int32_t y = builder.addOne("neg", {x}, whole);
  builder.addOutput("x", builder.addOne("ring.shard", {x}, shard, sharding));
  builder.addOutput("y", builder.addOne("ring.shard", {y}, shard, sharding));
  Result<Program> program = builder.build();
  ASSERT_TRUE(program) << program.message();
  Result<TransferPlan> plan = TransferPlan::of(*program, {4, 3}, 0, kManyTags);
  ASSERT_TRUE(plan) << plan.message();
  EXPECT_EQ(TransferPlan::inputShared(*program, 1), 0u);
  EXPECT_TRUE(plan->sendsOf(1, 4).empty());
  EXPECT_EQ(TransferPlan::inputShared(*program, 2), 1u);
  EXPECT_EQ(plan->sendsOf(2, 4).size(), 2u);
}

TEST(TransferPlan, BuffersAndDefaultsStay) {
  ProgramBuilder builder("operands", {2});
  ValueType type = localTensor(ElementType::F32, {4});
  int32_t x = builder.addInput("x", type);
  int32_t y = builder.addOne("point_to_point", {x, x}, type,
                             {{"sender", std::vector<int64_t>{0}},
                              {"receiver", std::vector<int64_t>{1}}});
  int32_t buffer =
      builder.addOne("ring.buffer", {}, localBuffer(ElementType::F32, {4}));
  int32_t token = builder.addOne("ring.start_shift", {y, buffer}, localToken(),
                                 {{"by", int64_t(1)}, {"axis", int64_t(0)}});
  builder.addOutput("z", builder.addOne("ring.wait", {token}, type));
  Result<Program> program = builder.build();
  ASSERT_TRUE(program) << program.message();
  EXPECT_EQ(TransferPlan::operandsSent(*program, 0), 1u);
  EXPECT_EQ(TransferPlan::operandsSent(*program, 2), 1u);
}

TEST(TransferPlan, TooFewTagsAreAnError) {
  Result<Program> program = RingProgram().build().build();
  ASSERT_TRUE(program) << program.message();
  Result<TransferPlan> plan = TransferPlan::of(*program, {4, 2}, 0, 2);
  ASSERT_FALSE(plan);
  EXPECT_NE(plan.message().find("at most 2 messages between two ranks"),
            std::string::npos)
      << plan.message();
}

TEST(RankReport, PacksAndUnpacks) {
  RankReport report;
  report.seconds = 1.5;
  report.sent = {3, 0, 7};
  report.streams.resize(2);
  report.streams[1].peakBytes = 77;
  report.streams[1].ops["add"] = {2, 0.25, 8, 96};
  report.trace = {{1, 4, 0.5, 0.75}};
  std::vector<uint8_t> bytes = report.pack();
  Result<RankReport> back = RankReport::unpack(bytes);
  ASSERT_TRUE(back) << back.message();
  EXPECT_EQ(back->pack(), bytes);
  EXPECT_EQ(back->seconds, 1.5);
  EXPECT_EQ(back->sent, report.sent);
  EXPECT_EQ(back->streams[1].peakBytes, 77);
  EXPECT_EQ(back->streams[1].ops.at("add").bytes, 96);
  EXPECT_EQ(back->trace[0].instruction, 4u);
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(RankReport::unpack({bytes.begin(), bytes.begin() + size}));
  bytes.push_back(0);
  EXPECT_FALSE(RankReport::unpack(bytes));
}

} // namespace
