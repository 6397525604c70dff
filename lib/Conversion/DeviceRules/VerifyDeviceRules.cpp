// SPDX-License-Identifier: Apache-2.0
// ring-verify-device-rules: what tt-mlir's runtime and tt-metal ask of a
// program beyond what the verifiers of its ops say. A program that breaks such
// a rule compiles and stops, or is wrong, on the device.

#include "KernelPrograms.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "ring/Analysis/MeshShape.h"
#include "ring/Conversion/Passes.h"
#include "ttmlir/Dialect/TTCore/IR/TTCoreOps.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"
#include "ttmlir/Dialect/TTNN/IR/TTNNOps.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::ring {

#define GEN_PASS_DEF_RINGVERIFYDEVICERULES
#include "ring/Conversion/Passes.h.inc"

namespace {

namespace ttcore = mlir::tt::ttcore;
namespace ttir = mlir::tt::ttir;
namespace ttnn = mlir::tt::ttnn;

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

ttnn::TTNNLayoutAttr layoutOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? dyn_cast_or_null<ttnn::TTNNLayoutAttr>(type.getEncoding())
              : ttnn::TTNNLayoutAttr();
}

bool isOnHost(Value value) {
  ttnn::TTNNLayoutAttr layout = layoutOf(value);
  return layout && layout.isSystemBufferType();
}

//===----------------------------------------------------------------------===//
// Between host and mesh
//===----------------------------------------------------------------------===//

/// Whether the runtime calls the function: a public one, or one that tt-mlir
/// made to run once.
bool isCalledByHost(func::FuncOp function) {
  auto type = function->getAttrOfType<StringAttr>("tt.function_type");
  return function.isPublic() || (type && type.getValue() == "const_eval");
}

/// (D1) What is split over the mesh is the host's: an argument that the caller
/// hands over.
LogicalResult verifySplit(Operation *op, Value whole) {
  auto argument = dyn_cast<BlockArgument>(whole);
  auto function =
      argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())
               : func::FuncOp();
  if (function && isCalledByHost(function))
    return success();
  InFlightDiagnostic error = op->emitOpError(
      "breaks rule D1: expects an argument of a public function, which is all "
      "that a device's runtime splits, but got a tensor that is made here");
  if (Operation *source = whole.getDefiningOp())
    error.attachNote(source->getLoc()) << "made by " << source->getName();
  return error;
}

/// (D2) What is put together on the host is a result: ops run on devices.
LogicalResult verifyJoined(Operation *op, Value whole) {
  for (Operation *user : whole.getUsers()) {
    if (isa<func::ReturnOp, ttnn::DeallocateOp>(user))
      continue;
    InFlightDiagnostic error = op->emitOpError(
        "breaks rule D2: expects what comes back to the host to be returned, "
        "but got another use");
    error.attachNote(user->getLoc()) << "used by " << user->getName();
    return error;
  }
  return success();
}

/// (D3) Tensors of the host meet nothing but the ways to and from the devices,
/// and what the host does itself.
LogicalResult verifyPlace(Operation *op) {
  if (isa<ttnn::ToDeviceOp, ttnn::DistributeTensorOp, ttnn::AggregateTensorOp,
          ttnn::DeallocateOp, ttnn::ToLayoutOp, ttnn::TypecastOp,
          ttnn::ConstantOp, ttnn::FullOp>(op))
    return success();
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    if (isOnHost(operand))
      return op->emitOpError("breaks rule D3: expects operand ")
             << index << " on the device, but got one of the host's";
  if (isa<ttnn::FromDeviceOp>(op))
    return success();
  for (auto [index, result] : llvm::enumerate(op->getResults()))
    if (isOnHost(result))
      return op->emitOpError("breaks rule D3: expects result ")
             << index << " on the device, but got one of the host's";
  return success();
}

