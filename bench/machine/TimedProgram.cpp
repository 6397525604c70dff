// SPDX-License-Identifier: Apache-2.0
//
// Turns and medians.

#include "TimedProgram.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

using namespace ring::rt;

namespace ring::bench {

namespace {

constexpr int kTurns = 9;

[[noreturn]] void fail(const std::string &message) {
  std::fprintf(stderr, "machine_bench: %s\n", message.c_str());
  std::exit(3);
}

template <typename T>
T valueOr(Result<T> result) {
  if (!result)
    fail(result.message());
  return std::move(*result);
}

} // namespace

TimedProgram::TimedProgram(const ProgramBuilder &builder)
    : program(valueOr(builder.build())),
      inputs(valueOr(generateInputs(program, 1))) {}

void TimedProgram::run(Backend &backend, bool counts) {
  double taken = valueOr(backend.run(program, inputs, {})).seconds;
  if (counts)
    seconds.push_back(taken);
}

double TimedProgram::median() const {
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  return sorted[sorted.size() / 2];
}

void timeInTurns(std::vector<TimedProgram> &programs) {
  std::unique_ptr<Backend> backend = valueOr(makeBackend("cpu"));
  for (int turn = -1; turn < kTurns; ++turn)
    for (TimedProgram &program : programs)
      program.run(*backend, turn >= 0);
}

double medianSeconds(const ProgramBuilder &builder) {
  std::vector<TimedProgram> one;
  one.emplace_back(builder);
  timeInTurns(one);
  return one.front().median();
}

} // namespace ring::bench
