// SPDX-License-Identifier: Apache-2.0
// What masks say that a pattern or a length says as well.

#include "MaskMeaning.h"
#include "AttentionOperand.h"
#include "ScoreMask.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"

#include <cmath>

namespace mlir::ring {
namespace {

namespace ttir = mlir::tt::ttir;

RankedTensorType typeOf(Value value) { return TTIRBuilder::typeOf(value); }

/// A tensor that spreads over the scores. Its dimensions of queries and keys
/// are counted from its last, which is -1; those of size 1, which say the same
/// of all queries or keys, are none.
struct Spread {
  Value tensor;
  std::optional<int64_t> queries, keys;

  int64_t sizeOf(std::optional<int64_t> dim) const {
    return dim ? typeOf(tensor).getShape().end()[*dim] : 1;
  }
  /// Another tensor, of an op that spreads it over this one.
  Spread operand(Value other) const {
    auto wide = [&](std::optional<int64_t> dim) -> std::optional<int64_t> {
      ArrayRef<int64_t> shape = typeOf(other).getShape();
      if (!dim || -*dim > static_cast<int64_t>(shape.size()) ||
          shape.end()[*dim] == 1)
        return std::nullopt;
      return dim;
    };
    return {other, wide(queries), wide(keys)};
  }
};

/// Which keys the queries see, as far as the two can say.
struct Seen {
  bool causal = false;
  std::optional<int64_t> length;

