// SPDX-License-Identifier: Apache-2.0
//
// Tensors that are not written down: slices, reshapes, pads and concats of
// tensors that are. Whoever can read rows where they lie does so; everybody
// else has them written down once.

#ifndef RING_RUNTIME_MEMORY_TENSORPIECES_H
#define RING_RUNTIME_MEMORY_TENSORPIECES_H

#include "ring-runtime/Types.h"

#include <memory>

namespace ring::rt {

class Storage;
using StorageRef = std::shared_ptr<Storage>;

/// Elements that lie in a tensor which is written down. Element (i, j, ...) is
/// element `from + i * fromStrides[0] + j * fromStrides[1] + ...` there, and
/// `into + i * intoStrides[0] + ...` here, both counted row by row. Worked
/// example, rows 1, 3 and 5 of an 8 x 4 tensor as a 3 x 4 tensor: sizes 3 and
/// 4, from 4 by strides 8 and 1, into 0 by strides 4 and 1, which are joined
/// where both sides go on without a gap.
///
/// Dimensions go from the largest stride of `into` to the smallest, and each
/// stride is larger than what all behind it reach: elements come in order.
struct TensorPiece {
  StorageRef source;
  Shape sizes;
  int64_t from = 0;
  Shape fromStrides;
  int64_t into = 0;
  Shape intoStrides;

  bool operator==(const TensorPiece &other) const {
    return source == other.source && sizes == other.sizes &&
           from == other.from && fromStrides == other.fromStrides &&
           into == other.into && intoStrides == other.intoStrides;
  }

  int64_t count() const { return elementCount(sizes); }
  /// The last element here.
  int64_t last() const {
    int64_t at = into;
    for (size_t i = 0; i < sizes.size(); ++i)
      at += (sizes[i] - 1) * intoStrides[i];
    return at;
  }
};

/// A tensor in pieces, no two of which have an element in common, all of its
/// own element type; elements in no piece are `fill`.
struct TensorPieces {
  std::vector<TensorPiece> pieces;
  double fill = 0;
  /// Whether every element is in a piece.
  bool covers = true;

  bool operator==(const TensorPieces &other) const {
    return pieces == other.pieces && covers == other.covers &&
           (covers || fill == other.fill);
  }
};

} // namespace ring::rt

#endif // RING_RUNTIME_MEMORY_TENSORPIECES_H
