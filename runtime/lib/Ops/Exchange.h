// SPDX-License-Identifier: Apache-2.0
//
// What ops that exchange data share: a result put together from rows of other
// devices' tensors.

#ifndef RING_RUNTIME_OPS_EXCHANGE_H
#define RING_RUNTIME_OPS_EXCHANGE_H

#include "Ops/Op.h"
#include "Ops/OpRun.h"

#include <optional>

namespace ring::rt {

/// `count` rows of a device's tensor, from `fromRow` on, every `fromStep`-th,
/// and where they go.
struct RowPiece {
  int64_t source;
  int64_t fromRow;
  int64_t fromStep;
  int64_t intoRow;
  int64_t intoStep;
  int64_t count;
};

/// Puts result 0 together from rows along `dim` of operand 0 of other devices.
/// `into` is the type of the result.
Status assembleRows(OpRun &run, int64_t dim, const ValueType &into,
                    const std::vector<RowPiece> &pieces);

/// Where the rows of that result lie, so that nothing is copied before somebody
/// needs them in one place; rows that no piece brings are `fill`. Nothing if
/// that cannot be said. See Op::pieces.
std::optional<TensorPieces> rowsInPlace(const OpRun &run, int64_t dim,
                                        const std::vector<RowPiece> &pieces,
                                        double fill = 0);

/// What pieces of a tensor of type `from` along `dim` bring from where.
void arrivalsOf(const ValueType &from, int64_t dim,
                const std::vector<RowPiece> &pieces,
                std::vector<Arrival> &arrivals);

/// The pieces of an all-gather over `axis`: every rank's rows, in rank order.
std::vector<RowPiece> allGatherPieces(const MeshAxis &axis, int64_t device,
                                      int64_t rows);

/// Gathers operand 0 along its attribute `dim`, where its parts lie, and what
/// that brings from where.
Status runAllGather(OpRun &run);
std::optional<TensorPieces> allGatherInPlace(const OpRun &run);
void allGatherArrivals(const OpTypes &types, int64_t device,
                       std::vector<Arrival> &arrivals);

/// Trades a split of one dimension for a split of another among `members`,
/// of whom this device is number `self`.
Status tradeSplits(OpRun &run, const std::vector<int64_t> &members,
                   int64_t self, int64_t split, int64_t concat,
                   const ValueType &into);

/// Where the elements of its result lie; see Op::pieces.
std::optional<TensorPieces> tradesInPlace(const OpRun &run,
                                          const std::vector<int64_t> &members,
                                          int64_t self, int64_t split,
                                          int64_t concat);

/// What tradeSplits brings from each of the members.
void tradeArrivals(const ValueType &from, const std::vector<int64_t> &members,
                   std::vector<Arrival> &arrivals);

/// Makes an exchange of operand 0 leave its result where the others have it:
/// `inPlace` says where. Its posts stay in pieces.
void leaveInPlace(Op &op,
                  std::optional<TensorPieces> (*inPlace)(const OpRun &));
/// Makes all ranks of an axis share what they gather.
void shareGathered(Op &op);

/// The shapes of the two exchanges; failures name the dimension.
Result<Shape> gatheredShape(const Shape &shape, int64_t dim, int64_t ranks);
Result<Shape> tradedShape(const Shape &shape, int64_t split, int64_t concat,
                          int64_t ranks);

} // namespace ring::rt

#endif // RING_RUNTIME_OPS_EXCHANGE_H
