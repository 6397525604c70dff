// SPDX-License-Identifier: Apache-2.0
//
// Products of tensors, one number of the result at a time.

#include "Reference/Reference.h"

#include <algorithm>

namespace ring::rt::reference {

namespace {

Status matmul(Call &call) {
  bool flipA = call.types.flag("transpose_a");
  bool flipB = call.types.flag("transpose_b");
  const Shape &a = call.inputShape(0), &b = call.inputShape(1);
  int64_t depth = a[a.size() - (flipA ? 2 : 1)];
  forEachIndex(call.outputShape(0), [&](const Shape &index, int64_t flat) {
    int64_t row = index[index.size() - 2], column = index.back();
    // An index of the full rank whose last two entries are the matrix's own.
    Shape atA = index, atB = index;
    double sum = 0;
    for (int64_t k = 0; k < depth; ++k) {
      atA[atA.size() - 2] = flipA ? k : row;
      atA.back() = flipA ? row : k;
      atB[atB.size() - 2] = flipB ? column : k;
      atB.back() = flipB ? k : column;
      sum += call.input(0)[broadcastPlace(a, atA)] *
             call.input(1)[broadcastPlace(b, atB)];
    }
    if (call.hasInput(2))
      sum += call.input(2)[broadcastPlace(call.inputShape(2), index)];
    call.outputs[0][flat] = sum;
  });
  return Status::success();
}

Status dotGeneral(Call &call) {
  const Shape &a = call.inputShape(0), &b = call.inputShape(1);
  std::vector<int64_t> batchA = call.types.ints("batch_a");
  std::vector<int64_t> batchB = call.types.ints("batch_b");
  std::vector<int64_t> innerA = call.types.ints("contract_a");
  std::vector<int64_t> innerB = call.types.ints("contract_b");
  auto isIn = [](const std::vector<int64_t> &list, size_t dim) {
    return std::find(list.begin(), list.end(), static_cast<int64_t>(dim)) !=
           list.end();
  };
  Shape inner;
  for (int64_t dim : innerA)
    inner.push_back(a[dim]);
  forEachIndex(call.outputShape(0), [&](const Shape &index, int64_t flat) {
    Shape atA(a.size(), 0), atB(b.size(), 0);
    size_t next = 0;
    for (size_t i = 0; i < batchA.size(); ++i, ++next)
      atA[batchA[i]] = atB[batchB[i]] = index[next];
    for (size_t d = 0; d < a.size(); ++d)
      if (!isIn(batchA, d) && !isIn(innerA, d))
        atA[d] = index[next++];
    for (size_t d = 0; d < b.size(); ++d)
      if (!isIn(batchB, d) && !isIn(innerB, d))
        atB[d] = index[next++];
    double sum = 0;
    forEachIndex(inner, [&](const Shape &k, int64_t) {
      for (size_t i = 0; i < k.size(); ++i) {
        atA[innerA[i]] = k[i];
        atB[innerB[i]] = k[i];
      }
      sum += call.input(0)[flatten(a, atA)] * call.input(1)[flatten(b, atB)];
    });
    call.outputs[0][flat] = sum;
  });
  return Status::success();
}

} // namespace

void addProducts(Table &table) {
  table["matmul"] = matmul;
  table["linear"] = matmul;
  table["dot_general"] = dotGeneral;
}

} // namespace ring::rt::reference
