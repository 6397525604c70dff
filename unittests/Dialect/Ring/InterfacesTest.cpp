// SPDX-License-Identifier: Apache-2.0
// Work and bytes, as the interfaces count them from the IR.

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "ring/Dialect/Ring/IR/RingOps.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::ring;

namespace {

class InterfacesTest : public ::testing::Test {
protected:
  InterfacesTest() { context.loadDialect<RingDialect, func::FuncDialect>(); }

  /// The first op in `body` that has the interface. `body` may use %q, %k
  /// and %v: 1x4x16x8, 1x2x16x8 and 1x2x16x8.
  template <typename Interface>
  Interface first(StringRef body) {
    std::string text =
        "func.func @f(%q: tensor<1x4x16x8xbf16>, %k: tensor<1x2x16x8xbf16>, "
        "%v: tensor<1x2x16x8xbf16>) {\n" +
        body.str() + "\nreturn\n}";
    module = parseSourceString<ModuleOp>(text, &context);
    Interface found;
    if (module)
      module->walk([&](Interface op) {
        if (!found)
          found = op;
      });
    return found;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

constexpr StringLiteral kPartialTypes =
    " : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> "
    "-> tensor<1x4x16x8xf32>, tensor<1x4x16x1xf32>";

TEST_F(InterfacesTest, FlopsOfAFullBlock) {
  auto op = first<AttendOpInterface>("%o, %l = ring.partial %q, %k, %v" +
                                     kPartialTypes.str());
  ASSERT_TRUE(op);
  EXPECT_EQ(op.countFlops(0), 4 * 4 * 16 * 16 * 8);
}

// Three of the five products of the gradients are over the dim of the keys, two
// over that of the values.
TEST_F(InterfacesTest, FlopsOfABlocksGradients) {
  auto op = first<AttendOpInterface>(
      "%g, %l = ring.empty : tensor<1x4x16x4xf32>, tensor<1x4x16x1xf32>\n"
      "%w, %e = ring.empty : tensor<1x2x16x4xf32>, tensor<1x2x16x1xf32>\n"
      "%dq, %dk, %dv = ring.partial_backward %g, %g, %l, %q, %k, %w "
      ": tensor<1x4x16x4xf32>, tensor<1x4x16x4xf32>, tensor<1x4x16x1xf32>, "
      "tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, tensor<1x2x16x4xf32> "
      "-> tensor<1x4x16x8xf32>, tensor<1x2x16x8xf32>, tensor<1x2x16x4xf32>");
  ASSERT_TRUE(op);
  EXPECT_EQ(op.countFlops(0), 4 * 16 * 16 * 2 * (3 * 8 + 2 * 4));
}

TEST_F(InterfacesTest, ZigzagStepsDoHalfOfFull) {
  int64_t flops[4] = {};
  for (int64_t source = 0; source < 4; ++source) {
    auto op = first<AttendOpInterface>(
        "%o, %l = ring.partial %q, %k, %v pattern(#ring.causal) "
        "block(<queries = <zigzag, 64 over 4>, keys = <zigzag, 64 over 4>, "
        "source = " +
        std::to_string(source) + ", axis = <1 in 1x4>>)" + kPartialTypes.str());
    ASSERT_TRUE(op);
    for (int64_t device = 0; device < 4; ++device)
      flops[device] += op.countFlops(device);
  }
  for (int64_t device = 0; device < 4; ++device)
    EXPECT_EQ(flops[device], 4 * 4 * 8 * (64 * 65 / 2 / 4));
}

TEST_F(InterfacesTest, BytesOfEachTransfer) {
  constexpr int64_t kBytes = 2 * 16 * 8 * 2;
  auto sent = [&](StringRef body) {
    auto op = first<TransferOpInterface>(body);
    EXPECT_TRUE(op) << body.str();
    return op ? op.countBytesSent() : -1;
  };
  EXPECT_EQ(sent("%0:2 = ring.shift %k, %v by 1 on <0 in 8x4> "
                 ": tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>"),
            2 * kBytes);
  EXPECT_EQ(sent("%0 = ring.shift %k by 8 on <0 in 8x4> "
                 ": tensor<1x2x16x8xbf16>"),
            0);
  EXPECT_EQ(sent("%0 = ring.all_gather %k dim 2 on <0 in 8x4> "
                 ": tensor<1x2x16x8xbf16> -> tensor<1x2x128x8xbf16>"),
            7 * kBytes);
  EXPECT_EQ(sent("%0 = ring.all_to_all %k split 1 concat 2 on <0 in 2x4> "
                 ": tensor<1x2x16x8xbf16> -> tensor<1x1x32x8xbf16>"),
            kBytes / 2);
  EXPECT_EQ(sent("%0 = ring.gather %k dim 2 parts [<source = -1, offset = 12, "
                 "size = 4>, <source = 0, size = 16>] on <0 in 8x4> "
                 ": tensor<1x2x16x8xbf16> -> tensor<1x2x20x8xbf16>"),
            kBytes / 4);
  // To zigzag every rank keeps at most one of its two half shards.
  EXPECT_EQ(sent("%0 = ring.relayout %k dim 2 from <contiguous, 64 over 4> to "
                 "<zigzag, 64 over 4> on <1 in 1x4> : tensor<1x2x16x8xbf16>"),
            kBytes);
}

TEST_F(InterfacesTest, PairsOfAWholeAttention) {
  auto pairs = [&](StringRef clauses) {
    auto op = first<AttendOpInterface>(
        ("%o = ring.attention %q, %k, %v " + clauses +
         " : tensor<1x4x16x8xbf16>, tensor<1x2x16x8xbf16>, "
         "tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>")
            .str());
    EXPECT_TRUE(op) << clauses.str();
    return op ? op.countPairs(0) : -1;
  };
  EXPECT_EQ(pairs(""), 4 * 16 * 16);
  EXPECT_EQ(pairs("length(10)"), 4 * 16 * 10);
  EXPECT_EQ(pairs("pattern(#ring.causal)"), 4 * 16 * 17 / 2);
  // Rows 0, 1 and 2 see 1, 2 and 3 keys, all others 4.
  EXPECT_EQ(pairs("pattern(#ring.window<before = 3, after = 0>)"),
            4 * (1 + 2 + 3 + 13 * 4));
  // Two segments of 8; every second row of each: 4 x 4 pairs.
  EXPECT_EQ(pairs("pattern(#ring.dilated<segments = [8], rates = [2]>)"),
            4 * 2 * 4 * 4);
  // Two heads with segments of 4 and all rows, two with one of 16 and every
  // fourth row.
  EXPECT_EQ(pairs("pattern(#ring.dilated<segments = [4, 16], rates = [1, 4]>)"),
            2 * 4 * 4 * 4 + 2 * 4 * 4);
  // Documents of 5 and 8 rows; the last 3 rows are in none.
  EXPECT_EQ(pairs("pattern(#ring.documents<ends = [5, 13]>)"), 4 * (25 + 64));
  EXPECT_EQ(pairs("pattern(#ring.documents<ends = [5, 13], causal = true>) "
                  "length(7)"),
            4 * (15 + 1 + 7 * 2));
}

TEST_F(InterfacesTest, PairsOfTheLastChunkOverPages) {
  auto op = first<AttendOpInterface>(
      "%t = builtin.unrealized_conversion_cast to tensor<1x4xi32>\n"
      "%s = builtin.unrealized_conversion_cast to tensor<1xi32>\n"
      "%o = ring.attention %q, %k, %v pages(%t : tensor<1x4xi32>) start(%s : "
      "tensor<1xi32>) pattern(#ring.causal) : tensor<1x4x16x8xbf16>, "
      "tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> -> tensor<1x4x16x8xbf16>");
  ASSERT_TRUE(op);
  // 4 pages of 16 keys; queries 48 to 63 see 49 to 64 of them.
  EXPECT_EQ(op.countPairs(0), 4 * 16 * (49 + 64) / 2);
}

TEST_F(InterfacesTest, ShiftsByAnyNumberOfTurns) {
  auto op = first<TransferOpInterface>(
      "%0 = ring.shift %k by -9223372036854775807 on <0 in 8x4> : "
      "tensor<1x2x16x8xbf16>");
  ASSERT_TRUE(op);
  // -(2^63 - 1) is 1 modulo 8: what arrives comes from the rank before.
  ASSERT_EQ(op.getTransfers().size(), 1u);
  EXPECT_EQ(((op.getTransfers()[0].source % 8) + 8) % 8, 7);
}

TEST_F(InterfacesTest, StartsKnowTheirPayloadAndTheirLandings) {
  auto op = first<StartOpInterface>(
      "%a = ring.buffer : !ring.buffer<1x2x16x8xbf16>\n"
      "%b = ring.buffer : !ring.buffer<1x2x16x8xbf16>\n"
      "%token = ring.start_shift %k, %v into %a, %b by 1 on <0 in 8x4> : "
      "tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16> into "
      "!ring.buffer<1x2x16x8xbf16>, !ring.buffer<1x2x16x8xbf16>\n"
      "%0:2 = ring.wait %token : tensor<1x2x16x8xbf16>, tensor<1x2x16x8xbf16>");
  ASSERT_TRUE(op);
  EXPECT_EQ(op.getPayload().size(), 2u);
  EXPECT_EQ(op.getLandings().size(), 2u);
  for (Value sent : op.getPayload())
    EXPECT_TRUE(isa<RankedTensorType>(sent.getType()));
  for (Value landing : op.getLandings())
    EXPECT_TRUE(landing.getDefiningOp<BufferOp>());
}

} // namespace
