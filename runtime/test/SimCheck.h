// SPDX-License-Identifier: Apache-2.0
//
// Machines and runs for the tests of the simulator.

#ifndef RING_RUNTIME_TEST_SIMCHECK_H
#define RING_RUNTIME_TEST_SIMCHECK_H

#include "RingPrograms.h"
#include "TestFiles.h"

namespace ring::rt::test {

inline Result<RunResult> simulate(const Program &program,
                                  const std::string &machine,
                                  bool trace = false) {
  RunOptions options;
  options.backend = "sim";
  options.machine = machine;
  options.trace = trace;
  options.threads = 2;
  return run(program, {}, options);
}

inline RunResult predict(const ProgramBuilder &builder,
                         const std::string &machine, bool trace = false) {
  Result<Program> program = builder.build();
  EXPECT_TRUE(program) << program.message();
  Result<RunResult> result = simulate(*program, machine, trace);
  EXPECT_TRUE(result) << result.message();
  return *result;
}

class Sim : public TestFiles {
protected:
  /// The file of a machine of `ranks` chips on one axis, with links of so many
  /// GB/s.
  std::string machineOf(int64_t ranks, double bandwidth = 10,
                        const std::string &topology = "ring") {
    std::ostringstream text;
    text << "[machine]\nname = test\ndescription = a test\n"
            "[chip]\narchitecture = wormhole\ngrid = 8x8\nclock = 1 GHz\n"
            "tile product = 16, 32, 48, 64 cycles\n"
            "product efficiency = 93 %\nexp = 68 cycles\n"
            "tile operation = 44 cycles\nchunk = 1270 cycles\nl1 = 1464 "
            "KiB\ndram = 12 GB\n"
            "dram bandwidth = 267 GB/s\nnoc = 30 B/cycle\n[mesh]\nshape = "
         << ranks << "\ntopology = " << topology << "\n[links]\ncount = 1\n";
    for (const char *key : {"line", "ring"})
      text << key << " packet = 1 ns\n"
           << key << " bandwidth = " << bandwidth << " GB/s\n";
    text << "latency = 800 ns\n";
    std::string path = file("m" + std::to_string(made++) + ".machine");
    std::ofstream(path) << text.str();
    return path;
  }

private:
  int made = 0;
};

} // namespace ring::rt::test

#endif // RING_RUNTIME_TEST_SIMCHECK_H
