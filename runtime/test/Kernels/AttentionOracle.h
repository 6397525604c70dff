// SPDX-License-Identifier: Apache-2.0
//
// Attention in double precision with the whole matrix of scores in memory:
// written from the formula, sharing nothing with the kernels but the structures
// that describe a problem.

#ifndef RING_RUNTIME_TEST_KERNELS_ATTENTIONORACLE_H
#define RING_RUNTIME_TEST_KERNELS_ATTENTIONORACLE_H

#include "Kernels/Attention.h"

#include <random>
#include <vector>

namespace ring::rt::kernels::test {

/// A tensor as the kernels see it (maybe bf16, maybe with gaps between rows)
/// and the exact values that its bits stand for, dense.
struct TestTensor {
  std::vector<double> exact;
  std::vector<float> wide;
  std::vector<uint16_t> narrow;
  TensorView view;

  /// Normal values times `spread`. `gap` elements of NaN separate rows.
  static TestTensor random(std::mt19937 &engine, int64_t batch, int64_t heads,
                           int64_t rows, int64_t dim, ElementType type,
                           int64_t gap = 0, float spread = 1.0f);
};

/// One problem with its data.
struct AttentionCase {
  AttentionProblem problem;
  std::vector<PositionRange> queryRanges;
  std::vector<PositionRange> keyRanges;
  TestTensor q, k, v;
  std::vector<float> maskWide;
  std::vector<uint16_t> maskNarrow;
  std::vector<float> sinks;

  AttentionCase() = default;
  AttentionCase(AttentionCase &&) = default;

  /// Points the problem at the ranges.
  void usePositions(std::vector<PositionRange> query,
                    std::vector<PositionRange> key);

  /// A random mask [1|batch, 1|heads, 1|queries, keys]; one key in four is
  /// hidden by -inf.
  void useMask(std::mt19937 &engine, bool perBatch, bool perHead, bool perQuery,
               ElementType type);
};

/// A case of random data without mask and positions.
AttentionCase makeCase(std::mt19937 &engine, const AttentionShape &shape,
                       ElementType type = ElementType::F32, int64_t gap = 0,
                       float spread = 1.0f);

/// The answer: out [batch, queryHeads, queries, valueDim] and lse.
struct OracleResult {
  std::vector<double> out;
  std::vector<double> lse;
};

OracleResult oracle(const AttentionCase &test);

/// The gradients of sum(out * outGrad), dense.
struct OracleGradients {
  std::vector<double> q, k, v;
};

OracleGradients oracleBackward(const AttentionCase &test,
                               const std::vector<double> &outGrad);

} // namespace ring::rt::kernels::test

#endif // RING_RUNTIME_TEST_KERNELS_ATTENTIONORACLE_H
