// SPDX-License-Identifier: Apache-2.0
// What differs from device to device in TTIR.

#include "DeviceChoice.h"

namespace mlir::ring {

/// Tensors whose last two dimensions are in tiles are cut at will in the
/// others: tables have these, and their first dimension is the one that is cut.
static constexpr int64_t kTableRank = 4;

/// The entry of this device, with `rank` dimensions of 1.
static Value ownFlag(TTIRBuilder &tensors, ArrayRef<bool> choice, AxisAttr axis,
                     Type type, int64_t rank) {
  // One entry per coordinate: the ranks of a sub-ring repeat along the axis.
  int64_t coordinates = axis.getMesh()[axis.getIndex()];
  auto wholeAxis =
      AxisAttr::get(axis.getContext(), axis.getIndex(), axis.getMesh());
  SmallVector<Attribute> flags;
  for (int64_t place = 0; place < coordinates; ++place) {
    bool first = choice[axis.rankOf(wholeAxis.neighbour(0, place))];
    flags.push_back(FloatAttr::get(type, first ? 1.0 : 0.0));
  }
  SmallVector<int64_t> shape(kTableRank, 1);
  shape.front() = coordinates;
  Value table = tensors.constant(
      DenseElementsAttr::get(RankedTensorType::get(shape, type), flags));
  Value flag = tensors.meshPartition(table, 0, axis.getIndex(), coordinates);
  return tensors.reshape(flag, SmallVector<int64_t>(rank, 1));
}

/// Ranks 1 to 3 of an axis of 4 take the first value: the constant 0 1 1 1, of
/// which device r keeps entry r, spread over the shape of the values. A device
/// compares numbers of one type, so block floats are chosen as bf16, which
/// holds all their digits.
Value chooseByRank(OpBuilder &builder, Location loc, Value onTrue,
                   Value onFalse, ArrayRef<bool> choice, AxisAttr axis) {
  RankedTensorType type = TTIRBuilder::typeOf(onTrue);
  TTIRBuilder tensors(builder, loc);
  Type compared = type.getElementType();
  if (!isa<Float32Type, BFloat16Type>(compared))
    compared = tensors.bf16();
  Value flag = ownFlag(tensors, choice, axis, compared, type.getRank());
  flag = tensors.broadcast(flag, type.getShape());
  onTrue = tensors.typecast(onTrue, compared);
  onFalse = tensors.typecast(onFalse, compared);
  Value chosen = tensors.where(flag, onTrue, onFalse);
  return tensors.typecast(chosen, type.getElementType());
}

Value shiftRanks(OpBuilder &builder, Location loc, Value input, int64_t by,
                 AxisAttr axis, int64_t reaching) {
  if (by % axis.getRanks() == 0 && reaching == 0)
    return input;
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  for (int64_t device = 0; device < axis.getNumDevices(); ++device)
    if (int64_t target = axis.neighbour(device, by);
        axis.rankOf(target) >= reaching)
      pairs.push_back({device, target});
  return TTIRBuilder(builder, loc)
      .collectivePermute(input, pairs, axis.getNumDevices());
}

Value permuteRanks(OpBuilder &builder, Location loc, Value input,
                   ArrayRef<int64_t> targets, AxisAttr axis) {
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  for (int64_t device = 0; device < axis.getNumDevices(); ++device) {
    int64_t rank = axis.rankOf(device);
    pairs.push_back({device, axis.neighbour(device, targets[rank] - rank)});
  }
  return TTIRBuilder(builder, loc)
      .collectivePermute(input, pairs, axis.getNumDevices());
}

SmallVector<int64_t> ringsOf(AxisAttr axis) {
  SmallVector<int64_t> devices;
  for (int64_t device = 0; device < axis.getNumDevices(); ++device)
    if (axis.rankOf(device) == 0)
      for (int64_t rank = 0; rank < axis.getRanks(); ++rank)
        devices.push_back(axis.neighbour(device, rank));
  return devices;
}

} // namespace mlir::ring
