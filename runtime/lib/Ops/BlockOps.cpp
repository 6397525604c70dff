// SPDX-License-Identifier: Apache-2.0
//
// The ring dialect's ops on one block of keys: parts, states, and what joins
// them.

#include "Data/Numbers.h"
#include "Ops/AttentionBlock.h"
#include "Ops/AttentionResult.h"
#include "Ops/LatePositions.h"
#include "Ops/PieceRows.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace ring::rt {

namespace {

/// Checks output and lse of an attention whose output has the given shape.
Status verifyPart(const OpTypes &types, const Shape &out) {
  for (size_t i : {0, 1})
    if (types.output(i)->kind != ValueKind::Tensor)
      return error("expects result ", i, " to be a tensor, but got ",
                   describe(*types.output(i)));
  if (!isFloat(types.output(0)->element))
    return error("expects an output of floats, but got ",
                 describe(*types.output(0)));
  if (types.output(1)->element != ElementType::F32)
    return error("expects lse in f32, but got ", describe(*types.output(1)));
  if (Status status = expectShape(types, 0, out); !status)
    return status;
  return expectShape(types, 1, {out[0], out[1], out[2], 1});
}

Shape outputShape(const OpTypes &types, size_t first) {
  Shape shape = types.input(first)->shape;
  shape[3] = types.input(first + 2)->shape[3];
  return shape;
}

/// Where rows of `ring.partial` and `ring.accumulate` stand.
constexpr PositionOperands kPartialPositions = {4, 5};
constexpr PositionOperands kAccumulatePositions = {5, 6};

Status verifyPartial(const OpTypes &types) {
  if (Status status = verifyAttention(types, 0); !status)
    return status;
  if (Status status = verifyMask(types, 3, 0, 1); !status)
    return status;
  if (Status status = verifyBlock(types, 0, 1); !status)
    return status;
  if (Status status = verifyPositions(types, kPartialPositions, 0); !status)
    return status;
  return verifyPart(types, outputShape(types, 0));
}

Status runPartial(OpRun &run) {
  AttentionBlock block = blockOf(run, 0);
  block.problem.masking.additive = maskView(run, 3);
  HeadRows query = rowsOf(run, 0);
  return LatePositions::of(run, block, kPartialPositions)
      .forEntries(
          run, block, query.view, keyRowsOf(run, 1), keyRowsOf(run, 2),
          [&](const AttentionBlock &entries, const kernels::TensorView &queries,
              const HeadRows &keys, const HeadRows &values, int64_t first) {
            const kernels::AttentionShape &shape = entries.problem.shape;
            int64_t row = first * shape.queryHeads * shape.queries;
            int64_t bytes =
                row * shape.valueDim * heldElementBytes(run.outputElement(0));
            return attendBlock(run, entries, queries, keys, values,
                               /*sinks=*/{}, run.output(0) + bytes,
                               run.outputElement(0),
                               reinterpret_cast<float *>(run.output(1)) + row);
          });
}

Status verifyEmpty(const OpTypes &types) {
  const Shape &out = types.output(0)->shape;
  if (out.size() != 4)
    return error("expects a 4-D result, but got ", describe(out));
  if (Status status = verifySink(types, 0, out[1]); !status)
    return status;
  return verifyPart(types, out);
}

Status runEmpty(OpRun &run) {
  const Shape &shape = run.types.output(0)->shape;
  std::vector<float> sinks = loadSink(run, 0);
  std::memset(run.output(0), 0,
              elementCount(shape) * heldElementBytes(run.outputElement(0)));
  float *lse = reinterpret_cast<float *>(run.output(1));
  for (int64_t row = 0; row < shape[0] * shape[1] * shape[2]; ++row)
    lse[row] = sinks.empty() ? -std::numeric_limits<float>::infinity()
                             : sinks[row / shape[2] % shape[1]];
  return Status::success();
}

Status verifyMerge(const OpTypes &types) {
  if (Status status = expectTensors(types); !status)
    return status;
  const Shape &out = types.input(0)->shape;
  if (out.size() != 4)
    return error("expects a 4-D output, but got ", describe(out));
  const Shape lse = {out[0], out[1], out[2], 1};
  for (size_t i : {1, 3})
    if (types.input(i)->shape != lse ||
        types.input(i)->element != ElementType::F32)
      return error("expects operand ", i, " to be f32 of ", describe(lse),
                   ", but got ", describe(*types.input(i)));
  if (types.input(2)->shape != out)
    return error("expects operand 2 to be ", describe(out), ", but got ",
                 describe(*types.input(2)));
  return verifyPart(types, out);
}

/// Merges rows. With the larger lse as base nothing overflows: the weights are
/// 1 and exp(-|difference|), divided by their sum. Rows of which the second
/// part has nothing stay as they are, and where the result takes the place of
/// the first part they are not even read.
Status runMerge(OpRun &run) {
  const Shape &shape = run.types.input(0)->shape;
  const int64_t dim = shape[3];
  const int64_t rows = shape[0] * shape[1] * shape[2];
  const RowReader outA(run, 0), outB(run, 2);
  const float *lseA = reinterpret_cast<const float *>(run.input(1));
  const float *lseB = reinterpret_cast<const float *>(run.input(3));
  float *lse = reinterpret_cast<float *>(run.output(1));
  const bool inPlace = run.inputs[0] == run.outputs[0];
  constexpr float kEmpty = -std::numeric_limits<float>::infinity();
  return run.parallelFor(rows, std::max<int64_t>(1, (1 << 14) / dim),
                         3 * dim * static_cast<int64_t>(sizeof(float)),
                         [&](int64_t begin, int64_t end, void *memory) {
                           float *merged = static_cast<float *>(memory);
                           for (int64_t row = begin; row < end; ++row) {
                             float base = std::max(lseA[row], lseB[row]);
                             float weightA = 0, weightB = 0;
                             lse[row] = base;
                             if (base != kEmpty && lseB[row] == kEmpty &&
                                 inPlace)
                               continue;
                             if (base != kEmpty) {
                               weightA = std::exp(lseA[row] - base);
                               weightB = std::exp(lseB[row] - base);
                               float sum = weightA + weightB;
                               lse[row] = base + std::log(sum);
                               weightA /= sum;
                               weightB /= sum;
                             }
                             const float *a = outA.read(row, merged + dim);
                             const float *b = outB.read(row, merged + 2 * dim);
                             for (int64_t i = 0; i < dim; ++i)
                               merged[i] = a[i] * weightA + b[i] * weightB;
                             storeNumbers(run.output(0), run.outputElement(0),
                                          row * dim, merged, dim);
                           }
                         });
}

Status expectState(const ValueType &type, const char *what) {
  if (type.kind != ValueKind::State)
    return error("expects ", what, " to be a state, but got ", describe(type));
  return Status::success();
}

/// Rows of a state that are worth a thread's while.
int64_t rowGrain(const kernels::AttentionShape &shape) {
  constexpr int64_t kManyNumbers = 1 << 16;
  return std::max<int64_t>(1,
                           kManyNumbers / std::max<int64_t>(1, shape.valueDim));
}

Status verifyInit(const OpTypes &types) {
  if (Status status = expectState(*types.output(0), "the result"); !status)
    return status;
  return verifySink(types, 0, types.output(0)->shape[1]);
}

Status runInit(OpRun &run) {
  kernels::AttentionShape shape = stateShape(run.types.output(0)->shape);
  std::vector<float> sinks = loadSink(run, 0);
  kernels::AttentionState state = stateView(run.output(0), shape);
  return run.parallelFor(
      kernels::stateRows(shape), rowGrain(shape),
      [&](int64_t begin, int64_t end) {
        kernels::initState(shape, state, sinks.empty() ? nullptr : sinks.data(),
                           {begin, end});
      });
}

Status verifyAccumulate(const OpTypes &types) {
  if (Status status = verifyAttention(types, 0); !status)
    return status;
  if (Status status = expectState(*types.input(3), "operand 3"); !status)
    return status;
  if (types.input(3)->shape != outputShape(types, 0))
    return error("expects a state of ", describe(outputShape(types, 0)),
                 ", but got ", describe(*types.input(3)));
  if (Status status = expectSameType(types, 0, 3); !status)
    return status;
  if (Status status = verifyMask(types, 4, 0, 1); !status)
    return status;
  if (Status status = verifyPositions(types, kAccumulatePositions, 0); !status)
    return status;
  return verifyBlock(types, 0, 1);
}

Status runAccumulate(OpRun &run) {
  AttentionBlock block = blockOf(run, 0);
  block.problem.masking.additive = maskView(run, 4);
  HeadRows query = rowsOf(run, 0);
  kernels::AttentionState state = stateView(run.output(0), block.problem.shape);
  LatePositions late = LatePositions::of(run, block, kAccumulatePositions);
  return late.forEntries(
      run, block, query.view, keyRowsOf(run, 1), keyRowsOf(run, 2),
      [&](const AttentionBlock &entries, const kernels::TensorView &queries,
          const HeadRows &keys, const HeadRows &values, int64_t first) {
        // The packed form of queries is that of all entries.
        return accumulateBlock(run, entries, queries, keys, values,
                               entriesOf(state, entries.problem.shape, first),
                               late.areAlike() ? query.storage : nullptr);
      });
}

Status verifyFinish(const OpTypes &types) {
  if (Status status = expectState(*types.input(0), "the operand"); !status)
    return status;
  return verifyPart(types, types.input(0)->shape);
}

Status runFinish(OpRun &run) {
  kernels::AttentionShape shape = stateShape(run.types.input(0)->shape);
  // The kernel only reads the state.
  kernels::AttentionState state =
      stateView(const_cast<uint8_t *>(run.input(0)), shape);
  kernels::MutableTensorView result = kernels::denseView(
      static_cast<void *>(run.output(0)), kernelElement(run.outputElement(0)),
      shape.queryHeads, shape.queries, shape.valueDim);
  float *lse = reinterpret_cast<float *>(run.output(1));
  return run.parallelFor(kernels::stateRows(shape), rowGrain(shape),
                         [&](int64_t begin, int64_t end) {
                           kernels::finish(shape, state, result, lse,
                                           {begin, end});
                         });
}

Status verifySelect(const OpTypes &types) {
  if (*types.input(0) != *types.input(1))
    return error("expects operands of one type, but got ",
                 describe(*types.input(0)), " and ", describe(*types.input(1)));
  ValueKind kind = types.input(0)->kind;
  if (kind != ValueKind::Tensor && kind != ValueKind::State)
    return error("expects tensors or states, but got ",
                 describe(*types.input(0)));
  if (types.input(0)->placement != Placement::Local)
    return error("expects local values, but got ", describe(*types.input(0)));
  Result<MeshAxis> axis = types.axis();
  if (!axis)
    return axis.status();
  if (static_cast<int64_t>(types.bools("choice").size()) != axis->ranks())
    return error("expects one choice per rank, ", axis->ranks(), ", but got ",
                 types.bools("choice").size());
  return expectSameType(types, 0, 0);
}

Status runSelect(OpRun &run) {
  int64_t rank = run.types.axis()->rankOf(run.device());
  run.shareOutput(0, run.inputStorage(run.types.bools("choice")[rank] ? 0 : 1));
  return Status::success();
}

kernels::AttentionShape blockShape(const OpTypes &types) {
  return attentionShape(*types.input(0), *types.input(1), *types.input(2));
}

Op attentionOp(const char *name, int inputs, int optional, int outputs) {
  Op op;
  op.name = name;
  op.signature.inputs = {inputs, inputs + optional};
  op.signature.outputs = {outputs, outputs};
  return op;
}

} // namespace

