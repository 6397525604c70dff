// SPDX-License-Identifier: Apache-2.0
//
// Tensors in pieces: random chains of ops that only move elements, and what
// reads their results where they lie, against the reference.

#include "ProgramCheck.h"

#include "Memory/Storage.h"
#include "Ops/PieceMoves.h"

using namespace ring::rt;
using namespace ring::rt::test;
using encode::LayoutKind;

namespace {

ValueType f32(Shape shape) {
  return localTensor(ElementType::F32, std::move(shape));
}

/// A value of a program that is being built.
struct Built {
  int32_t value;
  Shape shape;
};

/// Adds random ops that move elements, of 4-D tensors.
class Mover {
public:
  Mover(ProgramBuilder &builder, uint64_t seed)
      : builder(builder), dice(seed) {}

  Built move(const Built &from) {
    switch (dice.below(6)) {
    case 0:
      return slice(from);
    case 1:
      return pad(from);
    case 2:
      return concat(from);
    case 3:
      return permute(from);
    case 4:
      return repeat(from);
    default:
      return reshape(from);
    }
  }

  Built slice(const Built &from) {
    std::vector<int64_t> begins, ends, steps;
    Shape shape;
    for (int64_t size : from.shape) {
      int64_t step = dice.below(3) ? 1 : dice.between(1, 3);
      int64_t begin = dice.below(std::max<int64_t>(1, size / 2));
      int64_t count = dice.between(1, (size - begin + step - 1) / step);
      begins.push_back(begin);
      ends.push_back(std::min(size, begin + (count - 1) * step + 1));
      steps.push_back(step);
      shape.push_back(count);
    }
    return add("slice", {from.value}, shape,
               {{"begins", begins}, {"ends", ends}, {"steps", steps}});
  }

  Built pad(const Built &from) {
    std::vector<int64_t> padding;
    Shape shape;
    for (int64_t size : from.shape) {
      padding.push_back(dice.below(3));
      padding.push_back(dice.below(3));
      shape.push_back(size + padding.end()[-2] + padding.back());
    }
    // Twice the same filling, or another one.
    double value = dice.below(3) ? 0.0 : 2.5;
    return add("pad", {from.value}, shape,
               {{"padding", padding}, {"value", value}});
  }

  Built concat(const Built &from) {
    int64_t dim = dice.below(4);
    Built other = dice.below(2) ? from : permuteBack(from);
    Shape shape = from.shape;
    shape[dim] *= 2;
    return add("concat", {from.value, other.value}, shape, {{"dim", dim}});
  }

  Built permute(const Built &from) {
    std::vector<int64_t> order = {0, 1, 2, 3};
    for (size_t i = 3; i > 0; --i)
      std::swap(order[i], order[dice.below(static_cast<int64_t>(i) + 1)]);
    Shape shape;
    for (int64_t dim : order)
      shape.push_back(from.shape[dim]);
    return add("permute", {from.value}, shape, {{"permutation", order}});
  }

  Built repeat(const Built &from) {
    int64_t dim = dice.below(4), repeats = dice.between(1, 3);
    Shape shape = from.shape;
    shape[dim] *= repeats;
    return add("repeat_interleave", {from.value}, shape,
               {{"dim", dim}, {"repeats", repeats}});
  }

  Built reshape(const Built &from) {
    Shape shape = from.shape;
    size_t d = dice.below(3);
    // A part of one dimension goes to the next.
    for (int64_t part : {4, 3, 2})
      if (shape[d] % part == 0 && shape[d] > 1) {
        shape[d] /= part;
        shape[d + 1] *= part;
        break;
      }
    return add("reshape", {from.value}, shape, {});
  }

private:
  /// The same shape, by way of another.
  Built permuteBack(const Built &from) {
    Built there =
        add("permute", {from.value},
            {from.shape[0], from.shape[1], from.shape[3], from.shape[2]},
            {{"permutation", std::vector<int64_t>{0, 1, 3, 2}}});
    return add("permute", {there.value}, from.shape,
               {{"permutation", std::vector<int64_t>{0, 1, 3, 2}}});
  }

