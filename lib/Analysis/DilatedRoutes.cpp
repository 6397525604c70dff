// SPDX-License-Identifier: Apache-2.0
// From the segments of heads to the rows that each device packs.

#include "ring/Analysis/DilatedRoutes.h"
#include "ring/Analysis/VisitOrder.h"
#include "llvm/Support/MathExtras.h"

#include <vector>

namespace mlir::ring {

bool HeadRows::operator==(const HeadRows &other) const {
  auto all = [](const HeadRows &rows) {
    const DilatedPair &pair = rows.pair;
    return std::make_tuple(pair.begin, pair.span, pair.count, pair.rate,
                           pair.most, pair.joined, rows.phase);
  };
  return all(*this) == all(other);
}

SmallVector<RoutedHeads> findRoutedHeads(DilatedAttr dilated,
                                         ArrayRef<int64_t> pairs,
                                         int64_t length, int64_t heads,
                                         int64_t shards) {
  SmallVector<RoutedHeads> runs;
  for (int64_t head = 0; head < heads; ++head) {
    RoutedHeads own{head, 1, {}};
    for (int64_t shard = 0; shard < shards; ++shard) {
      int64_t global = shard * heads + head;
      size_t entry = 0;
      for (int64_t number : pairs) {
        std::optional<DilatedPair> pair = pairOf(dilated, number, length);
        auto [begin, end] = headsOf(dilated, number, heads * shards);
        if (!pair || global < begin || global >= end)
          continue;
        for (int64_t phase :
             phasesOf(dilated, number, global, heads * shards, pair->span)) {
          if (pair->rowsOf(phase) == 0)
            continue;
          if (entry == own.entries.size())
            own.entries.emplace_back(shards);
          own.entries[entry++][shard] = HeadRows{*pair, phase};
        }
      }
    }
    if (own.entries.empty())
      continue;
    if (!runs.empty() && runs.back().first + runs.back().count == head &&
        runs.back().entries == own.entries)
      ++runs.back().count;
    else
      runs.push_back(std::move(own));
  }
  return runs;
}

namespace {

/// Kept rows with equal distance: `size` of them from `row` on, whose numbers
/// within their block start with `number`.
struct Strand {
  int64_t row, size, number;
};

/// The rows that attend to each other.
struct RowBlock {
  int64_t position;
  SmallVector<Strand> strands;
};

/// The part of a strand that lies in rows `begin` to before `end`.
Strand within(const Strand &strand, int64_t rate, int64_t begin, int64_t end) {
  auto numberOf = [&](int64_t row) {
    return row <= strand.row
               ? 0
               : std::min<int64_t>(strand.size,
                                   llvm::divideCeil(row - strand.row, rate));
  };
  int64_t first = numberOf(begin), last = numberOf(end);
  return {strand.row + first * rate, last - first, strand.number + first};
}

int64_t blockRows(const HeadRows &rows) {
  return rows.pair.rowsOf(rows.phase) *
         (rows.pair.joined ? rows.pair.count : 1);
}

/// The blocks with rows between `begin` and `end`; positions `gap` apart.
SmallVector<RowBlock> blocksBetween(const HeadRows &rows, int64_t begin,
                                    int64_t end, int64_t gap) {
  const DilatedPair &pair = rows.pair;
  int64_t kept = pair.rowsOf(rows.phase);
  auto strandOf = [&](int64_t span) {
    return Strand{pair.begin + span * pair.span + rows.phase, kept, 0};
  };
  SmallVector<RowBlock> blocks;
  if (pair.joined) {
    RowBlock all{0, {}};
    for (int64_t span = 0; span < pair.count; ++span) {
      all.strands.push_back(strandOf(span));
      all.strands.back().number = span * kept;
    }
    blocks.push_back(std::move(all));
    return blocks;
  }
  int64_t first = std::max<int64_t>((begin - pair.begin) / pair.span, 0);
  for (int64_t span = first;
       span < pair.count && pair.begin + span * pair.span < end; ++span)
    blocks.push_back({span * gap, {strandOf(span)}});
  return blocks;
}

/// The rows of one device and the keys that they see.
class DilatedDevice {
public:
  DilatedDevice(const HeldRows &held, int64_t device, KeyOrder order)
      : rows(held, device), held(held), rank(held.axis.rankOf(device)),
        order(order) {}

  void add(const HeadRows &head, bool causal, std::optional<int64_t> keyLimit,
           int64_t gap) {
    int64_t begin = held.everywhere ? 0 : rank * held.shard;
    int64_t end = std::min(held.everywhere ? held.length : begin + held.shard,
                           held.length);
    int64_t rate = head.pair.rate;
    for (const RowBlock &block : blocksBetween(head, begin, end, gap)) {
      int64_t last = -1;
      for (const Strand &strand : block.strands) {
        Strand own = within(strand, rate, begin, end);
        if (own.size <= 0)
          continue;
        rows.addQueries(own.row, own.size, rate, block.position + own.number);
        last = own.number + own.size - 1;
      }
      if (last < 0)
        continue;
      int64_t before = rows.keys();
      addKeys(block, rate, causal ? std::optional(last) : std::nullopt,
              keyLimit);
      if (int64_t added = rows.keys() - before;
          order != KeyOrder::Identity && added > 0)
        rows.reorderKeys(added, visitOrder(order, added));
    }
  }

  DeviceRows rows;

private:
  /// All keys of a block, or those up to number `last`.
  void addKeys(const RowBlock &block, int64_t rate, std::optional<int64_t> last,
               std::optional<int64_t> keyLimit) {
    for (Strand strand : block.strands) {
      if (last)
        strand.size = std::min(strand.size, *last + 1 - strand.number);
      if (keyLimit && strand.size > 0)
        strand = within(strand, rate, 0, *keyLimit);
      if (strand.size > 0)
        rows.addKeys(strand.row, strand.size, rate,
                     block.position + strand.number);
    }
  }

  const HeldRows &held;
  int64_t rank;
  KeyOrder order;
};

} // namespace

std::optional<RowRoutes>
dilatedRoutes(ArrayRef<std::optional<HeadRows>> byShard, const HeldRows &held,
              bool causal, std::optional<int64_t> keyLimit, KeyOrder order) {
  MLIRContext *context = held.axis.getContext();
  int64_t longest = 1;
  for (const std::optional<HeadRows> &rows : byShard)
    if (rows)
      longest = std::max(longest, blockRows(*rows));

  std::vector<DeviceRows> devices;
  for (int64_t i = 0; i < held.axis.getNumDevices(); ++i) {
    int64_t shard = 0;
    if (held.headsAxis)
      shard = AxisAttr::get(context, *held.headsAxis, held.axis.getMesh())
                  .rankOf(i);
    DilatedDevice own(held, i, order);
    if (byShard[shard])
      own.add(*byShard[shard], causal, keyLimit, 2 * longest);
    devices.push_back(std::move(own.rows));
  }
  return joinRoutes(
      devices, held,
      WindowAttr::get(context, longest - 1, causal ? 0 : longest - 1));
}

} // namespace mlir::ring
