// SPDX-License-Identifier: Apache-2.0
// Reads the program of a planned attention op by op.

#include "ring/Planner/DeviceTimeline.h"
#include "BlockCalls.h"
#include "ExampleAttention.h"
#include "FusedTimeline.h"
#include "LiveBytes.h"
#include "ReplicatedShards.h"
#include "SharedMemory.h"
#include "TargetProgram.h"
#include "TargetTimeline.h"
#include "TransferParts.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "ring/Dialect/Ring/IR/TensorSize.h"
#include "ring/Strategies/DeviceProgram.h"
#include "ring/Strategies/FusedForms.h"
#include "ring/Support/PositionsMask.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"

namespace mlir::ring {
namespace {

namespace ttir = mlir::tt::ttir;
using machine::MeshTransfer;

double real(int64_t value) { return static_cast<double>(value); }

class TimelineReader {
public:
  TimelineReader(const AttentionTraits &traits, PlanAttr plan,
                 const PlannerMachine &machine, Block &block,
                 machine::Timeline &timeline)
      : plan(plan), machine(machine), timeline(timeline), calls(timeline),
        memory(machine, traits.perDevice),
        onDevices(valuesOnDevices(block, traits.perDevice)) {}

  void read(Block &block) {
    for (Operation &op : block)
      read(&op);
  }

  void read(Operation *op) {
    if (auto partial = dyn_cast<PartialOp>(op))
      return attend(partial, /*carriesState=*/false);
    if (auto accumulate = dyn_cast<AccumulateOp>(op))
      return attend(accumulate, /*carriesState=*/true);
    // A shared processor sums gradients in memory.
    if (auto gradients = dyn_cast<PartialBackwardOp>(op))
      return attend(gradients, machine.isProcessor());
    if (auto wait = dyn_cast<WaitOp>(op))
      return timeline.wait(started.lookup(wait.getToken().getDefiningOp()));
    if (auto transfer = dyn_cast<TransferOpInterface>(op))
      return exchange(transfer);
    if (auto gather = dyn_cast<ttir::AllGatherOp>(op)) {
      auto axis = AxisAttr::get(op->getContext(), gather.getClusterAxis(),
                                ArrayRef<int64_t>(machine.mesh));
      return timeline.wait(timeline.start(
          collective(machine::Carriage::AllGather, axis, gather.getInput())));
    }
    if (auto reduce = dyn_cast<ttir::AllReduceOp>(op))
      return addUp(reduce);
    if (auto unshard = dyn_cast<UnshardOp>(op);
        unshard && unshard.getReplicated())
      return gatherShards(unshard);
    if (machine.isProcessor())
      return timeline.compute(memory.secondsOf(op));
    timeline.compute(secondsOf(op));
  }

private:
  //===--------------------------------------------------------------------===//
  // Blocks
  //===--------------------------------------------------------------------===//

  /// The devices that may differ, one of each kind.
  SmallVector<int64_t> devices() const {
    SmallVector<int64_t> all{0};
    for (auto [index, size] : llvm::enumerate(timeline.mesh)) {
      SmallVector<int64_t> next;
      for (int64_t device : all)
        for (int64_t rank = 0; rank < size; ++rank)
          if (rank == 0 || timeline.differs[index])
            next.push_back(device * size + rank);
      all = next;
    }
    return all;
  }

  template <typename BlockOp>
  void attend(BlockOp op, bool carriesState) {
    machine::TimelineBlock whole;
    machine::AttentionCall &call = whole.call;
    RankedTensorType query = op.getQuery().getType(),
                     key = op.getKey().getType();
    call.batch = query.getDimSize(0);
    call.heads = query.getDimSize(1);
    call.keyHeads = key.getDimSize(1);
    call.queries = query.getDimSize(2);
    call.keys = key.getDimSize(2);
    call.keyDim = query.getDimSize(3);
    call.valueDim = op.getValue().getType().getDimSize(3);
    call.mask = static_cast<bool>(op.getMask());
    call.carriesState = carriesState;
    setFormat(call, key.getElementType(), plan);
    auto interface = cast<AttendOpInterface>(op.getOperation());
    whole.passes = real(interface.countFlopsPerPair()) /
                   (2 * real(call.keyDim + call.valueDim));
    if (machine.isProcessor()) {
      call.packsKeys = false;
      timeline.compute(memory.secondsToAttend(op, call));
    }

    std::optional<int64_t> limit;
    if (op.getLengthAttr())
      limit = op.getLengthAttr().getInt();
    // Rows count as if they met where only the running program knows.
    Band band = MaskedBlock(op).isLate() ? Band{} : op.getBand();
    BlockAttr block = op.getBlockAttr();
    std::vector<int32_t> byDevice;
    for (int64_t device : devices()) {
      Positions queries{{0, call.queries}}, keys{{0, call.keys}};
      if (block) {
        queries = block.queriesOn(device, call.queries);
        keys = block.keysOn(device, call.keys);
      }
      byDevice.push_back(calls.number(whole, queries, keys, band, limit));
      if (!block || (band.isUnbounded() && !limit))
        break;
    }
    timeline.compute(std::move(byDevice));
  }

