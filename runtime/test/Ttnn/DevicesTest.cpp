// SPDX-License-Identifier: Apache-2.0
//
// Devices are opened as a run needs them, and given back whatever happens.

#include "TtnnTest.h"

namespace ring::rt::test {

namespace {

using tt::tt_fabric::FabricConfig;

ProgramBuilder doubles(Shape mesh) {
  ProgramBuilder builder("double", std::move(mesh));
  ValueType type = localTensor(ElementType::F32, {4, 8});
  int32_t x = builder.addInput("x", type);
  builder.addOutput("y", builder.addOne("add", {x, x}, type));
  return builder;
}

TEST_F(Ttnn, SaysThatThereAreNoDevices) {
  standin::cluster().devices = 0;
  std::string message = failure(doubles({2, 4}));
  EXPECT_EQ(message, "expects 2x4 Tenstorrent devices, but tt-metal could not "
                     "open them: a mesh of 8 devices is asked for, and there "
                     "are 0");
}

TEST_F(Ttnn, OneDeviceNeedsNoLinks) {
  expectRuns(doubles({1, 1}));
  EXPECT_EQ(standin::cluster().fabricAtOpen, FabricConfig::DISABLED);
  expectRuns(doubles({1, 2}));
  EXPECT_EQ(standin::cluster().fabricAtOpen, FabricConfig::FABRIC_1D);
}

TEST_F(Ttnn, RunsOnBlackholeToo) {
  standin::cluster().arch = tt::ARCH::BLACKHOLE;
  standin::cluster().grid = {13, 10};
  standin::cluster().ethernetDispatches = false;
  ProgramBuilder builder("product", {1, 2});
  ValueType type = local(ElementType::BF16, {32, 32});
  int32_t x = builder.addInput("x", type);
  builder.addOutput("y", builder.addOne("matmul", {x, x}, type));
  expectRuns(builder);
}

/// What tt-metal throws names the instruction, and devices are closed.
TEST_F(Ttnn, ThrownErrorsNameTheInstruction) {
  ProgramBuilder builder("outside", {1, 2});
  int32_t i = builder.addConstant(local(ElementType::I32, {1, 2}), {0, 9});
  int32_t table = builder.addInput("t", local(ElementType::BF16, {4, 32}));
  builder.addOutput("y", builder.addOne("embedding", {i, table},
                                        local(ElementType::BF16, {1, 2, 32}),
                                        {}, "model.py:7"));
  EXPECT_EQ(failure(builder), "instruction 1 'embedding' at model.py:7: "
                              "tt-metal: an index is outside its table");
}

TEST_F(Ttnn, RefusesIntegersThatDoNotFit) {
  ProgramBuilder builder("large", {1, 1});
  ValueType type = local(ElementType::I64, {2});
  int32_t x = builder.addConstant(type, {1, 3e9});
  builder.addOutput("y", builder.addOne("add", {x, x}, type));
  EXPECT_NE(failure(builder).find("expects integers of 32 bits on devices, but "
                                  "got 3e+09"),
            std::string::npos);
}

} // namespace

} // namespace ring::rt::test
