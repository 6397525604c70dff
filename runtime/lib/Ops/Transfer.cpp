// SPDX-License-Identifier: Apache-2.0
//
// The ring dialect's transfers, with and without a start: the same op runs at
// once, or when its wait is reached.

#include "Data/Numbers.h"
#include "Ops/Exchange.h"
#include "Ops/StridedLoop.h"

#include <algorithm>
#include <cstring>

namespace ring::rt {

namespace {

/// The results of a transfer: its own, or the buffers it arrives in.
struct TransferTypes {
  std::vector<const ValueType *> inputs;
  std::vector<const ValueType *> results;
};

/// Sorts operands and results. A buffer stands for a tensor of its type.
Status sortOperands(const OpTypes &types, bool starts, TransferTypes &sorted) {
  for (size_t i = 0; i < types.inputCount(); ++i) {
    const ValueType *type = types.input(i);
    if (type->placement != Placement::Local)
      return error("expects local values, but got ", describe(*type));
    if (type->kind == ValueKind::Buffer && starts)
      sorted.results.push_back(type);
    else if (type->kind == ValueKind::Tensor && sorted.results.empty())
      sorted.inputs.push_back(type);
    else
      return error("expects tensors", starts ? ", then buffers" : "",
                   ", but operand ", i, " is ", describe(*type));
  }
  if (!starts) {
    for (size_t i = 0; i < types.outputCount(); ++i)
      sorted.results.push_back(types.output(i));
  } else {
    if (types.output(0)->kind != ValueKind::Token)
      return error("expects a token as result, but got ",
                   describe(*types.output(0)));
    for (size_t i = 0; i < types.inputCount(); ++i)
      for (size_t j = 0; j < i; ++j)
        if (types.input(i)->kind == ValueKind::Buffer &&
            types.inputValue(i) == types.inputValue(j))
          return error("names buffer %", types.inputValue(i), " twice");
  }
  for (const ValueType *type : sorted.results)
    if (!starts && type->kind != ValueKind::Tensor)
      return error("expects tensors as results, but got ", describe(*type));
  if (sorted.inputs.empty() || sorted.inputs.size() != sorted.results.size())
    return error("expects as many ", starts ? "buffers" : "results",
                 " as tensors, ", sorted.inputs.size(), ", but got ",
                 sorted.results.size());
  for (size_t i = 0; i < sorted.inputs.size(); ++i)
    if (sorted.inputs[i]->element != sorted.results[i]->element)
      return error("expects ", nameOf(sorted.inputs[i]->element),
                   " to arrive, but got ", describe(*sorted.results[i]));
  return Status::success();
}

Status expectArrival(const TransferTypes &sorted, const Shape &shape) {
  if (sorted.results[0]->shape != shape)
    return error("expects ", describe(shape), " to arrive, but got ",
                 describe(sorted.results[0]->shape));
  return Status::success();
}

/// One kind of transfer: what it checks and how it runs.
struct Transfer {
  const char *name;
  bool variadic = false;
  bool shares = false;
  std::vector<AttributeSpec> attributes;
  Status (*verify)(const OpTypes &, const TransferTypes &, const MeshAxis &);
  Status (*run)(OpRun &);
  void (*arrivals)(const OpTypes &, int64_t, std::vector<Arrival> &);
  Carriage carriage = Carriage::Direct;
  /// Where the result of an exchange of one tensor lies; see Op::pieces.
  std::optional<TensorPieces> (*inPlace)(const OpRun &) = nullptr;
};

Status verifyShift(const OpTypes &types, const TransferTypes &sorted,
                   const MeshAxis &axis) {
  constexpr int64_t kFar = int64_t(1) << 40;
  int64_t by = types.intOr("by", 0);
  if (by < -kFar || by > kFar)
    return error("expects to shift by at most 2^40, but got ", by);
  int64_t first = types.intOr("reaching", 0);
  if (first < 0 || first >= axis.ranks())
    return error("expects to reach ranks from one of 0 to ", axis.ranks() - 1,
                 " on, but got ", first);
  for (size_t i = 0; i < sorted.inputs.size(); ++i)
    if (sorted.inputs[i]->shape != sorted.results[i]->shape)
      return error("expects ", describe(sorted.inputs[i]->shape),
                   " to arrive, but got ", describe(sorted.results[i]->shape));
  return Status::success();
}

int64_t shiftSource(const OpTypes &types, int64_t device) {
  return types.axis()->neighbour(device, -types.intOr("by", 0));
}

/// Whether a shift sends a device anything: ranks before the first that it
/// reaches get zeros.
bool isReached(const OpTypes &types, int64_t device) {
  return types.axis()->rankOf(device) >= types.intOr("reaching", 0);
}

/// Zeros for all tensors of a shift, made once for all who are not reached.
Status shareZeros(OpRun &run) {
  int64_t bytes = 0;
  for (size_t i = 0; i < run.types.inputCount(); ++i)
    bytes = std::max(bytes, heldBytes(*run.types.input(i)));
  auto zeros = [&]() {
    StorageRef storage = Storage::allocate(bytes);
    if (storage)
      std::memset(storage->mutableData(), 0, bytes);
    return storage;
  };
  for (size_t i = 0; i < run.outputs.size(); ++i)
    if (Status status = run.shareOnce(i, zeros); !status)
      return status;
  return Status::success();
}

Status runShift(OpRun &run) {
  if (!isReached(run.types, run.device()))
    return shareZeros(run);
  int64_t source = shiftSource(run.types, run.device());
  for (size_t i = 0; i < run.outputs.size(); ++i)
    run.shareOutput(i, run.peer(source, i));
  return Status::success();
}

Status verifyAllGather(const OpTypes &types, const TransferTypes &sorted,
                       const MeshAxis &axis) {
  const Shape &shape = sorted.inputs[0]->shape;
  Result<Shape> gathered =
      gatheredShape(shape, types.dim("dim", shape.size()), axis.ranks());
  if (!gathered)
    return gathered.status();
  return expectArrival(sorted, *gathered);
}

/// All tensors that are sent, not the buffers they arrive in.
void shiftArrivals(const OpTypes &types, int64_t device,
                   std::vector<Arrival> &arrivals) {
  if (!isReached(types, device))
    return;
  for (size_t i = 0; i < types.inputCount(); ++i)
    if (types.input(i)->kind == ValueKind::Tensor)
      arrivals.push_back(
          {shiftSource(types, device), heldBytes(*types.input(i))});
}

std::vector<int64_t> allMembers(const OpTypes &types, int64_t device) {
  MeshAxis axis = *types.axis();
  std::vector<int64_t> members;
  for (int64_t rank = 0; rank < axis.ranks(); ++rank)
    members.push_back(axis.member(device, rank));
  return members;
}

void allToAllArrivals(const OpTypes &types, int64_t device,
                      std::vector<Arrival> &arrivals) {
  tradeArrivals(*types.input(0), allMembers(types, device), arrivals);
}

Status verifyAllToAll(const OpTypes &types, const TransferTypes &sorted,
                      const MeshAxis &axis) {
  const Shape &shape = sorted.inputs[0]->shape;
  Result<Shape> traded =
      tradedShape(shape, types.dim("split", shape.size()),
                  types.dim("concat", shape.size()), axis.ranks());
  if (!traded)
    return traded.status();
  return expectArrival(sorted, *traded);
}

Status runAllToAll(OpRun &run) {
  size_t rank = run.types.input(0)->shape.size();
  return tradeSplits(run, allMembers(run.types, run.device()),
                     run.types.axis()->rankOf(run.device()),
                     run.types.dim("split", rank),
                     run.types.dim("concat", rank), *run.types.output(0));
}

std::optional<TensorPieces> allToAllInPlace(const OpRun &run) {
  size_t rank = run.types.input(0)->shape.size();
  return tradesInPlace(run, allMembers(run.types, run.device()),
                       run.types.axis()->rankOf(run.device()),
                       run.types.dim("split", rank),
                       run.types.dim("concat", rank));
}

/// What the pieces that `piecesOf` lists bring from where.
template <std::vector<RowPiece> (*piecesOf)(const OpTypes &, int64_t)>
void arrivalsBy(const OpTypes &types, int64_t device,
                std::vector<Arrival> &arrivals) {
  const ValueType &from = *types.input(0);
  arrivalsOf(from, types.dim("dim", from.shape.size()), piecesOf(types, device),
             arrivals);
}

/// Where the rows lie that `piecesOf` lists.
template <std::vector<RowPiece> (*piecesOf)(const OpTypes &, int64_t)>
std::optional<TensorPieces> inPlaceBy(const OpRun &run) {
  return rowsInPlace(
      run, run.types.dim("dim", run.types.input(0)->shape.size()),
      piecesOf(run.types, run.device()), run.types.floatOr("fill", 0));
}

std::vector<RowPiece> partPieces(const OpTypes &types, int64_t device) {
  MeshAxis axis = *types.axis();
  std::vector<int64_t> parts = types.ints("parts");
  std::vector<RowPiece> pieces;
  int64_t row = 0;
  for (size_t i = 0; i < parts.size(); i += 4) {
    pieces.push_back({axis.neighbour(device, parts[i]), parts[i + 1],
                      parts[i + 3], row, 1, parts[i + 2]});
    row += parts[i + 2];
  }
  return pieces;
}

Status verifyGather(const OpTypes &types, const TransferTypes &sorted,
                    const MeshAxis &) {
  Shape shape = sorted.inputs[0]->shape;
  int64_t dim = types.dim("dim", shape.size());
  if (dim < 0)
    return error("expects a dimension of ", describe(shape));
  const std::vector<int64_t> &parts = types.ints("parts");
  if (parts.empty() || parts.size() % 4 != 0)
    return error("expects parts of 4 numbers each, but got ", parts.size());
  int64_t rows = 0;
  for (size_t i = 0; i < parts.size(); i += 4) {
    int64_t offset = parts[i + 1], size = parts[i + 2], stride = parts[i + 3];
    bool inside = offset >= 0 && offset < shape[dim] && size >= 1 &&
                  stride >= 1 && stride <= shape[dim] && size <= shape[dim] &&
                  offset + (size - 1) * stride < shape[dim];
    if (!inside)
      return error("expects parts within ", shape[dim], " rows, but got ", size,
                   " from ", offset, " by ", stride);
    rows += size;
  }
  shape[dim] = rows;
  return expectArrival(sorted, shape);
}

Status runGather(OpRun &run) {
  return assembleRows(
      run, run.types.dim("dim", run.types.input(0)->shape.size()),
      *run.types.output(0), partPieces(run.types, run.device()));
}

/// The numbers of one leg: source, offset, size, stride, at, step.
constexpr size_t kLegNumbers = 6;

/// The legs of all devices, or nothing where the list does not add up.
std::vector<std::vector<int64_t>> legsOf(const OpTypes &types) {
  std::vector<int64_t> numbers = types.ints("legs");
  std::vector<std::vector<int64_t>> legs;
  size_t next = 0;
  while (next < numbers.size()) {
    int64_t count = numbers[next++];
    if (count < 0 ||
        count > static_cast<int64_t>((numbers.size() - next) / kLegNumbers))
      return {};
    auto begin = numbers.begin() + static_cast<int64_t>(next);
    next += static_cast<size_t>(count) * kLegNumbers;
    legs.emplace_back(begin, numbers.begin() + static_cast<int64_t>(next));
  }
  return legs;
}

std::vector<RowPiece> routePieces(const OpTypes &types, int64_t device) {
  MeshAxis axis = *types.axis();
  std::vector<int64_t> legs = legsOf(types)[device];
  std::vector<RowPiece> pieces;
  for (size_t i = 0; i < legs.size(); i += kLegNumbers)
    pieces.push_back({axis.neighbour(device, legs[i]), legs[i + 1], legs[i + 3],
                      legs[i + 4], legs[i + 5], legs[i + 2]});
  return pieces;
}

Status verifyRoute(const OpTypes &types, const TransferTypes &sorted,
                   const MeshAxis &) {
  Shape shape = sorted.inputs[0]->shape;
  int64_t dim = types.dim("dim", shape.size());
  if (dim < 0 || sorted.results[0]->shape.size() != shape.size())
    return error("expects a dimension of ", describe(shape));
  int64_t from = shape[dim], into = sorted.results[0]->shape[dim];
  constexpr int64_t kMostRows = int64_t(1) << 24;
  if (into > kMostRows)
    return error("expects at most ", kMostRows, " rows, but got ", into);
  std::vector<std::vector<int64_t>> legs = legsOf(types);
  if (static_cast<int64_t>(legs.size()) != types.deviceCount())
    return error("expects legs for ", types.deviceCount(),
                 " devices, but got them for ", legs.size());
  auto inside = [](int64_t first, int64_t size, int64_t step, int64_t rows) {
    return first >= 0 && first < rows && size >= 1 && step >= 1 &&
           size - 1 <= (rows - 1 - first) / step;
  };
  for (const std::vector<int64_t> &own : legs) {
    std::vector<bool> taken(into, false);
    for (size_t i = 0; i < own.size(); i += kLegNumbers) {
      int64_t size = own[i + 2], at = own[i + 4], step = own[i + 5];
      if (!inside(own[i + 1], size, own[i + 3], from) ||
          !inside(at, size, step, into))
        return error("expects legs from ", from, " rows to ", into,
                     " rows, but got ", size, " from ", own[i + 1], " to ", at);
      for (int64_t row = at; row <= at + (size - 1) * step; row += step) {
        if (taken[row])
          return error("expects one leg to a row, but got two to row ", row);
        taken[row] = true;
      }
    }
  }
  shape[dim] = into;
  return expectArrival(sorted, shape);
}

Status runRoute(OpRun &run) {
  const ValueType &into = *run.types.output(0);
  int64_t dim = run.types.dim("dim", into.shape.size());
  std::vector<RowPiece> pieces = routePieces(run.types, run.device());
  int64_t brought = 0, count = elementCount(into.shape);
  for (const RowPiece &piece : pieces)
    brought += piece.count;
  if (brought < into.shape[dim]) {
    std::vector<float> fill(into.shape.back(),
                            static_cast<float>(run.types.floatOr("fill", 0)));
    int64_t columns = into.shape.back();
    for (int64_t i = 0; i < count; i += columns)
      storeNumbers(run.output(0), heldElement(into.element), i, fill.data(),
                   columns);
  }
  return assembleRows(run, dim, into, pieces);
}

/// Where each of a device's rows comes from, with neighbours joined. Example,
/// 16 positions over 4 ranks from contiguous to zigzag, rank 1: rows 0 and 1
/// are positions 2 and 3, rows 2 and 3 of rank 0; rows 2 and 3 are positions 12
/// and 13, rows 0 and 1 of rank 3.
std::vector<RowPiece> relayoutPieces(const OpTypes &types, int64_t device) {
  MeshAxis axis = *types.axis();
  SequenceLayout from = *types.layout("from"), to = *types.layout("to");
  std::vector<RowPiece> pieces;
  int64_t row = 0;
  for (const PositionRange &range : to.positionsOf(axis.rankOf(device)))
    for (int64_t i = 0; i < range.size; ++i, ++row) {
      auto [rank, sourceRow] = from.locate(range.begin + i * range.stride);
      int64_t source = axis.member(device, rank);
      if (!pieces.empty()) {
        RowPiece &last = pieces.back();
        int64_t step = sourceRow - last.fromRow;
        if (last.source == source && last.count == 1 && step > 0)
          last.fromStep = step;
        if (last.source == source &&
            last.fromRow + last.count * last.fromStep == sourceRow) {
          ++last.count;
          continue;
        }
      }
      pieces.push_back({source, sourceRow, 1, row, 1, 1});
    }
  return pieces;
}

Status verifyRelayout(const OpTypes &types, const TransferTypes &sorted,
                      const MeshAxis &axis) {
  const Shape &shape = sorted.inputs[0]->shape;
  int64_t dim = types.dim("dim", shape.size());
  if (dim < 0)
    return error("expects a dimension of ", describe(shape));
  Result<SequenceLayout> from = types.layout("from");
  if (!from)
    return from.status();
  Result<SequenceLayout> to = types.layout("to");
  if (!to)
    return to.status();
  if (from->length != to->length || from->offset != to->offset ||
      from->ranks != axis.ranks() || to->ranks != axis.ranks())
    return error("expects layouts of the same positions over ", axis.ranks(),
                 " ranks");
  if (shape[dim] != from->shardLength())
    return error("expects ", from->shardLength(), " rows, but got ",
                 shape[dim]);
  return expectArrival(sorted, shape);
}

Status runRelayout(OpRun &run) {
  return assembleRows(
      run, run.types.dim("dim", run.types.input(0)->shape.size()),
      *run.types.output(0), relayoutPieces(run.types, run.device()));
}

Op makeOp(const Transfer &transfer, bool starts) {
  Op op;
  op.name = std::string("ring.") + (starts ? "start_" : "") + transfer.name;
  int fewest = starts ? 2 : 1;
  op.signature.inputs = {fewest, transfer.variadic ? kVariadic : fewest};
  op.signature.outputs.most = transfer.variadic && !starts ? kVariadic : 1;
  op.signature.attributes = withAxis(transfer.attributes);
  op.role = starts ? Op::Role::Start : Op::Role::Compute;
  op.access.shares = transfer.shares;
  op.access.moves = true;
  op.signature.verify = [transfer, starts](const OpTypes &types) {
    TransferTypes sorted;
    if (Status status = sortOperands(types, starts, sorted); !status)
      return status;
    Result<MeshAxis> axis = types.axis();
    if (!axis)
      return axis.status();
    return transfer.verify(types, sorted, *axis);
  };
  op.run = transfer.run;
  op.exchange = OpExchange(transfer.arrivals, transfer.carriage);
  if (transfer.inPlace)
    leaveInPlace(op, transfer.inPlace);
  if (transfer.carriage == Carriage::AllGather)
    shareGathered(op);
  return op;
}

} // namespace

void registerTransferOps(OpTable &table) {
  constexpr AttributeKind kInt = AttributeKind::Int;
  constexpr AttributeKind kInts = AttributeKind::Ints;
  Transfer shift = {"shift",      true,
                    true,         {{"by", kInt, true}, {"reaching", kInt}},
                    verifyShift,  runShift,
                    shiftArrivals};
  Transfer allGather = {"all_gather",
                        false,
                        false,
                        {{"dim", kInt, true}},
                        verifyAllGather,
                        runAllGather,
                        allGatherArrivals,
                        Carriage::AllGather,
                        allGatherInPlace};
  Transfer allToAll = {"all_to_all",
                       false,
                       false,
                       {{"split", kInt, true}, {"concat", kInt, true}},
                       verifyAllToAll,
                       runAllToAll,
                       allToAllArrivals,
                       Carriage::AllToAll,
                       allToAllInPlace};
  Transfer gather = {"gather",
                     false,
                     false,
                     {{"dim", kInt, true}, {"parts", kInts, true}},
                     verifyGather,
                     runGather,
                     arrivalsBy<partPieces>,
                     Carriage::Direct,
                     inPlaceBy<partPieces>};
  Transfer route = {"route",
                    false,
                    false,
                    {{"dim", kInt, true},
                     {"legs", kInts, true},
                     {"fill", AttributeKind::Float}},
                    verifyRoute,
                    runRoute,
                    arrivalsBy<routePieces>,
                    Carriage::Direct,
                    inPlaceBy<routePieces>};
  for (const Transfer &transfer : {shift, allGather, allToAll, gather, route}) {
    table.add(makeOp(transfer, /*starts=*/false));
    table.add(makeOp(transfer, /*starts=*/true));
  }
  table.add(
      makeOp({"relayout",
              false,
              false,
              {{"dim", kInt, true}, {"from", kInts, true}, {"to", kInts, true}},
              verifyRelayout,
              runRelayout,
              arrivalsBy<relayoutPieces>,
              Carriage::Direct,
              inPlaceBy<relayoutPieces>},
             /*starts=*/false));
}

} // namespace ring::rt
