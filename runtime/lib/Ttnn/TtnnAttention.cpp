// SPDX-License-Identifier: Apache-2.0
//
// Attentions over the tensors of one device.

#include "Ops/SetPattern.h"
#include "Ttnn/TtnnAttentionConfig.h"

namespace ring::rt {

namespace {

namespace transformer = ::ttnn::transformer;

// ---- sdpa ----------------------------------------------------------------

std::optional<uint32_t> windowOf(const OpTypes &types) {
  int64_t window = types.intOr("window", 0);
  if (window <= 0)
    return std::nullopt;
  return static_cast<uint32_t>(window);
}

/// What tt-metal's attention cannot do together.
Status checkWhole(const OpTypes &types, size_t mask, bool causal,
                  bool windowed) {
  if (Status status = checkAttention(types); !status)
    return status;
  if (types.input(mask) && (causal || windowed))
    return error("expects a mask without causality and window on devices, "
                 "which go into the mask, but got both");
  return Status::success();
}

/// Attention of operands 0 to 2. A mask has a row for every query; one of f32
/// is rounded to bf16, which 0 and -inf survive.
::ttnn::Tensor attend(const TtnnCall &call, size_t mask, bool causal,
                      std::optional<uint32_t> window,
                      const DeviceTensor &sink) {
  const OpTypes &types = call.types;
  DeviceTensor added = call.optionalInput(mask);
  if (added) {
    const Shape &from = types.input(mask)->shape;
    Shape to = from;
    to[2] = types.input(0)->shape[2];
    ::ttnn::DataType type = isFloat(types.input(mask)->element) &&
                                    added->dtype() != ::ttnn::DataType::FLOAT32
                                ? added->dtype()
                                : ::ttnn::DataType::BFLOAT16;
    added = expanded(inType(*added, type), from, to);
  }
  return transformer::scaled_dot_product_attention(
      call.input(0), call.input(1), call.input(2), added, causal, call.scale(),
      window, std::nullopt, programOf(call), call.exact(), sink);
}

Status sdpa(TtnnCall &call) {
  const OpTypes &types = call.types;
  return call.output(0, attend(call, 3, types.flag("causal"), windowOf(types),
                               sinkOf(call, 4, types.flag("sink_scaled"))));
}

// ---- ring.attention on one device's tensors ------------------------------

Status checkRingAttention(const OpTypes &types) {
  Band band = types.band();
  bool causal = band.after == 0;
  if (hasRowSets(types) || types.has("key_shift") || types.has("length") ||
      types.has("joint_length") || types.input(8) || types.output(2) ||
      band.after > 0 || (band.before && !causal))
    return error("expects an attention that is full, causal or a causal window "
                 "on devices, without lengths, pages and log-sum-exp");
  int64_t queries = types.input(0)->shape[2], keys = types.input(1)->shape[2];
  if (causal && queries != keys)
    return error("expects as many queries as keys for a causal attention on "
                 "devices, but got ",
                 queries, " and ", keys);
  if (Status status = checkWhole(types, 6, causal, band.before.has_value());
      !status || !types.input(3))
    return status;
  if (types.input(0)->shape[1] != types.input(1)->shape[1])
    return error("expects as many key heads as heads beside joint tokens on "
                 "devices, but got ",
                 types.input(1)->shape[1], " and ", types.input(0)->shape[1]);
  for (size_t i = 0; i < 6; ++i)
    if (types.input(i)->element != types.input(0)->element ||
        types.input(i)->element == ElementType::BFP4B)
      return error("expects bf16 or bfp8_b for all operands beside joint "
                   "tokens on devices, but operand ",
                   i, " is ", nameOf(types.input(i)->element));
  return Status::success();
}

Status ringAttention(TtnnCall &call) {
  Band band = call.types.band();
  if (call.optionalInput(3)) {
    auto [output, joint] = transformer::joint_scaled_dot_product_attention(
        call.input(0), call.input(1), call.input(2), call.input(3),
        call.input(4), call.input(5), "rear", programOf(call), call.scale(),
        call.exact());
    if (Status status = call.output(0, output); !status)
      return status;
    return call.output(1, joint);
  }
  std::optional<uint32_t> window;
  if (band.before)
    window = static_cast<uint32_t>(*band.before + 1);
  return call.output(0, attend(call, 6, band.after == 0, window,
                               sinkOf(call, 7, /*scaled=*/false)));
}

} // namespace

void addTtnnAttention(TtnnTable &table) {
  auto checkSdpa = [](const OpTypes &types) {
    return checkWhole(types, 3, types.flag("causal"),
                      windowOf(types).has_value());
  };
  table["sdpa"] = {checkSdpa, sdpa};
  table["ring.attention"] = {checkRingAttention, ringAttention};
}

} // namespace ring::rt
