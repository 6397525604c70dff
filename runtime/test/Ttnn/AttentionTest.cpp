// SPDX-License-Identifier: Apache-2.0
//
// Attentions over the tensors of one device, and over caches.

#include "TtnnTest.h"

#include <cmath>

namespace ring::rt::test {

namespace {

class TtnnAttention : public Ttnn {
protected:
  static constexpr ElementType kBf16 = ElementType::BF16;

  /// Queries, keys and values of 2 x 4 heads, 2 of keys.
  static std::vector<int32_t> operands(ProgramBuilder &builder, int64_t queries,
                                       int64_t keys) {
    return {builder.addInput("q", local(kBf16, {2, 4, queries, 32})),
            builder.addInput("k", local(kBf16, {2, 2, keys, 32})),
            builder.addInput("v", local(kBf16, {2, 2, keys, 32}))};
  }

  /// A mask of f32 that hides every third of 64 keys, the same for all rows.
  static int32_t hiddenKeys(ProgramBuilder &builder) {
    std::vector<double> numbers(64, 0.0);
    for (size_t i = 0; i < numbers.size(); i += 3)
      numbers[i] = -INFINITY;
    return builder.addConstant(local(ElementType::F32, {1, 1, 1, 64}), numbers);
  }
};

TEST_F(TtnnAttention, Sdpa) {
  enum { kFull, kCausal, kWindow, kMask, kRow, kSink, kScaledSink, kCases };
  for (int variant = 0; variant < kCases; ++variant) {
    ProgramBuilder builder("sdpa", {1, 2});
    std::vector<int32_t> inputs = operands(builder, 64, 64);
    // Masks are divided by the scale in their own type.
    bool masked = variant == kMask || variant == kRow;
    Attributes attributes = {{"scale", masked ? 0.25 : 0.3}};
    if (variant == kCausal || variant == kWindow || variant >= kSink)
      attributes["causal"] = int64_t(1);
    if (variant == kWindow)
      attributes["window"] = int64_t(9);
    if (variant == kMask)
      inputs.push_back(builder.addInput("m", local(kBf16, {1, 4, 64, 64})));
    if (variant == kRow)
      inputs.push_back(hiddenKeys(builder));
    if (variant >= kSink) {
      inputs.push_back(kAbsent);
      inputs.push_back(builder.addInput("s", local(kBf16, {1, 4, 1, 1})));
      attributes["sink_scaled"] = int64_t(variant == kScaledSink);
    }
    builder.addOutput("y",
                      builder.addOne("sdpa", inputs,
                                     local(kBf16, {2, 4, 64, 32}), attributes));
    expectRuns(builder);
  }
}

TEST_F(TtnnAttention, WholeAttention) {
  for (int variant = 0; variant < 4; ++variant) {
    ProgramBuilder builder("whole", {1, 2});
    std::vector<int32_t> inputs = operands(builder, 32, 32);
    Attributes attributes;
    if (variant == 1)
      encode::band(attributes, -1, 0);
    if (variant == 2)
      encode::band(attributes, 7, 0);
    if (variant == 3) {
      inputs.resize(7, kAbsent);
      inputs.push_back(builder.addInput("s", local(kBf16, {1, 4, 1, 1})));
    }
    builder.addOutput("y",
                      builder.addOne("ring.attention", inputs,
                                     local(kBf16, {2, 4, 32, 32}), attributes));
    expectRuns(builder);
  }
}

TEST_F(TtnnAttention, JointTokens) {
  ProgramBuilder builder("joint", {1, 2});
  std::vector<int32_t> inputs;
  for (const char *name : {"q", "k", "v"})
    inputs.push_back(builder.addInput(name, local(kBf16, {1, 4, 64, 32})));
  for (const char *name : {"jq", "jk", "jv"})
    inputs.push_back(builder.addInput(name, local(kBf16, {1, 4, 7, 32})));
  auto out =
      builder.add("ring.attention", inputs,
                  {local(kBf16, {1, 4, 64, 32}), local(kBf16, {1, 4, 7, 32})});
  builder.addOutput("y", out[0]);
  builder.addOutput("j", out[1]);
  expectRuns(builder);
}

/// Steps of three users with five heads, so that heads are filled up to a tile.
TEST_F(TtnnAttention, Decode) {
  enum { kPositions, kEnd, kWindow, kMask, kSink, kScaledSink, kCases };
  for (bool paged : {false, true})
    for (int variant = 0; variant < kCases; ++variant) {
      if (paged && variant == kEnd)
        continue;
      ProgramBuilder builder("decode", {1, 2});
      std::vector<int32_t> inputs = {
          builder.addInput("q", local(kBf16, {1, 3, 5, 32}))};
      Shape cache = paged ? Shape{8, 1, 32, 32} : Shape{3, 1, 64, 32};
      inputs.push_back(builder.addInput("k", local(kBf16, cache)));
      inputs.push_back(builder.addInput("v", local(kBf16, cache)));
      if (paged)
        inputs.push_back(
            builder.addInput("pages", local(ElementType::I32, {3, 2})));
      Attributes attributes = {{"scale", 0.25}};
      bool masked = variant == kMask;
      inputs.push_back(masked
                           ? builder.addInput("m", local(kBf16, {3, 1, 1, 64}))
                           : kAbsent);
      if (masked)
        attributes["causal"] = int64_t(0);
      inputs.push_back(
          masked || variant == kEnd
              ? kAbsent
              : builder.addInput("at", local(ElementType::I32, {3})));
      if (variant == kWindow)
        attributes["window"] = int64_t(11);
      if (variant >= kSink) {
        inputs.push_back(builder.addInput("s", local(kBf16, {1, 5, 1, 1})));
        attributes["sink_scaled"] = int64_t(variant == kScaledSink);
      }
      builder.addOutput(
          "y", builder.addOne(paged ? "paged_sdpa_decode" : "sdpa_decode",
                              inputs, local(kBf16, {1, 3, 5, 32}), attributes));
      expectRuns(builder);
    }
}

TEST_F(TtnnAttention, ChunksOfAPrefill) {
  ProgramBuilder builder("chunk", {1, 2});
  int32_t q = builder.addInput("q", local(kBf16, {1, 4, 32, 32}));
  int32_t k = builder.addInput("k", local(kBf16, {6, 2, 32, 32}));
  int32_t v = builder.addInput("v", local(kBf16, {6, 2, 32, 32}));
  int32_t pages = builder.addInput("pages", local(ElementType::I32, {1, 4}));
  int32_t start = builder.addConstant(local(ElementType::I32, {1}), {64});
  builder.addOutput("y", builder.addOne("chunked_sdpa", {q, k, v, pages, start},
                                        local(kBf16, {1, 4, 32, 32})));
  expectRuns(builder);
}

} // namespace

} // namespace ring::rt::test