  Built add(const char *op, std::vector<int32_t> operands, const Shape &shape,
            Attributes attributes) {
    return {builder.addOne(op, std::move(operands), f32(shape),
                           std::move(attributes)),
            shape};
  }

  ProgramBuilder &builder;
  Dice dice;
};

TEST(Pieces, RandomChainsMoveEveryElementToItsPlace) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    ProgramBuilder builder("chain", {1});
    Built at = {0, {2, 3, 8, 6}};
    at.value = builder.addInput("x", f32(at.shape));
    Mover mover(builder, seed);
    for (int i = 0; i < 6 && elementCount(at.shape) < 100000; ++i)
      at = mover.move(at);
    builder.addOutput("y", at.value);
    // An op that has to see all elements in one place.
    builder.addOutput("z", builder.addOne("neg", {at.value}, f32(at.shape)));
    expectAgrees(builder, seed);
  }
}

TEST(Pieces, ResultsInPlaceLeaveThoseWhoStillReadAlone) {
  ProgramBuilder builder("in-place", {2});
  ValueType type = f32({4, 6, 8, 4}), part = f32({4, 6, 4, 4});
  int32_t x = builder.addInput("x", type);
  int32_t a = builder.addOne("neg", {x}, type);
  auto everySecond = [&](int32_t from, int64_t first) {
    return builder.addOne("slice", {from}, part,
                          {{"begins", std::vector<int64_t>{0, 0, first, 0}},
                           {"ends", std::vector<int64_t>{4, 6, 8, 4}},
                           {"steps", std::vector<int64_t>{1, 1, 2, 1}}});
  };
  int32_t before = everySecond(a, 0);
  // The last reader of `a`, but for the slice.
  int32_t b = builder.addOne("exp", {a}, type);
  int32_t c = builder.addOne("sin", {b}, type);
  builder.addOutput("y",
                    builder.addOne("add", {before, everySecond(c, 1)}, part));
  builder.addOutput("x", builder.addOne("copy", {x}, type));
  expectAgrees(builder);
}

/// Queries and keys change where they lie after a block was packed from them.
TEST(Pieces, WhatChangesInPlaceIsPackedAnew) {
  ProgramBuilder builder("in-place", {1});
  ValueType type = f32({1, 2, 200, 16});
  ValueType part = f32({1, 2, 200, 1});
  int32_t x = builder.addInput("x", type), y = builder.addInput("y", type);
  int32_t v = builder.addOne("neg", {y}, type);
  int32_t query = builder.addOne("sin", {x}, type);
  int32_t key = builder.addOne("sin", {y}, type);
  ValueType stateType = localState({1, 2, 200, 16});
  int32_t state = builder.addOne("ring.init", {}, stateType);
  // Twice each, since queries are packed from their second use on.
  for (int round = 0; round < 3; ++round) {
    for (int use = 0; use < 2; ++use)
      state = builder.addOne("ring.accumulate", {query, key, v, state},
                             stateType, {{"scale", 1.0}});
    query = builder.addOne("cos", {query}, type);
    key = builder.addOne("exp", {key}, type);
  }
  std::vector<int32_t> result =
      builder.add("ring.finish", {state}, {type, part});
  builder.addOutput("out", result[0]);
  builder.addOutput("lse", result[1]);
  expectAgrees(builder);
}

TEST(Pieces, PartsThatMeetAgainAreWhatTheyWereCutFrom) {
  StorageRef written = Storage::allocate(64 * sizeof(float));
  const auto rows = [&](int64_t from, int64_t into, int64_t count) {
    return TensorPiece{written, {count}, from, {1}, into, {1}};
  };
  const TensorPieces all{{rows(32, 0, 16), rows(0, 16, 16)}};
  StorageRef whole = Storage::inPieces(all);
  StorageRef low = Storage::inPieces({{rows(32, 0, 16)}}, {whole});
  StorageRef high = Storage::inPieces({{rows(0, 0, 16)}}, {whole});
  EXPECT_NE(low, whole);
  EXPECT_EQ(Storage::inPieces(all, {low, high}), whole);
  const TensorPieces turned{{rows(0, 0, 16), rows(32, 16, 16)}};
  EXPECT_NE(Storage::inPieces(turned, {high, low}), whole);
}

