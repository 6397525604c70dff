// SPDX-License-Identifier: Apache-2.0
//
// Rows from here and there.

#include "Ops/Exchange.h"

#include "Ops/PieceMoves.h"
#include "Ops/StridedLoop.h"

#include <set>

namespace ring::rt {

namespace {

/// The same for operands that have to be unpacked or written down, one source
/// at a time.
Status assembleReadable(OpRun &run, const RowCopy &geometry,
                        const std::vector<RowPiece> &pieces) {
  std::set<int64_t> sources;
  for (const RowPiece &piece : pieces)
    sources.insert(piece.source);
  for (int64_t source : sources) {
    Result<StorageRef> from = run.readPeer(source, 0);
    if (!from)
      return from.status();
    for (const RowPiece &piece : pieces)
      if (piece.source == source)
        copyRows(geometry, (*from)->data(), piece.fromRow, piece.fromStep,
                 run.output(0), piece.intoRow, piece.intoStep, piece.count);
  }
  return Status::success();
}

/// Puts some of a peer's operand 0 into the pieces of a result of shape `into`:
/// indices `from` of its own, from `at` on by `steps`. False if that cannot be
/// said, or if others have another number where nothing is.
struct PiecePlacer {
  const OpRun &run;
  Shape into;
  std::vector<TensorPiece> pieces = {};
  std::optional<double> fill = std::nullopt;

  bool place(int64_t source, const SliceBounds &from, const Shape &at,
             const Shape &steps) {
    const Shape &shape = run.types.input(0)->shape;
    TensorPieces tensor = piecesOf(run.peer(source, 0), shape);
    if (!tensor.covers && fill.value_or(tensor.fill) != tensor.fill)
      return false;
    if (!tensor.covers)
      fill = tensor.fill;
    std::optional<TensorPieces> some = slicePieces(tensor, shape, from);
    return some && placePieces(*some, from.sizes, at, steps, into, pieces);
  }
};

/// All of a tensor.
SliceBounds allOf(const Shape &shape) {
  return {Shape(shape.size()), Shape(shape.size(), 1), shape};
}

} // namespace

Status assembleRows(OpRun &run, int64_t dim, const ValueType &into,
                    const std::vector<RowPiece> &pieces) {
  const ValueType &from = *run.types.input(0);
  RowCopy geometry = rowCopyAlong(from, into, dim);
  bool inPieces = false;
  for (const RowPiece &piece : pieces)
    inPieces |= run.peer(piece.source, 0)->pieces() != nullptr;
  if (isBlockFormat(from.element) || inPieces)
    return assembleReadable(run, geometry, pieces);
  return run.parallelFor(
      static_cast<int64_t>(pieces.size()), 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const RowPiece &piece = pieces[i];
          copyRows(geometry, run.peer(piece.source, 0)->data(), piece.fromRow,
                   piece.fromStep, run.output(0), piece.intoRow, piece.intoStep,
                   piece.count);
        }
      });
}

std::optional<TensorPieces> rowsInPlace(const OpRun &run, int64_t dim,
                                        const std::vector<RowPiece> &pieces,
                                        double fill) {
  // Beyond so many, finding the rows costs as much as copying them.
  constexpr size_t kMostRowPieces = 256;
  if (pieces.size() > kMostRowPieces)
    return std::nullopt;
  const Shape &into = run.types.output(0)->shape;
  PiecePlacer placer{run, into};
  int64_t brought = 0;
  for (const RowPiece &piece : pieces)
    brought += piece.count;
  if (brought < into[dim])
    placer.fill = fill;
  for (const RowPiece &piece : pieces) {
    SliceBounds from = allOf(run.types.input(0)->shape);
    from.begins[dim] = piece.fromRow;
    from.steps[dim] = piece.fromStep;
    from.sizes[dim] = piece.count;
    Shape at(into.size()), steps(into.size(), 1);
    at[dim] = piece.intoRow;
    steps[dim] = piece.intoStep;
    if (!placer.place(piece.source, from, at, steps))
      return std::nullopt;
  }
  return gatherPieces(std::move(placer.pieces), into, placer.fill.value_or(0));
}

void leaveInPlace(Op &op,
                  std::optional<TensorPieces> (*inPlace)(const OpRun &)) {
  op.access.pieces = inPlace;
  op.access.takesPieces = [](const OpTypes &, size_t i, const TensorPieces &) {
    return i == 0;
  };
}

