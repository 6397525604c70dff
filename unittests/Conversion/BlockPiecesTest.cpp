// SPDX-License-Identifier: Apache-2.0
// Blocks cut into pieces: whatever the layout, every pair of a query and a key
// that a device has to compute is in exactly one computation, and no other is.

#include "SplitBlocks/BlockPieces.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::ring;

namespace {

/// What a test block is: layouts by name, rows per rank, and a pattern.
struct BlockSetup {
  std::string queryKind, keyKind, pattern, length;
  int64_t ranks, rows, source;
  /// 1 for keys that every device has all of.
  int64_t keyRanks;

  int64_t keyRows() const { return rows * ranks / keyRanks; }
  std::string text() const {
    return llvm::formatv("{0} against {1} over {2}, {3} rows, from {4}, {5} "
                         "{6}, keys over {7}",
                         queryKind, keyKind, ranks, rows, source, pattern,
                         length, keyRanks);
  }
};

class BlockPiecesTest : public ::testing::Test {
protected:
  BlockPiecesTest() { context.loadDialect<RingDialect, func::FuncDialect>(); }

  PartialOp parse(const BlockSetup &setup) {
    std::string queries =
        setup.pattern.empty()
            ? ""
            : llvm::formatv("queries = <{0}, {1} over {2}>, ", setup.queryKind,
                            setup.rows * setup.ranks, setup.ranks)
                  .str();
    std::string source = llvm::formatv(
        "!q = tensor<1x1x{0}x8xf32>\n!k = tensor<1x1x{1}x8xf32>\n"
        "!l = tensor<1x1x{0}x1xf32>\n"
        "func.func @f(%q: !q, %k: !k) {{\n"
        "  %o, %l = ring.partial %q, %k, %k {2} {3}\n"
        "    block(<{4}keys = <{5}, {6} over {7}>, source = {8},\n"
        "           axis = <0 in {9}>>) : !q, !k, !k -> !q, !l\n"
        "  return\n}\n",
        setup.rows, setup.keyRows(), setup.pattern, setup.length, queries,
        setup.keyKind, setup.rows * setup.ranks, setup.keyRanks, setup.source,
        setup.ranks);
    module = parseSourceString<ModuleOp>(source, &context);
    PartialOp found;
    if (module)
      module->walk([&](PartialOp op) { found = op; });
    return found;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

/// The position of every row.
SmallVector<int64_t> flatten(const Positions &positions) {
  SmallVector<int64_t> rows;
  for (const PositionRange &range : positions)
    for (int64_t i = 0; i < range.size; ++i)
      rows.push_back(range.begin + i * range.stride);
  return rows;
}

/// Whether `piece` has the pair of rows `query` and `key` on `rank`.
bool computes(const BlockPiece &piece, int64_t rank, int64_t query,
              int64_t key) {
  const std::optional<Reach> &reach = piece.byRank[rank];
  int64_t a = query - piece.queries.first, b = key - piece.keys.first;
  if (!reach || a < 0 || a >= piece.queries.size || b < 0 ||
      b >= piece.keys.size)
    return false;
  int64_t distance = b * piece.keys.stride - a * piece.queries.stride;
  return (!reach->before || distance >= -*reach->before) &&
         (!reach->after || distance <= *reach->after) &&
         (!reach->real || b < *reach->real);
}

/// Compares the groups of a block with the definition of attention.
void expectEveryPairOnce(PartialOp op, ArrayRef<PieceGroup> groups) {
  int64_t queryRows = op.getQuery().getType().getDimSize(2);
  int64_t keyRows = op.getKey().getType().getDimSize(2);
  BlockAttr block = op.getBlockAttr();
  for (int64_t rank = 0; rank < block.getAxis().getRanks(); ++rank) {
    SmallVector<int64_t> queries = flatten(block.queriesOn(rank, queryRows));
    SmallVector<int64_t> keys = flatten(block.keysOn(rank, keyRows));
    for (int64_t query = 0; query < queryRows; ++query)
      for (int64_t key = 0; key < keyRows; ++key) {
        bool attends =
            op.getBand().contains(queries[query], keys[key]) &&
            (!op.getLengthAttr() || keys[key] < op.getLengthAttr().getInt());
        int64_t times = 0;
        for (const PieceGroup &group : groups)
          for (const BlockPiece &piece : group)
            times += computes(piece, rank, query, key);
        ASSERT_EQ(times, attends ? 1 : 0)
            << "rank " << rank << ", query " << query << ", key " << key;
      }
    for (const PieceGroup &group : groups)
      ASSERT_LE(llvm::count_if(group,
                               [&](const BlockPiece &piece) {
                                 return piece.byRank[rank].has_value();
                               }),
                1)
          << "rank " << rank << " computes two pieces of a group";
  }
}

TEST_F(BlockPiecesTest, EveryPairIsComputedOnce) {
  const char *patterns[] = {"", "pattern(#ring.causal)",
                            "pattern(#ring.window<before = 5, after = 0>)",
                            "pattern(#ring.window<before = 9, after = 4>)",
                            "pattern(#ring.window<before = -3, after = 7>)"};
  const char *lengths[] = {"", "length(13)", "length(30)"};
  for (const char *kind : {"contiguous", "mirrored", "zigzag", "striped"})
    for (const char *pattern : patterns)
      for (const char *length : lengths)
        for (int64_t ranks : {1, 2, 3, 4})
          for (int64_t source = 0; source > -ranks; --source) {
            BlockSetup setup{kind,  kind, pattern, length,
                             ranks, 8,    source,  /*keyRanks=*/ranks};
            SCOPED_TRACE(setup.text());
            PartialOp op = parse(setup);
            ASSERT_TRUE(op);
            expectEveryPairOnce(op, groupPieces(cutBlock(BlockGeometry(op))));
          }
}

TEST_F(BlockPiecesTest, EveryPairOfAllKeysIsComputedOnce) {
  for (const char *kind : {"contiguous", "zigzag", "striped"})
    for (const char *pattern : {"", "pattern(#ring.causal)",
                                "pattern(#ring.window<before = 9, after = 4>)"})
      for (const char *length : {"", "length(19)"})
        for (int64_t ranks : {2, 3, 4}) {
          BlockSetup setup{kind, "contiguous", pattern,       length, ranks,
                           8,    /*source=*/0, /*keyRanks=*/1};
          SCOPED_TRACE(setup.text());
          PartialOp op = parse(setup);
          ASSERT_TRUE(op);
          expectEveryPairOnce(op, groupPieces(cutBlock(BlockGeometry(op))));
        }
}

/// The share of a causal zigzag that a rank computes is the same at every step,
/// so there is no block that counts nowhere: 3 quarters, then 2 per step.
TEST_F(BlockPiecesTest, ZigzagWastesNoBlock) {
  for (int64_t ranks : {2, 3, 4, 8})
    for (int64_t source = 0; source > -ranks; --source) {
      BlockSetup setup{"zigzag", "zigzag", "pattern(#ring.causal)",
                       "",       ranks,    8,
                       source,   ranks};
      SCOPED_TRACE(setup.text());
      PartialOp op = parse(setup);
      ASSERT_TRUE(op);
      EXPECT_EQ(groupPieces(cutBlock(BlockGeometry(op))).size(),
                source == 0 ? 3u : 2u);
    }
}

/// The same queries against all keys: 2P + 1 of 4P quarters.
TEST_F(BlockPiecesTest, ZigzagAgainstAllKeysWastesNoBlock) {
  for (int64_t ranks : {2, 3, 4, 8}) {
    BlockSetup setup{"zigzag", "contiguous", "pattern(#ring.causal)", "", ranks,
                     8,        /*source=*/0, /*keyRanks=*/1};
    SCOPED_TRACE(setup.text());
    PartialOp op = parse(setup);
    ASSERT_TRUE(op);
    EXPECT_EQ(groupPieces(cutBlock(BlockGeometry(op))).size(),
              static_cast<size_t>(2 * ranks + 1));
  }
}

} // namespace
