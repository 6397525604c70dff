// SPDX-License-Identifier: Apache-2.0
// Gradients of a block: sdpa_bw where the device's kernel can take it, matrix
// products where it cannot.

#include "KernelFit.h"
#include "Patterns.h"
#include "ScoreProducts.h"

namespace mlir::ring {
namespace {

/// Gradients of query, key and value.
struct BlockGradients {
  Value query, key, value;
};

/// ring.partial_backward, where the block suits the kernel:
///   %dq, %dk, %dv = sdpa_bw(%grad, %out, %q * factor, %k, %v, final lse)
///   with %dq * factor
/// else
///   %p = exp(%q %k^T * scale + mask - lse);  %delta = sum(%grad * %out)
///   %ds = %p * (%grad %v^T - %delta) * scale
///   %dq = %ds %k;  %dk = %ds^T %q;  %dv = %p^T %grad
/// Either way in f32 from here on.
class LowerPartialBackward : public OpConversionPattern<PartialBackwardOp> {
public:
  LowerPartialBackward(MLIRContext *context, BlockLowering lowering)
      : OpConversionPattern(context), lowering(lowering) {}

  LogicalResult
  matchAndRewrite(PartialBackwardOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (failed(verifySplit(op)))
      return failure();
    TTIRBuilder tensors(rewriter, op.getLoc());
    ConvertedBlock block(op, adaptor);
    Value lse = weighingNothingIfEmpty(adaptor.getLse(), tensors);
    BlockGradients gradients;
    if (std::optional<KernelFit> fit =
            KernelFit::find(block, lowering, tensors))
      gradients = lowerToKernel(adaptor, block, lse, *fit, tensors);
    else
      gradients = lowerToProducts(adaptor, block, lse, tensors);
    rewriter.replaceOp(op, {gradients.query, gradients.key, gradients.value});
    return success();
  }

private:
  /// A row that no key was seen from has a log-sum-exp of -inf, or one so low
  /// that no real row has it. Its weights, exp(score - lse), are to be 0: as if
  /// its log-sum-exp were very high.
  static Value weighingNothingIfEmpty(Value lse, TTIRBuilder &tensors) {
    ArrayRef<int64_t> shape = TTIRBuilder::typeOf(lse).getShape();
    Value isEmpty = tensors.lessThan(
        lse, tensors.full(shape, tensors.f32(), kEmptyLse / 10));
    return tensors.where(isEmpty,
                         tensors.full(shape, tensors.f32(), -kEmptyLse), lse);
  }

  BlockGradients lowerToKernel(OpAdaptor adaptor, const ConvertedBlock &block,
                               Value lse, KernelFit &fit,
                               TTIRBuilder &tensors) const {
    Value gradOutput = fit.padded(adaptor.getGradOutput()),
          output = fit.padded(adaptor.getOutput()),
          ownQuery = fit.scaledQuery(), ownKey = fit.padded(block.key),
          ownValue = fit.padded(block.value),
          intermediates = fit.toIntermediates(lse);
    auto [query, key, value] =
        tensors.sdpaBackward(gradOutput, output, ownQuery, ownKey, ownValue,
                             intermediates, fit.mask(), fit.maskType());
    auto real = [&](Value gradient, int64_t rows, int64_t columns) {
      return tensors.typecast(fit.cut(gradient, rows, columns), tensors.f32());
    };
    query = real(query, block.queries(), block.dim());
    if (fit.queryFactor() != 1.0f)
      query = tensors.multiply(
          query, tensors.full(TTIRBuilder::typeOf(query).getShape(),
                              tensors.f32(), fit.queryFactor()));
    return {query, real(key, block.keys(), block.dim()),
            real(value, block.keys(), block.valueDim())};
  }

  static BlockGradients lowerToProducts(OpAdaptor adaptor,
                                        const ConvertedBlock &block, Value lse,
                                        TTIRBuilder &tensors) {
    Type f32 = tensors.f32();
    auto grouped = [&](Value tensor) {
      return groupHeads(tensors.typecast(tensor, f32), block.keyHeads(),
                        tensors);
    };
    Value gradOutput = tensors.typecast(adaptor.getGradOutput(), f32);
    Value delta = tensors.sumLast(tensors.multiply(
        gradOutput, tensors.typecast(adaptor.getOutput(), f32)));

    Value scores = maskedScores(block, tensors);
    ArrayRef<int64_t> shape = TTIRBuilder::typeOf(scores).getShape();
    Value weights = grouped(
        tensors.exp(tensors.subtract(scores, tensors.broadcast(lse, shape))));
    ArrayRef<int64_t> groupedShape = TTIRBuilder::typeOf(weights).getShape();
    Value groupedGrad = grouped(gradOutput);
    Value gradWeights = tensors.matmul(
        groupedGrad, tensors.typecast(block.value, f32), Transposed::Second);
    Value gradScores = tensors.multiply(
        weights,
        tensors.subtract(gradWeights,
                         tensors.broadcast(grouped(delta), groupedShape)));
    gradScores = tensors.multiply(
        gradScores, tensors.full(groupedShape, f32, block.scale()));
    Value gradQuery =
        tensors.matmul(gradScores, tensors.typecast(block.key, f32));
    return {
        tensors.reshape(gradQuery, TTIRBuilder::typeOf(block.query).getShape()),
        tensors.matmul(gradScores, grouped(block.query), Transposed::First),
        tensors.matmul(weights, grouped(gradOutput), Transposed::First)};
  }

  BlockLowering lowering;
};

} // namespace

void populateBackwardPatterns(RewritePatternSet &patterns,
                              BlockLowering lowering) {
  patterns.add<LowerPartialBackward>(patterns.getContext(), lowering);
}

} // namespace mlir::ring
