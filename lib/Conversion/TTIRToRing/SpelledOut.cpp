// SPDX-License-Identifier: Apache-2.0
// Attentions that a model writes as a softmax between two products.

#include "SpelledOut.h"
#include "AttentionOperand.h"
#include "AttentionProduct.h"
#include "ScoreMask.h"
#include "SoftmaxParts.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"

#include <cmath>

namespace mlir::ring {
namespace {

namespace ttir = mlir::tt::ttir;

RankedTensorType typeOf(Value value) { return TTIRBuilder::typeOf(value); }

/// Whether a product is at most so many ops away from `from`, by steps to what
/// `neighbours` are.
bool isNearProduct(
    Operation *from,
    function_ref<void(Operation *, AttentionParts &)> neighbours) {
  constexpr int kReach = 8;
  AttentionParts seen;
  seen.insert(from);
  for (size_t first = 0, steps = 0; steps < kReach; ++steps) {
    size_t last = seen.size();
    for (; first < last; ++first)
      neighbours(seen[first], seen);
    if (llvm::any_of(ArrayRef(seen.getArrayRef()).drop_front(last), isProduct))
      return true;
  }
  return false;
}

/// Whether `op` is a product, or one feeds it.
bool comesFromProduct(Operation *op) {
  return op && (isProduct(op) ||
                isNearProduct(op, [](Operation *at, AttentionParts &found) {
                  for (Value operand : at->getOperands())
                    if (Operation *producer = operand.getDefiningOp())
                      found.insert(producer);
                }));
}

bool goesToProduct(Operation *op) {
  return isNearProduct(op, [](Operation *at, AttentionParts &found) {
    found.insert(at->user_begin(), at->user_end());
  });
}

/// Whether `op` changes one type of floats for another.
bool castsFloats(Operation *op) {
  return isa<ttir::TypecastOp>(op) &&
         isa<FloatType>(typeOf(op->getOperand(0)).getElementType()) &&
         isa<FloatType>(typeOf(op->getResult(0)).getElementType());
}

/// Whether `op` only regroups what comes before queries and keys.
bool regroupsLeading(Operation *op) {
  if (!isa<ttir::ReshapeOp, ttir::SqueezeOp, ttir::UnsqueezeOp>(op))
    return false;
  ArrayRef<int64_t> from = typeOf(op->getOperand(0)).getShape(),
                    to = typeOf(op->getResult(0)).getShape();
  return from.size() >= 2 && to.size() >= 2 && from.size() <= 4 &&
         to.size() <= 4 && from.take_back(2) == to.take_back(2);
}

class Reader {
public:
  Reader(OpBuilder &builder, SourceAttention &source)
      : builder(builder), source(source) {}

  Spelling read(Operation *end);
  std::string reason;

private:
  bool no(const Twine &why) {
    reason = why.str();
    return false;
  }
  bool takeSink(ttir::ConcatOp concat);
  bool climb(Value value);
  bool climbOver(Operation *op, Value &value);
  bool descend(Value value);
  bool isUsedElsewhere();
  bool traceOperands();
  bool fitSizes();
  void write();

