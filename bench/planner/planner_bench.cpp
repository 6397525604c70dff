// SPDX-License-Identifier: Apache-2.0
// Prints what the planner predicts, as tables in Markdown: for published shapes
// against chunk sizes picked by hand, and for sequences and machines of a size
// that nobody has on the desk. Nothing here is measured.
//   planner_bench plans
//   planner_bench scale [MACHINE...]

#include "PresetCases.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "ring/Dialect/Ring/IR/RingDialect.h"
#include "ring/Planner/PlanReport.h"
#include "ttmlir/Dialect/TTIR/IR/TTIR.h"
#include "llvm/Support/Format.h"

#include <chrono>

using namespace mlir;
using namespace mlir::ring;

namespace {

std::string meshText(llvm::ArrayRef<int64_t> mesh) {
  std::string text;
  for (int64_t size : mesh)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

std::string chunks(const PlanCandidate &candidate) {
  return "q" + std::to_string(candidate.cost.kernel.queryChunk) + " k" +
         std::to_string(candidate.cost.kernel.keyChunk);
}

/// Time and chunks, or a dash.
std::string cell(const PlanSearchResult &result) {
  if (!result.best())
    return "-";
  return formatSeconds(result.best()->cost.seconds) + ", " +
         chunks(*result.best());
}

double secondsOf(const PlanSearchResult &result) {
  return result.best() ? result.best()->cost.seconds : 0;
}

std::string percentLess(double less, double more) {
  std::string text;
  if (less > 0 && more > 0)
    llvm::raw_string_ostream(text)
        << llvm::format("%.1f %%", 100 * (1 - less / more));
  else
    text = "-";
  return text;
}

//===----------------------------------------------------------------------===//
// Published shapes
//===----------------------------------------------------------------------===//

void printPlans(MLIRContext &context) {
  llvm::outs()
      << "| attention | machine | ring_joint, chunks by hand | "
         "ring_joint, chunks chosen | saves | explicit ring, transfers "
         "beside | explicit ring, in order | auto |\n"
         "|---|---|---|---|---|---|---|---|\n";
  for (const PresetCase &preset : presetCases()) {
    AttentionTraits traits = traitsOf(preset, &context);
    PlanPlace place = placeOf(preset, &context);
    PlannerMachine machine = machineOf(preset);
    if (!machine.error.empty()) {
      llvm::errs() << preset.model << ": " << machine.error << "\n";
      continue;
    }
    auto search = [&](std::optional<Strategy> strategy,
                      std::optional<Form> form,
                      const KernelRequest &kernel = {}) {
      PlanRequest request;
      request.strategy = strategy;
      request.form = form;
      request.kernel = kernel;
      return searchPlans(traits, place, request, machine);
    };
    KernelRequest byHand, beside, alternates;
    byHand.queryChunk = preset.queryChunk;
    byHand.keyChunk = preset.keyChunk;
    beside.alternates = false;
    alternates.alternates = true;
    PlanSearchResult hand, fused = search(Strategy::Ring, Form::Fused);
    if (preset.queryChunk > 0)
      hand = search(Strategy::Ring, Form::Fused, byHand);
    PlanSearchResult best = search(std::nullopt, std::nullopt);
    llvm::outs() << "| " << preset.model << " | " << machine.spec.name << " "
                 << meshText(preset.mesh) << " | " << cell(hand) << " | "
                 << cell(fused) << " | "
                 << percentLess(secondsOf(fused), secondsOf(hand)) << " | "
                 << cell(search(Strategy::Ring, Form::Explicit, beside))
                 << " | "
                 << cell(search(Strategy::Ring, Form::Explicit, alternates))
                 << " | "
                 << (best.best() ? describe(*best.best()) + ": " +
                                       formatSeconds(secondsOf(best))
                                 : best.error)
                 << " |\n";
  }
  llvm::outs() << "\nAll of it is predicted\n";
}

//===----------------------------------------------------------------------===//
// At scale
//===----------------------------------------------------------------------===//

void printScale(MLIRContext &context, llvm::ArrayRef<std::string> machines) {
  llvm::outs() << "| tokens | machine | chips | plan | time | used | exposed | "
                  "a device | planned in |\n|---|---|---|---|---|---|---|---|"
                  "---|\n";
  auto row = [&](int64_t tokens, const PlannerMachine &machine,
                 const std::string &name, const PlanCost &cost,
                 double planned) {
    llvm::outs() << "| " << tokens / 1000000 << " M | " << machine.spec.name
                 << " | " << machine.mesh[0] * machine.mesh[1] << " | " << name
                 << " | " << formatSeconds(cost.seconds) << " | "
                 << llvm::format("%.0f %%", 100 * cost.utilisation) << " | "
                 << formatSeconds(cost.exposedSeconds) << " | "
                 << formatBytes(cost.deviceBytes) << " | "
                 << formatSeconds(planned) << " |\n";
  };
  for (int64_t tokens : {1000000, 10000000})
    for (const std::string &name : machines) {
      PlannerMachine known = findPlannerMachine(name, {1, 1});
      std::vector<int64_t> mesh = known.spec.shape();
      if (mesh.size() != 2) {
        llvm::errs() << name << ": expects a machine with a 2-D mesh"
                     << (known.error.empty() ? "" : ": " + known.error) << "\n";
        continue;
      }
      // A causal decoder of 64 heads, 8 of keys.
      PresetCase preset{"",     name, mesh, 64,   8, tokens,
                        tokens, 0,    128,  true, 0, 0};
      AttentionTraits traits = traitsOf(preset, &context);
      PlanPlace place = placeOf(preset, &context);
      PlannerMachine machine = machineOf(preset);
      auto start = std::chrono::steady_clock::now();
      auto lap = [&] {
        auto now = std::chrono::steady_clock::now();
        double seconds = std::chrono::duration<double>(now - start).count();
        start = now;
        return seconds;
      };
      PlanSearchResult result = searchPlans(traits, place, {}, machine);
      double planned = lap();
      if (!result.best()) {
        llvm::outs() << "| " << tokens / 1000000 << " M | " << name << " | | "
                     << result.error << " |\n";
        continue;
      }
      row(tokens, machine, describe(*result.best()), result.best()->cost,
          planned);
      for (const char *other : {"ring", "double_ring"})
        for (const PlanCandidate &candidate : result.ranked)
          if (nameOfStrategy(candidate) == other) {
            if (candidate.plan != result.best()->plan)
              row(tokens, machine, describe(candidate), candidate.cost, 0);
            break;
          }
    }
}

} // namespace

int main(int argc, char **argv) {
  MLIRContext context;
  context.loadDialect<RingDialect, func::FuncDialect, tt::ttir::TTIRDialect>();
  std::string what = argc > 1 ? argv[1] : "plans";
  if (what == "plans") {
    printPlans(context);
    return 0;
  }
  if (what == "scale") {
    std::vector<std::string> machines(argv + 2, argv + argc);
    if (machines.empty())
      machines = {"blackhole-galaxy", "blackhole-galaxy-4",
                  "blackhole-galaxy-32"};
    printScale(context, machines);
    return 0;
  }
  llvm::errs() << "planner_bench: expects plans or scale, but got '" << what
               << "'\n";
  return 2;
}
