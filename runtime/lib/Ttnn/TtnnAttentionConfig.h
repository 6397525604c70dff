// SPDX-License-Identifier: Apache-2.0
//
// What the attention kernels of tt-metal are told beside their operands: how
// the work is cut for the cores, and how exactly they compute. Left out, they
// take approximate exponentials.

#ifndef RING_RUNTIME_TTNN_TTNNATTENTIONCONFIG_H
#define RING_RUNTIME_TTNN_TTNNATTENTIONCONFIG_H

#include "Ttnn/TtnnCall.h"

namespace ring::rt {

using ::ttnn::operations::transformer::SDPAProgramConfig;

/// Rows that a core takes at a time.
struct Chunks {
  int64_t queries = kTile;
  int64_t keys = kTile;
};

/// The largest chunks that divide the rows and whose tiles a core can hold, for
/// heads of so many columns.
Chunks chunksOf(int64_t queryRows, int64_t keyRows, int64_t keyDim,
                int64_t valueDim);

/// A program of chunks on a rectangle of cores, with exact exponentials.
SDPAProgramConfig programOf(::ttnn::CoreCoord grid, const Chunks &chunks);

/// The program of an attention of operands 0 to 2, on all cores.
SDPAProgramConfig programOf(const TtnnCall &call);

/// One over the scale of an attention: kernels multiply masks and sinks by the
/// scale together with the scores.
float inverseScale(const OpTypes &types);

/// A sink as the kernels want it, divided by the scale. `scaled`: the
/// program has it so already.
DeviceTensor sinkOf(const TtnnCall &call, size_t i, bool scaled);

/// Fails for operands that no attention kernel of tt-metal takes: f32, a head
/// that is no whole tiles, values of another dim than the keys where
/// `oneDim` asks for one.
Status checkAttention(const OpTypes &types, bool oneDim = true);

} // namespace ring::rt

#endif // RING_RUNTIME_TTNN_TTNNATTENTIONCONFIG_H
