// SPDX-License-Identifier: Apache-2.0
// TTIR ops by what they do to a value.

#include "ring/Support/TTIRBuilder.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"

namespace mlir::ring {

namespace ttcore = mlir::tt::ttcore;
namespace ttir = mlir::tt::ttir;

static ArrayAttr i32Array(OpBuilder &builder, ArrayRef<int64_t> values) {
  return builder.getI32ArrayAttr(SmallVector<int32_t>(values));
}

static IntegerAttr si32(OpBuilder &builder, int64_t value) {
  return builder.getIntegerAttr(builder.getIntegerType(32, /*isSigned=*/true),
                                value);
}

static IntegerAttr ui32(OpBuilder &builder, int64_t value) {
  return builder.getIntegerAttr(builder.getIntegerType(32, /*isSigned=*/false),
                                value);
}

/// `type` with another shape.
static RankedTensorType withShape(RankedTensorType type,
                                  ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, type.getElementType());
}

Value TTIRBuilder::slice(Value input, int64_t dim, int64_t begin, int64_t end,
                         int64_t step) {
  RankedTensorType type = typeOf(input);
  if (begin == 0 && end == type.getDimSize(dim) && step == 1)
    return input;
  SmallVector<int64_t> begins(type.getRank(), 0), ends(type.getShape()),
      steps(type.getRank(), 1);
  begins[dim] = begin;
  ends[dim] = end;
  steps[dim] = step;
  return slice(input, begins, ends, steps);
}

Value TTIRBuilder::slice(Value input, ArrayRef<int64_t> begins,
                         ArrayRef<int64_t> ends, ArrayRef<int64_t> steps) {
  RankedTensorType type = typeOf(input);
  SmallVector<int64_t> shape;
  for (auto [begin, end, step] : llvm::zip_equal(begins, ends, steps))
    shape.push_back((end - begin + step - 1) / step);
  return ttir::SliceStaticOp::create(
      builder, loc, withShape(type, shape), input, i32Array(builder, begins),
      i32Array(builder, ends), i32Array(builder, steps));
}

Value TTIRBuilder::sliceLike(Operation *like, Value input) {
  auto slice = cast<ttir::SliceStaticOp>(like);
  return ttir::SliceStaticOp::create(
      builder, loc,
      withShape(typeOf(input), typeOf(slice.getResult()).getShape()), input,
      slice.getBeginsAttr(), slice.getEndsAttr(), slice.getStepAttr());
}

Value TTIRBuilder::concat(ValueRange inputs, int64_t dim) {
  if (inputs.size() == 1)
    return inputs.front();
  SmallVector<int64_t> shape(typeOf(inputs.front()).getShape());
  shape[dim] = 0;
  for (Value input : inputs)
    shape[dim] += typeOf(input).getDimSize(dim);
  return ttir::ConcatOp::create(builder, loc,
                                withShape(typeOf(inputs.front()), shape),
                                inputs, si32(builder, dim));
}

Value TTIRBuilder::padTo(Value input, int64_t dim, int64_t size, float value) {
  return pad(input, dim, 0, size - typeOf(input).getDimSize(dim), value);
}

Value TTIRBuilder::pad(Value input, int64_t dim, int64_t before, int64_t after,
                       float value) {
  RankedTensorType type = typeOf(input);
  if (before == 0 && after == 0)
    return input;
  SmallVector<int32_t> padding(2 * type.getRank(), 0);
  padding[2 * dim] = before;
  padding[2 * dim + 1] = after;
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] += before + after;
  return ttir::PadOp::create(builder, loc, withShape(type, shape), input,
                             builder.getDenseI32ArrayAttr(padding),
                             builder.getF32FloatAttr(value));
}

Value TTIRBuilder::typecast(Value input, Type elementType) {
  RankedTensorType type = typeOf(input);
  if (type.getElementType() == elementType)
    return input;
  return ttir::TypecastOp::create(
      builder, loc, RankedTensorType::get(type.getShape(), elementType), input);
}

