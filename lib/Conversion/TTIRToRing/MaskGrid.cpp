// SPDX-License-Identifier: Apache-2.0
// Arithmetic on runs of equal numbers.

#include "MaskGrid.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

#include <algorithm>

namespace mlir::ring {
namespace {

using Run = MaskGrid::Run;
using Band = MaskGrid::Band;
using Axis = MaskGrid::Axis;
using Runs = SmallVector<Run, 2>;

/// Masks in blocks and bands have a few runs in each row. More say nothing that
/// a pattern could say, and would be held at many times their own size.
int64_t mostRuns(int64_t rows, int64_t keys) {
  constexpr int64_t kFew = 1024, kEach = 8;
  return kFew + kEach * (rows + keys);
}

void addRun(Runs &runs, int64_t end, double number) {
  if (!runs.empty() && runs.back().number == number)
    runs.back().end = end;
  else
    runs.push_back({end, number});
}

void addBand(std::vector<Band> &bands, int64_t end, Runs runs) {
  if (!bands.empty() && bands.back().runs == runs)
    bands.back().end = end;
  else
    bands.push_back({end, std::move(runs)});
}

int64_t sizeOf(std::optional<Axis> axis) { return axis ? axis->size : 1; }

/// Calls `visit(end, indices)` for the stretches in which none of the lists
/// goes on to its next entry.
template <typename List, typename Visit>
void mergeEnds(ArrayRef<const List *> lists, int64_t size, Visit visit) {
  SmallVector<size_t> at(lists.size(), 0);
  for (int64_t begin = 0; begin < size;) {
    int64_t end = size;
    for (auto [list, index] : llvm::zip_equal(lists, at))
      end = std::min(end, (*list)[index].end);
    if (!visit(end, ArrayRef<size_t>(at)))
      return;
    for (auto [list, index] : llvm::zip_equal(lists, at))
      if ((*list)[index].end == end)
        ++index;
    begin = end;
  }
}

} // namespace

//===----------------------------------------------------------------------===//
// Making grids
//===----------------------------------------------------------------------===//

MaskGrid MaskGrid::uniform(double number) {
  MaskGrid grid;
  grid.content.push_back({1, {{1, number}}});
  return grid;
}

std::optional<MaskGrid>
MaskGrid::along(Axis axis, llvm::function_ref<double(int64_t)> at) {
  Runs runs;
  for (int64_t index = 0; index < axis.size; ++index)
    addRun(runs, index + 1, at(index));
  std::vector<Band> bands;
  bands.push_back({1, std::move(runs)});
  return normal(std::nullopt, axis, std::move(bands));
}

std::optional<MaskGrid> MaskGrid::bands(Axis outer, Axis inner,
                                        std::vector<Band> bands) {
  return normal(outer, inner, std::move(bands));
}

/// Drops dimensions along which nothing changes, and has numbers that change
/// along one dimension alone in one band.
std::optional<MaskGrid> MaskGrid::normal(std::optional<Axis> outer,
                                         std::optional<Axis> inner,
                                         std::vector<Band> bands) {
  int64_t count = 0;
  for (const Band &band : bands)
    count += band.runs.size();
  if (bands.empty() || count > mostRuns(sizeOf(outer), sizeOf(inner)))
    return std::nullopt;
  if (bands.size() == 1) {
    bands[0].end = 1;
    outer = std::nullopt;
  }
  bool isFlat = llvm::all_of(
      bands, [](const Band &band) { return band.runs.size() == 1; });
  if (isFlat) {
    Runs runs;
    for (const Band &band : bands)
      addRun(runs, band.end, band.runs[0].number);
    if (!outer)
      runs[0].end = 1;
    inner = outer;
    outer = std::nullopt;
    bands.clear();
    bands.push_back({1, std::move(runs)});
  }
  MaskGrid grid;
  grid.outer = outer;
  grid.inner = inner;
  grid.content = std::move(bands);
  return grid;
}

std::optional<double> MaskGrid::uniformNumber() const {
  if (outer || inner)
    return std::nullopt;
  return content[0].runs[0].number;
}

//===----------------------------------------------------------------------===//
// Number by number
//===----------------------------------------------------------------------===//

MaskGrid MaskGrid::map(llvm::function_ref<double(double)> of) const {
  std::vector<Band> bands;
  for (const Band &band : content) {
    Runs runs;
    for (const Run &run : band.runs)
      addRun(runs, run.end, of(run.number));
    addBand(bands, band.end, std::move(runs));
  }
  // There are no more runs than before.
  return *normal(outer, inner, std::move(bands));
}

/// The dimensions that any of the grids depends on, at most two.
std::optional<SmallVector<Axis, 2>>
MaskGrid::commonAxes(ArrayRef<const MaskGrid *> grids) {
  SmallVector<Axis, 2> axes;
  for (const MaskGrid *grid : grids)
    for (std::optional<Axis> axis : {grid->outer, grid->inner})
      if (axis && !llvm::is_contained(axes, *axis))
        axes.push_back(*axis);
  if (axes.size() > 2)
    return std::nullopt;
  llvm::sort(axes, [](const Axis &a, const Axis &b) { return a.dim < b.dim; });
  return axes;
}

std::vector<Band> MaskGrid::over(std::optional<Axis> outerAxis,
                                 std::optional<Axis> innerAxis) const {
  std::vector<Band> bands;
  if (!outer && inner && outerAxis && inner->dim == outerAxis->dim) {
    for (const Run &run : content[0].runs)
      bands.push_back({run.end, {{sizeOf(innerAxis), run.number}}});
    return bands;
  }
  bands = content;
  if (!outer)
    bands.back().end = sizeOf(outerAxis);
  if (!inner)
    bands[0].runs[0].end = sizeOf(innerAxis);
  return bands;
}

std::optional<MaskGrid>
MaskGrid::zip(ArrayRef<const MaskGrid *> grids,
              llvm::function_ref<double(ArrayRef<double>)> of) {
  auto axes = commonAxes(grids);
  if (!axes)
    return std::nullopt;
  std::optional<Axis> outer, inner;
  if (!axes->empty())
    inner = axes->back();
  if (axes->size() == 2)
    outer = axes->front();
  SmallVector<std::vector<Band>> all;
  for (const MaskGrid *grid : grids)
    all.push_back(grid->over(outer, inner));
  auto lists = llvm::map_to_vector(
      all, [](const std::vector<Band> &bands) { return &bands; });
  std::vector<Band> bands;
  int64_t left = mostRuns(sizeOf(outer), sizeOf(inner));
  SmallVector<double> numbers(grids.size());
  mergeEnds<std::vector<Band>>(
      lists, sizeOf(outer), [&](int64_t bandEnd, ArrayRef<size_t> at) {
        SmallVector<const Runs *> rows;
        for (auto [list, index] : llvm::zip_equal(lists, at))
          rows.push_back(&(*list)[index].runs);
        Runs runs;
        mergeEnds<Runs>(rows, sizeOf(inner),
                        [&](int64_t end, ArrayRef<size_t> in) {
                          for (auto [number, row, index] :
                               llvm::zip_equal(numbers, rows, in))
                            number = (*row)[index].number;
                          addRun(runs, end, of(numbers));
                          return --left >= 0;
                        });
        addBand(bands, bandEnd, std::move(runs));
        return left >= 0;
      });
  if (left < 0)
    return std::nullopt;
  return normal(outer, inner, std::move(bands));
}

std::optional<MaskGrid>
MaskGrid::compare(const MaskGrid &left, const MaskGrid &right,
                  llvm::function_ref<double(int)> ofSign) {
  auto signOf = [](double a, double b) { return a < b ? -1 : a > b ? 1 : 0; };
  auto isList = [](const MaskGrid &grid) { return grid.inner && !grid.outer; };
  if (!isList(left) || !isList(right) || left.inner->dim == right.inner->dim)
    return zip({&left, &right}, [&](ArrayRef<double> numbers) {
      return ofSign(signOf(numbers[0], numbers[1]));
    });
  bool leftIsOuter = left.inner->dim < right.inner->dim;
  if (!leftIsOuter)
    return compare(right, left, [&](int sign) { return ofSign(-sign); });
  const Runs &row = right.content[0].runs;
  auto ascends = llvm::is_sorted(
      row, [](const Run &a, const Run &b) { return a.number < b.number; });
  if (!ascends)
    return zip({&left, &right}, [&](ArrayRef<double> numbers) {
      return ofSign(signOf(numbers[0], numbers[1]));
    });
  // Below, at and above one number an ascending list has one stretch each.
  std::vector<Band> bands;
  for (const Run &own : left.content[0].runs) {
    auto less = [](const Run &run, double number) {
      return run.number < number;
    };
    auto greater = [](double number, const Run &run) {
      return number < run.number;
    };
    const auto *from =
        std::lower_bound(row.begin(), row.end(), own.number, less);
    const auto *to = std::upper_bound(from, row.end(), own.number, greater);
    Runs runs;
    if (from != row.begin())
      addRun(runs, std::prev(from)->end, ofSign(1));
    if (to != from)
      addRun(runs, std::prev(to)->end, ofSign(0));
    if (to != row.end())
      addRun(runs, row.back().end, ofSign(-1));
    addBand(bands, own.end, std::move(runs));
  }
  return normal(left.inner, right.inner, std::move(bands));
}

//===----------------------------------------------------------------------===//
// Moving numbers about
//===----------------------------------------------------------------------===//

std::optional<MaskGrid> MaskGrid::concat(ArrayRef<const MaskGrid *> grids,
                                         ArrayRef<int64_t> sizes, int64_t dim) {
  int64_t whole = 0;
  for (int64_t size : sizes)
    whole += size;
  // The other dimension that the parts depend on.
  std::optional<Axis> other;
  for (const MaskGrid *grid : grids)
    for (std::optional<Axis> axis : {grid->outer, grid->inner}) {
      if (!axis || axis->dim == dim)
        continue;
      if (other && !(*other == *axis))
        return std::nullopt;
      other = axis;
    }
  bool isOuter = other && dim < other->dim;
  std::vector<Band> bands;
  if (isOuter) {
    int64_t before = 0;
    for (auto [grid, size] : llvm::zip_equal(grids, sizes)) {
      for (const Band &band : grid->over(Axis{dim, size}, other))
        addBand(bands, before + band.end, band.runs);
      before += size;
    }
    return normal(Axis{dim, whole}, other, std::move(bands));
  }
  SmallVector<std::vector<Band>> all;
  for (auto [grid, size] : llvm::zip_equal(grids, sizes))
    all.push_back(grid->over(other, Axis{dim, size}));
  auto lists = llvm::map_to_vector(
      all, [](const std::vector<Band> &part) { return &part; });
  mergeEnds<std::vector<Band>>(
      lists, sizeOf(other), [&](int64_t end, ArrayRef<size_t> at) {
        Runs runs;
        int64_t before = 0;
        for (auto [list, index, size] : llvm::zip_equal(lists, at, sizes)) {
          for (const Run &run : (*list)[index].runs)
            addRun(runs, before + run.end, run.number);
          before += size;
        }
        addBand(bands, end, std::move(runs));
        return true;
      });
  return normal(other, Axis{dim, whole}, std::move(bands));
}

std::optional<MaskGrid> MaskGrid::slice(int64_t dim, int64_t begin,
                                        int64_t end) const {
  if (!dependsOn(dim))
    return *this;
  if (begin >= end)
    return std::nullopt;
  auto cut = [&](const auto &list, auto add) {
    for (const auto &entry : list)
      if (entry.end > begin) {
        add(std::min(entry.end, end) - begin, entry);
        if (entry.end >= end)
          return;
      }
  };
  std::vector<Band> bands;
  if (outer && outer->dim == dim) {
    cut(content, [&](int64_t last, const Band &band) {
      bands.push_back({last, band.runs});
    });
    return normal(Axis{dim, end - begin}, inner, std::move(bands));
  }
  for (const Band &band : content) {
    Runs runs;
    cut(band.runs,
        [&](int64_t last, const Run &run) { addRun(runs, last, run.number); });
    addBand(bands, band.end, std::move(runs));
  }
  return normal(outer, Axis{dim, end - begin}, std::move(bands));
}

MaskGrid MaskGrid::repeatEach(int64_t dim, int64_t times) const {
  MaskGrid grid = *this;
  bool isOuter = outer && outer->dim == dim,
       isInner = inner && inner->dim == dim;
  if (isOuter)
    grid.outer->size *= times;
  if (isInner)
    grid.inner->size *= times;
  for (Band &band : grid.content) {
    if (isOuter)
      band.end *= times;
    if (isInner)
      for (Run &run : band.runs)
        run.end *= times;
  }
  return grid;
}

std::optional<MaskGrid> MaskGrid::renamed(
    llvm::function_ref<std::optional<int64_t>(int64_t)> to) const {
  MaskGrid grid = *this;
  for (std::optional<Axis> *axis : {&grid.outer, &grid.inner})
    if (*axis) {
      std::optional<int64_t> dim = to((*axis)->dim);
      if (!dim)
        return std::nullopt;
      (*axis)->dim = *dim;
    }
  if (grid.outer && grid.outer->dim > grid.inner->dim)
    return std::nullopt;
  return grid;
}

std::optional<MaskGrid> MaskGrid::flattened(Axis outerAxis, Axis innerAxis,
                                            int64_t to) const {
  Runs runs;
  int64_t left = mostRuns(outerAxis.size * innerAxis.size, 1), before = 0;
  for (const Band &band : over(outerAxis, innerAxis))
    // Bands of one number are one run however many rows they have.
    for (bool isOne = band.runs.size() == 1; before < band.end;
         before = isOne ? band.end : before + 1)
      for (const Run &run : band.runs) {
        int64_t last = isOne ? band.end * innerAxis.size
                             : before * innerAxis.size + run.end;
        addRun(runs, last, run.number);
        if (--left < 0)
          return std::nullopt;
      }
  std::vector<Band> bands;
  bands.push_back({1, std::move(runs)});
  return normal(std::nullopt, Axis{to, outerAxis.size * innerAxis.size},
                std::move(bands));
}

} // namespace mlir::ring
