// SPDX-License-Identifier: Apache-2.0
// Gradients of dilated attention: every group of heads is packed as for the
// attention, its keys meet its queries the same way, and what it contributes is
// added to the gradients in the places of its rows.

#include "DilatedPlaces.h"
#include "DilatedRows.h"
#include "ShardedBackward.h"
#include "ring/Support/GradientSum.h"

namespace mlir::ring {
namespace {

constexpr int64_t kHeads = 1, kRows = 2, kColumns = 3;

/// The same for every tensor that goes with some queries.
template <typename Function>
QueryRows forEach(const QueryRows &rows, Function function) {
  auto of = [&](Value value) { return value ? function(value) : value; };
  return {of(rows.gradOutput), of(rows.output), of(rows.lse), of(rows.query)};
}

template <typename Function>
KeyValue forEach(KeyValue keys, Function function) {
  return {function(keys.key), function(keys.value)};
}

/// A group with its packed rows.
struct PackedRowsAndKeys {
  PlacedGroup place;
  QueryRows rows;
  KeyValue keys;
};

/// The same for heads whose rows lie differently on every device.
struct RoutedRowsAndKeys {
  RoutedRun run;
  QueryRows rows;
  KeyValue keys;
};

class DilatedBackwardStrategy {
public:
  explicit DilatedBackwardStrategy(ShardedBackward &backward)
      : backward(backward), tensors(backward.tensors()),
        dilated(backward.traits().dilation),
        rows(TTIRBuilder::typeOf(backward.queryRows().query).getDimSize(kRows)),
        queryGrad(likeIn(backward.queryRows().query), kHeads),
        keyGrad(likeIn(backward.keyValue().key), kHeads),
        valueGrad(likeIn(backward.keyValue().value), kHeads) {}

  void run() {
    // All that travels is made ready first, so that it can start to.
    DilatedPlaces places =
        DilatedPlaces::of(backward, {headsOf(backward.queryRows().query),
                                     headsOf(backward.keyValue().key), rows});
    std::vector<PackedRowsAndKeys> groups;
    for (const PlacedGroup &group : places.packed)
      groups.push_back(pack(group));
    std::vector<RoutedRowsAndKeys> routed;
    for (const RoutedRun &run : places.routed)
      routed.push_back(route(run));

    PatternAttrInterface pattern;
    if (dilated.getCausal())
      pattern = CausalAttr::get(dilated.getContext());
    backward.setBlockPattern(pattern);
    // What is here computes while what is not travels.
    for (bool local : {true, false})
      for (const PackedRowsAndKeys &group : groups)
        if (group.place.isLocal() == local) {
          setVisitsOf(backward, group.place);
          unpack(group.place,
                 local ? attendHere(group) : attendNeighbours(group));
        }
    for (const RoutedRowsAndKeys &group : routed)
      attendRouted(group);
    finish();
  }

private:
  PackedRowsAndKeys pack(const PlacedGroup &group);
  RoutedRowsAndKeys route(const RoutedRun &run);
  Gradients attendHere(const PackedRowsAndKeys &group);
  Gradients attendNeighbours(const PackedRowsAndKeys &group);
  Gradients attendRing(const PackedRowsAndKeys &group, AxisAttr axis);
  Gradients attendGathered(const PackedRowsAndKeys &group, AxisAttr axis);
  Gradients trade(const PackedRowsAndKeys &group, AxisAttr axis);
  void attendRouted(const RoutedRowsAndKeys &group);
  void unpack(const PlacedGroup &group, Gradients gradients);
  void finish();

  Gradients attend(const QueryRows &rows, KeyValue keys, BlockAttr block);
  QueryRows withOwnOutput(const QueryRows &rows, Part own);

  /// Of a mean only the mix of all pairs is given.
  bool recomputes() const { return dilated.getMix() == DilationMix::Mean; }

  /// How the ranks of a sub-ring hold the packed rows of a segment.
  LayoutAttr layoutOf(const PackedRowsAndKeys &group, AxisAttr axis) {
    int64_t kept = TTIRBuilder::typeOf(group.rows.query).getDimSize(kRows);
    return LayoutAttr::get(axis.getContext(), LayoutKind::Contiguous,
                           axis.getRanks() * kept, axis.getRanks(),
                           /*offset=*/0);
  }

  /// The queries' side without what is computed again.
  QueryRows givenRows() const {
    QueryRows rows = backward.queryRows();
    if (recomputes())
      rows.output = rows.lse = Value();
    return rows;
  }

