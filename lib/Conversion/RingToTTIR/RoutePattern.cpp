// SPDX-License-Identifier: Apache-2.0
// Rows that are fetched by list. TTIR has one program for all devices, so what
// differs between them is a constant with the numbers of each device's rows, of
// which `mesh_partition` cuts its own and `embedding` takes the rows.

#include "DeviceChoice.h"
#include "Patterns.h"
#include "ring/Dialect/Ring/IR/RingOps.h"

#include <map>

namespace mlir::ring {
namespace {

/// Slices that are written out before a list of numbers takes their place.
constexpr size_t kMostSlices = 32;

/// Numbers of rows, a list for each device, all of the same length.
using RowLists = SmallVector<SmallVector<int32_t>>;

/// What a device gets from one rank: by device, the rows of the sender in the
/// order in which they are taken.
struct Delivery {
  RowLists rows;
  int64_t most = 0;
};

class RouteWriter {
public:
  RouteWriter(OpBuilder &builder, RouteOp op, Value input)
      : builder(builder), op(op), tensors(builder, op.getLoc()), input(input),
        axis(op.getAxis()), dim(op.getDim()),
        held(TTIRBuilder::typeOf(input).getDimSize(dim)),
        rows(TTIRBuilder::typeOf(op.getResult()).getDimSize(dim)) {}

  Value write() {
    if (std::optional<SmallVector<LegAttr>> legs = sameSlices())
      return writeSlices(*legs);
    return writeLists();
  }

private:
  std::optional<SmallVector<LegAttr>> sameSlices();
  Value writeSlices(ArrayRef<LegAttr> legs);
  Value writeLists();
  Value toRows(Value tensor);
  Value fromRows(Value table, int64_t count);
  Value take(Value table, const RowLists &lists);
  Value numbersOf(const RowLists &lists);

