// SPDX-License-Identifier: Apache-2.0
//
// Attentions of new tokens over a cache: decode steps and chunks of a prefill.

#include "Ttnn/TtnnAttentionConfig.h"

namespace ring::rt {

namespace {

namespace transformer = ::ttnn::transformer;
using ::ttnn::DataType;

/// Operands of a decode step by number; pages put a table in between.
struct DecodeOperands {
  bool paged;
  size_t mask() const { return paged ? 4 : 3; }
  size_t position() const { return paged ? 5 : 4; }
  size_t sink() const { return paged ? 6 : 5; }
};

bool isCausal(const OpTypes &types) { return types.intOr("causal", 1) != 0; }

/// Keys that a kernel takes at a time where it has to be told.
uint32_t keyChunkOf(int64_t keys) {
  uint32_t chunk = 512;
  while (chunk > kTile && keys % chunk != 0)
    chunk /= 2;
  return chunk;
}

/// Indices and positions: integers of 32 bits, row by row.
::ttnn::Tensor integers(const TtnnCall &call, size_t i, const Shape &shape) {
  return inRows(
      ::ttnn::reshape(inType(call.input(i), DataType::INT32), shapeOf(shape)));
}

Status checkDecode(const OpTypes &types, DecodeOperands operands) {
  if (Status status = checkAttention(types); !status)
    return status;
  if (types.input(operands.mask()) && isCausal(types))
    return error("expects a mask with causal = 0 on devices, but got both");
  if (operands.paged && isCausal(types) && !types.input(operands.position()))
    return error("expects positions for a causal step over pages on devices, "
                 "but got none");
  int64_t keys = types.input(1)->shape[2];
  if (keys % kTile != 0)
    return error("expects caches of whole tiles of ", kTile,
                 " keys on devices, but got ", keys);
  if (types.input(1)->shape[1] > 1 &&
      types.input(0)->element != ElementType::BF16)
    return error("expects bf16 queries over several key heads on devices, but "
                 "got ",
                 nameOf(types.input(0)->element));
  return Status::success();
}

/// A mask with a row for every head. The kernel multiplies it by the scale
/// together with the scores, so it is divided by it.
DeviceTensor maskOf(const TtnnCall &call, size_t i) {
  DeviceTensor mask = call.optionalInput(i);
  if (!mask)
    return mask;
  Shape to = call.types.input(i)->shape;
  to[0] = call.types.input(0)->shape[1];
  to[2] = call.types.input(0)->shape[2];
  ::ttnn::Tensor scaled = ::ttnn::multiply(inType(*mask, DataType::FLOAT32),
                                           inverseScale(call.types));
  return expanded(inType(scaled, DataType::BFLOAT16),
                  call.types.input(i)->shape, to);
}

/// A sink for each head in the first column of a row of tiles.
DeviceTensor decodeSink(const TtnnCall &call, size_t i) {
  DeviceTensor sink = sinkOf(call, i, call.types.flag("sink_scaled"));
  if (!sink)
    return sink;
  int64_t heads = call.types.input(0)->shape[2];
  uint32_t rest = static_cast<uint32_t>((kTile - heads % kTile) % kTile);
  ttsl::SmallVector<std::array<uint32_t, 2>> behind;
  behind.push_back({0, rest});
  behind.push_back({0, static_cast<uint32_t>(kTile - 1)});
  return ::ttnn::pad(::ttnn::reshape(*sink, shapeOf({heads, 1})), behind, 0.0f);
}

Status decode(TtnnCall &call, DecodeOperands operands) {
  const OpTypes &types = call.types;
  const Shape &k = types.input(1)->shape;
  int64_t users = types.input(0)->shape[1];
  DeviceTensor positions;
  if (isCausal(types) && types.input(operands.position()))
    positions = integers(call, operands.position(), {users});
  std::optional<uint32_t> window;
  if (int64_t width = types.intOr("window", 0); width > 0)
    window = static_cast<uint32_t>(width);
  SDPAProgramConfig program = programOf(call);
  if (operands.paged) {
    const Shape &pages = types.input(3)->shape;
    program.k_chunk_size = keyChunkOf(pages[1] * k[2]);
    return call.output(0,
                       transformer::paged_scaled_dot_product_attention_decode(
                           call.input(0), call.input(1), call.input(2),
                           integers(call, 3, pages), isCausal(types),
                           maskOf(call, operands.mask()), positions,
                           decodeSink(call, operands.sink()), call.scale(),
                           window, std::nullopt, program, call.exact()));
  }
  program.k_chunk_size = keyChunkOf(k[2]);
  // Without positions every user is at the end.
  std::vector<uint32_t> ends;
  if (isCausal(types) && !positions)
    ends.assign(static_cast<size_t>(users), static_cast<uint32_t>(k[2] - 1));
  return call.output(0, transformer::scaled_dot_product_attention_decode(
                            call.input(0), call.input(1), call.input(2),
                            isCausal(types), maskOf(call, operands.mask()),
                            ends, positions, decodeSink(call, operands.sink()),
                            call.scale(), window, std::nullopt, program,
                            call.exact()));
}

/// The start is a tensor, so that it may differ from run to run.
Status chunked(TtnnCall &call) {
  const OpTypes &types = call.types;
  const Shape &pages = types.input(3)->shape, &k = types.input(1)->shape;
  SDPAProgramConfig program = programOf(
      call.device.compute_with_storage_grid_size(),
      chunksOf(types.input(0)->shape[2], pages[1] * k[2], k[3], k[3]));
  return call.output(0, transformer::chunked_scaled_dot_product_attention(
                            call.input(0), call.input(1), call.input(2),
                            integers(call, 3, pages), integers(call, 4, {1}),
                            call.scale(), std::nullopt, program, call.exact()));
}

} // namespace

void addTtnnCacheAttention(TtnnTable &table) {
  for (bool paged : {false, true}) {
    DecodeOperands operands{paged};
    table[paged ? "paged_sdpa_decode" : "sdpa_decode"] = {
        [operands](const OpTypes &types) {
          return checkDecode(types, operands);
        },
        [operands](TtnnCall &call) { return decode(call, operands); }};
  }
  table["chunked_sdpa"] = {
      [](const OpTypes &types) { return checkAttention(types); }, chunked};
}

} // namespace ring::rt
