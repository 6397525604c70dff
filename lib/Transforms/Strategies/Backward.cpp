// SPDX-License-Identifier: Apache-2.0
// Strategies for gradients: everybody everything, gathered keys, and the ring
// in which the gradients of keys travel after their keys.

#include "ShardedBackward.h"

namespace mlir::ring {
namespace {

constexpr int64_t kBatch = 0, kRows = 2;

/// Every device has a part of the gradients of all keys, from its own queries.
/// An all-to-all hands each device the parts of its own keys, one behind the
/// other along the batch, and it adds them up in the order of the ranks.
Value sumToOwner(ShardedBackward &backward, Value parts) {
  int64_t batch = backward.traits().batch;
  Value own = backward.allToAll(parts, kRows, kBatch, backward.axis());
  Value sum;
  for (int64_t rank = 0; rank < backward.ranks(); ++rank) {
    Value part =
        backward.tensors().slice(own, kBatch, rank * batch, (rank + 1) * batch);
    sum = sum ? backward.tensors().add(sum, part) : part;
  }
  return sum;
}

void buildGathered(ShardedBackward &backward) {
  KeyValue own = backward.keyValue();
  KeyValue all{backward.allGather(own.key, kRows, backward.axis()),
               backward.allGather(own.value, kRows, backward.axis())};
  auto everywhere =
      LayoutAttr::get(backward.keys().getContext(), LayoutKind::Contiguous,
                      backward.keys().getLength(), /*ranks=*/1, /*offset=*/0);
  Gradients parts =
      backward.attend(all,
                      backward.block(backward.queries(), everywhere,
                                     /*source=*/0, backward.axis()),
                      backward.maskFor(0));
  parts.keys = {sumToOwner(backward, parts.keys.key),
                sumToOwner(backward, parts.keys.value)};
  backward.finish(parts);
}

/// Queries and all that belongs to them stay; keys and values travel, and the
/// sums of their gradients, in f32, one hop behind them, so that every transfer
/// has a block beside it and all four tensors are one transfer. On 4 ranks, Ki
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
/// to hide behind.
void buildRing(ShardedBackward &backward) {
  int64_t ranks = backward.ranks();
  KeyValue keys = backward.keyValue();
  // Whose sum is still without the block before.
  std::optional<KeyValue> arrived;
  Gradients block;
  Value queryGrad;
  for (int64_t hop = 0; hop < ranks; ++hop) {
    std::optional<KeyValue> sum;
    if (hop > 0)
      sum = arrived ? backward.add(*arrived, block.keys) : block.keys;
    SmallVector<Value> travellers;
    if (hop + 1 < ranks)
      travellers.append({keys.key, keys.value});
    if (sum)
      travellers.append({sum->key, sum->value});
    SmallVector<Value> next;
    if (!travellers.empty())
      next = backward.shift(travellers);

    block = backward.attend(keys,
                            backward.block(backward.queries(), backward.keys(),
                                           -hop, backward.axis()),
                            backward.maskFor(-hop));
    queryGrad = queryGrad ? backward.tensors().add(queryGrad, block.query)
                          : block.query;
    if (hop + 1 < ranks)
      keys = {next[0], next[1]};
    if (sum)
      arrived = KeyValue{next[next.size() - 2], next[next.size() - 1]};
  }
  if (arrived) {
    KeyValue sum = backward.add(*arrived, block.keys);
    SmallVector<Value> home = backward.shift({sum.key, sum.value});
    block.keys = {home[0], home[1]};
  }
  backward.finish({queryGrad, block.keys});
}

} // namespace

void buildBackward(ShardedBackward &backward) {
  switch (backward.plan().getStrategy()) {
  case Strategy::Replicate:
    return backward.finish(
        backward.attend(backward.keyValue(), BlockAttr(), backward.maskFor(0)));
  case Strategy::AllGather:
    return buildGathered(backward);
  case Strategy::Ring:
    return buildRing(backward);
  default:
    llvm_unreachable("refused by the rules of strategies");
  }
}

} // namespace mlir::ring
