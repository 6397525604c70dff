// SPDX-License-Identifier: Apache-2.0
// Between a function's arguments and its results all tensors are the devices'.
// A device's runtime splits nothing but a tensor that the host still has, and
// hands nothing back but what the shards put side by side give.

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "ring/Dialect/Ring/IR/RingOps.h"
#include "ring/Strategies/DeviceProgram.h"
#include "ttmlir/Dialect/TTCore/IR/TTCoreOps.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::ring {
namespace {

namespace ttcore = mlir::tt::ttcore;

constexpr int64_t kNone = ShardingAttr::kReplicated;

//===----------------------------------------------------------------------===//
// Shardings in two steps
//===----------------------------------------------------------------------===//

/// The sharding of the same mesh that splits no dimension.
ShardingAttr unsplit(ArrayRef<int64_t> mesh, RankedTensorType type) {
  return ShardingAttr::get(type.getContext(),
                           SmallVector<int64_t>(type.getRank(), kNone), mesh,
                           std::nullopt, LayoutAttr());
}

RankedTensorType shardType(ShardingAttr sharding, RankedTensorType whole) {
  return RankedTensorType::get(*sharding.getShardShape(whole.getShape()),
                               whole.getElementType());
}

/// A sharding in the part that the host does and the one that the devices do.
/// Rows that need padding are split on the devices:
///
///   [_, 1, 0, _] in 8x4, sequence = 2 as <contiguous, 75776 over 8>
///   host:    [_, 1, _, _] in 8x4
///   devices: [_, _, 0, _] in 8x4, sequence = 2 as <contiguous, 75776 over 8>
///
/// Rows that are only dealt in another order are split where they lie, and
/// dealt anew between the devices.
struct TwoSteps {
  ShardingAttr host, devices;

  TwoSteps(ShardingAttr sharding) {
    MLIRContext *context = sharding.getContext();
    int64_t sequence = *sharding.getSequence();
    SmallVector<int64_t> others(sharding.getAxes());
    SmallVector<int64_t> rows(others.size(), kNone);
    std::swap(others[sequence], rows[sequence]);
    host = ShardingAttr::get(context, others, sharding.getMesh(), std::nullopt,
                             LayoutAttr());
    devices = ShardingAttr::get(context, rows, sharding.getMesh(), sequence,
                                sharding.getLayout(), sharding.getOuter());
  }
};

bool isPadded(ShardingAttr sharding, RankedTensorType whole) {
  std::optional<int64_t> sequence = sharding.getSequence();
  return sequence &&
         sharding.getLayout().getLength() != whole.getDimSize(*sequence);
}

bool isReordered(ShardingAttr sharding) {
  return sharding.getSequence() && sharding.getLayout().getRanks() > 1 &&
         sharding.getLayout().getKind() != LayoutKind::Contiguous;
}

LayoutAttr contiguousLike(LayoutAttr layout) {
  return LayoutAttr::get(layout.getContext(), LayoutKind::Contiguous,
                         layout.getLength(), layout.getRanks(),
                         layout.getOffset());
}

ShardingAttr contiguousLike(ShardingAttr sharding) {
  return ShardingAttr::get(sharding.getContext(), sharding.getAxes(),
                           sharding.getMesh(), sharding.getSequence(),
                           contiguousLike(sharding.getLayout()),
                           sharding.getOuter());
}

/// Deals the rows of a shard anew, between the layout of `sharding` and the
/// contiguous one.
Value relayout(OpBuilder &builder, Location loc, Value shard,
               ShardingAttr sharding, bool toContiguous) {
  int64_t sequence = *sharding.getSequence();
  LayoutAttr dealt = sharding.getLayout(), contiguous = contiguousLike(dealt);
  auto axis = AxisAttr::get(builder.getContext(), sharding.getAxes()[sequence],
                            sharding.getMesh());
  return RelayoutOp::create(builder, loc, shard, sequence,
                            toContiguous ? dealt : contiguous,
                            toContiguous ? contiguous : dealt, axis);
}

//===----------------------------------------------------------------------===//
// One function
//===----------------------------------------------------------------------===//

class FunctionOnDevices {
public:
  FunctionOnDevices(func::FuncOp function, ArrayRef<int64_t> mesh)
      : function(function), mesh(mesh) {}

