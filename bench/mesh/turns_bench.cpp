// SPDX-License-Identifier: Apache-2.0
//
// Times programs that compute the same thing in different ways, in one process
// and in turns, so that a slow moment of the machine hits all of them alike.
// Memory is kept from run to run, as a model finds it that has the same
// attention layer after layer. Short programs take more turns than were asked
// for: a run of milliseconds is easily hit as a whole. One line a program: its
// seconds, run by run.

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
  double best = 0; ///< of all runs with warm memory
};

Candidate load(const std::string &path) {
  Result<Program> program = Program::loadFile(path);
  if (!program)
    fail(path + ": " + program.message());
  return {path, std::move(*program), {}, 0};
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
  // Who was never nearer to the fastest than this cannot be mistaken for it.
  constexpr double kFarBehind = 1.4;
  constexpr int kTurnsOfSlow = 1;
  // All turns together take at least so long.
  constexpr double kLeastSeconds = 2;
  int turns = 5;
  std::vector<Candidate> candidates;
  for (int i = 1; i < argc; ++i)
    if (!std::strncmp(argv[i], "--turns=", 8))
      turns = static_cast<int>(std::strtol(argv[i] + 8, nullptr, 10));
    else
      candidates.push_back(load(argv[i]));
  if (candidates.empty() || turns < 1)
    fail("expects --turns=N from 1 on and program files");

  Result<std::unique_ptr<Backend>> backend = makeBackend("cpu");
  Result<std::vector<PortTensors>> inputs =
      generateInputs(candidates.front().program, 1);
  if (!backend || !inputs)
    fail("cannot make inputs for " + candidates.front().path);
  for (Candidate &candidate : candidates) {
    secondsOf(**backend, candidate, *inputs);
    candidate.best = secondsOf(**backend, candidate, *inputs);
  }
  // Every turn begins with another one, so that nobody always comes behind the
  // same.
  double spent = 0;
  for (int turn = 0; turn < turns || spent < kLeastSeconds; ++turn) {
    double fastest = std::min_element(candidates.begin(), candidates.end(),
                                      [](const auto &a, const auto &b) {
                                        return a.best < b.best;
                                      })
                         ->best;
    for (size_t i = 0; i < candidates.size(); ++i) {
      Candidate &candidate =
          candidates[(i + static_cast<size_t>(turn)) % candidates.size()];
      if (turn >= kTurnsOfSlow && candidate.best >= kFarBehind * fastest)
        continue;
      double seconds = secondsOf(**backend, candidate, *inputs);
      candidate.seconds.push_back(seconds);
      candidate.best = std::min(candidate.best, seconds);
      spent += seconds;
    }
  }
  for (const Candidate &candidate : candidates) {
    std::printf("%s", candidate.path.c_str());
    for (double seconds : candidate.seconds)
      std::printf(" %.6f", seconds);
    std::printf("\n");
  }
  return 0;
}
