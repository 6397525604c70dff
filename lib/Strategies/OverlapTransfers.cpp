// SPDX-License-Identifier: Apache-2.0
// Writes out a schedule in which transfers go on behind the computation,
// between a start and a wait.

#include "ring/Strategies/DeviceProgram.h"
#include "ring/Strategies/OverlapPlan.h"

namespace mlir::ring {
namespace {

/// Writes a plan into the block that it was made for.
///
///   %k1, %v1 = ring.shift %k, %v by 1
///   %s1 = ring.accumulate %q, %k, %v into %s0
///   %s2 = ring.accumulate %q, %k1, %v1 into %s1
/// becomes
///   %b0, %b1 = ring.buffer
///   %token = ring.start_shift %k, %v into %b0, %b1 by 1
///   %s1 = ring.accumulate %q, %k, %v into %s0
///   %k1, %v1 = ring.wait %token
///   %s2 = ring.accumulate %q, %k1, %v1 into %s1
class ScheduleWriter {
public:
  ScheduleWriter(Block &block, const OverlapPlan &plan)
      : plan(plan), builder(block.getParentOp()->getContext()),
        tokens(plan.transfers.size()) {
    for (Operation &op : llvm::reverse(block))
      anchors.push_back(plan.preparations.contains(&op) ? anchors.back() : &op);
    std::reverse(anchors.begin(), anchors.end());
    builder.setInsertionPointToStart(&block);
    Location loc = block.getParentOp()->getLoc();
    for (BufferType type : plan.buffers)
      buffers.push_back(BufferOp::create(builder, loc, type));
  }

  void run() {
    for (const OverlapStep &step : plan.steps) {
      builder.setInsertionPoint(anchors[step.slot]);
      if (step.isWait)
        writeWait(step.transfer);
      else
        writeStart(step.transfer);
    }
    // Later ones may use earlier ones.
    SmallVector<Operation *> done(plan.dead);
    for (const PlannedTransfer &transfer : plan.transfers)
      done.append(transfer.ops.begin(), transfer.ops.end());
    for (Operation *op : done)
      op->dropAllReferences();
    for (Operation *op : done)
      op->erase();
  }

private:
  /// The start form of a transfer: the same attributes, the operands and then
  /// the buffers. What has arrived earlier stands in the operands already.
  void writeStart(unsigned index) {
    const PlannedTransfer &transfer = plan.transfers[index];
    Operation *front = transfer.ops.front();
    OperationState state(locationOf(transfer), *getStartName(front));
    for (Operation *op : transfer.ops) {
      prepare(op);
      state.addOperands(op->getOperands());
    }
    int32_t numPayloads = state.operands.size();
    for (unsigned number : transfer.buffers)
      state.operands.push_back(buffers[number]);
    state.addAttributes(front->getAttrs());
    if (state.name.hasTrait<OpTrait::AttrSizedOperandSegments>())
      state.addAttribute(
          OpTrait::AttrSizedOperandSegments<void>::getOperandSegmentSizeAttr(),
          builder.getDenseI32ArrayAttr(
              {numPayloads, static_cast<int32_t>(transfer.buffers.size())}));
    state.addTypes(TokenType::get(builder.getContext()));
    tokens[index] = builder.create(state)->getResult(0);
  }

  /// Moves the ops that prepare the operands of `op` to where it starts.
  void prepare(Operation *op) {
    for (Value operand : op->getOperands()) {
      Operation *def = operand.getDefiningOp();
      if (!def || !plan.preparations.contains(def) ||
          !prepared.insert(def).second)
        continue;
      prepare(def);
      def->moveBefore(builder.getInsertionBlock(), builder.getInsertionPoint());
    }
  }

  void writeWait(unsigned index) {
    const PlannedTransfer &transfer = plan.transfers[index];
    SmallVector<Value> results;
    SmallVector<Type> types;
    for (Operation *op : transfer.ops)
      for (Value result : op->getResults()) {
        results.push_back(result);
        types.push_back(result.getType());
      }
    auto wait =
        WaitOp::create(builder, locationOf(transfer), types, tokens[index]);
    for (auto [result, arrived] : llvm::zip_equal(results, wait.getResults()))
      result.replaceAllUsesWith(arrived);
  }

  Location locationOf(const PlannedTransfer &transfer) {
    SmallVector<Location> locations;
    for (Operation *op : transfer.ops)
      locations.push_back(op->getLoc());
    return builder.getFusedLoc(locations);
  }

  const OverlapPlan &plan;
  OpBuilder builder;
  /// For every slot the op that what is written goes before: the op of the
  /// slot, or the next one that does not move itself.
  SmallVector<Operation *> anchors;
  SmallVector<Value> buffers;
  SmallVector<Value> tokens;
  DenseSet<Operation *> prepared;
};

/// Whether some transfer of the block has its start already: then the block has
/// been scheduled, and moving others could break its buffers.
bool isScheduled(Block &block) {
  return llvm::any_of(block,
                      [](Operation &op) { return isa<StartOpInterface>(op); });
}

} // namespace

void overlapTransfers(Block &block) {
  if (isScheduled(block))
    return;
  OverlapPlan plan = OverlapPlan::of(block);
  ScheduleWriter(block, plan).run();
}

} // namespace mlir::ring
