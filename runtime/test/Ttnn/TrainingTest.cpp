// SPDX-License-Identifier: Apache-2.0
//
// tt-train's attention, which explicit rings are made of.

#include "TtnnTest.h"

namespace ring::rt::test {

namespace {

class TtnnTraining : public Ttnn {
protected:
  static ProgramBuilder forward(const std::string &mask, bool backward,
                                Attributes more = {},
                                ElementType element = ElementType::BF16,
                                const Shape &maskShape = {1, 1, 32, 32}) {
    ProgramBuilder builder("training", {1, 2});
    ValueType q = local(element, {1, 4, 32, 32}),
              k = local(element, {1, 2, 32, 32});
    std::vector<int32_t> inputs = {builder.addInput("q", q),
                                   builder.addInput("k", k),
                                   builder.addInput("v", k)};
    int32_t keep = kAbsent;
    if (mask == "arbitrary") {
      std::vector<double> ones(static_cast<size_t>(elementCount(maskShape)), 1);
      for (size_t i = 0; i < ones.size(); i += 5)
        ones[i] = 0;
      keep = builder.addConstant(local(element, maskShape), ones);
    }
    Attributes attributes = std::move(more);
    attributes["mask_type"] = mask;
    std::vector<int32_t> operands = inputs;
    operands.push_back(keep);
    auto out =
        builder.add("sdpa_fw", operands,
                    {q, local(ElementType::F32, {1, 4, 32, 32})}, attributes);
    builder.addOutput("y", out[0]);
    builder.addOutput("lse", out[1]);
    if (backward) {
      int32_t gradient = builder.addInput("g", q);
      auto slopes = builder.add(
          "sdpa_bw",
          {gradient, out[0], inputs[0], inputs[1], inputs[2], out[1], keep},
          {q, k, k}, attributes);
      for (size_t i = 0; i < slopes.size(); ++i)
        builder.addOutput("d" + std::to_string(i), slopes[i]);
    }
    return builder;
  }
};

TEST_F(TtnnTraining, ForwardAndBackward) {
  for (const char *mask : {"causal", "arbitrary"})
    for (bool backward : {false, true})
      expectRuns(forward(mask, backward));
  expectRuns(forward("arbitrary", false, {}, ElementType::BF16, {1, 1, 1, 32}));
}

TEST_F(TtnnTraining, RefusesWhatHangsOrDiffers) {
  expectRefused(forward("none", false),
                "expects a mask for 'sdpa_fw' on devices, where it waits for "
                "one forever without; compile with sdpa-fw-mask=ones");
  expectRefused(forward("causal", false, {{"scale", 0.3}}),
                "the scale 1 / sqrt(32)");
  expectRefused(forward("causal", false, {}, ElementType::F32),
                "operand 0 is f32");
  expectRefused(
      forward("arbitrary", false, {}, ElementType::BF16, {1, 4, 32, 32}),
      "one mask for all heads");
}

} // namespace

} // namespace ring::rt::test
