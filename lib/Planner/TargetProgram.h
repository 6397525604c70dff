// SPDX-License-Identifier: Apache-2.0
// The program of a planned attention in the ops of TTIR and TTNN.

#ifndef RING_LIB_PLANNER_TARGETPROGRAM_H
#define RING_LIB_PLANNER_TARGETPROGRAM_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "ring/Analysis/AttentionTraits.h"
#include "ring/Planner/ProgramForm.h"

namespace mlir::ring {

/// A module with one function, or why there is none.
struct TargetProgram {
  OwningOpRef<ModuleOp> module;
  std::string error;
  /// Bytes that a device holds at most.
  double deviceBytes = 0;

  Block &body() {
    return (*module->getOps<func::FuncOp>().begin()).getBody().front();
  }
};

/// What of a program is asked for: all of it, or what the devices do with a
/// host's tensors before the attention or behind it, whatever computes that.
enum class ProgramPart { Whole, Before, Behind };

/// The program of a plan, by the functions that the passes call.
TargetProgram writeTargetProgram(const AttentionTraits &traits, PlanAttr plan,
                                 const ProgramForm &form,
                                 ProgramPart part = ProgramPart::Whole);

} // namespace mlir::ring

#endif // RING_LIB_PLANNER_TARGETPROGRAM_H
