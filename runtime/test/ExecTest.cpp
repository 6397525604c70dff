// SPDX-License-Identifier: Apache-2.0
//
// The ring-exec tool from outside: exit codes, files in and out.

#include "RingPrograms.h"
#include "TestFiles.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <sys/wait.h>

using namespace ring::rt;
using namespace ring::rt::test;

namespace {

class Exec : public TestFiles {
protected:
  /// Runs the tool; gives its exit code and what it wrote.
  int exec(const std::string &arguments) {
    std::string log = file("log");
    std::string command =
        std::string(RING_EXEC) + " " + arguments + " > " + log + " 2>&1";
    int status = std::system(command.c_str());
    said = contentsOf(log);
    return WEXITSTATUS(status);
  }

  std::string said;
};

ProgramBuilder smallRing() {
  RingProgram ring;
  ring.causal = true;
  ring.overlapped = true;
  ring.layout = encode::LayoutKind::Zigzag;
  return ring.build();
}

TEST_F(Exec, ChecksAgainstTheReference) {
  std::string program = write("ring.ring", smallRing());
  EXPECT_EQ(exec(program + " --check --seed 3 --distribution outliers"), 0)
      << said;
  EXPECT_NE(said.find("ok"), std::string::npos) << said;
  // Nothing is exact to 1e-12 in f32.
  EXPECT_EQ(exec(program + " --check --tolerance 1e-12"), 1) << said;
  EXPECT_NE(said.find("WRONG"), std::string::npos) << said;
}

TEST_F(Exec, BadUsageAndBadFiles) {
  EXPECT_EQ(exec(""), 2);
  EXPECT_EQ(exec("nowhere.ring"), 2) << said;
  std::string program = write("ring.ring", smallRing());
  EXPECT_EQ(exec(program + " --frobnicate 1"), 2) << said;
  EXPECT_EQ(exec(program + " --backend quantum"), 2) << said;
  EXPECT_EQ(exec(program + " --input nowhere.npy"), 2) << said;
  EXPECT_EQ(exec(program + " --device-memory lots"), 2) << said;
  EXPECT_EQ(exec("--help"), 0) << said;
}

TEST_F(Exec, RunErrorsSayWhy) {
  std::string program = write("ring.ring", smallRing());
  EXPECT_EQ(exec(program + " --device-memory 10KiB"), 4) << said;
  EXPECT_NE(said.find("the limit is 10240"), std::string::npos) << said;
}

TEST_F(Exec, FilesInAndOut) {
  ProgramBuilder builder("double", {3});
  ValueType type = localTensor(ElementType::F32, {2});
  int32_t x = builder.addInput("x", type);
  builder.addOutput("y", builder.addOne("add", {x, x}, type));
  std::string program = write("double.ring", builder);
  Result<Tensor> numbers = Tensor::fromNumbers(
      ElementType::F32, {3, 2}, std::vector<double>{1, 2, 3, 4, 5, 6});
  std::string in = file("x.npy"), out = file("y.npy");
  std::string stats = file("stats.json"), trace = file("trace.json");
  ASSERT_TRUE(writeNpy(in, *numbers));
  ASSERT_EQ(exec(program + " --input " + in + " --output " + out +
                 " --stats=" + stats + " --trace=" + trace),
            0)
      << said;
  Result<Tensor> result = readNpy(out, ElementType::F32);
  ASSERT_TRUE(result) << result.message();
  EXPECT_EQ(result->numbers(), (std::vector<double>{2, 4, 6, 8, 10, 12}));
  for (const std::string &path : {stats, trace}) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    EXPECT_NE(text.str().find("\"add\""), std::string::npos) << text.str();
  }
  EXPECT_EQ(exec(program + " --dump"), 0);
  EXPECT_NE(said.find("%1 = add %0, %0 : tensor<2xf32>"), std::string::npos)
      << said;
}

} // namespace