TEST(Pieces, NumbersThatAreOneEverywhere) {
  for (ElementType element : {ElementType::F32, ElementType::BF16}) {
    ProgramBuilder builder("uniform", {1});
    ValueType type = localTensor(element, {2, 3, 5, 7});
    int32_t x = builder.addInput("x", type);
    int32_t third = builder.addFull(type, 1.0 / 3);
    builder.addOutput("y", builder.addOne("multiply", {x, third}, type));
    builder.addOutput("z", builder.addOne("subtract", {third, x}, type));
    builder.addOutput("f", third);
    expectAgrees(builder);
  }
}

/// Heads with other phases each, every third row, spans as heads: what dilated
/// attention reads, writes back and merges.
TEST(Pieces, AttentionReadsRowsWhereTheyLie) {
  constexpr int64_t kHeads = 3, kRows = 96, kRate = 3, kDim = 16, kSpans = 2;
  constexpr int64_t kKept = kRows / kRate;
  for (int64_t kvHeads : {3, 1}) {
    ProgramBuilder builder("strided", {1});
    auto pack = [&](int32_t from, int64_t heads, bool ownPhase) {
      std::vector<int32_t> parts;
      for (int64_t head = 0; head < heads; ++head) {
        int64_t phase = ownPhase ? head : 1;
        parts.push_back(builder.addOne(
            "slice", {from}, f32({1, 1, kKept, kDim}),
            {{"begins", std::vector<int64_t>{0, head, phase, 0}},
             {"ends", std::vector<int64_t>{1, head + 1, kRows, kDim}},
             {"steps", std::vector<int64_t>{1, 1, kRate, 1}}}));
      }
      int32_t packed =
          parts.size() == 1
              ? parts[0]
              : builder.addOne("concat", parts, f32({1, heads, kKept, kDim}),
                               {{"dim", int64_t(1)}});
      return builder.addOne("reshape", {packed},
                            f32({1, heads * kSpans, kKept / kSpans, kDim}));
    };
    int32_t q = builder.addInput("q", f32({1, kHeads, kRows, kDim}));
    int32_t k = builder.addInput("k", f32({1, kvHeads, kRows, kDim}));
    int32_t v = builder.addInput("v", f32({1, kvHeads, kRows, kDim}));
    ValueType out = f32({1, kHeads * kSpans, kKept / kSpans, kDim});
    ValueType lse = f32({1, kHeads * kSpans, kKept / kSpans, 1});
    std::vector<int32_t> part =
        builder.add("ring.partial",
                    {pack(q, kHeads, true), pack(k, kvHeads, kvHeads > 1),
                     pack(v, kvHeads, kvHeads > 1)},
                    {out, lse});
    builder.addOutput("out", part[0]);
    builder.addOutput("lse", part[1]);
    // Merged with a part of every second row of twice as many.
    auto unpack = [&](int32_t rows, int64_t dim, double fill) {
      int64_t count = kKept / kSpans;
      int32_t wide = builder.addOne(
          "pad", {rows}, f32({1, kHeads * kSpans, count, 2 * dim}),
          {{"padding", std::vector<int64_t>{0, 0, 0, 0, 0, 0, dim, 0}},
           {"value", fill}});
      return builder.addOne("reshape", {wide},
                            f32({1, kHeads * kSpans, 2 * count, dim}));
    };
    constexpr double kNothing = -std::numeric_limits<double>::infinity();
    ValueType all = f32({1, kHeads * kSpans, 2 * kKept / kSpans, kDim});
    ValueType allLse = f32({1, kHeads * kSpans, 2 * kKept / kSpans, 1});
    int32_t other = builder.addInput("other", all);
    int32_t otherLse = builder.addInput("otherLse", allLse);
    std::vector<int32_t> merged =
        builder.add("ring.merge",
                    {other, otherLse, unpack(part[0], kDim, 0),
                     unpack(part[1], 1, kNothing)},
                    {all, allLse});
    // And once more in the place of the first result, and the other way round.
    std::vector<int32_t> again =
        builder.add("ring.merge",
                    {merged[0], merged[1], unpack(part[0], kDim, 0),
                     unpack(part[1], 1, kNothing)},
                    {all, allLse});
    std::vector<int32_t> swapped =
        builder.add("ring.merge",
                    {unpack(part[0], kDim, 0), unpack(part[1], 1, kNothing),
                     again[0], again[1]},
                    {all, allLse});
    builder.addOutput("merged", swapped[0]);
    builder.addOutput("mergedLse", swapped[1]);
    expectAgrees(builder, /*seed=*/7);
  }
}

