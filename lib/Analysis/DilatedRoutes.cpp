// SPDX-License-Identifier: Apache-2.0
// From the rows of segments to legs and positions, device by device.

#include "ring/Analysis/DilatedRoutes.h"
#include "ring/Analysis/VisitOrder.h"
#include "llvm/Support/MathExtras.h"

#include <map>
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

using ::ring::positions::kIdleKeys;
using ::ring::positions::kIdleQueries;

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

/// One device's side of the routes.
class DeviceRoutes {
public:
  DeviceRoutes(MLIRContext *context, const HeldRows &held, int64_t device,
               KeyOrder order)
      : context(context), held(held), rank(held.axis.rankOf(device)),
        order(order) {}

  void add(const HeadRows &rows, bool causal, std::optional<int64_t> keyLimit,
           int64_t gap) {
    int64_t begin = held.everywhere ? 0 : rank * held.shard;
    int64_t end = std::min(held.everywhere ? held.length : begin + held.shard,
                           held.length);
    int64_t rate = rows.pair.rate;
    for (const RowBlock &block : blocksBetween(rows, begin, end, gap)) {
      int64_t last = -1;
      for (const Strand &strand : block.strands) {
        Strand own = within(strand, rate, begin, end);
        if (own.size <= 0)
          continue;
        addLeg(queryLegs, 0, own.row - begin, own.size, rate, queries, 1);
        addLeg(outputLegs, 0, queries, own.size, 1, own.row - begin, rate);
        addRange(queryRanges, block.position + own.number, own.size);
        queries += own.size;
        last = own.number + own.size - 1;
      }
      if (last < 0)
        continue;
      size_t firstLeg = keyLegs.size(), firstRange = keyRanges.size();
      addKeys(block, rate, causal ? std::optional(last) : std::nullopt,
              keyLimit);
      if (order != KeyOrder::Identity)
        reorderKeys(firstLeg, firstRange);
    }
  }

  /// Rows up to `rows` that see nothing.
  static void fill(SmallVectorImpl<int64_t> &ranges, int64_t has, int64_t rows,
                   int64_t position) {
    if (has < rows)
      ranges.append({position, rows - has, 1});
  }

  SmallVector<Attribute> queryLegs, keyLegs, outputLegs;
  SmallVector<int64_t> queryRanges, keyRanges;
  int64_t queries = 0, keys = 0;

private:
  /// All keys of a block, or those up to number `last`, from who has them.
  void addKeys(const RowBlock &block, int64_t rate, std::optional<int64_t> last,
               std::optional<int64_t> keyLimit) {
    for (Strand strand : block.strands) {
      if (last)
        strand.size = std::min(strand.size, *last + 1 - strand.number);
      if (keyLimit && strand.size > 0)
        strand = within(strand, rate, 0, *keyLimit);
      if (strand.size <= 0)
        continue;
      addRange(keyRanges, block.position + strand.number, strand.size);
      if (held.everywhere) {
        addLeg(keyLegs, 0, strand.row, strand.size, rate, keys, 1);
        keys += strand.size;
        continue;
      }
      int64_t lastRow = strand.row + (strand.size - 1) * rate;
      for (int64_t from = strand.row / held.shard; from <= lastRow / held.shard;
           ++from) {
        int64_t start = from * held.shard;
        Strand there = within(strand, rate, start, start + held.shard);
        if (there.size <= 0)
          continue;
        addLeg(keyLegs, from - rank, there.row - start, there.size, rate, keys,
               1);
        keys += there.size;
      }
    }
  }

  /// Takes the legs and ranges of the last block apart, row by row, and puts
  /// the rows in the order of the visits.
  void reorderKeys(size_t firstLeg, size_t firstRange) {
    struct Row {
      int64_t source, offset, position;
    };
    SmallVector<Row> rows;
    for (Attribute attribute : ArrayRef(keyLegs).drop_front(firstLeg)) {
      auto leg = cast<LegAttr>(attribute);
      for (int64_t i = 0; i < leg.getSize(); ++i)
        rows.push_back(
            {leg.getSource(), leg.getOffset() + i * leg.getStride(), 0});
    }
    // Blocks stand too far apart for a range to go on from one to the next.
    size_t row = 0;
    for (size_t i = firstRange; i < keyRanges.size(); i += 3)
      for (int64_t j = 0; j < keyRanges[i + 1]; ++j)
        rows[row++].position = keyRanges[i] + j;
    keyRanges.truncate(firstRange);
    keyLegs.truncate(firstLeg);
    int64_t at = keys - static_cast<int64_t>(rows.size());
    for (int64_t number : visitOrder(order, rows.size())) {
      const Row &next = rows[number];
      addLeg(keyLegs, next.source, next.offset, 1, 1, at++, 1);
      addRange(keyRanges, next.position, 1);
    }
  }

