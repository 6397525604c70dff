// SPDX-License-Identifier: Apache-2.0
// Positions as constants, of which a device cuts its own, and their distances.

#include "PlacesMask.h"
#include "llvm/ADT/STLExtras.h"

#include <limits>

namespace mlir::ring {
namespace {

constexpr int64_t kRows = 2, kColumns = 3;
/// Where f32 stops telling neighbouring numbers apart, and from where on rows
/// stand that only fill up and see nothing.
constexpr int64_t kExact = int64_t(1) << 24, kIdle = int64_t(1) << 38;

SmallVector<float> numbersOn(PlacesAttr places, int64_t device) {
  SmallVector<float> numbers;
  for (const PositionRange &range : places.positionsOn(device))
    for (int64_t i = 0; i < range.size; ++i)
      numbers.push_back(static_cast<float>(range.begin + i * range.stride));
  return numbers;
}

/// This device's positions, along `dim` of a tensor with 4 dimensions. Where
/// devices differ they are a shard of a table with all of them, which has the
/// axes of the mesh first:
///
///   mesh 2x4, 6 rows: [2, 4, 6, 1] -> [1, 1, 6, 1]
Value positionsOf(OpBuilder &builder, Location loc, PlacesAttr places,
                  AxisAttr axis, int64_t dim) {
  TTIRBuilder tensors(builder, loc);
  int64_t devices = axis.getNumDevices(), rows = places.getRows();
  SmallVector<SmallVector<float>> lists;
  for (int64_t device = 0; device < devices; ++device)
    lists.push_back(numbersOn(places, device));
  bool alike = llvm::all_equal(lists);
  SmallVector<float> entries;
  for (const SmallVector<float> &list : lists)
    if (entries.empty() || !alike)
      entries.append(list);
  ArrayRef<int64_t> mesh = axis.getMesh();
  SmallVector<int64_t> shape(4, 1), own(4, 1),
      axes(4, ShardingAttr::kReplicated);
  shape[dim] = own[dim] = rows;
  if (!alike)
    for (size_t i = 0; i < mesh.size(); ++i) {
      shape[i] = mesh[i];
      axes[i] = static_cast<int64_t>(i);
    }
  Value table = tensors.constant(
      DenseElementsAttr::get(RankedTensorType::get(shape, builder.getF32Type()),
                             ArrayRef<float>(entries)));
  if (alike)
    return table;
  return ShardOp::create(
      builder, loc, RankedTensorType::get(own, builder.getF32Type()), table,
      ShardingAttr::get(builder.getContext(), axes, mesh, std::nullopt,
                        LayoutAttr()),
      /*replicated=*/true);
}

} // namespace

std::optional<std::string> misfitOfPlaces(BlockAttr block) {
  if (size_t axes = block.getAxis().getMesh().size(); axes > 2)
    return "expects a mesh of at most 2 axes for rows listed by device, but "
           "got " +
           std::to_string(axes);
  for (PlacesAttr places : {block.getQueryPlaces(), block.getKeyPlaces()})
    for (int64_t device = 0; device < block.getAxis().getNumDevices(); ++device)
      for (const PositionRange &range : places.positionsOn(device))
        if (range.last() >= kExact && range.begin < kIdle)
          return "expects listed rows to stand before position " +
                 std::to_string(kExact) + ", which f32 is exact to, but got " +
                 std::to_string(range.last());
  return std::nullopt;
}

Value buildPlacesMask(OpBuilder &builder, Location loc, BlockAttr block,
                      const Band &band, std::optional<int64_t> limit) {
  TTIRBuilder tensors(builder, loc);
  AxisAttr axis = block.getAxis();
  SmallVector<int64_t> shape{1, 1, block.getQueryPlaces().getRows(),
                             block.getKeyPlaces().getRows()};
  auto spread = [&](Value value) { return tensors.broadcast(value, shape); };
  auto number = [&](int64_t value) {
    return tensors.full(shape, builder.getF32Type(), static_cast<float>(value));
  };
  Value row =
      spread(positionsOf(builder, loc, block.getQueryPlaces(), axis, kRows));
  Value column =
      spread(positionsOf(builder, loc, block.getKeyPlaces(), axis, kColumns));
  Value keep;
  auto require = [&](Value condition) {
    keep = keep ? tensors.multiply(keep, condition) : condition;
  };
  if (band.after)
    require(tensors.lessEqual(column, tensors.add(row, number(*band.after))));
  if (band.before)
    require(
        tensors.greaterEqual(column, tensors.add(row, number(-*band.before))));
  if (limit)
    require(tensors.lessThan(column, number(*limit)));
  if (!keep)
    return {};
  return tensors.where(keep, number(0),
                       tensors.full(shape, builder.getF32Type(),
                                    -std::numeric_limits<float>::infinity()));
}

} // namespace mlir::ring
