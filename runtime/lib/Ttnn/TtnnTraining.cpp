// SPDX-License-Identifier: Apache-2.0
//
// tt-train's attention, which gives the log-sum-exp that an explicit ring
// merges by, and its gradients. It is a library beside TTNN.

#include "Ttnn/TtnnCall.h"

#include "metal/ops/sdpa_bw/sdpa_bw.hpp"
#include "metal/ops/sdpa_fw/sdpa_fw.hpp"

#include <cmath>

namespace ring::rt {

namespace {

using ttml::metal::AttentionMaskType;

/// The operands of `sdpa_fw` and `sdpa_bw` by number.
struct TrainingOperands {
  size_t query;
  size_t mask;
};
constexpr TrainingOperands kForward{0, 3}, kBackward{2, 6};

AttentionMaskType maskType(const OpTypes &types) {
  return types.text("mask_type") == "causal" ? AttentionMaskType::Causal
                                             : AttentionMaskType::Arbitrary;
}

/// A mask of bf16 with a row for every query.
DeviceTensor maskOf(const TtnnCall &call, TrainingOperands operands) {
  DeviceTensor mask = call.optionalInput(operands.mask);
  if (!mask)
    return mask;
  const Shape &from = call.types.input(operands.mask)->shape;
  Shape to = from;
  to[2] = call.types.input(operands.query)->shape[2];
  return expanded(inType(*mask, ::ttnn::DataType::BFLOAT16), from, to);
}

Status forward(TtnnCall &call) {
  std::vector<DeviceTensor> results = ttml::metal::sdpa_fw(
      call.input(0), call.input(1), call.input(2), maskType(call.types),
      maskOf(call, kForward), /*dropout_probability=*/0, call.hasOutput(1));
  if (Status status = call.output(0, *results[0]); !status)
    return status;
  return call.hasOutput(1) ? call.output(1, *results[1]) : Status::success();
}

Status backward(TtnnCall &call) {
  auto [query, key, value] = ttml::metal::sdpa_bw(
      call.input(0), call.input(1), call.input(2), call.input(3), call.input(4),
      call.input(5), maskType(call.types), maskOf(call, kBackward));
  if (Status status = call.output(0, query); !status)
    return status;
  if (Status status = call.output(1, key); !status)
    return status;
  return call.output(2, value);
}

/// Fails for what the kernels refuse, would hang on or take for something else.
Status checkTraining(const OpTypes &types, TrainingOperands operands) {
  const std::string &op = types.instruction().op;
  if (types.text("mask_type") == "none")
    return error("expects a mask for '", op,
                 "' on devices, where it waits for one forever without; "
                 "compile with sdpa-fw-mask=ones");
  size_t query = operands.query;
  const Shape &q = types.input(query)->shape,
              &k = types.input(query + 1)->shape;
  for (size_t i = query; i < query + 3; ++i)
    if (types.input(i)->element != ElementType::BF16)
      return error("expects bf16 for '", op, "' on devices, but operand ", i,
                   " is ", nameOf(types.input(i)->element));
  if (q[2] != k[2])
    return error("expects as many queries as keys for '", op,
                 "' on devices, but got ", q[2], " and ", k[2]);
  double own = 1 / std::sqrt(static_cast<double>(q[3]));
  if (std::abs(types.floatOr("scale", own) - own) > 1e-6 * own)
    return error("expects the scale 1 / sqrt(", q[3], ") for '", op,
                 "' on devices, but got ", types.floatOr("scale", own));
  if (const ValueType *mask = types.input(operands.mask))
    if (mask->shape[0] != 1 || mask->shape[1] != 1)
      return error("expects one mask for all heads on devices, but got ",
                   describe(mask->shape));
  return Status::success();
}

} // namespace

void addTtnnTraining(TtnnTable &table) {
  table["sdpa_fw"] = {
      [](const OpTypes &types) { return checkTraining(types, kForward); },
      forward};
  table["sdpa_bw"] = {
      [](const OpTypes &types) { return checkTraining(types, kBackward); },
      backward};
}

} // namespace ring::rt