TEST(Pieces, ShardsAreReadAndResultsWrittenWhereTheyBelong) {
  // 26 rows over 4 devices: the last ones are padding.
  for (LayoutKind layout : {LayoutKind::Contiguous, LayoutKind::Mirrored,
                            LayoutKind::Zigzag, LayoutKind::Striped}) {
    ProgramBuilder builder("shards", {4});
    ValueType whole = wholeTensor(ElementType::F32, {2, 3, 26, 5});
    ValueType shard = f32({2, 3, 8, 5});
    Attributes how;
    encode::sharding(how, {-1, -1, 0, -1}, 2, {layout, 32, 4, 0});
    int32_t x = builder.addInput("x", whole);
    int32_t local = builder.addOne("ring.shard", {x}, shard, how);
    int32_t turned =
        builder.addOne("permute", {local}, f32({3, 2, 8, 5}),
                       {{"permutation", std::vector<int64_t>{1, 0, 2, 3}}});
    int32_t back =
        builder.addOne("permute", {turned}, shard,
                       {{"permutation", std::vector<int64_t>{1, 0, 2, 3}}});
    builder.addOutput("y", builder.addOne("ring.unshard", {back}, whole, how));
    builder.addOutput("l", builder.addOne("neg", {local}, shard));
    expectAgrees(builder);
  }
}

/// One exchange of a [2, 4, 8, 6] tensor over four devices.
struct ExchangeCase {
  const char *op;
  Shape result;
  Attributes attributes;
};

std::vector<ExchangeCase> exchangeCases() {
  auto on = [](Attributes more) {
    more["axis"] = int64_t(0);
    return more;
  };
  std::vector<int64_t> contiguous =
      encode::Layout{LayoutKind::Contiguous, 32, 4, 0}.ints();
  std::vector<int64_t> zigzag =
      encode::Layout{LayoutKind::Zigzag, 32, 4, 0}.ints();
  std::vector<int64_t> all = {0, 1, 2, 3};
  return {
      {"ring.all_gather", {2, 4, 32, 6}, on({{"dim", int64_t(2)}})},
      {"all_gather", {2, 16, 8, 6}, on({{"dim", int64_t(1)}})},
      {"ring.all_to_all",
       {2, 1, 32, 6},
       on({{"split", int64_t(1)}, {"concat", int64_t(2)}})},
      {"ring.all_to_all",
       {2, 16, 2, 6},
       on({{"split", int64_t(2)}, {"concat", int64_t(1)}})},
      {"all_to_all",
       {2, 1, 32, 6},
       {{"split", int64_t(1)},
        {"concat", int64_t(2)},
        {"groups", all},
        {"group_size", int64_t(4)}}},
      // Every second row of the rank before, then three of the next.
      {"ring.gather",
       {2, 4, 7, 6},
       on({{"dim", int64_t(2)},
           {"parts", std::vector<int64_t>{-1, 1, 4, 2, 1, 2, 3, 1}}})},
      // Device 0 gets three rows, 1 none, 2 and 3 two each; the rest is 1.5.
      {"ring.route",
       {2, 4, 5, 6},
       on({{"dim", int64_t(2)},
           {"legs", std::vector<int64_t>{1, 1, 0, 3, 2, 0, 2, 0, 1, 2, 6,
                                         2, 1, 2, 2, 1, 0, 5, 2, 1, 3, 1}},
           {"fill", 1.5}})},
      {"ring.relayout",
       {2, 4, 8, 6},
       on({{"dim", int64_t(2)}, {"from", contiguous}, {"to", zigzag}})},
  };
}

