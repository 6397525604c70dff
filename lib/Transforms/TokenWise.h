// SPDX-License-Identifier: Apache-2.0
// Ops that treat every token alike, and what they do to a sharding.

#ifndef RING_LIB_TRANSFORMS_TOKENWISE_H
#define RING_LIB_TRANSFORMS_TOKENWISE_H

#include "mlir/IR/Builders.h"
#include "ring/Dialect/Ring/IR/RingOps.h"

#include <optional>

namespace mlir::ring {

/// How an op runs on shards: the sharding that each operand has to have, and
/// the one that its result then has.
struct TokenWiseRule {
  SmallVector<ShardingAttr> operands;
  ShardingAttr result;
};

/// Whether an op may work token by token at all.
bool isTokenWise(Operation *op);

/// The rule for `op` when its operand `given` is sharded that way; nothing if
/// the op would mix tokens, or make something infinite of padding.
std::optional<TokenWiseRule> tokenWiseRule(Operation *op, Value given,
                                           ShardingAttr sharding);

/// The op on shards: attributes that say sizes follow the result's.
Operation *cloneOnShards(OpBuilder &builder, Operation *op, ValueRange operands,
                         RankedTensorType resultType, ShardingAttr result);

} // namespace mlir::ring

#endif // RING_LIB_TRANSFORMS_TOKENWISE_H
