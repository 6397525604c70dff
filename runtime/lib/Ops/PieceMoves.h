// SPDX-License-Identifier: Apache-2.0
//
// What ops that only move elements do to a tensor in pieces: they change where
// the pieces are, and touch no element.

#ifndef RING_RUNTIME_OPS_PIECEMOVES_H
#define RING_RUNTIME_OPS_PIECEMOVES_H

#include "Memory/Storage.h"
#include "Ops/SliceBounds.h"

#include <optional>

namespace ring::rt {

/// Where one dimension of a piece runs: along dimension `dim` of the tensor, by
/// `step` indices.
struct PieceDim {
  int64_t size;
  int64_t fromStride;
  size_t dim;
  int64_t step;
};

/// A piece by the dimensions of its tensor: element (i, j, ...) has the index
/// `begins[d]` plus the steps of those of its dimensions that run along d.
struct AlignedPiece {
  StorageRef source;
  int64_t from;
  Shape begins;
  std::vector<PieceDim> dims;

  /// The dimensions that run along `dim`.
  std::vector<PieceDim *> along(size_t dim);
};

/// The piece by the dimensions of `shape`; nothing if one of its dimensions
/// runs along several of them in a way that no split makes even.
std::optional<AlignedPiece> align(const TensorPiece &piece, const Shape &shape);
/// The reverse; nothing if the elements would not come in order.
std::optional<TensorPiece> flatten(const AlignedPiece &piece,
                                   const Shape &shape);

/// The pieces of a tensor: its own, or one for all of it.
TensorPieces piecesOf(const StorageRef &storage, const Shape &shape);

/// A tensor of `shape` made of these pieces and `fill`; nothing if there are
/// too many to be of use.
std::optional<TensorPieces> gatherPieces(std::vector<TensorPiece> pieces,
                                         const Shape &shape, double fill);

/// A slice of a tensor of `shape`.
std::optional<TensorPieces> slicePieces(const TensorPieces &tensor,
                                        const Shape &shape,
                                        const SliceBounds &bounds);

/// The transpose of a tensor of `shape`.
std::optional<TensorPieces>
permutePieces(const TensorPieces &tensor, const Shape &shape,
              const std::vector<int64_t> &permutation);

/// Adds a tensor of `shape` to the pieces of one of shape `whole`: index i of
/// dimension d becomes at[d] + i * steps[d]. False if that cannot be done.
bool placePieces(const TensorPieces &tensor, const Shape &shape,
                 const Shape &at, const Shape &steps, const Shape &whole,
                 std::vector<TensorPiece> &pieces);

} // namespace ring::rt

#endif // RING_RUNTIME_OPS_PIECEMOVES_H