  void addLeg(SmallVectorImpl<Attribute> &legs, int64_t source, int64_t offset,
              int64_t size, int64_t stride, int64_t at, int64_t step) {
    // One row has no distance to the next.
    legs.push_back(LegAttr::get(context, source, offset, size,
                                size == 1 ? 1 : stride, at,
                                size == 1 ? 1 : step));
  }

  static void addRange(SmallVectorImpl<int64_t> &ranges, int64_t position,
                       int64_t size) {
    if (size_t count = ranges.size();
        count > 0 && ranges[count - 3] + ranges[count - 2] == position)
      ranges[count - 2] += size;
    else
      ranges.append({position, size, 1});
  }

  MLIRContext *context;
  const HeldRows &held;
  int64_t rank;
  KeyOrder order;
};

/// The legs of one device on the way back, in lists of which each has a row of
/// the device at most once.
class ReturnLegs {
public:
  explicit ReturnLegs(int64_t rows) : rows(rows) {}

  /// Adds legs to different rows, all of one source.
  void add(ArrayRef<LegAttr> legs) {
    size_t layer = 0;
    while (layer < layers.size() && collides(layers[layer], legs))
      ++layer;
    if (layer == layers.size())
      layers.push_back({{}, std::vector<bool>(rows)});
    for (LegAttr leg : legs) {
      layers[layer].legs.push_back(leg);
      for (int64_t i = 0; i < leg.getSize(); ++i)
        layers[layer].taken[leg.getAt() + i * leg.getStep()] = true;
    }
  }

  size_t size() const { return layers.size(); }
  /// The legs of a list, none where this device has fewer lists.
  ArrayRef<Attribute> legsOf(size_t layer) const {
    return layer < layers.size() ? ArrayRef(layers[layer].legs)
                                 : ArrayRef<Attribute>();
  }

private:
  struct Layer {
    SmallVector<Attribute> legs;
    std::vector<bool> taken;
  };

  static bool collides(const Layer &layer, ArrayRef<LegAttr> legs) {
    return llvm::any_of(legs, [&](LegAttr leg) {
      for (int64_t i = 0; i < leg.getSize(); ++i)
        if (layer.taken[leg.getAt() + i * leg.getStep()])
          return true;
      return false;
    });
  }

  int64_t rows;
  std::vector<Layer> layers;
};

/// Turns the legs of all devices round. A leg that takes rows 1, 4, 7 of the
/// rank before as rows 10 to 12 becomes one of that rank, which takes rows 10
/// to 12 of the rank behind it as 1, 4, 7.
SmallVector<ArrayAttr> turnRound(ArrayRef<DeviceRoutes> devices,
                                 const HeldRows &held) {
  MLIRContext *context = held.axis.getContext();
  std::vector<ReturnLegs> back(devices.size(), ReturnLegs(held.shard));
  for (auto [device, own] : llvm::enumerate(devices)) {
    std::map<int64_t, SmallVector<LegAttr>> bySource;
    for (Attribute attribute : own.keyLegs) {
      auto leg = cast<LegAttr>(attribute);
      bySource[leg.getSource()].push_back(
          LegAttr::get(context, -leg.getSource(), leg.getAt(), leg.getSize(),
                       /*stride=*/1, leg.getOffset(), leg.getStride()));
    }
    for (auto &[source, legs] : bySource)
      back[held.axis.neighbour(device, source)].add(legs);
  }
  size_t layers = 0;
  for (const ReturnLegs &legs : back)
    layers = std::max(layers, legs.size());
  SmallVector<ArrayAttr> lists;
  for (size_t layer = 0; layer < layers; ++layer) {
    SmallVector<Attribute> byDevice;
    for (const ReturnLegs &legs : back)
      byDevice.push_back(ArrayAttr::get(context, legs.legsOf(layer)));
    lists.push_back(ArrayAttr::get(context, byDevice));
  }
  return lists;
}

/// The part of a leg that brings packed rows from `begin` to `end`, which
/// become rows from 0 on; nothing if there is none.
LegAttr cutLeg(LegAttr leg, int64_t begin, int64_t end) {
  int64_t first = std::max(leg.getAt(), begin);
  int64_t size = std::min(leg.getAt() + leg.getSize(), end) - first;
  if (size <= 0)
    return {};
  return LegAttr::get(leg.getContext(), leg.getSource(),
                      leg.getOffset() + (first - leg.getAt()) * leg.getStride(),
                      size, size == 1 ? 1 : leg.getStride(), first - begin,
                      /*step=*/1);
}

