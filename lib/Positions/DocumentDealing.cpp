// SPDX-License-Identifier: Apache-2.0
// Packed documents dealt to ranks so that all have about the same work, and few
// rows and keys travel for it. Greedy and deterministic: the busiest rank gives
// a chunk of rows to another one and takes a lighter one for it, which keeps
// the number of rows.

#include "ring/Positions/Documents.h"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace ring::positions {
namespace {

constexpr int64_t kTileRows = 32;
/// Chunks of one rank: at first so many, then twice as many, ...
constexpr int64_t kFewChunks = 16;
/// More chunks than this are not looked at.
constexpr int64_t kMostChunks = int64_t(1) << 13;
/// The busiest rank may have the mean and a 25th of it.
constexpr int64_t kTolerance = 25;
/// Ranks that may trade with the busiest one, the idlest first.
constexpr int64_t kPartners = 8;
/// A row that moves, there as a query and back as an output, with all its
/// heads, counts as so many keys that a rank fetches.
constexpr int64_t kRowCost = 4;
/// Every rank has room for as many keys as the one with most, so that those of
/// this one count more.
constexpr int64_t kMostKeysCost = 1;

/// The keys of one document that some chunks need: those before `end`.
struct Reach {
  int64_t document, begin, end;
};

/// What the chunks of a rank reach of one document.
struct HeldReach {
  int64_t begin = 0;
  /// The furthest end, the chunk that needs it, and the furthest without it.
  int64_t furthest = 0, chunk = -1, second = 0;

  int64_t without(int64_t other) const {
    return chunk == other ? second : furthest;
  }
};

class Dealer {
public:
  /// Chunks of `rows` rows are traded; the rest of a shard stays.
  Dealer(const Documents &documents, int64_t ranks, int64_t shard, int64_t rows)
      : documents(documents), ranks(ranks), shard(shard), rows(rows),
        held(ranks), reached(ranks), keys(ranks) {
    for (int64_t rank = 0; rank < ranks; ++rank) {
      int64_t begin = rank * shard, end = begin + shard;
      load.push_back(documents.countPairs(begin, end));
      total += load.back();
      for (; begin + rows <= end; begin += rows)
        held[rank].push_back(addChunk(rank, begin, begin + rows));
      // It is the last of each rank, and never traded.
      rest.push_back(addChunk(rank, begin, end));
      sortByWork(held[rank]);
      countKeys(rank);
    }
  }

  void run() {
    // Every trade makes the busiest rank idler, so that this ends; the bound is
    // for trades that gain next to nothing.
    for (int64_t trade = 0; trade < kMostChunks && !isEven(); ++trade)
      if (!tradeOnce())
        return;
  }

  int64_t mostWork() const {
    return *std::max_element(load.begin(), load.end());
  }
  bool isEven() const { return mostWork() <= limit(); }

  std::vector<Positions> rowsByRank() const {
    std::vector<Positions> all(ranks);
    for (int64_t rank = 0; rank < ranks; ++rank) {
      Positions pieces;
      for (int64_t chunk : held[rank])
        pieces.push_back({begins[chunk], rows});
      if (int64_t left = shard % rows; left > 0)
        pieces.push_back({begins[rest[rank]], left});
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
  /// A chunk that the busiest rank gives for another, and what comes of it.
  struct Trade {
    int64_t partner = -1, given = 0, taken = 0;
    int64_t gain = 0, cost = 1;

    /// Whether it gains more for what it costs.
    bool isBetterThan(const Trade &other) const {
      return static_cast<double>(gain) * static_cast<double>(other.cost) >
             static_cast<double>(other.gain) * static_cast<double>(cost);
    }
  };

  int64_t limit() const { return (total + total / kTolerance) / ranks; }

  int64_t addChunk(int64_t rank, int64_t begin, int64_t end) {
    begins.push_back(begin);
    homes.push_back(rank);
    work.push_back(documents.countPairs(begin, end));
    reaches.emplace_back();
    const int64_t *ends = documents.ends.begin();
    for (const int64_t *last =
             std::upper_bound(ends, documents.ends.end(), begin);
         last != documents.ends.end(); ++last) {
      int64_t first = last == ends ? 0 : *std::prev(last);
      if (first >= end)
        break;
      if (first < *last)
        reaches.back().push_back(
            {last - ends, first,
             documents.causal ? std::min(*last, end) : *last});
    }
    return static_cast<int64_t>(begins.size()) - 1;
  }

  void sortByWork(std::vector<int64_t> &chunks) const {
    std::sort(chunks.begin(), chunks.end(), [&](int64_t a, int64_t b) {
      return std::pair(work[a], a) < std::pair(work[b], b);
    });
  }

  /// Counts the keys that a rank's rows see.
  void countKeys(int64_t rank) {
    std::map<int64_t, HeldReach> &own = reached[rank];
    own.clear();
    auto add = [&](int64_t chunk) {
      for (const Reach &reach : reaches[chunk]) {
        HeldReach &all = own[reach.document];
        if (all.chunk < 0)
          all = {reach.begin, reach.begin, -1, reach.begin};
        if (reach.end > all.furthest)
          all = {reach.begin, reach.end, chunk, all.furthest};
        else
          all.second = std::max(all.second, reach.end);
      }
    };
    for (int64_t chunk : held[rank])
      add(chunk);
    add(rest[rank]);
    keys[rank] = 0;
    for (const auto &[document, reach] : own)
      keys[rank] += reach.furthest - reach.begin;
  }

  /// The keys of a rank once it has `chunk` in place of `other`.
  int64_t keysWith(int64_t rank, int64_t chunk, int64_t other) const {
    int64_t count = keys[rank];
    for (const Reach &reach : reaches[other]) {
      const HeldReach &all = reached[rank].at(reach.document);
      count -= all.furthest - all.without(other);
    }
    for (const Reach &reach : reaches[chunk]) {
      auto there = reached[rank].find(reach.document);
      int64_t before = there == reached[rank].end()
                           ? reach.begin
                           : there->second.without(other);
      count += std::max<int64_t>(reach.end - before, 0);
    }
    return count;
  }

  /// Rows more on the way once a chunk goes from one rank to another.
  int64_t rowsMoved(int64_t chunk, int64_t from, int64_t to) const {
    return rows * ((homes[chunk] == from) - (homes[chunk] == to));
  }

  /// What trading costs, in keys, each as often as it is handed on round the
  /// ring. Never nothing, so that gains count too.
  int64_t costOf(int64_t busy, int64_t idle, int64_t given,
                 int64_t taken) const {
    int64_t busyKeys = keysWith(busy, taken, given);
    int64_t idleKeys = keysWith(idle, given, taken);
    int64_t most = *std::max_element(keys.begin(), keys.end());
    int64_t more = std::max(busyKeys, idleKeys) - most;
    int64_t apart = std::abs(busy - idle);
    int64_t hops = std::min(apart, ranks - apart);
    int64_t cost =
        (rowsMoved(given, busy, idle) + rowsMoved(taken, idle, busy)) *
            kRowCost +
        busyKeys - keys[busy] + idleKeys - keys[idle];
    return std::max(hops * cost + kMostKeysCost * std::max<int64_t>(more, 0),
                    (rows + 3) / 4);
  }

  /// Lets the busiest rank make the trade that gains most for its cost.
  bool tradeOnce() {
    std::vector<int64_t> order(ranks);
    for (int64_t rank = 0; rank < ranks; ++rank)
      order[rank] = rank;
    std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return std::pair(load[a], a) < std::pair(load[b], b);
    });
    int64_t busiest = order.back();
    Trade best;
    for (int64_t i = 0; i < std::min(kPartners, ranks - 1); ++i)
      findTrade(busiest, order[i], best);
    if (best.partner < 0)
      return false;
    exchange(busiest, best);
    return true;
  }