  OpBuilder &builder;
  SourceAttention &source;
  AttentionParts parts;
  /// What goes into the softmax.
  Value scores;
  std::optional<AttentionProduct> first, second;
  Operation *secondOp = nullptr;
  /// The scale by constants, and what else the scores are multiplied with or
  /// divided by: tensors of one number.
  double scale = 1;
  SmallVector<std::pair<Value, bool>> factors;
  SmallVector<ScoreMask> masks;
  /// One more score for each head, without a key.
  Value sink;
  /// Of scores with four dimensions.
  std::optional<int64_t> batchOfScores;
  std::optional<AttentionOperand> query, key, value;
  ScoreSizes sizes;
};

//===----------------------------------------------------------------------===//
// From the softmax up to the first product, and down to the second
//===----------------------------------------------------------------------===//

/// Takes one op between the first product and the softmax; `value` becomes the
/// scores that go into it.
bool Reader::climbOver(Operation *op, Value &value) {
  RankedTensorType type = typeOf(value);
  auto isScores = [&](Value operand) {
    return typeOf(operand).getShape() == type.getShape() &&
           comesFromProduct(operand.getDefiningOp());
  };
  if (castsFloats(op) || regroupsLeading(op)) {
    value = op->getOperand(0);
    return true;
  }
  if (isa<ttir::MultiplyOp, ttir::DivOp>(op)) {
    bool divides = isa<ttir::DivOp>(op);
    unsigned side = !divides && !isScores(op->getOperand(0)) ? 1 : 0;
    Value by = op->getOperand(1 - side);
    std::optional<double> number = uniformValue(by);
    if (number && *number != 0 && std::isfinite(*number))
      scale *= divides ? 1 / *number : *number;
    else if (!number && typeOf(by).hasStaticShape() &&
             typeOf(by).getNumElements() == 1)
      factors.push_back({by, divides});
    else
      return no("scores that are scaled by no single number");
    value = op->getOperand(side);
    return true;
  }
  ScoreMask mask;
  mask.scores = type;
  if (isa<ttir::AddOp>(op)) {
    unsigned side = isScores(op->getOperand(0)) ? 0 : 1;
    mask.tensor = op->getOperand(1 - side);
    value = op->getOperand(side);
  } else if (auto where = dyn_cast<ttir::WhereOp>(op)) {
    std::optional<double> second = uniformValue(where.getSecond()),
                          third = uniformValue(where.getThird());
    mask.keepsWhereTrue = third.has_value();
    mask.tensor = where.getFirst();
    mask.dropped = third ? third : second;
    value = third ? where.getSecond() : where.getThird();
    if (second.has_value() == third.has_value() || !dropsScore(*mask.dropped))
      return no("a where over the scores that is no mask");
  } else {
    return no(op->getName().getStringRef() +
              " between the first product and the softmax");
  }
  if (scale != 1 || !factors.empty())
    return no("a scale of scores and mask together");
  masks.push_back(mask);
  return true;
}

/// Scores with one more column, which the probabilities lose again.
bool Reader::takeSink(ttir::ConcatOp concat) {
  RankedTensorType type = typeOf(concat.getResult());
  if (concat.getInputs().size() != 2 || type.getRank() != 4 ||
      (concat.getDim() != 3 && concat.getDim() != -1) || scale != 1 ||
      !factors.empty() || !masks.empty() || sink)
    return no("ttir.concat between the first product and the softmax");
  scores = concat.getInputs()[0];
  sink = concat.getInputs()[1];
  while (auto broadcast = sink.getDefiningOp<ttir::BroadcastOp>())
    sink = broadcast.getInput();
  if (typeOf(sink).getShape() !=
      ArrayRef<int64_t>({1, type.getDimSize(1), 1, 1}))
    return no("a sink that is not one logit for each head");
  return true;
}

/// Whether `op` takes the column of the sink from `value`.
static bool dropsLastColumn(Operation *op, Value value) {
  auto slice = dyn_cast<ttir::SliceStaticOp>(op);
  if (!slice)
    return false;
  SmallVector<int64_t> ends(typeOf(value).getShape());
  --ends.back();
  return typeOf(slice.getResult()).getShape() == ArrayRef<int64_t>(ends) &&
         llvm::all_of(slice.getBegins().getAsRange<IntegerAttr>(),
                      [](IntegerAttr begin) { return begin.getInt() == 0; });
}

bool Reader::climb(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto concat = dyn_cast<ttir::ConcatOp>(op)) {
      parts.insert(op);
      if (!takeSink(concat))
        return false;
      value = scores;
      continue;
    }
    if (typeOf(value).getRank() == 4)
      batchOfScores = typeOf(value).getDimSize(0);
    parts.insert(op);
    if (isProduct(op)) {
      first = AttentionProduct::read(op);
      return first || no("a first product of other dimensions than batch, "
                         "heads, rows and dim");
    }
    if (!climbOver(op, value))
      return false;
    if (typeOf(value).getNumElements() != typeOf(scores).getNumElements())
      return no("scores that are broadcast before the softmax");
  }
  return no("scores that are no product");
}

bool Reader::descend(Value value) {
  bool trimmed = false;
  while (value.hasOneUse()) {
    Operation *op = *value.getUsers().begin();
    if (isProduct(op)) {
      secondOp = op;
      second = AttentionProduct::read(op);
      if (!second || !second->contractsLast(value) ||
          trimmed != static_cast<bool>(sink))
        return no("a second product that is not over the keys");
      return true;
    }
    auto where = dyn_cast<ttir::WhereOp>(op);
    bool otherwise = where && where.getThird() == value;
    bool guards =
        where && where.getType() == value.getType() &&
        uniformValue(otherwise ? where.getSecond() : where.getThird()) == 0.0 &&
        asksForMaskedRows(where.getFirst(), otherwise, scores, parts);
    bool trims = sink && !trimmed && dropsLastColumn(op, value);
    trimmed |= trims;
    if (!guards && !trims && !castsFloats(op) && !regroupsLeading(op))
      return no(op->getName().getStringRef() +
                " between the softmax and the second product");
    parts.insert(op);
    value = op->getResult(0);
  }
  return no("probabilities with several users");
}

bool Reader::isUsedElsewhere() {
  return llvm::any_of(parts, [&](Operation *part) {
    return llvm::any_of(part->getUsers(), [&](Operation *user) {
      return user != secondOp && !parts.contains(user);
    });
  });
}

//===----------------------------------------------------------------------===//
// What is attended to
//===----------------------------------------------------------------------===//

