// SPDX-License-Identifier: Apache-2.0
//
// Sets of rows as strided views.

#include "Ops/RowSets.h"

namespace ring::rt {

kernels::AttentionShape RowSets::shapeOf(int64_t queries, int64_t keys) const {
  kernels::AttentionShape shape;
  shape.queries = queries;
  shape.keys = keys;
  shape.keyDim = types.input(first)->shape[3];
  shape.valueDim = types.input(first + 2)->shape[3];
  return shape;
}

kernels::TensorView RowSets::strided(const OpRun &run, size_t i,
                                     const DilatedRows &set, int64_t chunk,
                                     int64_t head) const {
  const Shape &shape = types.input(i)->shape;
  kernels::TensorView view;
  view.type = kernelElement(run.inputElement(i));
  view.rowStride = set.rate * shape[3];
  view.data = run.input(i) + (head * shape[2] + set.beginOf(chunk)) * shape[3] *
                                 kernels::elementBytes(view.type);
  return view;
}

void RowSets::attend(const OpRun &run, const DilatedRows &set, int64_t chunk,
                     int64_t head, int64_t keyHead,
                     const kernels::AttentionState &state,
                     void *scratch) const {
  kernels::initState(shapeOf(set.count, set.count), state);
  forEachKeys(set, chunk, [&](int64_t from, const AttentionBlock &block) {
    kernels::accumulateUnpacked(
        block.problem, strided(run, first, set, chunk, head),
        strided(run, first + 1, set, from, keyHead),
        strided(run, first + 2, set, from, keyHead), state,
        {0, kernels::workItems(block.problem.shape)}, scratch);
  });
}

} // namespace ring::rt
