// SPDX-License-Identifier: Apache-2.0
// The gradients of one attention on their way to the program of one device.

#ifndef RING_LIB_STRATEGIES_SHARDEDBACKWARD_H
#define RING_LIB_STRATEGIES_SHARDEDBACKWARD_H

#include "ShardedAttention.h"
#include "ShardedSequence.h"

namespace mlir::ring {

/// What a block of keys contributes to the gradients, in f32.
struct Gradients {
  Value query;
  /// Of the keys and values of the block, or their sum where only that is asked
  /// for.
  KeyValue keys;
};

/// Query rows with all that belongs to them and stays where they are.
struct QueryRows {
  Value gradOutput, output, lse, query;
  Value positions = {}; ///< where they are a tensor
};

class ShardedBackward : public ShardedSequence {
public:
  ShardedBackward(OpBuilder &builder, AttentionBackwardOp op);

  /// Replaces the op by the gradients of this device's rows.
  void finish(Gradients gradients);

  KeyValue keyValue() const { return localKeyValue; }

  /// This device's queries.
  const QueryRows &queryRows() const { return localQueries; }

  /// What `keys` contribute for some queries. Without a block, positions count
  /// from 0 on both sides.
  Gradients attend(const QueryRows &rows, KeyValue keys, BlockAttr block,
                   Value mask = {});
  /// The attention itself, computed again.
  Part recompute(Value query, KeyValue keys, BlockAttr block);
  /// The sum of two contributions to the gradients of the same keys.
  KeyValue add(KeyValue lhs, KeyValue rhs);

private:
  void replaceKeyResult(Value result, Value local);

  AttentionBackwardOp op;
  QueryRows localQueries;
  KeyValue localKeyValue;
};

/// Builds what the plan says and replaces the op.
void buildBackward(ShardedBackward &backward);
/// The same for a dilated pattern.
void buildDilatedBackward(ShardedBackward &backward);

/// The gradients of packed documents whose keys are fetched row by row.
Gradients fetchedGradients(ShardedBackward &backward);

/// The gradients of `heads` heads out of those of all their copies, which stand
/// next to each other.
Value sumCopies(TTIRBuilder &tensors, Value repeated, int64_t heads);

/// The gradients of some rows and keys by a ring over `axis`, and by gathering
/// the keys of its ranks and returning their gradients.
Gradients ringGradients(ShardedBackward &backward, const QueryRows &rows,
                        KeyValue own, LayoutAttr queries, LayoutAttr keys,
                        AxisAttr axis);
Gradients gatheredGradients(ShardedBackward &backward, const QueryRows &rows,
                            KeyValue own, LayoutAttr queries, LayoutAttr keys,
                            AxisAttr axis);
/// Keys and values of all ranks of `axis`, and a layout that says so.
KeyValue gatherKeys(ShardedBackward &backward, KeyValue own, AxisAttr axis);
LayoutAttr everywhere(LayoutAttr keys);
/// On every rank of `axis` a part of the gradients of all ranks' keys becomes
/// the sum of all parts for its own.
KeyValue sumToOwner(ShardedBackward &backward, KeyValue parts, AxisAttr axis);

} // namespace mlir::ring

#endif // RING_LIB_STRATEGIES_SHARDEDBACKWARD_H
