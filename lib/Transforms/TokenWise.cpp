// SPDX-License-Identifier: Apache-2.0
// Ops that treat every token alike, and what they do to a sharding.

#include "TokenWise.h"
#include "mlir/IR/IRMapping.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"

namespace mlir::ring {
namespace {

namespace ttir = mlir::tt::ttir;

constexpr int64_t kNone = ShardingAttr::kReplicated;

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

bool isElementwise(Operation *op) {
  return isa<ttir::AddOp, ttir::SubtractOp, ttir::MultiplyOp, ttir::MaximumOp,
             ttir::MinimumOp, ttir::NegOp, ttir::ExpOp, ttir::SigmoidOp,
             ttir::SiluOp, ttir::GeluOp, ttir::TanhOp, ttir::ReluOp,
             ttir::SinOp, ttir::CosOp, ttir::AbsOp, ttir::WhereOp,
             ttir::TypecastOp, ttir::DivOp, ttir::LogOp, ttir::SqrtOp,
             ttir::RsqrtOp, ttir::ReciprocalOp, ttir::PowOp>(op);
}

/// Ops that make an infinity or NaN of some finite number. On padding that
/// would spoil sums in which padding has weight 0.
bool mayLeaveFinite(Operation *op) {
  return isa<ttir::DivOp, ttir::LogOp, ttir::SqrtOp, ttir::RsqrtOp,
             ttir::ReciprocalOp, ttir::PowOp, ttir::ExpOp>(op);
}

/// A sharding with the same mesh and layout, other axes per dimension and the
/// sequence elsewhere; nothing where the sequence is not split any more.
ShardingAttr withAxes(ShardingAttr like, ArrayRef<int64_t> axes,
                      std::optional<int64_t> sequence) {
  LayoutAttr layout = sequence ? like.getLayout() : LayoutAttr();
  return ShardingAttr::get(like.getContext(), axes, like.getMesh(), sequence,
                           layout, sequence ? like.getOuter() : std::nullopt);
}

/// For an operand that broadcasts: dimensions of size 1 and missing leading
/// ones are not split.
ShardingAttr broadcastSharding(ShardingAttr result, RankedTensorType resultType,
                               RankedTensorType operand) {
  int64_t missing = resultType.getRank() - operand.getRank();
  SmallVector<int64_t> axes(operand.getRank(), kNone);
  std::optional<int64_t> sequence;
  for (int64_t dim = 0; dim < operand.getRank(); ++dim) {
    if (operand.getDimSize(dim) != resultType.getDimSize(dim + missing))
      continue;
    axes[dim] = result.getAxes()[dim + missing];
    if (result.getSequence() == dim + missing)
      sequence = dim;
  }
  return withAxes(result, axes, sequence);
}

std::optional<TokenWiseRule> elementwiseRule(Operation *op, Value given,
                                             ShardingAttr sharding) {
  RankedTensorType result = typeOf(op->getResult(0));
  if (typeOf(given).getShape() != result.getShape())
    return std::nullopt;
  TokenWiseRule rule{{}, sharding};
  for (Value operand : op->getOperands())
    rule.operands.push_back(
        broadcastSharding(sharding, result, typeOf(operand)));
  return rule;
}

std::optional<TokenWiseRule> permuteRule(ttir::PermuteOp op,
                                         ShardingAttr sharding) {
  SmallVector<int64_t> axes;
  std::optional<int64_t> sequence;
  for (auto [to, from] : llvm::enumerate(op.getPermutation())) {
    axes.push_back(sharding.getAxes()[from]);
    if (sharding.getSequence() == from)
      sequence = to;
  }
  return TokenWiseRule{{sharding}, withAxes(sharding, axes, sequence)};
}

/// Goes through both shapes side by side. Dimensions that are the same on both
/// sides keep their split; a run of dimensions that is merged or cut keeps the
/// split of its first one, as heads x dim and hidden do:
///
///   [1, 4096, 40, 128] split 40 by 4   <->   [1, 4096, 5120] split 5120 by 4
std::optional<TokenWiseRule> reshapeRule(Operation *op, ShardingAttr sharding) {
  ArrayRef<int64_t> from = typeOf(op->getOperand(0)).getShape();
  ArrayRef<int64_t> to = typeOf(op->getResult(0)).getShape();
  SmallVector<int64_t> axes(to.size(), kNone);
  std::optional<int64_t> sequence;
  size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    size_t fromBegin = i, toBegin = j;
    int64_t fromSize = i < from.size() ? from[i++] : 1;
    int64_t toSize = j < to.size() ? to[j++] : 1;
    while (fromSize != toSize) {
      if (fromSize < toSize && i < from.size())
        fromSize *= from[i++];
      else if (toSize < fromSize && j < to.size())
        toSize *= to[j++];
      else
        return std::nullopt;
    }
    // Dimensions of size 1 are no part of a run.
    while (fromBegin + 1 < i && from[fromBegin] == 1)
      ++fromBegin;
    while (toBegin + 1 < j && to[toBegin] == 1)
      ++toBegin;
    for (size_t dim = fromBegin; dim < i; ++dim) {
      int64_t axis = sharding.getAxes()[dim];
      if (axis == kNone)
        continue;
      bool isSequence = sharding.getSequence() == static_cast<int64_t>(dim);
      if (dim != fromBegin || to[toBegin] % sharding.getMesh()[axis] != 0 ||
          (isSequence && to[toBegin] != from[dim]))
        return std::nullopt;
      axes[toBegin] = axis;
      if (isSequence)
        sequence = toBegin;
    }
  }
  return TokenWiseRule{{sharding}, withAxes(sharding, axes, sequence)};
}

/// The first operand and the result have the tokens, the others are weights
/// that every device has whole.
TokenWiseRule withWholeWeights(Operation *op, ShardingAttr rows) {
  TokenWiseRule rule{{rows}, rows};
  for (Value weight : op->getOperands().drop_front())
    rule.operands.push_back(
        withAxes(rows, SmallVector<int64_t>(typeOf(weight).getRank(), kNone),
                 std::nullopt));
  return rule;
}

/// `a * b` with the tokens in the rows of `a` and whole weights in `b`.
std::optional<TokenWiseRule> productRule(Operation *op, Value given,
                                         ShardingAttr sharding) {
  bool transposed = false;
  if (auto matmul = dyn_cast<ttir::MatmulOp>(op))
    transposed = matmul.getTransposeA();
  else
    transposed = cast<ttir::LinearOp>(op).getTransposeA();
  RankedTensorType a = typeOf(op->getOperand(0)), b = typeOf(op->getOperand(1)),
                   result = typeOf(op->getResult(0));
  if (given != op->getOperand(0) || transposed || b.getRank() != 2 ||
      a.getRank() != result.getRank() ||
      sharding.getSequence() == a.getRank() - 1)
    return std::nullopt;
  // The product sums over the last dimension: it has to be whole.
  SmallVector<int64_t> axes(sharding.getAxes());
  axes.back() = kNone;
  ShardingAttr rows = withAxes(sharding, axes, sharding.getSequence());
  return withWholeWeights(op, rows);
}

/// Norms over trailing dimensions that hold no tokens.
std::optional<TokenWiseRule> normRule(Operation *op, Value given,
                                      ArrayRef<int64_t> normalized,
                                      ShardingAttr sharding) {
  int64_t rank = typeOf(given).getRank(), first = rank - normalized.size();
  if (given != op->getOperand(0) || sharding.getSequence() >= first)
    return std::nullopt;
  SmallVector<int64_t> axes(sharding.getAxes());
  std::fill(axes.begin() + first, axes.end(), kNone);
  ShardingAttr rows = withAxes(sharding, axes, sharding.getSequence());
  return withWholeWeights(op, rows);
}

/// Slices that leave every split dimension whole.
std::optional<TokenWiseRule> sliceRule(ttir::SliceStaticOp op,
                                       ShardingAttr sharding) {
  RankedTensorType input = typeOf(op->getOperand(0)),
                   result = typeOf(op->getResult(0));
  for (auto [dim, axis] : llvm::enumerate(sharding.getAxes()))
    if (axis != kNone && (input.getDimSize(dim) != result.getDimSize(dim) ||
                          cast<IntegerAttr>(op.getStep()[dim]).getInt() != 1))
      return std::nullopt;
  return TokenWiseRule{{sharding}, sharding};
}

/// Concatenation along a dimension that is not split.
std::optional<TokenWiseRule> concatRule(ttir::ConcatOp op,
                                        ShardingAttr sharding) {
  int64_t rank = typeOf(op->getResult(0)).getRank(), dim = op.getDim();
  if (sharding.getAxes()[dim < 0 ? dim + rank : dim] != kNone)
    return std::nullopt;
  return TokenWiseRule{
      SmallVector<ShardingAttr>(op->getNumOperands(), sharding), sharding};
}

} // namespace

