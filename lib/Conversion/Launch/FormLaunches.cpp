// SPDX-License-Identifier: Apache-2.0
// ring-form-launches: every attention of a schedule, with the transfers that
// feed it, becomes one program of the devices' own kernels.

#include "mlir/IR/IRMapping.h"
#include "ring-runtime/LaunchTime.h"
#include "ring/Analysis/AttentionTraits.h"
#include "ring/Analysis/MeshShape.h"
#include "ring/Conversion/Launch/Passes.h"
#include "ring/Planner/PlannerMachine.h"
#include "ring/Support/PositionsMask.h"
#include "ring/Target/Program.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::ring {

#define GEN_PASS_DEF_RINGFORMLAUNCHES
#include "ring/Conversion/Launch/Passes.h.inc"

namespace {

namespace rt = ::ring::rt;
namespace ttir = mlir::tt::ttir;

/// The ops of one attention, and what they take from outside.
class LaunchMembers {
public:
  /// Goes back from the end of an attention to its shards.
  LogicalResult collect(FinishOp finish) {
    members.insert(finish);
    Value state = finish.getState();
    Value query;
    if (auto last = state.getDefiningOp<AccumulateOp>())
      leaves.insert(query = last.getQuery());
    while (auto step = state.getDefiningOp<AccumulateOp>()) {
      if (query != step.getQuery())
        return step.emitOpError("expects one launch to have one tensor of "
                                "queries, but got two");
      if (MaskedBlock(step).isLate() && failed(maskPositions(step)))
        return failure();
      Operation *keys = step.getKey().getDefiningOp();
      if (keys && (brings(keys) || picksRows(keys)) &&
          areColumnsOf(step.getValue(), step.getKey()))
        return step.emitOpError("expects values that travel beside their keys "
                                "in a launch, but got columns of the keys");
      members.insert(step);
      addRows(step.getKey());
      addRows(step.getValue());
      if (Value mask = step.getMask())
        masks.insert(columnsOf(mask));
      state = step.getState();
    }
    auto init = state.getDefiningOp<InitOp>();
    if (!init) {
      auto diagnostic = finish.emitOpError("expects a state that one chain of "
                                           "ring.accumulate carries, but got ");
      if (Operation *other = state.getDefiningOp())
        return diagnostic << "one of " << other->getName();
      return diagnostic << "an argument";
    }
    members.insert(init);
    if (Value sink = init.getSink())
      leaves.insert(sink);
    leaves.insert(masks.begin(), masks.end());
    return success();
  }

