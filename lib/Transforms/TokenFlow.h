// SPDX-License-Identifier: Apache-2.0
// Where the tokens of a function's attentions come from and go to, and so how
// every tensor on the way is best split.

#ifndef RING_LIB_TRANSFORMS_TOKENFLOW_H
#define RING_LIB_TRANSFORMS_TOKENFLOW_H

#include "TokenWise.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::ring {

/// The shardings that the tensors of a block should have: what an attention
/// makes says it for what is made of it, down to the function's results, and
/// what an attention takes for what that is made from, up to the arguments.
/// Looks at every op twice.
class TokenFlow {
public:
  explicit TokenFlow(Block &block);

  /// The sharding to make a whole tensor in; nothing if no attention is near.
  ShardingAttr wanted(Value whole) const { return wants.lookup(whole); }
  /// Whether a value is a device's own already.
  bool isLocal(Value value) const { return local.contains(value); }
  /// Whether a tensor is an argument or a constant in another shape, as weights
  /// often are. Where it has no tokens, it is brought into that shape once,
  /// before the program runs.
  bool isPrepared(Value whole) const;
  /// Whether the block has an attention on shards of the host's tensors.
  bool hasAttention() const { return attends; }

  /// Tokens as they are given, other dimensions as they are wanted: tokens are
  /// dealt anew only where an attention asks for it.
  static ShardingAttr agreed(ShardingAttr given, ShardingAttr wanted);

private:
  void follow(Operation &op);
  void followHeads(Operation &op, const TokenWiseDims &dims);
  void ask(Operation &op);
  void demand(Value whole, ShardingAttr sharding);
  bool hasTermsInParts(Operation &op, const TokenWiseDims &dims) const;
  int64_t summedAxis(Operation &op, const TokenWiseDims &dims,
                     ShardingAttr result) const;
  bool leaves(Value whole) const;
  ShardingAttr withSplitFeatures(Value whole, ShardingAttr sharding) const;

  /// What attentions make, and what is made of that.
  llvm::DenseMap<Value, ShardingAttr> made;
  llvm::DenseMap<Value, ShardingAttr> wants;
  llvm::DenseSet<Value> local, prepared;
  /// The dimension of a tensor that the heads' axis can split without any
  /// transfer: heads, or features that a product makes.
  llvm::DenseMap<Value, int64_t> splitDim;
  /// What products of all terms make, up to ops of one operand.
  llvm::DenseSet<Value> features;
  /// What only the caller reads.
  llvm::DenseSet<Value> leaving;
  std::optional<AxisAttr> headsAxis;
  llvm::DenseSet<LayoutAttr> resultLayouts;
  bool attends = false;
};

/// The mesh axis that splits something else than the sequences of a block's
/// attentions: their heads.
std::optional<AxisAttr> findHeadsAxis(Block &block);

/// Whether a mesh axis splits some dimension.
bool splitsBy(ShardingAttr sharding, int64_t axis);

/// What the operands of an op, where they are sharded, make of its result.
struct GivenSharding {
  ShardingAttr sharding;
  /// The op brings tokens together that are on different devices.
  bool mixesTokens = false;
};
GivenSharding givenSharding(Operation &op, const TokenWiseDims &dims,
                            llvm::function_ref<ShardingAttr(Value)> shardingOf);

} // namespace mlir::ring

#endif // RING_LIB_TRANSFORMS_TOKENFLOW_H
