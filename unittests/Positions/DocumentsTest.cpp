// SPDX-License-Identifier: Apache-2.0
// Packed documents against their definition: the same document, and not later.

#include "ring/Positions/Documents.h"
#include "Expand.h"
#include "ring/Positions/SequenceLayout.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

using namespace ring::positions;

namespace {

/// Which document a row is in, or -1.
int64_t documentOf(const std::vector<int64_t> &ends, int64_t row) {
  for (size_t i = 0; i < ends.size(); ++i)
    if (row < ends[i])
      return static_cast<int64_t>(i);
  return -1;
}

bool sees(const std::vector<int64_t> &ends, bool causal, int64_t query,
          int64_t key) {
  return documentOf(ends, query) >= 0 &&
         documentOf(ends, query) == documentOf(ends, key) &&
         (!causal || key <= query);
}

/// Odd lengths, one row, no rows, one document alone, rows behind the last.
const std::vector<std::vector<int64_t>> kPackings = {
    {48}, {2, 5, 6}, {1, 2, 3, 48}, {0, 7, 7, 7, 20, 33, 33}, {31, 32, 33, 47},
};

TEST(DocumentsTest, OneBandOverPlacesIsTheDefinition) {
  const int64_t rows = 48;
  for (const std::vector<int64_t> &ends : kPackings)
    for (bool causal : {false, true})
      for (auto kind :
           {LayoutKind::Contiguous, LayoutKind::Zigzag, LayoutKind::Striped})
        for (auto limit : {std::optional<int64_t>(), std::optional(int64_t(9)),
                           std::optional(int64_t(40))}) {
          Documents documents{ends, causal};
          ASSERT_EQ(documents.misfit(), std::nullopt);
          ASSERT_EQ(documents.misfitOf(rows), std::nullopt);
          SequenceLayout layout{kind, rows, 4};
          int64_t idle = documents.idleRows();
          int64_t all = 0;
          for (int64_t i = 0; i < 4; ++i)
            for (int64_t j = 0; j < 4; ++j) {
              Positions queryRows = layout.positionsOf(i);
              Positions keyRows = layout.positionsOf(j);
              Positions queries = documents.placesOf(queryRows, idle);
              Positions keys = documents.placesOf(
                  keyRows, idle + rows + documents.longest(), limit);
              std::vector<int64_t> q = expand(queries), k = expand(keys);
              std::vector<int64_t> qr = expand(queryRows);
              std::vector<int64_t> kr = expand(keyRows);
              ASSERT_EQ(q.size(), qr.size());
              ASSERT_EQ(k.size(), kr.size());
              int64_t pairs = 0;
              for (size_t a = 0; a < q.size(); ++a)
                for (size_t b = 0; b < k.size(); ++b) {
                  bool expected = sees(ends, causal, qr[a], kr[b]) &&
                                  (!limit || kr[b] < *limit);
                  ASSERT_EQ(documents.band().contains(q[a], k[b]), expected)
                      << "query " << qr[a] << ", key " << kr[b];
                  pairs += expected;
                }
              EXPECT_EQ(countPairs(queries, keys, documents.band()), pairs);
              all += pairs;
            }
          EXPECT_EQ(documents.countPairs(limit), all);
        }
}

TEST(DocumentsTest, CountsTheWorkOfSomeRows) {
  for (const std::vector<int64_t> &ends : kPackings)
    for (bool causal : {false, true})
      for (int64_t begin = 0; begin < 48; begin += 5)
        for (int64_t end = begin; end <= 48; end += 3) {
          int64_t pairs = 0;
          for (int64_t query = begin; query < end; ++query)
            for (int64_t key = 0; key < 48; ++key)
              pairs += sees(ends, causal, query, key);
          EXPECT_EQ((Documents{ends, causal}.countPairs(begin, end)), pairs);
        }
}

TEST(DocumentsTest, SaysWhatDoesNotFit) {
  auto misfit = [](const std::vector<int64_t> &ends) {
    return Documents{ends, true}.misfit().value_or("");
  };
  EXPECT_EQ(misfit({}), "expects the end of at least one document");
  EXPECT_EQ(misfit({4, 2}),
            "expects ends of documents that do not fall, but got 2 behind 4");
  EXPECT_EQ(misfit({-1, 2}),
            "expects ends of documents that do not fall, but got -1 behind 0");
  EXPECT_EQ(misfit({0, 0}),
            "expects documents of 1 to 1099511627776 rows, but got 0");
  EXPECT_EQ(misfit({1, int64_t(1) << 28}),
            "expects documents times the rows of the longest to be at most "
            "268435456, but got 2 times 268435455");
  std::vector<int64_t> ends = {8};
  EXPECT_EQ((Documents{ends, true}.misfitOf(7)),
            "expects documents within 7 rows, but they end at 8");
  EXPECT_EQ((Documents{ends, true}.misfitOf(int64_t(1) << 29)),
            "expects packed documents in at most 268435456 rows, but got "
            "536870912");
}

/// Rows and pairs of each rank.
void checkDealing(const std::vector<int64_t> &ends, bool causal, int64_t ranks,
                  int64_t shard, double tolerance) {
  Documents documents{ends, causal};
  std::vector<Positions> dealt = dealDocuments(documents, ranks, shard);
  ASSERT_EQ(static_cast<int64_t>(dealt.size()), ranks);
  std::vector<int64_t> all;
  double most = 0, total = 0;
  for (const Positions &rows : dealt) {
    std::vector<int64_t> own = expand(rows);
    EXPECT_EQ(static_cast<int64_t>(own.size()), shard);
    EXPECT_TRUE(std::is_sorted(own.begin(), own.end()));
    all.insert(all.end(), own.begin(), own.end());
    double pairs = 0;
    for (const PositionRange &range : rows)
      pairs += static_cast<double>(
          documents.countPairs(range.begin, range.begin + range.size));
    most = std::max(most, pairs);
    total += pairs;
  }
  std::sort(all.begin(), all.end());
  std::vector<int64_t> expected(ranks * shard);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(all, expected);
  EXPECT_EQ(total, static_cast<double>(documents.countPairs()));
  EXPECT_LE(most * static_cast<double>(ranks), total * (1 + tolerance));
  // The same again: nothing is left to chance.
  EXPECT_EQ(dealDocuments(documents, ranks, shard), dealt);
}

/// 32 documents of 512 to 32K tokens, their lengths even on a scale of powers.
std::vector<int64_t> realisticMix(unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> exponent(9, 15);
  std::vector<int64_t> ends;
  int64_t end = 0;
  for (int i = 0; i < 32; ++i)
    ends.push_back(end += static_cast<int64_t>(std::exp2(exponent(random))));
  return ends;
}

TEST(DocumentsTest, DealsRealisticMixesEvenly) {
  for (unsigned seed = 0; seed < 20; ++seed)
    for (int64_t ranks : {8, 32})
      for (bool causal : {true, false}) {
        std::vector<int64_t> ends = realisticMix(seed);
        int64_t shard = (ends.back() + ranks * 32 - 1) / (ranks * 32) * 32;
        checkDealing(ends, causal, ranks, shard, 0.05);
      }
}

TEST(DocumentsTest, DealsFewRowsToo) {
  for (const std::vector<int64_t> &ends : kPackings)
    for (int64_t ranks : {1, 2, 3, 5, 8})
      checkDealing(ends, true, ranks, (48 + ranks - 1) / ranks, ranks);
  // One document alone over two ranks: row by row.
  checkDealing({64}, true, 2, 32, 0.05);
}

/// Of a realistic mix less than a quarter of the rows have to move, so that a
/// rank needs the keys of few documents besides its own.
TEST(DocumentsTest, LeavesMostRowsWhereTheyAre) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::vector<int64_t> ends = realisticMix(seed);
    int64_t ranks = 8, shard = (ends.back() + 255) / 256 * 32;
    Documents documents{ends, true};
    std::vector<Positions> dealt = dealDocuments(documents, ranks, shard);
    int64_t moved = 0;
    for (int64_t rank = 0; rank < ranks; ++rank)
      for (const PositionRange &range : dealt[rank])
        for (int64_t i = 0; i < range.size; ++i)
          moved += (range.begin + i) / shard != rank;
    EXPECT_LT(moved, ranks * shard / 4);
  }
}

} // namespace
