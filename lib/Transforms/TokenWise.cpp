// SPDX-License-Identifier: Apache-2.0
// What an op that treats every token alike does to a sharding, in either
// direction, and the op on shards.

#include "TokenWise.h"
#include "mlir/IR/IRMapping.h"
#include "ring/Support/TTIRBuilder.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"

namespace mlir::ring {

namespace ttir = mlir::tt::ttir;

static constexpr int64_t kNone = ShardingAttr::kReplicated;

using Dims = SmallVector<int64_t>;

static RankedTensorType typeOf(Value value) {
  return TTIRBuilder::typeOf(value);
}

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

/// A sharding with the same mesh and layout, other axes per dimension and the
/// sequence elsewhere; no layout where the sequence is not split any more.
static ShardingAttr withAxes(ShardingAttr like, ArrayRef<int64_t> axes,
                             std::optional<int64_t> sequence) {
  LayoutAttr layout = sequence ? like.getLayout() : LayoutAttr();
  return ShardingAttr::get(like.getContext(), axes, like.getMesh(), sequence,
                           layout, sequence ? like.getOuter() : std::nullopt);
}

ShardingAttr resultSharding(Operation *op, const TokenWiseDims &dims,
                            unsigned index, ShardingAttr operand) {
  RankedTensorType from = typeOf(op->getOperand(index)),
                   result = typeOf(op->getResult(0));
  Dims axes(result.getRank(), kNone);
  std::optional<int64_t> sequence;
  for (auto [dim, to] : llvm::enumerate(dims.operands[index])) {
    bool isSequence = operand.getSequence() == static_cast<int64_t>(dim);
    if (isSequence && (to < 0 || from.getDimSize(dim) != result.getDimSize(to)))
      return {};
    if (to < 0)
      continue;
    axes[to] = operand.getAxes()[dim];
    if (isSequence)
      sequence = to;
  }
  return withAxes(operand, axes, sequence);
}

/// Whether every operand can have its part of dimension `dim` of the result.
static bool canFollow(Operation *op, const TokenWiseDims &dims,
                      ShardingAttr result, int64_t dim) {
  int64_t size = typeOf(op->getResult(0)).getDimSize(dim);
  int64_t devices = result.getMesh()[result.getAxes()[dim]];
  bool isSequence = result.getSequence() == dim, made = dims.copies;
  if (!isSequence && size % devices != 0)
    return false;
  for (auto [value, operand] :
       llvm::zip_equal(op->getOperands(), dims.operands))
    for (auto [from, to] : llvm::enumerate(operand)) {
      if (to != dim)
        continue;
      made = true;
      int64_t operandSize = typeOf(value).getDimSize(from);
      if (isSequence ? operandSize != size : operandSize % devices != 0)
        return false;
    }
  return made;
}

std::optional<TokenWiseRule> ruleFor(Operation *op, const TokenWiseDims &dims,
                                     ShardingAttr result, int64_t summedAxis) {
  Dims axes(result.getAxes());
  for (int64_t dim = 0, rank = axes.size(); dim < rank; ++dim) {
    if (axes[dim] == kNone || canFollow(op, dims, result, dim))
      continue;
    if (result.getSequence() == dim)
      return std::nullopt;
    axes[dim] = kNone;
  }
  TokenWiseRule rule;
  rule.result = withAxes(result, axes, result.getSequence());
  for (auto [value, operand] :
       llvm::zip_equal(op->getOperands(), dims.operands)) {
    Dims operandAxes;
    std::optional<int64_t> sequence;
    for (auto [dim, to] : llvm::enumerate(operand)) {
      operandAxes.push_back(to >= 0                        ? axes[to]
                            : to == TokenWiseDims::kSummed ? summedAxis
                                                           : kNone);
      if (to >= 0 && result.getSequence() == to)
        sequence = dim;
    }
    rule.operands.push_back(withAxes(result, operandAxes, sequence));
    if (!rule.operands.back().getShardShape(typeOf(value).getShape()))
      return std::nullopt;
  }
  rule.summedAxis = summedAxis;
  return rule;
}

//===----------------------------------------------------------------------===//
// On the devices
//===----------------------------------------------------------------------===//

Operation *cloneOnShards(OpBuilder &builder, Operation *op, ValueRange operands,
                         RankedTensorType resultType) {
  IRMapping mapping;
  for (auto [whole, local] : llvm::zip_equal(op->getOperands(), operands))
    mapping.map(whole, local);
  Operation *clone = builder.clone(*op, mapping);
  clone->getResult(0).setType(resultType);
  ArrayRef<int64_t> shape = resultType.getShape();
  if (auto reshape = dyn_cast<ttir::ReshapeOp>(clone)) {
    reshape.setShapeAttr(builder.getI32ArrayAttr(SmallVector<int32_t>(shape)));
  } else if (isFill(clone)) {
    clone->setAttr("shape",
                   builder.getDenseI32ArrayAttr(SmallVector<int32_t>(shape)));
  } else if (auto broadcast = dyn_cast<ttir::BroadcastOp>(clone)) {
    SmallVector<int64_t> times;
    for (auto [to, from] :
         llvm::zip_equal(shape, typeOf(broadcast.getInput()).getShape()))
      times.push_back(to / from);
    broadcast.setBroadcastDimensions(times);
  } else if (auto slice = dyn_cast<ttir::SliceStaticOp>(clone)) {
    SmallVector<Attribute> ends(slice.getEnds().getValue());
    for (auto [dim, size] : llvm::enumerate(shape))
      if (size != typeOf(op->getResult(0)).getDimSize(dim))
        ends[dim] = builder.getI32IntegerAttr(size);
    slice.setEndsAttr(builder.getArrayAttr(ends));
  }
  return clone;
}

} // namespace mlir::ring
