// SPDX-License-Identifier: Apache-2.0
// Strategies in which a device sees all keys at once: replicate, where
// everybody computes everything, and all-gather, where queries are split.

#include "ShardedAttention.h"

namespace mlir::ring {

void buildReplicate(ShardedAttention &attention) {
  attention.add(attention.attend(attention.query(), attention.keyValue(),
                                 BlockAttr(), attention.maskFor(0)));
}

void buildAllGather(ShardedAttention &attention) {
  KeyValue own = attention.keyValue();
  KeyValue all{attention.allGather(own.key, 2, attention.axis()),
               attention.allGather(own.value, 2, attention.axis())};
  LayoutAttr keys = attention.keys();
  auto everywhere = LayoutAttr::get(keys.getContext(), LayoutKind::Contiguous,
                                    keys.getLength(), /*ranks=*/1,
                                    /*offset=*/0);
  attention.add(
      attention.attend(attention.query(), all,
                       attention.block(attention.queries(), everywhere,
                                       /*source=*/0, attention.axis()),
                       attention.maskFor(0)));
}

} // namespace mlir::ring