  static Seen join(const Seen &a, const Seen &b) {
    Seen both{a.causal || b.causal, a.length ? a.length : b.length};
    if (a.length && b.length)
      both.length = std::min(*a.length, *b.length);
    return both;
  }
};

//===----------------------------------------------------------------------===//
// Positions
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

bool isReshape(Operation *op) {
  return isa<ttir::ReshapeOp, ttir::SqueezeOp, ttir::UnsqueezeOp>(op);
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
  if (!isReshape(op) && !isa<ttir::TypecastOp, ttir::BroadcastOp>(op))
    return std::nullopt;
  std::optional<Positions> positions = positionsOf(op->getOperand(0));
  if (!positions || !isReshape(op))
    return positions;
  // A reshape tells where dimensions came from; here it is where they go.
  for (int64_t dim = -1; dim >= -rank; --dim)
    if (typeOf(value).getShape().end()[dim] != 1 &&
        dimBeforeReshape(op, dim) == positions->dim)
      return Positions{dim, positions->start};
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

/// What stands before ops that change only the type, dimensions of 1 or how
/// often a tensor is repeated.
std::optional<Spread> beforeSpreading(Spread at) {
  Operation *op = at.tensor.getDefiningOp();
  if (!op)
    return std::nullopt;
  // Floats that become integers on the way may be 0 only then.
  if (isa<ttir::TypecastOp>(op) &&
      isa<FloatType>(typeOf(op->getOperand(0)).getElementType()) &&
      !isa<FloatType>(typeOf(at.tensor).getElementType()))
    return std::nullopt;
  if (isa<ttir::TypecastOp, ttir::BroadcastOp>(op))
    return at.operand(op->getOperand(0));
  if (!isReshape(op))
    return std::nullopt;
  Spread before{op->getOperand(0), {}, {}};
  for (auto [own, dim] : {std::pair(&before.queries, at.queries),
                          std::pair(&before.keys, at.keys)}) {
    if (!dim)
      continue;
    *own = dimBeforeReshape(op, *dim);
    if (!*own)
      return std::nullopt;
  }
  return before;
}

/// Reads the keys that `sees` is true for, entry by entry, however many batch
/// entries and heads there are.
std::optional<Seen> readEntries(const Spread &at,
                                llvm::function_ref<bool(int64_t)> sees) {
  ArrayRef<int64_t> shape = typeOf(at.tensor).getShape();
  int64_t keys = at.sizeOf(at.keys), rows = at.sizeOf(at.queries);
  // Entries between neighbours of one dimension.
  auto strideOf = [&](std::optional<int64_t> dim) {
    return dim ? ShapedType::getNumElements(shape.take_back(-*dim - 1)) : 1;
  };
  int64_t keyStride = strideOf(at.keys), rowStride = strideOf(at.queries);
  int64_t last = -1, count = typeOf(at.tensor).getNumElements();
  auto keyOf = [&](int64_t entry) { return entry / keyStride % keys; };
  auto rowOf = [&](int64_t entry) { return entry / rowStride % rows; };
  for (int64_t entry = 0; entry < count; ++entry)
    if (sees(entry))
      last = std::max(last, keyOf(entry));
  if (last < 0 || !at.keys)
    return std::nullopt;
  bool all = true, triangle = at.queries && rows > 1;
  for (int64_t entry = 0; entry < count && (all || triangle); ++entry) {
    int64_t key = keyOf(entry);
    bool real = key <= last, seen = sees(entry);
    all &= seen == real;
    triangle &= seen == (real && key <= rowOf(entry));
  }
  if (!all && !triangle)
    return std::nullopt;
  Seen result{!all, {}};
  // Below a triangle of fewer rows than keys all others are hidden in any case.
  if (last + 1 < keys && (all || last + 1 < rows))
    result.length = last + 1;
  return result;
}

std::optional<Seen> readConstant(const Spread &at, bool sees) {
  auto constant = at.tensor.getDefiningOp<ttir::ConstantOp>();
  auto elements =
      constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
  if (!elements || elements.isSplat())
    return std::nullopt;
  if (isa<IntegerType>(elements.getElementType())) {
    auto numbers = elements.getValues<APInt>();
    return readEntries(at, [&, sees](int64_t entry) {
      return numbers[entry].isZero() != sees;
    });
  }
  if (!isa<FloatType>(elements.getElementType()))
    return std::nullopt;
  auto numbers = elements.getValues<APFloat>();
  return readEntries(
      at, [&, sees](int64_t entry) { return numbers[entry].isZero() != sees; });
}

/// Reads `lhs < rhs` and the like, where it is true if `sees`, else where it is
/// not.
std::optional<Seen> readComparison(const Spread &at, bool sees) {
  Operation *op = at.tensor.getDefiningOp();
  bool orEqual = isa<ttir::GreaterEqualOp, ttir::LessEqualOp>(op);
  bool greater = isa<ttir::GreaterEqualOp, ttir::GreaterThanOp>(op);
  if (!orEqual && !isa<ttir::GreaterThanOp, ttir::LessThanOp>(op))
    return std::nullopt;
  Value left = op->getOperand(0), right = op->getOperand(1);
  // The keys on the right.
  std::optional<Positions> keys = positionsOf(right);
  if (!keys || keys->dim != at.keys) {
    std::swap(left, right);
    greater = !greater;
    keys = positionsOf(right);
  }
  if (!keys || keys->dim != at.keys)
    return std::nullopt;
  // What is not greater is less or equal.
  if (!sees) {
    greater = !greater;
    orEqual = !orEqual;
  }
  if (!greater)
    return std::nullopt;
  if (std::optional<double> number = uniformValue(left)) {
    // number >= key + start: so many keys are seen.
    double length = *number - keys->start + (orEqual ? 1 : 0);
    if (length != std::floor(length) || length < 1)
      return std::nullopt;
    if (length >= static_cast<double>(at.sizeOf(at.keys)))
      return Seen{};
    return Seen{false, static_cast<int64_t>(length)};
  }
  std::optional<Positions> queries = positionsOf(left);
  if (!queries || queries->dim != at.queries)
    return std::nullopt;
  // row + a >= key + b are the keys up to row + (a - b), a strict comparison
  // has one less.
  if (queries->start - keys->start - (orEqual ? 0 : 1) != 0)
    return std::nullopt;
  return Seen{true, {}};
}

/// Reads a condition: the keys that it is true for, or, if not `sees`, those
/// that it is false for.
std::optional<Seen> readCondition(const Spread &at, bool sees) {
  Operation *op = at.tensor.getDefiningOp();
  if (!op || !typeOf(at.tensor).hasStaticShape())
    return std::nullopt;
  if (std::optional<Spread> before = beforeSpreading(at))
    return readCondition(*before, sees);
  if (isa<ttir::ConstantOp>(op))
    return readConstant(at, sees);
  if (isa<ttir::LogicalNotOp>(op))
    return readCondition(at.operand(op->getOperand(0)), !sees);
  // Seen by both, or hidden by neither.
  StringRef joins = sees ? "ttir.logical_and" : "ttir.logical_or";
  if (op->getName().getStringRef() == joins && op->getNumOperands() == 2) {
    std::optional<Seen> first =
        readCondition(at.operand(op->getOperand(0)), sees);
    std::optional<Seen> second =
        first ? readCondition(at.operand(op->getOperand(1)), sees) : first;
    if (!second)
      return std::nullopt;
    return Seen::join(*first, *second);
  }
  return readComparison(at, sees);
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// Reads a mask by its numbers: 0, or so low that the score does not count.
std::optional<Seen> readNumbers(const Spread &at, DenseElementsAttr elements) {
  if (!isa<FloatType>(elements.getElementType()))
    return std::nullopt;
  auto numbers = elements.getValues<APFloat>();
  for (const APFloat &number : numbers)
    if (!number.isZero() && !dropsScore(number.convertToDouble()))
      return std::nullopt;
  return readEntries(at,
                     [&](int64_t entry) { return numbers[entry].isZero(); });
}

std::optional<Seen> readWhole(const Spread &at) {
  Operation *op = at.tensor.getDefiningOp();
  if (!op || !typeOf(at.tensor).hasStaticShape())
    return std::nullopt;
  if (uniformValue(at.tensor) == 0.0)
    return Seen{};
  if (std::optional<Spread> before = beforeSpreading(at))
    return readWhole(*before);
  if (auto constant = dyn_cast<ttir::ConstantOp>(op)) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!elements || elements.isSplat())
      return std::nullopt;
    return readNumbers(at, elements);
  }
  auto where = dyn_cast<ttir::WhereOp>(op);
  if (!where)
    return std::nullopt;
  std::optional<double> second = uniformValue(where.getSecond()),
                        third = uniformValue(where.getThird());
  if (!second || !third)
    return std::nullopt;
  bool keeps = *second == 0 && dropsScore(*third),
       drops = *third == 0 && dropsScore(*second);
  if (!keeps && !drops)
    return std::nullopt;
  return readCondition(at.operand(where.getFirst()), /*sees=*/keeps);
}

MaskMeaning readSum(const Spread &at) {
  MaskMeaning meaning;
  if (std::optional<Seen> seen = readWhole(at)) {
    meaning.causal = seen->causal;
    meaning.length = seen->length;
    return meaning;
  }
  meaning.rest = at.tensor;
  auto add = at.tensor.getDefiningOp<ttir::AddOp>();
  if (!add)
    return meaning;
  for (auto [one, other] :
       {std::pair(add.getLhs(), add.getRhs()), {add.getRhs(), add.getLhs()}}) {
    std::optional<Seen> seen = readWhole(at.operand(one));
    if (!seen)
      continue;
    meaning = readSum(at.operand(other));
    Seen both = Seen::join(*seen, {meaning.causal, meaning.length});
    meaning.causal = both.causal;
    meaning.length = both.length;
    return meaning;
  }
  return meaning;
}

} // namespace

MaskMeaning readMask(Value mask) {
  Spread at{mask, {}, {}};
  if (typeOf(mask).getRank() != 4)
    return {false, {}, mask};
  at.queries = -2;
  at.keys = -1;
  return readSum(at.operand(mask));
}

} // namespace mlir::ring
