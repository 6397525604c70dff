// SPDX-License-Identifier: Apache-2.0
// Runs a program with the runtime's interface for C++.

#include "ring-runtime/Runtime.h"

#include <cstdio>

int main(int, char **arguments) {
  auto program = ring::rt::Program::loadFile(arguments[1]);
  if (!program)
    return std::puts(program.message().c_str()), 1;
  auto inputs = ring::rt::generateInputs(*program, /*seed=*/1);
  auto result = ring::rt::run(*program, *inputs);
  if (!result)
    return std::puts(result.message().c_str()), 1;
  std::printf("in C++: devices %zu, sent %lld bytes\n", result->devices.size(),
              static_cast<long long>(result->devices[0].bytesSent));
  return 0;
}