Value TTIRBuilder::reshape(Value input, ArrayRef<int64_t> shape) {
  if (typeOf(input).getShape() == shape)
    return input;
  return ttir::ReshapeOp::create(builder, loc, withShape(typeOf(input), shape),
                                 input, i32Array(builder, shape));
}

Value TTIRBuilder::permute(Value input, ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(typeOf(input).getDimSize(dim));
  return ttir::PermuteOp::create(builder, loc, withShape(typeOf(input), shape),
                                 input,
                                 builder.getDenseI64ArrayAttr(permutation));
}

Value TTIRBuilder::broadcast(Value input, ArrayRef<int64_t> shape) {
  RankedTensorType type = typeOf(input);
  if (type.getShape() == shape)
    return input;
  SmallVector<int64_t> times;
  for (auto [from, to] : llvm::zip_equal(type.getShape(), shape))
    times.push_back(from == to ? 1 : to);
  return ttir::BroadcastOp::create(builder, loc, withShape(type, shape), input,
                                   builder.getDenseI64ArrayAttr(times));
}

Value TTIRBuilder::repeatInterleave(Value input, int64_t dim, int64_t times) {
  if (times == 1)
    return input;
  SmallVector<int64_t> shape(typeOf(input).getShape());
  shape[dim] *= times;
  return ttir::RepeatInterleaveOp::create(
      builder, loc, withShape(typeOf(input), shape), input,
      ui32(builder, times), si32(builder, dim));
}

Value TTIRBuilder::full(ArrayRef<int64_t> shape, Type elementType,
                        float value) {
  return ttir::FullOp::create(
      builder, loc, RankedTensorType::get(shape, elementType),
      builder.getDenseI32ArrayAttr(SmallVector<int32_t>(shape)),
      builder.getF32FloatAttr(value));
}

Value TTIRBuilder::embedding(Value numbers, Value table) {
  SmallVector<int64_t> shape(typeOf(numbers).getShape());
  shape.push_back(typeOf(table).getShape().back());
  return ttir::EmbeddingOp::create(
      builder, loc,
      RankedTensorType::get(shape, typeOf(table).getElementType()), numbers,
      table);
}

Value TTIRBuilder::constant(DenseElementsAttr value) {
  return ttir::ConstantOp::create(builder, loc, value.getType(), value);
}

Value TTIRBuilder::arange(int64_t start, int64_t size, int64_t step,
                          int64_t dim) {
  SmallVector<int64_t> shape(4, 1);
  shape[dim] = size;
  Type si64 = builder.getIntegerType(64, /*isSigned=*/true);
  return ttir::ArangeOp::create(
      builder, loc, RankedTensorType::get(shape, builder.getF32Type()),
      builder.getIntegerAttr(si64, start),
      builder.getIntegerAttr(si64, start + size * step),
      builder.getIntegerAttr(si64, step), builder.getI64IntegerAttr(dim));
}

Value TTIRBuilder::add(Value lhs, Value rhs) {
  return ttir::AddOp::create(builder, loc, lhs.getType(), lhs, rhs);
}
Value TTIRBuilder::subtract(Value lhs, Value rhs) {
  return ttir::SubtractOp::create(builder, loc, lhs.getType(), lhs, rhs);
}
Value TTIRBuilder::multiply(Value lhs, Value rhs) {
  return ttir::MultiplyOp::create(builder, loc, lhs.getType(), lhs, rhs);
}
Value TTIRBuilder::div(Value lhs, Value rhs) {
  return ttir::DivOp::create(builder, loc, lhs.getType(), lhs, rhs);
}
Value TTIRBuilder::maximum(Value lhs, Value rhs) {
  return ttir::MaximumOp::create(builder, loc, lhs.getType(), lhs, rhs);
}
Value TTIRBuilder::exp(Value input) {
  return ttir::ExpOp::create(builder, loc, input.getType(), input);
}
Value TTIRBuilder::log(Value input) {
  return ttir::LogOp::create(builder, loc, input.getType(), input);
}
Value TTIRBuilder::sigmoid(Value input) {
  return ttir::SigmoidOp::create(builder, loc, input.getType(), input);
}
Value TTIRBuilder::where(Value condition, Value onTrue, Value onFalse) {
  return ttir::WhereOp::create(builder, loc, onTrue.getType(), condition,
                               onTrue, onFalse);
}