  static int64_t headsOf(Value value) {
    return TTIRBuilder::typeOf(value).getDimSize(kHeads);
  }
  static RankedTensorType likeIn(Value value) {
    return RankedTensorType::get(TTIRBuilder::typeOf(value).getShape(),
                                 Float32Type::get(value.getContext()));
  }

  ShardedBackward &backward;
  TTIRBuilder &tensors;
  DilatedAttr dilated;
  int64_t rows;
  GradientSum queryGrad, keyGrad, valueGrad;
};

//===----------------------------------------------------------------------===//
// From shards to packed rows
//===----------------------------------------------------------------------===//

PackedRowsAndKeys DilatedBackwardStrategy::pack(const PlacedGroup &group) {
  auto packed = [&](ArrayRef<PackedHead> heads) {
    return [&, heads](Value shard) {
      return packHeads(tensors, shard, heads, group.placement.local);
    };
  };
  setVisitsOf(backward, group);
  KeyValue keys = forEach(backward.keyValue(), packed(group.group.keys));
  return {
      group, forEach(givenRows(), packed(group.group.queries)),
      forEach(keys, [&](Value rows) { return backward.inVisitOrder(rows); })};
}

RoutedRowsAndKeys DilatedBackwardStrategy::route(const RoutedRun &run) {
  auto routed = [&](int64_t first, int64_t count, ArrayAttr legs,
                    int64_t rows) {
    return [=](Value shard) {
      return backward.route(tensors.slice(shard, kHeads, first, first + count),
                            legs, rows);
    };
  };
  const RowRoutes &routes = run.routes;
  return {run,
          forEach(givenRows(), routed(run.first, run.count, routes.queryLegs,
                                      routes.queryRows)),
          forEach(backward.keyValue(), routed(run.firstKey, run.keyCount,
                                              routes.keyLegs, routes.keyRows))};
}

//===----------------------------------------------------------------------===//
// What packed rows contribute
//===----------------------------------------------------------------------===//

/// The output of a partition of the heads was divided by the number of pairs,
/// and so are gradients in the end. In between both are as if there were one
/// pair: with G pairs, rowsum(grad * (G * output)) is the delta of the rows.
QueryRows DilatedBackwardStrategy::withOwnOutput(const QueryRows &rows,
                                                 Part own) {
  QueryRows result = rows;
  if (recomputes()) {
    result.output = own.output;
    result.lse = own.lse;
    return result;
  }
  if (int64_t divisor = divisorOf(dilated); divisor != 1) {
    Value output = tensors.typecast(rows.output, tensors.f32());
    result.output = tensors.multiply(
        output, tensors.full(TTIRBuilder::typeOf(output).getShape(),
                             tensors.f32(), static_cast<float>(divisor)));
  }
  return result;
}

/// Of rows that have all their keys here.
Gradients DilatedBackwardStrategy::attend(const QueryRows &rows, KeyValue keys,
                                          BlockAttr block) {
  Part own;
  if (recomputes())
    own = backward.recompute(rows.query, keys, block);
  return backward.attend(withOwnOutput(rows, own), keys, block);
}

Gradients DilatedBackwardStrategy::attendHere(const PackedRowsAndKeys &group) {
  const DilatedGroup &heads = group.place.group;
  int64_t spans = group.place.spans();
  bool intoBatch = heads.queries.size() != heads.keys.size();
  auto fold = [&](Value packed) {
    return foldSpans(tensors, packed, spans, intoBatch);
  };
  auto unfold = [&](Value folded) {
    return unfoldSpans(tensors, folded, spans, intoBatch,
                       backward.traits().batch);
  };
  auto rows = forEach(group.rows, fold);
  auto keys = forEach(group.keys, fold);
  Gradients gradients =
      attend(rows, keys, backward.blockHere(group.place.keptRows() / spans));
  return {unfold(gradients.query), forEach(gradients.keys, unfold)};
}

Gradients
DilatedBackwardStrategy::attendNeighbours(const PackedRowsAndKeys &group) {
  AxisAttr axis = neighboursOn(backward.axis(), group.place.placement.ranks);
  if (tradesHeads(backward, group.place))
    return trade(group, axis);
  if (backward.plan().getStrategy() == Strategy::AllGather)
    return attendGathered(group, axis);
  return attendRing(group, axis);
}

Gradients DilatedBackwardStrategy::attendRing(const PackedRowsAndKeys &group,
                                              AxisAttr axis) {
  LayoutAttr layout = layoutOf(group, axis);
  Part own;
  if (recomputes()) {
    KeyValue here = group.keys;
    for (int64_t hop = 0; hop < axis.getRanks(); ++hop) {
      if (hop > 0) {
        SmallVector<Value> next =
            backward.shift({here.key, here.value}, /*by=*/1, axis);
        here = {next[0], next[1]};
      }
      Part part = backward.recompute(
          group.rows.query, here, backward.block(layout, layout, -hop, axis));
      own = hop == 0 ? part : backward.merge(own, part);
    }
  }
  return ringGradients(backward, withOwnOutput(group.rows, own), group.keys,
                       layout, layout, axis);
}

Gradients
DilatedBackwardStrategy::attendGathered(const PackedRowsAndKeys &group,
                                        AxisAttr axis) {
  LayoutAttr layout = layoutOf(group, axis);
  Gradients parts =
      attend(group.rows, gatherKeys(backward, group.keys, axis),
             backward.block(layout, everywhere(layout), /*source=*/0, axis));
  return {parts.query, sumToOwner(backward, parts.keys, axis)};
}

/// Every rank gets all rows of some heads, and hands back the gradients of
/// everybody's. Key heads that were repeated come back as often.
Gradients DilatedBackwardStrategy::trade(const PackedRowsAndKeys &group,
                                         AxisAttr axis) {
  auto toHeads = [&](Value packed) {
    return tradeForHeads(backward, packed, axis);
  };
  auto toRows = [&](Value traded) {
    return backward.allToAll(traded, kRows, kHeads, axis);
  };
  auto rows = forEach(group.rows, toHeads);
  auto keys = forEach(group.keys, toHeads);
  Gradients gradients = attend(
      rows, keys, backward.blockHere(group.place.keptRows() * axis.getRanks()));
  int64_t heads = group.place.group.keys.size();
  return {toRows(gradients.query), forEach(gradients.keys, [&](Value traded) {
            return sumCopies(tensors, toRows(traded), heads);
          })};
}

/// Keys' gradients go back to whoever has the keys, those of keys and values
/// side by side as one transfer; who gets several adds them up.
void DilatedBackwardStrategy::attendRouted(const RoutedRowsAndKeys &group) {
  const RowRoutes &routes = group.run.routes;
  backward.setBlockPattern(routes.pattern);
  Gradients gradients =
      attend(group.rows, group.keys,
             BlockAttr::get(dilated.getContext(), routes.queryPlaces,
                            routes.keyPlaces, backward.axis()));
  queryGrad.add(group.run.first,
                backward.route(gradients.query, routes.outputLegs, rows));
  Value both =
      tensors.concat({gradients.keys.key, gradients.keys.value}, kColumns);
  Value sum;
  for (ArrayAttr legs : routes.keyLegsBack) {
    Value part = backward.route(both, legs, rows);
    sum = sum ? tensors.add(sum, part) : part;
  }
  int64_t dim = backward.traits().dim, all = dim + backward.traits().valueDim;
  keyGrad.add(group.run.firstKey, tensors.slice(sum, kColumns, 0, dim));
  valueGrad.add(group.run.firstKey, tensors.slice(sum, kColumns, dim, all));
}

//===----------------------------------------------------------------------===//
// From packed rows back to shards
//===----------------------------------------------------------------------===//

void DilatedBackwardStrategy::unpack(const PlacedGroup &group,
                                     Gradients gradients) {
  auto addTo = [&](GradientSum &sum, ArrayRef<PackedHead> heads, Value packed) {
    for (const HeadRun &run : findRuns(heads)) {
      SmallVector<PackedRows> pieces;
      for (auto [phase, at] : run.phases)
        pieces.push_back(
            {phase, tensors.slice(packed, kHeads, at, at + run.count)});
      sum.add(run.first, unpackRows(tensors, pieces, group.placement.local,
                                    rows, /*fill=*/0.0f));
    }
  };
  addTo(queryGrad, group.group.queries, gradients.query);
  addTo(keyGrad, group.group.keys, backward.inRowOrder(gradients.keys.key));
  addTo(valueGrad, group.group.keys, backward.inRowOrder(gradients.keys.value));
}

void DilatedBackwardStrategy::finish() {
  float weight = 1.0f / static_cast<float>(divisorOf(dilated));
  auto weighted = [&](GradientSum &gradient) {
    Value sum = gradient.sum(tensors);
    if (weight == 1.0f)
      return sum;
    return tensors.multiply(sum,
                            tensors.full(TTIRBuilder::typeOf(sum).getShape(),
                                         tensors.f32(), weight));
  };
  Value query = weighted(queryGrad);
  Value key = weighted(keyGrad);
  backward.finish({query, {key, weighted(valueGrad)}});
}

} // namespace

void buildDilatedBackward(ShardedBackward &backward) {
  DilatedBackwardStrategy(backward).run();
}

} // namespace mlir::ring
