// SPDX-License-Identifier: Apache-2.0
//
// Matrix products of all layouts against sums in double precision.

#include "Kernels/Matmul.h"
#include "KernelTest.h"

#include <random>

namespace ring::rt::kernels::test {
namespace {

/// A random matrix [batch, rows, columns], stored as it is or transposed.
struct TestMatrix {
  TestMatrix(std::mt19937 &engine, int64_t batch, int64_t rows, int64_t columns,
             bool transpose, ElementType type)
      : wide(batch * rows * columns), narrow(wide.size()) {
    std::normal_distribution<float> normal;
    for (size_t i = 0; i < wide.size(); ++i) {
      narrow[i] = floatToBf16(normal(engine));
      wide[i] =
          type == ElementType::F32 ? normal(engine) : bf16ToFloat(narrow[i]);
    }
    view.type = type;
    view.data = wide.data();
    if (type == ElementType::BF16)
      view.data = narrow.data();
    view.batchStride = rows * columns;
    view.rowStride = transpose ? 1 : columns;
    view.columnStride = transpose ? rows : 1;
  }
  double at(int64_t b, int64_t row, int64_t column) const {
    return wide[b * view.batchStride + row * view.rowStride +
                column * view.columnStride];
  }
  std::vector<float> wide;
  std::vector<uint16_t> narrow;
  MatrixView view;
};

class Matmul : public testing::TestWithParam<int64_t> {
protected:
  ScopedTarget target{GetParam()};
  std::mt19937 engine{3};

  void check(const MatmulShape &shape, bool transposeLeft, bool transposeRight,
             ElementType type) {
    TestMatrix left(engine, shape.batch, shape.rows, shape.depth, transposeLeft,
                    type);
    TestMatrix right(engine, shape.batch, shape.depth, shape.columns,
                     transposeRight, type);
    // The right side of one batch serves all when asked to broadcast.
    const int64_t stride = shape.columns + 3;
    std::vector<float> actual(shape.batch * shape.rows * stride, -7.0f);
    std::vector<float> simple = actual;
    std::vector<double> expected(actual.begin(), actual.end());
    for (int64_t b = 0; b < shape.batch; ++b)
      for (int64_t i = 0; i < shape.rows; ++i)
        for (int64_t j = 0; j < shape.columns; ++j) {
          double sum = 0;
          for (int64_t k = 0; k < shape.depth; ++k)
            sum += left.at(b, i, k) * right.at(b, k, j);
          expected[(b * shape.rows + i) * stride + j] = sum;
        }
    const auto into = [&](std::vector<float> &to) {
      return MutableMatrixView{to.data(), ElementType::F32, shape.rows * stride,
                               stride};
    };
    for (int64_t item = 0; item < matmulWorkItems(shape); ++item) {
      auto scratch = allocateNaN(matmulScratchBytes(shape));
      matmul(shape, left.view, right.view, into(actual), {item, item + 1},
             scratch.get());
    }
    EXPECT_LE(relativeError(actual, expected), 1e-5);
    matmulReference(shape, left.view, right.view, into(simple));
    EXPECT_LE(relativeError(simple, expected), 1e-5);
  }
};

TEST_P(Matmul, ShapesAndTransposes) {
  for (const MatmulShape &shape :
       {MatmulShape{1, 1, 1, 1}, MatmulShape{2, 13, 33, 7},
        MatmulShape{1, 200, 300, 270}, MatmulShape{3, 5, 64, 100},
        MatmulShape{1, 193, 1, 513}})
    for (int bits = 0; bits < 8; ++bits)
      check(shape, bits & 1, bits & 2,
            bits & 4 ? ElementType::BF16 : ElementType::F32);
}

TEST_P(Matmul, NoDepthIsZero) {
  const MatmulShape shape{1, 3, 4, 0};
  std::vector<float> result(12, NAN);
  auto scratch = allocateNaN(matmulScratchBytes(shape));
  matmul(shape, {}, {}, {result.data(), ElementType::F32, 12, 4},
         {0, matmulWorkItems(shape)}, scratch.get());
  for (float value : result)
    EXPECT_EQ(value, 0.0f);
}

TEST_P(Matmul, BroadcastAndBf16Result) {
  const MatmulShape shape{2, 4, 20, 16};
  TestMatrix left(engine, 2, 4, 16, false, ElementType::F32);
  TestMatrix right(engine, 1, 16, 20, false, ElementType::F32);
  right.view.batchStride = 0;
  std::vector<uint16_t> result(2 * 4 * 20);
  auto scratch = allocateNaN(matmulScratchBytes(shape));
  matmul(shape, left.view, right.view,
         {result.data(), ElementType::BF16, 80, 20},
         {0, matmulWorkItems(shape)}, scratch.get());
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t i = 0; i < 4; ++i)
      for (int64_t j = 0; j < 20; ++j) {
        double sum = 0;
        for (int64_t k = 0; k < 16; ++k)
          sum += left.at(b, i, k) * right.at(0, k, j);
        // Half a unit in the last of 8 bits, and a little for the sum.
        EXPECT_NEAR(bf16ToFloat(result[(b * 4 + i) * 20 + j]), sum,
                    std::fabs(sum) / 255 + 1e-5);
      }
}

INSTANTIATE_TEST_SUITE_P(Targets, Matmul, testing::ValuesIn(targetsOfMachine()),
                         targetOfTest);

} // namespace
} // namespace ring::rt::kernels::test
