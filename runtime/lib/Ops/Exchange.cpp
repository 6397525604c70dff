// SPDX-License-Identifier: Apache-2.0
//
// Rows from here and there.

#include "Ops/Exchange.h"

#include "Ops/StridedLoop.h"

#include <set>

namespace ring::rt {

namespace {

/// The same for operands that have to be unpacked, one source at a time.
Status assembleUnpacked(OpRun &run, const RowCopy &geometry,
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

} // namespace

Status assembleRows(OpRun &run, int64_t dim, const ValueType &into,
                    const std::vector<RowPiece> &pieces) {
  const ValueType &from = *run.types.input(0);
  RowCopy geometry = rowCopyAlong(from, into, dim);
  if (isBlockFormat(from.element))
    return assembleUnpacked(run, geometry, pieces);
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
