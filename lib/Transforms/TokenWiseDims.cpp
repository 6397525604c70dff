// SPDX-License-Identifier: Apache-2.0
// Which dimensions go along with which, op by op.

#include "TokenWise.h"
#include "ring/Support/TTIRBuilder.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

namespace mlir::ring {
namespace {

namespace ttir = mlir::tt::ttir;

constexpr int64_t kWhole = TokenWiseDims::kWhole;
constexpr int64_t kSummed = TokenWiseDims::kSummed;

using Dims = SmallVector<int64_t>;

RankedTensorType typeOf(Value value) { return TTIRBuilder::typeOf(value); }

/// Counts from the end where `dim` is negative.
int64_t fromFront(int64_t dim, int64_t rank) {
  return dim < 0 ? dim + rank : dim;
}

Dims identity(int64_t rank) {
  Dims dims(rank);
  std::iota(dims.begin(), dims.end(), 0);
  return dims;
}

bool isElementwise(Operation *op) {
  return isa<ttir::AddOp, ttir::SubtractOp, ttir::MultiplyOp, ttir::MaximumOp,
             ttir::MinimumOp, ttir::NegOp, ttir::ExpOp, ttir::SigmoidOp,
             ttir::SiluOp, ttir::GeluOp, ttir::TanhOp, ttir::ReluOp,
             ttir::SinOp, ttir::CosOp, ttir::AbsOp, ttir::WhereOp,
             ttir::TypecastOp, ttir::DivOp, ttir::LogOp, ttir::SqrtOp,
             ttir::RsqrtOp, ttir::ReciprocalOp, ttir::PowOp, ttir::EqualOp,
             ttir::GreaterThanOp, ttir::GreaterEqualOp, ttir::LessThanOp,
             ttir::LessEqualOp, ttir::LogicalNotOp, ttir::ClampScalarOp>(op);
}

/// By NumPy's rule: dimensions from the last on, those of size 1 are the same
/// for all.
Dims broadcastDims(RankedTensorType operand, RankedTensorType result) {
  int64_t missing = result.getRank() - operand.getRank();
  Dims dims(operand.getRank(), kWhole);
  for (int64_t dim = 0; dim < operand.getRank(); ++dim)
    if (operand.getDimSize(dim) == result.getDimSize(dim + missing))
      dims[dim] = dim + missing;
  return dims;
}

TokenWiseDims elementwiseDims(Operation *op) {
  TokenWiseDims dims;
  for (Value operand : op->getOperands())
    dims.operands.push_back(
        broadcastDims(typeOf(operand), typeOf(op->getResult(0))));
  return dims;
}

/// Goes through both shapes side by side. Of dimensions that are merged or cut,
/// the first ones go along with each other, as heads x dim and hidden do:
///
///   [1, 4096, 40, 128] split 40 by 4   <->   [1, 4096, 5120] split 5120 by 4
std::optional<TokenWiseDims> reshapeDims(Operation *op) {
  ArrayRef<int64_t> from = typeOf(op->getOperand(0)).getShape();
  ArrayRef<int64_t> to = typeOf(op->getResult(0)).getShape();
  Dims dims(from.size(), kWhole);
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
    if (fromBegin < i && toBegin < j)
      dims[fromBegin] = toBegin;
  }
  return TokenWiseDims{{dims}};
}

/// `a * b` and what is added to it; leading dimensions broadcast.
std::optional<TokenWiseDims> productDims(Operation *op, bool transposeA,
                                         bool transposeB) {
  RankedTensorType a = typeOf(op->getOperand(0)), b = typeOf(op->getOperand(1)),
                   result = typeOf(op->getResult(0));
  if (a.getRank() < 2 || b.getRank() < 2)
    return std::nullopt;
  // Of each factor one of the last two dimensions is the result's, the other is
  // summed over.
  auto factor = [&](RankedTensorType type, bool transposed, bool first) {
    int64_t rank = type.getRank(), last = result.getRank() - 1;
    auto batch = [](RankedTensorType type) {
      return RankedTensorType::get(type.getShape().drop_back(2),
                                   type.getElementType());
    };
    Dims dims = broadcastDims(batch(type), batch(result));
    bool keepsLast = first == transposed;
    dims.push_back(keepsLast ? kSummed : first ? last - 1 : last);
    dims.push_back(!keepsLast ? kSummed : first ? last - 1 : last);
    assert(static_cast<int64_t>(dims.size()) == rank);
    return dims;
  };
  TokenWiseDims dims{
      {factor(a, transposeA, true), factor(b, transposeB, false)}};
  for (Value bias : op->getOperands().drop_front(2))
    dims.operands.push_back(broadcastDims(typeOf(bias), result));
  return dims;
}

/// The result has the batches, then what is left of the left side, then of the
/// right one. The op has no verifier that would say so.
std::optional<TokenWiseDims> dotDims(ttir::DotGeneralOp op) {
  auto next = static_cast<int64_t>(op.getBatchDimsLhs().size());
  auto side = [&](Value value, ArrayRef<int64_t> batch,
                  ArrayRef<int64_t> summed) -> std::optional<Dims> {
    Dims dims(typeOf(value).getRank(), kWhole);
    auto exists = [&](int64_t dim) {
      return dim >= 0 && dim < static_cast<int64_t>(dims.size());
    };
    if (!llvm::all_of(batch, exists) || !llvm::all_of(summed, exists))
      return std::nullopt;
    for (auto [i, dim] : llvm::enumerate(batch))
      dims[dim] = i;
    for (int64_t dim : summed)
      dims[dim] = kSummed;
    for (int64_t &dim : dims)
      if (dim == kWhole)
        dim = next++;
    return dims;
  };
  auto lhs = side(op.getLhs(), op.getBatchDimsLhs(), op.getContractDimsLhs());
  auto rhs = side(op.getRhs(), op.getBatchDimsRhs(), op.getContractDimsRhs());
  if (!lhs || !rhs || next != typeOf(op).getRank())
    return std::nullopt;
  return TokenWiseDims{{*lhs, *rhs}};
}

/// All dimensions of the first operand but `whole`, the weights not at all.
TokenWiseDims allBut(Operation *op, ArrayRef<int64_t> whole) {
  TokenWiseDims dims{{identity(typeOf(op->getOperand(0)).getRank())}};
  for (int64_t dim : whole)
    dims.operands[0][dim] = kWhole;
  for (Value weight : op->getOperands().drop_front())
    dims.operands.emplace_back(typeOf(weight).getRank(), kWhole);
  return dims;
}

TokenWiseDims normDims(Operation *op, size_t normalized) {
  Dims all = identity(typeOf(op->getOperand(0)).getRank());
  return allBut(op, ArrayRef(all).take_back(normalized));
}

TokenWiseDims reductionDims(Operation *op, std::optional<ArrayAttr> reduced,
                            bool keepDim) {
  int64_t rank = typeOf(op->getOperand(0)).getRank(), next = 0;
  llvm::SmallVector<bool> isReduced(rank, !reduced);
  if (reduced)
    for (Attribute dim : *reduced)
      isReduced[fromFront(cast<IntegerAttr>(dim).getInt(), rank)] = true;
  Dims dims;
  for (int64_t dim = 0; dim < rank; ++dim) {
    dims.push_back(isReduced[dim] ? kWhole : next);
    next += keepDim || !isReduced[dim];
  }
  return {{dims}};
}

/// Dimensions of which the slice takes all.
TokenWiseDims sliceDims(ttir::SliceStaticOp op) {
  RankedTensorType input = typeOf(op.getInput()), result = typeOf(op);
  SmallVector<int64_t> cut;
  for (int64_t dim = 0; dim < input.getRank(); ++dim)
    if (input.getDimSize(dim) != result.getDimSize(dim) ||
        cast<IntegerAttr>(op.getStep()[dim]).getInt() != 1)
      cut.push_back(dim);
  return allBut(op, cut);
}

TokenWiseDims concatDims(ttir::ConcatOp op) {
  int64_t rank = typeOf(op).getRank();
  Dims dims = identity(rank);
  dims[fromFront(op.getDim(), rank)] = kWhole;
  return {SmallVector<Dims>(op->getNumOperands(), dims)};
}

/// Numbers of rows of a table: who has the numbers has the rows.
TokenWiseDims embeddingDims(ttir::EmbeddingOp op) {
  Dims table(typeOf(op.getWeight()).getRank(), kWhole);
  table.back() = typeOf(op).getRank() - 1;
  return {{identity(typeOf(op.getInput()).getRank()), table}};
}

/// cos and sin have a row for each token; the two halves of the last dimension
/// meet.
std::optional<TokenWiseDims> rotaryDims(Operation *op) {
  int64_t rank = typeOf(op->getResult(0)).getRank();
  if (op->hasAttr("token_index") ||
      llvm::any_of(op->getOperands(), [&](Value operand) {
        return typeOf(operand).getRank() == 0 ||
               typeOf(operand).getRank() > rank;
      }))
    return std::nullopt;
  TokenWiseDims dims = elementwiseDims(op);
  for (Dims &operand : dims.operands)
    operand.back() = kWhole;
  return dims;
}

TokenWiseDims permuteDims(ArrayRef<int64_t> permutation) {
  Dims dims(permutation.size());
  for (auto [to, from] : llvm::enumerate(permutation))
    dims[from] = to;
  return {{dims}};
}

TokenWiseDims transposeDims(ttir::TransposeOp op) {
  int64_t rank = typeOf(op).getRank();
  Dims dims = identity(rank);
  std::swap(dims[fromFront(op.getDim0(), rank)],
            dims[fromFront(op.getDim1(), rank)]);
  return {{dims}};
}

} // namespace

