// SPDX-License-Identifier: Apache-2.0
// A table needs attentions that are raised as the command line says, on the
// mesh that it gives, and the planner's options. Both are in the passes
// themselves, so they are run up to the one that plans.

#include "Explanation.h"
#include "QuietErrors.h"
#include "ring/Analysis/MeshShape.h"
#include "ring/Conversion/Passes.h"
#include "ring/Tooling/PlanWatcher.h"
#include "ring/Transforms/Passes.h"
#include "llvm/ADT/STLExtras.h"

namespace mlir::ring {

/// Runs the passes before the first that plans, and gives the options of that
/// one; those of nobody where none plans.
static FailureOr<PlanOptionTexts> runUpToPlanning(ModuleOp module,
                                                  PassManager &passes) {
  std::optional<PlanOptionTexts> found;
  MLIRContext *context = module.getContext();
  context->registerActionHandler(
      [&](llvm::function_ref<void()> run, const tracing::Action &action) {
        const auto *execution = dyn_cast<PassExecutionAction>(&action);
        if (execution && !found)
          if (const auto *planning =
                  dynamic_cast<const PlanningPass *>(&execution->getPass()))
            found = planning->optionTexts();
        if (!execution || !found)
          run();
      });
  LogicalResult result = passes.run(module);
  context->registerActionHandler(nullptr);
  if (failed(result))
    return failure();
  return found
             ? *found
             : PlanOptionTexts::copyAll<PlanOptionTexts>(RingExplainOptions());
}

/// The option that would name the longest axis of the mesh; with a mesh, where
/// the module has none to distribute to.
static std::string axisOption(ModuleOp module) {
  SmallVector<int64_t> mesh = findMeshShape(module);
  auto *longest = llvm::max_element(mesh);
  if (longest == mesh.end() || *longest == 1)
    return "--ring-attention-pipeline=\"mesh-shape=1x8 sequence-axis=1\"";
  return "--ring-attention-pipeline=sequence-axis=" +
         std::to_string(longest - mesh.begin());
}

LogicalResult explain(ModuleOp module, PassManager &passes,
                      const Options &options) {
  FailureOr<PlanOptionTexts> texts = runUpToPlanning(module, passes);
  if (failed(texts))
    return failure();
  auto refuse = [&]() -> LogicalResult {
    return emitNoAttention(module, "to explain",
                           "an option may name it: " + axisOption(module));
  };
  // One reason is enough: the table would have one of its own.
  WalkResult any = module.walk(
      [](WholeAttentionOpInterface) { return WalkResult::interrupt(); });
  if (!any.wasInterrupted())
    return refuse();
  PassManager table(module.getContext());
  table.addPass(
      createRingExplain(PlanOptionTexts::copyAll<RingExplainOptions>(*texts)));
  std::string memory = options.run.deviceMemory > 0
                           ? std::to_string(options.run.deviceMemory)
                           : "";
  setUpPlanning(table, options.explainMachine, memory);
  std::vector<PlannedAttention> found;
  table.addInstrumentation(std::make_unique<PlanWatcher>(found));
  if (failed(table.run(module)))
    return failure();
  return found.empty() ? refuse() : success();
}

/// Whether there are attentions that ring-raise takes if an option names the
/// axis for them.
static bool hasAttentions(ModuleOp module) {
  OwningOpRef<ModuleOp> copy = module.clone();
  RingRaiseOptions options;
  options.sequenceAxis = 0;
  PassManager passes(module.getContext());
  passes.addPass(createRingRaise(options));
  QuietErrors errors(module.getContext());
  if (failed(passes.run(*copy)))
    return false;
  return copy
      ->walk([](WholeAttentionOpInterface op) {
        return op.getPlanAttr() ? WalkResult::advance()
                                : WalkResult::interrupt();
      })
      .wasInterrupted();
}

InFlightDiagnostic emitNoAttention(ModuleOp module, StringRef purpose,
                                   StringRef hint) {
  if (!hasAttentions(module))
    return emitError(module.getLoc(), "expects an attention ")
           << purpose << ", but there is none";
  return emitError(module.getLoc(), "expects an attention ")
         << purpose
         << ", one that names the mesh axis of its sequence, but there is "
            "none; "
         << hint;
}

} // namespace mlir::ring
