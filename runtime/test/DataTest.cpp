// SPDX-License-Identifier: Apache-2.0
//
// NumPy files, generated inputs and the C interface.

#include "ProgramCheck.h"
#include "ring-runtime/ring_runtime.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <unistd.h>

using namespace ring::rt;
using namespace ring::rt::test;

namespace {

std::string scratchFile(const char *name) {
  return testing::TempDir() + std::to_string(getpid()) + "-" + name;
}

TEST(Data, NpyRoundTrip) {
  std::string path = scratchFile("ring-npy-test.npy");
  for (ElementType element :
       {ElementType::F32, ElementType::BF16, ElementType::BFP8B,
        ElementType::I32, ElementType::I64, ElementType::U8, ElementType::U32,
        ElementType::Bool}) {
    SCOPED_TRACE(nameOf(element));
    Result<Tensor> tensor =
        generate(element, {3, 2, 5}, 1, 2, Distribution::Normal, 100);
    ASSERT_TRUE(tensor);
    Status status = writeNpy(path, *tensor);
    ASSERT_TRUE(status) << status.message();
    Result<Tensor> back = readNpy(path, element);
    ASSERT_TRUE(back) << back.message();
    EXPECT_EQ(back->shape(), tensor->shape());
    EXPECT_EQ(back->numbers(), tensor->numbers());
  }
  std::remove(path.c_str());
}

TEST(Data, NpyRefusesTruncation) {
  std::string path = scratchFile("ring-npy-cut.npy");
  Result<Tensor> tensor = Tensor::zeros(ElementType::F32, {16});
  ASSERT_TRUE(writeNpy(path, *tensor));
  std::FILE *file = std::fopen(path.c_str(), "rb");
  std::vector<char> bytes(4096);
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file));
  std::fclose(file);
  for (size_t size : {size_t(0), size_t(7), size_t(40), bytes.size() - 1}) {
    file = std::fopen(path.c_str(), "wb");
    std::fwrite(bytes.data(), 1, size, file);
    std::fclose(file);
    EXPECT_FALSE(readNpy(path, ElementType::F32)) << size;
  }
  std::remove(path.c_str());
}

/// A NumPy file of version 1 with that header and those bytes.
std::string writeNpyBytes(const std::string &header,
                          const std::vector<uint8_t> &bytes) {
  std::string path = scratchFile("ring-npy-bytes.npy");
  std::FILE *file = std::fopen(path.c_str(), "wb");
  std::fwrite("\x93NUMPY\x01\x00", 1, 8, file);
  const uint8_t size[] = {static_cast<uint8_t>(header.size()), 0};
  std::fwrite(size, 1, 2, file);
  std::fwrite(header.data(), 1, header.size(), file);
  std::fwrite(bytes.data(), 1, bytes.size(), file);
  std::fclose(file);
  return path;
}

TEST(Data, NpyReadsHalves) {
  // 1, -2, 2^-24 (subnormal), 2^-14 (the smallest normal one), 65504 (the
  // largest), 1 + 2^-10, infinity and -0.
  std::string path = writeNpyBytes(
      "{'descr': '<f2', 'fortran_order': False, 'shape': (8,), }\n",
      {0x00, 0x3C, 0x00, 0xC0, 0x01, 0x00, 0x00, 0x04, 0xFF, 0x7B, 0x01, 0x3C,
       0x00, 0x7C, 0x00, 0x80});
  Result<Tensor> halves = readNpy(path, ElementType::F32);
  ASSERT_TRUE(halves) << halves.message();
  std::vector<double> expected = {1,     -2,          0x1p-24,  0x1p-14,
                                  65504, 1 + 0x1p-10, INFINITY, 0};
  EXPECT_EQ(halves->numbers(), expected);
  EXPECT_TRUE(std::signbit(halves->numbers().back()));
  path = writeNpyBytes(
      "{'descr': '<f2', 'fortran_order': False, 'shape': (1,), }\n",
      {0x01, 0x7E});
  Result<Tensor> nan = readNpy(path, ElementType::F32);
  ASSERT_TRUE(nan) << nan.message();
  EXPECT_TRUE(std::isnan(nan->numbers()[0]));
  std::remove(path.c_str());
}

TEST(Data, NpyReadsFortranOrder) {
  // Number i of the file is element (i % 2, i / 2 % 3, i / 6).
  std::vector<uint8_t> bytes(12);
  for (uint8_t i = 0; i < 12; ++i)
    bytes[i] = i;
  std::string path = writeNpyBytes(
      "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3, 2), }\n", bytes);
  Result<Tensor> tensor = readNpy(path, ElementType::U8);
  ASSERT_TRUE(tensor) << tensor.message();
  EXPECT_EQ(tensor->shape(), (Shape{2, 3, 2}));
  std::vector<double> expected;
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 3; ++b)
      for (int c = 0; c < 2; ++c)
        expected.push_back(a + 2 * b + 6 * c);
  EXPECT_EQ(tensor->numbers(), expected);
  std::remove(path.c_str());
}

