// SPDX-License-Identifier: Apache-2.0
// Blocks of attention and what joins them: sdpa_fw where the device's kernel
// can take a block, matrix products and a softmax where it cannot.

#include "KeepMask.h"
#include "Patterns.h"
#include "ring/Dialect/Ring/IR/RingOps.h"
#include "ring/Support/TTIRBuilder.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"
#include "llvm/ADT/DenseSet.h"

#include <cmath>
#include <limits>

namespace mlir::ring {

namespace ttcore = mlir::tt::ttcore;

namespace {

constexpr int64_t kRows = 2, kColumns = 3;
/// The edge of a device tile.
constexpr int64_t kTile = 32;

/// What a block is computed from, after conversion.
struct Block {
  Value query, key, value, mask;

  int64_t dim() const {
    return TTIRBuilder::typeOf(query).getDimSize(kColumns);
  }
  int64_t queries() const {
    return TTIRBuilder::typeOf(query).getDimSize(kRows);
  }
  int64_t keys() const { return TTIRBuilder::typeOf(key).getDimSize(kRows); }
};

/// ring.partial of which nobody needs the log-sum-exp, unmasked:
///   %o = scaled_dot_product_attention(%q, %k, %v)
/// square and unmasked or with a mask that only keeps and drops:
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
    if (op.getBlockAttr() || op.getLengthAttr())
      return op.emitOpError("expects ring-split-blocks to have run: the ")
             << (op.getBlockAttr() ? "block" : "length")
             << " depends on the rank, and TTIR has no masks that do";
    TTIRBuilder tensors(rewriter, op.getLoc());
    Block block{adaptor.getQuery(), adaptor.getKey(), adaptor.getValue(),
                adaptor.getMask()};
    if (isWholeAttention(op, block)) {
      bool causal = isa_and_nonnull<CausalAttr>(op.getPatternAttr());
      Value output = tensors.sdpa(block.query, block.key, block.value, causal,
                                  op.getScaleAttr());
      output =
          tensors.typecast(output, op.getOutput().getType().getElementType());
      // The log-sum-exp is dropped.
      rewriter.replaceOpWithMultiple(
          op, SmallVector<SmallVector<Value>>{{output}, {}});
      return success();
    }
    auto [output, lse] = suitsKernel(op, block)
                             ? lowerToKernel(op, block, tensors, rewriter)
                             : lowerToProducts(op, block, tensors, rewriter);
    rewriter.replaceOp(
        op,
        {tensors.typecast(output, op.getOutput().getType().getElementType()),
         lse});
    return success();
  }

private:
  /// Nobody asks for the log-sum-exp, and the pattern is one that TTIR has:
  /// a segment of a dilated attention, or all keys at once.
  static bool isWholeAttention(PartialOp op, const Block &block) {
    RankedTensorType value = TTIRBuilder::typeOf(block.value);
    bool causal = isa_and_nonnull<CausalAttr>(op.getPatternAttr());
    return op.getLse().use_empty() && !block.mask &&
           value == TTIRBuilder::typeOf(block.key) &&
           (causal ? block.queries() == block.keys() : !op.getPatternAttr());
  }

  /// Square, whole tiles, one head dim, and bf16: what sdpa_fw takes.
  bool suitsKernel(PartialOp op, const Block &block) const {
    int64_t valueDim = TTIRBuilder::typeOf(block.value).getDimSize(kColumns);
    if (block.queries() != block.keys() || block.queries() % kTile != 0 ||
        block.dim() % kTile != 0 || valueDim != block.dim())
      return false;
    for (Value input : {block.query, block.key, block.value})
      if (!TTIRBuilder::typeOf(input).getElementType().isBF16() &&
          !lowering.roundToBf16)
        return false;
    if (!block.mask)
      return true;
    RankedTensorType mask = TTIRBuilder::typeOf(block.mask);
    return mask.getDimSize(0) == 1 && mask.getDimSize(1) == 1 &&
           keptPairsOf(block.mask);
  }

  /// The kernel's scale is 1 / sqrt(dim); another one goes into the queries.
  Value scaledQuery(PartialOp op, const Block &block,
                    TTIRBuilder &tensors) const {
    if (!op.getScale())
      return block.query;
    float factor = op.getScale()->convertToFloat() *
                   std::sqrt(static_cast<float>(block.dim()));
    if (std::abs(factor - 1.0f) < 1e-6f)
      return block.query;
    RankedTensorType type = TTIRBuilder::typeOf(block.query);
    return tensors.multiply(
        block.query,
        tensors.full(type.getShape(), type.getElementType(), factor));
  }