/// Finds query, key and value, and the output that has their type. A wider type
/// only for the products is not what keys and values travel in, if the output
/// leaves in the narrower one again.
bool Reader::traceOperands() {
  Value output = secondOp->getResult(0);
  auto narrowed = output.hasOneUse()
                      ? dyn_cast<ttir::TypecastOp>(*output.getUsers().begin())
                      : ttir::TypecastOp();
  for (bool casts : {true, false}) {
    AttentionOperand::Through scalesToo{/*scales=*/true, casts},
        castsOnly{/*scales=*/false, casts};
    query =
        AttentionOperand::trace(first->lhs, first->rolesOfQuery(), scalesToo);
    key = AttentionOperand::trace(first->rhs, first->rolesOfKey(), scalesToo);
    value = AttentionOperand::trace(second->values(), second->rolesOfValue(),
                                    castsOnly);
    Type type = query->elementType();
    bool narrows =
        casts && narrowed && typeOf(narrowed).getElementType() == type;
    source.output = narrows ? narrowed.getResult() : output;
    if (key->elementType() == type && value->elementType() == type &&
        typeOf(source.output).getElementType() == type)
      return true;
  }
  return no("query, key, value and output of several element types");
}

/// Finds what batch and heads are, and whether all tensors agree on them.
bool Reader::fitSizes() {
  ArrayRef<int64_t> shape = typeOf(scores).getShape();
  sizes.batch = 1;
  sizes.queries = shape.end()[-2];
  sizes.keys = shape.end()[-1];
  int64_t rows = typeOf(scores).getNumElements() / sizes.queries / sizes.keys;
  for (std::optional<int64_t> known :
       {query->batch(), key->batch(), value->batch(), batchOfScores})
    if (known) {
      sizes.batch = *known;
      break;
    }
  if (rows % sizes.batch != 0 || query->batchTimesHeads() != rows ||
      query->batch().value_or(sizes.batch) != sizes.batch)
    return no("a query of other batches or heads than the scores");
  sizes.heads = rows / sizes.batch;
  for (const AttentionOperand &tensor : {*key, *value})
    if (tensor.batch().value_or(sizes.batch) != sizes.batch ||
        tensor.batchTimesHeads() % sizes.batch != 0 ||
        sizes.heads % (tensor.batchTimesHeads() / sizes.batch) != 0)
      return no("a key or value of other batches or heads than the query");
  for (ScoreMask &mask : masks)
    if (!mask.fits(sizes))
      return no("a mask of other dimensions or numbers than the scores");
  return true;
}

void Reader::write() {
  builder.setInsertionPoint(secondOp);
  TTIRBuilder tensors(builder, secondOp->getLoc());
  parts.insert(secondOp);
  source.op = source.output.getDefiningOp();
  source.parts.assign(parts.begin(), parts.end());
  source.query = query->materialize(tensors, sizes.batch);
  source.key = key->materialize(tensors, sizes.batch);
  source.value = value->materialize(tensors, sizes.batch);
  for (auto [factor, divides] : factors) {
    RankedTensorType type = typeOf(source.query);
    Value all = tensors.broadcast(
        tensors.typecast(tensors.reshape(factor, {1, 1, 1, 1}),
                         type.getElementType()),
        type.getShape());
    source.query = divides ? tensors.div(source.query, all)
                           : tensors.multiply(source.query, all);
  }
  // Keys and values have as many heads as each other.
  int64_t keyHeads = typeOf(source.key).getDimSize(1),
          valueHeads = typeOf(source.value).getDimSize(1);
  int64_t both = std::max(keyHeads, valueHeads);
  if (both % keyHeads != 0 || both % valueHeads != 0)
    both = sizes.heads;
  source.key = tensors.repeatInterleave(source.key, 1, both / keyHeads);
  source.value = tensors.repeatInterleave(source.value, 1, both / valueHeads);
  for (ScoreMask &mask : masks)
    source.mask = mask.addTo(tensors, source.mask, sizes);
  source.sink = sink;
  double total = scale * query->scale() * key->scale();
  if (std::abs(total * std::sqrt(double(query->dim())) - 1) > 1e-6)
    source.scale = builder.getF32FloatAttr(total);
  source.outputOrder = second->orderOfOutput();
}

Spelling Reader::read(Operation *end) {
  if (!comesFromProduct(end) || !goesToProduct(end))
    return Spelling::NoAttention;
  std::optional<SoftmaxParts> softmax = readSoftmax(end, parts);
  bool found = softmax || no("a softmax over another dimension than the keys");
  if (found) {
    scores = softmax->scores;
    RankedTensorType type = typeOf(scores);
    found = type.hasStaticShape() && type.getRank() >= 2 &&
            type.getNumElements() > 0;
    if (!found)
      reason = "scores whose shape is empty or not known";
  }
  found = found && climb(scores) && descend(softmax->probabilities);
  if (found && isUsedElsewhere())
    found = no("scores or probabilities with other users");
  if (!found || !traceOperands() || !fitSizes())
    return Spelling::Unreadable;
  write();
  return Spelling::Attention;
}

} // namespace

bool endsSoftmax(Operation *op) {
  if (isa<ttir::SoftmaxOp>(op))
    return true;
  AttentionParts parts;
  return isa<ttir::DivOp>(op) && readSoftmax(op, parts).has_value();
}

Spelling readSpelledOut(OpBuilder &builder, Operation *op,
                        SourceAttention &source, std::string &reason) {
  Reader reader(builder, source);
  Spelling spelling = reader.read(op);
  reason = reader.reason;
  return spelling;
}

} // namespace mlir::ring
