// SPDX-License-Identifier: Apache-2.0
//
// Exchanges between devices against the reference, on meshes of one and two
// axes.

#include "ProgramCheck.h"

using namespace ring::rt;
using namespace ring::rt::test;

namespace {

ValueType f32(Shape shape) {
  return localTensor(ElementType::F32, std::move(shape));
}

TEST(Exchange, TransfersOfTheRing) {
  for (int64_t axis : {0, 1}) {
    ProgramBuilder builder("transfers", {4, 2});
    int64_t ranks = axis ? 2 : 4;
    int32_t x = builder.addInput("x", f32({2, 8, 3}));
    for (int64_t by : {-3, 0, 1, 5})
      builder.addOutput("shift" + std::to_string(by),
                        builder.addOne("ring.shift", {x}, f32({2, 8, 3}),
                                       {{"by", by}, {"axis", axis}}));
    // Ranks before the first that is reached get zeros.
    for (int64_t first : {int64_t(0), int64_t(1), ranks - 1})
      builder.addOutput(
          "chain" + std::to_string(first),
          builder.addOne(
              "ring.shift", {x}, f32({2, 8, 3}),
              {{"by", int64_t(1)}, {"reaching", first}, {"axis", axis}}));
    builder.addOutput("gathered",
                      builder.addOne("ring.all_gather", {x},
                                     f32({2, 8 * ranks, 3}),
                                     {{"dim", int64_t(1)}, {"axis", axis}}));
    builder.addOutput(
        "traded",
        builder.addOne(
            "ring.all_to_all", {x}, f32({2 * ranks, 8 / ranks, 3}),
            {{"split", int64_t(1)}, {"concat", int64_t(0)}, {"axis", axis}}));
    Attributes parts = {{"dim", int64_t(1)}, {"axis", axis}};
    encode::parts(parts, {{-1, 6, 2, 1}, {0, 0, 8, 1}, {2, 1, 3, 3}});
    builder.addOutput(
        "halo", builder.addOne("ring.gather", {x}, f32({2, 13, 3}), parts));
    expectAgrees(builder);
  }
}

/// Four devices on two axes: rows that change places, rows of the neighbour,
/// nothing at all, and a row of each with a gap between.
std::vector<int64_t> someLegs() {
  return {2, 0, 1, 3, 2, 0, 1, 0,  0, 1, 1, 5, 1, // device 0
          1, 1, 7, 1, 1, 2, 1,                    // device 1
          0,                                      // device 2
          2, 0, 0, 1, 1, 0, 1, -1, 2, 2, 3, 3, 2};
}

TEST(Exchange, Routes) {
  for (auto [element, fill] :
       {std::pair{ElementType::F32, -1.5}, {ElementType::BF16, 0.0}}) {
    ProgramBuilder builder("routes", {2, 2});
    int32_t x = builder.addInput("x", localTensor(element, {2, 8, 3}));
    builder.addOutput("routed", builder.addOne("ring.route", {x},
                                               localTensor(element, {2, 6, 3}),
                                               {{"dim", int64_t(1)},
                                                {"legs", someLegs()},
                                                {"fill", fill},
                                                {"axis", int64_t(1)}}));
    expectAgrees(builder);
  }
}

TEST(Exchange, RefusesRoutes) {
  auto message = [](std::vector<int64_t> legs) {
    ProgramBuilder builder("routes", {2});
    int32_t x = builder.addInput("x", f32({8, 3}));
    builder.addOutput("y", builder.addOne("ring.route", {x}, f32({6, 3}),
                                          {{"dim", int64_t(0)},
                                           {"legs", std::move(legs)},
                                           {"axis", int64_t(0)}}));
    return std::string(builder.build().message());
  };
  EXPECT_NE(message({1, 0, 0, 1, 1, 0, 1}).find("legs for 2 devices"),
            std::string::npos);
  EXPECT_NE(message({5, 0, 0, 1, 1, 0, 1, 0}).find("legs for 2 devices"),
            std::string::npos);
  EXPECT_NE(message({1, 0, 7, 2, 1, 0, 1, 0}).find("legs from 8 rows"),
            std::string::npos);
  EXPECT_NE(message({1, 0, 0, 2, 1, 5, 1, 0}).find("legs from 8 rows"),
            std::string::npos);
  EXPECT_NE(
      message({2, 0, 0, 2, 1, 0, 1, 0, 0, 1, 1, 1, 1, 0}).find("two to row 1"),
      std::string::npos);
}

TEST(Exchange, SubRings) {
  ProgramBuilder builder("sub-rings", {8});
  int32_t x = builder.addInput("x", f32({4}));
  for (auto [size, stride] :
       {std::pair<int64_t, int64_t>{4, 1}, {2, 4}, {2, 2}})
    builder.addOutput("shift", builder.addOne("ring.shift", {x}, f32({4}),
                                              {{"by", int64_t(1)},
                                               {"axis", int64_t(0)},
                                               {"axis_size", size},
                                               {"axis_stride", stride}}));
  expectAgrees(builder);
}

TEST(Exchange, RelayoutBetweenAllLayouts) {
  using encode::LayoutKind;
  for (LayoutKind from : {LayoutKind::Contiguous, LayoutKind::Mirrored,
                          LayoutKind::Zigzag, LayoutKind::Striped})
    for (LayoutKind to : {LayoutKind::Contiguous, LayoutKind::Mirrored,
                          LayoutKind::Zigzag, LayoutKind::Striped}) {
      ProgramBuilder builder("relayout", {3});
      int32_t x = builder.addInput("x", f32({2, 8, 5}));
      encode::Layout before = {from, 24, 3, 0}, after = {to, 24, 3, 0};
      Attributes attributes = {{"dim", int64_t(1)},
                               {"from", before.ints()},
                               {"to", after.ints()},
                               {"axis", int64_t(0)}};
      builder.addOutput("y", builder.addOne("ring.relayout", {x},
                                            f32({2, 8, 5}), attributes));
      expectAgrees(builder);
    }
}

TEST(Exchange, ShardThenUnshardIsTheSame) {
  using encode::LayoutKind;
  for (LayoutKind layout : {LayoutKind::Contiguous, LayoutKind::Mirrored,
                            LayoutKind::Zigzag, LayoutKind::Striped}) {
    ProgramBuilder builder("shard", {2, 3});
    ValueType whole = wholeTensor(ElementType::BF16, {1, 6, 11, 2});
    int32_t x = builder.addInput("x", whole);
    Attributes sharding;
    encode::sharding(sharding, {-1, 1, 0, -1}, 2, {layout, 12, 2, 0});
    int32_t local =
        builder.addOne("ring.shard", {x},
                       localTensor(ElementType::BF16, {1, 2, 6, 2}), sharding);
    int32_t back = builder.addOne("ring.unshard", {local}, whole, sharding);
    builder.addOutput("local", local);
    builder.addOutput("back", back);
    expectAgrees(builder);
    Result<Program> program = builder.build();
    auto inputs = generateInputs(*program, 1);
    Result<RunResult> result = run(*program, *inputs);
    ASSERT_TRUE(result) << result.message();
    EXPECT_EQ(result->outputs[1][0].numbers(), (*inputs)[0][0].numbers());
  }
}

TEST(Exchange, CollectivesOfTTIR) {
  ProgramBuilder builder("collectives", {2, 3});
  int32_t x = builder.addInput("x", f32({6, 4}));
  for (int64_t axis : {0, 1}) {
    int64_t ranks = axis ? 3 : 2;
    builder.addOutput("gather",
                      builder.addOne("all_gather", {x}, f32({6, 4 * ranks}),
                                     {{"dim", int64_t(-1)}, {"axis", axis}}));
    for (const char *by : {"sum", "max", "min", "mean"}) {
      builder.addOutput("reduce", builder.addOne("all_reduce", {x}, f32({6, 4}),
                                                 {{"reduce", std::string(by)},
                                                  {"axis", axis}}));
      builder.addOutput("scatter", builder.addOne("reduce_scatter", {x},
                                                  f32({6 / ranks, 4}),
                                                  {{"reduce", std::string(by)},
                                                   {"dim", int64_t(0)},
                                                   {"axis", axis}}));
    }
    builder.addOutput("partition",
                      builder.addOne("mesh_partition", {x}, f32({6 / ranks, 4}),
                                     {{"dim", int64_t(0)}, {"axis", axis}}));
  }
  builder.addOutput("all", builder.addOne("mesh_partition", {x}, f32({1, 4}),
                                          {{"dim", int64_t(0)}}));
  builder.addOutput(
      "permute",
      builder.addOne("collective_permute", {x}, f32({6, 4}),
                     {{"pairs", std::vector<int64_t>{0, 1, 1, 2, 4, 0}}}));
  int32_t y = builder.addInput("y", f32({6, 4}));
  for (int32_t kept : {kAbsent, y})
    builder.addOutput(
        "point", builder.addOne("point_to_point", {x, kept}, f32({6, 4}),
                                {{"sender", std::vector<int64_t>{1, 2}},
                                 {"receiver", std::vector<int64_t>{0, 1}}}));
  builder.addOutput(
      "trade",
      builder.addOne("all_to_all", {x}, f32({2, 12}),
                     {{"split", int64_t(0)},
                      {"concat", int64_t(1)},
                      {"groups", std::vector<int64_t>{0, 4, 2, 1, 3, 5}},
                      {"group_size", int64_t(3)}}));
  expectAgrees(builder);
}

TEST(Exchange, MeshShard) {
  ProgramBuilder builder("mesh_shard", {2, 4});
  ValueType whole = wholeTensor(ElementType::F32, {8, 8});
  int32_t x = builder.addInput("x", whole);
  struct Case {
    const char *type;
    std::vector<int64_t> dims;
    Shape shard;
  };
  for (const Case &one :
       {Case{"devices", {0, 1}, {4, 2}}, Case{"devices", {-1, 0}, {2, 8}},
        Case{"devices", {1, 1}, {8, 1}}, Case{"replicate", {}, {8, 8}}}) {
    Attributes attributes = {{"shard_type", std::string(one.type)},
                             {"direction", std::string("full_to_shard")},
                             {"shard_dims", one.dims}};
    int32_t local =
        builder.addOne("mesh_shard", {x}, f32(one.shard), attributes);
    attributes["direction"] = std::string("shard_to_full");
    builder.addOutput("local", local);
    builder.addOutput("back",
                      builder.addOne("mesh_shard", {local}, whole, attributes));
  }
  expectAgrees(builder);
}

TEST(Exchange, SelectByRank) {
  ProgramBuilder builder("select", {2, 3});
  int32_t a = builder.addInput("a", f32({2, 2}));
  int32_t b = builder.addInput("b", f32({2, 2}));
  builder.addOutput(
      "y", builder.addOne("ring.select", {a, b}, f32({2, 2}),
                          {{"choice", std::vector<bool>{true, false, true}},
                           {"axis", int64_t(1)}}));
  expectAgrees(builder);
}

} // namespace
