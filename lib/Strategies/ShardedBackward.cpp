// SPDX-License-Identifier: Apache-2.0
// The shards that gradients are computed from, and the way back.

#include "ShardedBackward.h"

namespace mlir::ring {

static constexpr int64_t kHeads = 1, kColumns = 3;

static RankedTensorType typeOf(Value value) {
  return TTIRBuilder::typeOf(value);
}

/// Padding adds nothing. Rows of padded queries are all 0, their lse too, so
/// their weights are exp(0 - 0) = 1, which is finite, while the gradient of
/// their output and its product with the output are 0: 0 to every key. Padded
/// keys are hidden from real queries by a causal pattern or by the length, and
/// what they gather from padded queries is 0 and cut off.
ShardedBackward::ShardedBackward(OpBuilder &builder, AttentionBackwardOp op)
    : ShardedSequence(builder, op), op(op) {
  auto queryRows = [&](Value whole) {
    return toBalanced(sequenceRows(whole, queryLayout));
  };
  localQueries = {queryRows(op.getGradOutput()), queryRows(op.getOutput()),
                  queryRows(op.getLse()), queryRows(op.getQuery())};
  localKeyValue = wholeKeyValue().map(
      [&](Value whole) { return sequenceRows(whole, keyLayout); });
  if (op.getDocuments()) {
    Value positions = positionsInDocuments(op.getDocuments());
    localQueries.positions = shardPositions(positions, queryLayout);
    localKeyValue.positions = asRows(shardPositions(positions, keyLayout));
  }
  shardMask();
}

Gradients ShardedBackward::attend(const QueryRows &rows, KeyValue keys,
                                  BlockAttr block, Value mask) {
  auto like = [&](Value tensor) {
    return RankedTensorType::get(typeOf(tensor).getShape(),
                                 builder.getF32Type());
  };
  Value value = valuesOf(keys);
  auto partial = PartialBackwardOp::create(
      builder, op.getLoc(), like(rows.query), like(keys.key), like(value),
      rows.gradOutput, rows.output, rows.lse, rows.query, keys.key, value, mask,
      rows.positions, asPositions(keys.positions), blockPattern(),
      op.getScaleAttr(), realKeys(), block);
  KeyValue gradients{partial.getGradKey(), partial.getGradValue()};
  if (traits().gradientsInKeys)
    gradients = {
        tensors().add(gradients.key,
                      tensors().padTo(gradients.value, kColumns, traits().dim)),
        Value()};
  return {partial.getGradQuery(), gradients};
}

Part ShardedBackward::recompute(Value query, KeyValue keys, BlockAttr block) {
  return attendBlock(query, /*positions=*/Value(), keys, block, Value(),
                     blockPattern(), realKeys());
}

KeyValue ShardedBackward::add(KeyValue lhs, KeyValue rhs) {
  return KeyValue::zip(lhs, rhs, [&](Value left, Value right) {
    return tensors().add(left, right);
  });
}

/// With 2 heads for 4, 0 0 1 1, head 0 is the sum of the first two:
///
///   every second head from 0 on + every second head from 1 on
Value sumCopies(TTIRBuilder &tensors, Value repeated, int64_t heads) {
  int64_t all = typeOf(repeated).getDimSize(kHeads), copies = all / heads;
  Value sum;
  for (int64_t copy = 0; copy < copies; ++copy) {
    Value part = tensors.slice(repeated, kHeads, copy, all, copies);
    sum = sum ? tensors.add(sum, part) : part;
  }
  return sum;
}

/// Where devices share a key head, each has a part of its gradient. All of them
/// get all parts and add them up in the same order, so that they agree to the
/// bit.
void ShardedBackward::replaceKeyResult(Value result, Value local) {
  RankedTensorType type = typeOf(result);
  if (headsAxisOf(type) != headsAxis())
    local = sumCopies(tensors(), allGather(local, kHeads, headsRing()),
                      type.getDimSize(kHeads));
  replaceSequenceResult(
      result, tensors().typecast(local, type.getElementType()), keyLayout);
}

void ShardedBackward::finish(Gradients gradients) {
  Type element = op.getGradQuery().getType().getElementType();
  Value query = fromBalanced(tensors().typecast(gradients.query, element));
  replaceSequenceResult(op.getGradQuery(), query, queryLayout);
  if (traits().gradientsInKeys) {
    Value sum = gradientInKeys(op);
    replaceKeyResult(sum, gradients.keys.key);
    // The sum, and the padding of the values' gradient before it.
    sum.getDefiningOp()->erase();
    for (Operation *pad :
         llvm::make_early_inc_range(op.getGradValue().getUsers()))
      pad->erase();
  } else {
    replaceKeyResult(op.getGradKey(), gradients.keys.key);
    replaceKeyResult(op.getGradValue(), gradients.keys.value);
  }
  op.erase();
}

} // namespace mlir::ring
