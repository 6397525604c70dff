// SPDX-License-Identifier: Apache-2.0
// Dilated rows on devices: which lie alike, which travel, and how many. Every
// count is compared with one made row by row.

#include "ring/Analysis/AttentionTraits.h"
#include "ring/Analysis/DilatedGroups.h"
#include "ring/Analysis/DilatedRoutes.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::ring;

namespace {

class DilatedTest : public ::testing::Test {
protected:
  DilatedTest() { context.loadDialect<RingDialect>(); }

  DilatedAttr attribute(ArrayRef<int64_t> segments, ArrayRef<int64_t> rates,
                        DilationPhase phase = DilationPhase::Group,
                        DilationMix mix = DilationMix::HeadPartition,
                        bool causal = false) {
    return DilatedAttr::get(&context, segments, rates, Segmentation::Tiled, 1,
                            phase, mix, ExtraHeads::First, DilationNorm::None,
                            ShortSequence::Error, KeyOrder::Identity, causal);
  }

  MLIRContext context;
};

/// The block that a row belongs to, or -1 if it is not kept.
int64_t blockOf(const HeadRows &rows, int64_t row) {
  const DilatedPair &pair = rows.pair;
  int64_t past = row - pair.begin;
  if (past < 0 || past >= pair.span * pair.count)
    return -1;
  int64_t within = past % pair.span - rows.phase;
  if (within < 0 || within % pair.rate != 0 || within / pair.rate >= pair.most)
    return -1;
  return pair.joined ? 0 : past / pair.span;
}

TEST_F(DilatedTest, PlacesSegmentsThatLieAlike) {
  auto place = [](int64_t span, int64_t rate, int64_t length, int64_t ranks) {
    DilatedPair pair{0, span, length / span, rate, span, false};
    return placeOnRanks(pair, length, length / ranks, ranks);
  };
  // Shards of 8: two segments of 4 each, one of 8, half of one of 16.
  auto two = place(4, 3, 64, 8);
  ASSERT_TRUE(two);
  EXPECT_EQ(two->ranks, 1);
  EXPECT_EQ(two->local.count, 2);
  EXPECT_EQ(place(8, 2, 64, 8)->ranks, 1);
  auto half = place(16, 4, 64, 8);
  ASSERT_TRUE(half);
  EXPECT_EQ(half->ranks, 2);
  EXPECT_EQ(half->local.span, 8);
  EXPECT_EQ(half->local.rowsOf(3), 2);
  EXPECT_EQ(place(64, 1, 64, 8)->ranks, 8);
  // A rate that does not divide the shard starts elsewhere on every rank, and a
  // segment of 12 straddles.
  EXPECT_FALSE(place(16, 3, 64, 8));
  EXPECT_FALSE(place(12, 1, 96, 12));
}

TEST_F(DilatedTest, GroupsHeadsWithEqualRows) {
  // Six heads, two pairs: heads 0 to 2 keep all rows, 3 to 5 every other one.
  auto groups = groupsOf(attribute({8, 16}, {1, 2}), 16, 6, 3, 0, 6);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].queries.size(), 3u);
  // Keys 0 0 1, and 1 2 2: no two of them in a row for all.
  EXPECT_EQ(groups[0].keys.size(), 3u);
  EXPECT_EQ(groups[1].keys[0].head, 1);
  EXPECT_EQ(groups[1].keys[0].phase, 1);
  // By residue of the head: 0 2 4 share keys 0 1 2, then 1 3 5.
  auto byHead =
      groupsOf(attribute({16}, {2}, DilationPhase::HeadMod, DilationMix::Lse),
               16, 6, 3, 0, 6);
  ASSERT_EQ(byHead.size(), 1u);
  EXPECT_EQ(byHead[0].queries[1].head, 2);
  EXPECT_EQ(byHead[0].queries[3].head, 1);
  EXPECT_EQ(byHead[0].queries[3].phase, 1);
  EXPECT_TRUE(haveSameGroups(
      attribute({16}, {2}, DilationPhase::HeadMod, DilationMix::Lse), 8, 2));
  EXPECT_FALSE(haveSameGroups(attribute({8, 16}, {1, 2}), 8, 2));
}

TEST_F(DilatedTest, CountsPairsRowByRow) {
  constexpr int64_t kLength = 24, kHeads = 5;
  for (bool causal : {false, true})
    for (auto segmentation :
         {Segmentation::Tiled, Segmentation::Concat, Segmentation::Prefix})
      for (auto phase : {DilationPhase::Group, DilationPhase::HeadBlock,
                         DilationPhase::AllResidues})
        for (auto mix : {DilationMix::HeadPartition, DilationMix::Mean})
          for (std::optional<int64_t> limit :
               {std::optional<int64_t>(), std::optional<int64_t>(13)}) {
            bool concat = segmentation == Segmentation::Concat;
            bool prefix = segmentation == Segmentation::Prefix;
            auto dilated = DilatedAttr::get(
                &context,
                concat ? ArrayRef<int64_t>{8, 16} : ArrayRef<int64_t>{4, 8},
                {3, 2}, segmentation, prefix ? 3 : 1, phase, mix,
                ExtraHeads::Last, DilationNorm::None, ShortSequence::Error,
                KeyOrder::Identity, causal);
            int64_t pairs = 0;
            for (int64_t number : {0, 1}) {
              auto [begin, end] = headsOf(dilated, number, kHeads);
              for (int64_t head = begin; head < end; ++head)
                for (int64_t kept :
                     phasesOf(dilated, number, head, kHeads, kLength)) {
                  HeadRows rows{*pairOf(dilated, number, kLength), kept};
                  for (int64_t q = 0; q < kLength; ++q)
                    for (int64_t k = 0; k < limit.value_or(kLength); ++k)
                      pairs += blockOf(rows, q) >= 0 &&
                               blockOf(rows, q) == blockOf(rows, k) &&
                               (!causal || k <= q);
                }
            }
            EXPECT_EQ(countPairs(dilated, kHeads, kLength, limit), pairs);
          }
}

