// SPDX-License-Identifier: Apache-2.0
//
// A backend that was built without tt-train.

#include "TtnnTest.h"

namespace ring::rt::test {

namespace {

TEST_F(Ttnn, NamesWhatItWouldTake) {
  ProgramBuilder builder("training", {1, 2});
  ValueType type = local(ElementType::BF16, {1, 4, 32, 32});
  int32_t x = builder.addInput("x", type);
  builder.addOutput("y",
                    builder.addOne("sdpa_fw", {x, x, x}, type,
                                   {{"mask_type", std::string("causal")}}));
  expectRefused(builder, "instruction 0 'sdpa_fw': expects a runtime with "
                         "tt-train for 'sdpa_fw', but this one was built "
                         "without");
}

TEST_F(Ttnn, RunsTheRest) {
  ProgramBuilder builder("double", {1, 2});
  ValueType type = local(ElementType::F32, {4, 8});
  int32_t x = builder.addInput("x", type);
  builder.addOutput("y", builder.addOne("add", {x, x}, type));
  expectRuns(builder);
}

} // namespace

} // namespace ring::rt::test
