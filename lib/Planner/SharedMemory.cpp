// SPDX-License-Identifier: Apache-2.0
// What is copied, put together or packed where devices share a memory.

#include "SharedMemory.h"
#include "LiveBytes.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"

namespace mlir::ring {
namespace {

namespace ttir = mlir::tt::ttir;

/// Ops that give elements other places and nothing else.
bool onlyMoves(Operation *op) {
  return isa<ttir::SliceStaticOp, ttir::ConcatOp, ttir::ReshapeOp,
             ttir::PermuteOp, ttir::PadOp, ttir::RepeatInterleaveOp, SelectOp>(
      op);
}

/// What a transfer, or the wait for one, brings.
OperandRange payloadOf(Operation *op) {
  if (auto wait = dyn_cast<WaitOp>(op))
    return cast<StartOpInterface>(wait.getToken().getDefiningOp()).getPayload();
  return op->getOperands();
}

} // namespace

double SharedMemory::copySeconds(double bytes) const {
  return machine::moveTime(machine.spec, 2 * bytes).seconds;
}

bool SharedMemory::liesInWhole(Value value) {
  if (auto found = inWhole.find(value); found != inWhole.end())
    return found->second;
  Operation *op = value.getDefiningOp();
  bool lies = !op && !isLocal;
  if (auto shard = dyn_cast_or_null<ShardOp>(op)) {
    LayoutAttr layout = shard.getSharding().getLayout();
    RankedTensorType whole = shard.getInput().getType();
    lies =
        !shard.getReplicated() && whole.getElementType().isIntOrFloat() &&
        (!layout || layout.getLength() ==
                        whole.getDimSize(*shard.getSharding().getSequence()));
  } else if (op && (onlyMoves(op) || isa<WaitOp, TransferOpInterface>(op))) {
    lies = llvm::all_of(payloadOf(op),
                        [&](Value operand) { return liesInWhole(operand); });
  }
  return inWhole[value] = lies;
}

bool SharedMemory::leaves(Value value) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    if (auto unshard = dyn_cast<UnshardOp>(user))
      return !unshard.getReplicated();
    if (isa<StartOpInterface>(user))
      return llvm::all_of(user->getUsers(), [&](Operation *wait) {
        return llvm::all_of(wait->getResults(),
                            [&](Value result) { return leaves(result); });
      });
    return (onlyMoves(user) || isa<TransferOpInterface>(user)) &&
           llvm::all_of(user->getResults(),
                        [&](Value result) { return leaves(result); });
  });
}

bool SharedMemory::isReadInPlace(TransferOpInterface op) {
  if (!machine.isProcessor())
    return false;
  auto start = dyn_cast<StartOpInterface>(op.getOperation());
  OperandRange payload = start ? start.getPayload() : op->getOperands();
  return llvm::all_of(payload, [&](Value operand) {
    return liesInWhole(operand) || leaves(operand);
  });
}

Value SharedMemory::originOf(Value value) const {
  while (Operation *op = value.getDefiningOp()) {
    Operation *transfer = op;
    if (auto wait = dyn_cast<WaitOp>(op))
      transfer = wait.getToken().getDefiningOp();
    if (!isa<ShiftOp, StartShiftOp>(transfer))
      break;
    value = payloadOf(op)[cast<OpResult>(value).getResultNumber()];
  }
  return value;
}

/// Devices along an axis that does not split a tensor have the same of it, and
/// so have those that gather it.
double SharedMemory::sharersOf(Value value) const {
  Operation *op = value.getDefiningOp();
  if (auto wait = dyn_cast_or_null<WaitOp>(op))
    op = wait.getToken().getDefiningOp();
  double sharers = 1;
  if (isa_and_nonnull<AllGatherOp, StartAllGatherOp>(op))
    return static_cast<double>(
        cast<TransferOpInterface>(op).getAxis().getRanks());
  auto shard = dyn_cast_or_null<ShardOp>(op);
  if (!shard)
    return sharers;
  ShardingAttr sharding = shard.getSharding();
  llvm::DenseSet<int64_t> split;
  for (int64_t dim = 0, e = sharding.getAxes().size(); dim < e; ++dim)
    for (int64_t axis : sharding.axesOf(dim))
      split.insert(axis);
  for (auto [axis, size] : llvm::enumerate(sharding.getMesh()))
    if (!split.contains(static_cast<int64_t>(axis)))
      sharers *= static_cast<double>(size);
  return sharers;
}

double SharedMemory::packSeconds(Value keys,
                                 const machine::AttentionCall &call) {
  Value origin = originOf(keys);
  if (!packed.insert(origin).second)
    return 0;
  return machine::packSeconds(*machine.spec.processor, call) /
         sharersOf(origin);
}

double SharedMemory::joinSeconds(Value rows) {
  Value origin = originOf(rows);
  if (!liesInWhole(origin) || !joined.insert(origin).second)
    return 0;
  return copySeconds(bytesOf(origin));
}

double SharedMemory::secondsOf(Operation *op) {
  // The first touch of a state takes as long as a copy of it.
  if (isa<InitOp>(op))
    return copySeconds(bytesOf(op->getResult(0)));
  if (isa<ShardOp, UnshardOp, BufferOp>(op) || op->getNumOperands() == 0 ||
      op->hasTrait<OpTrait::IsTerminator>())
    return 0;
  if (onlyMoves(op) || isa<RouteOp>(op)) {
    Value result = op->getResult(0);
    return liesInWhole(result) || leaves(result) ? 0
                                                 : copySeconds(bytesOf(result));
  }
  double bytes = 0;
  for (Value operand : op->getOperands())
    bytes += bytesOf(operand);
  for (Value result : op->getResults())
    bytes += bytesOf(result);
  return machine::elementwiseTime(machine.spec, 0, bytes).seconds;
}

} // namespace mlir::ring
