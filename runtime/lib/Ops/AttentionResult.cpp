// SPDX-License-Identifier: Apache-2.0
//
// Memory of an attention within one instruction.

#include "Ops/AttentionResult.h"

namespace ring::rt {

namespace {

bool isDense(const kernels::AttentionShape &shape,
             const kernels::MutableTensorView &view) {
  return view.rowStride == shape.valueDim &&
         view.headStride == shape.queries * shape.valueDim &&
         view.batchStride == shape.queryHeads * view.headStride;
}

} // namespace

Result<AttentionResult>
AttentionResult::make(const kernels::AttentionShape &shape,
                      const kernels::MutableTensorView &result,
                      const std::vector<float> &sinks) {
  AttentionResult made;
  made.shape = shape;
  made.into = result;
  bool inPlace =
      result.type == kernels::ElementType::F32 && isDense(shape, result);
  int64_t rows = shape.batch * shape.queryHeads * shape.queries;
  int64_t floats = 2 * rows + (inPlace ? 0 : rows * shape.valueDim);
  made.memory = allocateBytes(floats * static_cast<int64_t>(sizeof(float)));
  if (!made.memory)
    return error("there is no memory for a state of ", floats, " floats");
  float *own = reinterpret_cast<float *>(made.memory.get());
  made.state.max = own;
  made.state.sum = own + rows;
  made.state.out = inPlace ? static_cast<float *>(result.data) : own + 2 * rows;
  kernels::initState(shape, made.state, sinks.empty() ? nullptr : sinks.data());
  return made;
}

Result<AttentionResult>
AttentionResult::make(const kernels::AttentionShape &shape, uint8_t *result,
                      ElementType element, const std::vector<float> &sinks) {
  return make(shape,
              kernels::denseView(static_cast<void *>(result),
                                 kernelElement(element), shape.queryHeads,
                                 shape.queries, shape.valueDim),
              sinks);
}

void AttentionResult::finish(float *lse) {
  kernels::finish(shape, state, into, lse);
}

int64_t AttentionResult::scratchBytes(const kernels::AttentionShape &shape,
                                      ElementType element) {
  int64_t rows = shape.batch * shape.queryHeads * shape.queries;
  int64_t floats = 2 * rows;
  if (computedElement(element) != ElementType::F32)
    floats += rows * shape.valueDim;
  return floats * static_cast<int64_t>(sizeof(float));
}

Status attendBlock(OpRun &run, const AttentionBlock &block,
                   const kernels::TensorView &query, const HeadRows &key,
                   const HeadRows &value, const std::vector<float> &sinks,
                   uint8_t *result, ElementType element, float *lse) {
  const kernels::AttentionShape &shape = block.problem.shape;
  if (!packsKeys(shape)) {
    Result<AttentionResult> whole =
        AttentionResult::make(shape, result, element, sinks);
    if (!whole)
      return whole.status();
    Status status =
        accumulateBlock(run, block, query, key, value, whole->state);
    if (status)
      whole->finish(lse);
    return status;
  }
  Result<PackedKeys> packed = packKeys(run, block.problem, key, value);
  if (!packed)
    return packed.status();
  const kernels::MutableTensorView into =
      kernels::denseView(static_cast<void *>(result), kernelElement(element),
                         shape.queryHeads, shape.queries, shape.valueDim);
  return run.parallelFor(
      kernels::workItems(shape), 1, kernels::accumulateScratchBytes(shape),
      [&](int64_t begin, int64_t end, void *scratch) {
        kernels::attend(block.problem, query, packed->block,
                        sinks.empty() ? nullptr : sinks.data(), into, lse,
                        {begin, end}, scratch);
      });
}

int64_t attendScratch(const kernels::AttentionShape &shape, ElementType element,
                      int threads) {
  return accumulateScratch(shape, threads) +
         (packsKeys(shape) ? 0 : AttentionResult::scratchBytes(shape, element));
}

} // namespace ring::rt
