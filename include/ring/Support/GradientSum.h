// SPDX-License-Identifier: Apache-2.0
// Gradients that come in parts: parts simply add up, since all of them know the
// final log-sum-exp.

#ifndef RING_SUPPORT_GRADIENTSUM_H
#define RING_SUPPORT_GRADIENTSUM_H

#include "ring/Support/TTIRBuilder.h"

#include <set>

namespace mlir::ring {

/// The gradient of one tensor, in parts that cover some of one dimension each.
class GradientSum {
public:
  GradientSum(RankedTensorType type, int64_t dim) : type(type), dim(dim) {}

  /// Adds a part that starts at `first`.
  void add(int64_t first, Value part) {
    parts.push_back({first, first + sizeOf(part), part});
    cuts.insert(first);
    cuts.insert(first + sizeOf(part));
  }

  /// The sum of all parts. Rows 0 to 63 and 0 to 31: the sum of both up to 31,
  /// then what the first says.
  Value sum(TTIRBuilder &tensors) {
    cuts.insert(0);
    cuts.insert(type.getDimSize(dim));
    SmallVector<Value> pieces;
    for (auto cut = cuts.begin(); std::next(cut) != cuts.end(); ++cut)
      pieces.push_back(sumOf(*cut, *std::next(cut), tensors));
    return tensors.concat(pieces, dim);
  }

private:
  struct Part {
    int64_t first, end;
    Value gradient;
  };

  int64_t sizeOf(Value part) const {
    return TTIRBuilder::typeOf(part).getDimSize(dim);
  }

  /// No part begins or ends between `begin` and `end`.
  Value sumOf(int64_t begin, int64_t end, TTIRBuilder &tensors) const {
    Value sum;
    for (const Part &part : parts) {
      if (part.first > begin || part.end < end)
        continue;
      Value some = tensors.slice(part.gradient, dim, begin - part.first,
                                 end - part.first);
      sum = sum ? tensors.add(sum, some) : some;
    }
    if (sum)
      return sum;
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] = end - begin;
    return tensors.full(shape, type.getElementType(), 0.0f);
  }

  RankedTensorType type;
  int64_t dim;
  SmallVector<Part> parts;
  std::set<int64_t> cuts;
};

} // namespace mlir::ring

#endif // RING_SUPPORT_GRADIENTSUM_H