/// (D3) The runtime's mapper and composer work on the host.
LogicalResult verifyHosts(Operation *op) {
  if (isOnHost(op->getResult(0)))
    return success();
  return op->emitOpError("breaks rule D3: expects a result of the host, which "
                         "to_device takes to the devices, but got ")
         << op->getResult(0).getType();
}

//===----------------------------------------------------------------------===//
// Cuts and transfers
//===----------------------------------------------------------------------===//

/// (D4) Tiles are not cut: a device's share of the last two dimensions is whole
/// tiles, unless the tensor is row by row.
LogicalResult verifyPartition(ttnn::MeshPartitionOp op) {
  RankedTensorType share = typeOf(op.getResult());
  int64_t dim = op.getDim(), rank = share.getRank();
  dim += dim < 0 ? rank : 0;
  ttnn::TTNNLayoutAttr layout = layoutOf(op.getResult());
  int64_t tile = ttcore::TileType::getDefaultShape()[0];
  if (!layout || !layout.isTiled() || dim < rank - 2 ||
      share.getDimSize(dim) % tile == 0)
    return success();
  return op.emitOpError("breaks rule D4: expects shares of whole tiles in "
                        "dimension ")
         << dim << ", but got " << share.getDimSize(dim);
}

/// (D5) Data travels along rows and columns of the mesh.
LogicalResult verifyLine(Operation *op, ArrayRef<int64_t> mesh, int64_t sender,
                         int64_t receiver) {
  int64_t columns = mesh.back();
  if (sender / columns == receiver / columns ||
      sender % columns == receiver % columns)
    return success();
  return op->emitOpError("breaks rule D5: expects sender and receiver in one "
                         "row or column of the mesh, but got devices ")
         << sender << " and " << receiver;
}

/// (D5), and (D6) who is no target gets zeros from device 0, or 1 for device 0
/// itself, on the same terms.
LogicalResult verifyPermute(ttir::CollectivePermuteOp op,
                            ArrayRef<int64_t> mesh) {
  int64_t devices = mesh.front() * mesh.back();
  llvm::BitVector targets(devices);
  auto numbers =
      llvm::to_vector(op.getSourceTargetPairs().getValues<int64_t>());
  for (size_t pair = 0; pair < numbers.size(); pair += 2) {
    if (failed(verifyLine(op, mesh, numbers[pair], numbers[pair + 1])))
      return failure();
    targets.set(numbers[pair + 1]);
  }
  if (targets.none())
    return success();
  for (int64_t device = 0; device < devices; ++device) {
    int64_t zeros = device == 0 ? 1 : 0;
    if (!targets[device] && (zeros / mesh.back() != device / mesh.back() &&
                             zeros % mesh.back() != device % mesh.back()))
      return op.emitOpError("breaks rule D6: expects every device to be a "
                            "target, but got none for device ")
             << device;
  }
  return success();
}

LogicalResult verifyTrade(ttir::AllToAllOp op, ArrayRef<int64_t> mesh) {
  auto devices = llvm::to_vector(op.getReplicaGroups().getValues<int64_t>());
  int64_t group = op.getSplitCount();
  for (auto [index, device] : llvm::enumerate(devices))
    if (failed(verifyLine(op, mesh, devices[index / group * group], device)))
      return failure();
  return success();
}

