// SPDX-License-Identifier: Apache-2.0
// Transfers between devices: collectives of TTIR, which know whole mesh axes or
// lists of device pairs.

#include "DeviceChoice.h"
#include "Patterns.h"
#include "ring/Dialect/Ring/IR/RingOps.h"

namespace mlir::ring {
namespace {

/// The dimension along which all `values` can be joined to one tensor: rows if
/// they agree in the others, else columns, else none.
std::optional<int64_t> packingDim(ValueRange values) {
  RankedTensorType first = TTIRBuilder::typeOf(values.front());
  for (int64_t back : {2, 1}) {
    int64_t dim = first.getRank() - back;
    if (dim < 0)
      continue;
    bool fits = llvm::all_of(values, [&](Value value) {
      RankedTensorType type = TTIRBuilder::typeOf(value);
      if (type.getRank() != first.getRank() ||
          type.getElementType() != first.getElementType())
        return false;
      SmallVector<int64_t> shape(type.getShape());
      shape[dim] = first.getDimSize(dim);
      return ArrayRef<int64_t>(shape) == first.getShape();
    });
    if (fits)
      return dim;
  }
  return std::nullopt;
}

/// %k1, %v1 = ring.shift %k, %v by 1
/// -> slices of collective_permute(concat(%k, %v)): one transfer, not two.
/// Keys in bf16 and their gradients in f32 are one transfer each.
struct LowerShift : OpConversionPattern<ShiftOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ShiftOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> results;
    ValueRange inputs = adaptor.getInputs();
    for (size_t first = 0; first < inputs.size(); first = results.size()) {
      size_t count = 1;
      while (first + count < inputs.size() &&
             packingDim(inputs.slice(first, count + 1)))
        ++count;
      shiftPacked(op, inputs.slice(first, count), rewriter, results);
    }
    rewriter.replaceOp(op, results);
    return success();
  }

private:
  /// Appends what arrives of `inputs`, which have a packing dimension.
  static void shiftPacked(ShiftOp op, ValueRange inputs, OpBuilder &builder,
                          SmallVectorImpl<Value> &results) {
    TTIRBuilder tensors(builder, op.getLoc());
    int64_t dim = packingDim(inputs).value_or(0), begin = 0;
    Value moved =
        shiftRanks(builder, op.getLoc(), tensors.concat(inputs, dim),
                   op.getBy(), op.getAxis(), op.getReaching().value_or(0));
    for (Value input : inputs) {
      int64_t end = begin + TTIRBuilder::typeOf(input).getDimSize(dim);
      results.push_back(tensors.slice(moved, dim, begin, end));
      begin = end;
    }
  }
};

/// ring.all_gather -> all_gather; on a sub-ring, which `cluster_axis` cannot
/// name, one collective_permute per rank, then each place takes what came from
/// its rank. Rank 1 of 3: from 1, 2, 0 ranks further for places 2, 0, 1.
struct LowerAllGather : OpConversionPattern<AllGatherOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(AllGatherOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    TTIRBuilder tensors(rewriter, op.getLoc());
    AxisAttr axis = op.getAxis();
    int64_t ranks = axis.getRanks();
    if (ranks == axis.getMesh()[axis.getIndex()]) {
      rewriter.replaceOp(op, tensors.allGather(adaptor.getInput(), op.getDim(),
                                               axis.getIndex(), ranks));
      return success();
    }
    SmallVector<Value> arrived;
    for (int64_t source = 0; source < ranks; ++source)
      arrived.push_back(
          shiftRanks(rewriter, op.getLoc(), adaptor.getInput(), -source, axis));
    SmallVector<Value> places;
    for (int64_t place = 0; place < ranks; ++place) {
      Value piece = arrived[place];
      for (int64_t rank = 1; rank < ranks; ++rank) {
        SmallVector<bool> choice(ranks, false);
        choice[rank] = true;
        piece = chooseByRank(rewriter, op.getLoc(),
                             arrived[(place - rank + ranks) % ranks], piece,
                             choice, axis);
      }
      places.push_back(piece);
    }
    rewriter.replaceOp(op, tensors.concat(places, op.getDim()));
    return success();
  }
};

/// ring.all_to_all -> all_to_all among the devices of each ring.
struct LowerAllToAll : OpConversionPattern<AllToAllOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(AllToAllOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, TTIRBuilder(rewriter, op.getLoc())
                               .allToAll(adaptor.getInput(), op.getSplit(),
                                         op.getConcat(), ringsOf(op.getAxis()),
                                         op.getAxis().getRanks()));
    return success();
  }
};

/// ring.gather -> the concatenation of each part's rows, sent only as far as
/// they are needed.
struct LowerGather : OpConversionPattern<GatherOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(GatherOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    TTIRBuilder tensors(rewriter, op.getLoc());
    SmallVector<Value> parts;
    for (PartAttr part : op.getParts().getAsRange<PartAttr>()) {
      int64_t last = part.getOffset() + (part.getSize() - 1) * part.getStride();
      Value rows = tensors.slice(adaptor.getInput(), op.getDim(),
                                 part.getOffset(), last + 1, part.getStride());
      parts.push_back(shiftRanks(rewriter, op.getLoc(), rows, -part.getSource(),
                                 op.getAxis()));
    }
    rewriter.replaceOp(op, tensors.concat(parts, op.getDim()));
    return success();
  }
};

/// ring.select -> where, with a flag of the device's own.
struct LowerSelect : OpConversionPattern<SelectOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(SelectOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa<RankedTensorType>(op.getType()))
      return rewriter.notifyMatchFailure(op, "a state has no form in TTIR");
    rewriter.replaceOp(op, chooseByRank(rewriter, op.getLoc(), adaptor.getLhs(),
                                        adaptor.getRhs(), op.getChoice(),
                                        op.getAxis()));
    return success();
  }
};

} // namespace

void populateTransferPatterns(RewritePatternSet &patterns) {
  patterns
      .add<LowerAllGather, LowerAllToAll, LowerGather, LowerSelect, LowerShift>(
          patterns.getContext());
}

} // namespace mlir::ring
