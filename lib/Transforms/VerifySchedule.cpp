// SPDX-License-Identifier: Apache-2.0
// ring-verify-schedule: a program that passes cannot lose a transfer, read a
// buffer that is being written, or wait for something that nobody sends.
//
// All devices run the same program. It is therefore enough to follow it once,
// if every device passes the same transfers in the same order, and to check
// for each transfer that every device sends to exactly one that listens.

#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "ring/Analysis/ScheduleFootprint.h"
#include "ring/Transforms/Passes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::ring {

#define GEN_PASS_DEF_RINGVERIFYSCHEDULE
#include "ring/Transforms/Passes.h.inc"

namespace {

bool isCommunication(Operation *op) {
  return isa<TransferOpInterface, WaitOp, LaunchOp>(op);
}

/// The functions that move data, themselves or through a call.
llvm::SetVector<Operation *> findCommunicating(ModuleOp module) {
  SymbolTableCollection symbols;
  DenseMap<Operation *, SmallVector<Operation *>> callersOf;
  llvm::SetVector<Operation *> communicating;
  module.walk([&](FunctionOpInterface func) {
    func.walk([&](Operation *op) {
      if (isCommunication(op))
        communicating.insert(func);
      if (auto call = dyn_cast<CallOpInterface>(op))
        if (Operation *callee = call.resolveCallableInTable(&symbols))
          callersOf[callee].push_back(func);
    });
  });
  // Grows while it is walked: callers of callers follow.
  for (unsigned index = 0; index < communicating.size(); ++index)
    for (Operation *caller : callersOf.lookup(communicating[index]))
      communicating.insert(caller);
  return communicating;
}

/// Follows the program of one function.
class ScheduleVerifier {
public:
  ScheduleVerifier(FunctionOpInterface func,
                   const llvm::SetVector<Operation *> &communicating,
                   SymbolTableCollection &symbols)
      : func(func), communicating(communicating), symbols(symbols) {}

  LogicalResult run() {
    if (failed(verifyOrder()))
      return failure();
    Block &block = func.getFunctionBody().front();
    if (failed(verifyBlock(block)))
      return failure();
    for (LaunchOp launch : block.getOps<LaunchOp>())
      if (failed(verifyBlock(launch.getBody().front())))
        return failure();
    return success();
  }

private:
  LogicalResult verifyBlock(Block &block) {
    unsigned position = 0;
    for (Operation &op : block)
      positionOf[&op] = position++;
    for (Operation &op : block) {
      if (auto transfer = dyn_cast<TransferOpInterface>(op))
        if (failed(verifyMatched(transfer)))
          return failure();
      if (auto buffer = dyn_cast<BufferOp>(op))
        if (failed(verifyPrivate(buffer)))
          return failure();
      if (auto start = dyn_cast<StartOpInterface>(op))
        if (failed(verifyStart(start)))
          return failure();
    }
    return success();
  }

  //===--------------------------------------------------------------------===//
  // The same transfers in the same order on every device
  //===--------------------------------------------------------------------===//

