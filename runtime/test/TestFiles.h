// SPDX-License-Identifier: Apache-2.0
//
// Files that go away with the test that made them. Their names carry the
// process, since several run the same tests side by side.

#ifndef RING_RUNTIME_TEST_TESTFILES_H
#define RING_RUNTIME_TEST_TESTFILES_H

#include "ring-runtime/ProgramBuilder.h"
#include "gtest/gtest.h"

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace ring::rt::test {

inline std::string contentsOf(const std::string &path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

class TestFiles : public testing::Test {
protected:
  void TearDown() override {
    for (const std::string &path : files)
      std::remove(path.c_str());
  }

  /// The path of a file of this process.
  std::string file(const std::string &name) {
    std::string path =
        testing::TempDir() + "ring-" + std::to_string(getpid()) + "-" + name;
    files.push_back(path);
    return path;
  }

  /// Writes a program; gives its path.
  std::string write(const std::string &name, const ProgramBuilder &builder) {
    std::string path = file(name);
    std::vector<uint8_t> bytes = builder.serialize();
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char *>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    return path;
  }

private:
  std::vector<std::string> files;
};

} // namespace ring::rt::test

#endif // RING_RUNTIME_TEST_TESTFILES_H
