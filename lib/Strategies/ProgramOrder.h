// SPDX-License-Identifier: Apache-2.0
// Which of two ops of a block comes first, while ops are being inserted.
//
// Operation::isBeforeInBlock leaves four places between two ops and numbers the
// whole block anew when they are used up: rewriting all steps of a thousand
// layers in one block then takes quadratic time. Here there is room for 2^32
// between two ops.

#ifndef RING_LIB_STRATEGIES_PROGRAMORDER_H
#define RING_LIB_STRATEGIES_PROGRAMORDER_H

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::ring {

/// The order of the ops of every block below an op. It is kept up to date as
/// the listener of whatever rewrites them.
class ProgramOrder : public RewriterBase::Listener {
public:
  explicit ProgramOrder(Operation *root) {
    root->walk([&](Block *block) { number(*block); });
  }

  /// Whether `a` comes before `b`. Both are in the same block.
  bool isBefore(Operation *a, Operation *b) const {
    return numbers.lookup(a) < numbers.lookup(b);
  }

  void notifyOperationInserted(Operation *op,
                               OpBuilder::InsertPoint previous) override {
    Operation *before = op->getPrevNode(), *after = op->getNextNode();
    uint64_t low = before ? numbers.lookup(before) : 0;
    uint64_t high = after ? numbers.lookup(after) : low + 2 * kGap;
    if (high - low < 2)
      return number(*op->getBlock());
    numbers[op] = low + (high - low) / 2;
  }

  void notifyOperationErased(Operation *op) override { numbers.erase(op); }

private:
  static constexpr uint64_t kGap = uint64_t(1) << 32;

  void number(Block &block) {
    uint64_t next = kGap;
    for (Operation &op : block) {
      numbers[&op] = next;
      next += kGap;
    }
  }

  DenseMap<Operation *, uint64_t> numbers;
};

} // namespace mlir::ring

#endif // RING_LIB_STRATEGIES_PROGRAMORDER_H
