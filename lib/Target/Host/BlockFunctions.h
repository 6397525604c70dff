// SPDX-License-Identifier: Apache-2.0
// Functions of a host program that attend to one block in ttnn's own ops.

#ifndef RING_LIB_TARGET_HOST_BLOCKFUNCTIONS_H
#define RING_LIB_TARGET_HOST_BLOCKFUNCTIONS_H

#include "FunctionDescriber.h"

namespace mlir::ring::host {

enum class Mask {
  None,
  Causal,
  Kept, ///< 1 where a key counts, 0 where it does not
  Added ///< added to the scores
};

/// The types of a block decide what its function does.
struct Block {
  RankedTensorType query, key, value;
  Mask mask = Mask::None;
  /// That of the mask, if it is an operand.
  RankedTensorType maskType;
  double scale = 0;

  Block(Value query, Value key, Value value, Mask mask, Value maskOperand,
        std::optional<double> scale);

  /// Query heads for each key head.
  int64_t groups() const;
  bool isHalf() const { return query.getElementType().isBF16(); }
  /// How many queries are attended to at a time: all, or as many as have scores
  /// of so many bytes.
  int64_t rowsAtATime(int64_t scoreBytes) const;
  /// The block of so many of the queries, with a key head for each of their
  /// heads. Which keys a causal one shows depends on where its queries stand,
  /// so that it is told by a mask.
  Block withRows(int64_t rows) const;
  /// Blocks of the same text have the same functions.
  std::string text() const;
};

/// The name of a function of query, key, value and mask, if there is one as an
/// operand, that gives the output and the log-sum-exp in 32 columns.
std::string forwardBlock(ProgramDescriber &program, const Block &block,
                         bool givesLse);

/// The name of a function of the output's gradient, the output, query, key,
/// value, log-sum-exp and mask that gives the gradients of query, key and
/// value.
std::string backwardBlock(ProgramDescriber &program, const Block &block);

} // namespace mlir::ring::host

#endif // RING_LIB_TARGET_HOST_BLOCKFUNCTIONS_H
