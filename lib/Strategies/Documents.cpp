// SPDX-License-Identifier: Apache-2.0
// Packed documents. Blocks list the places of their rows, by which one window
// tells documents apart, so that any strategy computes them; and one of their
// own fetches just the keys that somebody sees.

#include "Rules.h"
#include "ShardedAttention.h"
#include "ShardedBackward.h"
#include "ring/Analysis/DocumentRoutes.h"

namespace mlir::ring {

static constexpr int64_t kColumns = 3;
/// Fetched keys that stay together: what a device's chunks of keys have at
/// most.
static constexpr int64_t kKeyBlock = 512;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

void ShardedSequence::placeDocuments() {
  if (!traits().documents)
    return;
  setBlockPattern(windowOf(traits().documents));
  bool fetches = plan().getStrategy() == Strategy::Halo;
  if (!fetches && !plan().getBalanced())
    return;
  HeldRows held{axis(), std::nullopt, queryLayout.getShardLength(),
                queryLayout.getLength(), /*everywhere=*/false};
  std::vector<Positions> rows =
      rowsByRank(traits().documents, held, plan().getBalanced());
  routes = documentRoutes(traits().documents, held, rows, traits().realKeys);
  // Work that is even as it lies needs no rows moved.
  movesQueries = rows != rowsByRank(traits().documents, held,
                                    /*balanced=*/false);
}

BlockAttr ShardedSequence::documentBlock(BlockAttr rows, int64_t queries,
                                         int64_t keys) {
  ::ring::positions::Documents documents = traits().documents.getValue();
  // Rows that fill up are behind all others, and out of reach of each other.
  int64_t idleQueries = documents.idleRows();
  int64_t idleKeys = idleQueries + queries + documents.longest();
  SmallVector<int64_t> counts[2], ranges[2];
  auto append = [&](size_t side, const Positions &places) {
    counts[side].push_back(places.size());
    for (const PositionRange &range : places)
      ranges[side].append({range.begin, range.size, range.stride});
  };
  for (int64_t device = 0; device < axis().getNumDevices(); ++device) {
    append(0, documents.placesOf(rows.queriesOn(device, queries), idleQueries));
    append(1, documents.placesOf(rows.keysOn(device, keys), idleKeys,
                                 traits().realKeys));
  }
  MLIRContext *context = rows.getContext();
  auto places = [&](size_t side) {
    return PlacesAttr::get(context, counts[side], ranges[side]);
  };
  return BlockAttr::get(context, movesQueries ? routes->queryPlaces : places(0),
                        places(1), rows.getAxis());
}

bool ShardedSequence::isMet(BlockAttr block) {
  if (!traits().documents)
    return true;
  Band band = *blockPattern().getBand();
  PlacesAttr queries = block.getQueryPlaces(), keys = block.getKeyPlaces();
  for (int64_t device = 0; device < axis().getNumDevices(); ++device)
    if (classify(queries.positionsOn(device), keys.positionsOn(device), band) !=
        Coverage::Empty)
      return true;
  return false;
}

Value ShardedSequence::toBalanced(Value rows) {
  if (!movesQueries)
    return rows;
  return route(rows, routes->queryLegs, routes->queryRows);
}

Value ShardedSequence::fromBalanced(Value rows, float fill) {
  if (!movesQueries)
    return rows;
  return route(rows, routes->outputLegs, queryLayout.getShardLength(), fill);
}

//===----------------------------------------------------------------------===//
// Keys that are fetched
//===----------------------------------------------------------------------===//

/// Keys come in rounds of no more rows than a shard has. While those of one
/// round are attended to, the next ones come.
void buildFetchedDocuments(ShardedAttention &attention) {
  const RowRoutes &routes = attention.documentRows();
  int64_t shard = attention.keys().getShardLength();
  // Rows as they lie have few documents, whose keys are best in one piece.
  SmallVector<KeyRound> rounds = attention.plan().getBalanced()
                                     ? routes.dealtKeyRounds(shard, kKeyBlock)
                                     : routes.keyRounds(shard);
  auto fetch = [&](const KeyRound &round) -> KeyValue {
    return {
        attention.route(attention.keyValue().key, round.legs, round.rows),
        attention.route(attention.keyValue().value, round.legs, round.rows)};
  };
  KeyValue next = fetch(rounds.front());
  for (auto [number, round] : llvm::enumerate(rounds)) {
    KeyValue keys = next;
    if (number + 1 < rounds.size())
      next = fetch(rounds[number + 1]);
    attention.add(attention.attend(
        attention.query(), keys,
        BlockAttr::get(routes.pattern.getContext(), routes.queryPlaces,
                       round.places, attention.axis())));
  }
}

/// Keys come at once; their gradients go back to whoever has them, those of
/// keys and values side by side as one transfer, and who gets several adds them
/// up.
Gradients fetchedGradients(ShardedBackward &backward) {
  const RowRoutes &routes = backward.documentRows();
  TTIRBuilder &tensors = backward.tensors();
  int64_t shard = backward.keys().getShardLength();
  auto fetch = [&](Value rows) {
    return backward.route(rows, routes.keyLegs, routes.keyRows);
  };
  KeyValue own = backward.keyValue();
  Gradients gradients = backward.attend(
      backward.queryRows(), {fetch(own.key), fetch(own.value)},
      BlockAttr::get(routes.pattern.getContext(), routes.queryPlaces,
                     routes.keyPlaces, backward.axis()));
  Value both =
      tensors.concat({gradients.keys.key, gradients.keys.value}, kColumns);
  Value sum;
  for (ArrayAttr legs : routes.keyLegsBack) {
    Value part = backward.route(both, legs, shard);
    sum = sum ? tensors.add(sum, part) : part;
  }
  int64_t dim = backward.traits().dim, all = dim + backward.traits().valueDim;
  return {gradients.query,
          {tensors.slice(sum, kColumns, 0, dim),
           tensors.slice(sum, kColumns, dim, all)}};
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

Refusal refuseBalanced(const AttentionTraits &traits, PlanAttr plan) {
  if (!plan.getBalanced())
    return std::nullopt;
  if (!traits.documents)
    return say("expects packed documents for a balanced layout");
  if (plan.getLayout() != LayoutKind::Contiguous)
    return say("expects a balanced layout to start from a contiguous one, but "
               "got {0}",
               stringifyLayoutKind(plan.getLayout()));
  return refuseFeature(plan, &StrategyInfo::takesBalance, "a balanced layout");
}

Refusal refuseDocuments(const AttentionTraits &traits, PlanAttr plan) {
  if (!traits.documents)
    return std::nullopt;
  if (auto refusal = refuseFeature(plan, &StrategyInfo::takesDocuments,
                                   "packed documents"))
    return refusal;
  if (plan.getForm() == Form::Fused)
    return say("expects the explicit form for packed documents: no device op "
               "has them");
  // Every block lists the documents of every device, and a ring has as many
  // blocks as ranks.
  constexpr int64_t kMostEntries = int64_t(1) << 22;
  int64_t devices = plan.getAxis().getNumDevices();
  int64_t entries = traits.documents.getEnds().size() + devices;
  if (entries > kMostEntries / devices)
    return say("expects at most {0} entries in the lists of documents by "
               "device, but got {1} documents on {2} devices",
               kMostEntries, traits.documents.getEnds().size(), devices);
  return std::nullopt;
}

} // namespace mlir::ring
