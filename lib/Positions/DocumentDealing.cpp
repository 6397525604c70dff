// SPDX-License-Identifier: Apache-2.0
// Packed documents dealt to ranks so that all have the same work. Greedy and
// deterministic: the busiest rank gives a chunk of rows to the idlest one and
// takes a lighter one for it, which keeps the number of rows.

#include "ring/Positions/Documents.h"

#include <algorithm>
#include <cstdlib>

namespace ring::positions {
namespace {

constexpr int64_t kTileRows = 32;
/// Chunks of one rank: at first so many, then twice as many, ...
constexpr int64_t kFewChunks = 16;
/// More chunks than this are not looked at.
constexpr int64_t kMostChunks = int64_t(1) << 15;
/// The busiest rank may have the mean and a hundredth of it.
constexpr int64_t kTolerance = 100;

class Dealer {
public:
  /// Chunks of `rows` rows are traded; the rest of a shard stays.
  Dealer(const Documents &documents, int64_t ranks, int64_t shard, int64_t rows)
      : ranks(ranks), shard(shard), rows(rows), held(ranks) {
    for (int64_t rank = 0; rank < ranks; ++rank) {
      int64_t begin = rank * shard, end = begin + shard;
      load.push_back(documents.countPairs(begin, end));
      total += load.back();
      for (; begin + rows <= end; begin += rows) {
        held[rank].push_back(static_cast<int64_t>(begins.size()));
        begins.push_back(begin);
        work.push_back(documents.countPairs(begin, begin + rows));
      }
      sortByWork(held[rank]);
    }
  }

  void run() {
    // Every trade makes the busiest rank idler, so that this ends; the bound is
    // for trades that gain next to nothing.
    for (int64_t trade = 0; trade < ranks * kMostChunks && !isEven(); ++trade)
      if (!tradeOnce())
        return;
  }

  int64_t mostWork() const {
    return *std::max_element(load.begin(), load.end());
  }
  bool isEven() const {
    return mostWork() * ranks <= total + total / kTolerance;
  }

  std::vector<Positions> rowsByRank() const {
    std::vector<Positions> all(ranks);
    for (int64_t rank = 0; rank < ranks; ++rank) {
      Positions pieces;
      for (int64_t chunk : held[rank])
        pieces.push_back({begins[chunk], rows});
      if (int64_t rest = shard % rows; rest > 0)
        pieces.push_back({(rank + 1) * shard - rest, rest});
      std::sort(pieces.begin(), pieces.end(),
                [](const PositionRange &a, const PositionRange &b) {
                  return a.begin < b.begin;
                });
      Positions &own = all[rank];
      for (const PositionRange &piece : pieces)
        if (!own.empty() && own.back().last() + 1 == piece.begin)
          own.back().size += piece.size;
        else
          own.push_back(piece);
    }
    return all;
  }

private:
  void sortByWork(std::vector<int64_t> &chunks) const {
    std::sort(chunks.begin(), chunks.end(), [&](int64_t a, int64_t b) {
      return std::pair(work[a], a) < std::pair(work[b], b);
    });
  }

  /// Lets the busiest rank trade with the idlest one that it can trade with.
  bool tradeOnce() {
    std::vector<int64_t> order(ranks);
    for (int64_t rank = 0; rank < ranks; ++rank)
      order[rank] = rank;
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t a, int64_t b) { return load[a] < load[b]; });
    int64_t busiest = order.back();
    for (int64_t other : order)
      if (other != busiest && tradeBetween(busiest, other))
        return true;
    return false;
  }

  /// The trade that brings both nearest to their mean: for each chunk of the
  /// idle rank, sorted by work, the chunks of the busy one around the work that
  /// would make them equal.
  bool tradeBetween(int64_t busy, int64_t idle) {
    int64_t gap = load[busy] - load[idle], best = gap;
    size_t give = 0, take = 0;
    for (size_t i = 0; i < held[idle].size(); ++i) {
      int64_t wanted = work[held[idle][i]] + gap / 2;
      size_t j = std::lower_bound(held[busy].begin(), held[busy].end(), wanted,
                                  [&](int64_t chunk, int64_t value) {
                                    return work[chunk] < value;
                                  }) -
                 held[busy].begin();
      for (size_t near : {j, j - 1}) {
        if (near >= held[busy].size())
          continue;
        int64_t moved = work[held[busy][near]] - work[held[idle][i]];
        // The gap that stays, on either side.
        if (int64_t left = std::llabs(gap - 2 * moved); left < best) {
          best = left;
          give = near;
          take = i;
        }
      }
    }
    if (best >= gap)
      return false;
    int64_t moved = work[held[busy][give]] - work[held[idle][take]];
    std::swap(held[busy][give], held[idle][take]);
    load[busy] -= moved;
    load[idle] += moved;
    sortByWork(held[busy]);
    sortByWork(held[idle]);
    return true;
  }

  int64_t ranks, shard, rows, total = 0;
  std::vector<int64_t> begins, work;      ///< of each chunk
  std::vector<std::vector<int64_t>> held; ///< by each rank, ascending in work
  std::vector<int64_t> load;
};

} // namespace

std::vector<Positions> dealDocuments(const Documents &documents, int64_t ranks,
                                     int64_t shard) {
  int64_t rows = 1;
  while (2 * rows * kFewChunks <= shard)
    rows *= 2;
  rows = std::max(rows, std::min(shard, kTileRows));
  Dealer best(documents, ranks, shard, rows);
  best.run();
  while (!best.isEven() && rows > 1) {
    rows /= 2;
    if (ranks * (shard / rows) > kMostChunks)
      break;
    Dealer finer(documents, ranks, shard, rows);
    finer.run();
    if (finer.mostWork() < best.mostWork())
      best = std::move(finer);
  }
  return best.rowsByRank();
}

} // namespace ring::positions