std::optional<TokenWiseDims> tokenWiseDims(Operation *op) {
  using Found = std::optional<TokenWiseDims>;
  auto hasNumbers = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape() && tensor.getNumElements() > 0;
  };
  if (op->getNumResults() != 1 || op->getNumRegions() > 0 ||
      !llvm::all_of(op->getOperandTypes(), hasNumbers) ||
      !llvm::all_of(op->getResultTypes(), hasNumbers))
    return std::nullopt;
  if (op->getName().getStringRef() == "ttir.rotary_embedding")
    return rotaryDims(op);
  if (isElementwise(op))
    return elementwiseDims(op);
  return llvm::TypeSwitch<Operation *, Found>(op)
      .Case<ttir::MatmulOp, ttir::LinearOp>([](auto product) {
        return productDims(product, product.getTransposeA(),
                           product.getTransposeB());
      })
      .Case([](ttir::DotGeneralOp dot) { return dotDims(dot); })
      .Case<ttir::RMSNormOp, ttir::LayerNormOp>([](auto norm) {
        return normDims(norm, norm.getNormalizedShape().size());
      })
      .Case([](ttir::SoftmaxOp softmax) {
        int64_t rank = typeOf(softmax).getRank();
        return allBut(softmax, fromFront(softmax.getDimension(), rank));
      })
      .Case<ttir::SumOp, ttir::MaxOp, ttir::MeanOp>([](auto reduction) {
        return reductionDims(reduction, reduction.getDimArg(),
                             reduction.getKeepDim());
      })
      .Case<ttir::ReshapeOp, ttir::UnsqueezeOp, ttir::SqueezeOp>(
          [](auto reshape) { return reshapeDims(reshape); })
      .Case([](ttir::PermuteOp op) { return permuteDims(op.getPermutation()); })
      .Case([](ttir::TransposeOp op) { return transposeDims(op); })
      .Case([](ttir::SliceStaticOp op) { return sliceDims(op); })
      .Case([](ttir::ConcatOp op) { return concatDims(op); })
      .Case([](ttir::EmbeddingOp op) { return embeddingDims(op); })
      .Case<ttir::BroadcastOp, ttir::RepeatOp, ttir::PadOp>([](auto op) {
        TokenWiseDims dims = elementwiseDims(op);
        dims.copies = isa<ttir::BroadcastOp>(op);
        return dims;
      })
      .Case([](ttir::RepeatInterleaveOp op) {
        return TokenWiseDims{{identity(typeOf(op).getRank())}};
      })
      .Default([](Operation *) { return std::nullopt; });
}