  /// Branches and loops may go differently on different devices, and one that
  /// skips a transfer leaves its neighbour waiting.
  LogicalResult verifyOrder() {
    Region &body = func.getFunctionBody();
    WalkResult result = func.walk([&](Operation *op) {
      if (op->getParentRegion() == &body && body.hasOneBlock())
        return WalkResult::advance();
      if (!communicates(op) || op == func.getOperation())
        return WalkResult::advance();
      // A launch runs once, wherever its function runs.
      auto launch = dyn_cast<LaunchOp>(op->getParentOp());
      if (launch && launch->getParentRegion() == &body && body.hasOneBlock())
        return WalkResult::advance();
      auto diagnostic = op->emitOpError(
          "expects every device to come past this transfer, but it is in a ");
      if (op->getParentRegion() == &body) {
        diagnostic << "function with branches";
        return WalkResult::interrupt();
      }
      diagnostic << "region";
      diagnostic.attachNote(op->getParentOp()->getLoc())
          << "of " << op->getParentOp()->getName()
          << ", which a device may skip or repeat";
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  bool communicates(Operation *op) {
    if (auto call = dyn_cast<CallOpInterface>(op))
      if (Operation *callee = call.resolveCallableInTable(&symbols))
        return communicating.contains(callee);
    return isCommunication(op);
  }

  /// Every device of the mesh sends to one device and receives from one.
  LogicalResult verifyMatched(TransferOpInterface op) {
    AxisAttr axis = op.getAxis();
    if (!reference)
      reference = op;
    ArrayRef<int64_t> mesh = reference.getAxis().getMesh();
    if (axis.getMesh() != mesh) {
      auto diagnostic = op->emitOpError("expects the mesh of ")
                        << reference.getAxis() << ", but got " << axis;
      diagnostic.attachNote(reference->getLoc()) << "used here";
      return diagnostic;
    }
    for (const Transfer &transfer : op.getTransfers()) {
      if (!matched.insert({axis, transfer.source}).second)
        continue;
      SmallVector<bool> sends(axis.getNumDevices());
      for (int64_t device = 0; device < axis.getNumDevices(); ++device) {
        int64_t sender = axis.neighbour(device, transfer.source);
        if (sender == device || sends[sender])
          return op->emitOpError("expects each device to send once, but "
                                 "device ")
                 << device << " would receive from device " << sender
                 << (sender == device ? ", itself" : ", as another does");
        sends[sender] = true;
      }
    }
    return success();
  }

  //===--------------------------------------------------------------------===//
  // Starts, waits and buffers
  //===--------------------------------------------------------------------===//

  /// Nothing but transfers may touch a buffer.
  LogicalResult verifyPrivate(BufferOp op) {
    for (Operation *user : op->getUsers())
      if (!isa<StartOpInterface>(user)) {
        auto diagnostic =
            op->emitOpError("expects only transfers to use it, but got ")
            << user->getName();
        diagnostic.attachNote(user->getLoc()) << "used here";
        return diagnostic;
      }
    return success();
  }

  LogicalResult verifyStart(StartOpInterface start) {
    if (failed(verifyToken(start)))
      return failure();
    for (auto [index, buffer] : llvm::enumerate(start.getLandings())) {
      if (!buffer.getDefiningOp<BufferOp>())
        return start->emitOpError("expects a buffer that ring.buffer "
                                  "allocates in the same function");
      auto [found, isFirst] = occupantOf.try_emplace(buffer, start, index);
      if (!isFirst && failed(verifyFree(start, found->second)))
        return failure();
      found->second = {start, index};
    }
    return success();
  }

  /// One wait takes the token, and nothing else does.
  LogicalResult verifyToken(StartOpInterface start) {
    Value token = start->getResult(0);
    for (Operation *user : token.getUsers())
      if (!isa<WaitOp>(user)) {
        auto diagnostic =
            start->emitOpError("expects only a ring.wait to take its token, "
                               "but got ")
            << user->getName();
        diagnostic.attachNote(user->getLoc()) << "taken here";
        return diagnostic;
      }
    if (token.use_empty())
      return start->emitOpError("expects a ring.wait for its token before the "
                                "function returns, but got none");
    return success();
  }

  static WaitOp waitOf(Operation *start) {
    return cast<WaitOp>(*start->getResult(0).user_begin());
  }

  /// What was started into a buffer: the transfer, and which of its buffers.
  using Occupant = std::pair<StartOpInterface, unsigned>;

  /// `start` may write to the buffer of `occupant`: that transfer is done, and
  /// what it brought is neither read nor sent any more.
  LogicalResult verifyFree(StartOpInterface start, Occupant occupant) {
    unsigned now = positionOf.lookup(start);
    auto [earlier, index] = occupant;
    WaitOp wait = waitOf(earlier);
    if (positionOf.lookup(wait) > now)
      return notFree(start, "a transfer into it has not been waited for",
                     earlier, "started here");
    Value arrived = wait.getResults()[index];
    for (Operation *user : arrived.getUsers()) {
      Operation *reader = wait->getBlock()->findAncestorOpInBlock(*user);
      if (reader == start.getOperation())
        return start->emitOpError(
            "expects to write to another buffer than it sends from");
      if (positionOf.lookup(reader) > now)
        return notFree(start, "what arrived in it is read later", user,
                       "read here", earlier);
      if (isa<StartOpInterface>(reader) &&
          positionOf.lookup(waitOf(reader)) > now)
        return notFree(start, "what arrived in it is still being sent", reader,
                       "sent here", earlier);
    }
    return success();
  }

  LogicalResult notFree(StartOpInterface start, StringRef why, Operation *other,
                        StringRef what, Operation *earlier = nullptr) {
    auto diagnostic = start->emitOpError("expects its buffer to be free, but ")
                      << why;
    diagnostic.attachNote(other->getLoc()) << what;
    if (earlier)
      diagnostic.attachNote(earlier->getLoc()) << "arrived by this transfer";
    return diagnostic;
  }

  FunctionOpInterface func;
  const llvm::SetVector<Operation *> &communicating;
  SymbolTableCollection &symbols;
  DenseMap<Operation *, unsigned> positionOf;
  DenseMap<Value, Occupant> occupantOf;
  /// The first transfer, whose mesh all others must have.
  TransferOpInterface reference;
  /// Axes and distances that have been checked.
  DenseSet<std::pair<Attribute, int64_t>> matched;
};

/// Says what the schedule costs, where there is one.
void remarkFootprint(FunctionOpInterface func) {
  auto footprint = ScheduleFootprint::of(func.getFunctionBody().front());
  if (footprint.numStarts == 0)
    return;
  InFlightDiagnostic remark =
      emitRemark(func.getLoc(), "ring-verify-schedule: a device sends ");
  llvm::interleaveComma(footprint.bytesSent, remark, [&](auto entry) {
    remark << entry.second << " bytes on " << entry.first;
  });
  remark << ", has " << footprint.numBuffers << " buffers of "
         << footprint.bufferBytes << " bytes together and holds at most "
         << footprint.peakKeyValueBytes << " bytes of keys and values";
}

class RingVerifySchedulePass
    : public impl::RingVerifyScheduleBase<RingVerifySchedulePass> {
public:
  using RingVerifyScheduleBase::RingVerifyScheduleBase;

  void runOnOperation() override {
    llvm::SetVector<Operation *> communicating =
        findCommunicating(getOperation());
    SymbolTableCollection symbols;
    for (Operation *op : communicating) {
      auto func = cast<FunctionOpInterface>(op);
      if (failed(ScheduleVerifier(func, communicating, symbols).run()))
        return signalPassFailure();
      remarkFootprint(func);
    }
    markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace mlir::ring