/// What others have stays where it is until somebody needs it in one place, and
/// nobody who goes on computing in place changes it under their hands.
TEST(Pieces, ExchangesLeaveElementsWithTheirOwners) {
  // 26 rows over 4 devices: the last ones are padding.
  ValueType whole = wholeTensor(ElementType::F32, {2, 4, 26, 6});
  ValueType shard = f32({2, 4, 8, 6});
  Attributes how;
  encode::sharding(how, {-1, -1, 0, -1}, 2, {LayoutKind::Contiguous, 32, 4, 0});
  for (const ExchangeCase &one : exchangeCases())
    for (bool shards : {true, false}) {
      SCOPED_TRACE(std::string(one.op) + (shards ? " of shards" : ""));
      ProgramBuilder builder("exchange", {4});
      int32_t x = builder.addOne("ring.shard", {builder.addInput("x", whole)},
                                 shard, how);
      if (!shards)
        x = builder.addOne("exp", {x}, shard);
      int32_t y = builder.addOne(one.op, {x}, f32(one.result), one.attributes);
      // The last reader of what others still have pieces of.
      int32_t changed = builder.addOne("neg", {x}, shard);
      builder.addOutput("y", y);
      builder.addOutput("z", builder.addOne("neg", {y}, f32(one.result)));
      builder.addOutput("x", builder.addOne("sin", {changed}, shard));
      expectAgrees(builder);
    }
}

/// Rows for heads, attention, and back: with nothing but whole tensors at both
/// ends no row is ever copied on the way.
TEST(Pieces, AttentionReadsTradedHeadsWhereTheyLie) {
  constexpr int64_t kRows = 400, kDim = 16, kHeads = 4;
  for (int64_t rows : {kRows, kRows - 3}) {
    ProgramBuilder builder("trades", {4});
    ValueType whole = wholeTensor(ElementType::F32, {1, kHeads, rows, kDim});
    ValueType shard = f32({1, kHeads, kRows / 4, kDim});
    ValueType head = f32({1, 1, kRows, kDim});
    Attributes how;
    encode::sharding(how, {-1, -1, 0, -1}, 2,
                     {LayoutKind::Contiguous, kRows, 4, 0});
    std::vector<int32_t> traded;
    for (const char *name : {"q", "k", "v"})
      traded.push_back(builder.addOne(
          "ring.all_to_all",
          {builder.addOne("ring.shard", {builder.addInput(name, whole)}, shard,
                          how)},
          head,
          {{"split", int64_t(1)},
           {"concat", int64_t(2)},
           {"axis", int64_t(0)}}));
    std::vector<int32_t> part = builder.add(
        "ring.partial", traded, {head, f32({1, 1, kRows, 1})},
        {{"before", int64_t(-1)}, {"after", int64_t(0)}, {"length", rows}});
    int32_t back = builder.addOne(
        "ring.all_to_all", {part[0]}, shard,
        {{"split", int64_t(2)}, {"concat", int64_t(1)}, {"axis", int64_t(0)}});
    builder.addOutput("y", builder.addOne("ring.unshard", {back}, whole, how));
    expectAgrees(builder);
  }
}

