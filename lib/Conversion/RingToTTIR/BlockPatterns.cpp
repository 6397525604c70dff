// SPDX-License-Identifier: Apache-2.0
// Blocks of attention and what joins them: sdpa_fw where the device's kernel
// can take a block, matrix products and a softmax where it cannot.

#include "KernelFit.h"
#include "Patterns.h"
#include "ScoreProducts.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"

namespace mlir::ring {

LogicalResult verifySplit(Operation *op) {
  for (StringRef name : {"block", "length"})
    if (op->hasAttr(name))
      return op->emitOpError("expects ring-split-blocks to have run: the ")
             << name << " depends on the rank, and TTIR has no masks that do";
  return success();
}

namespace {

/// ring.partial of which nobody needs the log-sum-exp, unmasked, and the device
/// has an attention for:
///   %o = scaled_dot_product_attention(%q, %k, %v)
/// where the block suits the kernel:
///   %o, %i = sdpa_fw(%q * factor, %k, %v, mask of ones and zeros)
///   %lse = column 0 of %i
/// else
///   %s = %q %k^T * scale + mask;  %m = max(%s);  %p = exp(%s - %m)
///   %l = sum(%p);  %o = (%p %v) / %l;  %lse = %m + log(%l)
class LowerPartial : public OpConversionPattern<PartialOp> {
public:
  LowerPartial(MLIRContext *context, BlockLowering lowering)
      : OpConversionPattern(context), lowering(lowering) {}

  LogicalResult
  matchAndRewrite(PartialOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (failed(verifySplit(op)))
      return failure();
    TTIRBuilder tensors(rewriter, op.getLoc());
    ConvertedBlock block(op, adaptor);
    if (isWholeAttention(op, block)) {
      bool causal = isa_and_nonnull<CausalAttr>(op.getPatternAttr());
      Value output = tensors.sdpa(block.query, block.key, block.wideValue(),
                                  causal, op.getScaleAttr());
      output = tensors.slice(output, /*dim=*/3, 0, block.valueDim());
      output =
          tensors.typecast(output, op.getOutput().getType().getElementType());
      // The log-sum-exp is dropped.
      rewriter.replaceOpWithMultiple(
          op, SmallVector<SmallVector<Value>>{{output}, {}});
      return success();
    }
    std::optional<KernelFit> fit = KernelFit::find(block, lowering, tensors);
    auto [output, lse] = fit ? lowerToKernel(block, *fit, tensors)
                             : lowerToProducts(block, tensors);
    rewriter.replaceOp(
        op,
        {tensors.typecast(output, op.getOutput().getType().getElementType()),
         lse});
    return success();
  }

private:
  /// Nobody asks for the log-sum-exp, and the block is one that a device's own
  /// attention takes: a segment of a dilated attention, or all keys at once,
  /// not of f32, with a dim of whole tiles.
  static bool isWholeAttention(PartialOp op, const ConvertedBlock &block) {
    RankedTensorType value = TTIRBuilder::typeOf(block.wideValue());
    bool causal = isa_and_nonnull<CausalAttr>(op.getPatternAttr());
    return op.getLse().use_empty() && !block.mask &&
           value == TTIRBuilder::typeOf(block.key) &&
           !value.getElementType().isF32() && block.dim() % kTileColumns == 0 &&
           (causal ? block.queries() == block.keys() : !op.getPatternAttr());
  }

  static std::pair<Value, Value> lowerToKernel(const ConvertedBlock &block,
                                               KernelFit &fit,
                                               TTIRBuilder &tensors) {
    Value query = fit.scaledQuery(), key = fit.padded(block.key),
          value = fit.padded(block.wideValue());
    auto [result, intermediates] =
        tensors.sdpaForward(query, key, value, fit.mask(), fit.maskType());
    Value output = fit.cut(result, block.queries(), block.valueDim());
    Value lse = fit.fromIntermediates(intermediates);
    if (!block.mayHaveEmptyRows())
      return {output, lse};
    // The kernel averages the values of a row whose keys are all hidden.
    RankedTensorType type = TTIRBuilder::typeOf(output);
    ArrayRef<int64_t> perQuery = TTIRBuilder::typeOf(lse).getShape();
    Value isEmpty = tensors.lessThan(
        lse, tensors.full(perQuery, tensors.f32(), kLowestRealLse));
    Value hidden = tensors.broadcast(
        tensors.typecast(isEmpty, type.getElementType()), type.getShape());
    output = tensors.where(
        hidden, tensors.full(type.getShape(), type.getElementType(), 0.0f),
        output);
    lse = tensors.where(isEmpty,
                        tensors.full(perQuery, tensors.f32(), kEmptyLse), lse);
    return {output, lse};
  }

