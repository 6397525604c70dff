// SPDX-License-Identifier: Apache-2.0
//
// Whole attentions: TTIR's scaled_dot_product_attention and sdpa_fw, and the
// meaning of ring.attention.

#include "Data/Numbers.h"
#include "Ops/AttentionBlock.h"
#include "Ops/AttentionResult.h"
#include "Ops/LatePositions.h"
#include "Ops/PagedCache.h"
#include "Ops/RowSetAttention.h"
#include "Ops/SetPattern.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace ring::rt {

namespace {

Shape outputShape(const OpTypes &types) {
  Shape shape = types.input(0)->shape;
  shape[3] = types.input(2)->shape[3];
  return shape;
}

Status expectFloatOutput(const OpTypes &types, size_t i, const Shape &shape) {
  const ValueType *type = types.output(i);
  if (type && (type->kind != ValueKind::Tensor || !isFloat(type->element)))
    return error("expects result ", i, " to be a tensor of floats, but got ",
                 describe(*type));
  return expectShape(types, i, shape);
}

kernels::AttentionShape shapeOf(const OpTypes &types) {
  return attentionShape(*types.input(0), *types.input(1), *types.input(2));
}

int64_t wholeScratch(const OpTypes &types, int threads) {
  return accumulateScratch(shapeOf(types), threads) +
         AttentionResult::scratchBytes(shapeOf(types),
                                       types.output(0)->element);
}

/// The same without joint keys.
int64_t singleScratch(const OpTypes &types, int threads) {
  return attendScratch(shapeOf(types), types.output(0)->element, threads);
}

// ---- sdpa ----------------------------------------------------------------

/// The band of `causal` and `window`: w keys up to the query's own, or, without
/// causality, w / 2 on both sides.
Band sdpaBand(const OpTypes &types) {
  bool causal = types.flag("causal");
  int64_t window = types.intOr("window", 0);
  if (window <= 0)
    return causal ? Band::causal() : Band{};
  return causal ? Band{window - 1, 0} : Band{window / 2, window / 2};
}

Status verifySdpa(const OpTypes &types) {
  if (Status status = verifyAttention(types, 0); !status)
    return status;
  if (Status status = verifyMask(types, 3, 0, 1); !status)
    return status;
  if (Status status = verifySink(types, 4, types.input(0)->shape[1]); !status)
    return status;
  int64_t window = types.intOr("window", 0);
  if (window < 0 || window > (int64_t(1) << 40))
    return error("expects a window from 0 to 2^40, but got ", window);
  if (types.flag("causal") &&
      types.input(0)->shape[2] != types.input(1)->shape[2])
    return error("expects as many queries as keys with 'causal', but got ",
                 types.input(0)->shape[2], " and ", types.input(1)->shape[2]);
  return expectFloatOutput(types, 0, outputShape(types));
}

Status runSdpa(OpRun &run) {
  AttentionBlock block;
  block.problem.shape = shapeOf(run.types);
  block.problem.scale = scaleOf(run.types, block.problem.shape.keyDim);
  block.setBand(sdpaBand(run.types));
  block.problem.masking.additive = maskView(run, 3);
  float factor = run.types.flag("sink_scaled") ? block.problem.scale : 1.0f;
  return attendBlock(run, block, rowsOf(run, 0).view, keyRowsOf(run, 1),
                     keyRowsOf(run, 2), loadSink(run, 4, factor), run.output(0),
                     run.outputElement(0), /*lse=*/nullptr);
}

// ---- sdpa_fw -------------------------------------------------------------

constexpr int64_t kIntermediateColumns = 32;

Status verifyForward(const OpTypes &types) {
  if (Status status = verifyAttention(types, 0); !status)
    return status;
  if (Status status = verifyMaskType(types, 3, 0, 1); !status)
    return status;
  const Shape out = outputShape(types);
  if (types.output(1) && types.output(1)->element != ElementType::F32)
    return error("expects f32 intermediates, but got ",
                 describe(*types.output(1)));
  if (Status status =
          expectShape(types, 1, {out[0], out[1], out[2], kIntermediateColumns});
      !status)
    return status;
  return expectFloatOutput(types, 0, out);
}

Status runForward(OpRun &run) {
  AttentionBlock block;
  block.problem.shape = shapeOf(run.types);
  block.problem.scale = scaleOf(run.types, block.problem.shape.keyDim);
  Result<KeepMask> mask = KeepMask::make(run, 3);
  if (!mask)
    return mask.status();
  block.problem.masking.additive = mask->view;
  if (run.types.text("mask_type") == "causal")
    block.setBand(Band::causal());
  int64_t rows = kernels::stateRows(block.problem.shape);
  std::vector<float> lse(rows);
  Status status = attendBlock(
      run, block, rowsOf(run, 0).view, keyRowsOf(run, 1), keyRowsOf(run, 2),
      /*sinks=*/{}, run.output(0), run.outputElement(0), lse.data());
  if (!status || !run.hasOutput(1))
    return status;
  float *columns = reinterpret_cast<float *>(run.output(1));
  std::memset(columns, 0, rows * kIntermediateColumns * sizeof(float));
  for (int64_t row = 0; row < rows; ++row)
    columns[row * kIntermediateColumns] = lse[row];
  return status;
}

// ---- ring.attention ------------------------------------------------------

enum AttentionOperand : size_t {
  kQuery,
  kKey,
  kValue,
  kJointQuery,
  kJointKey,
  kJointValue,
  kMask,
  kSink,
  kPageTable,
  kStart,
  kDocuments
};

Status verifyJoint(const OpTypes &types) {
  bool joint = types.input(kJointQuery) != nullptr;
  if (joint != (types.input(kJointKey) != nullptr) ||
      joint != (types.input(kJointValue) != nullptr) ||
      joint != (types.output(1) != nullptr))
    return error("expects joint query, key, value and output together");
  if (!joint)
    return Status::success();
  if (types.has("before") || types.input(kMask) || types.input(kSink) ||
      types.input(kStart) || types.input(kDocuments))
    return error("expects joint tokens without pattern, mask, sink, start and "
                 "documents");
  if (Status status = verifyAttention(types, kJointQuery); !status)
    return status;
  for (size_t i : {0, 1, 2}) {
    Shape shape = types.input(i)->shape;
    shape[2] = types.input(kJointQuery)->shape[2];
    if (types.input(kJointQuery + i)->shape != shape)
      return error("expects operand ", kJointQuery + i, " to be ",
                   describe(shape), ", but got ",
                   describe(*types.input(kJointQuery + i)));
  }
  Shape out = outputShape(types);
  out[2] = types.input(kJointQuery)->shape[2];
  return expectFloatOutput(types, 1, out);
}

/// Where queries start, and where documents end.
Status verifyLateRows(const OpTypes &types) {
  auto integers = [&](size_t i, const char *what, int64_t most) {
    const ValueType *type = types.input(i);
    if (type && (type->kind != ValueKind::Tensor || isFloat(type->element) ||
                 (most && elementCount(type->shape) != 1 &&
                  elementCount(type->shape) != most)))
      return error("expects integers as ", what, ", but got ", describe(*type));
    return Status::success();
  };
  if (Status status =
          integers(kStart, "starts, one or one for each batch entry",
                   types.input(kQuery)->shape[0]);
      !status)
    return status;
  if (types.input(kStart) && !types.band().after)
    return error("expects a band behind the queries beside a start");
  if (types.input(kDocuments) &&
      (types.input(kStart) || types.input(kMask) || types.has("length")))
    return error("expects documents without start, mask and length");
  return integers(kDocuments, "ends of documents", 0);
}

Status verifyRingAttention(const OpTypes &types) {
  bool paged = types.input(kPageTable) != nullptr;
  if (paged && !types.input(kStart))
    return error("expects a start beside a page table");
  if (Status status = verifyLateRows(types); !status)
    return status;
  if (Status status = paged ? PagedCache::verify(types, kQuery, kPageTable,
                                                 kStart, /*batchDim=*/0)
                            : verifyAttention(types, kQuery);
      !status)
    return status;
  if (hasRowSets(types))
    if (Status status = verifyRowSets(types); !status)
      return status;
  if (Status status = types.verifyBand(); !status)
    return status;
  if (Status status = verifyJoint(types); !status)
    return status;
  const Shape &query = types.input(kQuery)->shape;
  if (!paged)
    if (Status status = verifyMask(types, kMask, kQuery, kKey); !status)
      return status;
  if (paged && types.input(kMask))
    return error("expects no mask with pages");
  if (Status status = verifySink(types, kSink, query[1]); !status)
    return status;
  if (Status status = verifyKeyLimits(types); !status)
    return status;
  if (types.has("joint_length") && types.intOr("joint_length", 0) < 1)
    return error("expects a positive joint_length, but got ",
                 types.intOr("joint_length", 0));
  int64_t rows = query[2];
  if (types.input(kJointQuery))
    rows += types.input(kJointQuery)->shape[2];
  if (types.output(2) && types.output(2)->element != ElementType::F32)
    return error("expects lse in f32, but got ", describe(*types.output(2)));
  if (Status status = expectShape(types, 2, {query[0], query[1], rows, 1});
      !status)
    return status;
  return expectFloatOutput(types, 0, outputShape(types));
}

/// Copies the log-sum-exps of some rows of each head into the result that
/// holds those of all rows.
void placeLse(const std::vector<float> &lse, int64_t rows, float *into,
              int64_t allRows, int64_t firstRow) {
  for (size_t head = 0; head * rows < lse.size(); ++head)
    std::copy_n(lse.data() + head * rows, rows,
                into + head * allRows + firstRow);
}

/// Where the rows of a dense attention stand. Documents change the block's band
/// into the one that tells them apart.
Result<LatePositions> latePositions(OpRun &run, AttentionBlock &block) {
  if (run.hasInput(kStart))
    return LatePositions::fromStart(run, block, kStart,
                                    run.types.intOr("key_shift", 0));
  if (run.hasInput(kDocuments))
    return LatePositions::ofDocuments(run, block, kDocuments);
  // Nothing is late: the block says it all.
  return LatePositions::of(run, block,
                           {run.types.inputCount(), run.types.inputCount()});
}

/// Queries at operand `query` over the sequence and the joint keys.
Status attendJoint(OpRun &run, size_t query, size_t output, int64_t firstRow) {
  const OpTypes &types = run.types;
  AttentionBlock block;
  block.problem.shape = attentionShape(*types.input(query), *types.input(kKey),
                                       *types.input(kValue));
  block.problem.scale = scaleOf(types, block.problem.shape.keyDim);
  block.problem.masking.keyLimit =
      types.intOr("length", std::numeric_limits<int64_t>::max());
  block.problem.masking.additive = maskView(run, kMask);
  block.setBand(types.band());
  if (types.has("key_shift")) {
    BlockPositions rows = types.positions(query, kKey, run.device());
    block.setPositions(rows.queries, rows.keys);
  }
  Result<LatePositions> late = latePositions(run, block);
  if (!late)
    return late.status();
  Result<AttentionResult> result =
      AttentionResult::make(block.problem.shape, run.output(output),
                            run.outputElement(output), loadSink(run, kSink));
  if (!result)
    return result.status();
  Status status = late->forEntries(
      run, block, viewOf(run, query), keyRowsOf(run, kKey),
      keyRowsOf(run, kValue),
      [&](const AttentionBlock &entries, const kernels::TensorView &queries,
          const HeadRows &keys, const HeadRows &values, int64_t first) {
        return accumulateBlock(
            run, entries, queries, keys, values,
            entriesOf(result->state, entries.problem.shape, first));
      });
  if (!status)
    return status;
  if (run.hasInput(kJointKey)) {
    AttentionBlock joint;
    joint.problem.shape =
        attentionShape(*types.input(query), *types.input(kJointKey),
                       *types.input(kJointValue));
    joint.problem.scale = block.problem.scale;
    joint.problem.masking.keyLimit =
        types.intOr("joint_length", std::numeric_limits<int64_t>::max());
    status = accumulateBlock(run, joint, viewOf(run, query),
                             keyRowsOf(run, kJointKey),
                             keyRowsOf(run, kJointValue), result->state);
    if (!status)
      return status;
  }
  const kernels::AttentionShape &shape = block.problem.shape;
  std::vector<float> lse(shape.batch * shape.queryHeads * shape.queries);
  result->finish(lse.data());
  if (run.hasOutput(2))
    placeLse(lse, shape.queries, reinterpret_cast<float *>(run.output(2)),
             types.output(2)->shape[2], firstRow);
  return status;
}

/// Before anybody knows where rows stand, all count as if they met.
Band countedBand(const OpTypes &types) {
  return bandToCount(types, {kStart, kDocuments});
}

Status runRingAttention(OpRun &run) {
  if (hasRowSets(run.types))
    return runRowSets(run);
  if (run.hasInput(kPageTable)) {
    PagedQuery query;
    query.band = run.types.band();
    query.sinks = loadSink(run, kSink);
    query.lse =
        run.hasOutput(2) ? reinterpret_cast<float *>(run.output(2)) : nullptr;
    return PagedCache::attend(run, kQuery, kPageTable, kStart, query);
  }
  if (Status status = attendJoint(run, kQuery, 0, 0); !status)
    return status;
  if (!run.hasInput(kJointQuery))
    return Status::success();
  return attendJoint(run, kJointQuery, 1, run.types.input(kQuery)->shape[2]);
}

} // namespace