/// A ring whose values are the first columns of the keys, cut out anew at every
/// step. Shards of a zigzag lie in two pieces, so that keys are put in one
/// place; values are read there, and both are packed once for all devices.
TEST(Pieces, ValuesInKeysAreNeitherCopiedNorPackedAgain) {
  constexpr int64_t kRanks = 4, kHeads = 64, kRows = 256, kDim = 48,
                    kValueDim = 32, kShard = kRows / kRanks;
  for (LayoutKind kind : {LayoutKind::Contiguous, LayoutKind::Zigzag}) {
    ProgramBuilder builder("latent", {kRanks});
    int32_t q = builder.addInput(
        "q", wholeTensor(ElementType::BF16, {1, kHeads, kRows, kDim}));
    int32_t k = builder.addInput(
        "k", wholeTensor(ElementType::BF16, {1, 1, kRows, kDim}));
    encode::Layout layout = {kind, kRows, kRanks, 0};
    Attributes sharding;
    encode::sharding(sharding, {-1, -1, 0, -1}, 2, layout);
    ValueType keyType = localTensor(ElementType::BF16, {1, 1, kShard, kDim});
    Shape state = {1, kHeads, kShard, kValueDim};
    q = builder.addOne(
        "ring.shard", {q},
        localTensor(ElementType::BF16, {1, kHeads, kShard, kDim}), sharding);
    k = builder.addOne("ring.shard", {k}, keyType, sharding);
    int32_t sum = builder.addOne("ring.init", {}, localState(state));
    for (int64_t step = 0; step < kRanks; ++step) {
      int32_t v = builder.addOne(
          "slice", {k},
          localTensor(ElementType::BF16, {1, 1, kShard, kValueDim}),
          {{"begins", std::vector<int64_t>{0, 0, 0, 0}},
           {"ends", std::vector<int64_t>{1, 1, kShard, kValueDim}},
           {"steps", std::vector<int64_t>{1, 1, 1, 1}}});
      Attributes block;
      encode::block(block, layout, layout, -step, {0});
      sum = builder.addOne("ring.accumulate", {q, k, v, sum}, localState(state),
                           block);
      if (step + 1 < kRanks)
        k = builder.addOne("ring.shift", {k}, keyType,
                           {{"by", int64_t(1)}, {"axis", int64_t(0)}});
    }
    std::vector<int32_t> done =
        builder.add("ring.finish", {sum},
                    {localTensor(ElementType::BF16, state),
                     localTensor(ElementType::F32, {1, kHeads, kShard, 1})});
    builder.addOutput("out", done[0]);
    expectAgrees(builder, /*seed=*/3);

    Result<Program> program = builder.build();
    ASSERT_TRUE(program) << program.message();
    Result<std::vector<PortTensors>> inputs = generateInputs(*program, 3);
    ASSERT_TRUE(inputs) << inputs.message();
    Result<RunResult> result = run(*program, *inputs, {});
    ASSERT_TRUE(result) << result.message();
    int64_t written = 0, packed = 0;
    for (const DeviceStatistics &device : result->devices) {
      written += device.writtenDownBytes;
      packed += device.packedBytes;
      EXPECT_EQ(device.peakKeyValueBytes, 2 * kShard * kDim * 2);
    }
    kernels::AttentionShape shape;
    shape.batch = shape.keyValueHeads = 1;
    shape.queryHeads = kHeads;
    shape.queries = shape.keys = kShard;
    shape.keyDim = kDim;
    shape.valueDim = kValueDim;
    // Keys and queries, but for the last rank: its two chunks are neighbours.
    int64_t inPlace = kind == LayoutKind::Contiguous
                          ? 0
                          : (kRanks - 1) * kShard * kDim * 2 * (1 + kHeads);
    EXPECT_EQ(written, inPlace);
    EXPECT_EQ(packed, kRanks * static_cast<int64_t>(
                                   kernels::packedKeyValueBytes(shape)));
  }
}

TEST(Pieces, SeveralRunsGiveOneResult) {
  ProgramBuilder builder("again", {2});
  ValueType type = f32({64, 8192});
  int32_t x = builder.addInput("x", type);
  builder.addOutput("y", builder.addOne("exp", {x}, type));
  RunOptions options;
  options.repeat = 3;
  expectAgrees(builder, 1, options);
  options.backend = "reference";
  Result<Program> program = builder.build();
  Result<RunResult> result =
      run(*program, *generateInputs(*program, 1), options);
  ASSERT_FALSE(result);
  EXPECT_NE(result.message().find("expects one run"), std::string::npos);
}

} // namespace
