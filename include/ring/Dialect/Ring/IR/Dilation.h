// SPDX-License-Identifier: Apache-2.0
// What #ring.dilated means for a sequence of some length and some heads; see
// ring/Positions/Dilation.h.

#ifndef RING_DIALECT_RING_IR_DILATION_H
#define RING_DIALECT_RING_IR_DILATION_H

#include "ring/Dialect/Ring/IR/RingAttrs.h"

namespace mlir::ring {

inline std::optional<std::string> misfitOf(DilatedAttr dilated,
                                           int64_t length) {
  return dilated.getValue().misfitOf(length);
}

inline std::optional<DilatedPair> pairOf(DilatedAttr dilated, int64_t pair,
                                         int64_t length) {
  return dilated.getValue().pairOf(pair, length);
}

inline std::pair<int64_t, int64_t> headsOf(DilatedAttr dilated, int64_t pair,
                                           int64_t heads) {
  return dilated.getValue().headsOf(pair, heads);
}

inline std::vector<int64_t> phasesOf(DilatedAttr dilated, int64_t pair,
                                     int64_t head, int64_t heads,
                                     int64_t span) {
  return dilated.getValue().phasesOf(pair, head, heads, span);
}

inline int64_t divisorOf(DilatedAttr dilated) {
  return dilated.getValue().divisor();
}

inline int64_t countPairs(DilatedAttr dilated, int64_t heads, int64_t length,
                          std::optional<int64_t> keyLimit = std::nullopt) {
  return dilated.getValue().countPairs(heads, length, keyLimit);
}

} // namespace mlir::ring

#endif // RING_DIALECT_RING_IR_DILATION_H
