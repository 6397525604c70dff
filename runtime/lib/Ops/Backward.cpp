// SPDX-License-Identifier: Apache-2.0
//
// Gradients of attention: of one block of keys, and of sdpa_fw.

#include "Kernels/AttentionBackward.h"

#include "Data/Numbers.h"
#include "Ops/AttentionBlock.h"
#include "Ops/LatePositions.h"
#include "Ops/PagedCache.h"
#include "Ops/RowSetBackward.h"
#include "Ops/SetPattern.h"

#include <cstring>

namespace ring::rt {

namespace {

/// Where the operands of a backward op are.
struct BackwardOperands {
  size_t outGrad, out, lse, query, mask;
};

constexpr BackwardOperands kPartial = {0, 1, 2, 3, 6};
/// Where rows of `ring.partial_backward` stand, and, for the gradients of a
/// whole attention, where documents end.
constexpr PositionOperands kPartialPositions = {7, 8};
constexpr size_t kDocuments = 9;
constexpr BackwardOperands kWhole = {0, 1, 5, 2, 6};

Status verifyBackward(const OpTypes &types, const BackwardOperands &at,
                      int64_t lseColumns) {
  if (Status status = verifyAttention(types, at.query); !status)
    return status;
  Shape out = types.input(at.query)->shape;
  out[3] = types.input(at.query + 2)->shape[3];
  for (size_t i : {at.outGrad, at.out})
    if (types.input(i)->shape != out || !isFloat(types.input(i)->element) ||
        types.input(i)->kind != ValueKind::Tensor)
      return error("expects operand ", i, " to be floats of ", describe(out),
                   ", but got ", describe(*types.input(i)));
  const Shape lse = {out[0], out[1], out[2], lseColumns};
  if (types.input(at.lse)->shape != lse ||
      types.input(at.lse)->element != ElementType::F32)
    return error("expects operand ", at.lse, " to be f32 of ", describe(lse),
                 ", but got ", describe(*types.input(at.lse)));
  for (size_t i : {0, 1, 2}) {
    const ValueType &gradient = *types.output(i);
    if (!isFloat(gradient.element) || gradient.kind != ValueKind::Tensor)
      return error("expects result ", i, " to be floats, but got ",
                   describe(gradient));
    if (Status status = expectShape(types, i, types.input(at.query + i)->shape);
        !status)
      return status;
  }
  return Status::success();
}

kernels::AttentionShape shapeOf(const OpTypes &types,
                                const BackwardOperands &at) {
  return attentionShape(*types.input(at.query), *types.input(at.query + 1),
                        *types.input(at.query + 2));
}

int64_t backwardScratch(const OpTypes &types, const BackwardOperands &at,
                        int threads) {
  kernels::AttentionShape shape = shapeOf(types, at);
  int64_t rows = shape.batch * shape.queryHeads * shape.queries;
  int64_t floats = 2 * rows;
  for (size_t i : {0, 1, 2})
    if (computedElement(types.output(i)->element) != ElementType::F32)
      floats += elementCount(types.output(i)->shape);
  return floats * static_cast<int64_t>(sizeof(float)) +
         threads * static_cast<int64_t>(kernels::backwardScratchBytes(shape));
}

/// Runs the kernel on zeroed f32 gradients and stores them as the results.
Status runBackward(OpRun &run, const AttentionBlock &block,
                   const BackwardOperands &at) {
  const kernels::AttentionShape &shape = block.problem.shape;
  int64_t rows = shape.batch * shape.queryHeads * shape.queries;
  int64_t columns = run.types.input(at.lse)->shape[3];
  std::vector<float> lse(rows), delta(rows);
  loadNumbers(run.input(at.lse), ElementType::F32, 0, columns, lse.data(),
              rows);
  kernels::AttentionGradients operands;
  operands.query = viewOf(run, at.query);
  operands.key = viewOf(run, at.query + 1);
  operands.value = viewOf(run, at.query + 2);
  operands.outGrad = viewOf(run, at.outGrad);
  operands.lse = lse.data();
  operands.delta = delta.data();
  kernels::backwardDelta(shape, viewOf(run, at.out), operands.outGrad,
                         delta.data());
  std::vector<float> own[3];
  float *gradients[3];
  for (size_t i : {0, 1, 2}) {
    int64_t count = elementCount(run.types.output(i)->shape);
    if (run.outputElement(i) == ElementType::F32) {
      gradients[i] = reinterpret_cast<float *>(run.output(i));
      std::memset(gradients[i], 0, count * sizeof(float));
      continue;
    }
    own[i].assign(count, 0.0f);
    gradients[i] = own[i].data();
  }
  operands.queryGrad = gradients[0];
  operands.keyGrad = gradients[1];
  operands.valueGrad = gradients[2];
  Status status = run.parallelFor(
      kernels::backwardWorkItems(shape), 1,
      static_cast<int64_t>(kernels::backwardScratchBytes(shape)),
      [&](int64_t begin, int64_t end, void *scratch) {
        kernels::accumulateBackward(block.problem, operands, {begin, end},
                                    scratch);
      });
  for (size_t i : {0, 1, 2})
    if (!own[i].empty())
      storeNumbers(run.output(i), run.outputElement(i), 0, own[i].data(),
                   static_cast<int64_t>(own[i].size()));
  return status;
}

/// Five products for each pair: the scores and the gradients of query and key
/// over the dim of the keys, the gradients of the weights and of the values
/// over that of the values. Dims of 64 and 32: 2 * (3 * 64 + 2 * 32) = 512.
double backwardFlops(const OpTypes &types, int64_t device,
                     const BackwardOperands &at, const Band &band) {
  kernels::AttentionShape shape = shapeOf(types, at);
  return 2.0 * static_cast<double>(3 * shape.keyDim + 2 * shape.valueDim) *
         blockPairs(types, device, at.query, band);
}

/// The same as a multiple of a forward pass, which is two of the products: 2.5
/// where both dims are equal.
double passesOf(const kernels::AttentionShape &shape) {
  return static_cast<double>(3 * shape.keyDim + 2 * shape.valueDim) /
         static_cast<double>(shape.keyDim + shape.valueDim);
}

AttentionWork backwardWork(const OpTypes &types, int64_t device,
                           const BackwardOperands &at, const Band &band) {
  AttentionWork work = attentionWork(types, device, at.query, band);
  work.passes = passesOf(work.shape);
  return work;
}

Status verifyPartialBackward(const OpTypes &types) {
  if (Status status = verifyBackward(types, kPartial, 1); !status)
    return status;
  if (Status status =
          verifyMask(types, kPartial.mask, kPartial.query, kPartial.query + 1);
      !status)
    return status;
  if (Status status = verifyPositions(types, kPartialPositions, kPartial.query);
      !status)
    return status;
  for (size_t i : {kPartialPositions.queries, kPartialPositions.keys})
    if (types.input(i) && types.input(i)->shape[0] != 1)
      return error("expects gradients of rows that stand alike in every batch "
                   "entry, but got ",
                   describe(*types.input(i)));
  if (types.input(kDocuments) && isFloat(types.input(kDocuments)->element))
    return error("expects integers as ends of documents, but got ",
                 describe(*types.input(kDocuments)));
  return verifyBlock(types, kPartial.query, kPartial.query + 1);
}

Status runPartialBackward(OpRun &run) {
  AttentionBlock block = blockOf(run, kPartial.query);
  block.problem.masking.additive = maskView(run, kPartial.mask);
  if (run.hasInput(kDocuments)) {
    LatePositions::ofDocuments(run, block, kDocuments).place(block, 0);
  } else if (kPartialPositions.any(run.types)) {
    LatePositions::of(run, block, kPartialPositions).place(block, 0);
  }
  return runBackward(run, block, kPartial);
}

Status verifyWholeBackward(const OpTypes &types) {
  if (Status status = verifyBackward(types, kWhole, 32); !status)
    return status;
  return verifyMaskType(types, kWhole.mask, kWhole.query, kWhole.query + 1);
}

Status runWholeBackward(OpRun &run) {
  AttentionBlock block;
  block.problem.shape = shapeOf(run.types, kWhole);
  block.problem.scale = scaleOf(run.types, block.problem.shape.keyDim);
  Result<KeepMask> mask = KeepMask::make(run, kWhole.mask);
  if (!mask)
    return mask.status();
  block.problem.masking.additive = mask->view;
  if (run.types.text("mask_type") == "causal")
    block.setBand(Band::causal());
  return runBackward(run, block, kWhole);
}

} // namespace

void registerBackwardOps(OpTable &table) {
  Op partial;
  partial.name = "ring.partial_backward";
  partial.signature.inputs = {6, 10};
  partial.signature.outputs = {3, 3};
  partial.signature.attributes = blockAttributes();
  partial.signature.verify = verifyPartialBackward;
  partial.run = runPartialBackward;
  partial.costs.keysAndValues = {kPartial.query + 1, kPartial.query + 2};
  partial.costs.scratchBytes = [](const OpTypes &types, int threads) {
    return backwardScratch(types, kPartial, threads);
  };
  partial.costs.flops = [](const OpTypes &types, int64_t device) {
    return backwardFlops(types, device, kPartial,
                         bandToCount(types, kPartialPositions));
  };
  partial.costs.attention = [](const OpTypes &types, int64_t device) {
    return backwardWork(types, device, kPartial,
                        bandToCount(types, kPartialPositions));
  };
  table.add(std::move(partial));

  Op sets;
  sets.name = "ring.attention_backward";
  sets.signature.inputs = {6, 8};
  sets.signature.outputs = {3, 3};
  sets.signature.attributes = rowSetAttributes();
  sets.signature.attributes.push_back({"scale", AttributeKind::Float});
  sets.signature.attributes.push_back({"length", AttributeKind::Int});
  sets.signature.verify = [](const OpTypes &types) {
    Status status = verifyBackward(types, kPartial, 1);
    return status ? verifyRowSetBackward(types) : status;
  };
  sets.run = runRowSetBackward;
  sets.costs.keysAndValues = {kPartial.query + 1, kPartial.query + 2};
  sets.costs.scratchBytes = rowSetBackwardScratch;
  sets.costs.flops = [](const OpTypes &types, int64_t) {
    return rowSetBackwardFlops(types);
  };
  // Segments and documents are cut out one by one: rows are alike.
  sets.costs.attention = [](const OpTypes &types, int64_t) {
    AttentionWork work;
    work.shape = shapeOf(types, kPartial);
    work.passes = passesOf(work.shape);
    return work;
  };
  table.add(std::move(sets));

  Op whole;
  whole.name = "sdpa_bw";
  whole.signature.inputs = {6, 7};
  whole.signature.outputs = {3, 3};
  whole.signature.attributes = {{"mask_type", AttributeKind::String, true},
                                {"scale", AttributeKind::Float}};
  whole.signature.verify = verifyWholeBackward;
  whole.run = runWholeBackward;
  whole.costs.keysAndValues = {kWhole.query + 1, kWhole.query + 2};
  whole.costs.scratchBytes = [](const OpTypes &types, int threads) {
    return backwardScratch(types, kWhole, threads);
  };
  whole.costs.flops = [](const OpTypes &types, int64_t device) {
    bool causal = types.text("mask_type") == "causal";
    return backwardFlops(types, device, kWhole,
                         causal ? Band::causal() : Band{});
  };
  whole.costs.attention = [](const OpTypes &types, int64_t device) {
    bool causal = types.text("mask_type") == "causal";
    return backwardWork(types, device, kWhole,
                        causal ? Band::causal() : Band{});
  };
  table.add(std::move(whole));
}

} // namespace ring::rt
