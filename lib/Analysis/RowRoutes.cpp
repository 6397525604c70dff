// SPDX-License-Identifier: Apache-2.0
// From rows to legs and positions, device by device, and the way back.

#include "ring/Analysis/RowRoutes.h"
#include "llvm/Support/MathExtras.h"

#include <map>
#include <vector>

namespace mlir::ring {
namespace {

void addLeg(MLIRContext *context, SmallVectorImpl<Attribute> &legs,
            int64_t source, int64_t offset, int64_t size, int64_t stride,
            int64_t at) {
  // One row has no distance to the next.
  legs.push_back(LegAttr::get(context, source, offset, size,
                              size == 1 ? 1 : stride, at, /*step=*/1));
}

void addRange(SmallVectorImpl<int64_t> &ranges, int64_t position,
              int64_t size) {
  if (size_t count = ranges.size();
      count > 0 && ranges[count - 3] + ranges[count - 2] == position)
    ranges[count - 2] += size;
  else
    ranges.append({position, size, 1});
}

/// Rows up to `rows` that see nothing.
void fill(SmallVectorImpl<int64_t> &ranges, int64_t has, int64_t rows,
          int64_t position) {
  if (has < rows)
    ranges.append({position, rows - has, 1});
}

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
SmallVector<ArrayAttr> turnRound(ArrayRef<ArrayAttr> legsByDevice,
                                 const HeldRows &held) {
  MLIRContext *context = held.axis.getContext();
  int64_t rows = held.everywhere ? held.length : held.shard;
  std::vector<ReturnLegs> back(legsByDevice.size(), ReturnLegs(rows));
  for (auto [device, own] : llvm::enumerate(legsByDevice)) {
    std::map<int64_t, SmallVector<LegAttr>> bySource;
    for (Attribute attribute : own) {
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
/// become rows from `at` on; nothing if there is none.
LegAttr cutLeg(LegAttr leg, int64_t begin, int64_t end, int64_t at) {
  int64_t first = std::max(leg.getAt(), begin);
  int64_t size = std::min(leg.getAt() + leg.getSize(), end) - first;
  if (size <= 0)
    return {};
  return LegAttr::get(leg.getContext(), leg.getSource(),
                      leg.getOffset() + (first - leg.getAt()) * leg.getStride(),
                      size, size == 1 ? 1 : leg.getStride(), at + first - begin,
                      /*step=*/1);
}

/// The places of the rows in some ranges, `[begin, end)`, of every device.
PlacesAttr cutPlaces(PlacesAttr places,
                     ArrayRef<std::pair<int64_t, int64_t>> cuts) {
  SmallVector<int64_t> counts, ranges;
  ArrayRef<int64_t> rest = places.getRanges();
  for (int64_t count : places.getCounts()) {
    size_t before = ranges.size();
    ArrayRef<int64_t> own = rest.take_front(3 * count);
    rest = rest.drop_front(3 * count);
    for (auto [begin, end] : cuts) {
      int64_t row = 0;
      for (ArrayRef<int64_t> left = own; !left.empty();
           left = left.drop_front(3)) {
        int64_t first = std::max(row, begin);
        int64_t size = std::min(row + left[1], end) - first;
        if (size > 0)
          ranges.append({left[0] + (first - row) * left[2], size, left[2]});
        row += left[1];
      }
    }
    counts.push_back((ranges.size() - before) / 3);
  }
  return PlacesAttr::get(places.getContext(), counts, ranges);
}

} // namespace

//===----------------------------------------------------------------------===//
// One device
//===----------------------------------------------------------------------===//

DeviceRows::DeviceRows(const HeldRows &held, int64_t device)
    : held(held), rank(held.axis.rankOf(device)) {}

void DeviceRows::fetch(SmallVectorImpl<Attribute> &legs, int64_t row,
                       int64_t size, int64_t rate, int64_t &count) {
  MLIRContext *context = held.axis.getContext();
  if (held.everywhere) {
    addLeg(context, legs, 0, row, size, rate, count);
    count += size;
    return;
  }
  while (size > 0) {
    int64_t from = row / held.shard, offset = row % held.shard;
    int64_t there =
        std::min<int64_t>(size, llvm::divideCeil(held.shard - offset, rate));
    addLeg(context, legs, from - rank, offset, there, rate, count);
    count += there;
    row += there * rate;
    size -= there;
  }
}

void DeviceRows::addQueries(int64_t row, int64_t size, int64_t rate,
                            int64_t position) {
  addRange(queryRanges, position, size);
  fetch(queryLegs, row, size, rate, queryRows);
}

void DeviceRows::addKeys(int64_t row, int64_t size, int64_t rate,
                         int64_t position) {
  addRange(keyRanges, position, size);
  fetch(keyLegs, row, size, rate, keyRows);
}

/// Takes legs and ranges apart, row by row.
void DeviceRows::reorderKeys(int64_t count, ArrayRef<int64_t> visits) {
  struct Row {
    int64_t source, offset, position;
  };
  SmallVector<Row> rows;
  while (static_cast<int64_t>(rows.size()) < count) {
    auto leg = cast<LegAttr>(keyLegs.pop_back_val());
    for (int64_t i = leg.getSize(); i-- > 0;)
      rows.push_back(
          {leg.getSource(), leg.getOffset() + i * leg.getStride(), 0});
  }
  // Blocks stand too far apart for a range to go on from one to the next.
  for (size_t row = 0; row < rows.size();) {
    size_t last = keyRanges.size() - 3;
    for (int64_t j = keyRanges[last + 1]; j-- > 0;)
      rows[row++].position = keyRanges[last] + j;
    keyRanges.truncate(last);
  }
  std::reverse(rows.begin(), rows.end());
  int64_t at = keyRows - count;
  for (int64_t number : visits) {
    const Row &next = rows[number];
    addLeg(held.axis.getContext(), keyLegs, next.source, next.offset, 1, 1,
           at++);
    addRange(keyRanges, next.position, 1);
  }
}

//===----------------------------------------------------------------------===//
// All devices
//===----------------------------------------------------------------------===//

KeyRound
RowRoutes::roundOf(ArrayRef<std::pair<int64_t, int64_t>> ranges) const {
  int64_t rows = 0;
  for (auto [begin, end] : ranges)
    rows += end - begin;
  SmallVector<Attribute> byDevice;
  for (Attribute legs : keyLegs) {
    SmallVector<Attribute> kept;
    int64_t at = 0;
    for (auto [begin, end] : ranges) {
      for (Attribute leg : cast<ArrayAttr>(legs))
        if (LegAttr part = cutLeg(cast<LegAttr>(leg), begin, end, at))
          kept.push_back(part);
      at += end - begin;
    }
    byDevice.push_back(ArrayAttr::get(keyLegs.getContext(), kept));
  }
  return {rows, ArrayAttr::get(keyLegs.getContext(), byDevice),
          cutPlaces(keyPlaces, ranges)};
}

SmallVector<KeyRound> RowRoutes::keyRounds(int64_t mostRows) const {
  int64_t count = llvm::divideCeil(keyRows, mostRows);
  SmallVector<KeyRound> rounds;
  for (int64_t round = 0; round < count; ++round)
    rounds.push_back(
        roundOf({{keyRows * round / count, keyRows * (round + 1) / count}}));
  return rounds;
}

/// 10 blocks, at most 4 in a round: 0 3 6 9, 1 4 7 and 2 5 8.
SmallVector<KeyRound> RowRoutes::dealtKeyRounds(int64_t mostRows,
                                                int64_t blockRows) const {
  if (keyRows <= mostRows || blockRows > mostRows)
    return keyRounds(mostRows);
  int64_t blocks = llvm::divideCeil(keyRows, blockRows);
  int64_t count = llvm::divideCeil(blocks, mostRows / blockRows);
  SmallVector<KeyRound> rounds;
  for (int64_t round = 0; round < count; ++round) {
    SmallVector<std::pair<int64_t, int64_t>> ranges;
    for (int64_t begin = round * blockRows; begin < keyRows;
         begin += count * blockRows)
      ranges.push_back({begin, std::min(begin + blockRows, keyRows)});
    rounds.push_back(roundOf(ranges));
  }
  return rounds;
}

std::optional<RowRoutes> joinRoutes(ArrayRef<DeviceRows> devices,
                                    const HeldRows &held, WindowAttr pattern,
                                    int64_t leastQueries) {
  MLIRContext *context = held.axis.getContext();
  RowRoutes routes;
  for (const DeviceRows &own : devices) {
    routes.queryRows = std::max(routes.queryRows, own.queryRows);
    routes.keyRows = std::max(routes.keyRows, own.keyRows);
  }
  if (routes.queryRows == 0 || routes.keyRows == 0)
    return std::nullopt;
  routes.queryRows = std::max(routes.queryRows, leastQueries);

  // Rows that fill up stand behind all others, out of reach of them and of each
  // other, but near: kernels take all positions further apart than 2^30 for
  // one.
  int64_t idleQueries = 0;
  for (const DeviceRows &own : devices)
    for (const SmallVector<int64_t> *ranges :
         {&own.queryRanges, &own.keyRanges})
      for (size_t i = 0; i < ranges->size(); i += 3)
        idleQueries =
            std::max(idleQueries, (*ranges)[i] + (*ranges)[i + 1] +
                                      pattern.getBefore() + pattern.getAfter());
  int64_t idleKeys = idleQueries + routes.queryRows + pattern.getAfter();

  SmallVector<ArrayAttr> queryLegs, keyLegs;
  SmallVector<int64_t> queryCounts, keyCounts, queryRanges, keyRanges;
  auto place = [&](SmallVector<int64_t> ranges, int64_t has, int64_t rows,
                   int64_t idle, SmallVector<int64_t> &counts,
                   SmallVector<int64_t> &all) {
    fill(ranges, has, rows, idle);
    counts.push_back(ranges.size() / 3);
    all.append(ranges);
  };
  for (const DeviceRows &own : devices) {
    queryLegs.push_back(ArrayAttr::get(context, own.queryLegs));
    keyLegs.push_back(ArrayAttr::get(context, own.keyLegs));
    place(own.queryRanges, own.queryRows, routes.queryRows, idleQueries,
          queryCounts, queryRanges);
    place(own.keyRanges, own.keyRows, routes.keyRows, idleKeys, keyCounts,
          keyRanges);
  }
  auto list = [&](ArrayRef<ArrayAttr> byDevice) {
    return ArrayAttr::get(context, SmallVector<Attribute>(byDevice));
  };
  routes.queryLegs = list(queryLegs);
  routes.keyLegs = list(keyLegs);
  // Every query is on one device, so that one list brings all outputs back.
  routes.outputLegs = turnRound(queryLegs, held).front();
  routes.keyLegsBack = turnRound(keyLegs, held);
  routes.queryPlaces = PlacesAttr::get(context, queryCounts, queryRanges);
  routes.keyPlaces = PlacesAttr::get(context, keyCounts, keyRanges);
  routes.pattern = pattern;
  return routes;
}

} // namespace mlir::ring