TEST(Data, NpyRefusesOtherTypes) {
  const std::pair<const char *, const char *> cases[] = {
      {"'>f4'", "expects little-endian numbers of f2, f4, "},
      {"'<c8'", "u4 or b1, but got <c8"},
      {"'|S3'", "u4 or b1, but got |S3"},
      {"[('a', '<f4')]", "expects numbers of one type, but got records"}};
  for (auto [type, message] : cases) {
    std::string path =
        writeNpyBytes(std::string("{'descr': ") + type +
                          ", 'fortran_order': False, 'shape': (1,), }\n",
                      {0, 0, 0, 0, 0, 0, 0, 0});
    Result<Tensor> tensor = readNpy(path, ElementType::F32);
    ASSERT_FALSE(tensor) << type;
    EXPECT_NE(tensor.message().find(message), std::string::npos)
        << tensor.message();
    std::remove(path.c_str());
  }
}

TEST(Data, GeneratedNumbersHaveTheirDistribution) {
  for (Distribution distribution :
       {Distribution::Normal, Distribution::Outliers}) {
    Result<Tensor> tensor =
        generate(ElementType::F32, {200000}, 3, 0, distribution, 0);
    double mean = 0, square = 0, largest = 0;
    for (double number : tensor->numbers()) {
      mean += number / 200000;
      square += number * number / 200000;
      largest = std::fmax(largest, std::fabs(number));
    }
    bool outliers = distribution == Distribution::Outliers;
    EXPECT_NEAR(mean, 0, 0.01);
    // One in a thousand adds a variance of 100.
    EXPECT_NEAR(square, outliers ? 1.1 : 1.0, 0.02);
    EXPECT_EQ(largest > 10, outliers);
  }
}

TEST(Data, GeneratedNumbersDependOnSeedAndStream) {
  auto numbers = [](uint64_t seed, uint64_t stream) {
    return generate(ElementType::F32, {64}, seed, stream, Distribution::Normal,
                    0)
        ->numbers();
  };
  EXPECT_EQ(numbers(1, 2), numbers(1, 2));
  EXPECT_NE(numbers(1, 2), numbers(1, 3));
  EXPECT_NE(numbers(1, 2), numbers(2, 2));
}

TEST(Data, GeneratedIntegersAreWhatTheyMean) {
  ProgramBuilder builder("integers", {1});
  auto integers = [&](const char *name, Shape shape) {
    return builder.addInput(name,
                            localTensor(ElementType::I32, std::move(shape)));
  };
  auto floats = [](Shape shape) {
    return localTensor(ElementType::F32, std::move(shape));
  };
  int32_t q = builder.addInput("q", floats({1, 3, 4, 8}));
  int32_t pages = builder.addInput("pages", floats({40, 2, 8, 8}));
  int32_t cache = builder.addInput("cache", floats({3, 2, 50, 8}));
  int32_t words = builder.addInput("words", floats({1, 1, 70, 8}));
  int32_t table = integers("table", {2, 3, 6});
  int32_t position = integers("position", {3});
  int32_t tokens = integers("tokens", {500});
  int32_t start = integers("start", {1});
  integers("unused", {100});
  // A table that is looked into after it was moved about.
  int32_t moved = builder.addOne("reshape", {table},
                                 localTensor(ElementType::I32, {6, 6}), {});
  int32_t half =
      builder.addOne("slice", {moved}, localTensor(ElementType::I32, {3, 6}),
                     {{"begins", std::vector<int64_t>{0, 0}},
                      {"ends", std::vector<int64_t>{3, 6}},
                      {"steps", std::vector<int64_t>{1, 1}}});
  builder.addOutput("paged",
                    builder.addOne("paged_sdpa_decode",
                                   {q, pages, pages, half, kAbsent, position},
                                   floats({1, 3, 4, 8})));
  builder.addOutput("decode",
                    builder.addOne("sdpa_decode",
                                   {q, cache, cache, kAbsent, position},
                                   floats({1, 3, 4, 8})));
  builder.addOutput("embedding", builder.addOne("embedding", {tokens, words},
                                                floats({500, 8})));
  int32_t chunk = builder.addInput("chunk", floats({3, 4, 20, 8}));
  builder.addOutput("chunked",
                    builder.addOne("chunked_sdpa",
                                   {chunk, pages, pages, half, start},
                                   floats({3, 4, 20, 8})));
  Result<Program> program = builder.build();
  ASSERT_TRUE(program) << program.message();
  std::set<double> starts;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    Result<std::vector<PortTensors>> inputs = generateInputs(*program, seed);
    ASSERT_TRUE(inputs) << inputs.message();
    auto numbersOf = [&](size_t port) { return (*inputs)[port][0].numbers(); };
    std::vector<double> used = numbersOf(4);
    std::set<double> distinct(used.begin(), used.end());
    EXPECT_EQ(distinct.size(), 36u) << "every page at most once";
    EXPECT_LT(*distinct.rbegin(), 40);
    EXPECT_GT(*distinct.rbegin(), 30) << "not the first pages alone";
    // 48 keys in pages, 50 in the other cache.
    for (double number : numbersOf(5))
      EXPECT_LT(number, 48);
    std::vector<double> ids = numbersOf(6);
    EXPECT_LT(*std::max_element(ids.begin(), ids.end()), 70);
    EXPECT_GT(*std::max_element(ids.begin(), ids.end()), 60);
    starts.insert(numbersOf(7)[0]);
    for (double number : numbersOf(8))
      EXPECT_LT(number, 2) << "nobody says what it means";
  }
  // 20 queries within 48 keys.
  EXPECT_LE(*starts.rbegin(), 28);
  EXPECT_GT(*starts.rbegin(), 20);
  expectAgrees(builder, /*seed=*/3);
}