  LogicalResult run() {
    splitWhatIsMadeHere();
    if (function.isPrivate())
      return success();
    if (failed(enterArguments()))
      return failure();
    leaveResults();
    splitInTwoSteps();
    return success();
  }

private:
  /// Whether the host has the tensor: an argument of a function that nobody in
  /// the module calls, unless it says that it is on its devices already.
  bool isHosts(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || function.isPrivate() ||
        argument.getOwner() != &function.getBody().front())
      return false;
    auto status = function.getArgAttrOfType<ttcore::ShardStatusAttr>(
        argument.getArgNumber(), "ttcore.shard_status");
    return !status || status.getValue() != ttcore::ShardStatus::Presharded;
  }

  bool isReturned(OpOperand &use) {
    return !function.isPrivate() && isa<func::ReturnOp>(use.getOwner());
  }

  /// A whole tensor that is made in the function is made by every device, which
  /// then keeps its part; one that is used again in it goes to every device.
  void splitWhatIsMadeHere() {
    function.walk([&](Operation *op) {
      if (auto shard = dyn_cast<ShardOp>(op))
        shard.setReplicated(shard.getReplicated() ||
                            !isHosts(shard.getInput()));
      else if (auto unshard = dyn_cast<UnshardOp>(op))
        unshard.setReplicated(
            unshard.getReplicated() ||
            !llvm::all_of(unshard->getUses(),
                          [&](OpOperand &use) { return isReturned(use); }));
    });
  }

  /// Arguments that something computes with go to every device as they are.
  LogicalResult enterArguments() {
    OpBuilder builder(function.getBody());
    for (BlockArgument argument : function.getArguments()) {
      auto type = dyn_cast<RankedTensorType>(argument.getType());
      if (!type || !isHosts(argument))
        continue;
      auto needsAll = [&](OpOperand &use) {
        return !isReturned(use) && !isa<ShardOp>(use.getOwner());
      };
      if (llvm::none_of(argument.getUses(), needsAll))
        continue;
      // The caller would not see what is written into a copy.
      for (Operation *user : argument.getUsers())
        if (user->getNumResults() == 0 && !isa<func::ReturnOp>(user) &&
            user->getOperand(0) == argument)
          return user->emitOpError(
              "cannot write into the host's tensor: expects an argument that "
              "is presharded, or the written cache as a result");
      Value everywhere = ShardOp::create(builder, argument.getLoc(), type,
                                         argument, unsplit(mesh, type),
                                         /*replicated=*/false);
      argument.replaceUsesWithIf(everywhere, [&](OpOperand &use) {
        return needsAll(use) && use.getOwner() != everywhere.getDefiningOp();
      });
    }
    return success();
  }

  /// A result that every device has whole is handed back by one of them.
  void leaveResults() {
    auto leave =
        cast<func::ReturnOp>(function.getBody().back().getTerminator());
    OpBuilder builder(leave);
    for (OpOperand &operand : leave->getOpOperands()) {
      Value value = operand.get();
      auto type = dyn_cast<RankedTensorType>(value.getType());
      auto unshard = value.getDefiningOp<UnshardOp>();
      if (!type || isHosts(value) || (unshard && !unshard.getReplicated()))
        continue;
      operand.set(UnshardOp::create(builder, value.getLoc(), type, value,
                                    unsplit(mesh, type), /*replicated=*/false));
    }
  }

  void splitInTwoSteps() {
    for (Operation &op :
         llvm::make_early_inc_range(function.getBody().front())) {
      if (auto shard = dyn_cast<ShardOp>(op))
        split(shard);
      else if (auto unshard = dyn_cast<UnshardOp>(op))
        split(unshard);
    }
  }

