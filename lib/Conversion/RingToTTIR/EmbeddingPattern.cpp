// SPDX-License-Identifier: Apache-2.0
// Rows by number, out of tables that a device's embedding takes: those of bf16.

#include "Patterns.h"
#include "ring/Support/TTIRBuilder.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"

namespace mlir::ring {

namespace ttir = mlir::tt::ttir;

bool hasOtherTable(ttir::EmbeddingOp op) {
  Type element = TTIRBuilder::typeOf(op.getWeight()).getElementType();
  return element.isF32() || isa<tt::ttcore::TileType>(element);
}

namespace {

/// bf16 has 8 of the 24 digits of f32.
constexpr int64_t kParts = 3;

/// ttir.embedding of f32 -> one of three parts in bf16, side by side, whose sum
/// is the table:
///
///   first = bf16(x), second = bf16(x - first), third = x - first - second
///
/// An infinity is all in the first. So rows come out as they went in, where
/// tt-mlir would round the table. Block floats are bf16 with fewer digits.
struct TakeRowsInParts : OpConversionPattern<ttir::EmbeddingOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ttir::EmbeddingOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    TTIRBuilder tensors(rewriter, op.getLoc());
    Value table = adaptor.getWeight();
    Type element = TTIRBuilder::typeOf(table).getElementType();
    if (!element.isF32()) {
      Value rows = tensors.embedding(adaptor.getInput(),
                                     tensors.typecast(table, tensors.bf16()));
      rewriter.replaceOp(op, tensors.typecast(rows, element));
      return success();
    }
    int64_t columns = TTIRBuilder::typeOf(table).getRank() - 1;
    int64_t width = TTIRBuilder::typeOf(table).getDimSize(columns);
    Value rows = tensors.embedding(adaptor.getInput(),
                                   inParts(table, columns, tensors, rewriter));
    int64_t last = TTIRBuilder::typeOf(rows).getRank() - 1;
    Value sum;
    for (int64_t part = 0; part < kParts; ++part) {
      Value digits = tensors.typecast(
          tensors.slice(rows, last, part * width, (part + 1) * width),
          tensors.f32());
      sum = sum ? tensors.add(sum, digits) : digits;
    }
    rewriter.replaceOp(op, sum);
    return success();
  }

private:
  /// A rounding that is meant: nobody may fold it with the way back.
  static Value round(Value value, Type type, OpBuilder &builder) {
    return ttir::TypecastOp::create(
        builder, value.getLoc(),
        RankedTensorType::get(TTIRBuilder::typeOf(value).getShape(), type),
        value, /*conservative_folding=*/true);
  }

  static Value inParts(Value table, int64_t columns, TTIRBuilder &tensors,
                       OpBuilder &builder) {
    ArrayRef<int64_t> shape = TTIRBuilder::typeOf(table).getShape();
    SmallVector<Value> parts{round(table, tensors.bf16(), builder)};
    for (Value rest = table; parts.size() < kParts;) {
      Value taken = round(parts.back(), tensors.f32(), builder);
      Value isAll = tensors.equal(rest, taken);
      Value nothing = tensors.full(shape, tensors.f32(), 0.0f);
      Value left = tensors.subtract(rest, taken);
      rest = tensors.where(isAll, nothing, left);
      parts.push_back(round(rest, tensors.bf16(), builder));
    }
    return tensors.concat(parts, columns);
  }
};

} // namespace

void populateEmbeddingPatterns(RewritePatternSet &patterns) {
  patterns.add<TakeRowsInParts>(patterns.getContext());
}

} // namespace mlir::ring
