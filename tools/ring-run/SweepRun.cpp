// SPDX-License-Identifier: Apache-2.0
// Finds the attention, plans it at every point and says what came of it.

#include "SweepRun.h"
#include "Explanation.h"
#include "mlir/Pass/PassManager.h"
#include "ring/Analysis/MeshShape.h"
#include "ring/Conversion/Passes.h"
#include "ring/Machine/MachineFile.h"

namespace mlir::ring {

namespace tooling = ::ring::rt::tooling;

/// The attention with the most pairs, as it would be planned; none with an
/// error.
static FailureOr<SweepSubject> findLargest(ModuleOp module) {
  PassManager passes(module.getContext());
  passes.addPass(createRingRaise());
  if (failed(passes.run(module)))
    return failure();
  std::optional<SweepSubject> largest;
  module.walk([&](WholeAttentionOpInterface op) {
    ParallelAttr parallel = op.getParallelAttr();
    if (!parallel || op.getPlanAttr())
      return;
    SweepSubject subject;
    subject.traits = AttentionTraits::of(op);
    subject.sequence = parallel.getSequence();
    subject.heads = parallel.getHeads();
    SmallVector<int64_t> mesh = findMeshShape(op);
    subject.mesh.assign(mesh.begin(), mesh.end());
    if (subject.mesh.empty())
      subject.mesh.assign(2, 1);
    subject.context = module.getContext();
    auto fits = [&](int64_t axis) {
      return axis < static_cast<int64_t>(subject.mesh.size());
    };
    if (fits(subject.sequence) && fits(subject.heads.value_or(0)) &&
        (!largest || pairsOf(largest->traits) < pairsOf(subject.traits)))
      largest = subject;
  });
  if (!largest)
    return emitNoAttention(module, "to sweep over",
                           "ring-opt --ring-raise=sequence-axis=1 names it");
  return *largest;
}

std::optional<int> runSweep(ModuleOp module, const Options &options,
                            std::optional<Sweep> &sweep) {
  OwningOpRef<ModuleOp> copy = module.clone();
  FailureOr<SweepSubject> subject = findLargest(*copy);
  if (failed(subject))
    return tooling::kRunFailed;
  subject->request.deviceMemory = options.run.deviceMemory;
  PlannerMachine machine;
  if (options.sweepMachine.empty()) {
    machine = findPlannerMachine("", subject->mesh);
  } else {
    machine::MachineOrError named = machine::loadMachine(options.sweepMachine);
    if (!named)
      return tooling::fail("ring-run", named.error, tooling::kBadUsage);
    machine.spec = *named;
  }
  sweep.emplace(*subject, machine, options.sweepRanges);
  if (std::string error = sweep->check(); !error.empty())
    return tooling::fail("ring-run", error, tooling::kBadUsage);
  bool onTerminal = llvm::errs().is_displayed();
  sweep->run([&](size_t done, size_t all) {
    if (onTerminal)
      llvm::errs() << "\rring-run: " << done << " of " << all << " points"
                   << (done == all ? "\n" : "");
  });
  sweep->printTable(llvm::outs());
  llvm::outs().flush();
  if (options.sweepTable.empty())
    return std::nullopt;
  std::error_code error;
  llvm::raw_fd_ostream file(options.sweepTable, error);
  if (error)
    return tooling::fail("ring-run",
                         "cannot write '" + options.sweepTable +
                             "': " + error.message(),
                         tooling::kBadUsage);
  sweep->printCsv(file);
  return std::nullopt;
}

} // namespace mlir::ring