LogicalResult verifySend(ttnn::PointToPointOp op, ArrayRef<int64_t> mesh) {
  auto device = [&](ArrayRef<int64_t> at) {
    return at.front() * mesh.back() + at.back();
  };
  return verifyLine(op, mesh, device(op.getSenderCoord()),
                    device(op.getReceiverCoord()));
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// (D7) Rows by number come out of a table of bf16; the numbers have no sign,
/// and both are row by row.
LogicalResult verifyEmbedding(Operation *op, Value numbers, Value table) {
  if (!typeOf(table).getElementType().isBF16())
    return op->emitOpError("breaks rule D7: expects a table of bf16, but got ")
           << typeOf(table).getElementType();
  if (!layoutOf(table))
    return success();
  for (Value operand : {numbers, table})
    if (layoutOf(operand).isTiled())
      return op->emitOpError("breaks rule D7: expects numbers and table row by "
                             "row, but got tiles");
  if (!typeOf(numbers).getElementType().isUnsignedInteger(32))
    return op->emitOpError("breaks rule D7: expects numbers of ui32, but got ")
           << typeOf(numbers).getElementType();
  return success();
}

/// (D8) The blocks of sdpa_fw and sdpa_bw are of bf16 and of whole tiles.
LogicalResult verifyKernel(Operation *op, ValueRange tensors) {
  int64_t tile = ttcore::TileType::getDefaultShape()[0];
  for (Value tensor : tensors) {
    RankedTensorType type = typeOf(tensor);
    if (!type.getElementType().isBF16())
      return op->emitOpError("breaks rule D8: expects bf16, but got ") << type;
    for (int64_t size : type.getShape().take_back(2))
      if (size % tile != 0)
        return op->emitOpError("breaks rule D8: expects whole tiles, but got ")
               << type;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

/// Rows and columns of the devices; one of each where the IR names no mesh.
SmallVector<int64_t> meshOf(Operation *op) {
  SmallVector<int64_t> mesh = findMeshShape(op);
  return mesh.size() == 2 ? mesh : SmallVector<int64_t>{1, 1};
}

LogicalResult verifyOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](ttir::MeshShardOp shard) {
        return shard.getShardDirection() ==
                       ttcore::MeshShardDirection::FullToShard
                   ? verifySplit(op, shard.getInput())
                   : verifyJoined(op, shard.getResult());
      })
      .Case([&](ttir::CollectivePermuteOp permute) {
        return verifyPermute(permute, meshOf(op));
      })
      .Case([&](ttir::AllToAllOp trade) {
        return verifyTrade(trade, meshOf(op));
      })
      .Case([&](ttir::EmbeddingOp embedding) {
        return verifyEmbedding(op, embedding.getInput(), embedding.getWeight());
      })
      .Case<ttir::SDPAForwardOp, ttir::SDPABackwardOp, ttnn::SDPAForwardOp,
            ttnn::SDPABackwardOp>([&](auto kernel) {
        return verifyKernel(
            op, {kernel.getQuery(), kernel.getKey(), kernel.getValue()});
      })
      .Case([&](ttnn::DistributeTensorOp distribute) {
        return failed(verifyHosts(op)) ? failure()
                                       : verifySplit(op, distribute.getInput());
      })
      .Case([&](ttnn::AggregateTensorOp aggregate) {
        return failed(verifyHosts(op))
                   ? failure()
                   : verifyJoined(op, aggregate.getResult());
      })
      .Case([&](ttnn::MeshPartitionOp partition) {
        return verifyPartition(partition);
      })
      .Case([&](ttnn::PointToPointOp send) {
        return verifySend(send, meshOf(op));
      })
      .Case([&](ttnn::EmbeddingOp embedding) {
        return verifyEmbedding(op, embedding.getInput(), embedding.getWeight());
      })
      .Case<ttnn::GenericOp, tt::ttmetal::EnqueueProgramOp>(
          [&](auto program) { return verifyProgram(program); })
      .Default(success());
}

class RingVerifyDeviceRulesPass
    : public impl::RingVerifyDeviceRulesBase<RingVerifyDeviceRulesPass> {
public:
  using RingVerifyDeviceRulesBase::RingVerifyDeviceRulesBase;

  void runOnOperation() override {
    bool broken = false;
    getOperation().walk([&](Operation *op) {
      if (op->getParentOfType<ttcore::CPUModuleOp>())
        return;
      broken |= failed(verifyOp(op));
      if (isa_and_nonnull<ttnn::TTNNDialect>(op->getDialect()))
        broken |= failed(verifyPlace(op));
    });
    if (broken)
      signalPassFailure();
  }
};

} // namespace
} // namespace mlir::ring
