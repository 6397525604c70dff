// SPDX-License-Identifier: Apache-2.0
// Recognising a causal pattern that arrives as a mask.

#include "CausalMask.h"
#include "AttentionOperand.h"
#include "ScoreMask.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"

namespace mlir::ring {
namespace {

namespace ttir = mlir::tt::ttir;

constexpr int64_t kRows = -2, kKeys = -1;

RankedTensorType typeOf(Value value) { return TTIRBuilder::typeOf(value); }

/// The numbers of a mask, entry by entry.
bool isCausal(ttir::ConstantOp constant) {
  auto elements = dyn_cast<DenseFPElementsAttr>(constant.getValue());
  // Equal entries everywhere are not causal.
  if (!elements || elements.isSplat())
    return false;
  int64_t size = elements.getType().getShape().back(), index = 0;
  for (const APFloat &entry : elements.getValues<APFloat>()) {
    int64_t query = index / size, key = index % size;
    ++index;
    if (key <= query ? !entry.isZero() : !dropsScore(entry.convertToDouble()))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Masks that compare positions
//===----------------------------------------------------------------------===//

/// A tensor of positions: `start`, `start + 1`, ... along one dimension, the
/// same for all others.
struct Positions {
  /// Counted from the last, which is -1.
  int64_t dim;
  double start;
};

/// Whether numbers of this type tell neighbouring positions apart.
bool countsByOne(Type type) {
  return type.isF32() || type.isF64() || type.isInteger(32) ||
         type.isInteger(64) || type.isIndex();
}

std::optional<Positions> positionsOf(ttir::ConstantOp constant) {
  auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  RankedTensorType type = typeOf(constant.getResult());
  int64_t size = type.getNumElements();
  auto dim = llvm::find(type.getShape(), size);
  if (!elements || elements.isSplat() || dim == type.getShape().end())
    return std::nullopt;
  SmallVector<double> numbers;
  if (isa<FloatType>(type.getElementType()))
    for (const APFloat &number : elements.getValues<APFloat>())
      numbers.push_back(number.convertToDouble());
  else if (isa<IntegerType>(type.getElementType()))
    for (const APInt &number : elements.getValues<APInt>())
      numbers.push_back(static_cast<double>(number.getSExtValue()));
  for (auto [index, number] : llvm::enumerate(numbers))
    if (number != numbers[0] + static_cast<double>(index))
      return std::nullopt;
  if (numbers.empty())
    return std::nullopt;
  return Positions{dim - type.getShape().end(), numbers[0]};
}

/// The dimension of a reshape's input that `dim` of its result is, if the
/// reshape only adds or drops dimensions of 1.
std::optional<int64_t> dimBeforeReshape(Operation *op, int64_t dim) {
  ArrayRef<int64_t> from = typeOf(op->getOperand(0)).getShape(),
                    to = typeOf(op->getResult(0)).getShape();
  auto isWide = [](int64_t size) { return size != 1; };
  if (llvm::filter_to_vector(from, isWide) !=
      llvm::filter_to_vector(to, isWide))
    return std::nullopt;
  // Wide dimensions behind it are as many before as after.
  int64_t behind = llvm::count_if(to.take_back(-dim - 1), isWide);
  for (int64_t index = -1; index >= -static_cast<int64_t>(from.size()); --index)
    if (isWide(from.end()[index]) && behind-- == 0)
      return index;
  return std::nullopt;
}

std::optional<Positions> positionsOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !typeOf(value).hasStaticShape() ||
      !countsByOne(typeOf(value).getElementType()))
    return std::nullopt;
  int64_t rank = typeOf(value).getRank();
  if (auto constant = dyn_cast<ttir::ConstantOp>(op))
    return positionsOf(constant);
  if (auto arange = dyn_cast<ttir::ArangeOp>(op)) {
    if (arange.getStep() != 1)
      return std::nullopt;
    return Positions{static_cast<int64_t>(arange.getArangeDimension()) - rank,
                     static_cast<double>(arange.getStart())};
  }
  if (isa<ttir::AddOp, ttir::SubtractOp>(op)) {
    std::optional<double> by = uniformValue(op->getOperand(1));
    std::optional<Positions> positions = positionsOf(op->getOperand(0));
    if (!by || !positions)
      return std::nullopt;
    positions->start += isa<ttir::AddOp>(op) ? *by : -*by;
    return positions;
  }
  if (!isa<ttir::TypecastOp, ttir::BroadcastOp, ttir::ReshapeOp,
           ttir::SqueezeOp, ttir::UnsqueezeOp>(op))
    return std::nullopt;
  std::optional<Positions> positions = positionsOf(op->getOperand(0));
  if (!positions || isa<ttir::TypecastOp, ttir::BroadcastOp>(op))
    return positions;
  // A reshape tells where dimensions came from; here it is where they go.
  for (int64_t dim = -1; dim >= -rank; --dim)
    if (typeOf(value).getShape().end()[dim] != 1 &&
        dimBeforeReshape(op, dim) == positions->dim)
      return Positions{dim, positions->start};
  return std::nullopt;
}

/// Whether `condition` is true exactly for the keys up to each query's own
/// position, or, if not `upTo`, for those behind it.
bool comparesPositions(Value condition, bool upTo) {
  Operation *op = beforeBroadcast(condition).getDefiningOp();
  if (!op)
    return false;
  if (isa<ttir::LogicalNotOp>(op))
    return comparesPositions(op->getOperand(0), !upTo);
  bool orEqual = isa<ttir::GreaterEqualOp, ttir::LessEqualOp>(op);
  bool greater = isa<ttir::GreaterEqualOp, ttir::GreaterThanOp>(op);
  if (!orEqual && !isa<ttir::GreaterThanOp, ttir::LessThanOp>(op))
    return false;
  std::optional<Positions> lhs = positionsOf(op->getOperand(0)),
                           rhs = positionsOf(op->getOperand(1));
  if (!lhs || !rhs)
    return false;
  if (lhs->dim == kKeys) {
    std::swap(lhs, rhs);
    greater = !greater;
  }
  if (lhs->dim != kRows || rhs->dim != kKeys || greater != upTo)
    return false;
  // row + a >= key + b are the keys up to row + (a - b), a strict comparison
  // has one less; of the keys behind it is the other way round.
  double last = lhs->start - rhs->start - (orEqual == greater ? 0 : 1);
  return last == 0;
}

} // namespace

bool isCausalMask(Value mask) {
  auto type = dyn_cast<RankedTensorType>(mask.getType());
  if (!type || type.getRank() != 4 ||
      type.getDimSize(2) != type.getDimSize(3) || type.getDimSize(3) < 2)
    return false;
  if (auto constant = mask.getDefiningOp<ttir::ConstantOp>())
    return type.getDimSize(0) == 1 && type.getDimSize(1) == 1 &&
           isCausal(constant);
  auto where = beforeBroadcast(mask).getDefiningOp<ttir::WhereOp>();
  if (!where ||
      typeOf(where.getFirst()).getShape().take_back(2) !=
          type.getShape().take_back(2) ||
      typeOf(where.getResult()).getShape().take_back(2) !=
          type.getShape().take_back(2))
    return false;
  std::optional<double> second = uniformValue(where.getSecond()),
                        third = uniformValue(where.getThird());
  if (!second || !third)
    return false;
  if (*second == 0 && dropsScore(*third))
    return comparesPositions(where.getFirst(), /*upTo=*/true);
  return *third == 0 && dropsScore(*second) &&
         comparesPositions(where.getFirst(), /*upTo=*/false);
}

} // namespace mlir::ring