  /// The ops in their order.
  SmallVector<Operation *> ops() const {
    SmallVector<Operation *> sorted(members.begin(), members.end());
    llvm::sort(sorted, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    return sorted;
  }
  /// Queries first, then keys and values in the order of their use, a sink, a
  /// mask.
  SmallVector<Value> inputs() const { return llvm::to_vector(leaves); }

private:
  /// Follows rows of keys or values back to transfers or to a shard.
  void addRows(Value rows) {
    Operation *op = rows.getDefiningOp();
    if (!op || !(brings(op) || picksRows(op))) {
      leaves.insert(rows);
      return;
    }
    if (!members.insert(op))
      return;
    if (auto wait = dyn_cast<WaitOp>(op)) {
      auto start = wait.getToken().getDefiningOp<StartOpInterface>();
      members.insert(start);
      for (Value operand : start->getOperands())
        if (isa<BufferType>(operand.getType()))
          members.insert(operand.getDefiningOp());
        else
          addRows(operand);
      return;
    }
    for (Value operand : op->getOperands())
      addRows(operand);
  }

  /// The mask whose columns a block's mask is; kernels read these where they
  /// are.
  Value columnsOf(Value mask) {
    auto slice = mask.getDefiningOp<ttir::SliceStaticOp>();
    if (!slice)
      return mask;
    auto from = cast<RankedTensorType>(slice.getInput().getType());
    auto to = cast<RankedTensorType>(slice.getResult().getType());
    for (int64_t dim = 0; dim < 3; ++dim)
      if (from.getDimSize(dim) != to.getDimSize(dim))
        return mask;
    if (cast<IntegerAttr>(slice.getStep()[3]).getInt() != 1)
      return mask;
    members.insert(slice);
    return slice.getInput();
  }

  /// Whether an op waits for a transfer that kernels make. Others, that trade
  /// heads or fetch rows from here and there, go on before the launch.
  static bool brings(Operation *op) {
    auto wait = dyn_cast<WaitOp>(op);
    return wait && isCarried(wait.getToken().getDefiningOp());
  }
  static bool isCarried(Operation *start) {
    if (auto gather = dyn_cast<StartGatherOp>(start))
      return gather.getDimAttr().getInt() == 2 &&
             llvm::all_of(gather.getParts().getAsRange<PartAttr>(),
                          [](PartAttr part) { return part.getStride() == 1; });
    if (auto gather = dyn_cast<StartAllGatherOp>(start))
      return gather.getDimAttr().getInt() == 2;
    return isa<StartShiftOp>(start);
  }

  /// Whether an op picks rows of what a transfer brings, so that kernels read
  /// them where they are. Other parts of it are copied before the launch.
  bool picksRows(Operation *op) {
    if (!isOfRows(op))
      return false;
    auto known = picks.find(op);
    if (known != picks.end())
      return known->second;
    return picks[op] = llvm::any_of(op->getOperands(), [&](Value operand) {
             Operation *source = operand.getDefiningOp();
             return source && (brings(source) || picksRows(source));
           });
  }
  /// Whether an op slices or joins rows, side by side, and nothing else.
  static bool isOfRows(Operation *op) {
    auto shapeOf = [](Value value) {
      return cast<RankedTensorType>(value.getType()).getShape();
    };
    if (auto concat = dyn_cast<ttir::ConcatOp>(op))
      return shapeOf(concat.getResult()).size() == 4 && concat.getDim() == 2;
    auto slice = dyn_cast<ttir::SliceStaticOp>(op);
    if (!slice || shapeOf(slice.getResult()).size() != 4)
      return false;
    ArrayRef<int64_t> from = shapeOf(slice.getInput());
    ArrayRef<int64_t> to = shapeOf(slice.getResult());
    return from[0] == to[0] && from[1] == to[1] && from[3] == to[3] &&
           llvm::all_of(slice.getStep().getAsRange<IntegerAttr>(),
                        [](IntegerAttr step) { return step.getInt() == 1; });
  }

  llvm::SetVector<Operation *> members;
  llvm::SetVector<Value> leaves, masks;
  DenseMap<Operation *, bool> picks;
};

class RingFormLaunchesPass
    : public impl::RingFormLaunchesBase<RingFormLaunchesPass> {
public:
  using RingFormLaunchesBase::RingFormLaunchesBase;

  void runOnOperation() override {
    if (failed(readOptions()))
      return signalPassFailure();
    placed.clear();
    SmallVector<PartialOp> parts;
    getOperation().walk([&](PartialOp part) { parts.push_back(part); });
    llvm::for_each(parts, carryState);
    SmallVector<FinishOp> ends;
    getOperation().walk([&](FinishOp finish) {
      if (!finish->getParentOfType<LaunchOp>())
        ends.push_back(finish);
    });
    for (FinishOp finish : ends)
      if (failed(form(finish)))
        return signalPassFailure();
  }

private:
  /// One block by itself is a chain of one.
  static void carryState(PartialOp part) {
    OpBuilder builder(part);
    Location loc = part.getLoc();
    auto type = StateType::get(part.getContext(),
                               part.getOutput().getType().getShape());
    Value state = InitOp::create(builder, loc, type, /*sink=*/Value());
    state = AccumulateOp::create(
        builder, loc, type, part.getQuery(), part.getKey(), part.getValue(),
        state, part.getMask(), part.getQueryPositions(), part.getKeyPositions(),
        part.getPatternAttr(), part.getScaleAttr(), part.getLengthAttr(),
        part.getBlockAttr());
    auto finish = FinishOp::create(builder, loc, part->getResultTypes(), state);
    part->replaceAllUsesWith(finish);
    part->erase();
  }

  LogicalResult form(FinishOp finish) {
    LaunchMembers members;
    if (failed(members.collect(finish)))
      return failure();
    SmallVector<Operation *> ops = members.ops();
    SmallVector<Value> inputs = members.inputs();

    OpBuilder builder(finish);
    auto launch = LaunchOp::create(builder, finish.getLoc(),
                                   finish->getResultTypes(), inputs, settings,
                                   /*chained=*/UnitAttr());
    Block &body = launch.getBody().emplaceBlock();
    IRMapping mapping;
    for (Value input : inputs)
      mapping.map(input, body.addArgument(input.getType(), input.getLoc()));
    builder.setInsertionPointToStart(&body);
    for (Operation *op : ops)
      builder.clone(*op, mapping);
    YieldOp::create(builder, finish.getLoc(),
                    llvm::map_to_vector(finish->getResults(), [&](Value value) {
                      return mapping.lookup(value);
                    }));
    finish->replaceAllUsesWith(launch);
    // What another attention reads too stays for it.
    for (Operation *op : llvm::reverse(ops))
      if (op->use_empty())
        op->erase();
    return place(launch);
  }

  /// Chooses the chunks that the options leave open, once for all launches that
  /// are alike.
  LogicalResult place(LaunchOp launch) {
    auto *alike = llvm::find_if(placed, [&](LaunchOp other) {
      return OperationEquivalence::isRegionEquivalentTo(
          &launch.getBody(), &other.getBody(),
          OperationEquivalence::IgnoreLocations);
    });
    if (alike == placed.end()) {
      placed.push_back(launch);
      return choose(launch);
    }
    launch.setComputeAttr(alike->getComputeAttr());
    launch.setChained(alike->getChained());
    return success();
  }

  LogicalResult choose(LaunchOp launch) {
    FailureOr<rt::LaunchDescription> description = describeLaunch(launch);
    if (failed(description))
      return failure();
    rt::AttentionOptions &options = description->options;
    options.queryChunk = qChunk / kTile;
    options.keyChunk = kChunk / kTile;
    rt::Status status = rt::chooseChunks(machine, *description);
    if (!status)
      return launch.emitOpError(status.message());
    rt::Result<rt::AttentionProgram> attention = rt::attentionProgram(
        description->schedule, description->sizes, options);
    emitPrediction(launch, rt::launchTime(machine, *description, *attention));
    launch.setChained(options.handOn);
    launch.setComputeAttr(
        ComputeAttr::get(&getContext(), kTile * options.queryChunk,
                         kTile * options.keyChunk, settings.getExpApprox(),
                         settings.getFidelity(), settings.getFp32Accumulation(),
                         settings.getGrid(), settings.getCclOffset()));
    return success();
  }

  /// Says what the counted work comes to on the machine.
  void emitPrediction(LaunchOp launch, const rt::LaunchTime &time) {
    auto milliseconds = [](double seconds) {
      return llvm::formatv("{0:F3} ms", seconds * 1e3).str();
    };
    auto percent = [](double share) {
      return llvm::formatv("{0:F0} %", share * 100).str();
    };
    emitRemark(launch.getLoc(), "ring-form-launches: ")
        << milliseconds(time.seconds) << " predicted on " << machine.name
        << ", " << percent(time.utilisation)
        << " math utilisation; weighing by the math thread "
        << milliseconds(time.weighing.math) << ", by the pack thread "
        << milliseconds(time.weighing.pack) << ", adding "
        << milliseconds(time.adding.math) << " and "
        << milliseconds(time.adding.pack) << ", chunks "
        << milliseconds(time.chunks) << "; beside them DRAM "
        << milliseconds(time.dram) << " and links " << milliseconds(time.links)
        << ", hidden " << percent(time.hidden)
        << "; from counts, covered by no published figure";
  }

  /// Reads the options; chunks are chosen launch by launch.
  LogicalResult readOptions() {
    func::FuncOp func = getOperation();
    PlannerMachine found =
        findPlannerMachine(machineName, findProgramMesh(func));
    if (!found.error.empty())
      return func.emitError() << found.error;
    if (found.isProcessor())
      return func.emitError("expects a machine of chips to launch on, but got ")
             << found.spec.name;
    machine = found.spec;
    for (auto [name, rows] : {std::pair("q-chunk", int64_t(qChunk)),
                              std::pair("k-chunk", int64_t(kChunk))})
      if (rows < 0 || rows % kTile != 0)
        return func.emitError("expects a multiple of ")
               << kTile << " as " << name << ", but got " << rows;
    std::optional<MathFidelity> passes = fidelity == "auto"
                                             ? MathFidelity::HiFi4
                                             : symbolizeMathFidelity(fidelity);
    if (!passes)
      return func.emitError("expects auto, lofi, hifi2, hifi3 or hifi4 as "
                            "fidelity, but got '")
             << fidelity << "'";
    int64_t cores[2] = {machine.chip.gridColumns,
                        std::max<int64_t>(machine.chip.gridRows - 1, 1)};
    if (!grid.empty()) {
      auto [columns, rows] = StringRef(grid).split('x');
      if (columns.getAsInteger(10, cores[0]) ||
          rows.getAsInteger(10, cores[1]) || cores[0] < 1 || cores[1] < 1)
        return func.emitError("expects columns x rows as grid, such as 8x7, "
                              "but got '")
               << grid << "'";
    }
    settings = ComputeAttr::get(&getContext(), kTile, kTile, expApprox, *passes,
                                /*fp32_accumulation=*/true, cores,
                                /*ccl_offset=*/{});
    return success();
  }

  static constexpr int64_t kTile = machine::kTileSide;
  machine::Machine machine;
  ComputeAttr settings;
  /// Launches of this function, of which no two are alike.
  SmallVector<LaunchOp> placed;
};

} // namespace
} // namespace mlir::ring
