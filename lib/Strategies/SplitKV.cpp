// SPDX-License-Identifier: Apache-2.0
// Few queries against many keys: every device has all queries and its share of
// the keys, and the parts of all devices become one.

#include "Rules.h"
#include "ShardedAttention.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::ring {
namespace {

constexpr int64_t kParts = 1, kRows = 2, kColumns = 3;

RankedTensorType typeOf(Value value) { return TTIRBuilder::typeOf(value); }

PartMerge mergeOf(PlanAttr plan) {
  bool paired = llvm::isPowerOf2_64(plan.getRanks());
  return plan.getMerge().value_or(paired ? PartMerge::Tree : PartMerge::Round);
}

/// With 2^k ranks, k rounds: after the round with distance d every rank has the
/// keys of 2d ranks.
Part mergeInTree(ShardedAttention &attention, Part all) {
  for (int64_t distance = 1; distance < attention.ranks(); distance *= 2)
    all =
        attention.merge(all, attention.shift(all, distance, attention.axis()));
  return all;
}

/// Each part goes once round the ring.
Part mergeRound(ShardedAttention &attention, Part own) {
  Part all = own, travelling = own;
  for (int64_t hop = 1; hop < attention.ranks(); ++hop) {
    travelling = attention.shift(travelling, 1, attention.axis());
    all = attention.merge(all, travelling);
  }
  return all;
}

/// Parts of the same rows that collectives bring from all ranks at once.
///
/// Rows of all users and heads lie behind each other, each with its
/// log-sum-exp as one more column, so that one transfer takes both. Of 4 users
/// with 3 heads, and values of 128, on 8 ranks:
///
///   own part                          1 x 1 x 12 x 129
///   gather: those of all ranks        1 x 8 x 12 x 129, merged here
///   reduce: filled up to whole shares 1 x 1 x 16 x 129
///     everybody's part of my share    1 x 8 x  2 x 129, merged here
///     results of all shares           1 x 1 x 16 x 128
class CollectedParts {
public:
  CollectedParts(ShardedAttention &attention, Part own)
      : attention(attention), tensors(attention.tensors()),
        ranks(attention.ranks()), shape(typeOf(own.output).getShape()),
        rows(shape[0] * shape[1] * shape[2]),
        packed(asRows(tensors.concat({own.output, own.lse}, kColumns))) {}

  /// Every rank merges all parts of all rows.
  Part mergeGathered() {
    Part all = mergeBehindEachOther(
        attention.allGather(packed, kParts, attention.axis()));
    return {fromRows(all.output), fromRows(all.lse)};
  }

  /// Every rank merges all parts of its share of the rows. Whoever does not
  /// ask for log-sum-exps gets none, and outputs of 16 bits travel as such.
  Part mergeReduced(bool withLse) {
    Value filled = tensors.padTo(packed, kRows, llvm::alignTo(rows, ranks));
    Part share = mergeBehindEachOther(
        attention.allToAll(filled, kRows, kParts, attention.axis()));
    if (Type type = attention.traits().elementType; !withLse && type.isBF16())
      share.output = tensors.typecast(share.output, type);
    Part all{fromShares(share.output), Value()};
    if (withLse)
      all.lse = fromShares(share.lse);
    return all;
  }

private:
  Value asRows(Value part) {
    return tensors.reshape(part, {1, 1, rows, typeOf(part).getDimSize(3)});
  }
  Value fromRows(Value flat) {
    int64_t columns = typeOf(flat).getDimSize(kColumns);
    return tensors.reshape(flat, {shape[0], shape[1], shape[2], columns});
  }
  Value fromShares(Value share) {
    Value all = attention.allGather(share, kRows, attention.axis());
    return fromRows(tensors.slice(all, kRows, 0, rows));
  }

  /// The first half with the second, until one is left: 7 parts 0 to 6 become
  /// 03 14 25 and 6, then 0314 and 6 25.
  Part mergeBehindEachOther(Value parts) {
    int64_t columns = typeOf(parts).getDimSize(kColumns);
    Part all{tensors.slice(parts, kColumns, 0, columns - 1),
             tensors.slice(parts, kColumns, columns - 1, columns)};
    std::optional<Part> odd;
    for (int64_t count = ranks; count > 1; count /= 2) {
      auto from = [&](int64_t begin, int64_t end) {
        return Part{tensors.slice(all.output, kParts, begin, end),
                    tensors.slice(all.lse, kParts, begin, end)};
      };
      if (count % 2 == 1) {
        Part last = from(count - 1, count);
        odd = odd ? attention.merge(*odd, last) : last;
      }
      Part first = from(0, count / 2);
      all = attention.merge(first, from(count / 2, count / 2 * 2));
    }
    return odd ? attention.merge(all, *odd) : all;
  }

  ShardedAttention &attention;
  TTIRBuilder &tensors;
  int64_t ranks;
  SmallVector<int64_t> shape;
  int64_t rows;
  Value packed;
};

} // namespace

void buildSplitKV(ShardedAttention &attention) {
  Part own = attention.attend(attention.query(), attention.keyValue(),
                              attention.block(LayoutAttr(), attention.keys(),
                                              /*source=*/0, attention.axis()),
                              attention.maskFor(0));
  // One device has it all.
  if (attention.ranks() == 1)
    return attention.add(own);
  // A sink is one more part, which all ranks have.
  bool hasSink = static_cast<bool>(attention.sum().output);
  switch (mergeOf(attention.plan())) {
  case PartMerge::Tree:
    return attention.add(mergeInTree(attention, own));
  case PartMerge::Round:
    return attention.add(mergeRound(attention, own));
  case PartMerge::Gather:
    return attention.add(CollectedParts(attention, own).mergeGathered());
  case PartMerge::Reduce:
    return attention.add(CollectedParts(attention, own)
                             .mergeReduced(attention.traits().lse || hasSink));
  }
}

Refusal refuseSplitKV(const AttentionTraits &traits, PlanAttr plan) {
  if (!traits.band.isUnbounded() && !traits.start)
    return say("expects every query to attend to every key");
  if (traits.joint)
    return say("expects no joint tokens");
  return refuseDealtLayouts(plan);
}

} // namespace mlir::ring