bool isTokenWise(Operation *op) {
  return isElementwise(op) ||
         isa<ttir::PermuteOp, ttir::ReshapeOp, ttir::UnsqueezeOp,
             ttir::SqueezeOp, ttir::MatmulOp, ttir::LinearOp, ttir::RMSNormOp,
             ttir::LayerNormOp, ttir::SliceStaticOp, ttir::ConcatOp>(op);
}

std::optional<TokenWiseRule> tokenWiseRule(Operation *op, Value given,
                                           ShardingAttr sharding) {
  std::optional<int64_t> sequence = sharding.getSequence();
  if (!sequence)
    return std::nullopt;
  bool padded =
      sharding.getLayout().getLength() != typeOf(given).getDimSize(*sequence);
  if (padded && mayLeaveFinite(op))
    return std::nullopt;
  if (isElementwise(op))
    return elementwiseRule(op, given, sharding);
  if (auto permute = dyn_cast<ttir::PermuteOp>(op))
    return permuteRule(permute, sharding);
  if (isa<ttir::ReshapeOp, ttir::UnsqueezeOp, ttir::SqueezeOp>(op))
    return reshapeRule(op, sharding);
  if (isa<ttir::MatmulOp, ttir::LinearOp>(op))
    return productRule(op, given, sharding);
  if (auto norm = dyn_cast<ttir::RMSNormOp>(op))
    return normRule(op, given, norm.getNormalizedShape(), sharding);
  if (auto norm = dyn_cast<ttir::LayerNormOp>(op))
    return normRule(op, given, norm.getNormalizedShape(), sharding);
  if (auto slice = dyn_cast<ttir::SliceStaticOp>(op))
    return sliceRule(slice, sharding);
  if (auto concat = dyn_cast<ttir::ConcatOp>(op))
    return concatRule(concat, sharding);
  return std::nullopt;
}

Operation *cloneOnShards(OpBuilder &builder, Operation *op, ValueRange operands,
                         RankedTensorType resultType, ShardingAttr result) {
  IRMapping mapping;
  for (auto [whole, local] : llvm::zip_equal(op->getOperands(), operands))
    mapping.map(whole, local);
  Operation *clone = builder.clone(*op, mapping);
  clone->getResult(0).setType(resultType);
  if (auto reshape = dyn_cast<ttir::ReshapeOp>(clone)) {
    reshape.setShapeAttr(
        builder.getI32ArrayAttr(SmallVector<int32_t>(resultType.getShape())));
  } else if (auto slice = dyn_cast<ttir::SliceStaticOp>(clone)) {
    SmallVector<Attribute> ends(slice.getEnds().getValue());
    for (auto [dim, axis] : llvm::enumerate(result.getAxes()))
      if (axis != kNone)
        ends[dim] = builder.getI32IntegerAttr(resultType.getDimSize(dim));
    slice.setEndsAttr(builder.getArrayAttr(ends));
  }
  return clone;
}

} // namespace mlir::ring
