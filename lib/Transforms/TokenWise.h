// SPDX-License-Identifier: Apache-2.0
// Ops that treat every token alike: which dimensions go along with which, and
// what that does to a sharding, in either direction.

#ifndef RING_LIB_TRANSFORMS_TOKENWISE_H
#define RING_LIB_TRANSFORMS_TOKENWISE_H

#include "mlir/IR/Builders.h"
#include "ring/Dialect/Ring/IR/RingOps.h"

#include <optional>

namespace mlir::ring {

/// Which dimensions of an op's operands and of its result are the same one. A
/// product of [1, 4096, 512] and weights [512, 2048]:
///
///   operands = {{0, 1, kSummed}, {kSummed, 2}}
struct TokenWiseDims {
  /// What is no dimension of the result: the op needs all of it, or sums over
  /// it, so that the sums of its pieces add up to the result.
  static constexpr int64_t kWhole = -1, kSummed = -2;
  SmallVector<SmallVector<int64_t>> operands;
  /// Dimensions that no operand has are copies, of which a device makes its
  /// own.
  bool copies = false;

  /// Whether it is a product, whose terms may be split.
  bool sums() const;
};

/// How an op runs on shards: the sharding that each operand has to have, and
/// the one that its result then has. With a summed axis the devices along it
/// have parts of the sum.
struct TokenWiseRule {
  SmallVector<ShardingAttr> operands;
  ShardingAttr result;
  int64_t summedAxis = ShardingAttr::kReplicated;
};

/// The dimensions of an op with one result; nothing if nobody has said how it
/// treats tokens.
std::optional<TokenWiseDims> tokenWiseDims(Operation *op);

/// The sharding of the result if operand `index` has the given one; nothing if
/// the op mixes the tokens that are split.
ShardingAttr resultSharding(Operation *op, const TokenWiseDims &dims,
                            unsigned index, ShardingAttr operand);

/// The rule by which the result comes out as `result` says, or with fewer
/// dimensions split where an operand cannot follow; nothing if the tokens
/// themselves cannot. `summedAxis` splits the terms of a product.
std::optional<TokenWiseRule> ruleFor(Operation *op, const TokenWiseDims &dims,
                                     ShardingAttr result, int64_t summedAxis);

/// Whether an op may make an infinity or NaN of padding.
bool mayLeaveFinite(Operation *op);

/// Whether a tensor has the same number everywhere, so that each shard of it
/// can be made in place.
bool isFill(Operation *op);

/// Whether an op makes its result of attributes alone.
bool isConstant(Operation *op);

/// Whether an op changes the places of numbers, or their type, and nothing
/// else.
bool onlyMoves(Operation *op);

/// The op on shards: attributes that say sizes follow the operands' and the
/// result's.
Operation *cloneOnShards(OpBuilder &builder, Operation *op, ValueRange operands,
                         RankedTensorType resultType);

} // namespace mlir::ring

#endif // RING_LIB_TRANSFORMS_TOKENWISE_H
