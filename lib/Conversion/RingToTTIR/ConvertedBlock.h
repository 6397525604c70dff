// SPDX-License-Identifier: Apache-2.0
// A block of attention, or of its gradients, after the conversion of its
// operands: what both ways of computing it start from.

#ifndef RING_LIB_CONVERSION_RINGTOTTIR_CONVERTEDBLOCK_H
#define RING_LIB_CONVERSION_RINGTOTTIR_CONVERTEDBLOCK_H

#include "ring/Analysis/AttentionTraits.h"
#include "ring/Dialect/Ring/IR/RingOps.h"
#include "ring/Support/TTIRBuilder.h"

#include <cmath>

namespace mlir::ring {

/// The columns of a tile.
inline constexpr int64_t kTileColumns = 32;

struct ConvertedBlock {
  Value query, key, value;
  /// The values are the first columns of the keys.
  bool valuesInKeys;
  /// Added to the scores; may be missing.
  Value mask;
  Band band;
  bool causal;
  std::optional<float> givenScale;

  template <typename BlockOp, typename Adaptor>
  ConvertedBlock(BlockOp op, Adaptor adaptor)
      : query(adaptor.getQuery()), key(adaptor.getKey()),
        value(adaptor.getValue()),
        valuesInKeys(areColumnsOf(op.getValue(), op.getKey())),
        mask(adaptor.getMask()), band(op.getBand()),
        causal(isa_and_nonnull<CausalAttr>(op.getPatternAttr())) {
    if (op.getScale())
      givenScale = op.getScale()->convertToFloat();
  }

  int64_t queries() const { return TTIRBuilder::typeOf(query).getDimSize(2); }
  int64_t keys() const { return TTIRBuilder::typeOf(key).getDimSize(2); }
  int64_t keyHeads() const { return TTIRBuilder::typeOf(key).getDimSize(1); }
  int64_t dim() const { return TTIRBuilder::typeOf(query).getDimSize(3); }
  int64_t valueDim() const { return TTIRBuilder::typeOf(value).getDimSize(3); }

  /// Values for a kernel that wants them as wide as keys, and whose output is
  /// cut to their own columns: the keys where they have the values, so that
  /// these need not be cut out.
  Value wideValue() const { return valuesInKeys ? key : value; }

  float scale() const {
    return givenScale.value_or(1.0f / std::sqrt(static_cast<float>(dim())));
  }

  /// Whether a query may have no key at all: by the mask, of which nothing is
  /// known, or by the band. 4 queries, 2 keys, 1 key before: query 3 sees keys
  /// 2 to 3, which are not there.
  bool mayHaveEmptyRows() const {
    return mask || (band.before && queries() - 1 - *band.before >= keys()) ||
           (band.after && *band.after < 0);
  }
};

} // namespace mlir::ring

#endif // RING_LIB_CONVERSION_RINGTOTTIR_CONVERTEDBLOCK_H