TEST(Data, CInterface) {
  ProgramBuilder builder("c", {2});
  ValueType type = localTensor(ElementType::F32, {2});
  int32_t x = builder.addInput("x", type);
  builder.addOutput("y", builder.addOne("add", {x, x}, type));
  std::vector<uint8_t> file = builder.serialize();
  ring_session *session = ring_create();
  EXPECT_EQ(ring_run(session), 1);
  EXPECT_STREQ(ring_error(session), "expects a loaded program");
  ASSERT_EQ(ring_load(session, file.data(), file.size()), 0);
  EXPECT_EQ(ring_device_count(session), 2);
  EXPECT_EQ(ring_input_tensors(session, 0), 2u);
  const int64_t *shape = nullptr;
  ASSERT_EQ(ring_output_shape(session, 0, &shape), 1u);
  EXPECT_EQ(shape[0], 2);
  EXPECT_EQ(ring_run(session), 1) << "inputs are not bound";
  float first[2] = {1, 2}, second[2] = {3, 4}, out[2] = {0, 0};
  EXPECT_EQ(ring_bind(session, 0, 0, first, sizeof(first)), 0);
  EXPECT_EQ(ring_bind(session, 0, 1, second, 4), 1);
  EXPECT_EQ(ring_bind(session, 0, 1, second, sizeof(second)), 0);
  ASSERT_EQ(ring_run(session), 0) << ring_error(session);
  ASSERT_EQ(ring_read(session, 0, 1, out, sizeof(out)), 0);
  EXPECT_EQ(out[0], 6);
  EXPECT_EQ(out[1], 8);
  ring_device_statistics cost;
  ASSERT_EQ(ring_read_statistics(session, 1, &cost), 0);
  EXPECT_EQ(cost.flops, 2);
  EXPECT_EQ(cost.bytes_sent, 0);
  EXPECT_EQ(cost.peak_bytes, 16);
  EXPECT_GE(cost.seconds, cost.busy_seconds);
  EXPECT_EQ(ring_read_statistics(session, 2, &cost), 1);
  EXPECT_STREQ(ring_error(session), "expects a device of 2, but got 2");
  EXPECT_EQ(ring_memory_shortage(session), nullptr);
  ring_set_device_memory(session, 15);
  EXPECT_EQ(ring_run(session), 1);
  EXPECT_STREQ(ring_memory_shortage(session), "value %1 tensor<2xf32>");
  EXPECT_EQ(ring_read(session, 0, 1, out, sizeof(out)), 1)
      << "of the run before";
  EXPECT_EQ(ring_read_statistics(session, 0, &cost), 1);
  ring_destroy(session);
}