Value TTIRBuilder::equal(Value lhs, Value rhs) {
  return ttir::EqualOp::create(builder, loc, lhs.getType(), lhs, rhs);
}
Value TTIRBuilder::lessThan(Value lhs, Value rhs) {
  return ttir::LessThanOp::create(builder, loc, lhs.getType(), lhs, rhs);
}
Value TTIRBuilder::lessEqual(Value lhs, Value rhs) {
  return ttir::LessEqualOp::create(builder, loc, lhs.getType(), lhs, rhs);
}
Value TTIRBuilder::greaterEqual(Value lhs, Value rhs) {
  return ttir::GreaterEqualOp::create(builder, loc, lhs.getType(), lhs, rhs);
}

Value TTIRBuilder::matmul(Value a, Value b, Transposed transposed) {
  bool first = transposed == Transposed::First;
  bool second = transposed == Transposed::Second;
  SmallVector<int64_t> shape(typeOf(a).getShape());
  if (first)
    shape[shape.size() - 2] = shape.back();
  shape.back() = second ? typeOf(b).getShape().drop_back().back()
                        : typeOf(b).getShape().back();
  return ttir::MatmulOp::create(builder, loc, withShape(typeOf(a), shape), a, b,
                                first, second);
}

/// The reduction `Op` over the last dimension of `input`.
template <typename Op>
static Value reduceLast(OpBuilder &builder, Location loc, Value input) {
  RankedTensorType type = TTIRBuilder::typeOf(input);
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = 1;
  return Op::create(builder, loc, withShape(type, shape), input,
                    /*keep_dim=*/builder.getBoolAttr(true),
                    i32Array(builder, {type.getRank() - 1}));
}

Value TTIRBuilder::sumLast(Value input) {
  return reduceLast<ttir::SumOp>(builder, loc, input);
}
Value TTIRBuilder::maxLast(Value input) {
  return reduceLast<ttir::MaxOp>(builder, loc, input);
}

/// Columns of what sdpa_fw returns beside its output: one tile.
static constexpr int64_t kIntermediateColumns = 32;

Value TTIRBuilder::sdpa(Value query, Value key, Value value, bool causal,
                        FloatAttr scale) {
  return ttir::ScaledDotProductAttentionOp::create(
      builder, loc, query.getType(), query, key, value,
      /*attention_mask=*/Value(), builder.getBoolAttr(causal), scale,
      /*sliding_window_size=*/IntegerAttr(), /*attention_sink=*/Value());
}

std::pair<Value, Value>
TTIRBuilder::sdpaForward(Value query, Value key, Value value, Value mask,
                         ttcore::AttentionMaskType maskType) {
  SmallVector<int64_t> shape(typeOf(query).getShape());
  shape.back() = typeOf(value).getShape().back();
  SmallVector<int64_t> intermediates(shape);
  intermediates.back() = kIntermediateColumns;
  auto attention = ttir::SDPAForwardOp::create(
      builder, loc, withShape(typeOf(query), shape),
      RankedTensorType::get(intermediates, builder.getF32Type()), query, key,
      value, mask, maskType, /*dropout_probability=*/APFloat(0.0f),
      /*return_intermediates=*/true);
  return {attention.getOutput(), attention.getIntermediates()};
}

std::tuple<Value, Value, Value>
TTIRBuilder::sdpaBackward(Value gradOutput, Value output, Value query,
                          Value key, Value value, Value intermediates,
                          Value mask, ttcore::AttentionMaskType maskType) {
  auto gradients = ttir::SDPABackwardOp::create(
      builder, loc, query.getType(), key.getType(), value.getType(), gradOutput,
      output, query, key, value, intermediates, mask, maskType,
      /*dropout_probability=*/APFloat(0.0f));
  return {gradients.getGradQuery(), gradients.getGradKey(),
          gradients.getGradValue()};
}