  //===--------------------------------------------------------------------===//
  // Transfers
  //===--------------------------------------------------------------------===//

  MeshTransfer on(AxisAttr axis, Value payload) const {
    MeshTransfer transfer;
    transfer.axis = axis.getIndex();
    transfer.ranks = axis.getRanks();
    transfer.stride = axis.getStride().value_or(1);
    transfer.options.packet = machine::packetBytes(tileBytesOf(
        cast<RankedTensorType>(payload.getType()).getElementType()));
    return transfer;
  }

  MeshTransfer collective(machine::Carriage carriage, AxisAttr axis,
                          Value payload) const {
    MeshTransfer transfer = on(axis, payload);
    transfer.carriage = carriage;
    double bytes = real(sizeInBytes(cast<RankedTensorType>(payload.getType())));
    if (carriage == machine::Carriage::AllToAll)
      bytes /= real(axis.getRanks());
    transfer.parts = {{1, bytes}};
    return transfer;
  }

  void exchange(TransferOpInterface op) {
    Value payload = op->getOperand(0);
    AxisAttr axis = op.getAxis();
    MeshTransfer transfer;
    if (isa<AllGatherOp, StartAllGatherOp>(op))
      transfer = collective(machine::Carriage::AllGather, axis, payload);
    else if (isa<AllToAllOp, StartAllToAllOp>(op))
      transfer = collective(machine::Carriage::AllToAll, axis, payload);
    else {
      transfer = on(axis, payload);
      transfer.parts = partsOf(op);
      transfer.byDevice = partsByDevice(op);
      if (auto reaching = op->getAttrOfType<IntegerAttr>("reaching"))
        transfer.firstReceiver = reaching.getInt();
    }
    transfer.inPlace = memory.isReadInPlace(op);
    // Rows that only change their places on a device are copied.
    if (transfer.parts.empty() && !isa<StartOpInterface>(op.getOperation()))
      return timeline.compute(machine.isProcessor()
                                  ? memory.secondsOf(op)
                                  : secondsToMove(2 * bytesMovedOnDevice(op)));
    size_t number = timeline.start(std::move(transfer));
    if (isa<StartOpInterface>(op.getOperation()))
      started[op] = number;
    else
      timeline.wait(number);
  }

  /// Parts of a sum; every rank adds up one piece of it.
  void addUp(ttir::AllReduceOp op) {
    auto axis = AxisAttr::get(op.getContext(), op.getClusterAxis(),
                              ArrayRef<int64_t>(machine.mesh));
    timeline.wait(timeline.start(
        collective(machine::Carriage::AllReduce, axis, op.getInput())));
    if (!machine.isProcessor())
      timeline.compute(
          secondsToMove(bytesOf(op.getInput()) * (real(axis.getRanks()) + 1) /
                        real(axis.getRanks())));
  }

  /// Every device gathers the whole tensor, axis by axis, and so more and more
  /// of it.
  void gatherShards(UnshardOp op) {
    ShardingAttr sharding = op.getSharding();
    double gathered = 1;
    for (int64_t dim = 0, e = sharding.getAxes().size(); dim < e; ++dim) {
      SmallVector<int64_t, 2> axes = sharding.axesOf(dim);
      for (int64_t index : llvm::reverse(axes)) {
        auto axis = AxisAttr::get(op.getContext(), index, sharding.getMesh());
        MeshTransfer transfer =
            collective(machine::Carriage::AllGather, axis, op.getInput());
        transfer.parts.front().bytes *= gathered;
        gathered *= real(axis.getRanks());
        timeline.wait(timeline.start(std::move(transfer)));
      }
    }
    // On a processor rows are left where they are.
    if (!machine.isProcessor())
      timeline.compute(secondsToMoveAll(bytesToOrder(op)));
  }

  //===--------------------------------------------------------------------===//
  // Everything else
  //===--------------------------------------------------------------------===//

  double secondsToMove(double bytes) const {
    return machine::moveTime(machine.spec, bytes).seconds;
  }

  /// One op behind the other.
  double secondsToMoveAll(ArrayRef<double> bytes) const {
    double seconds = 0;
    for (double moved : bytes)
      seconds += secondsToMove(moved);
    return seconds;
  }

  /// What is read and written of DRAM. What only moves on the host, or between
  /// it and the devices, is not timed.
  double secondsOf(Operation *op) const {
    if (auto shard = dyn_cast<ShardOp>(op))
      return shard.getReplicated() ? secondsToMoveAll(bytesToCut(shard)) : 0;
    if (op->getNumResults() > 0 && !onDevices.contains(op->getResult(0)))
      return 0;
    bool isConstant = op->getNumOperands() == 0 && !isa<InitOp, EmptyOp>(op);
    if (isa<UnshardOp, SelectOp, BufferOp>(op) || isConstant ||
        op->hasTrait<OpTrait::IsTerminator>())
      return 0;
    double bytes = 0;
    for (Value operand : op->getOperands())
      bytes += bytesOf(operand);
    for (Value result : op->getResults())
      bytes += bytesOf(result);
    return secondsToMove(bytes);
  }

