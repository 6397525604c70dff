// SPDX-License-Identifier: Apache-2.0
// Makes an op that has given traits.

#include "ExampleAttention.h"
#include "ring/Support/TTIRBuilder.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"

namespace mlir::ring {
namespace {

namespace ttir = mlir::tt::ttir;

constexpr int64_t kRows = 2, kColumns = 3;

PatternAttrInterface patternOf(const AttentionTraits &traits,
                               MLIRContext *context) {
  if (traits.dilation)
    return traits.dilation;
  if (traits.documents)
    return traits.documents;
  const Band &band = traits.band;
  if (band.before)
    return WindowAttr::get(context, *band.before,
                           band.after.value_or(traits.keys));
  return band.after ? PatternAttrInterface(CausalAttr::get(context))
                    : PatternAttrInterface();
}

class Example {
public:
  Example(const AttentionTraits &traits, PlanAttr plan)
      : traits(traits), plan(plan), builder(plan.getContext()),
        loc(builder.getUnknownLoc()),
        function(func::FuncOp::create(loc, "attention",
                                      builder.getFunctionType({}, {}))) {
    body = function->addEntryBlock();
    builder.setInsertionPointToEnd(body);
  }

  OwningOpRef<func::FuncOp> make() {
    Operation *op = traits.backward ? makeGradients() : makeAttention();
    SmallVector<Value> results(op->getResults());
    // The gradient of the values, filled up, goes into that of the keys.
    if (traits.gradientsInKeys) {
      TTIRBuilder tensors(builder, loc);
      Value values = results.pop_back_val();
      results.back() = tensors.add(results.back(),
                                   tensors.padTo(values, kColumns, traits.dim));
    }
    for (auto [number, result] : llvm::enumerate(results))
      if (!(traits.wholeResults >> number & 1))
        result = ownRows(result);
    func::ReturnOp::create(builder, loc, results);
    function->setType(builder.getFunctionType(body->getArgumentTypes(),
                                              ValueRange(results).getTypes()));
    return std::move(function);
  }

private:
  RankedTensorType tensor(ArrayRef<int64_t> shape, Type element) {
    return RankedTensorType::get(shape, element);
  }

  Value argument(ArrayRef<int64_t> shape, Type element) {
    return body->addArgument(tensor(shape, element), loc);
  }

  /// Whether rows of a device's own function are spread over the ranks.
  bool isGathered(int64_t rows) const {
    return traits.perDevice && rows % plan.getAxis().getRanks() == 0;
  }

  IntegerAttr axisNumber(bool isSigned, int64_t number) {
    return builder.getIntegerAttr(builder.getIntegerType(32, isSigned), number);
  }

  Value rows(int64_t heads, int64_t count, int64_t dim, Type element) {
    return rows(heads, count, dim, element, traits.batch);
  }

  Value rows(int64_t heads, int64_t count, int64_t dim, Type element,
             int64_t batch) {
    SmallVector<int64_t> shape{batch, heads, count, dim};
    if (!isGathered(count))
      return argument(shape, element);
    shape[kRows] /= plan.getAxis().getRanks();
    Value own = argument(shape, element);
    shape[kRows] = count;
    return ttir::AllGatherOp::create(
        builder, loc, tensor(shape, element), own, axisNumber(true, kRows),
        axisNumber(false, plan.getAxis().getIndex()));
  }

  Value ownRows(Value whole) {
    auto type = cast<RankedTensorType>(whole.getType());
    if (!isGathered(type.getDimSize(kRows)))
      return whole;
    SmallVector<int64_t> shape(type.getShape());
    shape[kRows] /= plan.getAxis().getRanks();
    return ttir::MeshPartitionOp::create(
        builder, loc, tensor(shape, type.getElementType()), whole,
        axisNumber(true, kRows), axisNumber(false, plan.getAxis().getIndex()));
  }

  Value mask() {
    if (!traits.mask)
      return {};
    if (traits.maskEverywhere)
      return argument(
          {traits.maskBatch, traits.maskHeads, traits.maskRows, traits.keys},
          traits.elementType);
    return rows(traits.maskHeads, traits.maskRows, traits.keys,
                traits.elementType, traits.maskBatch);
  }

  /// Keys or values, or the pages of a cache that are theirs.
  Value keys(int64_t dim) {
    if (!traits.pages)
      return rows(traits.kvHeads, traits.keys, dim, traits.elementType);
    return argument({traits.pageBlocks, traits.kvHeads, traits.pageRows, dim},
                    traits.elementType);
  }

