// SPDX-License-Identifier: Apache-2.0
// The numbers of tensors that a program computes from constants alone.

#include "KnownNumbers.h"
#include "ElementNumbers.h"
#include "mlir/IR/BuiltinTypes.h"
#include "ring/Support/TTIRBuilder.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

namespace mlir::ring {
namespace {

namespace ttir = mlir::tt::ttir;

using Grid = std::optional<MaskGrid>;
using Axis = MaskGrid::Axis;

/// Longer lists of numbers are not written down, even as runs.
constexpr int64_t kLongestList = int64_t(1) << 24;

RankedTensorType typeOf(Value value) { return TTIRBuilder::typeOf(value); }

Grid readArange(ttir::ArangeOp op) {
  RankedTensorType type = typeOf(op.getResult());
  int64_t dim = static_cast<int64_t>(op.getArangeDimension()) - type.getRank(),
          size = type.getShape().end()[dim];
  if (size > kLongestList)
    return std::nullopt;
  auto start = static_cast<double>(op.getStart()),
       step = static_cast<double>(op.getStep());
  return MaskGrid::along({dim, size}, [&](int64_t index) {
    return rounded(start + step * static_cast<double>(index),
                   type.getElementType());
  });
}

//===----------------------------------------------------------------------===//
// Ops that move numbers about
//===----------------------------------------------------------------------===//

/// A reshape that adds or drops dimensions of 1, or makes one list of all.
Grid reshaped(Operation *op, const MaskGrid &input) {
  ArrayRef<int64_t> from = typeOf(op->getOperand(0)).getShape(),
                    to = typeOf(op->getResult(0)).getShape();
  auto wideDims = [](ArrayRef<int64_t> shape) {
    SmallVector<int64_t> dims;
    for (int64_t dim = -static_cast<int64_t>(shape.size()); dim < 0; ++dim)
      if (shape.end()[dim] != 1)
        dims.push_back(dim);
    return dims;
  };
  if (input.uniformNumber())
    return input;
  SmallVector<int64_t> before = wideDims(from), after = wideDims(to);
  if (before.size() == 2 && after.size() == 1)
    return input.flattened({before[0], from.end()[before[0]]},
                           {before[1], from.end()[before[1]]}, after[0]);
  if (before.size() != after.size())
    return std::nullopt;
  for (auto [own, other] : llvm::zip_equal(before, after))
    if (from.end()[own] != to.end()[other])
      return std::nullopt;
  return input.renamed([&](int64_t dim) -> std::optional<int64_t> {
    return after[llvm::find(before, dim) - before.begin()];
  });
}

Grid permuted(ArrayRef<int64_t> permutation, const MaskGrid &input) {
  int64_t rank = permutation.size();
  return input.renamed([&](int64_t dim) -> std::optional<int64_t> {
    return llvm::find(permutation, rank + dim) - permutation.begin() - rank;
  });
}

Grid transposed(ttir::TransposeOp op, const MaskGrid &input) {
  int64_t rank = typeOf(op.getResult()).getRank();
  auto fromEnd = [&](int64_t dim) { return dim < 0 ? dim : dim - rank; };
  int64_t first = fromEnd(op.getDim0()), second = fromEnd(op.getDim1());
  return input.renamed([&](int64_t dim) -> std::optional<int64_t> {
    return dim == first ? second : dim == second ? first : dim;
  });
}

Grid sliced(ttir::SliceStaticOp op, MaskGrid grid) {
  ArrayRef<int64_t> shape = typeOf(op.getInput()).getShape();
  int64_t rank = shape.size();
  auto entry = [](ArrayAttr list, int64_t index) {
    return cast<IntegerAttr>(list[index]).getInt();
  };
  for (int64_t index = 0; index < rank; ++index) {
    int64_t dim = index - rank;
    if (!grid.dependsOn(dim))
      continue;
    if (entry(op.getStep(), index) != 1)
      return std::nullopt;
    auto bound = [&](int64_t at) { return at < 0 ? at + shape[index] : at; };
    Grid cut = grid.slice(dim, bound(entry(op.getBegins(), index)),
                          bound(entry(op.getEnds(), index)));
    if (!cut)
      return std::nullopt;
    grid = std::move(*cut);
  }
  return grid;
}

Grid padded(ttir::PadOp op, MaskGrid grid) {
  RankedTensorType type = typeOf(op.getInput());
  MaskGrid filling = MaskGrid::uniform(
      rounded(op.getValue().convertToDouble(), type.getElementType()));
  int64_t rank = type.getRank();
  for (int64_t index = 0; index < rank; ++index) {
    int64_t before = op.getPadding()[2 * index],
            behind = op.getPadding()[2 * index + 1];
    SmallVector<const MaskGrid *> parts;
    SmallVector<int64_t> sizes;
    for (auto [part, size] :
         {std::pair<const MaskGrid *, int64_t>(&filling, before),
          {&grid, type.getDimSize(index)},
          {&filling, behind}})
      if (size > 0) {
        parts.push_back(part);
        sizes.push_back(size);
      }
    if (before < 0 || behind < 0)
      return std::nullopt;
    if (parts.size() == 1)
      continue;
    Grid joined = MaskGrid::concat(parts, sizes, index - rank);
    if (!joined)
      return std::nullopt;
    grid = std::move(*joined);
  }
  return grid;
}

//===----------------------------------------------------------------------===//
// Ops that compute
//===----------------------------------------------------------------------===//

using Comparison = double (*)(int);
using Arithmetic = double (*)(ArrayRef<double>);

/// What a comparison says where its left side is less (-1), equal or greater.
Comparison comparisonOf(StringRef name) {
  return llvm::StringSwitch<Comparison>(name)
      .Case("eq", [](int sign) { return double(sign == 0); })
      .Case("ne", [](int sign) { return double(sign != 0); })
      .Case("lt", [](int sign) { return double(sign < 0); })
      .Case("le", [](int sign) { return double(sign <= 0); })
      .Case("gt", [](int sign) { return double(sign > 0); })
      .Case("ge", [](int sign) { return double(sign >= 0); })
      .Default(nullptr);
}

Arithmetic arithmeticOf(StringRef name) {
  using Numbers = ArrayRef<double>;
  return llvm::StringSwitch<Arithmetic>(name)
      .Case("typecast", [](Numbers x) { return x[0]; })
      .Case("neg", [](Numbers x) { return -x[0]; })
      .Case("abs", [](Numbers x) { return std::fabs(x[0]); })
      .Case("add", [](Numbers x) { return x[0] + x[1]; })
      .Case("subtract", [](Numbers x) { return x[0] - x[1]; })
      .Case("multiply", [](Numbers x) { return x[0] * x[1]; })
      .Case("minimum", [](Numbers x) { return std::min(x[0], x[1]); })
      .Case("maximum", [](Numbers x) { return std::max(x[0], x[1]); })
      .Case("logical_not", [](Numbers x) { return double(x[0] == 0); })
      .Case("logical_and",
            [](Numbers x) { return double(x[0] != 0 && x[1] != 0); })
      .Case("logical_or",
            [](Numbers x) { return double(x[0] != 0 || x[1] != 0); })
      .Case("logical_xor",
            [](Numbers x) { return double((x[0] != 0) != (x[1] != 0)); })
      .Case("where", [](Numbers x) { return x[0] != 0 ? x[1] : x[2]; })
      .Default(nullptr);
}

/// Whether nothing in the grid is unknown.
bool isKnown(const MaskGrid &grid) {
  return llvm::all_of(grid.allBands(), [](const MaskGrid::Band &band) {
    return llvm::none_of(band.runs, [](const MaskGrid::Run &run) {
      return std::isnan(run.number);
    });
  });
}

} // namespace

Grid KnownNumbers::compute(Operation *op) {
  if (auto constant = dyn_cast<ttir::ConstantOp>(op))
    return numbersOf(constant.getValue());
  if (auto arange = dyn_cast<ttir::ArangeOp>(op))
    return readArange(arange);
  Type element = typeOf(op->getResult(0)).getElementType();
  if (auto full = dyn_cast<ttir::FullOp>(op)) {
    std::optional<double> number = numberOf(full.getFillValue());
    return number ? Grid(MaskGrid::uniform(rounded(*number, element)))
                  : std::nullopt;
  }
  if (isa<ttir::ZerosOp, ttir::OnesOp>(op))
    return MaskGrid::uniform(isa<ttir::OnesOp>(op) ? 1 : 0);

  SmallVector<const MaskGrid *> inputs;
  for (Value operand : op->getOperands()) {
    const Grid &grid = known.find(operand)->second;
    if (!grid)
      return std::nullopt;
    inputs.push_back(&*grid);
  }
  if (inputs.empty())
    return std::nullopt;
  StringRef name = op->getName().stripDialect();
  if (Comparison comparison = comparisonOf(name);
      comparison && inputs.size() == 2)
    return MaskGrid::compare(*inputs[0], *inputs[1], comparison);
  if (Arithmetic arithmetic = arithmeticOf(name))
    return MaskGrid::zip(inputs, [&](ArrayRef<double> numbers) {
      return rounded(arithmetic(numbers), element);
    });
  // What does not change along a dimension has any size there.
  if (isa<ttir::BroadcastOp>(op))
    return *inputs[0];
  if (isa<ttir::ReshapeOp, ttir::SqueezeOp, ttir::UnsqueezeOp>(op))
    return reshaped(op, *inputs[0]);
  if (auto permute = dyn_cast<ttir::PermuteOp>(op))
    return permuted(permute.getPermutation(), *inputs[0]);
  if (auto transpose = dyn_cast<ttir::TransposeOp>(op))
    return transposed(transpose, *inputs[0]);
  if (auto slice = dyn_cast<ttir::SliceStaticOp>(op))
    return sliced(slice, *inputs[0]);
  if (auto pad = dyn_cast<ttir::PadOp>(op))
    return padded(pad, *inputs[0]);
  if (auto repeat = dyn_cast<ttir::RepeatInterleaveOp>(op)) {
    int64_t rank = typeOf(repeat.getResult()).getRank(), dim = repeat.getDim();
    return inputs[0]->repeatEach(dim < 0 ? dim : dim - rank,
                                 repeat.getRepeats());
  }
  if (auto concat = dyn_cast<ttir::ConcatOp>(op)) {
    int64_t rank = typeOf(concat.getResult()).getRank(), dim = concat.getDim();
    dim = dim < 0 ? dim : dim - rank;
    auto sizes = llvm::map_to_vector(concat.getInputs(), [&](Value input) {
      return typeOf(input).getShape().end()[dim];
    });
    return MaskGrid::concat(inputs, sizes, dim);
  }
  return std::nullopt;
}

/// Producers come first, without recursion: a mask that is written block by
/// block is a chain as long as there are blocks.
Grid KnownNumbers::of(Value value) {
  SmallVector<Value> stack{value};
  while (!stack.empty()) {
    Value top = stack.back();
    Operation *op = top.getDefiningOp();
    auto type = dyn_cast<RankedTensorType>(top.getType());
    bool isOpen = op && op->getNumResults() == 1 && op->getNumRegions() == 0 &&
                  op->getName().getDialectNamespace() == "ttir" && type &&
                  type.hasStaticShape();
    if (known.contains(top) || !isOpen) {
      known.try_emplace(top, std::nullopt);
      stack.pop_back();
      continue;
    }
    size_t before = stack.size();
    bool canBe = true;
    for (Value operand : op->getOperands()) {
      auto found = known.find(operand);
      if (found == known.end())
        stack.push_back(operand);
      else
        canBe &= found->second.has_value();
    }
    if (canBe && stack.size() > before)
      continue;
    stack.resize(before - 1);
    Grid grid = canBe ? compute(op) : std::nullopt;
    if (grid && !isKnown(*grid))
      grid = std::nullopt;
    if (grid)
      visited.push_back(op);
    known[top] = std::move(grid);
  }
  return known.find(value)->second;
}

} // namespace mlir::ring