  OpBuilder &builder;
  RouteOp op;
  TTIRBuilder tensors;
  Value input;
  AxisAttr axis;
  int64_t dim, held, rows;
};

/// The legs, if they are few, the same on every device, stay on it and fill the
/// result from the first row to the last.
std::optional<SmallVector<LegAttr>> RouteWriter::sameSlices() {
  if (!llvm::all_equal(op.getLegs()))
    return std::nullopt;
  auto list = cast<ArrayAttr>(op.getLegs()[0]);
  if (list.size() > kMostSlices)
    return std::nullopt;
  SmallVector<LegAttr> legs(list.getAsRange<LegAttr>());
  llvm::sort(legs, [](LegAttr a, LegAttr b) { return a.getAt() < b.getAt(); });
  int64_t next = 0;
  for (LegAttr leg : legs) {
    if (leg.getSource() % axis.getRanks() != 0 || leg.getAt() != next ||
        leg.getStep() != 1)
      return std::nullopt;
    next += leg.getSize();
  }
  if (next != rows)
    return std::nullopt;
  return legs;
}

Value RouteWriter::writeSlices(ArrayRef<LegAttr> legs) {
  SmallVector<Value> pieces;
  for (LegAttr leg : legs) {
    int64_t last = leg.getOffset() + (leg.getSize() - 1) * leg.getStride();
    pieces.push_back(
        tensors.slice(input, dim, leg.getOffset(), last + 1, leg.getStride()));
  }
  return tensors.concat(pieces, dim);
}

/// A table whose rows are those of `dim`.
Value RouteWriter::toRows(Value tensor) {
  RankedTensorType type = TTIRBuilder::typeOf(tensor);
  SmallVector<int64_t> order{dim};
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (i != dim)
      order.push_back(i);
  int64_t count = type.getDimSize(dim);
  return tensors.reshape(tensors.permute(tensor, order),
                         {count, type.getNumElements() / count});
}

Value RouteWriter::fromRows(Value table, int64_t count) {
  RankedTensorType type = TTIRBuilder::typeOf(input);
  SmallVector<int64_t> shape{count}, back(type.getRank());
  back[dim] = 0;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (i != dim) {
      back[i] = shape.size();
      shape.push_back(type.getDimSize(i));
    }
  return tensors.permute(tensors.reshape(table, shape), back);
}

/// This device's list: the whole table has the axes of the mesh first, where it
/// can be cut whatever its tiles are.
Value RouteWriter::numbersOf(const RowLists &lists) {
  Type i32 = builder.getI32Type();
  int64_t count = lists.front().size();
  if (llvm::all_equal(lists))
    return tensors.constant(
        DenseElementsAttr::get(RankedTensorType::get({1, count}, i32),
                               ArrayRef<int32_t>(lists.front())));
  SmallVector<int32_t> all;
  for (const SmallVector<int32_t> &list : lists)
    all.append(list);
  ArrayRef<int64_t> mesh = axis.getMesh();
  SmallVector<int64_t> shape(mesh);
  shape.append({1, count});
  Value numbers = tensors.constant(DenseElementsAttr::get(
      RankedTensorType::get(shape, i32), ArrayRef<int32_t>(all)));
  for (auto [index, size] : llvm::enumerate(mesh))
    if (size > 1)
      numbers = tensors.meshPartition(numbers, index, index, size);
  return tensors.reshape(numbers, {1, count});
}

Value RouteWriter::take(Value table, const RowLists &lists) {
  int64_t count = lists.front().size();
  Value taken = tensors.embedding(numbersOf(lists), table);
  return tensors.reshape(taken,
                         {count, TTIRBuilder::typeOf(table).getDimSize(1)});
}

/// Who sends takes the rows of the one it sends to, as many as the one that
/// gets most; whoever is sent to gets them behind its own:
///
///   own rows | from source 1 | from source 2 | a row to fill up with
///
/// and takes its result out of all of these.
Value RouteWriter::writeLists() {
  int64_t ranks = axis.getRanks(), devices = axis.getNumDevices();
  std::map<int64_t, Delivery> bySource;
  // Where a row of the result comes from: source, and number of the delivery.
  SmallVector<SmallVector<std::pair<int64_t, int32_t>>> origins(devices);
  constexpr int64_t kFill = -1;
  for (int64_t device = 0; device < devices; ++device) {
    origins[device].assign(rows, {kFill, 0});
    for (LegAttr leg :
         cast<ArrayAttr>(op.getLegs()[device]).getAsRange<LegAttr>()) {
      int64_t source = (leg.getSource() % ranks + ranks) % ranks;
      Delivery &delivery = bySource[source];
      delivery.rows.resize(devices);
      for (int64_t i = 0; i < leg.getSize(); ++i) {
        int32_t row = leg.getOffset() + i * leg.getStride();
        SmallVector<int32_t> &list = delivery.rows[device];
        origins[device][leg.getAt() + i * leg.getStep()] = {
            source, source == 0 ? row : static_cast<int32_t>(list.size())};
        list.push_back(row);
      }
      delivery.most =
          std::max<int64_t>(delivery.most, delivery.rows[device].size());
    }
  }

  Value own = toRows(input);
  int64_t width = TTIRBuilder::typeOf(own).getDimSize(1);
  SmallVector<Value> tables{own};
  std::map<int64_t, int64_t> begins{{0, 0}};
  int64_t next = held;
  for (auto &[source, delivery] : bySource) {
    if (source == 0)
      continue;
    // By sender now, and only those who are read from are named.
    RowLists sent(devices, SmallVector<int32_t>(delivery.most, 0));
    SmallVector<std::pair<int64_t, int64_t>> pairs;
    for (int64_t device = 0; device < devices; ++device) {
      const SmallVector<int32_t> &list = delivery.rows[device];
      int64_t sender = axis.neighbour(device, source);
      llvm::copy(list, sent[sender].begin());
      if (!list.empty())
        pairs.push_back({sender, device});
    }
    tables.push_back(
        tensors.collectivePermute(take(own, sent), pairs, devices));
    begins[source] = next;
    next += delivery.most;
  }
  begins[kFill] = next;
  tables.push_back(
      tensors.full({1, width}, TTIRBuilder::typeOf(own).getElementType(),
                   op.getFill() ? op.getFill()->convertToFloat() : 0.0f));

  RowLists places(devices);
  for (int64_t device = 0; device < devices; ++device)
    for (auto [source, number] : origins[device])
      places[device].push_back(begins.at(source) + number);
  return fromRows(take(tensors.concat(tables, 0), places), rows);
}

/// ring.route -> slices where they are few and the same on every device, else
///   %sent = embedding(numbers of the rows that I send, own rows)
///   %came = collective_permute(%sent), for each distance
///   embedding(numbers of my rows, concat(own rows, %came, ..., fill))
struct LowerRoute : OpConversionPattern<RouteOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(RouteOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type element = op.getInput().getType().getElementType();
    TTIRBuilder tensors(rewriter, op.getLoc());
    // Rows of block floats are moved as numbers that have all their bits.
    Value input = adaptor.getInput();
    if (!isa<Float32Type, BFloat16Type>(element))
      input = tensors.typecast(input, tensors.bf16());
    Value rows = RouteWriter(rewriter, op, input).write();
    rewriter.replaceOp(op, tensors.typecast(rows, element));
    return success();
  }
};

} // namespace

void populateRoutePatterns(RewritePatternSet &patterns) {
  patterns.add<LowerRoute>(patterns.getContext());
}

} // namespace mlir::ring
