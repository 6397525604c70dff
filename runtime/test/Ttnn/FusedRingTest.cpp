// SPDX-License-Identifier: Apache-2.0
//
// The fused rings on devices: what they compute, and what the plan makes of
// their cores.

#include "TtnnTest.h"

namespace ring::rt::test {

namespace {

using Ints = std::vector<int64_t>;
using tt::tt_fabric::FabricConfig;

class TtnnRing : public Ttnn {
protected:
  static constexpr ElementType kBf16 = ElementType::BF16;

  struct Case {
    Shape mesh = {1, 4};
    int64_t axis = 1;
    ElementType element = kBf16;
    int64_t heads = 4, keyHeads = 4;
    int64_t queries = 64, keys = 64;
    int64_t valueDim = 32;
    int64_t joint = 0;
    bool sink = false;
    Attributes attributes;
  };

  static ProgramBuilder ringJoint(const Case &one) {
    ProgramBuilder builder("joint", one.mesh);
    auto input = [&](const char *name, int64_t heads, int64_t rows,
                     int64_t dim) {
      return builder.addInput(name, local(one.element, {1, heads, rows, dim}));
    };
    std::vector<int32_t> operands = {
        input("q", one.heads, one.queries, 32),
        input("k", one.keyHeads, one.keys, 32),
        input("v", one.keyHeads, one.keys, one.valueDim)};
    std::vector<ValueType> results = {
        local(kBf16, {1, one.heads, one.queries, one.valueDim})};
    if (one.joint > 0) {
      for (const char *name : {"jq", "jk", "jv"})
        operands.push_back(input(name, one.heads, one.joint, 32));
      results.push_back(local(kBf16, {1, one.heads, one.joint, 32}));
    }
    if (one.sink) {
      operands.resize(6, kAbsent);
      operands.push_back(input("s", one.heads, 1, 1));
    }
    Attributes attributes = one.attributes;
    attributes["axis"] = one.axis;
    int64_t ranks = one.mesh[static_cast<size_t>(one.axis)];
    attributes.try_emplace("length", one.keys * ranks);
    auto out = builder.add("ring_joint_sdpa", operands, results, attributes);
    // What comes of padding is nobody's: of a zigzag with some, rows are put
    // in order and the rest is cut off.
    int64_t length = std::get<int64_t>(attributes["length"]);
    if (one.attributes.count("balanced") && length < one.keys * ranks) {
      Shape shape = {1, one.heads, one.keys * ranks, one.valueDim};
      Attributes zigzag;
      encode::sharding(zigzag, {-1, -1, one.axis, -1}, 2,
                       {encode::LayoutKind::Zigzag, shape[2], ranks, 0});
      int32_t whole = builder.addOne("ring.unshard", {out[0]},
                                     wholeTensor(kBf16, shape), zigzag);
      Ints ends(shape.begin(), shape.end());
      shape[2] = ends[2] = length;
      out = {builder.addOne("slice", {whole}, wholeTensor(kBf16, shape),
                            {{"begins", Ints{0, 0, 0, 0}},
                             {"ends", ends},
                             {"steps", Ints{1, 1, 1, 1}}})};
    }
    for (size_t i = 0; i < out.size(); ++i)
      builder.addOutput("y" + std::to_string(i), out[i]);
    return builder;
  }
};

TEST_F(TtnnRing, JointOnEveryMesh) {
  for (const auto &[mesh, axis] :
       {std::pair(Shape{1, 4}, int64_t(1)), std::pair(Shape{2, 2}, int64_t(0)),
        std::pair(Shape{2, 2}, int64_t(1)), std::pair(Shape{3}, int64_t(0)),
        std::pair(Shape{4, 2}, int64_t(0))}) {
    Case one;
    one.mesh = mesh;
    one.axis = axis;
    expectRuns(ringJoint(one));
    EXPECT_EQ(standin::cluster().fabricAtOpen, FabricConfig::FABRIC_1D);
  }
}

TEST_F(TtnnRing, JointWithEveryFeature) {
  Attributes causal = {{"causal", int64_t(1)}};
  Attributes zigzag = {{"causal", int64_t(1)}, {"balanced", int64_t(1)}};
  Case cases[7];
  cases[0].attributes = {{"length", int64_t(64 * 4 - 37)}, {"scale", 0.4}};
  cases[1].attributes = causal;
  cases[1].keyHeads = 2;
  cases[1].valueDim = 64;
  cases[2].attributes = zigzag;
  cases[3].attributes = zigzag;
  cases[3].sink = true;
  cases[4].joint = 13;
  cases[4].attributes = {{"length", int64_t(64 * 4 - 5)}};
  cases[5].queries = 32; // fewer queries than keys
  cases[6].element = ElementType::BFP8B;
  for (const Case &one : cases)
    expectRuns(ringJoint(one));
}

/// Cores as plans name them: the last row, or the last column, transfers.
TEST_F(TtnnRing, JointOnTheCoresOfThePlan) {
  for (auto [grid, offset] :
       {std::pair(Ints{8, 7}, Ints{0, 7}), std::pair(Ints{7, 8}, Ints{7, 0})}) {
    Case one;
    one.attributes = {{"grid", grid},
                      {"ccl_offset", offset},
                      {"num_links", int64_t(2)},
                      {"q_chunk", int64_t(32)},
                      {"k_chunk", int64_t(64)},
                      {"fidelity", std::string("hifi4")},
                      {"fp32_accumulation", int64_t(1)}};
    expectRuns(ringJoint(one));
  }
}

TEST_F(TtnnRing, LinksGoRoundWhereThePlanSaysSo) {
  Case one;
  one.attributes = {{"topology", std::string("ring")}};
  expectRuns(ringJoint(one));
  EXPECT_EQ(standin::cluster().fabricAtOpen, FabricConfig::FABRIC_1D_RING);
  one.attributes = {{"topology", std::string("linear")}};
  expectRuns(ringJoint(one));
  EXPECT_EQ(standin::cluster().fabricAtOpen, FabricConfig::FABRIC_1D);
}

TEST_F(TtnnRing, RefusesTwoKindsOfLinks) {
  ProgramBuilder builder("layers", {1, 2});
  ValueType type = local(kBf16, {1, 2, 64, 32});
  int32_t x = builder.addInput("x", type);
  for (const char *topology : {"ring", "linear"})
    x = builder.addOne("ring_joint_sdpa", {x, x, x}, type,
                       {{"axis", int64_t(1)},
                        {"length", int64_t(128)},
                        {"topology", std::string(topology)}});
  builder.addOutput("y", x);
  expectRefused(builder, "one topology for all rings of a program on devices, "
                         "but got ring and linear");
}

/// Layers one behind the other: what a ring transfers with is not what the one
/// before has, and all devices have it.
TEST_F(TtnnRing, LayersTakeTurns) {
  ProgramBuilder builder("layers", {1, 2});
  ValueType type = local(kBf16, {1, 2, 64, 32});
  int32_t x = builder.addInput("x", type);
  for (int layer = 0; layer < 5; ++layer)
    x = builder.addOne("ring_joint_sdpa", {x, x, x}, type,
                       {{"axis", int64_t(1)}, {"length", int64_t(128)}});
  builder.addOutput("y", x);
  expectRuns(builder);
}

TEST_F(TtnnRing, Distributed) {
  for (const auto &[mesh, axis] :
       {std::pair(Shape{1, 4}, int64_t(1)), std::pair(Shape{2, 2}, int64_t(0)),
        std::pair(Shape{2, 4}, int64_t(1)), std::pair(Shape{2}, int64_t(0))}) {
    int64_t ranks = mesh[static_cast<size_t>(axis)];
    ProgramBuilder builder("distributed", mesh);
    Shape shape = {1, 4, 256, 32};
    ValueType whole = wholeTensor(kBf16, shape);
    Attributes everywhere = {{"axes", Ints{-1, -1, -1, -1}}};
    std::vector<int32_t> locals;
    for (const char *name : {"q", "k", "v"})
      locals.push_back(builder.addOne("ring.shard",
                                      {builder.addInput(name, whole)},
                                      local(kBf16, shape), everywhere));
    int32_t part =
        builder.addOne("ring_distributed_sdpa", locals,
                       local(kBf16, {1, 4, 256 / ranks, 32}), {{"axis", axis}});
    Attributes zigzag;
    Ints axes = {-1, -1, axis, -1};
    encode::sharding(zigzag, axes, 2,
                     {encode::LayoutKind::Zigzag, 256, ranks, 0});
    builder.addOutput("y",
                      builder.addOne("ring.unshard", {part}, whole, zigzag));
    expectRuns(builder);
  }
}

TEST_F(TtnnRing, RefusesWhatTheKernelRefuses) {
  auto refused = [&](const Case &one, const char *part) {
    expectRefused(ringJoint(one), part);
  };
  Case one;
  one.element = ElementType::F32;
  refused(one, "operand 0 is f32");
  one = Case();
  one.queries = one.keys = 48;
  refused(one, "whole tiles of 32 rows");
  one = Case();
  one.queries = 32;
  one.attributes = {{"causal", int64_t(1)}};
  refused(one, "as many queries as keys with 'causal'");
  one = Case();
  one.valueDim = 64;
  refused(one, "values of the keys' dim");
  one = Case();
  one.attributes = {{"balanced", int64_t(1)}};
  refused(one, "'balanced' with 'causal'");
  one.attributes = {{"causal", int64_t(1)},
                    {"balanced", int64_t(1)},
                    {"q_chunk", int64_t(64)}};
  refused(one,
          "q_chunk to divide half the queries of a device, 32, but got 64");
  one.attributes = {{"fidelity", std::string("hifi5")}};
  refused(one, "lofi, hifi2, hifi3 or hifi4, but got 'hifi5'");
  one = Case();
  one.sink = true;
  refused(one, "a sink with 'causal'");
  one.attributes = {{"causal", int64_t(1)}, {"fp32_accumulation", int64_t(1)}};
  refused(one, "a sink without fp32_accumulation");
  one = Case();
  one.joint = 13;
  one.keyHeads = 2;
  one.heads = 4;
  // The program itself wants joint keys of the keys' heads.
  EXPECT_NE(failure(ringJoint(one)), "");
  EXPECT_EQ(standin::cluster().meshesOpened, 0u);
}

/// What only the devices know is refused before anything runs on them.
TEST_F(TtnnRing, RefusesCoresThatAreNotThere) {
  auto refused = [&](Attributes attributes, const char *part) {
    Case one;
    one.attributes = std::move(attributes);
    std::string message = failure(ringJoint(one));
    EXPECT_NE(message.find(part), std::string::npos) << message;
    EXPECT_EQ(standin::cluster().calls, 0u);
  };
  refused({{"grid", Ints{9, 7}}}, "at most 8x8 cores");
  refused({{"grid", Ints{8, 8}}, {"ccl_offset", Ints{0, 7}}},
          "lies within 8x8");
  refused({{"grid", Ints{8, 8}}}, "but there are 0");
  refused({{"grid", Ints{8, 7}},
           {"ccl_offset", Ints{4, 7}},
           {"num_links", int64_t(4)}},
          "expects 8 cores from ccl_offset 4x7 on");
  // Workers that dispatch take a row away.
  standin::cluster().ethernetDispatches = false;
  refused({{"grid", Ints{8, 7}}, {"ccl_offset", Ints{0, 7}}},
          "of 8x7, but there are 0");
}

TEST_F(TtnnRing, RefusesASquareMeshThatTheKernelMisreads) {
  ProgramBuilder builder("square", {2, 2});
  ValueType type = local(kBf16, {1, 2, 128, 32});
  int32_t x = builder.addInput("x", type);
  builder.addOutput("y", builder.addOne("ring_distributed_sdpa", {x, x, x},
                                        local(kBf16, {1, 2, 64, 32}),
                                        {{"axis", int64_t(1)}}));
  expectRefused(builder, "axis 1 of 2x2");
}

} // namespace

} // namespace ring::rt::test
