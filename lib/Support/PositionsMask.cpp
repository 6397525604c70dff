// SPDX-License-Identifier: Apache-2.0
// Positions as constants, of which a device cuts its own, or as tensors, and
// their distances.

#include "ring/Support/PositionsMask.h"
#include "llvm/ADT/STLExtras.h"

#include <limits>

namespace mlir::ring {
namespace {

constexpr int64_t kRows = 2, kColumns = 3;
/// Where f32 stops telling neighbouring numbers apart.
constexpr int64_t kExact = int64_t(1) << 24;

using PositionsOn = llvm::function_ref<Positions(int64_t)>;

/// Calls `use` for each side whose positions are known, with its dimension and
/// where its rows stand on a device.
template <typename Use>
void forKnownSides(const MaskedBlock &block, Use use) {
  auto count = [](int64_t rows) { return Positions{{0, rows}}; };
  if (!block.queryPositions)
    use(kRows, block.queries, [&](int64_t device) {
      return block.block ? block.block.queriesOn(device, block.queries)
                         : count(block.queries);
    });
  if (!block.keyPositions)
    use(kColumns, block.keys, [&](int64_t device) {
      return block.block ? block.block.keysOn(device, block.keys)
                         : count(block.keys);
    });
}

int64_t deviceCount(const MaskedBlock &block) {
  return block.block ? block.block.getAxis().getNumDevices() : 1;
}

/// A device's own numbers out of a list for each, along `dim` of a tensor with
/// 4 dimensions. Where devices differ they are a shard of a table with all of
/// them, which has the axes of the mesh first:
///
///   mesh 2x4, 6 rows: [2, 4, 6, 1] -> [1, 1, 6, 1]
Value numbersOfDevice(OpBuilder &builder, Location loc, ArrayRef<int64_t> mesh,
                      int64_t dim, ArrayRef<SmallVector<float>> lists) {
  TTIRBuilder tensors(builder, loc);
  bool alike = llvm::all_equal(lists);
  SmallVector<float> entries;
  for (const SmallVector<float> &list : lists)
    if (entries.empty() || !alike)
      entries.append(list);
  SmallVector<int64_t> shape(4, 1), own(4, 1),
      axes(4, ShardingAttr::kReplicated);
  shape[dim] = own[dim] = static_cast<int64_t>(lists.front().size());
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

/// This device's positions, along `dim` of a tensor with 4 dimensions. Most
/// layouts put a rank's rows a fixed way behind those of another: then there is
/// one list of positions, and one number for each device.
Value knownPositions(OpBuilder &builder, Location loc, const MaskedBlock &block,
                     int64_t dim, int64_t rows, PositionsOn positionsOn) {
  TTIRBuilder tensors(builder, loc);
  SmallVector<SmallVector<float>> lists, moves;
  bool moved = true;
  for (int64_t device = 0; device < deviceCount(block); ++device) {
    SmallVector<float> &numbers = lists.emplace_back();
    for (const PositionRange &range : positionsOn(device))
      for (int64_t i = 0; i < range.size; ++i)
        numbers.push_back(static_cast<float>(range.begin + i * range.stride));
    float move = numbers.front() - lists.front().front();
    moves.push_back({move});
    moved &= llvm::equal(numbers, lists.front(), [&](float own, float first) {
      return own == first + move;
    });
  }
  ArrayRef<int64_t> mesh;
  if (block.block)
    mesh = block.block.getAxis().getMesh();
  if (!moved || llvm::all_equal(moves))
    return numbersOfDevice(builder, loc, mesh, dim, lists);
  SmallVector<int64_t> shape(4, 1);
  shape[dim] = rows;
  Value first = numbersOfDevice(builder, loc, mesh, dim, lists.front());
  Value move = numbersOfDevice(builder, loc, mesh, dim, moves);
  return tensors.add(first, tensors.broadcast(move, shape));
}

/// The positions of both sides, `[1 or batch, 1, queries or 1, 1 or keys]`.
struct SidePositions {
  Value row, column;
};

SidePositions positionsOf(OpBuilder &builder, Location loc,
                          const MaskedBlock &block) {
  TTIRBuilder tensors(builder, loc);
  SidePositions sides;
  forKnownSides(block, [&](int64_t dim, int64_t rows, PositionsOn positionsOn) {
    (dim == kRows ? sides.row : sides.column) =
        knownPositions(builder, loc, block, dim, rows, positionsOn);
  });
  if (Value late = block.queryPositions)
    sides.row = tensors.reshape(
        late, {TTIRBuilder::typeOf(late).getDimSize(0), 1, block.queries, 1});
  if (Value late = block.keyPositions)
    sides.column = tensors.reshape(
        late, {TTIRBuilder::typeOf(late).getDimSize(0), 1, 1, block.keys});
  return sides;
}

} // namespace

bool MaskedBlock::needsMask() const {
  if (isLate())
    return true;
  if (!block)
    return false;
  // Few ranges become pieces, which need no mask on most devices.
  constexpr size_t kMostRanges = 2;
  return block.getKeyPlaces() ||
         (block.getKeys().getKind() == LayoutKind::BlockCyclic &&
          (limit || !band.isUnbounded()) &&
          block.keysOn(/*device=*/0, keys).size() > kMostRanges);
}

std::optional<std::string> misfitOf(const MaskedBlock &block) {
  std::optional<std::string> misfit;
  if (block.block && block.block.getAxis().getMesh().size() > 2)
    return "expects a mesh of at most 2 axes for rows listed by device, but "
           "got " +
           std::to_string(block.block.getAxis().getMesh().size());
  forKnownSides(block, [&](int64_t, int64_t, PositionsOn positionsOn) {
    for (int64_t device = 0; device < deviceCount(block); ++device)
      for (const PositionRange &range : positionsOn(device))
        if (range.last() >= kExact)
          misfit = "expects listed rows to stand before position " +
                   std::to_string(kExact) +
                   ", which f32 is exact to, but got " +
                   std::to_string(range.last());
  });
  return misfit;
}

Value addMasks(OpBuilder &builder, Location loc, Value lhs, Value rhs) {
  TTIRBuilder tensors(builder, loc);
  SmallVector<int64_t> shape;
  for (auto [left, right] :
       llvm::zip_equal(TTIRBuilder::typeOf(lhs).getShape(),
                       TTIRBuilder::typeOf(rhs).getShape()))
    shape.push_back(std::max(left, right));
  auto spread = [&](Value mask) {
    return tensors.broadcast(tensors.typecast(mask, builder.getF32Type()),
                             shape);
  };
  return tensors.add(spread(lhs), spread(rhs));
}

/// Late positions may be large, while distances that matter are not: so these
/// are taken in integers, and only then compared in f32.
Value buildMask(OpBuilder &builder, Location loc, const MaskedBlock &block) {
  TTIRBuilder tensors(builder, loc);
  Type f32 = builder.getF32Type(), i32 = builder.getI32Type();
  auto [row, column] = positionsOf(builder, loc, block);
  int64_t batch = std::max(TTIRBuilder::typeOf(row).getDimSize(0),
                           TTIRBuilder::typeOf(column).getDimSize(0));
  SmallVector<int64_t> shape{batch, 1, block.queries, block.keys};
  auto spread = [&](Value value) { return tensors.broadcast(value, shape); };
  auto number = [&](int64_t value) {
    return tensors.full(shape, f32, static_cast<float>(value));
  };
  auto inFloats = [&](Value value) {
    return spread(tensors.typecast(value, f32));
  };
  Value distance; // of a key behind a query
  if (block.isLate()) {
    Value key = spread(tensors.typecast(column, i32));
    Value query = spread(tensors.typecast(row, i32));
    distance = tensors.typecast(tensors.subtract(key, query), f32);
  } else {
    Value key = spread(column);
    distance = tensors.subtract(key, spread(row));
  }
  Value keep;
  auto require = [&](Value condition) {
    keep = keep ? tensors.multiply(keep, condition) : condition;
  };
  if (block.band.after)
    require(tensors.lessEqual(distance, number(*block.band.after)));
  if (block.band.before)
    require(tensors.greaterEqual(distance, number(-*block.band.before)));
  if (block.limit)
    require(tensors.lessThan(inFloats(column), number(*block.limit)));
  // Rows before position 0 take no part.
  if (block.queryPositions)
    require(tensors.greaterEqual(inFloats(row), number(0)));
  if (block.keyPositions)
    require(tensors.greaterEqual(inFloats(column), number(0)));
  if (!keep)
    return {};
  return tensors.where(
      keep, number(0),
      tensors.full(shape, f32, -std::numeric_limits<float>::infinity()));
}

} // namespace mlir::ring
