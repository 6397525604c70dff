// SPDX-License-Identifier: Apache-2.0
// The gradients of one attention on their way to the program of one device.

#ifndef RING_LIB_TRANSFORMS_STRATEGIES_SHARDEDBACKWARD_H
#define RING_LIB_TRANSFORMS_STRATEGIES_SHARDEDBACKWARD_H

#include "ShardedAttention.h"
#include "ShardedSequence.h"

namespace mlir::ring {

/// What a block of keys contributes to the gradients, in f32.
struct Gradients {
  Value query;
  /// Of the keys and values of the block.
  KeyValue keys;
};

class ShardedBackward : public ShardedSequence {
public:
  ShardedBackward(OpBuilder &builder, AttentionBackwardOp op);

  /// Replaces the op by the gradients of this device's rows.
  void finish(Gradients gradients);

  KeyValue keyValue() const { return localKeyValue; }

  /// What `keys` contribute for this device's queries. Without a block,
  /// positions count from 0 on both sides.
  Gradients attend(KeyValue keys, BlockAttr block, Value mask);
  /// The sum of two contributions.
  KeyValue add(KeyValue lhs, KeyValue rhs);
  /// Passes all tensors on to the next rank, as one transfer.
  SmallVector<Value> shift(ValueRange travellers);

private:
  void replaceKeyResult(Value result, Value local);

  AttentionBackwardOp op;
  Value localGradOutput, localOutput, localLse, localQuery;
  KeyValue localKeyValue;
};

/// Builds what the plan says and replaces the op.
void buildBackward(ShardedBackward &backward);

} // namespace mlir::ring

#endif // RING_LIB_TRANSFORMS_STRATEGIES_SHARDEDBACKWARD_H
