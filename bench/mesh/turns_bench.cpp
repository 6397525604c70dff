// SPDX-License-Identifier: Apache-2.0
//
// Times programs that compute the same thing in different ways, in one process
// and in turns, so that a slow moment of the machine hits all of them alike.
// Memory is kept from run to run, as a model finds it that has the same
// attention layer after layer. One line a program: its seconds, run by run.

#include "ring-runtime/Runtime.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

using namespace ring::rt;

namespace {

[[noreturn]] void fail(const std::string &message) {
  std::fprintf(stderr, "turns_bench: %s\n", message.c_str());
  std::exit(1);
}

/// One program and what was measured.
struct Candidate {
  std::string path;
  Program program;
  std::vector<double> seconds;
};

Candidate load(const std::string &path) {
  Result<Program> program = Program::loadFile(path);
  if (!program)
    fail(path + ": " + program.message());
  return {path, std::move(*program), {}};
}

double secondsOf(Backend &backend, const Candidate &candidate,
                 const std::vector<PortTensors> &inputs) {
  Result<RunResult> result = backend.run(candidate.program, inputs, {});
  if (!result)
    fail(candidate.path + ": " + result.message());
  return result->seconds;
}

} // namespace

int main(int argc, char **argv) {
  // Who is so much slower than the fastest cannot be mistaken for it.
  constexpr double kFarBehind = 1.4;
  constexpr int kTurnsOfSlow = 1;
  int turns = 5;
  std::vector<Candidate> candidates;
  for (int i = 1; i < argc; ++i)
    if (!std::strncmp(argv[i], "--turns=", 8))
      turns = std::atoi(argv[i] + 8);
    else
      candidates.push_back(load(argv[i]));
  if (candidates.empty() || turns < 1)
    fail("expects --turns=N from 1 on and program files");

  Result<std::unique_ptr<Backend>> backend = makeBackend("cpu");
  Result<std::vector<PortTensors>> inputs =
      generateInputs(candidates.front().program, 1);
  if (!backend || !inputs)
    fail("cannot make inputs for " + candidates.front().path);
  std::vector<double> warm;
  for (const Candidate &candidate : candidates) {
    secondsOf(**backend, candidate, *inputs);
    warm.push_back(secondsOf(**backend, candidate, *inputs));
  }
  double fastest = *std::min_element(warm.begin(), warm.end());
  // Every turn begins with another one, so that nobody always comes behind the
  // same.
  for (int turn = 0; turn < turns; ++turn)
    for (size_t i = 0; i < candidates.size(); ++i) {
      size_t which = (i + static_cast<size_t>(turn)) % candidates.size();
      if (turn < kTurnsOfSlow || warm[which] < kFarBehind * fastest)
        candidates[which].seconds.push_back(
            secondsOf(**backend, candidates[which], *inputs));
    }
  for (const Candidate &candidate : candidates) {
    std::printf("%s", candidate.path.c_str());
    for (double seconds : candidate.seconds)
      std::printf(" %.6f", seconds);
    std::printf("\n");
  }
  return 0;
}
