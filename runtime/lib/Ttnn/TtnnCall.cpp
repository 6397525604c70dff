// SPDX-License-Identifier: Apache-2.0
//
// Operands, attributes and results of a call; the table put together.

#include "Ttnn/TtnnCall.h"

namespace ring::rt {

Status TtnnCall::output(size_t i, const ::ttnn::Tensor &tensor) {
  if (!hasOutput(i))
    return Status::success();
  const ValueType &type = *types.output(i);
  ::ttnn::Shape shape = shapeOf(type.shape);
  if (tensor.logical_shape().volume() != shape.volume())
    return error("expects ", elementCount(type.shape), " numbers for result ",
                 i, ", but tt-metal gave ", tensor.logical_shape().volume());
  ::ttnn::Tensor result = inType(inTiles(tensor), heldAs(type.element));
  if (!(result.logical_shape() == shape))
    result = ::ttnn::reshape(result, shape);
  values[types.outputValue(i)] = result;
  return Status::success();
}

uint32_t TtnnCall::clusterAxis(int64_t axis) const {
  // A mesh of one axis is opened as 1 x P.
  int64_t more = types.program().mesh().size() == 1 ? 1 : 0;
  return static_cast<uint32_t>(axis + more);
}

Status checkWholeAxis(const OpTypes &types) {
  int64_t whole = types.program().mesh()[types.intOr("axis", 0)];
  int64_t ranks = types.axis()->ranks();
  if (ranks != whole)
    return error("expects a whole mesh axis on devices, but got ", ranks,
                 " ranks of ", whole);
  return Status::success();
}

std::optional<float> TtnnCall::scale() const {
  if (!types.has("scale"))
    return std::nullopt;
  return static_cast<float>(types.floatOr("scale", 1));
}

::ttnn::DeviceComputeKernelConfig TtnnCall::exact() const {
  using tt::tt_metal::MathFidelity;
  ::ttnn::DeviceComputeKernelConfig config;
  // Wormhole's HiFi4 is less exact than HiFi3 where sums are f32.
  config.math_fidelity = device.arch() == tt::ARCH::WORMHOLE_B0
                             ? MathFidelity::HiFi3
                             : MathFidelity::HiFi4;
  config.math_approx_mode = false;
  config.fp32_dest_acc_en = true;
  config.packer_l1_acc = true;
  return config;
}

const TtnnTable &ttnnTable() {
  static const TtnnTable table = [] {
    TtnnTable made;
    addTtnnElementwise(made);
    addTtnnShape(made);
    addTtnnProducts(made);
    addTtnnAttention(made);
    addTtnnCacheAttention(made);
    addTtnnFusedRing(made);
    addTtnnTraining(made);
    addTtnnCollectives(made);
    return made;
  }();
  return table;
}

} // namespace ring::rt
