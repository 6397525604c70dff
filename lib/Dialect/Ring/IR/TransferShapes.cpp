// SPDX-License-Identifier: Apache-2.0
// The shape that arrives and the bytes that move, for every kind of transfer.

#include "TransferShapes.h"
#include "mlir/IR/Diagnostics.h"
#include "ring/Dialect/Ring/IR/RouteTransfers.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/MathExtras.h"

#include <map>

namespace mlir::ring {

int64_t sizeInBytes(RankedTensorType type) {
  Type element = type.getElementType();
  int64_t elements = type.getNumElements();
  std::string text;
  llvm::raw_string_ostream(text) << element;
  // Block floats come in tiles of 32 x 32: 64 exponents, then the mantissas.
  // They are asked for first: a tile says that it is a float of 16 bits.
  bool eightBits = StringRef(text).contains("bfp_bf8");
  if (eightBits || StringRef(text).contains("bfp_bf4")) {
    int64_t rank = type.getRank();
    int64_t columns = rank > 0 ? type.getDimSize(rank - 1) : 1;
    int64_t rows = rank > 1 ? type.getDimSize(rank - 2) : 1;
    int64_t tiles = llvm::divideCeil(rows, 32) * llvm::divideCeil(columns, 32);
    return elements / (rows * columns) * tiles * (eightBits ? 1088 : 576);
  }
  if (element.isIntOrFloat())
    return elements * ((element.getIntOrFloatBitWidth() + 7) / 8);
  return elements * (StringRef(text).contains("32>") ? 4 : 2);
}

/// Checks that `dim` is a dimension of `type`.
static LogicalResult verifyDim(Operation *op, RankedTensorType type,
                               StringRef what, int64_t dim) {
  if (dim >= 0 && dim < type.getRank())
    return success();
  return op->emitOpError("expects ")
         << what << " of a " << type.getRank() << "-D tensor, but got " << dim;
}

/// Multiplies a dimension by the ranks, unless no tensor can be that large.
static LogicalResult multiplyDim(Operation *op, int64_t &size, int64_t ranks) {
  int64_t product;
  if (llvm::MulOverflow(size, ranks, product))
    return op->emitOpError("expects the shards of ")
           << ranks << " ranks to fit one dimension, but got " << size
           << " rows each";
  size = product;
  return success();
}

/// Checks that what arrives is `input` with another shape.
static LogicalResult verifyArrived(Operation *op, RankedTensorType input,
                                   ArrayRef<int64_t> shape,
                                   RankedTensorType arrived) {
  RankedTensorType expected =
      RankedTensorType::get(shape, input.getElementType());
  if (arrived.getShape() == shape &&
      arrived.getElementType() == input.getElementType())
    return success();
  return op->emitOpError("expects ")
         << expected << " to arrive, but got " << arrived;
}

LogicalResult verifyAllGather(Operation *op, RankedTensorType input,
                              RankedTensorType arrived, int64_t dim,
                              AxisAttr axis) {
  if (failed(verifyDim(op, input, "dim", dim)))
    return failure();
  SmallVector<int64_t> shape(input.getShape());
  if (failed(multiplyDim(op, shape[dim], axis.getRanks())))
    return failure();
  return verifyArrived(op, input, shape, arrived);
}

LogicalResult verifyAllToAll(Operation *op, RankedTensorType input,
                             RankedTensorType arrived, int64_t split,
                             int64_t concat, AxisAttr axis) {
  if (failed(verifyDim(op, input, "split", split)) ||
      failed(verifyDim(op, input, "concat", concat)))
    return failure();
  if (split == concat)
    return op->emitOpError("expects split and concat to differ, but got ")
           << split << " for both";
  SmallVector<int64_t> shape(input.getShape());
  if (shape[split] % axis.getRanks() != 0)
    return op->emitOpError("expects ")
           << axis.getRanks()
           << " ranks to divide the split dimension, but got " << shape[split];
  shape[split] /= axis.getRanks();
  if (failed(multiplyDim(op, shape[concat], axis.getRanks())))
    return failure();
  return verifyArrived(op, input, shape, arrived);
}

LogicalResult verifyGather(Operation *op, RankedTensorType input,
                           RankedTensorType arrived, int64_t dim,
                           ArrayAttr parts) {
  if (failed(verifyDim(op, input, "dim", dim)))
    return failure();
  if (parts.empty())
    return op->emitOpError("expects at least one part");
  SmallVector<int64_t> shape(input.getShape());
  int64_t rows = shape[dim];
  shape[dim] = 0;
  for (PartAttr part : parts.getAsRange<PartAttr>()) {
    // offset + (size - 1) * stride < rows, said without a product or a sum
    // that could overflow.
    bool within =
        part.getOffset() < rows &&
        part.getSize() - 1 <= (rows - 1 - part.getOffset()) / part.getStride();
    if (!within)
      return op->emitOpError("expects parts within ")
             << rows << " rows, but got " << part;
    if (llvm::AddOverflow(shape[dim], part.getSize(), shape[dim]))
      return op->emitOpError("expects parts that fit one dimension, but got ")
             << parts.size() << " parts of up to " << rows << " rows";
  }
  return verifyArrived(op, input, shape, arrived);
}

/// Whether `size` rows from `first` on, every `step`-th, are among `rows`; said
/// without a product or a sum that could overflow.
static bool isWithin(int64_t first, int64_t size, int64_t step, int64_t rows) {
  return first < rows && size - 1 <= (rows - 1 - first) / step;
}

LogicalResult verifyRoute(Operation *op, RankedTensorType input,
                          RankedTensorType arrived, int64_t dim, ArrayAttr legs,
                          AxisAttr axis) {
  if (failed(verifyDim(op, input, "dim", dim)))
    return failure();
  if (static_cast<int64_t>(legs.size()) != axis.getNumDevices())
    return op->emitOpError("expects a list of legs for each of ")
           << axis.getNumDevices() << " devices, but got " << legs.size();
  SmallVector<int64_t> shape(input.getShape());
  if (arrived.getRank() == input.getRank())
    shape[dim] = arrived.getDimSize(dim);
  if (failed(verifyArrived(op, input, shape, arrived)))
    return failure();
  constexpr int64_t kMostRows = int64_t(1) << 24;
  if (shape[dim] > kMostRows)
    return op->emitOpError("expects at most ")
           << kMostRows << " rows to arrive, but got " << shape[dim];
  for (auto [device, list] : llvm::enumerate(legs)) {
    llvm::SmallBitVector taken(shape[dim]);
    for (LegAttr leg : cast<ArrayAttr>(list).getAsRange<LegAttr>()) {
      if (!isWithin(leg.getOffset(), leg.getSize(), leg.getStride(),
                    input.getDimSize(dim)) ||
          !isWithin(leg.getAt(), leg.getSize(), leg.getStep(), shape[dim]))
        return op->emitOpError("expects legs from ")
               << input.getDimSize(dim) << " rows to " << shape[dim]
               << " rows, but got " << leg << " on device " << device;
      for (int64_t i = 0; i < leg.getSize(); ++i) {
        int64_t row = leg.getAt() + i * leg.getStep();
        if (taken.test(row))
          return op->emitOpError(
                     "expects one leg to a row, but got two to row ")
                 << row << " on device " << device;
        taken.set(row);
      }
    }
  }
  return success();
}

LogicalResult verifyReaching(Operation *op, IntegerAttr reaching,
                             AxisAttr axis) {
  if (!reaching ||
      (reaching.getInt() > 0 && reaching.getInt() < axis.getRanks()))
    return success();
  return op->emitOpError("expects to reach ranks from one of 1 to ")
         << axis.getRanks() - 1 << " on, but got " << reaching.getInt();
}

SmallVector<Transfer> shiftTransfers(TypeRange inputs, int64_t by,
                                     AxisAttr axis) {
  if (by % axis.getRanks() == 0)
    return {};
  int64_t bytes = 0;
  for (Type input : inputs)
    bytes += sizeInBytes(cast<RankedTensorType>(input));
  return {{-(by % axis.getRanks()), bytes}};
}

/// One transfer of `bytes` from each of the other ranks.
static SmallVector<Transfer> fromAllOthers(int64_t bytes, AxisAttr axis) {
  SmallVector<Transfer> transfers;
  for (int64_t source = 1; source < axis.getRanks(); ++source)
    transfers.push_back({source, bytes});
  return transfers;
}

SmallVector<Transfer> allGatherTransfers(RankedTensorType input,
                                         AxisAttr axis) {
  return fromAllOthers(sizeInBytes(input), axis);
}

SmallVector<Transfer> allToAllTransfers(RankedTensorType input, AxisAttr axis) {
  return fromAllOthers(sizeInBytes(input) / axis.getRanks(), axis);
}

SmallVector<Transfer> gatherTransfers(RankedTensorType input, int64_t dim,
                                      ArrayAttr parts, AxisAttr axis) {
  int64_t rowBytes = sizeInBytes(input) / input.getDimSize(dim);
  std::map<int64_t, int64_t> bytesBySource;
  for (PartAttr part : parts.getAsRange<PartAttr>())
    if (part.getSource() % axis.getRanks() != 0)
      bytesBySource[part.getSource()] += part.getSize() * rowBytes;
  SmallVector<Transfer> transfers;
  for (auto [source, bytes] : bytesBySource)
    transfers.push_back({source, bytes});
  return transfers;
}

SmallVector<Transfer> transfersAlong(ArrayAttr legs, RankedTensorType input,
                                     int64_t dim, AxisAttr axis) {
  int64_t rowBytes = sizeInBytes(input) / input.getDimSize(dim);
  int64_t ranks = axis.getRanks();
  std::map<int64_t, int64_t> rows;
  for (LegAttr leg : legs.getAsRange<LegAttr>())
    if (int64_t source = (leg.getSource() % ranks + ranks) % ranks)
      rows[source] += leg.getSize();
  SmallVector<Transfer> transfers;
  for (auto [source, count] : rows)
    transfers.push_back({source, count * rowBytes});
  return transfers;
}

SmallVector<Transfer> routeTransfers(RankedTensorType input, int64_t dim,
                                     ArrayAttr legs, AxisAttr axis) {
  SmallVector<Transfer> busiest;
  int64_t most = 0;
  for (ArrayAttr list : legs.getAsRange<ArrayAttr>()) {
    SmallVector<Transfer> transfers = transfersAlong(list, input, dim, axis);
    int64_t bytes = 0;
    for (const Transfer &transfer : transfers)
      bytes += transfer.bytes;
    if (bytes > most)
      busiest = std::move(transfers);
    most = std::max(most, bytes);
  }
  return busiest;
}

} // namespace mlir::ring
