// SPDX-License-Identifier: Apache-2.0
//
// The mesh itself: memory limits, statistics, repeatability, and what happens
// when nothing can go on.

#include "RingPrograms.h"

#include "Memory/Storage.h"
#include "Mesh/StreamScheduler.h"

#include <cstring>

using namespace ring::rt;
using namespace ring::rt::test;

namespace {

RingProgram bigRing() {
  RingProgram ring;
  ring.ranks = 8;
  ring.sequence = ring.length = 1024;
  ring.layout = encode::LayoutKind::Zigzag;
  ring.causal = true;
  ring.overlapped = true;
  return ring;
}

TEST(Mesh, SameBitsWhateverTheThreads) {
  Result<Program> program = bigRing().build().build();
  ASSERT_TRUE(program) << program.message();
  auto inputs = generateInputs(*program, 3);
  std::vector<double> first;
  for (int threads : {1, 2, 2, 3, 5, 8, 8}) {
    RunOptions options;
    options.threads = threads;
    Result<RunResult> result = run(*program, *inputs, options);
    ASSERT_TRUE(result) << result.message();
    std::vector<double> numbers = flat(result->outputs[0]);
    if (first.empty())
      first = numbers;
    ASSERT_EQ(std::memcmp(first.data(), numbers.data(),
                          first.size() * sizeof(double)),
              0)
        << threads << " threads";
  }
}

TEST(Mesh, MemoryLimitNamesTheValue) {
  ProgramBuilder builder("big", {2});
  ValueType type = localTensor(ElementType::F32, {256, 256});
  int32_t x = builder.addInput("x", type);
  int32_t y = builder.addOne("exp", {x}, type);
  int32_t z = builder.addOne("add", {x, y}, type);
  builder.addOutput("z", z);
  Result<Program> program = builder.build();
  ASSERT_TRUE(program) << program.message();
  auto inputs = generateInputs(*program, 1);
  constexpr int64_t kTensor = 256 * 256 * 4;
  RunOptions options;
  options.deviceMemory = 3 * kTensor;
  Result<RunResult> fits = run(*program, *inputs, options);
  ASSERT_TRUE(fits) << fits.message();
  EXPECT_EQ(fits->devices[0].peakBytes, 3 * kTensor);
  options.deviceMemory = 3 * kTensor - 1;
  Result<RunResult> tooBig = run(*program, *inputs, options);
  ASSERT_FALSE(tooBig);
  EXPECT_NE(tooBig.message().find("value %2 tensor<256x256xf32> takes 262144 "
                                  "bytes, 524288 are in use and the limit is "
                                  "786431"),
            std::string::npos)
      << tooBig.message();
  const MemoryShortage *shortage = tooBig.status().shortage();
  ASSERT_NE(shortage, nullptr);
  EXPECT_EQ(shortage->what, "value %2 tensor<256x256xf32>");
  EXPECT_EQ(shortage->bytes, kTensor);
  EXPECT_EQ(shortage->inUse, 2 * kTensor);
  EXPECT_EQ(shortage->limit, 3 * kTensor - 1);
}

TEST(Mesh, ValuesAreFreedAfterTheirLastUse) {
  ProgramBuilder builder("chain", {1});
  ValueType type = localTensor(ElementType::F32, {1000});
  int32_t x = builder.addInput("x", type);
  for (int i = 0; i < 20; ++i)
    x = builder.addOne("neg", {x}, type);
  builder.addOutput("x", x);
  Result<Program> program = builder.build();
  ASSERT_TRUE(program) << program.message();
  Result<RunResult> result = run(*program, *generateInputs(*program, 1));
  ASSERT_TRUE(result) << result.message();
  EXPECT_EQ(result->devices[0].peakBytes, 2 * 4000);
}

TEST(Mesh, RingTrafficAndMemoryPerDevice) {
  RingProgram ring = bigRing();
  Result<Program> program = ring.build().build();
  ASSERT_TRUE(program) << program.message();
  Result<RunResult> result = run(*program, *generateInputs(*program, 1));
  ASSERT_TRUE(result) << result.message();
  int64_t keys = ring.keyHeads * ring.length / ring.ranks * ring.dim * 4;
  int64_t queries = ring.heads * ring.length / ring.ranks * ring.dim * 4;
  int64_t columns = ring.heads * ring.length / ring.ranks * 4;
  double flops = 0;
  for (const DeviceStatistics &device : result->devices) {
    // K and V go on seven times.
    EXPECT_EQ(device.bytesReceived, 7 * 2 * keys);
    EXPECT_EQ(device.bytesSent, 7 * 2 * keys);
    // Zigzag: every device computes the same.
    EXPECT_EQ(device.flops, result->devices[0].flops);
    flops += device.flops;
    // Own K and V, two pairs of buffers, q, and the state, or, at the end, the
    // state with output and lse.
    EXPECT_LE(device.peakBytes, 6 * keys + 3 * queries + 3 * columns);
  }
  double pairs = 0.5 * 1024 * 1025;
  EXPECT_DOUBLE_EQ(flops, pairs * 4.0 * ring.heads * ring.dim);
}

/// A stream that waits for something nobody brings.
class Stuck final : public Stream {
public:
  explicit Stuck(std::string what) : what(std::move(what)) {}
  Outcome advance() override { return Outcome::Blocked; }
  Status failure() const override { return Status::success(); }
  std::string waitingFor() const override { return what; }

private:
  std::string what;
};

TEST(Mesh, PackedKeysServeOneScale) {
  StorageRef keys = Storage::allocate(64), values = Storage::allocate(64);
  Storage::PackedKey key;
  key.value = values.get();
  key.shape = {1, 1, 1, 4, 4, 4, 4};
  key.scale = 1;
  int packings = 0;
  bool works = false;
  const auto ask = [&] {
    return keys->packed(
        key, values, [] { return false; }, [] { return allocateBytes(64); },
        [&](uint8_t *) {
          ++packings;
          return works;
        });
  };
  EXPECT_EQ(ask(), nullptr) << "what was not packed whole is not kept";
  works = true;
  packings = 0;
  EXPECT_EQ(ask(), ask());
  EXPECT_EQ(packings, 1);
  key.scale = 2;
  ask();
  EXPECT_EQ(packings, 2) << "they are packed times the scale";
}

TEST(Mesh, PackedQueriesStayUntilTheyAreForgotten) {
  StorageRef queries = Storage::allocate(64);
  Storage::QueryKey key;
  key.shape = {1, 1, 1, 4, 4, 4, 4};
  int packings = 0;
  const auto ask = [&] {
    return queries->packedQuery(
        key, [] { return false; }, [] { return allocateBytes(64); },
        [&](uint8_t *) { return ++packings > 0; });
  };
  EXPECT_FALSE(ask()) << "one use gains nothing";
  std::weak_ptr<uint8_t> packed = ask();
  EXPECT_EQ(ask(), packed.lock());
  EXPECT_EQ(packings, 1);
  queries->forgetPackedQuery();
  EXPECT_TRUE(packed.expired());
  EXPECT_FALSE(ask());
  key.type = kernels::ElementType::BF16;
  EXPECT_FALSE(ask()) << "a type of its own is packed anew";
}

TEST(Mesh, StandstillIsReported) {
  for (int threads : {1, 2, 4}) {
    StreamScheduler scheduler(threads);
    Stuck a("device 0 waits for device 1"), b("device 1 waits for device 0");
    Status status = scheduler.run({&a, &b});
    ASSERT_FALSE(status);
    EXPECT_EQ(status.message(), "nothing can go on:\n"
                                "  device 0 waits for device 1\n"
                                "  device 1 waits for device 0");
  }
}

TEST(Mesh, ManyDevicesOnOneThread) {
  ProgramBuilder builder("many", {256});
  ValueType type = localTensor(ElementType::I32, {1});
  int32_t x = builder.addInput("x", type, 100);
  builder.addOutput("sum", builder.addOne("all_reduce", {x}, type,
                                          {{"reduce", std::string("sum")},
                                           {"axis", int64_t(0)}}));
  RunOptions options;
  options.threads = 1;
  expectAgrees(builder, 1, options);
}

TEST(Mesh, TraceAndProgress) {
  Result<Program> program = bigRing().build().build();
  ASSERT_TRUE(program);
  RunOptions options;
  options.trace = true;
  int64_t last = 0, all = 0;
  options.progress = [&](int64_t done, int64_t count) {
    last = done;
    all = count;
  };
  Result<RunResult> result =
      run(*program, *generateInputs(*program, 1), options);
  ASSERT_TRUE(result) << result.message();
  EXPECT_GT(all, 0);
  EXPECT_EQ(last, all);
  int64_t accumulates = 0;
  for (const TraceEvent &event : result->trace) {
    EXPECT_LE(event.begin, event.end);
    accumulates +=
        program->instructions()[event.instruction].op == "ring.accumulate";
  }
  EXPECT_EQ(accumulates, 8 * 8);
}

// What the report draws adds up to what the statistics say.
TEST(Mesh, TraceHasMemoryAndTraffic) {
  Result<Program> program = bigRing().build().build();
  ASSERT_TRUE(program);
  RunOptions options;
  options.trace = true;
  Result<RunResult> result =
      run(*program, *generateInputs(*program, 1), options);
  ASSERT_TRUE(result) << result.message();
  std::vector<int64_t> peak(result->devices.size() + 1, 0);
  for (const TraceEvent &event : result->trace)
    peak[event.device] = std::max(peak[event.device], event.heldBytes);
  std::vector<int64_t> sent(result->devices.size(), 0);
  for (const LinkLoad &link : result->links) {
    EXPECT_NE(link.source, link.target);
    EXPECT_LT(link.busySeconds, 0);
    sent[link.source] += link.bytes;
  }
  for (size_t i = 0; i < result->devices.size(); ++i) {
    EXPECT_EQ(peak[i], result->devices[i].peakBytes);
    EXPECT_GT(sent[i], 0);
    EXPECT_EQ(sent[i], result->devices[i].bytesSent);
  }
}

} // namespace
