// SPDX-License-Identifier: Apache-2.0
//
// Index arithmetic of pieces.

#include "Ops/PieceMoves.h"

#include "Ops/StridedLoop.h"

#include <algorithm>

namespace ring::rt {

namespace {

int64_t ceilDivide(int64_t a, int64_t b) {
  return a >= 0 ? (a + b - 1) / b : -(-a / b);
}
int64_t floorDivide(int64_t a, int64_t b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

/// Makes one dimension of two where both sides go on without a gap.
void joinDims(TensorPiece &piece) {
  for (size_t i = piece.sizes.size(); i-- > 1;) {
    if (piece.fromStrides[i] * piece.sizes[i] != piece.fromStrides[i - 1] ||
        piece.intoStrides[i] * piece.sizes[i] != piece.intoStrides[i - 1])
      continue;
    piece.sizes[i] *= piece.sizes[i - 1];
    piece.sizes.erase(piece.sizes.begin() + i - 1);
    piece.fromStrides.erase(piece.fromStrides.begin() + i - 1);
    piece.intoStrides.erase(piece.intoStrides.begin() + i - 1);
  }
}

/// Takes `next` into `piece` if it goes on where that ends, there and here.
/// Halves of a block that meet again are the block itself.
bool joinNext(TensorPiece &piece, const TensorPiece &next) {
  if (piece.source != next.source || piece.fromStrides != next.fromStrides ||
      piece.intoStrides != next.intoStrides)
    return false;
  for (size_t i = 0; i < piece.sizes.size(); ++i) {
    Shape sizes = piece.sizes;
    sizes[i] = next.sizes[i];
    if (sizes != next.sizes ||
        piece.from + piece.sizes[i] * piece.fromStrides[i] != next.from ||
        piece.into + piece.sizes[i] * piece.intoStrides[i] != next.into)
      continue;
    piece.sizes[i] += next.sizes[i];
    joinDims(piece);
    return true;
  }
  return false;
}

enum class Cut { Kept, Gone, Unknown };

/// Keeps the indices begin, begin + step, ... (`size` of them) of dimension
/// `dim`, which become 0, 1, ...
Cut cutPiece(AlignedPiece &piece, size_t dim, int64_t begin, int64_t size,
             int64_t step) {
  if (step < 1)
    return Cut::Unknown;
  std::vector<PieceDim *> along = piece.along(dim);
  int64_t first = piece.begins[dim], last = first;
  for (const PieceDim *one : along)
    last += (one->size - 1) * one->step;
  if (last < begin || first > begin + (size - 1) * step)
    return Cut::Gone;
  if (step == 1 && first >= begin && last < begin + size) {
    piece.begins[dim] -= begin;
    return Cut::Kept;
  }
  if (along.empty()) {
    if ((first - begin) % step != 0)
      return Cut::Gone;
    piece.begins[dim] = (first - begin) / step;
    return Cut::Kept;
  }
  if (along.size() > 1)
    return Cut::Unknown;
  PieceDim &only = *along.front();
  if (step == 1) {
    int64_t low = std::max<int64_t>(0, ceilDivide(begin - first, only.step));
    int64_t high = std::min(only.size - 1,
                            floorDivide(begin + size - 1 - first, only.step));
    if (low > high)
      return Cut::Gone;
    piece.from += low * only.fromStride;
    piece.begins[dim] = first + low * only.step - begin;
    only.size = high - low + 1;
    return Cut::Kept;
  }
  if (only.step != 1)
    return Cut::Unknown;
  int64_t low = std::max<int64_t>(0, ceilDivide(first - begin, step));
  int64_t high = std::min(size - 1, floorDivide(last - begin, step));
  if (low > high)
    return Cut::Gone;
  piece.from += (begin + low * step - first) * only.fromStride;
  piece.begins[dim] = low;
  only.fromStride *= step;
  only.size = high - low + 1;
  return Cut::Kept;
}

} // namespace

std::vector<PieceDim *> AlignedPiece::along(size_t dim) {
  std::vector<PieceDim *> found;
  for (PieceDim &one : dims)
    if (one.dim == dim)
      found.push_back(&one);
  return found;
}

/// Worked example: 512 elements in a row in a tensor of 8 x 4 x 16 are 16
/// along the last dimension, 4 along the one before, 8 along the first.
std::optional<AlignedPiece> align(const TensorPiece &piece,
                                  const Shape &shape) {
  Shape dense = denseStrides(shape);
  AlignedPiece aligned{piece.source, piece.from, Shape(shape.size()), {}};
  Shape last(shape.size());
  for (size_t d = 0; d < shape.size(); ++d)
    last[d] = aligned.begins[d] = piece.into / dense[d] % shape[d];
  for (size_t i = 0; i < piece.sizes.size(); ++i) {
    int64_t size = piece.sizes[i];
    int64_t from = piece.fromStrides[i], into = piece.intoStrides[i];
    while (size > 1) {
      size_t d = 0;
      while (d < shape.size() && (shape[d] == 1 || dense[d] > into))
        ++d;
      if (d == shape.size() || into % dense[d] != 0)
        return std::nullopt;
      int64_t step = into / dense[d], taken = size;
      if (size > (shape[d] - 1 - aligned.begins[d]) / step + 1) {
        // It goes on in the dimension before, where it must begin anew.
        taken = shape[d] / step;
        if (taken < 2 || shape[d] % step != 0 || size % taken != 0 ||
            aligned.begins[d] >= step)
          return std::nullopt;
      }
      aligned.dims.push_back({taken, from, d, step});
      last[d] += (taken - 1) * step;
      size /= taken;
      from *= taken;
      into *= taken;
    }
  }
  for (size_t d = 0; d < shape.size(); ++d)
    if (last[d] >= shape[d])
      return std::nullopt;
  return aligned;
}

std::optional<TensorPiece> flatten(const AlignedPiece &piece,
                                   const Shape &shape) {
  Shape dense = denseStrides(shape);
  struct Dim {
    int64_t size, from, into;
  };
  std::vector<Dim> dims;
  for (const PieceDim &one : piece.dims)
    if (one.size > 1)
      dims.push_back({one.size, one.fromStride, one.step * dense[one.dim]});
  std::sort(dims.begin(), dims.end(),
            [](const Dim &a, const Dim &b) { return a.into > b.into; });
  TensorPiece flat;
  flat.source = piece.source;
  flat.from = piece.from;
  for (size_t d = 0; d < shape.size(); ++d)
    flat.into += piece.begins[d] * dense[d];
  for (const Dim &dim : dims) {
    flat.sizes.push_back(dim.size);
    flat.fromStrides.push_back(dim.from);
    flat.intoStrides.push_back(dim.into);
  }
  int64_t reach = 0;
  for (size_t i = dims.size(); i-- > 0;) {
    if (dims[i].into <= reach)
      return std::nullopt;
    reach += (dims[i].size - 1) * dims[i].into;
  }
  joinDims(flat);
  return flat;
}

TensorPieces piecesOf(const StorageRef &storage, const Shape &shape) {
  if (storage->pieces())
    return *storage->pieces();
  TensorPiece all;
  all.source = storage;
  if (int64_t count = elementCount(shape); count > 1) {
    all.sizes = {count};
    all.fromStrides = all.intoStrides = {1};
  }
  TensorPieces tensor;
  tensor.pieces.push_back(std::move(all));
  return tensor;
}

std::optional<TensorPieces> gatherPieces(std::vector<TensorPiece> pieces,
                                         const Shape &shape, double fill) {
  constexpr size_t kMostPieces = 4096;
  if (pieces.size() > kMostPieces)
    return std::nullopt;
  TensorPieces tensor;
  tensor.fill = fill;
  int64_t count = 0;
  for (TensorPiece &piece : pieces) {
    count += piece.count();
    if (tensor.pieces.empty() || !joinNext(tensor.pieces.back(), piece))
      tensor.pieces.push_back(std::move(piece));
  }
  tensor.covers = count == elementCount(shape);
  return tensor;
}

std::optional<TensorPieces> slicePieces(const TensorPieces &tensor,
                                        const Shape &shape,
                                        const SliceBounds &bounds) {
  std::vector<TensorPiece> pieces;
  for (const TensorPiece &piece : tensor.pieces) {
    std::optional<AlignedPiece> aligned = align(piece, shape);
    if (!aligned)
      return std::nullopt;
    Cut cut = Cut::Kept;
    for (size_t d = 0; d < shape.size() && cut == Cut::Kept; ++d)
      cut = cutPiece(*aligned, d, bounds.begins[d], bounds.sizes[d],
                     bounds.steps[d]);
    if (cut == Cut::Unknown)
      return std::nullopt;
    if (cut == Cut::Gone)
      continue;
    std::optional<TensorPiece> flat = flatten(*aligned, bounds.sizes);
    if (!flat)
      return std::nullopt;
    pieces.push_back(std::move(*flat));
  }
  return gatherPieces(std::move(pieces), bounds.sizes, tensor.fill);
}

std::optional<TensorPieces>
permutePieces(const TensorPieces &tensor, const Shape &shape,
              const std::vector<int64_t> &permutation) {
  Shape permuted;
  std::vector<size_t> placeOf(shape.size());
  for (size_t d = 0; d < shape.size(); ++d) {
    permuted.push_back(shape[permutation[d]]);
    placeOf[permutation[d]] = d;
  }
  std::vector<TensorPiece> pieces;
  for (const TensorPiece &piece : tensor.pieces) {
    std::optional<AlignedPiece> aligned = align(piece, shape);
    if (!aligned)
      return std::nullopt;
    for (PieceDim &one : aligned->dims)
      one.dim = placeOf[one.dim];
    Shape begins = aligned->begins;
    for (size_t d = 0; d < shape.size(); ++d)
      aligned->begins[placeOf[d]] = begins[d];
    std::optional<TensorPiece> flat = flatten(*aligned, permuted);
    if (!flat)
      return std::nullopt;
    pieces.push_back(std::move(*flat));
  }
  return gatherPieces(std::move(pieces), permuted, tensor.fill);
}

bool placePieces(const TensorPieces &tensor, const Shape &shape,
                 const Shape &at, const Shape &steps, const Shape &whole,
                 std::vector<TensorPiece> &pieces) {
  for (const TensorPiece &piece : tensor.pieces) {
    std::optional<AlignedPiece> aligned = align(piece, shape);
    if (!aligned)
      return false;
    for (size_t d = 0; d < shape.size(); ++d)
      aligned->begins[d] = at[d] + aligned->begins[d] * steps[d];
    for (PieceDim &one : aligned->dims)
      one.step *= steps[one.dim];
    std::optional<TensorPiece> flat = flatten(*aligned, whole);
    if (!flat)
      return false;
    pieces.push_back(std::move(*flat));
  }
  return true;
}

} // namespace ring::rt
