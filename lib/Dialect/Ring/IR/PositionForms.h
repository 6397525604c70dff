// SPDX-License-Identifier: Apache-2.0
// The parameters of an attribute in the arithmetic of positions, which
// verifiers need before there is an attribute.

#ifndef RING_LIB_DIALECT_RING_IR_POSITIONFORMS_H
#define RING_LIB_DIALECT_RING_IR_POSITIONFORMS_H

#include "ring/Dialect/Ring/IR/RingAttrs.h"

namespace mlir::ring {

namespace shared = ::ring::positions;

/// A choice by the number that it has in the dialect, in the arithmetic and in
/// program files. The last choices are named to see that there are as many.
template <auto last, auto sharedLast>
auto sharedChoice(decltype(last) choice) {
  static_assert(static_cast<int64_t>(last) == static_cast<int64_t>(sharedLast));
  return static_cast<decltype(sharedLast)>(choice);
}

inline shared::SequenceLayout layoutOf(LayoutKind kind, int64_t length,
                                       int64_t ranks, int64_t offset,
                                       int64_t block) {
  return {
      sharedChoice<LayoutKind::BlockCyclic, shared::LayoutKind::BlockCyclic>(
          kind),
      length, ranks, offset, block};
}

inline shared::Dilation dilationOf(ArrayRef<int64_t> segments,
                                   ArrayRef<int64_t> rates,
                                   Segmentation segmentation, int64_t chunks,
                                   DilationPhase phase, DilationMix mix,
                                   ExtraHeads extra, DilationNorm norm,
                                   ShortSequence shorter, bool causal) {
  return {
      segments,
      rates,
      sharedChoice<Segmentation::Prefix, shared::Segmentation::Prefix>(
          segmentation),
      chunks,
      sharedChoice<DilationPhase::Zero, shared::DilationPhase::Zero>(phase),
      sharedChoice<DilationMix::Mean, shared::DilationMix::Mean>(mix),
      sharedChoice<ExtraHeads::Last, shared::ExtraHeads::Last>(extra),
      sharedChoice<DilationNorm::None, shared::DilationNorm::None>(norm),
      sharedChoice<ShortSequence::Clamp, shared::ShortSequence::Clamp>(shorter),
      causal};
}

} // namespace mlir::ring

#endif // RING_LIB_DIALECT_RING_IR_POSITIONFORMS_H
