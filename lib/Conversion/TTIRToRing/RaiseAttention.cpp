// SPDX-License-Identifier: Apache-2.0
// An attention of TTIR becomes ring.attention.

#include "RaiseAttention.h"
#include "ColumnsOfKeys.h"
#include "DeviceValues.h"
#include "MaskMeaning.h"
#include "RaiseSteps.h"
#include "SequenceGathers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "ring/Dialect/Ring/IR/Dilation.h"
#include "ring/Dialect/Ring/IR/RingOps.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"
#include "llvm/ADT/SetVector.h"

#include <tuple>

namespace mlir::ring {
namespace {

namespace ttir = mlir::tt::ttir;

constexpr int64_t kHeads = 1, kRows = kRowsDim, kColumns = 3;
/// Columns of sdpa_fw's intermediates; the first holds the log-sum-exp.
constexpr int64_t kIntermediateColumns = 32;

/// How the sequence reaches the attention.
enum class Arrival { Whole, Gathered, HeadsTraded, KeysGathered };

/// How joint tokens reach it: as they are, all gathered from shares, or the
/// keys gathered and the queries a share.
enum class JointArrival { AsTheyAre, Gathered, KeysGathered };

RankedTensorType typeOf(Value value) { return TTIRBuilder::typeOf(value); }

int64_t rowsOf(Value tensor) { return typeOf(tensor).getDimSize(kRows); }

SmallVector<int64_t> withSize(RankedTensorType type, int64_t dim,
                              int64_t size) {
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size;
  return shape;
}

class Raising {
public:
  Raising(SourceAttention given, ParallelAttr parallel)
      : source(std::move(given)), parallel(parallel), builder(source.op),
        tensors(builder, source.op->getLoc()) {}

  /// Decides first, then writes: an attention that stays costs no op.
  bool run() {
    if (!canBeRaised(source))
      return false;
    findColumns();
    if (!findArrival() || !findJoint() || !findParallel() || !fits())
      return false;
    writeOperands();
    writeJoint();
    Value added = writeMask();
    AttentionOp attention = writeAttention();
    // What only led to tensors that took others' place. Nothing uses these ops,
    // so that none of them goes with another.
    llvm::SmallSetVector<Operation *, 4> unused;
    for (Value tensor : {source.query, source.key, source.value, added})
      if (Operation *op = tensor ? tensor.getDefiningOp() : nullptr;
          op && isOpTriviallyDead(op))
        unused.insert(op);
    replace(attention);
    for (Operation *op : unused)
      eraseWithProducers(op, source.parts);
    return true;
  }

private:
  /// Whole keys and values before all but the first rows were cut off.
  struct Padded {
    RowTrace key, value;

    std::pair<Value, Value> repeat(OpBuilder &builder) const {
      Value keys = key.repeat(builder, key.from.tensor);
      return {keys, key.tensor() == value.tensor()
                        ? keys
                        : value.repeat(builder, value.from.tensor)};
    }
  };

  bool leave(const Twine &reason) { return leaveAsItIs(source.op, reason); }

  void findColumns();
  bool findArrival();
  bool findTrade();
  std::optional<Padded> findPadded(Value query, Value key, Value value);
  bool findJoint();
  bool findParallel();
  bool fits();

  void writeOperands();
  void writeJoint();
  MaskMeaning meaningOf(Value added, bool ofAllRows);
  Value writeMask();
  void fitMask(bool ofAllRows);
  AttentionOp writeAttention();
  void replace(AttentionOp attention);
  Value likeSource(Value whole, const std::optional<GatheredRows> &gathered,
                   bool isShare, Value like);

  bool isGathered() const { return arrival != Arrival::Whole; }
  /// The tensor that has the values.
  Value valueSource() const { return source.value ? source.value : source.key; }

  SourceAttention source;
  ParallelAttr parallel;
  OpBuilder builder;
  TTIRBuilder tensors;