void registerBlockOps(OpTable &table) {
  Op partial = attentionOp("ring.partial", 3, 3, 2);
  partial.signature.attributes = blockAttributes();
  partial.signature.verify = verifyPartial;
  partial.run = runPartial;
  partial.access.takesPacked = isKeyOrValue;
  partial.access.takesPieces = readsRows;
  partial.costs.keysAndValues = {1, 2};
  partial.costs.flops = [](const OpTypes &types, int64_t device) {
    return blockFlops(types, device, 0, bandToCount(types, kPartialPositions));
  };
  partial.costs.attention = [](const OpTypes &types, int64_t device) {
    AttentionWork work =
        attentionWork(types, device, 0, bandToCount(types, kPartialPositions));
    work.mask = types.inputCount() > 3 && types.input(3);
    return work;
  };
  partial.costs.scratchBytes = [](const OpTypes &types, int threads) {
    return attendScratch(blockShape(types), types.output(0)->element, threads);
  };
  table.add(std::move(partial));

  Op empty = attentionOp("ring.empty", 0, 1, 2);
  empty.signature.verify = verifyEmpty;
  empty.run = runEmpty;
  table.add(std::move(empty));

  Op merge = attentionOp("ring.merge", 4, 0, 2);
  merge.signature.verify = verifyMerge;
  merge.run = runMerge;
  merge.access.inPlaceInput = 0;
  merge.access.overwrites = true;
  merge.access.takesPieces = [](const OpTypes &types, size_t i,
                                const TensorPieces &pieces) {
    return i % 2 == 0 && RowReader::reads(types, i, pieces);
  };
  table.add(std::move(merge));

  Op init = attentionOp("ring.init", 0, 1, 1);
  init.signature.verify = verifyInit;
  init.run = runInit;
  table.add(std::move(init));

  Op accumulate = attentionOp("ring.accumulate", 4, 3, 1);
  accumulate.signature.attributes = blockAttributes();
  accumulate.signature.verify = verifyAccumulate;
  accumulate.run = runAccumulate;
  accumulate.access.takesPacked = isKeyOrValue;
  accumulate.access.takesPieces = readsRows;
  accumulate.costs.keysAndValues = {1, 2};
  accumulate.access.inPlaceInput = 3;
  accumulate.costs.flops = [](const OpTypes &types, int64_t device) {
    return blockFlops(types, device, 0,
                      bandToCount(types, kAccumulatePositions));
  };
  accumulate.costs.attention = [](const OpTypes &types, int64_t device) {
    AttentionWork work = attentionWork(
        types, device, 0, bandToCount(types, kAccumulatePositions));
    work.carriesState = true;
    work.packsKeys =
        types.intOr("source", 0) == 0 && types.intOr("outer_source", 0) == 0;
    work.mask = types.inputCount() > 4 && types.input(4);
    return work;
  };
  accumulate.costs.scratchBytes = [](const OpTypes &types, int threads) {
    return accumulateScratch(blockShape(types), threads);
  };
  accumulate.costs.packedBytes = [](const OpTypes &types) {
    kernels::AttentionShape shape = blockShape(types);
    return packsKeys(shape) && types.input(0)->element != ElementType::F32
               ? static_cast<int64_t>(kernels::packedQueryBytes(shape))
               : 0;
  };
  table.add(std::move(accumulate));

  Op finish = attentionOp("ring.finish", 1, 0, 2);
  finish.signature.verify = verifyFinish;
  finish.run = runFinish;
  table.add(std::move(finish));

  Op select = attentionOp("ring.select", 2, 0, 1);
  select.signature.attributes =
      withAxis({{"choice", AttributeKind::Bools, true}});
  select.signature.verify = verifySelect;
  select.run = runSelect;
  select.access.shares = true;
  table.add(std::move(select));
}

} // namespace ring::rt