/// Follows the legs of every device and checks rows and positions one by one.
void checkRoutes(MLIRContext *context, const HeadRows &rows, int64_t length,
                 int64_t ranks, bool causal, std::optional<int64_t> limit) {
  int64_t shard = (length + ranks - 1) / ranks;
  HeldRows held{AxisAttr::get(context, 0, {ranks}), std::nullopt, shard, length,
                false};
  auto routes = dilatedRoutes({std::optional(rows)}, held, causal, limit);
  ASSERT_TRUE(routes);
  Band band = *routes->pattern.getBand();
  for (int64_t device = 0; device < ranks; ++device) {
    auto rowsOf = [&](ArrayAttr legs, int64_t count) {
      std::vector<int64_t> packed(count, -1);
      for (LegAttr leg : cast<ArrayAttr>(legs[device]).getAsRange<LegAttr>())
        for (int64_t i = 0; i < leg.getSize(); ++i)
          packed[leg.getAt() + i * leg.getStep()] =
              (device + leg.getSource()) * shard + leg.getOffset() +
              i * leg.getStride();
      return packed;
    };
    auto placesOf = [&](PlacesAttr places) {
      std::vector<int64_t> all;
      for (const PositionRange &range : places.positionsOn(device))
        for (int64_t i = 0; i < range.size; ++i)
          all.push_back(range.begin + i * range.stride);
      return all;
    };
    std::vector<int64_t> queries = rowsOf(routes->queryLegs, routes->queryRows);
    std::vector<int64_t> keys = rowsOf(routes->keyLegs, routes->keyRows);
    std::vector<int64_t> queryPlaces = placesOf(routes->queryPlaces);
    std::vector<int64_t> keyPlaces = placesOf(routes->keyPlaces);
    ASSERT_EQ(queries.size(), queryPlaces.size());
    ASSERT_EQ(keys.size(), keyPlaces.size());

    // The queries are the device's own kept rows, in order.
    std::vector<int64_t> own;
    int64_t end = std::min(length, (device + 1) * shard);
    for (int64_t row = device * shard; row < end; ++row)
      if (blockOf(rows, row) >= 0)
        own.push_back(row);
    own.resize(queries.size(), -1);
    EXPECT_EQ(queries, own);

    // Every query sees exactly the keys of its block, and no row is fetched
    // that nobody sees.
    std::vector<bool> seen(keys.size(), false);
    for (size_t i = 0; i < queries.size(); ++i) {
      std::vector<int64_t> sees, expected;
      for (size_t j = 0; j < keys.size(); ++j)
        if (band.contains(queryPlaces[i], keyPlaces[j])) {
          sees.push_back(keys[j]);
          seen[j] = true;
        }
      int64_t block = queries[i] < 0 ? -1 : blockOf(rows, queries[i]);
      for (int64_t row = 0; row < limit.value_or(length); ++row)
        if (block >= 0 && blockOf(rows, row) == block &&
            (!causal || row <= queries[i]))
          expected.push_back(row);
      EXPECT_EQ(sees, expected);
    }
    for (size_t j = 0; j < keys.size(); ++j)
      EXPECT_EQ(seen[j], keys[j] >= 0);
  }
}

TEST_F(DilatedTest, RoutesExactlyTheRowsThatAreSeen) {
  for (bool causal : {false, true})
    for (int64_t ranks : {1, 3, 4, 7})
      for (int64_t span : {4, 6, 10, 12, 60})
        for (int64_t rate : {1, 2, 3, 4})
          for (int64_t phase : {int64_t(0), rate - 1}) {
            DilatedPair tiled{0, span, 60 / span, rate, span, false};
            checkRoutes(&context, {tiled, phase}, 60, ranks, causal,
                        std::nullopt);
            checkRoutes(&context, {tiled, phase}, 60, ranks, causal, 41);
          }
  // One segment of several, and the first rows of every chunk.
  checkRoutes(&context, {DilatedPair{20, 40, 1, 3, 40, false}, 1}, 60, 4, true,
              std::nullopt);
  checkRoutes(&context, {DilatedPair{0, 15, 4, 2, 5, true}, 1}, 60, 7, true,
              std::nullopt);
  checkRoutes(&context, {DilatedPair{0, 30, 2, 4, 3, true}, 0}, 60, 4, false,
              50);
}

} // namespace
