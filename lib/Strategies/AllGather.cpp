// SPDX-License-Identifier: Apache-2.0
// Strategies in which a device sees all keys at once: replicate, where
// everybody computes everything, and all-gather, where queries are split.

#include "ShardedAttention.h"
#include "ring/Support/SequenceOrder.h"

namespace mlir::ring {

void buildReplicate(ShardedAttention &attention) {
  attention.add(attention.attend(attention.query(), attention.keyValue(),
                                 attention.blockHere(attention.traits().keys),
                                 attention.maskFor(0)));
}

void buildAllGather(ShardedAttention &attention) {
  KeyValue all = attention.keyValue();
  int64_t rows = attention.traits().keys;
  // The pages of a cache may be on every device already. One that is dealt out
  // is put in order.
  if (LayoutAttr keys = attention.keys()) {
    all = all.map([&](Value own) {
      return fromShardOrder(attention.tensors(),
                            attention.allGather(own, 2, attention.axis()), 2,
                            keys);
    });
    rows = keys.getLength();
  }
  auto everywhere =
      LayoutAttr::get(attention.axis().getContext(), LayoutKind::Contiguous,
                      rows, /*ranks=*/1, /*offset=*/0);
  attention.add(
      attention.attend(attention.query(), all,
                       attention.block(attention.queries(), everywhere,
                                       /*source=*/0, attention.axis()),
                       attention.maskFor(0)));
}

} // namespace mlir::ring