void registerAttentionOps(OpTable &table) {
  Op sdpa;
  sdpa.name = "sdpa";
  sdpa.signature.inputs = {3, 5};
  sdpa.signature.attributes = {{"causal", AttributeKind::Int},
                               {"scale", AttributeKind::Float},
                               {"window", AttributeKind::Int},
                               {"sink_scaled", AttributeKind::Int}};
  sdpa.signature.verify = verifySdpa;
  sdpa.run = runSdpa;
  sdpa.access.takesPacked = isKeyOrValue;
  sdpa.access.takesPieces = readsRows;
  sdpa.costs.keysAndValues = {1, 2};
  sdpa.costs.scratchBytes = singleScratch;
  sdpa.costs.flops = [](const OpTypes &types, int64_t device) {
    return blockFlops(types, device, 0, sdpaBand(types));
  };
  sdpa.costs.attention = [](const OpTypes &types, int64_t device) {
    AttentionWork work = attentionWork(types, device, 0, sdpaBand(types));
    work.mask = types.inputCount() > 3 && types.input(3);
    return work;
  };
  table.add(std::move(sdpa));

  Op forward;
  forward.name = "sdpa_fw";
  forward.signature.inputs = {3, 4};
  forward.signature.outputs.most = 2;
  forward.signature.attributes = {{"mask_type", AttributeKind::String, true},
                                  {"scale", AttributeKind::Float}};
  forward.signature.verify = verifyForward;
  forward.run = runForward;
  forward.access.takesPacked = isKeyOrValue;
  forward.access.takesPieces = readsRows;
  forward.costs.keysAndValues = {1, 2};
  forward.costs.scratchBytes = singleScratch;
  forward.costs.flops = [](const OpTypes &types, int64_t device) {
    bool causal = types.text("mask_type") == "causal";
    return blockFlops(types, device, 0, causal ? Band::causal() : Band{});
  };
  forward.costs.attention = [](const OpTypes &types, int64_t device) {
    bool causal = types.text("mask_type") == "causal";
    AttentionWork work =
        attentionWork(types, device, 0, causal ? Band::causal() : Band{});
    work.mask = types.inputCount() > 3 && types.input(3);
    return work;
  };
  table.add(std::move(forward));

  Op attention;
  attention.name = "ring.attention";
  attention.signature.inputs = {3, 11};
  attention.signature.outputs.most = 3;
  attention.signature.attributes = {
      {"before", AttributeKind::Int},    {"after", AttributeKind::Int},
      {"scale", AttributeKind::Float},   {"length", AttributeKind::Int},
      {"key_shift", AttributeKind::Int}, {"joint_length", AttributeKind::Int}};
  for (AttributeSpec &spec : rowSetAttributes())
    attention.signature.attributes.push_back(spec);
  attention.signature.verify = verifyRingAttention;
  attention.run = runRingAttention;
  attention.costs.keysAndValues = {kKey, kValue};
  attention.signature.indices = [](const OpTypes &types,
                                   size_t i) -> std::optional<IndexRange> {
    int64_t queries = types.input(kQuery)->shape[2];
    int64_t keys = types.input(kKey)->shape[2];
    if (i == kDocuments)
      return IndexRange{keys + 1};
    if (types.input(kPageTable) && i >= kPageTable)
      return PagedCache::indices(types, kQuery, kPageTable, kStart, queries, i);
    if (i == kStart)
      return IndexRange{std::max<int64_t>(keys - queries, 0) + 1};
    return std::nullopt;
  };
  attention.access.takesPacked = [](const OpTypes &types, size_t i) {
    return !hasRowSets(types) && !types.input(kPageTable) &&
           (isKeyOrValue(types, i) || i == kJointKey || i == kJointValue);
  };
  attention.costs.scratchBytes = [](const OpTypes &types, int threads) {
    if (hasRowSets(types))
      return rowSetScratch(types, threads);
    if (types.input(kPageTable))
      return PagedCache::scratchBytes(types, kQuery, kPageTable, threads);
    return wholeScratch(types, threads);
  };
  attention.costs.flops = [](const OpTypes &types, int64_t device) {
    if (hasRowSets(types))
      return rowSetFlops(types);
    return types.input(kPageTable)
               ? PagedCache::flops(types, kQuery, kPageTable, types.band())
               : blockFlops(types, device, kQuery, countedBand(types));
  };
  attention.costs.attention = [](const OpTypes &types, int64_t device) {
    if (types.input(kPageTable))
      return PagedCache::work(types, kQuery, kPageTable, types.band());
    // Segments and documents are cut out and attended one by one: rows are
    // alike.
    if (hasRowSets(types)) {
      AttentionWork work;
      work.shape = shapeOf(types);
      return work;
    }
    AttentionWork work =
        attentionWork(types, device, kQuery, countedBand(types));
    work.mask = types.inputCount() > kMask && types.input(kMask);
    return work;
  };
  table.add(std::move(attention));
}

} // namespace ring::rt