  /// Joint queries, keys or values; those that are not dealt out are on every
  /// device.
  Value jointRows(int64_t heads, int64_t dim) {
    if (traits.jointSharded)
      return rows(heads, traits.joint, dim, traits.elementType);
    return argument({traits.batch, heads, traits.joint, dim},
                    traits.elementType);
  }

  Value documents() {
    return traits.lateDocuments
               ? argument({traits.lateDocuments}, builder.getI32Type())
               : Value();
  }

  /// The values of some keys: columns of them, or tensors of their own.
  Value values(Value key) {
    if (!traits.valuesInKeys)
      return keys(traits.valueDim);
    return TTIRBuilder(builder, loc).slice(key, kColumns, 0, traits.valueDim);
  }

  IntegerAttr length() {
    return traits.realKeys ? builder.getI64IntegerAttr(*traits.realKeys)
                           : IntegerAttr();
  }

  ParallelAttr parallel() {
    return ParallelAttr::get(
        plan.getContext(), plan.getAxis().getIndex(), plan.getOuter(),
        plan.getHeadsAxis(),
        traits.jointSharded ? JointPlacement::Sharded
                            : JointPlacement::Replicated,
        traits.cacheBlock ? std::optional(traits.cacheBlock) : std::nullopt);
  }

  Operation *makeAttention() {
    Type element = traits.elementType, i32 = builder.getI32Type();
    Value query = rows(traits.heads, traits.queries, traits.dim, element);
    Value key = keys(traits.dim), value = values(key);
    Value joint[3], sink, table, start;
    Type jointOutput, lse;
    if (traits.joint) {
      joint[0] = jointRows(traits.heads, traits.dim);
      joint[1] = jointRows(traits.kvHeads, traits.dim);
      joint[2] = jointRows(traits.kvHeads, traits.valueDim);
      jointOutput = tensor(
          {traits.batch, traits.heads, traits.joint, traits.valueDim}, element);
    }
    if (traits.sink)
      sink = argument({1, traits.heads, 1, 1}, element);
    if (traits.pages)
      table = argument({traits.batch, traits.keys / traits.pageRows}, i32);
    if (traits.start)
      start = traits.chunkStart
                  ? ttir::FullOp::create(
                        builder, loc, tensor({1}, i32),
                        builder.getDenseI32ArrayAttr({1}),
                        builder.getI32IntegerAttr(
                            static_cast<int32_t>(*traits.chunkStart)))
                        .getResult()
                  : argument({traits.startOfEach ? traits.batch : 1}, i32);
    if (traits.lse)
      lse =
          tensor({traits.batch, traits.heads, traits.queries + traits.joint, 1},
                 builder.getF32Type());
    IntegerAttr jointLength;
    if (traits.realJoint != traits.joint)
      jointLength = builder.getI64IntegerAttr(traits.realJoint);
    return AttentionOp::create(
        builder, loc,
        tensor({traits.batch, traits.heads, traits.queries, traits.valueDim},
               element),
        jointOutput, lse, query, key, value, joint[0], joint[1], joint[2],
        mask(), sink, table, start, documents(),
        patternOf(traits, plan.getContext()), FloatAttr(), length(),
        jointLength, parallel(), plan, traits.perDevice);
  }

  Operation *makeGradients() {
    Type element = traits.elementType, f32 = builder.getF32Type();
    Value gradOutput =
        rows(traits.heads, traits.queries, traits.valueDim, element);
    Value output = rows(traits.heads, traits.queries, traits.valueDim, element);
    Value lse = rows(traits.heads, traits.queries, 1, f32);
    Value query = rows(traits.heads, traits.queries, traits.dim, element);
    Value key = keys(traits.dim), value = values(key);
    return AttentionBackwardOp::create(
        builder, loc, query.getType(), key.getType(), value.getType(),
        gradOutput, output, lse, query, key, value, mask(), documents(),
        patternOf(traits, plan.getContext()), FloatAttr(), length(), parallel(),
        plan, traits.perDevice);
  }

  const AttentionTraits &traits;
  PlanAttr plan;
  OpBuilder builder;
  Location loc;
  OwningOpRef<func::FuncOp> function;
  Block *body;
};

} // namespace

OwningOpRef<func::FuncOp> makeExample(const AttentionTraits &traits,
                                      PlanAttr plan) {
  return Example(traits, plan).make();
}

} // namespace mlir::ring
