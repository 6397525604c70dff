// SPDX-License-Identifier: Apache-2.0
// A block in the shape that the device's kernels take.

#include "KernelFit.h"
#include "KeepMask.h"
#include "ring/Analysis/AttentionTraits.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::ring {

namespace ttcore = mlir::tt::ttcore;

static constexpr int64_t kRows = 2, kColumns = 3;

KernelFit::KernelFit(const ConvertedBlock &block, TTIRBuilder &tensors)
    : block(block), tensors(tensors),
      rows(llvm::alignTo(std::max(block.queries(), block.keys()), kTileRows)),
      dim(llvm::alignTo(std::max(block.dim(), block.valueDim()),
                        kTileColumns)) {}

/// Whether multiplying by `factor` changes no digit.
static bool isPowerOfTwo(float factor) {
  int exponent;
  return std::abs(std::frexp(factor, &exponent)) == 0.5f;
}

/// 100 queries and keys are computed as 128: 10 000 of 16 384 pairs are real,
/// which is more than half. 5 queries against 100 keys are not worth it.
std::optional<KernelFit> KernelFit::find(const ConvertedBlock &block,
                                         const BlockLowering &lowering,
                                         TTIRBuilder &tensors) {
  KernelFit fit(block, tensors);
  if (2 * block.queries() * block.keys() < fit.rows * fit.rows ||
      block.dim() + block.valueDim() < fit.dim)
    return std::nullopt;
  // A dim of 40 filled up to 64 has another scale, which would have to be
  // rounded into the queries.
  if (block.dim() != fit.dim && !isPowerOfTwo(fit.queryFactor()))
    return std::nullopt;
  for (Value input : {block.query, block.key, block.value})
    if (!TTIRBuilder::typeOf(input).getElementType().isBF16() &&
        !lowering.roundToBf16)
      return std::nullopt;
  if (block.mask) {
    RankedTensorType type = TTIRBuilder::typeOf(block.mask);
    if (type.getDimSize(0) != 1 || type.getDimSize(1) != 1 ||
        !isKeepMask(block.mask))
      return std::nullopt;
  }
  fit.buildMask(lowering);
  return fit;
}

void KernelFit::buildMask(const BlockLowering &lowering) {
  Type f32 = tensors.f32(), bf16 = tensors.bf16();
  SmallVector<int64_t> square{1, 1, rows, rows};
  // Padded keys come last: no query before them sees them if it is causal.
  bool keysArePadded = block.keys() < rows;
  if (block.causal && !block.mask && block.queries() <= block.keys()) {
    kind = ttcore::AttentionMaskType::Causal;
    return;
  }
  auto require = [&](Value pairs) {
    if (!pairs)
      return;
    pairs = tensors.broadcast(tensors.typecast(pairs, bf16), square);
    keptPairs = keptPairs ? tensors.multiply(keptPairs, pairs) : pairs;
  };
  if (block.mask) {
    Value own = keptPairsOf(block.mask, tensors);
    SmallVector<int64_t> shape(TTIRBuilder::typeOf(block.mask).getShape());
    own = tensors.padTo(tensors.broadcast(own, shape), kColumns, rows);
    if (shape[kRows] != 1)
      own = tensors.padTo(own, kRows, rows);
    require(own);
  } else if (keysArePadded) {
    SmallVector<int64_t> row{1, 1, 1, rows};
    Value column = tensors.arange(0, rows, 1, kColumns);
    require(tensors.lessThan(column, tensors.full(row, f32, block.keys())));
  }
  require(keptPairsOf(block.band, rows, rows, tensors));
  if (!keptPairs && lowering.onesMask)
    keptPairs = tensors.full(square, bf16, 1.0f);
  if (!keptPairs)
    kind = ttcore::AttentionMaskType::None;
}

Value KernelFit::padded(Value tensor) {
  tensor = tensors.typecast(tensor, tensors.bf16());
  return tensors.padTo(tensors.padTo(tensor, kRows, rows), kColumns, dim);
}

/// A product of two rounded numbers that is meant to be a power of two is one
/// up to their rounding: 0.353553385 * sqrt(32) is 2.
float KernelFit::queryFactor() const {
  float factor = block.scale() * std::sqrt(static_cast<float>(dim));
  float power = std::exp2(std::round(std::log2(std::abs(factor))));
  power = std::copysign(power, factor);
  return std::abs(factor - power) < 1e-6f * std::abs(power) ? power : factor;
}

/// A power of two changes no digit of a bf16 number. Any other factor is
/// multiplied in f32 and rounded once: a factor of bf16 would itself be off by
/// up to 2^-9, in every score the same way, which no sum averages out.
Value KernelFit::scaledQuery() {
  float factor = queryFactor();
  if (factor == 1.0f)
    return padded(block.query);
  Value query = block.query;
  if (!isPowerOfTwo(factor))
    query = tensors.typecast(query, tensors.f32());
  RankedTensorType type = TTIRBuilder::typeOf(query);
  return padded(tensors.multiply(
      query, tensors.full(type.getShape(), type.getElementType(), factor)));
}

Value KernelFit::toIntermediates(Value perQuery) {
  return tensors.padTo(tensors.padTo(perQuery, kRows, rows), kColumns,
                       kTileColumns);
}

Value KernelFit::fromIntermediates(Value intermediates) {
  return cut(intermediates, block.queries(), 1);
}

Value KernelFit::cut(Value result, int64_t rowCount, int64_t columnCount) {
  return tensors.slice(tensors.slice(result, kColumns, 0, columnCount), kRows,
                       0, rowCount);
}

} // namespace mlir::ring
