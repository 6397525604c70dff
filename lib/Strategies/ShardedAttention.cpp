// SPDX-License-Identifier: Apache-2.0
// The parts of an attention, and what they add up to.

#include "ShardedAttention.h"

#include <limits>

namespace mlir::ring {

/// The dimension of the rows of q, k, v and their results.
static constexpr int64_t kRows = 2;

static RankedTensorType typeOf(Value value) {
  return TTIRBuilder::typeOf(value);
}

//===----------------------------------------------------------------------===//
// From whole tensors to shards
//===----------------------------------------------------------------------===//

ShardedAttention::ShardedAttention(OpBuilder &builder, AttentionOp op)
    : ShardedSequence(builder, op), op(op) {
  localQuery = toBalanced(sequenceRows(op.getQuery(), queryLayout));
  Value table;
  if (op.getPageTable())
    table = shardPageTable();
  auto shardKeys = [&](Value whole) {
    if (traits().cacheBlock && keyLayout)
      whole = dealtCache(whole);
    else if (table)
      whole = shardHeads(whole);
    else
      whole = sequenceRows(whole, keyLayout);
    return table ? gatherPages(whole, table) : whole;
  };
  KeyValue whole = wholeKeyValue();
  localKeyValue.key = shardKeys(whole.key);
  if (whole.value)
    localKeyValue.value =
        whole.value == whole.key ? localKeyValue.key : shardKeys(whole.value);
  if (startsLate())
    queryPositions = positionsFromStart(op.getStart());
  if (op.getDocuments()) {
    Value positions = positionsInDocuments(op.getDocuments());
    queryPositions = shardPositions(positions, queryLayout);
    localKeyValue.positions = asRows(shardPositions(positions, keyLayout));
  }
  shardMask();
  if (op.getSink())
    localSink = shardHeads(op.getSink());
  allQueries = localQuery;
  if (op.getJointQuery()) {
    shardJoint();
    allQueries = tensors().concat({localQuery, localJointQuery}, kRows);
  }
}

/// Joint tokens that are dealt out are few: their keys are gathered once, and
/// while they travel the ring of the sequence runs. They are the last keys that
/// `finish` adds, as they stand behind the sequence.
void ShardedAttention::shardJoint() {
  // With one rank there is nothing to deal.
  if (traits().jointSharded && ranks() > 1)
    jointLayout =
        LayoutAttr::get(op.getContext(), LayoutKind::Contiguous,
                        paddedLength(traits().joint, LayoutKind::Contiguous,
                                     ranks(), traits().perDevice),
                        ranks(), /*offset=*/0);
  auto shardKeys = [&](Value whole) {
    Value local = shardSequence(whole, jointLayout);
    return jointLayout ? allGather(local, kRows, axis()) : local;
  };
  localJointQuery = shardSequence(op.getJointQuery(), jointLayout);
  localJoint = {shardKeys(op.getJointKey()), shardKeys(op.getJointValue())};
}

int64_t ShardedAttention::jointRows() const {
  return localJointQuery ? typeOf(localJointQuery).getDimSize(kRows) : 0;
}

IntegerAttr ShardedAttention::realJointKeys() {
  if (op.getJointLengthAttr() || !jointLayout ||
      jointLayout.getLength() == traits().joint)
    return op.getJointLengthAttr();
  return builder.getI64IntegerAttr(traits().joint);
}

void ShardedAttention::begin(Value query, Value sink, KeyValue joint) {
  if (sink) {
    SmallVector<int64_t> shape(typeOf(query).getShape());
    shape[3] = traits().valueDim;
    SmallVector<int64_t> lseShape(shape);
    lseShape[3] = 1;
    auto empty = EmptyOp::create(
        builder, op.getLoc(),
        RankedTensorType::get(shape, builder.getF32Type()),
        RankedTensorType::get(lseShape, builder.getF32Type()), sink);
    add({empty.getOutput(), empty.getLse()});
  }
  // The length of the sequence says nothing of joint keys.
  if (joint.key && !jointLayout)
    add(attendBlock(query, Value(), joint, BlockAttr(), Value(), blockPattern(),
                    realJointKeys()));
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

Part ShardedAttention::attend(Value query, KeyValue keys, BlockAttr block,
                              Value mask) {
  return attendBlock(query, queryPositions, keys, block, mask, blockPattern(),
                     realKeys());
}

Part ShardedAttention::attend(Value query, Value positions, KeyValue keys,
                              BlockAttr block) {
  return attendBlock(query, positions, keys, block, /*mask=*/Value(),
                     blockPattern(), realKeys());
}

void ShardedAttention::add(Part part) {
  accumulated = accumulated.output ? merge(accumulated, part) : part;
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

KeyValue ShardedAttention::shift(KeyValue keys, int64_t by, AxisAttr axis,
                                 int64_t reaching) {
  return keys.withTensors(
      ShardedSequence::shift(keys.tensors(), by, axis, reaching));
}

Part ShardedAttention::shift(Part part, int64_t by, AxisAttr axis) {
  SmallVector<Value> shifted =
      ShardedSequence::shift({part.output, part.lse}, by, axis);
  return {shifted[0], shifted[1]};
}

//===----------------------------------------------------------------------===//
// From parts back to whole tensors
//===----------------------------------------------------------------------===//

void ShardedAttention::finish() {
  if (jointLayout)
    add(attendBlock(query(), Value(), localJoint, BlockAttr(), Value(),
                    blockPattern(), realJointKeys()));
  int64_t rows = queryLayout ? queryLayout.getShardLength() : traits().queries;
  int64_t all = rows + jointRows();
  Value output = tensors().typecast(accumulated.output, traits().elementType);
  Value sequence = fromBalanced(tensors().slice(output, kRows, 0, rows));
  if (op.getJointOutput())
    replaceSequenceResult(op.getJointOutput(),
                          tensors().slice(output, kRows, rows, all),
                          jointLayout);
  if (op.getLse()) {
    RankedTensorType type = op.getLse().getType();
    Value lse = fromBalanced(tensors().slice(accumulated.lse, kRows, 0, rows),
                             -std::numeric_limits<float>::infinity());
    if (!traits().joint) {
      replaceSequenceResult(op.getLse(), lse, queryLayout);
    } else {
      auto withRows = [&](int64_t rows) {
        SmallVector<int64_t> shape(type.getShape());
        shape[kRows] = rows;
        return RankedTensorType::get(shape, type.getElementType());
      };
      Value joint = tensors().slice(accumulated.lse, kRows, rows, all);
      op.getLse().replaceAllUsesWith(tensors().concat(
          {unshard(lse, withRows(traits().queries), queryLayout),
           unshard(joint, withRows(traits().joint), jointLayout)},
          kRows));
    }
  }
  replaceSequenceResult(op.getOutput(), sequence, queryLayout);
  op.erase();
}

} // namespace mlir::ring