  /// For each chunk of the busy rank, looks at the chunks of the idle one,
  /// sorted by work, around the work that would bring one of them to its goal,
  /// and at its lightest.
  void findTrade(int64_t busy, int64_t idle, Trade &best) const {
    int64_t excess = load[busy] - total / ranks, room = limit() - load[idle];
    const std::vector<int64_t> &others = held[idle];
    if (others.empty() || load[idle] >= load[busy])
      return;
    for (int64_t given : held[busy]) {
      int64_t wanted = work[given] - std::min(excess, room);
      size_t near = std::lower_bound(others.begin(), others.end(), wanted,
                                     [&](int64_t chunk, int64_t value) {
                                       return work[chunk] < value;
                                     }) -
                    others.begin();
      for (size_t place : {size_t(0), near - 1, near, near + 1}) {
        if (place >= others.size())
          continue;
        int64_t taken = others[place], moved = work[given] - work[taken];
        int64_t gain =
            std::min(moved, excess) - std::max<int64_t>(moved - room, 0);
        if (gain <= 0 || load[idle] + moved >= load[busy])
          continue;
        Trade trade{idle, given, taken, gain, costOf(busy, idle, given, taken)};
        if (best.partner < 0 || trade.isBetterThan(best))
          best = trade;
      }
    }
  }

  void exchange(int64_t busy, const Trade &trade) {
    int64_t moved = work[trade.given] - work[trade.taken];
    std::replace(held[busy].begin(), held[busy].end(), trade.given,
                 trade.taken);
    std::replace(held[trade.partner].begin(), held[trade.partner].end(),
                 trade.taken, trade.given);
    load[busy] -= moved;
    load[trade.partner] += moved;
    for (int64_t rank : {busy, trade.partner}) {
      sortByWork(held[rank]);
      countKeys(rank);
    }
  }

  const Documents &documents;
  int64_t ranks, shard, rows, total = 0;
  /// Of each chunk: its first row, the rank that has it, the pairs of its rows
  /// and the keys that those see.
  std::vector<int64_t> begins, homes, work;
  std::vector<std::vector<Reach>> reaches;
  /// Of each rank: its chunks, ascending in work, and what is left of its
  /// shard.
  std::vector<std::vector<int64_t>> held;
  std::vector<int64_t> rest;
  std::vector<std::map<int64_t, HeldReach>> reached;
  std::vector<int64_t> keys, load;
};

} // namespace

std::vector<Positions> dealDocuments(const Documents &documents, int64_t ranks,
                                     int64_t shard) {
  int64_t rows = 1;
  while (2 * rows * kFewChunks <= shard)
    rows *= 2;
  rows = std::max(rows, std::min(shard, kTileRows));
  std::optional<Dealer> best(std::in_place, documents, ranks, shard, rows);
  best->run();
  while (!best->isEven() && rows > 1) {
    rows /= 2;
    if (ranks * (shard / rows) > kMostChunks)
      break;
    Dealer finer(documents, ranks, shard, rows);
    finer.run();
    if (finer.mostWork() < best->mostWork())
      best.emplace(std::move(finer));
  }
  return best->rowsByRank();
}

} // namespace ring::positions