void arrivalsOf(const ValueType &from, int64_t dim,
                const std::vector<RowPiece> &pieces,
                std::vector<Arrival> &arrivals) {
  int64_t bytes = heldBytes(from);
  for (const RowPiece &piece : pieces)
    arrivals.push_back({piece.source, bytes * piece.count / from.shape[dim]});
}

void tradeArrivals(const ValueType &from, const std::vector<int64_t> &members,
                   std::vector<Arrival> &arrivals) {
  int64_t ranks = static_cast<int64_t>(members.size());
  for (int64_t member : members)
    arrivals.push_back({member, heldBytes(from) / ranks});
}

std::vector<RowPiece> allGatherPieces(const MeshAxis &axis, int64_t device,
                                      int64_t rows) {
  std::vector<RowPiece> pieces;
  for (int64_t rank = 0; rank < axis.ranks(); ++rank)
    pieces.push_back({axis.member(device, rank), 0, 1, rank * rows, 1, rows});
  return pieces;
}

Status runAllGather(OpRun &run) {
  const Shape &shape = run.types.input(0)->shape;
  int64_t dim = run.types.dim("dim", shape.size());
  return assembleRows(
      run, dim, *run.types.output(0),
      allGatherPieces(*run.types.axis(), run.device(), shape[dim]));
}

std::optional<TensorPieces> allGatherInPlace(const OpRun &run) {
  const Shape &shape = run.types.input(0)->shape;
  int64_t dim = run.types.dim("dim", shape.size());
  return rowsInPlace(
      run, dim, allGatherPieces(*run.types.axis(), run.device(), shape[dim]));
}

void shareGathered(Op &op) {
  op.access.sharedBy = [](const OpTypes &types, int64_t device) {
    return types.axis()->member(device, 0);
  };
}

void allGatherArrivals(const OpTypes &types, int64_t device,
                       std::vector<Arrival> &arrivals) {
  const ValueType &from = *types.input(0);
  int64_t dim = types.dim("dim", from.shape.size());
  arrivalsOf(from, dim, allGatherPieces(*types.axis(), device, from.shape[dim]),
             arrivals);
}

Status tradeSplits(OpRun &run, const std::vector<int64_t> &members,
                   int64_t self, int64_t split, int64_t concat,
                   const ValueType &into) {
  const ValueType &from = *run.types.input(0);
  int64_t ranks = static_cast<int64_t>(members.size());
  Shape piece = from.shape;
  piece[split] /= ranks;
  Shape read = denseStrides(from.shape), write = denseStrides(into.shape);
  ElementType held = heldElement(from.element);
  for (int64_t i = 0; i < ranks; ++i) {
    Result<StorageRef> peer = run.readPeer(members[i], 0);
    if (!peer)
      return peer.status();
    Status status = copyStrided(
        run, piece, (*peer)->data(),
        {held, self * piece[split] * read[split], read}, run.output(0),
        {held, i * piece[concat] * write[concat], write});
    if (!status)
      return status;
  }
  return Status::success();
}

std::optional<TensorPieces> tradesInPlace(const OpRun &run,
                                          const std::vector<int64_t> &members,
                                          int64_t self, int64_t split,
                                          int64_t concat) {
  const Shape &into = run.types.output(0)->shape;
  PiecePlacer placer{run, into};
  SliceBounds from = allOf(run.types.input(0)->shape);
  from.sizes[split] /= static_cast<int64_t>(members.size());
  from.begins[split] = self * from.sizes[split];
  Shape at(into.size()), steps(into.size(), 1);
  for (int64_t member : members) {
    if (!placer.place(member, from, at, steps))
      return std::nullopt;
    at[concat] += from.sizes[concat];
  }
  return gatherPieces(std::move(placer.pieces), into, placer.fill.value_or(0));
}

Result<Shape> gatheredShape(const Shape &shape, int64_t dim, int64_t ranks) {
  if (dim < 0)
    return error("expects a dimension of ", describe(shape));
  Shape gathered = shape;
  if (gathered[dim] > (int64_t(1) << 44) / ranks)
    return error("expects a result of at most 2^44 elements");
  gathered[dim] *= ranks;
  return gathered;
}

Result<Shape> tradedShape(const Shape &shape, int64_t split, int64_t concat,
                          int64_t ranks) {
  if (split < 0 || concat < 0 || split == concat)
    return error("expects two different dimensions of ", describe(shape));
  if (shape[split] % ranks != 0)
    return error("expects the ranks to divide ", shape[split], ", but got ",
                 ranks);
  Result<Shape> traded = gatheredShape(shape, concat, ranks);
  if (traded)
    (*traded)[split] /= ranks;
  return traded;
}

} // namespace ring::rt
