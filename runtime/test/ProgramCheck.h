// SPDX-License-Identifier: Apache-2.0
//
// Runs a program on the CPU mesh and on the reference and compares.

#ifndef RING_RUNTIME_TEST_PROGRAMCHECK_H
#define RING_RUNTIME_TEST_PROGRAMCHECK_H

#include "ring-runtime/Judgement.h"
#include "ring-runtime/ProgramBuilder.h"

#include <gtest/gtest.h>

namespace ring::rt::test {

/// Numbers from 0 to below a bound, for shapes; the same in every run.
class Dice {
public:
  explicit Dice(uint64_t seed) : state(seed * 2 + 1) {}
  int64_t below(int64_t bound) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<int64_t>((state >> 33) % static_cast<uint64_t>(bound));
  }
  int64_t between(int64_t low, int64_t high) {
    return low + below(high - low + 1);
  }

private:
  uint64_t state;
};

/// All numbers of one output, device after device.
inline std::vector<double> flat(const PortTensors &tensors) {
  std::vector<double> numbers;
  for (const Tensor &tensor : tensors) {
    std::vector<double> part = tensor.numbers();
    numbers.insert(numbers.end(), part.begin(), part.end());
  }
  return numbers;
}

inline std::vector<double>
flat(const std::vector<std::vector<double>> &tensors) {
  std::vector<double> numbers;
  for (const std::vector<double> &part : tensors)
    numbers.insert(numbers.end(), part.begin(), part.end());
  return numbers;
}

/// Builds, runs on generated inputs and judges every output.
inline void expectAgrees(const ProgramBuilder &builder, uint64_t seed = 1,
                         const RunOptions &options = {}) {
  Result<Program> program = builder.build();
  ASSERT_TRUE(program) << program.message();
  Result<std::vector<PortTensors>> inputs = generateInputs(*program, seed);
  ASSERT_TRUE(inputs) << inputs.message();
  Result<RunResult> result = run(*program, *inputs, options);
  ASSERT_TRUE(result) << result.message() << "\n" << program->text();
  Result<PortNumbers> reference = runReference(*program, *inputs);
  ASSERT_TRUE(reference) << reference.message();
  OutputJudgements judged = judge(*program, *result, *program, *reference);
  EXPECT_TRUE(judged.passed) << judged.text << program->text();
}

/// The message with which a program is refused; empty if it is not.
inline std::string refusal(const ProgramBuilder &builder) {
  Result<Program> program = builder.build();
  return program ? "" : program.message();
}

} // namespace ring::rt::test

#endif // RING_RUNTIME_TEST_PROGRAMCHECK_H
