// SPDX-License-Identifier: Apache-2.0
//
// From shapes and attributes to a batch of matrix products.

#include "Ops/MatrixProduct.h"

#include "Ops/StridedLoop.h"

namespace ring::rt {

Result<MatrixProduct> MatrixProduct::ofMatmul(const OpTypes &types) {
  const Shape &a = types.input(0)->shape, &b = types.input(1)->shape;
  if (a.size() < 2 || b.size() < 2)
    return error("expects operands of at least 2 dimensions, but got ",
                 describe(a), " and ", describe(b));
  Shape leadA(a.begin(), a.end() - 2), leadB(b.begin(), b.end() - 2);
  Result<Shape> batch = broadcastShapes({&leadA, &leadB});
  if (!batch)
    return batch.status();
  Shape denseA = denseStrides(a), denseB = denseStrides(b);
  // The dimension of a that is contracted, and the one of b.
  size_t innerA = a.size() - (types.flag("transpose_a") ? 2 : 1);
  size_t rowA = a.size() - (types.flag("transpose_a") ? 1 : 2);
  size_t innerB = b.size() - (types.flag("transpose_b") ? 1 : 2);
  size_t columnB = b.size() - (types.flag("transpose_b") ? 2 : 1);
  if (a[innerA] != b[innerB])
    return error("expects inner dimensions that agree, but got ", a[innerA],
                 " and ", b[innerB]);
  // Broadcast strides of the leading dimensions count whole matrices.
  auto batchStrides = [&](const Shape &lead, int64_t matrix) {
    Shape strides = broadcastStrides(lead, *batch);
    for (int64_t &stride : strides)
      stride *= matrix;
    return strides;
  };
  MatrixProduct product;
  product.batch = *batch;
  product.rows = {a[rowA]};
  product.columns = {b[columnB]};
  product.inner = {a[innerA]};
  product.batchA = batchStrides(leadA, a[rowA] * a[innerA]);
  product.batchB = batchStrides(leadB, b[innerB] * b[columnB]);
  product.rowA = {denseA[rowA]};
  product.columnB = {denseB[columnB]};
  product.innerA = {denseA[innerA]};
  product.innerB = {denseB[innerB]};
  return product;
}

Result<MatrixProduct> MatrixProduct::ofDotGeneral(const OpTypes &types) {
  const Shape &a = types.input(0)->shape, &b = types.input(1)->shape;
  const std::vector<int64_t> &batchA = types.ints("batch_a");
  const std::vector<int64_t> &batchB = types.ints("batch_b");
  const std::vector<int64_t> &innerA = types.ints("contract_a");
  const std::vector<int64_t> &innerB = types.ints("contract_b");
  if (batchA.size() != batchB.size() || innerA.size() != innerB.size())
    return error("expects as many dimensions on both sides, but got ",
                 batchA.size(), " and ", batchB.size(), " batch, ",
                 innerA.size(), " and ", innerB.size(), " contracted");
  std::vector<bool> usedA(a.size(), false), usedB(b.size(), false);
  auto use = [](std::vector<bool> &used, int64_t dim) {
    if (dim < 0 || dim >= static_cast<int64_t>(used.size()) || used[dim])
      return false;
    used[dim] = true;
    return true;
  };
  Shape denseA = denseStrides(a), denseB = denseStrides(b);
  MatrixProduct product;
  auto pair = [&](const std::vector<int64_t> &dimsA,
                  const std::vector<int64_t> &dimsB, Shape &sizes,
                  Shape &stridesA, Shape &stridesB) -> Status {
    for (size_t i = 0; i < dimsA.size(); ++i) {
      if (!use(usedA, dimsA[i]) || !use(usedB, dimsB[i]))
        return error("expects dimensions that exist and occur once, but got ",
                     dimsA[i], " and ", dimsB[i]);
      if (a[dimsA[i]] != b[dimsB[i]])
        return error("expects paired dimensions that agree, but got ",
                     a[dimsA[i]], " and ", b[dimsB[i]]);
      sizes.push_back(a[dimsA[i]]);
      stridesA.push_back(denseA[dimsA[i]]);
      stridesB.push_back(denseB[dimsB[i]]);
    }
    return Status::success();
  };
  if (Status status =
          pair(batchA, batchB, product.batch, product.batchA, product.batchB);
      !status)
    return status;
  if (Status status =
          pair(innerA, innerB, product.inner, product.innerA, product.innerB);
      !status)
    return status;
  for (size_t i = 0; i < a.size(); ++i)
    if (!usedA[i]) {
      product.rows.push_back(a[i]);
      product.rowA.push_back(denseA[i]);
    }
  for (size_t i = 0; i < b.size(); ++i)
    if (!usedB[i]) {
      product.columns.push_back(b[i]);
      product.columnB.push_back(denseB[i]);
    }
  return product;
}

Shape MatrixProduct::resultShape() const {
  Shape shape = batch;
  shape.insert(shape.end(), rows.begin(), rows.end());
  shape.insert(shape.end(), columns.begin(), columns.end());
  return shape;
}

double MatrixProduct::flops() const {
  return 2.0 * static_cast<double>(elementCount(batch)) *
         static_cast<double>(elementCount(rows)) *
         static_cast<double>(elementCount(columns)) *
         static_cast<double>(elementCount(inner));
}

} // namespace ring::rt