TEST(Data, CInterfaceSharesMemory) {
  ProgramBuilder builder("c", {2});
  ValueType type = localTensor(ElementType::F32, {2});
  int32_t x = builder.addInput("x", type);
  builder.addOutput("y", builder.addOne("add", {x, x}, type));
  builder.addOutput("x", x);
  std::vector<uint8_t> file = builder.serialize();
  ring_session *session = ring_create(), *other = nullptr;
  EXPECT_EQ(ring_summary(session), nullptr);
  EXPECT_STREQ(ring_error(session), "expects a finished run");
  EXPECT_EQ(ring_check(session, nullptr, 0), 1);
  ASSERT_EQ(ring_load(session, file.data(), file.size()), 0);
  float first[2] = {1, 2}, second[2] = {3, 4};
  size_t size = 0;
  EXPECT_EQ(ring_input_data(session, 0, 0, &size), nullptr);
  EXPECT_EQ(ring_bind_shared(session, 0, 0, first, 7), 1);
  ASSERT_EQ(ring_bind_shared(session, 0, 0, first, sizeof(first)), 0);
  ASSERT_EQ(ring_bind_shared(session, 0, 1, second, sizeof(second)), 0);
  EXPECT_EQ(ring_input_data(session, 0, 0, &size), first);
  EXPECT_EQ(ring_output_data(session, 0, 0, &size), nullptr);
  // A session of the same program has inputs and results of its own.
  other = ring_share(session);
  EXPECT_EQ(ring_run(other), 1) << "inputs are not bound";
  ring_set_trace(session, 1);
  ASSERT_EQ(ring_run(session), 0) << ring_error(session);
  auto *sum =
      static_cast<const float *>(ring_output_data(session, 0, 1, &size));
  ASSERT_EQ(size, sizeof(second));
  EXPECT_EQ(sum[1], 8);
  EXPECT_EQ(second[1], 4);
  EXPECT_EQ(ring_output_data(session, 2, 0, &size), nullptr);
  EXPECT_NE(std::string(ring_summary(session)).find("@c on 2"),
            std::string::npos);
  EXPECT_NE(std::string(ring_statistics(session)).find("\"devices\""),
            std::string::npos);
  EXPECT_NE(std::string(ring_report(session)).find("<html"), std::string::npos);
  ring_judgement judgement;
  EXPECT_EQ(ring_read_judgement(session, 0, &judgement), 1);
  ASSERT_EQ(ring_check(session, nullptr, 0), 0) << ring_error(session);
  ASSERT_EQ(ring_read_judgement(session, 1, &judgement), 0);
  EXPECT_TRUE(judgement.passed);
  EXPECT_STREQ(judgement.fault, "");
  EXPECT_EQ(ring_read_judgement(session, 2, &judgement), 1);
  ring_destroy(other);
  ring_destroy(session);
}

TEST(Data, CInterfaceJudgesByAnother) {
  auto program = [](const char *op) {
    ProgramBuilder builder("c", {1});
    ValueType type = wholeTensor(ElementType::F32, {4});
    int32_t x = builder.addInput("x", type);
    builder.addOutput("y", builder.addOne(op, {x, x}, type));
    return builder.serialize();
  };
  ring_session *sum = ring_create(), *product = ring_create();
  std::vector<uint8_t> sums = program("add"), products = program("multiply");
  ASSERT_EQ(ring_load(sum, sums.data(), sums.size()), 0);
  EXPECT_EQ(ring_generate(sum, 1), 0);
  EXPECT_EQ(ring_run(sum), 0);
  EXPECT_EQ(ring_check(sum, product, 0), 1) << "nothing is loaded";
  ASSERT_EQ(ring_load(product, products.data(), products.size()), 0);
  ASSERT_EQ(ring_check(sum, product, 0), 0) << ring_error(sum);
  ring_judgement judgement;
  ASSERT_EQ(ring_read_judgement(sum, 0, &judgement), 0);
  EXPECT_FALSE(judgement.passed);
  EXPECT_STRNE(judgement.fault, "");
  EXPECT_NE(std::string(ring_check_text(sum)).find("WRONG"), std::string::npos);
  ring_destroy(product);
  ring_destroy(sum);
}

TEST(Data, CInterfaceRoundsNumbers) {
  for (ElementType element :
       {ElementType::BF16, ElementType::BFP8B, ElementType::F32}) {
    ProgramBuilder builder("c", {1});
    ValueType type = wholeTensor(element, {32, 32});
    builder.addOutput("y", builder.addInput("x", type));
    std::vector<uint8_t> file = builder.serialize();
    ring_session *session = ring_create();
    ASSERT_EQ(ring_load(session, file.data(), file.size()), 0);
    std::vector<float> numbers(1024), found(1024);
    for (size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = 1 + static_cast<float>(i) / 1024;
    EXPECT_EQ(ring_bind_numbers(session, 0, 0, numbers.data(), 7), 1);
    EXPECT_EQ(ring_bind_numbers(session, 1, 0, numbers.data(), 1024), 1);
    ASSERT_EQ(ring_bind_numbers(session, 0, 0, numbers.data(), 1024), 0);
    ASSERT_EQ(ring_run(session), 0) << ring_error(session);
    ASSERT_EQ(ring_read_numbers(session, 0, 0, found.data(), 1024), 0);
    Result<Tensor> rounded = Tensor::fromNumbers(
        element, {32, 32}, std::vector<double>(numbers.begin(), numbers.end()));
    std::vector<double> meant = rounded->numbers();
    EXPECT_TRUE(std::equal(found.begin(), found.end(), meant.begin()));
    EXPECT_EQ(ring_input_numbers(session, 0, 0, found.data(), 1024), 0);
    EXPECT_TRUE(std::equal(found.begin(), found.end(), meant.begin()));
    ring_destroy(session);
  }
}

} // namespace
