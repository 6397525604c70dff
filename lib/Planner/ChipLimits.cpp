// SPDX-License-Identifier: Apache-2.0
// Cores and L1 of a chip against a fused plan.

#include "ChipLimits.h"
#include "ring/Planner/PlanCost.h"
#include "ring/Strategies/FusedForms.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::ring {
namespace {

constexpr int64_t kMoversPerLink = 2;

/// The cores that move data follow each other from the offset on, down as many
/// rows, or along as many columns, as the chip has; the offset is added to each
/// after that, so that they may end outside. 4 links on 8x9 cores, from 7x0 on:
/// rows 0 to 7 of column 7. From 7x2 on the last one would be in row 9.
Refusal refuseMovers(PlanAttr plan, const machine::Chip &chip) {
  ComputeAttr compute = plan.getCompute();
  ArrayRef<int64_t> offset = compute.getCclOffset();
  int64_t movers = kMoversPerLink * plan.getNumLinks();
  for (int64_t i = 0; i < movers; ++i) {
    int64_t column =
        compute.movesByColumn() ? i / chip.gridRows : i % chip.gridColumns;
    int64_t row =
        compute.movesByColumn() ? i % chip.gridRows : i / chip.gridColumns;
    column += offset[0];
    row += offset[1];
    if (column < chip.gridColumns && row < chip.gridRows)
      continue;
    return llvm::formatv("expects {0} cores that move data, two for a link, "
                         "within the {1}x{2} of the chip, but got {3}x{4} "
                         "among those from {5}x{6} on",
                         movers, chip.gridColumns, chip.gridRows, column, row,
                         offset[0], offset[1])
        .str();
  }
  return std::nullopt;
}

} // namespace

Refusal refuseCores(PlanAttr plan, const machine::Chip &chip) {
  ComputeAttr compute = plan.getCompute();
  if (plan.getForm() != Form::Fused || !compute || compute.getGrid().empty())
    return std::nullopt;
  ArrayRef<int64_t> grid = compute.getGrid();
  if (grid[0] > chip.gridColumns || grid[1] > chip.gridRows)
    return llvm::formatv("expects cores within the {0}x{1} of the chip, but "
                         "got {2}x{3}",
                         chip.gridColumns, chip.gridRows, grid[0], grid[1])
        .str();
  if (plan.getStrategy() != Strategy::Ring || compute.getCclOffset().empty())
    return std::nullopt;
  return refuseMovers(plan, chip);
}

Refusal refuseFusedPlan(const AttentionTraits &traits, PlanAttr plan,
                        const PlannerMachine &machine) {
  if (Refusal refusal = refusalOf(traits, plan))
    return refusal;
  if (machine.isProcessor())
    return std::nullopt;
  if (Refusal refusal = refuseCores(plan, machine.spec.chip))
    return refusal;
  KernelRequest request;
  request.queryChunk = queryChunkOf(plan);
  request.keyChunk = keyChunkOf(plan);
  if (ComputeAttr compute = plan.getCompute()) {
    request.grid.assign(compute.getGrid().begin(), compute.getGrid().end());
    request.cclOffset.assign(compute.getCclOffset().begin(),
                             compute.getCclOffset().end());
  }
  CostOrReason cost =
      costOf(timelineOf(traits, plan, machine), machine, request,
             [](const KernelChoice &) { return std::nullopt; });
  if (!cost.cost)
    return cost.reason;
  return std::nullopt;
}

} // namespace mlir::ring
