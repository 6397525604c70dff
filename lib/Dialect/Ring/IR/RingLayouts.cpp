// SPDX-License-Identifier: Apache-2.0
// Where devices stand on an axis, and which positions of the sequence they
// hold.

#include "ring/Dialect/Ring/IR/RingAttrs.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>
#include <numeric>

namespace mlir::ring {

/// The remainder that is never negative: rank -1 of 8 is rank 7.
static int64_t wrap(int64_t rank, int64_t ranks) {
  return (rank % ranks + ranks) % ranks;
}

//===----------------------------------------------------------------------===//
// AxisAttr
//===----------------------------------------------------------------------===//

int64_t AxisAttr::getRanks() const {
  return getSize().value_or(getMesh()[getIndex()]);
}

int64_t AxisAttr::getNumDevices() const {
  return std::accumulate(getMesh().begin(), getMesh().end(), int64_t{1},
                         std::multiplies<>());
}

/// How far apart in device numbers two neighbours on the axis are:
/// in an 8x4 mesh, 4 on axis 0 and 1 on axis 1.
static int64_t devicesPerStep(AxisAttr axis) {
  ArrayRef<int64_t> inner = axis.getMesh().drop_front(axis.getIndex() + 1);
  return std::accumulate(inner.begin(), inner.end(), int64_t{1},
                         std::multiplies<>());
}

int64_t AxisAttr::rankOf(int64_t device) const {
  int64_t coordinate = device / devicesPerStep(*this) % getMesh()[getIndex()];
  return coordinate / getStride().value_or(1) % getRanks();
}

int64_t AxisAttr::neighbour(int64_t device, int64_t offset) const {
  int64_t rank = rankOf(device);
  int64_t moved = wrap(rank + offset % getRanks(), getRanks()) - rank;
  return device + moved * getStride().value_or(1) * devicesPerStep(*this);
}

//===----------------------------------------------------------------------===//
// LayoutAttr and BlockAttr
//===----------------------------------------------------------------------===//

Positions LayoutAttr::positionsOf(int64_t rank) const {
  assert(rank >= 0 && rank < getRanks() && "rank outside the layout");
  int64_t shard = getShardLength(), offset = getOffset();
  switch (getKind()) {
  case LayoutKind::Contiguous:
    return {{offset + rank * shard, shard}};
  case LayoutKind::Mirrored:
    return {{offset + (getRanks() - 1 - rank) * shard, shard}};
  case LayoutKind::Striped:
    return {{offset + rank, shard, getRanks()}};
  case LayoutKind::Zigzag: {
    int64_t chunk = shard / 2;
    return {{offset + rank * chunk, chunk},
            {offset + (2 * getRanks() - 1 - rank) * chunk, chunk}};
  }
  }
  llvm_unreachable("unknown layout kind");
}

std::pair<LayoutAttr, LayoutAttr> LayoutAttr::halves() const {
  assert(getKind() == LayoutKind::Zigzag && "only zigzag has halves");
  int64_t half = getLength() / 2;
  return {
      get(getContext(), LayoutKind::Contiguous, half, getRanks(), getOffset()),
      get(getContext(), LayoutKind::Mirrored, half, getRanks(),
          getOffset() + half)};
}

Positions PlacesAttr::positionsOn(int64_t device) const {
  ArrayRef<int64_t> counts = getCounts();
  int64_t first =
      std::accumulate(counts.begin(), counts.begin() + device, int64_t{0});
  Positions positions;
  for (int64_t i = first; i < first + counts[device]; ++i)
    positions.push_back(
        {getRanges()[3 * i], getRanges()[3 * i + 1], getRanges()[3 * i + 2]});
  return positions;
}

int64_t PlacesAttr::getRows() const {
  int64_t rows = 0;
  for (const PositionRange &range : positionsOn(0))
    rows += range.size;
  return rows;
}

Positions BlockAttr::queriesOn(int64_t device, int64_t count) const {
  if (getQueryPlaces())
    return getQueryPlaces().positionsOn(device);
  if (!getQueries())
    return {{0, count}};
  return getQueries().positionsOf(rankOf(device));
}

Positions BlockAttr::keysOn(int64_t device, int64_t count) const {
  if (getKeyPlaces())
    return getKeyPlaces().positionsOn(device);
  int64_t rank = 0;
  if (getKeys().getRanks() > 1) {
    int64_t owner = getAxis().neighbour(device, getSource());
    if (getOuter())
      owner = getOuter().neighbour(owner, getOuterSource());
    rank = rankOf(owner);
  }
  return sliceRows(getKeys().positionsOf(rank), getFirstKey(), count);
}

int64_t BlockAttr::getRanks() const {
  return getAxis().getRanks() * (getOuter() ? getOuter().getRanks() : 1);
}

int64_t BlockAttr::rankOf(int64_t device) const {
  int64_t rank = getAxis().rankOf(device);
  return getOuter() ? getOuter().rankOf(device) * getAxis().getRanks() + rank
                    : rank;
}

int64_t BlockAttr::deviceOf(int64_t rank) const {
  int64_t device =
      getAxis().neighbour(/*device=*/0, rank % getAxis().getRanks());
  return getOuter() ? getOuter().neighbour(device, rank / getAxis().getRanks())
                    : device;
}

/// Two digits of one axis, side by side, are one digit: 8 with stride 1 and 4
/// with stride 8 are 32 with stride 1.
AxisAttr BlockAttr::getRankAxis() const {
  AxisAttr axis = getAxis();
  if (!getOuter())
    return axis;
  if (getOuter().getIndex() != axis.getIndex())
    return {};
  int64_t ranks = getRanks();
  if (ranks == axis.getMesh()[axis.getIndex()])
    return AxisAttr::get(getContext(), axis.getIndex(), axis.getMesh());
  return AxisAttr::get(getContext(), axis.getIndex(), axis.getMesh(), ranks,
                       std::nullopt);
}

//===----------------------------------------------------------------------===//
// PlanAttr
//===----------------------------------------------------------------------===//

int64_t PlanAttr::getRanks() const {
  int64_t ranks = getAxis().getRanks();
  return getOuter() ? ranks * getAxis().getMesh()[*getOuter()] : ranks;
}

AxisAttr PlanAttr::getInnerRing() const {
  AxisAttr axis = getAxis();
  if (!getInner())
    return axis;
  return AxisAttr::get(getContext(), axis.getIndex(), axis.getMesh(),
                       *getInner(), std::nullopt);
}

AxisAttr PlanAttr::getOuterRing() const {
  AxisAttr axis = getAxis();
  if (getOuter())
    return AxisAttr::get(getContext(), *getOuter(), axis.getMesh());
  int64_t inner = getInner().value_or(axis.getRanks());
  return AxisAttr::get(getContext(), axis.getIndex(), axis.getMesh(),
                       axis.getRanks() / inner, inner);
}

//===----------------------------------------------------------------------===//
// ShardingAttr
//===----------------------------------------------------------------------===//

std::optional<SmallVector<int64_t>>
ShardingAttr::getShardShape(ArrayRef<int64_t> shape) const {
  if (shape.size() != getAxes().size())
    return std::nullopt;
  SmallVector<int64_t> shard(shape);
  for (auto [dim, axis] : llvm::enumerate(getAxes())) {
    if (axis == kReplicated)
      continue;
    if (getSequence() == static_cast<int64_t>(dim)) {
      if (shape[dim] > getLayout().getLength())
        return std::nullopt;
      shard[dim] = getLayout().getShardLength();
      continue;
    }
    if (shape[dim] % getMesh()[axis] != 0)
      return std::nullopt;
    shard[dim] = shape[dim] / getMesh()[axis];
  }
  return shard;
}

SmallVector<int64_t, 2> ShardingAttr::axesOf(int64_t dim) const {
  SmallVector<int64_t, 2> axes;
  if (getAxes()[dim] == kReplicated)
    return axes;
  if (getOuter() && getSequence() == dim)
    axes.push_back(*getOuter());
  axes.push_back(getAxes()[dim]);
  return axes;
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

std::optional<Band> CausalAttr::getBand() const {
  return Band{/*before=*/std::nullopt, /*after=*/0};
}
bool CausalAttr::isCausal() const { return true; }

std::optional<Band> WindowAttr::getBand() const {
  return Band{getBefore(), getAfter()};
}
bool WindowAttr::isCausal() const { return getAfter() <= 0; }

std::optional<Band> DilatedAttr::getBand() const { return std::nullopt; }
bool DilatedAttr::isCausal() const { return getCausal(); }

} // namespace mlir::ring