  PlanAttr plan;
  const PlannerMachine &machine;
  machine::Timeline &timeline;
  BlockCalls calls;
  SharedMemory memory;
  llvm::DenseSet<Value> onDevices;
  DenseMap<Operation *, size_t> started;
};

void eraseDead(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

WholeAttentionOpInterface attentionIn(func::FuncOp function) {
  WholeAttentionOpInterface attention;
  function.walk([&](WholeAttentionOpInterface op) { attention = op; });
  return attention;
}

/// Makes the program of a device, as the passes do. What they remark on their
/// way is not said of candidates.
void schedule(WholeAttentionOpInterface attention, Block &body) {
  ScopedDiagnosticHandler quiet(attention.getContext(), [](Diagnostic &said) {
    return success(said.getSeverity() == DiagnosticSeverity::Remark);
  });
  writeOut(attention);
  IRRewriter rewriter(body.getParentOp()->getContext());
  DominanceInfo dominance(body.getParentOp());
  eliminateCommonSubExpressions(rewriter, dominance, body.getParentOp());
  if (failed(carryStates(body.getParentOp())))
    llvm_unreachable("patterns on a program of our own converge");
  eraseDead(body);
  overlapTransfers(body);
}

} // namespace

double deviceBytesOf(const AttentionTraits &traits, PlanAttr plan,
                     const ProgramForm &form) {
  if (plan.getForm() == Form::Fused)
    return fusedBytes(traits, plan);
  if (form.ops != ProgramOps::Ring)
    if (TargetProgram program = writeTargetProgram(traits, plan, form);
        program.error.empty())
      return program.deviceBytes;
  OwningOpRef<func::FuncOp> function = makeExample(traits, plan);
  Block &body = function->getBody().front();
  schedule(attentionIn(*function), body);
  return real(liveBytes(body, traits.perDevice));
}

int64_t deviceBytesOf(Block &program) {
  return liveBytes(program, /*isLocal=*/false);
}

double exchangeSeconds(Block &program, ArrayRef<Operation *> ops,
                       const PlannerMachine &machine) {
  machine::Timeline timeline;
  timeline.mesh = machine.mesh;
  timeline.axes = machine.axes;
  timeline.differs.assign(machine.mesh.size(), true);
  TimelineReader reader(AttentionTraits(), PlanAttr(), machine, program,
                        timeline);
  for (Operation *op : ops)
    reader.read(op);
  return machine::play(timeline, /*seconds=*/{}).seconds;
}

/// Adds the program of a target, or a part of it.
static void addTarget(const AttentionTraits &traits, PlanAttr plan,
                      const PlannerMachine &machine, const ProgramForm &form,
                      ProgramPart part, DeviceTimeline &result) {
  TargetProgram program = writeTargetProgram(traits, plan, form, part);
  if (!program.error.empty()) {
    result.error = program.error;
    return;
  }
  addTargetProgram(program.body(), machine, result.timeline);
  result.deviceBytes = program.deviceBytes;
}

DeviceTimeline timelineOf(const AttentionTraits &traits, PlanAttr plan,
                          const PlannerMachine &machine,
                          const ProgramForm &form) {
  DeviceTimeline result;
  machine::Timeline &timeline = result.timeline;
  timeline.mesh = machine.mesh;
  timeline.axes = machine.axes;
  timeline.differs.assign(machine.mesh.size(), bool(traits.dilation));
  timeline.differs[plan.getAxis().getIndex()] = true;
  if (plan.getOuter())
    timeline.differs[*plan.getOuter()] = true;

  OwningOpRef<func::FuncOp> function = makeExample(traits, plan);
  Block &body = function->getBody().front();
  WholeAttentionOpInterface attention = attentionIn(*function);
  auto attend = cast<AttendOpInterface>(attention.getOperation());
  double shards =
      plan.getHeadsAxis() ? real(timeline.mesh[*plan.getHeadsAxis()]) : 1;
  result.usefulFlops = real(traits.batch) * real(attend.countFlopsPerPair()) *
                       real(attend.countPairs(/*device=*/0)) /
                       (shards * real(plan.getRanks()));
  // Devices that share a processor are priced by their schedule.
  bool hasTarget = form.ops != ProgramOps::Ring && !machine.isProcessor();
  auto add = [&](ProgramPart part) {
    addTarget(traits, plan, machine, form, part, result);
  };
  if (plan.getForm() == Form::Fused) {
    bool deals = hasTarget && form.fromHost && !traits.perDevice;
    // ring_distributed gathers rows as the host splits them.
    if (deals && deviceOpOf(traits, plan) != DeviceOp::RingDistributed)
      add(ProgramPart::Before);
    addFusedAttention(traits, plan, machine.spec, timeline);
    if (deals)
      add(ProgramPart::Behind);
    result.deviceBytes = fusedBytes(traits, plan);
  } else if (hasTarget) {
    add(ProgramPart::Whole);
  } else {
    schedule(attention, body);
    TimelineReader(traits, plan, machine, body, timeline).read(body);
    result.deviceBytes = real(liveBytes(body, traits.perDevice));
  }
  return result;
}

} // namespace mlir::ring