  static std::pair<Value, Value> lowerToProducts(const ConvertedBlock &block,
                                                 TTIRBuilder &tensors) {
    Type f32 = tensors.f32();
    SmallVector<int64_t> outputShape(
        TTIRBuilder::typeOf(block.query).getShape());
    outputShape.back() = block.valueDim();
    SmallVector<int64_t> lseShape(outputShape);
    lseShape.back() = 1;
    Value scores = maskedScores(block, tensors);
    ArrayRef<int64_t> scoreShape = TTIRBuilder::typeOf(scores).getShape();

    // A row without keys has maximum -inf; -inf - (-1e30) is -inf and its
    // weight 0, where -inf - (-inf) would be NaN.
    bool mayBeEmpty = block.mayHaveEmptyRows();
    Value largest = tensors.maxLast(scores);
    if (mayBeEmpty)
      largest =
          tensors.maximum(largest, tensors.full(lseShape, f32, kEmptyLse));
    Value weights = tensors.exp(
        tensors.subtract(scores, tensors.broadcast(largest, scoreShape)));
    Value sum = tensors.sumLast(weights), isEmpty;
    if (mayBeEmpty) {
      isEmpty = tensors.equal(sum, tensors.full(lseShape, f32, 0.0f));
      sum = tensors.where(isEmpty, tensors.full(lseShape, f32, 1.0f), sum);
    }
    Value grouped = groupHeads(weights, block.keyHeads(), tensors);
    Value output = tensors.matmul(grouped, tensors.typecast(block.value, f32));
    output = tensors.reshape(output, outputShape);
    output = tensors.div(output, tensors.broadcast(sum, outputShape));
    Value lse = tensors.add(largest, tensors.log(sum));
    if (mayBeEmpty)
      lse = tensors.where(isEmpty, tensors.full(lseShape, f32, kEmptyLse), lse);
    return {output, lse};
  }

  BlockLowering lowering;
};

/// ring.empty -> zeros, and a log-sum-exp that weighs nothing or the sink's.
struct LowerEmpty : OpConversionPattern<EmptyOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(EmptyOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    TTIRBuilder tensors(rewriter, op.getLoc());
    RankedTensorType output = op.getOutput().getType();
    ArrayRef<int64_t> lseShape = op.getLse().getType().getShape();
    Type f32 = rewriter.getF32Type();
    Value lse = adaptor.getSink()
                    ? tensors.broadcast(
                          tensors.typecast(adaptor.getSink(), f32), lseShape)
                    : tensors.full(lseShape, f32, kEmptyLse);
    rewriter.replaceOp(
        op,
        {tensors.full(output.getShape(), output.getElementType(), 0.0f), lse});
    return success();
  }
};

/// Whether a log-sum-exp may be -inf: it comes from outside, or rows that
/// attend to nothing were filled in on its way.
bool mayBeInfinite(Value lse) {
  SmallVector<Value> open = {lse};
  llvm::DenseSet<Value> seen;
  auto isInfinite = [](const APFloat &value) { return value.isInfinity(); };
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    Operation *op = value.getDefiningOp();
    if (!op)
      return true;
    if (auto route = dyn_cast<RouteOp>(op);
        route && route.getFill() && isInfinite(*route.getFill()))
      return true;
    // What is lowered here is low but finite.
    if (isa_and_nonnull<RingDialect>(op->getDialect()))
      continue;
    if (auto pad = dyn_cast<tt::ttir::PadOp>(op);
        pad && isInfinite(pad.getValue()))
      return true;
    if (auto full = dyn_cast<tt::ttir::FullOp>(op))
      if (auto number = dyn_cast<FloatAttr>(full.getFillValue());
          number && isInfinite(number.getValue()))
        return true;
    open.append(op->operand_begin(), op->operand_end());
  }
  return false;
}

/// A log-sum-exp from outside may be -inf, where those made here are low but
/// finite; the difference of two has to be a number.
Value finite(Value original, Value lowered, TTIRBuilder &tensors) {
  if (!mayBeInfinite(original))
    return lowered;
  RankedTensorType type = TTIRBuilder::typeOf(lowered);
  return tensors.maximum(
      lowered, tensors.full(type.getShape(), type.getElementType(), kEmptyLse));
}

/// ring.merge -> %w = sigmoid(%l1 - %l0); %o = %o0 + %w * (%o1 - %o0);
/// %lse = %m + log(exp(%l0 - %m) + exp(%l1 - %m)) with the larger one as %m.
struct LowerMerge : OpConversionPattern<MergeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MergeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    TTIRBuilder tensors(rewriter, op.getLoc());
    Type f32 = rewriter.getF32Type();
    RankedTensorType type = op.getOutput().getType();
    Value first = tensors.typecast(adaptor.getLhs(), f32);
    Value second = tensors.typecast(adaptor.getRhs(), f32);
    Value firstLse = finite(op.getLhsLse(), adaptor.getLhsLse(), tensors);
    Value secondLse = finite(op.getRhsLse(), adaptor.getRhsLse(), tensors);

    Value weight = tensors.broadcast(
        tensors.sigmoid(tensors.subtract(secondLse, firstLse)),
        type.getShape());
    Value output = tensors.add(
        first, tensors.multiply(weight, tensors.subtract(second, first)));
    Value larger = tensors.maximum(firstLse, secondLse);
    auto share = [&](Value lse) {
      return tensors.exp(tensors.subtract(lse, larger));
    };
    Value firstShare = share(firstLse), secondShare = share(secondLse);
    Value lse =
        tensors.add(larger, tensors.log(tensors.add(firstShare, secondShare)));
    rewriter.replaceOp(op,
                       {tensors.typecast(output, type.getElementType()), lse});
    return success();
  }
};

} // namespace

void populateBlockPatterns(RewritePatternSet &patterns,
                           BlockLowering lowering) {
  patterns.add<LowerPartial>(patterns.getContext(), lowering);
  patterns.add<LowerEmpty, LowerMerge>(patterns.getContext());
}

} // namespace mlir::ring
