// SPDX-License-Identifier: Apache-2.0
// Rules about attention that ops of ttir and ttnn share. Numbers such as C5 are
// those of the op's text in TTIRAttentionOps.td.
#ifndef TTMLIR_DIALECT_TTCORE_VERIFY_ATTENTIONVERIFIERS_H
#define TTMLIR_DIALECT_TTCORE_VERIFY_ATTENTIONVERIFIERS_H

#include "ttmlir/Dialect/TTCore/IR/TTCoreOpsTypes.h"

#include "mlir/IR/Operation.h"

namespace mlir::tt::verify {

/// What the dialects differ in.
struct AttentionRules {
  /// Whether types have to agree with their encodings, or in shape and element
  /// type alone.
  bool compareEncodings;
  /// Whether one row of the mask may stand for all queries.
  bool maskRowsBroadcast;
};

/// Operands of an attention op; `mask` is null where there is none.
struct Attention {
  RankedTensorType query, key, value, mask, result;
  bool isCausal;
};

LogicalResult attention(Operation *op, const Attention &types,
                        const AttentionRules &rules);

/// `position` is null where there is none.
LogicalResult attentionDecode(Operation *op, const Attention &types,
                              RankedTensorType position,
                              const AttentionRules &rules);

/// What ops over a cache kept in pages share: pages of [N, Hkv, block, D] and a
/// page table of a row for each of `users`.
LogicalResult pagedCache(Operation *op, const Attention &types,
                         RankedTensorType pageTable, int64_t users,
                         int64_t queryHeads);

/// A tensor of `count` integers in one dimension, called `name` in messages.
LogicalResult integerVector(Operation *op, StringRef name, int64_t count,
                            RankedTensorType type);

/// Operands that sdpa_fw and sdpa_bw have in common.
struct TrainingAttention {
  RankedTensorType query, key, value, mask;
  ttcore::AttentionMaskType maskType;
};

/// The shapes [B, H, S, D] of a training op, and a way to compare others with
/// them.
class TrainingShapes {
public:
  using Shape = std::array<int64_t, 4>;

  /// Checks C1 to C5. `exactRank` asks for 4 dimensions.
  static FailureOr<TrainingShapes>
  verify(Operation *op, const TrainingAttention &types, bool exactRank);

  /// [B, Hq, S, width]; `width` defaults to that of the value.
  Shape outputShape(std::optional<int64_t> width = std::nullopt) const;
  const Shape &query() const { return queryShape; }
  const Shape &key() const { return keyShape; }
  const Shape &value() const { return valueShape; }

  /// `type`, called `name` in messages, has the shape `expected`.
  static LogicalResult expect(Operation *op, StringRef name,
                              RankedTensorType type, const Shape &expected);

private:
  Shape queryShape, keyShape, valueShape;
};

/// The results of sdpa_fw (C6 to C8); `intermediates` is null if absent.
LogicalResult trainingForward(Operation *op, const TrainingAttention &types,
                              RankedTensorType output,
                              RankedTensorType intermediates,
                              bool returnIntermediates, bool exactRank);

/// What sdpa_bw has beyond sdpa_fw's operands (C6, C7).
struct TrainingGradients {
  RankedTensorType gradOutput, attnOutput, gradQuery, gradKey, gradValue;
};

LogicalResult trainingBackward(Operation *op, const TrainingAttention &types,
                               const TrainingGradients &gradients,
                               bool exactRank);

//===----------------------------------------------------------------------===//
// By the accessors that an op has in both dialects
//===----------------------------------------------------------------------===//

/// The type of an operand or result that may be absent.
inline RankedTensorType typeIfPresent(Value value) {
  return value ? cast<RankedTensorType>(value.getType()) : RankedTensorType();
}

template <typename OpT>
TrainingAttention trainingOf(OpT op) {
  return {op.getQuery().getType(), op.getKey().getType(),
          op.getValue().getType(), typeIfPresent(op.getAttentionMask()),
          op.getMaskType()};
}

template <typename OpT>
LogicalResult trainingForwardOp(OpT op, bool exactRank) {
  return trainingForward(op, trainingOf(op), op.getOutput().getType(),
                         typeIfPresent(op.getIntermediates()),
                         op.getReturnIntermediates(), exactRank);
}

template <typename OpT>
LogicalResult trainingBackwardOp(OpT op, bool exactRank) {
  return trainingBackward(
      op, trainingOf(op),
      {op.getGradOutput().getType(), op.getAttnOutput().getType(),
       op.getGradQuery().getType(), op.getGradKey().getType(),
       op.getGradValue().getType()},
      exactRank);
}

} // namespace mlir::tt::verify

#endif // TTMLIR_DIALECT_TTCORE_VERIFY_ATTENTIONVERIFIERS_H
