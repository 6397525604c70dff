// SPDX-License-Identifier: Apache-2.0
// The pipelines: which passes run in which order, and why.

#include "ring/Pipelines/Pipelines.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "ring/Conversion/Passes.h"
#ifdef RING_HAS_LAUNCHES
#include "ring/Conversion/Launch/Passes.h"
#endif
#include "ring/Planner/AttentionPlanner.h"
#include "ring/Transforms/Passes.h"
#include "ttmlir/Dialect/TTCore/IR/TTCore.h"
#include "ttmlir/Dialect/TTCore/IR/TTCoreOps.h"
#include "llvm/Support/ErrorHandling.h"

namespace mlir::ring {
namespace {

/// Whether our own kernels compute the attentions.
bool hasLaunches(const RingAttentionPipelineOptions &options) {
  return options.target == Target::Launch ||
         options.target == Target::TTMetal ||
         (options.target == Target::TTIR && options.kernels == Kernels::Own);
}

/// Whether the runtime or our own kernels follow the schedule, with transfers
/// beside the compute, which TTIR and TTNN cannot say.
bool followsSchedule(const RingAttentionPipelineOptions &options) {
  return options.target == Target::Ring || hasLaunches(options);
}

/// The options of the planner, which its explanation shares.
template <typename PassOptions>
PassOptions planOptions(const RingAttentionPipelineOptions &options) {
  auto plan = PlanOptionTexts::copy<PassOptions>(options);
  plan.target = followsSchedule(options)         ? "ring"
                : options.target == Target::TTNN ? "ttnn"
                                                 : "ttir";
  plan.sdpaFwMask = options.sdpaFwMask;
  return plan;
}

/// Adds a pass to all functions, which it may take in any order and at the same
/// time: those of the module, and those of the module for devices within it.
void addToFunctions(OpPassManager &passes,
                    llvm::function_ref<std::unique_ptr<Pass>()> create) {
  passes.addNestedPass<func::FuncOp>(create());
  passes.nest<tt::ttcore::DeviceModuleOp>()
      .nest<ModuleOp>()
      .addNestedPass<func::FuncOp>(create());
}

#ifdef RING_HAS_LAUNCHES
void addLaunches(OpPassManager &passes,
                 const RingAttentionPipelineOptions &options) {
  RingFormLaunchesOptions launches;
  launches.machineName = options.machineName;
  launches.qChunk = options.qChunk;
  launches.kChunk = options.kChunk;
  launches.expApprox = options.expApprox;
  launches.fidelity = options.fidelity;
  launches.grid = options.grid;
  addToFunctions(passes, [&] { return createRingFormLaunches(launches); });
  passes.addPass(createRingVerifyLaunches());
}

/// Launches and what is around them, as TTIR that tt-mlir takes.
void addLaunchesInModel(OpPassManager &passes,
                        const RingAttentionPipelineOptions &options) {
  // What no launch took, TTIR knows only as it blocks.
  addToFunctions(passes, createRingBlockTransfers);
  passes.addPass(createRingPlaceOnDevices());
  RingOutlineLaunchesOptions outline;
  if (options.numLinks > 0)
    outline.numLinks = options.numLinks;
  passes.addPass(createRingOutlineLaunches(outline));
  passes.addPass(createConvertRingToTTIR());
  passes.addPass(createCSEPass());
  passes.addPass(createRingVerifyDeviceRules());
}

void addMetalPrograms(OpPassManager &passes) {
  passes.addPass(createConvertRingToTTMetal());
  passes.addPass(createRingVerifyDeviceRules());
}
#endif

} // namespace

void buildRingAttentionPipeline(OpPassManager &passes,
                                const RingAttentionPipelineOptions &options) {
  // What: attentions whose sequence is distributed, on whole tensors.
  RingRaiseOptions raise;
  raise.sequenceAxis = options.sequenceAxis;
  raise.headAxis = options.headAxis;
  raise.parallel = options.parallel;
  raise.meshShape = options.meshShape;
  passes.addPass(createRingRaise(raise));

  // How: decide, then write the decision out as one device's program.
  if (options.explain)
    passes.addPass(createRingExplain(planOptions<RingExplainOptions>(options)));
  passes.addPass(createRingPlan(planOptions<RingPlanOptions>(options)));
  // What one device op computes is called by its name, the rest written out.
  if (!followsSchedule(options))
    passes.addPass(createRingOutlineFused());
  passes.addPass(createRingShard());
  passes.addPass(createRingKeepSharded());
  // Shards that are put together only to be split again meet and cancel.
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());

  if (followsSchedule(options)) {
    // When: one carried state, then transfers beside the compute.
    addToFunctions(passes, createRingMergeLse);
    addToFunctions(passes, createRingOverlap);
    passes.addPass(createRingVerifySchedule());
    if (hasLaunches(options))
#ifdef RING_HAS_LAUNCHES
      addLaunches(passes, options);
    if (options.target == Target::TTIR)
      addLaunchesInModel(passes, options);
    if (options.target == Target::TTMetal)
      addMetalPrograms(passes);
#else
      llvm::reportFatalUsageError(
          "kernels of our own need a build with RING_ENABLE_RUNTIME");
#endif
    return;
  }
  // Devices have no masks that depend on the rank, and no carried state.
  addToFunctions(passes, createRingSplitBlocks);
  passes.addPass(createCanonicalizerPass());
  // A device's runtime splits nothing but what the host still has.
  passes.addPass(createRingPlaceOnDevices());
  ConvertRingToTTIROptions toTTIR;
  toTTIR.sdpaFwMask = options.sdpaFwMask;
  passes.addPass(createConvertRingToTTIR(toTTIR));
  passes.addPass(createCSEPass());
  if (options.target == Target::TTNN)
    passes.addPass(createConvertRingToTTNN());
  passes.addPass(createRingVerifyDeviceRules());
}

void registerRingPipelines() {
  PassPipelineRegistration<RingAttentionPipelineOptions>(
      "ring-attention-pipeline",
      "From TTIR with sequence-parallel attentions to a program for the mesh",
      buildRingAttentionPipeline);
}

} // namespace mlir::ring
