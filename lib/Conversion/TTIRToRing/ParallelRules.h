// SPDX-License-Identifier: Apache-2.0
// Which attentions are distributed how, said by their names and those of their
// functions, for IR that nobody edits.

#ifndef RING_LIB_CONVERSION_TTIRTORING_PARALLELRULES_H
#define RING_LIB_CONVERSION_TTIRTORING_PARALLELRULES_H

#include "mlir/IR/BuiltinOps.h"
#include "ring/Dialect/Ring/IR/RingAttrs.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <optional>

namespace mlir::ring {

/// The rules of an option such as
///
///   @main:sequence=1,heads=0;@main/*cross*:none;37:sequence=0
///
/// For each attention the rule counts that names it most precisely.
class ParallelRules {
public:
  /// Reads the rules and finds what they name in `module`, of whose ops
  /// `attentions` can be distributed. A rule that names nothing, or two that
  /// disagree and are as precise as each other, are errors.
  LogicalResult read(StringRef text, ModuleOp module,
                     ArrayRef<Operation *> attentions);

  /// What they say of an attention: nothing, or axes, which are null where it
  /// is not to be distributed.
  std::optional<ParallelAttr> find(Operation *attention) const;

  /// Whether a rule that names single attentions asks to distribute this one.
  bool asksFor(Operation *attention) const { return named.contains(attention); }
  /// Whether a rule asks to distribute what is in this function.
  bool asksForAllIn(Operation *function) const {
    return functions.contains(function);
  }

private:
  llvm::DenseMap<Operation *, ParallelAttr> chosen;
  llvm::DenseSet<Operation *> named, functions;
};

} // namespace mlir::ring

#endif // RING_LIB_CONVERSION_TTIRTORING_PARALLELRULES_H
