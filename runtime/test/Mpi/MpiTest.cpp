// SPDX-License-Identifier: Apache-2.0
//
// Programs over several ranks from outside, through mpirun and ring-exec: the
// same bytes as on the CPU backend, and an error, never a hang, where a rank
// fails.

#include "../RingPrograms.h"
#include "../TestFiles.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace ring::rt;
using namespace ring::rt::test;

namespace {

/// Ranks that mpirun starts.
class Mpi : public TestFiles {
protected:
  void SetUp() override {
    if (std::string(RING_MPIRUN).empty())
      GTEST_SKIP() << "there is no mpirun";
  }

  /// mpirun with what it needs as root, and with more ranks than cores. Ranks
  /// are not to run longer than a test may take, whatever happens. Under
  /// AddressSanitizer, leaks are not searched for: Open MPI has many of its
  /// own.
  static std::string mpirun(const std::string &arguments) {
    return "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
           "ASAN_OPTIONS=detect_leaks=0 "
           "timeout -k 5 60 " RING_MPIRUN " --oversubscribe " +
           arguments;
  }
  static std::string ranks(int count, const std::string &arguments) {
    return "-n " + std::to_string(count) + " " RING_EXEC " " + arguments;
  }

  /// Runs a command; gives its exit code, what it said and how long it took.
  int execute(const std::string &command) {
    std::string log = file("log");
    auto begin = std::chrono::steady_clock::now();
    int status = std::system(("(" + command + ") > " + log + " 2>&1").c_str());
    seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
            .count();
    said = contentsOf(log);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  /// Runs a program on the CPU and on so many ranks; every output must be the
  /// same, byte for byte.
  void expectSameBytes(const ProgramBuilder &builder,
                       std::initializer_list<int> counts) {
    std::string program = write("program.ring", builder);
    Result<Program> loaded = Program::loadFile(program);
    ASSERT_TRUE(loaded) << loaded.message();
    size_t outputs = loaded->outputs().size();
    auto arguments = [&](const std::string &backend) {
      std::string text = program + " --seed 5 --backend " + backend;
      for (size_t i = 0; i < outputs; ++i)
        text += " --output " + file(backend + std::to_string(i));
      return text;
    };
    ASSERT_EQ(execute(RING_EXEC " " + arguments("cpu")), 0) << said;
    for (int count : counts) {
      ASSERT_EQ(execute(mpirun(ranks(count, arguments("mpi")))), 0)
          << count << " ranks: " << said;
      for (size_t i = 0; i < outputs; ++i) {
        std::string found = file("mpi" + std::to_string(i));
        std::string bytes = contentsOf(found);
        EXPECT_FALSE(bytes.empty());
        EXPECT_TRUE(bytes == contentsOf(file("cpu" + std::to_string(i))))
            << count << " ranks, output " << i;
        std::remove(found.c_str());
      }
    }
  }

  std::string said;
  double seconds = 0;
};

/// Long enough for a rank to be killed in the middle.
/// A run of two kernels, each of half a minute and more.
ProgramBuilder longRun() {
  RingProgram ring;
  ring.ranks = 2;
  ring.heads = 2;
  ring.sequence = ring.length = 393216;
  ring.dim = 16;
  return ring.build();
}

ProgramBuilder smallRing() {
  RingProgram ring;
  ring.causal = true;
  ring.overlapped = true;
  ring.layout = encode::LayoutKind::Zigzag;
  return ring.build();
}

TEST_F(Mpi, OverlappedRingGivesTheSameBytes) {
  expectSameBytes(smallRing(), {1, 2, 3, 4});
}

TEST_F(Mpi, MergedPartsInBf16GiveTheSameBytes) {
  RingProgram ring;
  ring.ranks = 5;
  ring.sequence = 300;
  ring.length = 320;
  ring.carried = false;
  ring.layout = encode::LayoutKind::Striped;
  ring.element = ElementType::BF16;
  expectSameBytes(ring.build(), {2, 3});
}

TEST_F(Mpi, MessagesBeyondTheEagerLimit) {
  RingProgram ring;
  ring.ranks = 3;
  ring.sequence = ring.length = 3 * 1024;
  ring.dim = 64;
  ring.overlapped = true;
  expectSameBytes(ring.build(), {3});
}

TEST_F(Mpi, CollectivesAndLocalPorts) {
  ProgramBuilder builder("collectives", {2, 3});
  ValueType type = localTensor(ElementType::F32, {6, 4});
  int32_t x = builder.addInput("x", type);
  for (int64_t axis : {0, 1}) {
    int64_t size = axis ? 3 : 2;
    builder.addOutput(
        "gather", builder.addOne("all_gather", {x},
                                 localTensor(ElementType::F32, {6, 4 * size}),
                                 {{"dim", int64_t(1)}, {"axis", axis}}));
    builder.addOutput("reduce", builder.addOne("all_reduce", {x}, type,
                                               {{"reduce", std::string("sum")},
                                                {"axis", axis}}));
    builder.addOutput(
        "scatter", builder.addOne("reduce_scatter", {x},
                                  localTensor(ElementType::F32, {6 / size, 4}),
                                  {{"reduce", std::string("mean")},
                                   {"dim", int64_t(0)},
                                   {"axis", axis}}));
  }
  // Devices 2 and 5 are no targets and read nobody.
  builder.addOutput(
      "permute", builder.addOne("collective_permute", {x}, type,
                                {{"pairs", std::vector<int64_t>{0, 4, 5, 0, 1,
                                                                3, 3, 1}}}));
  builder.addOutput("point",
                    builder.addOne("point_to_point", {x, x}, type,
                                   {{"sender", std::vector<int64_t>{0, 1}},
                                    {"receiver", std::vector<int64_t>{1, 2}}}));
  expectSameBytes(builder, {1, 2, 4});
}

TEST_F(Mpi, WhatTheHostComputesIsSharded) {
  ProgramBuilder builder("shard", {2, 2});
  ValueType whole = wholeTensor(ElementType::BFP8B, {1, 6, 11, 32});
  ValueType shard = localTensor(ElementType::BFP8B, {1, 3, 6, 32});
  Attributes sharding;
  encode::sharding(sharding, {-1, 1, 0, -1}, 2,
                   {encode::LayoutKind::Striped, 12, 2, 0});
  int32_t x = builder.addInput("x", whole);
  int32_t y = builder.addOne("exp", {x}, whole);
  int32_t local = builder.addOne("ring.shard", {y}, shard, sharding);
  local = builder.addOne("add", {local, local}, shard);
  int32_t back = builder.addOne("ring.unshard", {local}, whole, sharding);
  // And out again, so that a rank both gives and gets.
  builder.addOutput("local",
                    builder.addOne("ring.shard", {back}, shard, sharding));
  builder.addOutput("back", back);
  expectSameBytes(builder, {2, 3});
}

TEST_F(Mpi, MoreRanksThanDevices) {
  RingProgram ring;
  ring.ranks = 2;
  expectSameBytes(ring.build(), {4});
}

TEST_F(Mpi, RankZeroChecksAndReports) {
  std::string program = write("ring.ring", smallRing());
  std::string stats = file("stats.json"), cpuStats = file("cpu-stats.json");
  std::string trace = file("trace.json");
  ASSERT_EQ(
      execute(mpirun(ranks(2, program + " --backend mpi --check --stats " +
                                  stats + " --trace " + trace))),
      0)
      << said;
  size_t first = said.find("  ring whole tensor<");
  EXPECT_NE(first, std::string::npos) << said;
  EXPECT_EQ(said.find("  ring whole tensor<", first + 1), std::string::npos)
      << "one rank prints: " << said;
  ASSERT_EQ(execute(RING_EXEC " " + program + " --stats " + cpuStats), 0);
  // Traffic and memory are the program's, whoever runs it.
  auto figures = [](const std::string &text, const std::string &name) {
    std::vector<std::string> found;
    std::string key = "\"" + name + "\": ";
    for (size_t at = text.find(key); at != std::string::npos;
         at = text.find(key, at + 1)) {
      size_t begin = at + key.size();
      found.push_back(text.substr(
          begin, text.find_first_not_of("0123456789", begin) - begin));
    }
    return found;
  };
  std::string found = contentsOf(stats), expected = contentsOf(cpuStats);
  for (const char *name : {"bytes_sent", "bytes_received", "peak_bytes"}) {
    EXPECT_EQ(figures(expected, name).size(), 5u) << expected;
    EXPECT_EQ(figures(found, name), figures(expected, name)) << name;
  }
  EXPECT_NE(contentsOf(trace).find("\"tid\": 3"), std::string::npos);
}

TEST_F(Mpi, DifferentProgramsAreAnError) {
  std::string one = write("one.ring", smallRing());
  RingProgram other;
  std::string two = write("two.ring", other.build());
  EXPECT_NE(execute(mpirun(ranks(1, one + " --backend mpi") + " : " +
                           ranks(1, two + " --backend mpi"))),
            0);
  EXPECT_NE(said.find("expects the same program on all ranks, but got another "
                      "than rank 0's on rank 1"),
            std::string::npos)
      << said;
  EXPECT_LT(seconds, 10);
}

TEST_F(Mpi, DifferentOptionsAndInputsAreAnError) {
  std::string program = write("ring.ring", smallRing()) + " --backend mpi";
  EXPECT_NE(execute(mpirun(ranks(1, program) + " : " +
                           ranks(2, program + " --device-memory 1GiB"))),
            0);
  EXPECT_NE(said.find("expects the same device memory limit on all ranks, but "
                      "got another than rank 0's on rank 1, 2"),
            std::string::npos)
      << said;
  EXPECT_NE(execute(mpirun(ranks(2, program) + " : " +
                           ranks(1, program + " --seed 9"))),
            0);
  EXPECT_NE(said.find("expects the same inputs on all ranks, but got another "
                      "than rank 0's on rank 2"),
            std::string::npos)
      << said;
}

TEST_F(Mpi, ARankWithoutItsProgramEndsAll) {
  std::string program = write("ring.ring", smallRing());
  EXPECT_NE(execute(mpirun(ranks(1, program + " --backend mpi") + " : " +
                           ranks(1, "nowhere.ring --backend mpi"))),
            0);
  EXPECT_NE(said.find("nowhere.ring"), std::string::npos) << said;
  EXPECT_LT(seconds, 10);
}

TEST_F(Mpi, ARankWithoutItsInputsEndsAll) {
  std::string program = write("ring.ring", smallRing()) + " --backend mpi";
  EXPECT_EQ(execute(mpirun(ranks(1, program) + " : " +
                           ranks(1, program + " --input nowhere.npy"))),
            2)
      << said;
  EXPECT_NE(said.find("nowhere.npy"), std::string::npos) << said;
  EXPECT_LT(seconds, 10);
}

TEST_F(Mpi, MemoryLimitEndsAllRanks) {
  std::string program = write("ring.ring", smallRing());
  EXPECT_EQ(execute(mpirun(
                ranks(2, program + " --backend mpi --device-memory 10KiB"))),
            4)
      << said;
  EXPECT_NE(said.find("the limit is 10240"), std::string::npos) << said;
  EXPECT_NE(said.find("rank "), std::string::npos) << said;
  EXPECT_LT(seconds, 10);
}

TEST_F(Mpi, ARankThatFailsAloneEndsTheOthers) {
  // Device 1, on rank 1, looks rows up that are not there; rank 0 waits for it.
  ProgramBuilder builder("lookup", {2});
  ValueType rows = localTensor(ElementType::F32, {3, 4});
  int32_t indices =
      builder.addInput("indices", localTensor(ElementType::I32, {3}));
  int32_t table =
      builder.addInput("table", localTensor(ElementType::F32, {8, 4}));
  int32_t found = builder.addOne("embedding", {indices, table}, rows);
  builder.addOutput("y",
                    builder.addOne("ring.shift", {found}, rows,
                                   {{"by", int64_t(1)}, {"axis", int64_t(0)}}));
  std::string program = write("lookup.ring", builder);
  std::string numbers = file("indices.npy");
  Result<Tensor> bad = Tensor::fromNumbers(
      ElementType::I32, {2, 3}, std::vector<double>{0, 1, 2, 3, 99, 4});
  ASSERT_TRUE(writeNpy(numbers, *bad));
  EXPECT_EQ(
      execute(mpirun(ranks(2, program + " --backend mpi --input " + numbers))),
      3)
      << said;
  EXPECT_NE(said.find("rank 1: device 1, instruction 0 'embedding'"),
            std::string::npos)
      << said;
  EXPECT_LT(seconds, 10);
}

/// A long run on two ranks, of which one gets a signal while it computes.
class MpiSignal : public Mpi {
protected:
  /// Gives the seconds from the signal to the end of the run.
  double send(int signal) {
    std::string program = write("long.ring", longRun());
    std::string number = file("pid"), log = file("signal-log");
    // Rank 1 is a shell that says its number and becomes ring-exec.
    std::string victim = "-n 1 sh -c 'echo $$ > " + number + ".new; mv " +
                         number + ".new " + number + "; exec " RING_EXEC " " +
                         program + " --backend mpi --threads 1'";
    std::string command =
        "(" +
        mpirun(ranks(1, program + " --backend mpi --threads 1") + " : " +
               victim) +
        ") > " + log + " 2>&1";
    std::thread job([&] { status = std::system(command.c_str()); });
    auto begin = std::chrono::steady_clock::now();
    auto passed = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                           begin)
          .count();
    };
    pid_t rank = 0;
    while (rank == 0 && passed() < 20) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      std::ifstream(number) >> rank;
    }
    // It joins and begins to compute; the whole takes many times as long.
    std::this_thread::sleep_for(std::chrono::seconds(4));
    bool alive = rank > 0 && kill(rank, signal) == 0;
    begin = std::chrono::steady_clock::now();
    job.join();
    said = contentsOf(log);
    EXPECT_TRUE(alive) << "the run was over too soon: " << said;
    return passed();
  }

  int status = 0;
};

TEST_F(MpiSignal, AKilledRankEndsTheOthers) {
  EXPECT_LT(send(SIGKILL), 10);
  EXPECT_NE(WEXITSTATUS(status), 0);
  EXPECT_NE(said.find("signal 9"), std::string::npos) << said;
}

TEST_F(MpiSignal, AStoppedRankEndsTheOthers) {
  EXPECT_LT(send(SIGSTOP), 25);
  EXPECT_NE(WEXITSTATUS(status), 0);
  EXPECT_NE(said.find("rank 1 has not been heard of for 10 s"),
            std::string::npos)
      << said;
}

} // namespace