bool TokenWiseDims::sums() const {
  return llvm::any_of(operands, [](ArrayRef<int64_t> operand) {
    return llvm::is_contained(operand, kSummed);
  });
}

bool mayLeaveFinite(Operation *op) {
  if (auto norm = dyn_cast<ttir::RMSNormOp>(op))
    return norm.getEpsilon().convertToDouble() <= 0;
  if (auto norm = dyn_cast<ttir::LayerNormOp>(op))
    return norm.getEpsilon().convertToDouble() <= 0;
  return isa<ttir::DivOp, ttir::LogOp, ttir::SqrtOp, ttir::RsqrtOp,
             ttir::ReciprocalOp, ttir::PowOp, ttir::ExpOp>(op);
}

bool isFill(Operation *op) {
  return isa_and_nonnull<ttir::FullOp, ttir::ZerosOp, ttir::OnesOp>(op);
}

bool isConstant(Operation *op) {
  return op && (isFill(op) || isa<ttir::ConstantOp, ttir::ArangeOp>(op));
}

bool onlyMoves(Operation *op) {
  return isa<ttir::ReshapeOp, ttir::SqueezeOp, ttir::UnsqueezeOp,
             ttir::PermuteOp, ttir::TransposeOp, ttir::SliceStaticOp,
             ttir::ConcatOp, ttir::TypecastOp>(op);
}

} // namespace mlir::ring