  Arrival arrival = Arrival::Whole;
  JointArrival joint = JointArrival::AsTheyAre;
  /// Where rows come from; of a query that is a shard already, nothing.
  std::optional<GatheredRows> query, key, value, jointQuery, jointKey,
      jointValue;
  std::optional<Padded> padded, paddedJoint;
  int64_t axis = 0, ranks = 1;
  /// Rows of the whole tensors, and which of the keys are no padding.
  int64_t queries = 0, keys = 0;
  std::optional<int64_t> length, jointLength;

  Value wholeQuery, wholeKey, wholeValue, wholeJointQuery, wholeJointKey,
      wholeJointValue, mask, sink;
};

//===----------------------------------------------------------------------===//
// How it arrives
//===----------------------------------------------------------------------===//

/// Values that are columns of the keys are had from them, however the keys
/// arrive.
void Raising::findColumns() {
  if (!source.value || isa_and_nonnull<DilatedAttr>(source.pattern))
    return;
  if (auto columns = columnsOfKeys(source.key, source.value)) {
    source.valueColumns = *columns;
    source.value = {};
  }
}

/// P1 to P3 show in the operands; P4 only in an annotation.
bool Raising::findArrival() {
  query = GatheredRows::ofGather(source.query);
  key = GatheredRows::ofGather(source.key);
  value = GatheredRows::ofGather(valueSource());
  queries = rowsOf(source.query);
  keys = rowsOf(source.key);
  if (!key || !value || key->axis() != value->axis())
    return findTrade();
  axis = key->axis();
  ranks = key->ranks();
  keys = key->rows();
  if (value->rows() != keys || value->ranks() != ranks)
    return leave("keys and values that are gathered from shards of different "
                 "sizes");
  if (key->isCut())
    length = key->kept();
  arrival = Arrival::KeysGathered;
  if (query && query->axis() == axis && query->ranks() == ranks) {
    arrival = Arrival::Gathered;
    queries = query->rows();
  } else {
    queries *= ranks;
  }
  return true;
}

bool Raising::findTrade() {
  std::optional<GatheredRows> trade = GatheredRows::ofHeadTrade(source.query);
  if (!trade) {
    padded = findPadded(source.query, source.key, valueSource());
    if (padded) {
      length = keys;
      keys = queries;
    }
    return true;
  }
  key = GatheredRows::ofHeadTrade(source.key);
  value = GatheredRows::ofHeadTrade(valueSource());
  if (!key || !value || key->axis() != trade->axis() ||
      value->axis() != trade->axis())
    return leave("only some of query, key and value are traded for heads");
  ArrayRef<int64_t> output = typeOf(source.output).getShape();
  if (!source.outputOrder.empty() || output.size() != 4 ||
      output.take_front(3) != typeOf(source.query).getShape().take_front(3))
    return leave("traded heads beside an output of another form");
  query = trade;
  arrival = Arrival::HeadsTraded;
  axis = trade->axis();
  ranks = trade->ranks();
  return true;
}

/// Keys and values of a padded sequence, from which the padding was cut off
/// again: with a length in place of the slice all rows stay where they are.
std::optional<Raising::Padded> Raising::findPadded(Value query, Value key,
                                                   Value value) {
  auto isPadded = [&](Rows at) { return at.size() == rowsOf(query); };
  auto keys = RowTrace::find({key, kRows}, isPadded),
       values = RowTrace::find({value, kRows}, isPadded);
  if (!keys || !values || keys->made.empty() || values->made.empty())
    return std::nullopt;
  return Padded{std::move(*keys), std::move(*values)};
}

/// How joint tokens arrive beside a sequence that does as `arrival` says.
bool Raising::findJoint() {
  if (!source.jointQuery)
    return true;
  if (arrival == Arrival::HeadsTraded)
    return leave("joint tokens beside traded heads");
  auto gathered = [&](Value tensor) {
    std::optional<GatheredRows> found = GatheredRows::ofGather(tensor);
    return found && isGathered() && found->axis() == axis ? found
                                                          : std::nullopt;
  };
  jointQuery = gathered(source.jointQuery);
  jointKey = gathered(source.jointKey);
  jointValue = gathered(source.jointValue);
  if (!jointQuery && !jointKey && !jointValue) {
    paddedJoint =
        findPadded(source.jointQuery, source.jointKey, source.jointValue);
    if (paddedJoint)
      jointLength = rowsOf(source.jointKey);
    else if (rowsOf(source.jointKey) != rowsOf(source.jointQuery))
      return leave("joint queries and joint keys of different numbers");
    return true;
  }
  if (!jointKey || !jointValue)
    return leave("only some of the joint tokens are gathered");
  int64_t rows =
      jointQuery ? jointQuery->rows() : ranks * rowsOf(source.jointQuery);
  if (jointKey->rows() != rows || jointValue->rows() != rows)
    return leave("joint tokens that are gathered from shares of different "
                 "sizes");
  joint = jointQuery ? JointArrival::Gathered : JointArrival::KeysGathered;
  if (jointKey->isCut())
    jointLength = jointKey->kept();
  return true;
}

bool Raising::findParallel() {
  if (isGathered()) {
    parallel = ParallelAttr::get(source.op->getContext(), axis, std::nullopt,
                                 joint == JointArrival::AsTheyAre
                                     ? JointPlacement::Replicated
                                     : JointPlacement::Sharded);
    return true;
  }
  if (!parallel) {
    for (Value tensor : {source.key, valueSource()})
      if (std::string why = GatheredRows::obstacleTo(tensor); !why.empty())
        return leave(why);
    return leaveUnparallel(source.op);
  }
  // An annotation speaks of whole tensors.
  if (areOnDevices({source.query, source.key, valueSource()}))
    return leaveOnDevices(source.op);
  return true;
}

/// Whether the ring op takes it.
bool Raising::fits() {
  auto dilated = dyn_cast_or_null<DilatedAttr>(source.pattern);
  if (dilated && arrival != Arrival::Whole && arrival != Arrival::Gathered)
    return leave("a dilated pattern over some of the rows or heads");
  if (dilated && (length || (query && query->isCut())))
    return leave("a dilated pattern over some of the gathered rows");
  auto documents = dyn_cast_or_null<DocumentsAttr>(source.pattern);
  if (documents && arrival != Arrival::Whole && arrival != Arrival::Gathered)
    return leave("packed documents over some of the rows or heads");
  if (source.pattern && queries != keys)
    return leave("gathered keys beside queries that are all there");
  if (dilated && misfitOf(dilated, keys))
    return leave("segments that do not fit the sequence");
  if (documents && documents.getValue().misfitOf(keys))
    return leave("documents that end behind the sequence");
  if (!source.length)
    return true;
  if (source.length.getInt() < 1 || source.length.getInt() > keys)
    return leave("a length that is none of the sequence's");
  length = source.length.getInt();
  return true;
}

//===----------------------------------------------------------------------===//
// Whole tensors: those of the host, or what every device gathers
//===----------------------------------------------------------------------===//

void Raising::writeOperands() {
  Location loc = source.op->getLoc();
  sink = source.sink;
  if (isGathered()) {
    wholeKey = key->whole(builder, loc);
    wholeValue =
        valueSource() == source.key ? wholeKey : value->whole(builder, loc);
    wholeQuery = arrival == Arrival::KeysGathered
                     ? tensors.allGather(source.query, kRows, axis, ranks)
                     : query->whole(builder, loc);
    if (sink && arrival == Arrival::HeadsTraded)
      sink = tensors.allGather(sink, kHeads, axis, ranks);
  } else {
    wholeQuery = source.query;
    wholeKey = source.key;
    wholeValue = valueSource();
    if (padded)
      std::tie(wholeKey, wholeValue) = padded->repeat(builder);
  }
  if (!source.value)
    wholeValue = tensors.slice(wholeKey, kColumns, 0, source.valueColumns);
}

void Raising::writeJoint() {
  Location loc = source.op->getLoc();
  wholeJointQuery = source.jointQuery;
  wholeJointKey = source.jointKey;
  wholeJointValue = source.jointValue;
  if (paddedJoint)
    std::tie(wholeJointKey, wholeJointValue) = paddedJoint->repeat(builder);
  if (joint == JointArrival::AsTheyAre)
    return;
  wholeJointQuery =
      jointQuery ? jointQuery->whole(builder, loc)
                 : tensors.allGather(source.jointQuery, kRows, axis, ranks);
  wholeJointKey = jointKey->whole(builder, loc);
  wholeJointValue = source.jointValue == source.jointKey
                        ? wholeJointKey
                        : jointValue->whole(builder, loc);
}

/// What a mask says that counts here: triangles and documents are those of all
/// queries, from the first on.
MaskMeaning Raising::meaningOf(Value added, bool ofAllRows) {
  MaskMeaning meaning = readMask(added), nothing;
  nothing.rest = added;
  if (!meaning.isByRow())
    return meaning;
  if (!ofAllRows || queries != keys || source.pattern)
    return nothing;
  if (meaning.documentEnds.empty())
    return meaning;
  std::optional<std::string> misfit = misfitOfDocuments(meaning);
  if (sink)
    misfit = "no sink goes with packed documents";
  if (!misfit)
    return meaning;
  emitRemark(source.op->getLoc(), "ring-raise: a mask in blocks along the "
                                  "diagonal stays a mask: ")
      << *misfit;
  return nothing;
}

/// Takes pattern and length from a mask that says such, and leaves in `mask`
/// what else is to be added to the scores. Returns the mask that it read.
Value Raising::writeMask() {
  if (!source.mask)
    return {};
  Value given = source.mask;
  if (source.maskKeeps)
    given = additiveMask(tensors, given);
  bool ofAllRows = arrival != Arrival::KeysGathered;
  MaskMeaning meaning = meaningOf(given, ofAllRows);
  std::optional<int64_t> seen = meaning.length;
  // Rows of this device's queries are most often a piece of a whole mask.
  auto piece = meaning.rest && !ofAllRows
                   ? meaning.rest.getDefiningOp<ttir::MeshPartitionOp>()
                   : ttir::MeshPartitionOp();
  if (piece && isPartitionOf(piece, {piece.getInput(), kRows}, axis)) {
    ofAllRows = true;
    meaning = meaningOf(piece.getInput(), ofAllRows);
  }
  if (meaning.isByRow())
    source.pattern = patternOf(builder.getContext(), meaning);
  else if (meaning.rest && comparesIdsOfProgram(meaning.rest))
    emitRemark(source.op->getLoc(),
               "ring-raise: a mask that compares ids of the running program "
               "stays a mask: nothing says that they ascend; ring.attention "
               "takes the ends of documents as a tensor");
  // What said nothing else goes with the attention, once nobody uses it.
  llvm::append_range(source.parts, meaning.ops);
  for (std::optional<int64_t> real : {seen, meaning.length})
    if (real)
      length = std::min(*real, length.value_or(keys));
  mask = meaning.rest;
  if (mask)
    fitMask(ofAllRows);
  return given;
}

/// Brings the mask to all queries and keys. What it says of rows that were cut
/// off counts for nothing.
void Raising::fitMask(bool ofAllRows) {
  SmallVector<int64_t> shape(typeOf(mask).getShape());
  shape.insert(shape.begin(), 4 - shape.size(), 1);
  mask = tensors.reshape(mask, shape);
  shape[kColumns] = rowsOf(source.key);
  // One row for all queries may still be another one on each device.
  if (!ofAllRows)
    shape[kRows] = rowsOf(source.query);
  mask = tensors.broadcast(mask, shape);
  if (!ofAllRows)
    mask = tensors.allGather(mask, kRows, axis, ranks);
  mask = tensors.padTo(mask, kColumns, keys);
  if (shape[kRows] > 1)
    mask = tensors.padTo(mask, kRows, queries);
  // Each device has the mask of its own heads. One for all heads may still be
  // another on each device, unless it is a constant.
  if (arrival != Arrival::HeadsTraded ||
      (source.mask.getDefiningOp<ttir::ConstantOp>() && shape[kHeads] == 1))
    return;
  mask = tensors.allGather(
      tensors.broadcast(mask,
                        withSize(typeOf(mask), kHeads,
                                 typeOf(source.query).getDimSize(kHeads))),
      kHeads, axis, ranks);
}

AttentionOp Raising::writeAttention() {
  SmallVector<int64_t> shape = withSize(
      typeOf(wholeQuery), kColumns, typeOf(wholeValue).getDimSize(kColumns));
  auto output =
      RankedTensorType::get(shape, typeOf(source.output).getElementType());
  Type lse, jointOutput;
  if (wholeJointQuery)
    jointOutput =
        RankedTensorType::get(withSize(output, kRows, rowsOf(wholeJointQuery)),
                              typeOf(source.jointOutput).getElementType());
  if (source.intermediates || source.lse)
    lse = RankedTensorType::get(withSize(output, kColumns, 1),
                                builder.getF32Type());
  auto number = [&](std::optional<int64_t> value) {
    return value ? builder.getI64IntegerAttr(*value) : IntegerAttr();
  };
  return AttentionOp::create(
      builder, source.op->getLoc(), output, jointOutput, lse, wholeQuery,
      wholeKey, wholeValue, wholeJointQuery, wholeJointKey, wholeJointValue,
      mask, sink, /*page_table=*/Value(), /*start=*/Value(),
      /*documents=*/Value(), source.pattern, source.scale, number(length),
      number(jointLength), parallel, /*plan=*/PlanAttr(),
      isGathered() ? builder.getUnitAttr() : UnitAttr());
}

//===----------------------------------------------------------------------===//
// What the users of the source had: the whole result, or a piece of it
//===----------------------------------------------------------------------===//

/// Of a result's rows those that the source had, as many as `like`: this
/// device's share, or the first.
Value Raising::likeSource(Value whole,
                          const std::optional<GatheredRows> &gathered,
                          bool isShare, Value like) {
  if (isShare)
    return ownRows(tensors, whole, axis, rowsOf(whole) / rowsOf(like));
  if (gathered)
    return tensors.slice(whole, kRows, 0, gathered->kept());
  return whole;
}

void Raising::replace(AttentionOp attention) {
  Value output = attention.getOutput();
  if (arrival == Arrival::HeadsTraded) {
    auto trade = source.query.getDefiningOp<ttir::AllToAllOp>();
    replaceTraded(builder, source.output, ownRows(tensors, output, axis, ranks),
                  axis, trade);
    if (source.intermediates)
      replaceTraded(
          builder, source.intermediates,
          tensors.padTo(ownRows(tensors, attention.getLse(), axis, ranks),
                        kColumns, kIntermediateColumns),
          axis, trade);
    eraseWithProducers(source.op, source.parts);
    return;
  }
  bool isShare = arrival == Arrival::KeysGathered;
  Value own = likeSource(output, query, isShare, source.query);
  if (!source.outputOrder.empty())
    own = tensors.permute(own, source.outputOrder);
  source.output.replaceAllUsesWith(
      tensors.reshape(own, typeOf(source.output).getShape()));
  if (source.jointOutput)
    source.jointOutput.replaceAllUsesWith(
        likeSource(attention.getJointOutput(), jointQuery,
                   joint == JointArrival::KeysGathered, source.jointOutput));
  if (source.lse)
    source.lse.replaceAllUsesWith(attention.getLse());
  if (source.intermediates)
    source.intermediates.replaceAllUsesWith(likeSource(
        tensors.padTo(attention.getLse(), kColumns, kIntermediateColumns),
        query, isShare, source.intermediates));
  eraseWithProducers(source.op, source.parts);
  if (arrival == Arrival::Gathered)
    partitionFirst(builder, {output, kRows}, axis, ranks);
}

} // namespace

bool raiseAttention(SourceAttention source, ParallelAttr parallel) {
  return Raising(std::move(source), parallel).run();
}

} // namespace mlir::ring
