// SPDX-License-Identifier: Apache-2.0
// Rules about shapes that ops of ttir and ttnn share.

#include "ttmlir/Dialect/TTCore/Verify/ShapeVerifiers.h"

#include "mlir/Dialect/Traits.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

/// Sums and products of sizes that text may have made absurdly large: modulo
/// 2^64, which no result of a sound op equals, rather than undefined.
static int64_t sumOf(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) +
                              static_cast<uint64_t>(b));
}
static int64_t productOf(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) *
                              static_cast<uint64_t>(b));
}

std::string mlir::tt::verify::shapeText(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (shape.empty())
    os << "scalar";
  llvm::interleave(shape, os, "x");
  return text;
}

FailureOr<int64_t> mlir::tt::verify::dimension(Operation *op, StringRef name,
                                               int64_t dim, int64_t rank) {
  if (dim < -rank || dim >= rank)
    return op->emitOpError() << "expects " << name << " in [" << -rank << ", "
                             << rank << "), but got " << dim;
  return dim < 0 ? dim + rank : dim;
}

LogicalResult mlir::tt::verify::resultShape(Operation *op,
                                            ArrayRef<int64_t> expected,
                                            RankedTensorType result) {
  if (result.getShape() != expected)
    return op->emitOpError()
           << "expects a result of shape " << shapeText(expected)
           << ", but got " << shapeText(result.getShape());
  return success();
}

LogicalResult mlir::tt::verify::broadcast(Operation *op) {
  SmallVector<int64_t> common;
  for (Value operand : op->getOperands()) {
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(operand.getType()).getShape();
    SmallVector<int64_t> before = common;
    if (!OpTrait::util::getBroadcastedShape(before, shape, common)) // C1
      return op->emitOpError()
             << "expects operands that broadcast with shape "
             << shapeText(before) << ", but got " << shapeText(shape);
  }
  return resultShape(op, common,
                     cast<RankedTensorType>(op->getResult(0).getType())); // C2
}

LogicalResult mlir::tt::verify::slice(Operation *op, RankedTensorType input,
                                      ArrayAttr begins, ArrayAttr ends,
                                      ArrayAttr steps,
                                      RankedTensorType result) {
  size_t rank = input.getRank();
  for (ArrayAttr list : {begins, ends, steps})
    if (list.size() != rank) // C1
      return op->emitOpError() << "expects begins, ends and step of " << rank
                               << " entries, but got " << list.size();
  if (result.getElementType() != input.getElementType()) // C2
    return op->emitOpError()
           << "expects a result of element type " << input.getElementType()
           << ", but got " << result.getElementType();

  SmallVector<int64_t> expected;
  for (size_t d = 0; d < rank; ++d) {
    int64_t size = input.getDimSize(d);
    auto bound = [&](ArrayAttr list) {
      int64_t value = cast<IntegerAttr>(list[d]).getInt();
      return value < 0 ? value + size : value;
    };
    int64_t begin = bound(begins), end = bound(ends);
    int64_t step = cast<IntegerAttr>(steps[d]).getInt();
    if (step == 0) // C3
      return op->emitOpError()
             << "expects a step other than 0 in dimension " << d;
    bool empty = begin == end;
    if (!empty && (begin < 0 || begin >= size)) // C4
      return op->emitOpError()
             << "expects begin within dimension " << d << " of size " << size
             << ", but got " << cast<IntegerAttr>(begins[d]).getInt();
    if (!empty && (end < 0 || end > size)) // C4
      return op->emitOpError()
             << "expects end within dimension " << d << " of size " << size
             << ", but got " << cast<IntegerAttr>(ends[d]).getInt();
    if (step > 0 ? begin > end : begin < end) // C5
      return op->emitOpError()
             << "expects begin before end for step " << step << " in dimension "
             << d << ", but got " << begin << " and " << end;
    expected.push_back(llvm::divideCeil(std::abs(end - begin), std::abs(step)));
  }
  return resultShape(op, expected, result); // C2, C6
}

LogicalResult mlir::tt::verify::concat(Operation *op, TypeRange inputs,
                                       int64_t dim, RankedTensorType result) {
  if (inputs.empty()) // C1
    return op->emitOpError() << "expects at least one input, but got none";
  auto first = cast<RankedTensorType>(inputs.front());
  FailureOr<int64_t> at = dimension(op, "dim", dim, first.getRank()); // C2
  if (failed(at))
    return failure();

  SmallVector<int64_t> expected(first.getShape());
  for (Type type : inputs.drop_front()) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
    SmallVector<int64_t> aligned(shape);
    if (aligned.size() == expected.size())
      aligned[*at] = first.getDimSize(*at);
    if (ArrayRef<int64_t>(aligned) != first.getShape()) // C3
      return op->emitOpError()
             << "expects inputs of shape " << shapeText(first.getShape())
             << " up to dimension " << *at << ", but got " << shapeText(shape);
    expected[*at] = sumOf(expected[*at], shape[*at]);
  }
  return resultShape(op, expected, result); // C4
}

