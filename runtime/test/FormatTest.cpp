// SPDX-License-Identifier: Apache-2.0
//
// The program format: what is written is read back, and nothing else gets in.

#include "RingPrograms.h"

using namespace ring::rt;
using namespace ring::rt::test;

namespace {

ValueType f32(Shape shape) {
  return localTensor(ElementType::F32, std::move(shape));
}

TEST(Format, RoundTrip) {
  ProgramBuilder builder("double", {1, 2});
  int32_t x = builder.addInput("x", f32({4, 8}), 7);
  int32_t y = builder.addOne("add", {x, x}, f32({4, 8}), {}, "model.py:3");
  builder.addOutput("y", y);
  Result<Program> program = builder.build();
  ASSERT_TRUE(program) << program.message();
  EXPECT_EQ(program->name(), "double");
  EXPECT_EQ(program->mesh(), (Shape{1, 2}));
  EXPECT_EQ(program->deviceCount(), 2);
  ASSERT_EQ(program->instructions().size(), 1u);
  EXPECT_EQ(program->instructions()[0].op, "add");
  EXPECT_EQ(program->instructions()[0].location, "model.py:3");
  EXPECT_EQ(program->inputs()[0].limit, 7);
  EXPECT_EQ(program->values()[y], f32({4, 8}));
  EXPECT_EQ(program->text(), "program \"double\" mesh 1x2\n"
                             "input %0 \"x\" : tensor<4x8xf32>\n"
                             "%1 = add %0, %0 : tensor<4x8xf32>\n"
                             "output %1 \"y\" : tensor<4x8xf32>\n");
}

TEST(Format, AttributesOfEveryKind) {
  ProgramBuilder builder("attributes", {3});
  int32_t x = builder.addInput("x", f32({2, 2}));
  int32_t y = builder.addOne(
      "pad", {x}, f32({3, 2}),
      {{"padding", std::vector<int64_t>{0, 1, 0, 0}}, {"value", 0.5}});
  int32_t z = builder.addOne(
      "ring.select", {y, y}, f32({3, 2}),
      {{"choice", std::vector<bool>{true, false, true}}, {"axis", int64_t(0)}});
  builder.addOutput("z", builder.addOne("all_reduce", {z}, f32({3, 2}),
                                        {{"reduce", std::string("sum")},
                                         {"axis", int64_t(0)}}));
  Result<Program> program = builder.build();
  ASSERT_TRUE(program) << program.message();
  const auto &steps = program->instructions();
  EXPECT_EQ(steps[0].attributes.at("value"), Attribute(0.5));
  EXPECT_EQ(steps[0].attributes.at("padding"),
            Attribute(std::vector<int64_t>{0, 1, 0, 0}));
  EXPECT_EQ(steps[1].attributes.at("choice"),
            Attribute(std::vector<bool>{true, false, true}));
  EXPECT_EQ(steps[2].attributes.at("reduce"), Attribute(std::string("sum")));
}

/// A builder with one input and the instruction under test.
struct Case {
  ProgramBuilder builder{"case", {2}};
  int32_t x = builder.addInput("x", f32({4, 8}));
};

void expectRefused(const ProgramBuilder &builder, const char *why) {
  std::string message = refusal(builder);
  EXPECT_NE(message.find(why), std::string::npos) << message;
}

TEST(Format, RefusesWhatMakesNoSense) {
  {
    Case one;
    one.builder.addOutput("y",
                          one.builder.addOne("frobnicate", {one.x}, f32({1})));
    expectRefused(one.builder, "is no op of this runtime");
  }
  {
    Case one;
    one.builder.addOutput("y", one.builder.addOne("add", {one.x}, f32({4, 8})));
    expectRefused(one.builder, "expects 2 operands, but got 1");
  }
  {
    Case one;
    one.builder.addOutput("y", one.builder.addOne("neg", {5}, f32({4, 8})));
    expectRefused(one.builder, "reads value %5, but there are 2");
  }
  {
    Case one;
    one.builder.addOutput("y", one.builder.addOne("neg", {1}, f32({4, 8})));
    expectRefused(one.builder, "reads value %1 before it is defined");
  }
  {
    Case one;
    one.builder.addOutput("y", one.builder.addOne("neg", {one.x}, f32({8, 4})));
    expectRefused(one.builder, "expects result 0 to be 4x8, but got 8x4");
  }
  {
    Case one;
    one.builder.addOutput("y", one.builder.addOne("neg", {one.x}, f32({4, 8}),
                                                  {{"speed", int64_t(1)}}));
    expectRefused(one.builder, "has the unknown attribute 'speed'");
  }
  {
    Case one;
    one.builder.addOutput("y", one.builder.addOne("softmax", {one.x},
                                                  f32({4, 8}), {{"dim", 1.0}}));
    expectRefused(one.builder, "expects 'dim' to be int, but got float");
  }
  {
    Case one;
    one.builder.addOutput(
        "y", one.builder.addOne("neg", {one.x},
                                wholeTensor(ElementType::F32, {4, 8})));
    expectRefused(one.builder, "got whole and local values");
  }
  {
    Case one;
    one.builder.addOutput("y", one.builder.addOne("neg", {one.x}, f32({4, 0})));
    expectRefused(one.builder, "elements, but got the shape 4x0");
  }
  {
    Case one;
    expectRefused(one.builder, "expects at least one program output");
  }
}

TEST(Format, RefusesUnsafeTransfers) {
  auto start = [](Case &one, int32_t tensor, int32_t buffer) {
    return one.builder.addOne("ring.start_shift", {tensor, buffer},
                              localToken(),
                              {{"by", int64_t(1)}, {"axis", int64_t(0)}});
  };
  auto addBuffer = [](Case &one) {
    return one.builder.addOne("ring.buffer", {},
                              localBuffer(ElementType::F32, {4, 8}));
  };
  {
    Case one;
    start(one, one.x, addBuffer(one));
    one.builder.addOutput("x", one.x);
    expectRefused(one.builder, "starts a transfer that nobody waits for");
  }
  {
    Case one;
    int32_t buffer = addBuffer(one);
    start(one, one.x, buffer);
    start(one, one.x, buffer);
    expectRefused(one.builder, "but another one into it is under way");
  }
  {
    Case one;
    int32_t buffer = addBuffer(one);
    int32_t token = start(one, one.x, buffer);
    int32_t y = one.builder.addOne("ring.wait", {token}, f32({4, 8}));
    int32_t again = start(one, one.x, buffer);
    one.builder.addOne("neg", {y}, f32({4, 8}));
    one.builder.addOne("ring.wait", {again}, f32({4, 8}));
    one.builder.addOutput("x", one.x);
    expectRefused(one.builder, "until another transfer into it started");
  }
  {
    Case one;
    int32_t token = start(one, one.x, addBuffer(one));
    one.builder.addOne("ring.wait", {token}, f32({4, 8}));
    one.builder.addOne("ring.wait", {token}, f32({4, 8}));
    expectRefused(one.builder, "a second time");
  }
}

TEST(Format, RefusesOtherFiles) {
  EXPECT_FALSE(Program::load("", 0));
  EXPECT_FALSE(Program::load("not a program at all", 20));
  EXPECT_FALSE(Program::loadFile("/nowhere/to/be/found.ring"));
}

std::vector<uint8_t> sampleFile() {
  RingProgram ring;
  ring.ranks = 2;
  ring.sequence = ring.length = 8;
  ring.dim = 4;
  ring.overlapped = true;
  ring.causal = true;
  return ring.build().serialize();
}

TEST(Format, TruncatedFilesAreRefused) {
  std::vector<uint8_t> file = sampleFile();
  for (size_t size = 0; size < file.size(); size += 3) {
    std::vector<uint8_t> cut(file.begin(), file.begin() + size);
    EXPECT_FALSE(Program::load(cut.data(), cut.size())) << size;
  }
}

TEST(Format, MutatedFilesNeverCrash) {
  const std::vector<uint8_t> file = sampleFile();
  Dice dice(17);
  int loaded = 0;
  for (int round = 0; round < 6000; ++round) {
    std::vector<uint8_t> mutant = file;
    for (int64_t i = 0; i <= dice.below(4); ++i) {
      uint8_t &byte = mutant[dice.below(static_cast<int64_t>(mutant.size()))];
      switch (dice.below(4)) {
      case 0:
        byte = static_cast<uint8_t>(dice.below(256));
        break;
      case 1:
        byte ^= static_cast<uint8_t>(1 << dice.below(8));
        break;
      case 2:
        byte = 0xff;
        break;
      default:
        byte = 0;
      }
    }
    Result<Program> program = Program::load(mutant.data(), mutant.size());
    if (!program) {
      EXPECT_FALSE(program.message().empty());
      continue;
    }
    ++loaded;
    // What loads must also run, or fail with a message. A mutant may ask for
    // far more memory than there is.
    int64_t bytes = 0;
    for (const ValueType &type : program->values())
      bytes += heldBytes(type);
    if (bytes * program->deviceCount() > (1 << 22))
      continue;
    Result<std::vector<PortTensors>> inputs = generateInputs(*program, 1);
    ASSERT_TRUE(inputs) << inputs.message();
    RunOptions options;
    options.threads = 1;
    Result<RunResult> result = run(*program, *inputs, options);
    if (!result) {
      EXPECT_FALSE(result.message().empty());
    }
  }
  // Names and locations may change without harm.
  EXPECT_GT(loaded, 0);
}

} // namespace
