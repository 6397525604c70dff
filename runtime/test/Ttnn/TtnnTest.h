// SPDX-License-Identifier: Apache-2.0
//
// Programs on the stand-in's devices.

#ifndef RING_RUNTIME_TEST_TTNN_TTNNTEST_H
#define RING_RUNTIME_TEST_TTNN_TTNNTEST_H

#include "ProgramCheck.h"
#include "standin/Cluster.hpp"

namespace ring::rt::test {

/// Every test begins with a cluster that nobody used, and leaves it as it was.
class Ttnn : public testing::Test {
protected:
  void SetUp() override { standin::cluster() = standin::Cluster(); }
  void TearDown() override {
    EXPECT_EQ(standin::cluster().meshesOpen, 0u);
    EXPECT_EQ(standin::cluster().fabric, tt::tt_fabric::FabricConfig::DISABLED);
  }

  static RunOptions onDevices() {
    RunOptions options;
    options.backend = "ttnn";
    return options;
  }

  /// Runs on devices and judges by the reference.
  static void expectRuns(const ProgramBuilder &builder, uint64_t seed = 1) {
    expectAgrees(builder, seed, onDevices());
    EXPECT_GT(standin::cluster().calls, 0u);
  }

  /// The message with which a run fails; empty if it does not.
  static std::string failure(const ProgramBuilder &builder) {
    Result<Program> program = builder.build();
    if (!program)
      return "no program: " + program.message();
    Result<std::vector<PortTensors>> inputs = generateInputs(*program, 1);
    if (!inputs)
      return "no inputs: " + inputs.message();
    Result<RunResult> result = run(*program, *inputs, onDevices());
    return result ? "" : result.message();
  }

  /// Expects a failure that says so before a device is opened.
  static void expectRefused(const ProgramBuilder &builder,
                            const std::string &part) {
    std::string message = failure(builder);
    EXPECT_NE(message.find(part), std::string::npos)
        << "expected: " << part << "\nfound: " << message;
    EXPECT_EQ(standin::cluster().meshesOpened, 0u) << message;
  }

  static ValueType local(ElementType element, Shape shape) {
    return localTensor(element, std::move(shape));
  }
};

} // namespace ring::rt::test

#endif // RING_RUNTIME_TEST_TTNN_TTNNTEST_H