/// The places of the rows from `begin` to `end` of every device.
PlacesAttr cutPlaces(PlacesAttr places, int64_t begin, int64_t end) {
  SmallVector<int64_t> counts, ranges;
  ArrayRef<int64_t> rest = places.getRanges();
  for (int64_t count : places.getCounts()) {
    size_t before = ranges.size();
    int64_t row = 0;
    for (int64_t i = 0; i < count; ++i, rest = rest.drop_front(3)) {
      int64_t first = std::max(row, begin);
      int64_t size = std::min(row + rest[1], end) - first;
      if (size > 0)
        ranges.append({rest[0] + (first - row) * rest[2], size, rest[2]});
      row += rest[1];
    }
    counts.push_back((ranges.size() - before) / 3);
  }
  return PlacesAttr::get(places.getContext(), counts, ranges);
}

} // namespace

SmallVector<KeyRound> DilatedRoutes::keyRounds(int64_t mostRows) const {
  int64_t count = llvm::divideCeil(keyRows, mostRows);
  SmallVector<KeyRound> rounds;
  for (int64_t round = 0; round < count; ++round) {
    int64_t begin = keyRows * round / count;
    int64_t end = keyRows * (round + 1) / count;
    SmallVector<Attribute> byDevice;
    for (Attribute legs : keyLegs) {
      SmallVector<Attribute> kept;
      for (Attribute leg : cast<ArrayAttr>(legs))
        if (LegAttr part = cutLeg(cast<LegAttr>(leg), begin, end))
          kept.push_back(part);
      byDevice.push_back(ArrayAttr::get(keyLegs.getContext(), kept));
    }
    rounds.push_back({end - begin,
                      ArrayAttr::get(keyLegs.getContext(), byDevice),
                      cutPlaces(keyPlaces, begin, end)});
  }
  return rounds;
}

std::optional<DilatedRoutes>
DilatedRoutes::of(ArrayRef<std::optional<HeadRows>> byShard,
                  const HeldRows &held, bool causal,
                  std::optional<int64_t> keyLimit, KeyOrder order) {
  MLIRContext *context = held.axis.getContext();
  int64_t longest = 1;
  for (const std::optional<HeadRows> &rows : byShard)
    if (rows)
      longest = std::max(longest, blockRows(*rows));

  DilatedRoutes routes;
  std::vector<DeviceRoutes> devices;
  for (int64_t i = 0; i < held.axis.getNumDevices(); ++i) {
    int64_t shard = 0;
    if (held.headsAxis)
      shard = AxisAttr::get(context, *held.headsAxis, held.axis.getMesh())
                  .rankOf(i);
    DeviceRoutes &own = devices.emplace_back(context, held, i, order);
    if (byShard[shard])
      own.add(*byShard[shard], causal, keyLimit, 2 * longest);
    routes.queryRows = std::max(routes.queryRows, own.queries);
    routes.keyRows = std::max(routes.keyRows, own.keys);
  }
  if (routes.queryRows == 0 || routes.keyRows == 0)
    return std::nullopt;

  SmallVector<Attribute> queryLegs, keyLegs, outputLegs;
  SmallVector<int64_t> queryCounts, keyCounts, queryRanges, keyRanges;
  for (DeviceRoutes &own : devices) {
    queryLegs.push_back(ArrayAttr::get(context, own.queryLegs));
    keyLegs.push_back(ArrayAttr::get(context, own.keyLegs));
    outputLegs.push_back(ArrayAttr::get(context, own.outputLegs));
    DeviceRoutes::fill(own.queryRanges, own.queries, routes.queryRows,
                       kIdleQueries);
    DeviceRoutes::fill(own.keyRanges, own.keys, routes.keyRows, kIdleKeys);
    queryCounts.push_back(own.queryRanges.size() / 3);
    keyCounts.push_back(own.keyRanges.size() / 3);
    queryRanges.append(own.queryRanges);
    keyRanges.append(own.keyRanges);
  }
  routes.queryLegs = ArrayAttr::get(context, queryLegs);
  routes.keyLegs = ArrayAttr::get(context, keyLegs);
  routes.outputLegs = ArrayAttr::get(context, outputLegs);
  routes.keyLegsBack = turnRound(devices, held);
  routes.queryPlaces = PlacesAttr::get(context, queryCounts, queryRanges);
  routes.keyPlaces = PlacesAttr::get(context, keyCounts, keyRanges);
  routes.pattern =
      WindowAttr::get(context, longest - 1, causal ? 0 : longest - 1);
  return routes;
}

} // namespace mlir::ring