/// The target of every device, where open chains are closed: tt-mlir sends
/// zeros to whoever is no target, from device 0, which may be on no common
/// line.
///
///   0 -> 1 -> 2, 3 of 4 devices: 1, 2, 0, 3
static SmallVector<int64_t>
closeChains(ArrayRef<std::pair<int64_t, int64_t>> pairs, int64_t devices) {
  constexpr int64_t kNobody = -1;
  SmallVector<int64_t> targets(devices, kNobody), sources(devices, kNobody);
  for (auto [source, target] : pairs) {
    targets[source] = target;
    sources[target] = source;
  }
  for (int64_t first = 0; first < devices; ++first) {
    if (sources[first] != kNobody)
      continue;
    int64_t last = first;
    while (targets[last] != kNobody)
      last = targets[last];
    targets[last] = first;
  }
  return targets;
}

Value TTIRBuilder::collectivePermute(
    Value input, ArrayRef<std::pair<int64_t, int64_t>> pairs, int64_t devices) {
  SmallVector<int64_t> flat;
  for (auto [source, target] : llvm::enumerate(closeChains(pairs, devices)))
    flat.append({static_cast<int64_t>(source), target});
  auto type = RankedTensorType::get({devices, 2}, builder.getI64Type());
  return ttir::CollectivePermuteOp::create(
      builder, loc, input.getType(), input,
      DenseIntElementsAttr::get(type, ArrayRef<int64_t>(flat)));
}

Value TTIRBuilder::allGather(Value input, int64_t dim, int64_t axis,
                             int64_t devices) {
  SmallVector<int64_t> shape(typeOf(input).getShape());
  shape[dim] *= devices;
  return ttir::AllGatherOp::create(builder, loc,
                                   withShape(typeOf(input), shape), input,
                                   si32(builder, dim), ui32(builder, axis));
}

Value TTIRBuilder::meshPartition(Value input, int64_t dim, int64_t axis,
                                 int64_t devices) {
  SmallVector<int64_t> shape(typeOf(input).getShape());
  shape[dim] /= devices;
  return ttir::MeshPartitionOp::create(builder, loc,
                                       withShape(typeOf(input), shape), input,
                                       si32(builder, dim), ui32(builder, axis));
}

Value TTIRBuilder::allReduce(Value input, int64_t axis) {
  return ttir::AllReduceOp::create(
      builder, loc, typeOf(input), input,
      ttcore::ReduceTypeAttr::get(builder.getContext(),
                                  ttcore::ReduceType::Sum),
      ui32(builder, axis));
}

Value TTIRBuilder::allToAll(Value input, int64_t split, int64_t concat,
                            ArrayRef<int64_t> groups, int64_t groupSize) {
  SmallVector<int64_t> shape(typeOf(input).getShape());
  shape[split] /= groupSize;
  shape[concat] *= groupSize;
  auto type = RankedTensorType::get(
      {static_cast<int64_t>(groups.size()) / groupSize, groupSize},
      builder.getI64Type());
  return ttir::AllToAllOp::create(
      builder, loc, withShape(typeOf(input), shape), input,
      si32(builder, split), si32(builder, concat), si32(builder, groupSize),
      DenseIntElementsAttr::get(type, groups));
}

Value TTIRBuilder::meshShard(Value input, RankedTensorType result,
                             ArrayRef<int64_t> axes, ArrayRef<int64_t> mesh,
                             ttcore::MeshShardDirection direction) {
  SmallVector<int64_t> pieces(axes.size(), 1), dims(mesh.size(), -1);
  for (auto [dim, axis] : llvm::enumerate(axes)) {
    if (axis < 0)
      continue;
    pieces[dim] = mesh[axis];
    dims[axis] = dim;
  }
  auto type = ttcore::MeshShardType::Devices;
  if (llvm::all_of(axes, [](int64_t axis) { return axis < 0; })) {
    type = ttcore::MeshShardType::Replicate;
    pieces = {1};
    dims = {-1};
  }
  return ttir::MeshShardOp::create(builder, loc, result, input, type, direction,
                                   pieces, dims);
}

} // namespace mlir::ring
