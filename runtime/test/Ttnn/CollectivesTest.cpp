// SPDX-License-Identifier: Apache-2.0
//
// Collectives and transfers on devices.

#include "TtnnTest.h"

namespace ring::rt::test {

namespace {

using Ints = std::vector<int64_t>;

constexpr ElementType kF32 = ElementType::F32;

TEST_F(Ttnn, Collectives) {
  for (auto [mesh, axis] :
       {std::pair(Shape{1, 4}, int64_t(1)), std::pair(Shape{2, 4}, int64_t(0)),
        std::pair(Shape{2, 4}, int64_t(1)), std::pair(Shape{3}, int64_t(0))}) {
    int64_t ranks = mesh[static_cast<size_t>(axis)];
    ProgramBuilder builder("collectives", mesh);
    int32_t x = builder.addInput("x", local(kF32, {2, 12, 40}));
    for (const char *op : {"all_gather", "ring.all_gather"})
      builder.addOutput(
          op, builder.addOne(op, {x}, local(kF32, {2, 12 * ranks, 40}),
                             {{"dim", int64_t(1)}, {"axis", axis}}));
    for (const char *reduce : {"sum", "mean"}) {
      Attributes attributes = {{"axis", axis}, {"reduce", std::string(reduce)}};
      builder.addOutput(reduce,
                        builder.addOne("all_reduce", {x},
                                       local(kF32, {2, 12, 40}), attributes));
    }
    // Shares that are whole tiles, shares that are not, and batches.
    builder.addOutput("share",
                      builder.addOne("mesh_partition", {x},
                                     local(kF32, {2, 12 / ranks, 40}),
                                     {{"dim", int64_t(1)}, {"axis", axis}}));
    int32_t table = builder.addInput("t", local(kF32, {ranks, 1, 32 * ranks}));
    builder.addOutput("tiles",
                      builder.addOne("mesh_partition", {table},
                                     local(kF32, {ranks, 1, 32}),
                                     {{"dim", int64_t(2)}, {"axis", axis}}));
    builder.addOutput("flag",
                      builder.addOne("mesh_partition", {table},
                                     local(kF32, {1, 1, 32 * ranks}),
                                     {{"dim", int64_t(0)}, {"axis", axis}}));
    builder.addOutput("scattered",
                      builder.addOne("reduce_scatter", {table},
                                     local(kF32, {ranks, 1, 32}),
                                     {{"dim", int64_t(2)},
                                      {"axis", axis},
                                      {"reduce", std::string("sum")}}));
    builder.addOutput(
        "traded",
        builder.addOne(
            "ring.all_to_all", {x}, local(kF32, {2, 12 / ranks, 40 * ranks}),
            {{"split", int64_t(1)}, {"concat", int64_t(2)}, {"axis", axis}}));
    expectRuns(builder);
  }
}

TEST_F(Ttnn, SharesOfAllDevices) {
  ProgramBuilder builder("shares", {2, 2});
  int32_t x = builder.addInput("x", local(kF32, {8, 32}));
  builder.addOutput("y",
                    builder.addOne("mesh_partition", {x}, local(kF32, {2, 32}),
                                   {{"dim", int64_t(0)}}));
  expectRuns(builder);
}

TEST_F(Ttnn, TradesAmongTheLinesOfAnAxis) {
  for (const Ints &groups : {Ints{0, 1, 2, 3, 4, 5, 6, 7}, // rows
                             Ints{0, 4, 1, 5, 2, 6, 3, 7}}) {
    int64_t size = groups[1] == 1 ? 4 : 2;
    ProgramBuilder builder("trade", {2, 4});
    int32_t x = builder.addInput("x", local(kF32, {1, 8, 32}));
    builder.addOutput("y", builder.addOne("all_to_all", {x},
                                          local(kF32, {1, 8 / size, 32 * size}),
                                          {{"split", int64_t(1)},
                                           {"concat", int64_t(2)},
                                           {"groups", groups},
                                           {"group_size", size}}));
    expectRuns(builder);
  }
}

/// Shifts wrap, along either axis, by parts of one and with ranks left out.
TEST_F(Ttnn, Shifts) {
  struct Case {
    Shape mesh;
    Attributes attributes;
  };
  for (const Case &one :
       {Case{{1, 4}, {{"axis", int64_t(1)}, {"by", int64_t(1)}}},
        Case{{2, 4}, {{"axis", int64_t(0)}, {"by", int64_t(-1)}}},
        Case{{2, 4},
             {{"axis", int64_t(1)},
              {"axis_size", int64_t(2)},
              {"axis_stride", int64_t(2)},
              {"by", int64_t(1)}}},
        Case{{4},
             {{"axis", int64_t(0)},
              {"by", int64_t(1)},
              {"reaching", int64_t(2)}}}}) {
    ProgramBuilder builder("shift", one.mesh);
    ValueType type = local(ElementType::BF16, {2, 40});
    int32_t k = builder.addInput("k", type), v = builder.addInput("v", type);
    auto moved =
        builder.add("ring.shift", {k, v}, {type, type}, one.attributes);
    builder.addOutput("k1", moved[0]);
    builder.addOutput("v1", moved[1]);
    ValueType room = localBuffer(ElementType::BF16, {2, 40});
    int32_t a = builder.addOne("ring.buffer", {}, room);
    int32_t b = builder.addOne("ring.buffer", {}, room);
    int32_t token = builder.addOne("ring.start_shift", {k, v, a, b},
                                   localToken(), one.attributes);
    int32_t between = builder.addOne("add", {k, v}, type);
    auto arrived = builder.add("ring.wait", {token}, {type, type});
    builder.addOutput("between", between);
    builder.addOutput("k2", arrived[0]);
    builder.addOutput("v2", arrived[1]);
    expectRuns(builder);
  }
}

TEST_F(Ttnn, PermutesAndSends) {
  ProgramBuilder builder("permute", {2, 2});
  ValueType type = local(kF32, {3, 32});
  int32_t x = builder.addInput("x", type), y = builder.addInput("y", type);
  builder.addOutput("all",
                    builder.addOne("collective_permute", {x}, type,
                                   {{"pairs", Ints{0, 1, 1, 0, 2, 3, 3, 2}}}));
  builder.addOutput("some", builder.addOne("collective_permute", {x}, type,
                                           {{"pairs", Ints{0, 2, 1, 0}}}));
  Attributes ends = {{"sender", Ints{0, 1}}, {"receiver", Ints{1, 1}}};
  builder.addOutput("zeros", builder.addOne("point_to_point", {x}, type, ends));
  builder.addOutput("kept",
                    builder.addOne("point_to_point", {x, y}, type, ends));
  // What was sent into is unchanged for its other readers.
  builder.addOutput("y", builder.addOne("copy", {y}, type));
  expectRuns(builder);
}

/// A zigzag is dealt on the host, which asks nothing of tt-metal.
TEST_F(Ttnn, LayoutsThatTtMetalDoesNotKnow) {
  ProgramBuilder builder("zigzag", {1, 4});
  ValueType whole = wholeTensor(kF32, {1, 64, 32});
  Attributes zigzag;
  encode::sharding(zigzag, {-1, 1, -1}, 1,
                   {encode::LayoutKind::Zigzag, 64, 4, 0});
  int32_t x = builder.addInput("x", whole);
  ValueType shard = local(kF32, {1, 16, 32});
  int32_t part = builder.addOne("ring.shard", {x}, shard, zigzag);
  int32_t twice = builder.addOne("add", {part, part}, shard);
  builder.addOutput("y",
                    builder.addOne("ring.unshard", {twice}, whole, zigzag));
  expectRuns(builder);
}

} // namespace

} // namespace ring::rt::test