LogicalResult mlir::tt::verify::pad(Operation *op, RankedTensorType input,
                                    ArrayRef<int32_t> padding,
                                    RankedTensorType result) {
  size_t rank = input.getRank();
  if (padding.size() != 2 * rank) // C1
    return op->emitOpError() << "expects padding of " << 2 * rank
                             << " entries, but got " << padding.size();
  SmallVector<int64_t> expected(input.getShape());
  for (size_t d = 0; d < rank; ++d)
    expected[d] = sumOf(expected[d],
                        int64_t(padding[2 * d]) + int64_t(padding[2 * d + 1]));
  return resultShape(op, expected, result); // C2
}

LogicalResult mlir::tt::verify::permute(Operation *op, RankedTensorType input,
                                        ArrayRef<int64_t> permutation,
                                        RankedTensorType result) {
  int64_t rank = input.getRank();
  SmallVector<bool> seen(rank, false);
  SmallVector<int64_t> expected;
  for (int64_t d : permutation) {
    if (d < 0 || d >= rank || seen[d]) // C1
      return op->emitOpError()
             << "expects a permutation of " << rank << " dimensions, but got "
             << d << (d < 0 || d >= rank ? "" : " twice");
    seen[d] = true;
    expected.push_back(input.getDimSize(d));
  }
  if (static_cast<int64_t>(permutation.size()) != rank) // C1
    return op->emitOpError() << "expects a permutation of " << rank
                             << " dimensions, but got " << permutation.size();
  return resultShape(op, expected, result); // C2
}

LogicalResult mlir::tt::verify::transpose(Operation *op, RankedTensorType input,
                                          int64_t dim0, int64_t dim1,
                                          RankedTensorType result) {
  int64_t rank = input.getRank();
  if (rank < 2) // C1
    return op->emitOpError()
           << "expects an input of at least 2 dimensions, but got " << rank;
  FailureOr<int64_t> first = dimension(op, "dim0", dim0, rank); // C2
  FailureOr<int64_t> second = dimension(op, "dim1", dim1, rank);
  if (failed(first) || failed(second))
    return failure();
  SmallVector<int64_t> expected(input.getShape());
  std::swap(expected[*first], expected[*second]);
  return resultShape(op, expected, result); // C1, C3
}

LogicalResult mlir::tt::verify::reshape(Operation *op, RankedTensorType input,
                                        ArrayAttr shape,
                                        RankedTensorType result) {
  if (static_cast<int64_t>(shape.size()) != result.getRank()) // C1
    return op->emitOpError()
           << "expects a shape of " << result.getRank() << " dimensions, but "
           << "got " << shape.size();
  if (input.getNumElements() != result.getNumElements()) // C2
    return op->emitOpError() << "expects a result of " << input.getNumElements()
                             << " numbers, but got " << result.getNumElements();
  bool open = false;
  for (auto [d, entry] : llvm::enumerate(shape)) { // C3
    int64_t size = cast<IntegerAttr>(entry).getInt();
    if (size == -1 && !open)
      open = true;
    else if (size != result.getDimSize(d))
      return op->emitOpError()
             << "expects the shape to have " << result.getDimSize(d)
             << " in dimension " << d << ", but got " << size;
  }
  return success();
}

LogicalResult mlir::tt::verify::repeat(Operation *op, RankedTensorType input,
                                       ArrayRef<int64_t> times,
                                       RankedTensorType result) {
  if (static_cast<int64_t>(times.size()) != input.getRank()) // C1
    return op->emitOpError()
           << "expects " << input.getRank()
           << " repetitions, one for each dimension, but got " << times.size();
  SmallVector<int64_t> expected(input.getShape());
  for (auto [d, factor] : llvm::enumerate(times)) {
    if (factor <= 0) // C1
      return op->emitOpError() << "expects positive repetitions, but got "
                               << factor << " in dimension " << d;
    expected[d] = productOf(expected[d], factor);
  }
  return resultShape(op, expected, result); // C2
}

LogicalResult mlir::tt::verify::repeatInterleave(Operation *op,
                                                 RankedTensorType input,
                                                 int64_t times, int64_t dim,
                                                 RankedTensorType result) {
  if (times == 0) // C1
    return op->emitOpError() << "expects repeats other than 0";
  FailureOr<int64_t> at = dimension(op, "dim", dim, input.getRank()); // C2
  if (failed(at))
    return failure();
  SmallVector<int64_t> expected(input.getShape());
  expected[*at] = productOf(expected[*at], times);
  return resultShape(op, expected, result); // C3
}

LogicalResult mlir::tt::verify::embedding(Operation *op, RankedTensorType input,
                                          RankedTensorType weight,
                                          RankedTensorType result) {
  ArrayRef<int64_t> table = weight.getShape();
  if (table.size() < 2 ||
      llvm::any_of(table.drop_back(2), [](int64_t d) { return d != 1; })) // C1
    return op->emitOpError()
           << "expects a weight of 2 dimensions after any of size 1, but got "
           << shapeText(table);
  SmallVector<int64_t> expected(input.getShape());
  expected.push_back(table.back());
  return resultShape(op, expected, result); // C2
}

FailureOr<int64_t> mlir::tt::verify::arangeLength(Operation *op, int64_t start,
                                                  int64_t end, int64_t step) {
  if (step == 0) // C1
    return op->emitOpError() << "expects a step other than 0";
  int64_t length = (end - start) / step;
  if (length <= 0) // C2
    return op->emitOpError() << "expects a range that is not empty, but got "
                             << start << " to " << end << " by " << step;
  return length;
}
