// SPDX-License-Identifier: Apache-2.0
// Where devices stand on an axis, and which positions of the sequence they
// hold: ring/Positions computes it, the attributes say for what.

#include "PositionForms.h"

#include <cassert>
#include <numeric>

namespace mlir::ring {

//===----------------------------------------------------------------------===//
// What the arithmetic of positions knows of an attribute
//===----------------------------------------------------------------------===//

shared::MeshAxis AxisAttr::getValue() const {
  return {getMesh(), getIndex(), getSize().value_or(0),
          getStride().value_or(1)};
}

shared::SequenceLayout LayoutAttr::getValue() const {
  return layoutOf(getKind(), getLength(), getRanks(), getOffset(), getBlock());
}

shared::Block BlockAttr::getValue() const {
  shared::Block block;
  if (getQueries())
    block.queries = getQueries().getValue();
  if (getKeys())
    block.keys = getKeys().getValue();
  block.source = getSource();
  block.firstKey = getFirstKey();
  block.axis = getAxis().getValue();
  if (getOuter())
    block.outer = getOuter().getValue();
  block.outerSource = getOuterSource();
  return block;
}

shared::Dilation DilatedAttr::getValue() const {
  return dilationOf(getSegments(), getRates(), getSegmentation(), getChunks(),
                    getPhase(), getMix(), getExtra(), getNorm(), getShorter(),
                    getCausal());
}

shared::Documents DocumentsAttr::getValue() const {
  return {getEnds(), getCausal()};
}

//===----------------------------------------------------------------------===//
// Axes, layouts, places and blocks
//===----------------------------------------------------------------------===//

int64_t AxisAttr::getRanks() const {
  return getSize().value_or(getMesh()[getIndex()]);
}

int64_t AxisAttr::getNumDevices() const {
  return shared::MeshAxis::all(getMesh()).ranks();
}

int64_t AxisAttr::rankOf(int64_t device) const {
  return getValue().rankOf(device);
}

int64_t AxisAttr::neighbour(int64_t device, int64_t offset) const {
  return getValue().neighbour(device, offset);
}

Positions LayoutAttr::positionsOf(int64_t rank) const {
  assert(rank >= 0 && rank < getRanks() && "rank outside the layout");
  return getValue().positionsOf(rank);
}

LayoutAttr LayoutAttr::movedBy(int64_t offset) const {
  return get(getContext(), getKind(), getLength(), getRanks(),
             getOffset() + offset, getBlock());
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
  return getQueryPlaces() ? getQueryPlaces().positionsOn(device)
                          : getValue().queriesOn(device, count);
}

Positions BlockAttr::keysOn(int64_t device, int64_t count) const {
  return getKeyPlaces() ? getKeyPlaces().positionsOn(device)
                        : getValue().keysOn(device, count);
}

int64_t BlockAttr::getRanks() const { return getValue().ranks(); }

int64_t BlockAttr::rankOf(int64_t device) const {
  return getValue().rankOf(device);
}

int64_t BlockAttr::deviceOf(int64_t rank) const {
  return getValue().deviceOf(rank);
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
  if (!getInnerRanks())
    return axis;
  return AxisAttr::get(getContext(), axis.getIndex(), axis.getMesh(),
                       getInnerRanks(), std::nullopt);
}

AxisAttr PlanAttr::getOuterRing() const {
  AxisAttr axis = getAxis();
  if (getOuter())
    return AxisAttr::get(getContext(), *getOuter(), axis.getMesh());
  int64_t inner = getInnerRanks().value_or(axis.getRanks());
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

std::optional<Band> CausalAttr::getBand() const { return Band::causal(); }
bool CausalAttr::isCausal() const { return true; }

std::optional<Band> WindowAttr::getBand() const {
  return Band{getBefore(), getAfter()};
}
bool WindowAttr::isCausal() const { return getAfter() <= 0; }

std::optional<Band> DilatedAttr::getBand() const { return std::nullopt; }
bool DilatedAttr::isCausal() const { return getCausal(); }

// One band, but over the places of rows and not over their positions.
std::optional<Band> DocumentsAttr::getBand() const { return std::nullopt; }
bool DocumentsAttr::isCausal() const { return getCausal(); }

} // namespace mlir::ring
