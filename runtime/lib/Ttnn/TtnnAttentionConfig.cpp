// SPDX-License-Identifier: Apache-2.0
//
// How attention kernels are set up.

#include "Ttnn/TtnnAttentionConfig.h"

#include "Ops/AttentionBlock.h"

namespace ring::rt {

namespace {

/// The circular buffers of a core, from where they begin to where they have to
/// end on Wormhole, which has the smaller memory.
constexpr int64_t kBufferBytes = 1499136 - 101 * 1024;
constexpr int64_t kTileBytes = 2048; ///< of bf16

/// What chunks take, counted in tiles: queries twice, keys and values twice,
/// scores, four outputs, nine columns of maxima and sums.
int64_t bytesOf(const Chunks &chunks, int64_t keyDim, int64_t valueDim) {
  int64_t q = chunks.queries / kTile, k = chunks.keys / kTile;
  int64_t d = keyDim / kTile, v = valueDim / kTile;
  return kTileBytes *
         (2 * q * d + 2 * k * (d + v) + q * k + 4 * q * v + 9 * q + 4);
}

/// The largest power of two times a tile, up to `most`, that divides the rows.
int64_t chunkOf(int64_t rows, int64_t most) {
  for (int64_t chunk = most; chunk > kTile; chunk /= 2)
    if (rows % chunk == 0)
      return chunk;
  return kTile;
}

} // namespace

Chunks chunksOf(int64_t queryRows, int64_t keyRows, int64_t keyDim,
                int64_t valueDim) {
  Chunks chunks{chunkOf(queryRows, 256), chunkOf(keyRows, 512)};
  while (bytesOf(chunks, keyDim, valueDim) > kBufferBytes) {
    int64_t &larger =
        chunks.keys >= chunks.queries ? chunks.keys : chunks.queries;
    if (larger == kTile)
      break;
    larger /= 2;
  }
  return chunks;
}

SDPAProgramConfig programOf(::ttnn::CoreCoord grid, const Chunks &chunks) {
  SDPAProgramConfig config;
  config.compute_with_storage_grid_size = grid;
  config.q_chunk_size = static_cast<size_t>(chunks.queries);
  config.k_chunk_size = static_cast<size_t>(chunks.keys);
  config.exp_approx_mode = false;
  return config;
}

SDPAProgramConfig programOf(const TtnnCall &call) {
  const Shape &q = call.types.input(0)->shape, &k = call.types.input(1)->shape;
  return programOf(call.device.compute_with_storage_grid_size(),
                   chunksOf(q[2], k[2], k[3], call.types.input(2)->shape[3]));
}

float inverseScale(const OpTypes &types) {
  return 1 / scaleOf(types, types.input(0)->shape[3]);
}

DeviceTensor sinkOf(const TtnnCall &call, size_t i, bool scaled) {
  DeviceTensor sink = call.optionalInput(i);
  if (!sink)
    return sink;
  if (!scaled) {
    ::ttnn::Tensor exact = inType(*sink, ::ttnn::DataType::FLOAT32);
    sink = ::ttnn::multiply(exact, inverseScale(call.types));
  }
  return inType(*sink, ::ttnn::DataType::BFLOAT16);
}

Status checkAttention(const OpTypes &types, bool oneDim) {
  for (size_t i = 0; i < 3; ++i)
    if (types.input(i)->element == ElementType::F32)
      return error("expects bf16, bfp8_b or bfp4_b for an attention on "
                   "devices, but operand ",
                   i, " is f32");
  int64_t dim = types.input(0)->shape[3], values = types.input(2)->shape[3];
  if (dim % kTile != 0 || values % kTile != 0)
    return error("expects heads of whole tiles of ", kTile,
                 " columns on devices, but got ", dim, " and ", values);
  if (oneDim && dim != values)
    return error("expects values of the keys' dim on devices, ", dim,
                 ", but got ", values);
  return Status::success();
}

} // namespace ring::rt
