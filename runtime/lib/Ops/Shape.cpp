// SPDX-License-Identifier: Apache-2.0
//
// Ops that move numbers about without computing on them. All of them are
// strided copies, and most can be left undone until somebody reads them.

#include "Data/Numbers.h"
#include "Ops/Op.h"
#include "Ops/OpRun.h"
#include "Ops/PieceMoves.h"
#include "Ops/StridedLoop.h"

#include <algorithm>
#include <atomic>

namespace ring::rt {

namespace {

/// Copies operand `i`, read with `strides` from `offset` on, over an index
/// space of `shape` to the dense result.
Status gather(OpRun &run, const Shape &shape, int64_t offset, Shape strides) {
  return copyStrided(run, shape, run.input(0),
                     {run.inputElement(0), offset, std::move(strides)},
                     run.output(0),
                     {run.outputElement(0), 0, denseStrides(shape)});
}

Status verifySlice(const OpTypes &types) {
  if (Status status = expectTensors(types); !status)
    return status;
  Result<SliceBounds> bounds = SliceBounds::get(types);
  if (!bounds)
    return bounds.status();
  return expectShape(types, 0, bounds->sizes);
}

Status runSlice(OpRun &run) {
  SliceBounds bounds = *SliceBounds::get(run.types);
  Shape strides = denseStrides(run.types.input(0)->shape);
  int64_t offset = 0;
  for (size_t i = 0; i < strides.size(); ++i) {
    offset += bounds.begins[i] * strides[i];
    strides[i] *= bounds.steps[i];
  }
  return gather(run, bounds.sizes, offset, std::move(strides));
}

std::optional<TensorPieces> sliceInPieces(const OpRun &run) {
  const Shape &shape = run.types.input(0)->shape;
  return slicePieces(piecesOf(run.inputStorage(0), shape), shape,
                     *SliceBounds::get(run.types));
}

Status verifyConcat(const OpTypes &types) {
  if (Status status = expectTensors(types); !status)
    return status;
  Shape shape = types.input(0)->shape;
  int64_t dim = types.dim("dim", shape.size());
  if (dim < 0)
    return error("expects a dimension of ", describe(shape), ", but got ",
                 types.intOr("dim", 0));
  for (size_t i = 1; i < types.inputCount(); ++i) {
    Shape other = types.input(i)->shape;
    if (other.size() != shape.size())
      return error("expects operand ", i, " to have ", shape.size(),
                   " dimensions, but got ", other.size());
    if (other[dim] > (int64_t(1) << 44) - shape[dim])
      return error("expects a result of at most 2^44 elements");
    shape[dim] += other[dim];
    other[dim] = shape[dim];
    if (other != shape)
      return error("expects operand ", i, " to differ in dimension ", dim,
                   " alone, but got ", describe(types.input(i)->shape));
  }
  return expectShape(types, 0, shape);
}

Status runConcat(OpRun &run) {
  const Shape &shape = run.types.output(0)->shape;
  int64_t dim = run.types.dim("dim", shape.size());
  Shape target = denseStrides(shape);
  int64_t row = 0;
  for (size_t i = 0; i < run.types.inputCount(); ++i) {
    const Shape &part = run.types.input(i)->shape;
    if (Status status = copyStrided(
            run, part, run.input(i),
            {run.inputElement(i), 0, denseStrides(part)}, run.output(0),
            {run.outputElement(0), row * target[dim], target});
        !status)
      return status;
    row += part[dim];
  }
  return Status::success();
}

/// Operands that do not cover themselves must agree on what is in the gaps.
std::optional<TensorPieces> concatInPieces(const OpRun &run) {
  const Shape &whole = run.types.output(0)->shape;
  int64_t dim = run.types.dim("dim", whole.size());
  Shape at(whole.size(), 0), steps(whole.size(), 1);
  std::vector<TensorPiece> pieces;
  std::optional<double> fill;
  for (size_t i = 0; i < run.types.inputCount(); ++i) {
    const Shape &part = run.types.input(i)->shape;
    TensorPieces tensor = piecesOf(run.inputStorage(i), part);
    if (!tensor.covers && fill.value_or(tensor.fill) != tensor.fill)
      return std::nullopt;
    if (!tensor.covers)
      fill = tensor.fill;
    if (!placePieces(tensor, part, at, steps, whole, pieces))
      return std::nullopt;
    at[dim] += part[dim];
  }
  return gatherPieces(std::move(pieces), whole, fill.value_or(0));
}

Status verifyPad(const OpTypes &types) {
  if (Status status = expectTensors(types); !status)
    return status;
  Shape shape = types.input(0)->shape;
  const std::vector<int64_t> &padding = types.ints("padding");
  if (padding.size() != 2 * shape.size())
    return error("expects ", 2 * shape.size(), " paddings, but got ",
                 padding.size());
  for (size_t i = 0; i < shape.size(); ++i) {
    constexpr int64_t kMost = int64_t(1) << 40;
    int64_t before = padding[2 * i], after = padding[2 * i + 1];
    if (before < 0 || after < 0 || before > kMost || after > kMost)
      return error("expects paddings from 0 to 2^40, but got ", before, " and ",
                   after);
    shape[i] += before + after;
  }
  return expectShape(types, 0, shape);
}

Status runPad(OpRun &run) {
  const Shape &shape = run.types.output(0)->shape;
  std::vector<int64_t> padding = run.types.ints("padding");
  double value = run.types.floatOr("value", 0);
  Status filled = run.parallelFor(
      elementCount(shape), 1 << 15, [&](int64_t begin, int64_t end) {
        std::vector<double> numbers(end - begin, value);
        storeNumbers(run.output(0), run.outputElement(0), begin, numbers.data(),
                     end - begin);
      });
  if (!filled)
    return filled;
  Shape target = denseStrides(shape);
  int64_t offset = 0;
  for (size_t i = 0; i < shape.size(); ++i)
    offset += padding[2 * i] * target[i];
  const Shape &inner = run.types.input(0)->shape;
  return copyStrided(run, inner, run.input(0),
                     {run.inputElement(0), 0, denseStrides(inner)},
                     run.output(0), {run.outputElement(0), offset, target});
}

std::optional<TensorPieces> padInPieces(const OpRun &run) {
  const Shape &inner = run.types.input(0)->shape;
  const Shape &whole = run.types.output(0)->shape;
  std::vector<int64_t> padding = run.types.ints("padding");
  double value = run.types.floatOr("value", 0);
  TensorPieces tensor = piecesOf(run.inputStorage(0), inner);
  if (!tensor.covers && tensor.fill != value)
    return std::nullopt;
  Shape at, steps(whole.size(), 1);
  for (size_t i = 0; i < whole.size(); ++i)
    at.push_back(padding[2 * i]);
  std::vector<TensorPiece> pieces;
  if (!placePieces(tensor, inner, at, steps, whole, pieces))
    return std::nullopt;
  return gatherPieces(std::move(pieces), whole, value);
}

Status verifyPermute(const OpTypes &types) {
  if (Status status = expectTensors(types); !status)
    return status;
  const Shape &shape = types.input(0)->shape;
  std::vector<int64_t> permutation = types.ints("permutation");
  Shape permuted;
  std::vector<bool> seen(shape.size(), false);
  for (int64_t dim : permutation) {
    if (dim < 0 || dim >= static_cast<int64_t>(shape.size()) || seen[dim])
      return error("expects a permutation of ", shape.size(),
                   " dimensions, but ", dim,
                   " is out of range or occurs twice");
    seen[dim] = true;
    permuted.push_back(shape[dim]);
  }
  if (permutation.size() != shape.size())
    return error("expects a permutation of ", shape.size(),
                 " dimensions, but got ", permutation.size());
  return expectShape(types, 0, permuted);
}

Status runPermute(OpRun &run) {
  Shape dense = denseStrides(run.types.input(0)->shape);
  Shape strides;
  for (int64_t dim : run.types.ints("permutation"))
    strides.push_back(dense[dim]);
  return gather(run, run.types.output(0)->shape, 0, std::move(strides));
}

std::optional<TensorPieces> permuteInPieces(const OpRun &run) {
  const Shape &shape = run.types.input(0)->shape;
  return permutePieces(piecesOf(run.inputStorage(0), shape), shape,
                       run.types.ints("permutation"));
}

Status verifyReshape(const OpTypes &types) {
  if (Status status = expectTensors(types); !status)
    return status;
  const ValueType &from = *types.input(0), &to = *types.output(0);
  if (elementCount(from.shape) != elementCount(to.shape))
    return error("expects a result of ", elementCount(from.shape),
                 " elements, but got ", describe(to));
  return Status::success();
}

Status verifyRepeat(const OpTypes &types) {
  if (Status status = expectTensors(types); !status)
    return status;
  Shape shape = types.input(0)->shape;
  const std::vector<int64_t> &repeats = types.ints("repeats");
  if (repeats.size() != shape.size())
    return error("expects ", shape.size(), " repeats, but got ",
                 repeats.size());
  for (size_t i = 0; i < shape.size(); ++i) {
    if (repeats[i] < 1 || repeats[i] > (int64_t(1) << 44) / shape[i])
      return error("expects positive repeats, but got ", repeats[i]);
    shape[i] *= repeats[i];
  }
  return expectShape(types, 0, shape);
}

/// A dimension repeated r times is two dimensions, r and itself, of which the
/// first has stride 0.
Status runRepeat(OpRun &run) {
  const Shape &shape = run.types.input(0)->shape;
  Shape dense = denseStrides(shape);
  std::vector<int64_t> repeats = run.types.ints("repeats");
  Shape space, strides;
  for (size_t i = 0; i < shape.size(); ++i) {
    space.insert(space.end(), {repeats[i], shape[i]});
    strides.insert(strides.end(), {0, dense[i]});
  }
  return gather(run, space, 0, std::move(strides));
}

Status verifyRepeatInterleave(const OpTypes &types) {
  if (Status status = expectTensors(types); !status)
    return status;
  Shape shape = types.input(0)->shape;
  int64_t dim = types.dim("dim", shape.size());
  int64_t repeats = types.intOr("repeats", 0);
  if (dim < 0 || repeats < 1 || repeats > (int64_t(1) << 44) / shape[dim])
    return error("expects a dimension of ", describe(shape),
                 " and positive repeats, but got ", types.intOr("dim", 0),
                 " and ", repeats);
  shape[dim] *= repeats;
  return expectShape(types, 0, shape);
}

Status runRepeatInterleave(OpRun &run) {
  const Shape &shape = run.types.input(0)->shape;
  Shape dense = denseStrides(shape);
  size_t dim = run.types.dim("dim", shape.size());
  Shape space, strides;
  for (size_t i = 0; i < shape.size(); ++i) {
    space.push_back(shape[i]);
    strides.push_back(dense[i]);
    if (i == dim) {
      space.push_back(run.types.intOr("repeats", 1));
      strides.push_back(0);
    }
  }
  return gather(run, space, 0, std::move(strides));
}

Status verifyBroadcastOp(const OpTypes &types) {
  if (Status status = expectTensors(types); !status)
    return status;
  const Shape &to = types.output(0)->shape;
  Result<Shape> joint = broadcastShapes({&types.input(0)->shape, &to});
  if (!joint)
    return joint.status();
  return expectShape(types, 0, *joint);
}

Status verifyEmbedding(const OpTypes &types) {
  if (Status status = expectTensors(types); !status)
    return status;
  const Shape &table = types.input(1)->shape;
  if (table.size() < 2)
    return error("expects a table of at least 2 dimensions, but got ",
                 describe(table));
  for (size_t i = 0; i + 2 < table.size(); ++i)
    if (table[i] != 1)
      return error("expects the table's leading dimensions to be 1, but got ",
                   describe(table));
  Shape shape = types.input(0)->shape;
  shape.push_back(table.back());
  return expectShape(types, 0, shape);
}

Status runEmbedding(OpRun &run) {
  const Shape &table = run.types.input(1)->shape;
  int64_t width = table.back();
  int64_t entries = table[table.size() - 2];
  std::atomic<int64_t> outside{-1};
  Status status = run.parallelFor(
      elementCount(run.types.input(0)->shape), 64,
      [&](int64_t begin, int64_t end) {
        std::vector<double> row(width);
        for (int64_t i = begin; i < end; ++i) {
          double index = loadNumber(run.input(0), run.inputElement(0), i);
          if (!(index >= 0 && index < static_cast<double>(entries))) {
            outside = i;
            return;
          }
          loadNumbers(run.input(1), run.inputElement(1),
                      static_cast<int64_t>(index) * width, 1, row.data(),
                      width);
          storeNumbers(run.output(0), run.outputElement(0), i * width,
                       row.data(), width);
        }
      });
  if (!status)
    return status;
  if (outside >= 0)
    return error("expects indices from 0 to ", entries - 1, ", but index ",
                 outside.load(), " is ",
                 loadNumber(run.input(0), run.inputElement(0), outside));
  return status;
}

/// The operand once for every repeat, each a row further. Heads that are
/// repeated for others to read are never written.
std::optional<TensorPieces> repeatInPieces(const OpRun &run) {
  constexpr int64_t kMostRepeats = 64;
  const Shape &shape = run.types.input(0)->shape;
  const Shape &whole = run.types.output(0)->shape;
  int64_t dim = run.types.dim("dim", shape.size());
  int64_t repeats = run.types.intOr("repeats", 0);
  if (repeats > kMostRepeats)
    return std::nullopt;
  TensorPieces tensor = piecesOf(run.inputStorage(0), shape);
  Shape at(whole.size(), 0), steps(whole.size(), 1);
  steps[dim] = repeats;
  std::vector<TensorPiece> pieces;
  for (; at[dim] < repeats; ++at[dim])
    if (!placePieces(tensor, shape, at, steps, whole, pieces))
      return std::nullopt;
  return gatherPieces(std::move(pieces), whole, tensor.fill);
}

using InPieces = std::optional<TensorPieces> (*)(const OpRun &);

Op shapeOp(const char *name, Status (*verify)(const OpTypes &),
           Status (*run)(OpRun &), std::vector<AttributeSpec> attributes = {},
           InPieces pieces = nullptr) {
  Op op;
  op.name = name;
  op.signature.attributes = std::move(attributes);
  op.signature.verify = verify;
  op.run = run;
  op.access.rearranges = true;
  if (pieces)
    op.access.pieces = pieces;
  return op;
}

} // namespace

void registerShapeOps(OpTable &table) {
  constexpr AttributeKind kInt = AttributeKind::Int;
  constexpr AttributeKind kInts = AttributeKind::Ints;
  table.add(shapeOp(
      "slice", verifySlice, runSlice,
      {{"begins", kInts, true}, {"ends", kInts, true}, {"steps", kInts, true}},
      sliceInPieces));
  Op concat = shapeOp("concat", verifyConcat, runConcat, {{"dim", kInt, true}},
                      concatInPieces);
  concat.signature.inputs.most = kVariadic;
  table.add(std::move(concat));
  table.add(
      shapeOp("pad", verifyPad, runPad,
              {{"padding", kInts, true}, {"value", AttributeKind::Float, true}},
              padInPieces));
  table.add(shapeOp("permute", verifyPermute, runPermute,
                    {{"permutation", kInts, true}}, permuteInPieces));
  Op reshape = shapeOp(
      "reshape", verifyReshape,
      [](OpRun &run) {
        int64_t count = elementCount(run.types.output(0)->shape);
        return gather(run, {count}, 0, {1});
      },
      {},
      [](const OpRun &run) -> std::optional<TensorPieces> {
        return piecesOf(run.inputStorage(0), run.types.input(0)->shape);
      });
  // The same elements in the same order.
  reshape.access.inPlaceInput = 0;
  reshape.access.overwrites = true;
  table.add(std::move(reshape));
  table.add(shapeOp("broadcast", verifyBroadcastOp, [](OpRun &run) {
    const Shape &to = run.types.output(0)->shape;
    return gather(run, to, 0, broadcastStrides(run.types.input(0)->shape, to));
  }));
  table.add(
      shapeOp("repeat", verifyRepeat, runRepeat, {{"repeats", kInts, true}}));
  table.add(
      shapeOp("repeat_interleave", verifyRepeatInterleave, runRepeatInterleave,
              {{"repeats", kInt, true}, {"dim", kInt, true}}, repeatInPieces));
  Op embedding = shapeOp("embedding", verifyEmbedding, runEmbedding);
  embedding.signature.inputs = {2, 2};
  embedding.signature.indices = [](const OpTypes &types,
                                   size_t i) -> std::optional<IndexRange> {
    if (i != 0)
      return std::nullopt;
    const Shape &table = types.input(1)->shape;
    return IndexRange{table[table.size() - 2]};
  };
  table.add(std::move(embedding));
}

} // namespace ring::rt
