// SPDX-License-Identifier: Apache-2.0
// Numbers over two dimensions as runs of equal ones, so that a mask of a
// million queries by as many keys is read without ever being there.

#ifndef RING_LIB_CONVERSION_TTIRTORING_MASKGRID_H
#define RING_LIB_CONVERSION_TTIRTORING_MASKGRID_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <vector>

namespace mlir::ring {

/// A tensor whose numbers depend on at most two of its dimensions. Dimensions
/// are counted from the last, which is -1, so that an op that spreads tensors
/// of different ranks over each other takes them as they are.
///
/// A causal mask of 4 queries, 0 or -inf, has a band for each query:
///
///   queries 0..1   keys 0..1: 0   1..4: -inf
///   queries 1..2   keys 0..2: 0   2..4: -inf
///   queries 2..3   keys 0..3: 0   3..4: -inf
///   queries 3..4   keys 0..4: 0
///
/// Numbers along one dimension alone are one band; one number is one run.
/// What has more runs than a mask that says something in bands and blocks is
/// not held: functions that would make such a grid return nothing.
class MaskGrid {
public:
  /// Positions up to `end`, from where the run before it ends.
  struct Run {
    int64_t end;
    double number;

    bool operator==(const Run &other) const {
      return end == other.end && number == other.number;
    }
  };
  struct Band {
    int64_t end;
    SmallVector<Run, 2> runs;
  };
  /// A dimension and its size.
  struct Axis {
    int64_t dim, size;

    bool operator==(const Axis &other) const {
      return dim == other.dim && size == other.size;
    }
  };

  /// One number everywhere.
  static MaskGrid uniform(double number);
  /// The numbers `at(0)`, `at(1)`, ... along one dimension.
  static std::optional<MaskGrid> along(Axis axis,
                                       llvm::function_ref<double(int64_t)> at);
  /// Bands over two dimensions, of which the first is the outer one.
  static std::optional<MaskGrid> bands(Axis outer, Axis inner,
                                       std::vector<Band> bands);

  std::optional<Axis> outerAxis() const { return outer; }
  std::optional<Axis> innerAxis() const { return inner; }
  ArrayRef<Band> allBands() const { return content; }
  /// Whether all numbers depend on `dim`, as far as is known.
  bool dependsOn(int64_t dim) const {
    return (outer && outer->dim == dim) || (inner && inner->dim == dim);
  }
  /// The one number that all are.
  std::optional<double> uniformNumber() const;

  /// Every number by itself.
  MaskGrid map(llvm::function_ref<double(double)> of) const;
  /// Numbers at the same place, of grids that spread over each other.
  static std::optional<MaskGrid>
  zip(ArrayRef<const MaskGrid *> grids,
      llvm::function_ref<double(ArrayRef<double>)> of);
  /// A comparison, which is told by the sign of `left - right` alone. Lists
  /// that ascend need not be compared number by number.
  static std::optional<MaskGrid>
  compare(const MaskGrid &left, const MaskGrid &right,
          llvm::function_ref<double(int)> ofSign);

  /// The grids behind each other along `dim`, where they have `sizes`.
  static std::optional<MaskGrid> concat(ArrayRef<const MaskGrid *> grids,
                                        ArrayRef<int64_t> sizes, int64_t dim);
  /// The positions from `begin` to before `end` of `dim`.
  std::optional<MaskGrid> slice(int64_t dim, int64_t begin, int64_t end) const;
  /// Every position of `dim` so many times.
  MaskGrid repeatEach(int64_t dim, int64_t times) const;
  /// The same numbers with other names for dimensions, as `to` gives them;
  /// nothing if that would change their order.
  std::optional<MaskGrid>
  renamed(llvm::function_ref<std::optional<int64_t>(int64_t)> to) const;
  /// All numbers of `outerAxis` by `innerAxis` in one dimension.
  std::optional<MaskGrid> flattened(Axis outerAxis, Axis innerAxis,
                                    int64_t to) const;

private:
  static std::optional<SmallVector<Axis, 2>>
  commonAxes(ArrayRef<const MaskGrid *> grids);
  /// This grid as bands over the two.
  std::vector<Band> over(std::optional<Axis> outerAxis,
                         std::optional<Axis> innerAxis) const;
  static std::optional<MaskGrid> normal(std::optional<Axis> outer,
                                        std::optional<Axis> inner,
                                        std::vector<Band> bands);

  std::optional<Axis> outer, inner;
  std::vector<Band> content;
};

} // namespace mlir::ring

#endif // RING_LIB_CONVERSION_TTIRTORING_MASKGRID_H
