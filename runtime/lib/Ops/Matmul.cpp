// SPDX-License-Identifier: Apache-2.0
//
// Products of tensors.

#include "Kernels/Matmul.h"
#include "Data/Numbers.h"
#include "Ops/AttentionBlock.h"
#include "Ops/MatrixProduct.h"
#include "Ops/Op.h"
#include "Ops/OpRun.h"
#include "Ops/StridedLoop.h"

#include <algorithm>

namespace ring::rt {

namespace {

/// Walks an index space and calls `visit` with the offset of each index.
template <typename Visit>
void forEachOffset(const Shape &shape, const Shape &strides, Visit visit) {
  int64_t count = elementCount(shape);
  for (int64_t index = 0; index < count; ++index) {
    int64_t offset = 0, rest = index;
    for (size_t i = shape.size(); i-- > 0;) {
      offset += rest % shape[i] * strides[i];
      rest /= shape[i];
    }
    visit(index, offset);
  }
}

std::vector<int64_t> offsetsOf(const Shape &shape, const Shape &strides) {
  std::vector<int64_t> offsets(elementCount(shape));
  forEachOffset(shape, strides,
                [&](int64_t i, int64_t offset) { offsets[i] = offset; });
  return offsets;
}

/// Whether the kernel can compute it: floats, and one dimension each of rows,
/// columns and inner.
bool isMatrixProduct(const OpTypes &types, const MatrixProduct &product) {
  for (const ValueType *type : {types.input(0), types.input(1)})
    if (!isFloat(type->element))
      return false;
  return isFloat(types.output(0)->element) && product.rows.size() == 1 &&
         product.columns.size() == 1 && product.inner.size() == 1;
}

kernels::MatmulShape kernelShape(const MatrixProduct &product) {
  return {1, product.rows[0], product.columns[0], product.inner[0]};
}

/// The product by the kernel, one batch entry after the other, into dense
/// memory of the given type.
Status runKernel(OpRun &run, const MatrixProduct &product, uint8_t *into,
                 kernels::ElementType element) {
  std::vector<int64_t> batchA = offsetsOf(product.batch, product.batchA);
  std::vector<int64_t> batchB = offsetsOf(product.batch, product.batchB);
  kernels::MatmulShape shape = kernelShape(product);
  kernels::ElementType left = kernelElement(run.inputElement(0));
  kernels::ElementType right = kernelElement(run.inputElement(1));
  int64_t items = kernels::matmulWorkItems(shape);
  int64_t bytes = shape.rows * shape.columns * kernels::elementBytes(element);
  return run.parallelFor(
      static_cast<int64_t>(batchA.size()) * items, 1,
      static_cast<int64_t>(kernels::matmulScratchBytes(shape)),
      [&](int64_t begin, int64_t end, void *scratch) {
        for (int64_t item = begin; item < end; ++item) {
          int64_t batch = item / items, block = item % items;
          kernels::matmul(
              shape,
              {run.input(0) + batchA[batch] * kernels::elementBytes(left), left,
               0, product.rowA[0], product.innerA[0]},
              {run.input(1) + batchB[batch] * kernels::elementBytes(right),
               right, 0, product.innerB[0], product.columnB[0]},
              {into + batch * bytes, element, 0, shape.columns},
              {block, block + 1}, scratch);
        }
      });
}

/// Adds a bias, broadcast, to f32 numbers and stores them as the result.
Status addBias(OpRun &run, float *numbers) {
  const Shape &shape = run.types.output(0)->shape;
  StridedLoop loop(shape, {broadcastStrides(run.types.input(2)->shape, shape),
                           denseStrides(shape)});
  return run.parallelFor(
      loop.rows(), loop.grain(), [&](int64_t begin, int64_t end) {
        constexpr int64_t kChunk = 256;
        float bias[kChunk];
        for (int64_t row = begin; row < end; ++row)
          for (int64_t i = 0; i < loop.rowLength(); i += kChunk) {
            int64_t count = std::min(kChunk, loop.rowLength() - i);
            int64_t place = loop.offset(1, row) + i;
            loadNumbers(run.input(2), run.inputElement(2),
                        loop.offset(0, row) + i * loop.innerStride(0),
                        loop.innerStride(0), bias, count);
            for (int64_t j = 0; j < count; ++j)
              bias[j] += numbers[place + j];
            storeNumbers(run.output(0), run.outputElement(0), place, bias,
                         count);
          }
      });
}

/// Everything else, one number at a time: products of integers, which are
/// exact in f64, and of any dimensions.
Status runPlain(OpRun &run, const MatrixProduct &product) {
  std::vector<int64_t> batchA = offsetsOf(product.batch, product.batchA);
  std::vector<int64_t> batchB = offsetsOf(product.batch, product.batchB);
  std::vector<int64_t> rowA = offsetsOf(product.rows, product.rowA);
  std::vector<int64_t> columnB = offsetsOf(product.columns, product.columnB);
  std::vector<int64_t> innerA = offsetsOf(product.inner, product.innerA);
  std::vector<int64_t> innerB = offsetsOf(product.inner, product.innerB);
  const int64_t rows = rowA.size(), columns = columnB.size();
  const Shape &shape = run.types.output(0)->shape;
  bool biased = run.hasInput(2);
  std::vector<int64_t> bias;
  if (biased)
    bias = offsetsOf(shape, broadcastStrides(run.types.input(2)->shape, shape));
  return run.parallelFor(
      static_cast<int64_t>(batchA.size()) * rows, 1,
      [&](int64_t begin, int64_t end) {
        for (int64_t item = begin; item < end; ++item)
          for (int64_t j = 0; j < columns; ++j) {
            double sum = 0;
            for (size_t k = 0; k < innerA.size(); ++k)
              sum += loadNumber(run.input(0), run.inputElement(0),
                                batchA[item / rows] + rowA[item % rows] +
                                    innerA[k]) *
                     loadNumber(run.input(1), run.inputElement(1),
                                batchB[item / rows] + columnB[j] + innerB[k]);
            int64_t place = item * columns + j;
            if (biased)
              sum += loadNumber(run.input(2), run.inputElement(2), bias[place]);
            storeNumbers(run.output(0), run.outputElement(0), place, &sum, 1);
          }
      });
}

Status runProduct(OpRun &run, const MatrixProduct &product) {
  if (!isMatrixProduct(run.types, product))
    return runPlain(run, product);
  kernels::ElementType element = kernelElement(run.outputElement(0));
  if (!run.hasInput(2))
    return runKernel(run, product, run.output(0), element);
  // The bias is added before the sum is rounded.
  Bytes own;
  uint8_t *sums = run.output(0);
  if (element != kernels::ElementType::F32) {
    own = allocateBytes(elementCount(run.types.output(0)->shape) *
                        static_cast<int64_t>(sizeof(float)));
    if (!own)
      return error("there is no memory for a product in f32");
    sums = own.get();
  }
  if (Status status = runKernel(run, product, sums, kernels::ElementType::F32);
      !status)
    return status;
  return addBias(run, reinterpret_cast<float *>(sums));
}

int64_t productScratch(const OpTypes &types, const MatrixProduct &product,
                       int threads) {
  if (!isMatrixProduct(types, product))
    return 0;
  int64_t bytes =
      threads *
      static_cast<int64_t>(kernels::matmulScratchBytes(kernelShape(product)));
  if (types.input(2) &&
      computedElement(types.output(0)->element) != ElementType::F32)
    bytes += elementCount(types.output(0)->shape) *
             static_cast<int64_t>(sizeof(float));
  return bytes;
}

Op productOp(const char *name, Result<MatrixProduct> (*get)(const OpTypes &)) {
  Op op;
  op.name = name;
  op.signature.inputs = {2, 2};
  op.signature.verify = [get](const OpTypes &types) {
    if (Status status = expectTensors(types); !status)
      return status;
    Result<MatrixProduct> product = get(types);
    if (!product)
      return product.status();
    Shape shape = product->resultShape();
    if (shape.size() > 8)
      return error("expects a result of at most 8 dimensions, but got ",
                   shape.size());
    if (types.inputCount() > 2 && types.input(2)) {
      Result<Shape> joint = broadcastShapes({&shape, &types.input(2)->shape});
      if (!joint)
        return joint.status();
      if (*joint != shape)
        return error("expects a bias that broadcasts to ", describe(shape),
                     ", but got ", describe(*types.input(2)));
    }
    return expectShape(types, 0, shape);
  };
  op.run = [get](OpRun &run) { return runProduct(run, *get(run.types)); };
  op.costs.flops = [get](const OpTypes &types, int64_t) {
    return get(types)->flops();
  };
  op.costs.product = [get](const OpTypes &types) {
    Result<MatrixProduct> product = get(types);
    return ProductWork{
        elementCount(product->batch), elementCount(product->rows),
        elementCount(product->inner), elementCount(product->columns)};
  };
  op.costs.scratchBytes = [get](const OpTypes &types, int threads) {
    return productScratch(types, *get(types), threads);
  };
  return op;
}

} // namespace

void registerMatmulOps(OpTable &table) {
  std::vector<AttributeSpec> transposes = {{"transpose_a", AttributeKind::Int},
                                           {"transpose_b", AttributeKind::Int}};
  Op matmul = productOp("matmul", MatrixProduct::ofMatmul);
  matmul.signature.attributes = transposes;
  table.add(std::move(matmul));

  Op linear = productOp("linear", MatrixProduct::ofMatmul);
  linear.signature.attributes = transposes;
  linear.signature.inputs.most = 3;
  table.add(std::move(linear));

  Op dotGeneral = productOp("dot_general", MatrixProduct::ofDotGeneral);
  dotGeneral.signature.attributes = {{"batch_a", AttributeKind::Ints, true},
                                     {"batch_b", AttributeKind::Ints, true},
                                     {"contract_a", AttributeKind::Ints, true},
                                     {"contract_b", AttributeKind::Ints, true}};
  table.add(std::move(dotGeneral));
}

} // namespace ring::rt