  void split(ShardOp op) {
    ShardingAttr sharding = op.getSharding();
    RankedTensorType whole = op.getInput().getType();
    if (op.getReplicated() || sharding.getOuter())
      return;
    OpBuilder builder(op);
    Value shard;
    if (isPadded(sharding, whole)) {
      TwoSteps steps(sharding);
      Value rows =
          ShardOp::create(builder, op.getLoc(), shardType(steps.host, whole),
                          op.getInput(), steps.host, /*replicated=*/false);
      shard = ShardOp::create(builder, op.getLoc(), op.getType(), rows,
                              steps.devices, /*replicated=*/true);
    } else if (isReordered(sharding)) {
      shard = ShardOp::create(builder, op.getLoc(), op.getType(), op.getInput(),
                              contiguousLike(sharding), /*replicated=*/false);
      shard = relayout(builder, op.getLoc(), shard, sharding,
                       /*toContiguous=*/false);
    } else {
      return;
    }
    op.replaceAllUsesWith(shard);
    op.erase();
  }

  void split(UnshardOp op) {
    ShardingAttr sharding = op.getSharding();
    RankedTensorType whole = op.getType();
    if (op.getReplicated() || sharding.getOuter())
      return;
    OpBuilder builder(op);
    Value joined;
    if (isPadded(sharding, whole)) {
      TwoSteps steps(sharding);
      Value rows =
          UnshardOp::create(builder, op.getLoc(), shardType(steps.host, whole),
                            op.getInput(), steps.devices,
                            /*replicated=*/true);
      joined = UnshardOp::create(builder, op.getLoc(), whole, rows, steps.host,
                                 /*replicated=*/false);
    } else if (isReordered(sharding)) {
      Value rows = relayout(builder, op.getLoc(), op.getInput(), sharding,
                            /*toContiguous=*/true);
      joined = UnshardOp::create(builder, op.getLoc(), whole, rows,
                                 contiguousLike(sharding),
                                 /*replicated=*/false);
    } else {
      return;
    }
    op.replaceAllUsesWith(joined);
    op.erase();
  }

  func::FuncOp function;
  ArrayRef<int64_t> mesh;
};

//===----------------------------------------------------------------------===//
// All functions
//===----------------------------------------------------------------------===//

/// The functions with tensors of the host in them, and those that call them,
/// each with the mesh that they are split over.
class FunctionsWithHost {
public:
  explicit FunctionsWithHost(ModuleOp module) {
    module.walk([&](func::FuncOp function) {
      function.walk([&](Operation *op) {
        if (auto shard = dyn_cast<ShardOp>(op))
          note(function, shard.getReplicated(), shard.getSharding());
        else if (auto unshard = dyn_cast<UnshardOp>(op))
          note(function, unshard.getReplicated(), unshard.getSharding());
        else if (func::FuncOp callee = calleeOf(op))
          callers[callee].push_back(function);
      });
    });
    for (size_t next = 0; next < functions.size(); ++next) {
      func::FuncOp callee = functions[next];
      for (func::FuncOp caller : callers.lookup(callee))
        if (functions.insert(caller))
          meshes[caller] = meshes.lookup(callee);
    }
  }

  ArrayRef<func::FuncOp> get() const { return functions.getArrayRef(); }
  ArrayRef<int64_t> meshOf(func::FuncOp function) const {
    return meshes.find(function)->second;
  }

private:
  void note(func::FuncOp function, bool replicated, ShardingAttr sharding) {
    if (!replicated && functions.insert(function))
      meshes[function] = sharding.getMesh();
  }

  /// The function that a call or a composite runs, or nothing.
  static func::FuncOp calleeOf(Operation *op) {
    auto name = op->getAttrOfType<FlatSymbolRefAttr>("callee");
    if (!name)
      name = op->getAttrOfType<FlatSymbolRefAttr>("decomposition");
    return name ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, name)
                : func::FuncOp();
  }

  llvm::SetVector<func::FuncOp> functions;
  llvm::DenseMap<func::FuncOp, ArrayRef<int64_t>> meshes;
  llvm::DenseMap<func::FuncOp, SmallVector<func::FuncOp>> callers;
};

} // namespace

LogicalResult placeOnDevices(ModuleOp module) {
  FunctionsWithHost functions(module);
  for (func::FuncOp function : functions.get()) {
    if (!function.getBody().hasOneBlock())
      return function.emitOpError("expects one block in a function, but got ")
             << function.getBody().getBlocks().size();
    if (failed(FunctionOnDevices(function, functions.meshOf(function)).run()))
      return failure();
  }
  return success();
}

} // namespace mlir::ring
