// SPDX-License-Identifier: Apache-2.0
//
// Ring programs on many numbers of devices, against whole attention in f64.

#include "RingPrograms.h"

using namespace ring::rt;
using namespace ring::rt::test;

namespace {

/// Runs a ring and compares its output with the reference of whole attention.
void checkRing(const RingProgram &ring) {
  Result<Program> program = ring.build().build();
  ASSERT_TRUE(program) << program.message();
  Result<std::vector<PortTensors>> inputs = generateInputs(*program, 5);
  ASSERT_TRUE(inputs) << inputs.message();
  Result<RunResult> result = run(*program, *inputs);
  ASSERT_TRUE(result) << result.message();
  Result<PortNumbers> reference = runReference(*program, *inputs);
  ASSERT_TRUE(reference) << reference.message();
  // The ring means what the whole attention means.
  PortNumbers whole = {(*reference)[1], (*reference)[1]};
  OutputJudgements judged = judge(*program, *result, *program, whole);
  EXPECT_TRUE(judged.passed) << judged.text;
  // The reference's own ring must agree with its own whole attention.
  EXPECT_EQ(judge(flat((*reference)[0]), flat(whole[0]), 1e-12).fault, "");
}

class RingOn : public testing::TestWithParam<int64_t> {};

TEST_P(RingOn, FullAttention) {
  for (bool overlapped : {false, true})
    for (bool carried : {false, true}) {
      SCOPED_TRACE(testing::Message() << overlapped << carried);
      RingProgram ring;
      ring.ranks = GetParam();
      ring.sequence = ring.length = 16 * GetParam();
      ring.overlapped = overlapped;
      ring.carried = carried;
      checkRing(ring);
    }
}

TEST_P(RingOn, CausalInEveryLayout) {
  for (encode::LayoutKind layout :
       {encode::LayoutKind::Contiguous, encode::LayoutKind::Mirrored,
        encode::LayoutKind::Zigzag, encode::LayoutKind::Striped}) {
    SCOPED_TRACE(static_cast<int64_t>(layout));
    RingProgram ring;
    ring.ranks = GetParam();
    ring.sequence = ring.length = 10 * GetParam();
    ring.layout = layout;
    ring.causal = true;
    ring.overlapped = true;
    checkRing(ring);
  }
}

TEST_P(RingOn, PaddedLengths) {
  RingProgram ring;
  ring.ranks = GetParam();
  ring.sequence = 9 * GetParam() + 1;
  ring.length = 12 * GetParam();
  ring.layout = encode::LayoutKind::Zigzag;
  for (bool causal : {false, true}) {
    ring.causal = causal;
    checkRing(ring);
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, RingOn, testing::Values(1, 2, 3, 4, 8, 32));

TEST(Ring, Bf16) {
  RingProgram ring;
  ring.element = ElementType::BF16;
  ring.causal = true;
  ring.layout = encode::LayoutKind::Zigzag;
  checkRing(ring);
}

TEST(Ring, BackwardOfBlocksAddsUp) {
  // Gradients of the parts of the keys are the gradient of the whole.
  constexpr int64_t kRanks = 4, kRows = 12;
  const Shape shard = {1, 2, kRows, 8};
  ValueType type = localTensor(ElementType::F32, shard);
  ValueType lse = localTensor(ElementType::F32, {1, 2, kRows, 1});
  ProgramBuilder builder("backward", {kRanks});
  int32_t q = builder.addInput("q", type), k = builder.addInput("k", type);
  int32_t v = builder.addInput("v", type), g = builder.addInput("g", type);
  encode::Layout layout = {encode::LayoutKind::Zigzag, kRanks * kRows, kRanks,
                           0};
  Attributes gather = {{"dim", int64_t(2)}, {"axis", int64_t(0)}};
  ValueType all = localTensor(ElementType::F32, {1, 2, kRanks * kRows, 8});
  // Forward over gathered keys in zigzag order: every part a select away.
  std::vector<int32_t> parts;
  std::vector<int32_t> kv = {k, v};
  std::vector<std::vector<int32_t>> steps;
  for (int64_t step = 0; step < kRanks; ++step) {
    Attributes block;
    encode::block(block, layout, layout, -step, {0});
    encode::band(block, -1, 0);
    auto next =
        builder.add("ring.partial", {q, kv[0], kv[1]}, {type, lse}, block);
    parts = parts.empty() ? next
                          : builder.add("ring.merge",
                                        {parts[0], parts[1], next[0], next[1]},
                                        {type, lse});
    steps.push_back(kv);
    if (step + 1 < kRanks)
      kv = builder.add("ring.shift", kv, {type, type},
                       {{"by", int64_t(1)}, {"axis", int64_t(0)}});
  }
  int32_t dq = kAbsent;
  for (int64_t step = 0; step < kRanks; ++step) {
    Attributes block;
    encode::block(block, layout, layout, -step, {0});
    encode::band(block, -1, 0);
    auto grads =
        builder.add("ring.partial_backward",
                    {g, parts[0], parts[1], q, steps[step][0], steps[step][1]},
                    {type, type, type}, block);
    dq = step == 0 ? grads[0] : builder.addOne("add", {dq, grads[0]}, type);
    builder.addOutput("dk" + std::to_string(step), grads[1]);
    builder.addOutput("dv" + std::to_string(step), grads[2]);
  }
  builder.addOutput("dq", dq);
  builder.addOutput("gathered",
                    builder.addOne("ring.all_gather", {dq}, all, gather));
  expectAgrees(builder);
}

} // namespace
