// SPDX-License-Identifier: Apache-2.0
// Strategies for gradients: everybody everything, gathered keys, and the ring
// in which the gradients of keys travel after their keys.

#include "ShardedBackward.h"

namespace mlir::ring {

static constexpr int64_t kBatch = 0, kRows = 2;

/// An all-to-all hands each device the parts of its own keys, one behind the
/// other along the batch, and it adds them up in the order of the ranks.
static Value sumToOwner(ShardedBackward &backward, Value parts, AxisAttr axis) {
  int64_t batch = backward.traits().batch;
  Value own = backward.allToAll(parts, kRows, kBatch, axis);
  Value sum;
  for (int64_t rank = 0; rank < axis.getRanks(); ++rank) {
    Value part =
        backward.tensors().slice(own, kBatch, rank * batch, (rank + 1) * batch);
    sum = sum ? backward.tensors().add(sum, part) : part;
  }
  return sum;
}

KeyValue sumToOwner(ShardedBackward &backward, KeyValue parts, AxisAttr axis) {
  return parts.map(
      [&](Value part) { return sumToOwner(backward, part, axis); });
}

KeyValue gatherKeys(ShardedBackward &backward, KeyValue own, AxisAttr axis) {
  return own.map(
      [&](Value rows) { return backward.allGather(rows, kRows, axis); });
}

LayoutAttr everywhere(LayoutAttr keys) {
  return LayoutAttr::get(keys.getContext(), LayoutKind::Contiguous,
                         keys.getLength(), /*ranks=*/1, /*offset=*/0);
}

Gradients gatheredGradients(ShardedBackward &backward, const QueryRows &rows,
                            KeyValue own, LayoutAttr queries, LayoutAttr keys,
                            AxisAttr axis) {
  KeyValue gathered = gatherKeys(backward, own, axis);
  Gradients parts = backward.attend(
      rows, gathered,
      backward.block(queries, everywhere(keys), /*source=*/0, axis),
      backward.maskFor(0));
  return {parts.query, sumToOwner(backward, parts.keys, axis)};
}

/// Queries and all that belongs to them stay; keys and values travel, and the
/// sums of their gradients, in f32, one hop behind them, so that every transfer
/// has a block beside it and all tensors are one transfer. On 4 ranks, Ki
/// and Gi being the keys of the rank i places before this one and their
/// gradients so far:
///
///   block 0 on K0                  while K0 travels: K1 arrives
///   block 1 on K1, G0 = block 0    while K1, G0 travel: K2, G1 arrive
///   block 2 on K2, G1 += block 1   while K2, G1 travel: K3, G2 arrive
///   block 3 on K3, G2 += block 2   while G2 travels: G3 arrives
///                  G3 += block 3   one last hop: G4 = G0 is at home
///
/// So keys take P - 1 hops and gradients P, of which only the last has nothing
/// to hide behind. Where nobody sees keys from so far away, as of packed
/// documents, they go no further than the last who does, and their gradients
/// from there home at once.
Gradients ringGradients(ShardedBackward &backward, const QueryRows &rows,
                        KeyValue own, LayoutAttr queries, LayoutAttr keys,
                        AxisAttr axis) {
  auto blockOf = [&](int64_t hop) {
    return backward.block(queries, keys, -hop, axis);
  };
  int64_t lastHop = axis.getRanks() - 1;
  while (lastHop > 0 && !backward.isMet(blockOf(lastHop)))
    --lastHop;
  KeyValue here = own;
  // Whose sum is still without the block before; that block's part of it, if
  // anybody sees those keys.
  std::optional<KeyValue> arrived, part;
  Value queryGrad;
  auto sumSoFar = [&] {
    return arrived && part ? backward.add(*arrived, *part)
           : arrived       ? *arrived
                           : *part;
  };
  for (int64_t hop = 0; hop <= lastHop; ++hop) {
    std::optional<KeyValue> sum;
    if (hop > 0)
      sum = sumSoFar();
    SmallVector<Value> travellers;
    if (hop < lastHop)
      travellers.append(here.tensors());
    size_t numKeys = travellers.size();
    if (sum)
      travellers.append(sum->tensors());
    SmallVector<Value> next;
    if (!travellers.empty())
      next = backward.shift(travellers, /*by=*/1, axis);

    part.reset();
    // Everybody has queries that see keys of their own.
    if (hop == 0 || backward.isMet(blockOf(hop))) {
      Gradients block =
          backward.attend(rows, here, blockOf(hop), backward.maskFor(-hop));
      queryGrad = queryGrad ? backward.tensors().add(queryGrad, block.query)
                            : block.query;
      part = block.keys;
    }
    if (hop < lastHop)
      here = here.withTensors(ArrayRef(next).take_front(numKeys));
    if (sum)
      arrived = sum->withTensors(ArrayRef(next).drop_front(numKeys));
  }
  KeyValue sum = sumSoFar();
  if (lastHop > 0)
    sum = sum.withTensors(
        backward.shift(sum.tensors(), axis.getRanks() - lastHop, axis));
  return {queryGrad, sum};
}

void buildBackward(ShardedBackward &backward) {
  const QueryRows &rows = backward.queryRows();
  KeyValue own = backward.keyValue();
  switch (backward.plan().getStrategy()) {
  case Strategy::Replicate:
    return backward.finish(
        backward.attend(rows, own, backward.blockHere(backward.traits().keys),
                        backward.maskFor(0)));
  case Strategy::AllGather:
    return backward.finish(gatheredGradients(backward, rows, own,
                                             backward.queries(),
                                             backward.keys(), backward.axis()));
  case Strategy::Halo:
    return backward.finish(fetchedGradients(backward));
  case Strategy::Ring:
    return backward.finish(ringGradients(backward, rows, own,
                                         backward.queries(), backward.keys(),
                                         backward.axis()));
  default:
    llvm_unreachable("refused by the rules of strategies");
  }
}

} // namespace mlir::ring