  std::pair<Value, Value> lowerToKernel(PartialOp op, const Block &block,
                                        TTIRBuilder &tensors,
                                        OpBuilder &builder) const {
    Type bf16 = builder.getBF16Type();
    int64_t rows = block.queries();
    SmallVector<int64_t> square{1, 1, rows, rows};
    bool causal = isa_and_nonnull<CausalAttr>(op.getPatternAttr());

    auto maskType = ttcore::AttentionMaskType::Arbitrary;
    Value mask;
    if (block.mask) {
      mask = tensors.broadcast(keptPairsOf(block.mask), square);
      if (Value band = keptPairsOf(op.getBand(), rows, rows, tensors))
        mask = tensors.multiply(mask, band);
      mask = tensors.typecast(mask, bf16);
    } else if (causal) {
      maskType = ttcore::AttentionMaskType::Causal;
    } else if (Value band = keptPairsOf(op.getBand(), rows, rows, tensors)) {
      mask = tensors.typecast(band, bf16);
    } else if (lowering.onesMask) {
      mask = tensors.full(square, bf16, 1.0f);
    } else {
      maskType = ttcore::AttentionMaskType::None;
    }
    auto [output, intermediates] = tensors.sdpaForward(
        tensors.typecast(scaledQuery(op, block, tensors), bf16),
        tensors.typecast(block.key, bf16), tensors.typecast(block.value, bf16),
        mask, maskType);
    return {output, tensors.slice(intermediates, kColumns, 0, 1)};
  }

  /// Query heads that share a key head stand behind each other, so one product
  /// with that head serves them all: no key is repeated.
  static Value groupHeads(Value query, int64_t keyHeads, TTIRBuilder &tensors) {
    ArrayRef<int64_t> shape = TTIRBuilder::typeOf(query).getShape();
    int64_t rows = shape[1] / keyHeads * shape[2];
    return tensors.reshape(query, {shape[0], keyHeads, rows, shape[3]});
  }

  std::pair<Value, Value> lowerToProducts(PartialOp op, const Block &block,
                                          TTIRBuilder &tensors,
                                          OpBuilder &builder) const {
    Type f32 = builder.getF32Type();
    RankedTensorType query = TTIRBuilder::typeOf(block.query);
    int64_t keyHeads = TTIRBuilder::typeOf(block.key).getDimSize(1);
    SmallVector<int64_t> scoreShape(query.getShape());
    scoreShape[kColumns] = block.keys();
    SmallVector<int64_t> outputShape(op.getOutput().getType().getShape());
    SmallVector<int64_t> lseShape(outputShape);
    lseShape[kColumns] = 1;

    float scale = op.getScale()
                      ? op.getScale()->convertToFloat()
                      : 1.0f / std::sqrt(static_cast<float>(block.dim()));
    Value scores = tensors.matmul(
        groupHeads(tensors.typecast(block.query, f32), keyHeads, tensors),
        tensors.typecast(block.key, f32), /*transposeB=*/true);
    scores = tensors.reshape(scores, scoreShape);
    scores = tensors.multiply(scores, tensors.full(scoreShape, f32, scale));
    Value band =
        keptPairsOf(op.getBand(), block.queries(), block.keys(), tensors);
    if (band)
      scores =
          tensors.where(tensors.broadcast(band, scoreShape), scores,
                        tensors.full(scoreShape, f32,
                                     -std::numeric_limits<float>::infinity()));
    if (block.mask)
      scores = tensors.add(
          scores,
          tensors.broadcast(tensors.typecast(block.mask, f32), scoreShape));

    // A row without keys has maximum -inf; -inf - (-1e30) is -inf and its
    // weight 0, where -inf - (-inf) would be NaN.
    bool mayBeEmpty = band || block.mask;
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
    Value output = tensors.matmul(groupHeads(weights, keyHeads, tensors),
                                  tensors.typecast(block.value, f32));
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
  auto isInfinite = [](APFloat value) { return value.isInfinity(); };
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    Operation *op = value.getDefiningOp();
    if (!op)
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
    Value lse = tensors.add(
        larger, tensors.log(tensors.add(share(firstLse), share(secondLse))));
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
