// SPDX-License-Identifier: Apache-2.0
// ring-raise: sequence-parallel attentions of TTIR become ring.attention.

#include "ParallelRules.h"
#include "RaiseAttention.h"
#include "RaiseSteps.h"
#include "SequenceGathers.h"
#include "SpelledOut.h"
#include "ring/Analysis/RaisedModule.h"
#include "ring/Conversion/Passes.h"
#include "ring/Dialect/Ring/IR/RingDialect.h"
#include "ring/Dialect/Ring/IR/RingOps.h"
#include "ttmlir/Dialect/TTCore/IR/TTCore.h"
#include "ttmlir/Dialect/TTCore/IR/TTCoreOps.h"
#include "ttmlir/Dialect/TTIR/IR/TTIR.h"
#include "ttmlir/Dialect/TTIR/IR/TTIROps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::ring {

#define GEN_PASS_DEF_RINGRAISE
#include "ring/Conversion/Passes.h.inc"

namespace {

namespace ttcore = mlir::tt::ttcore;
namespace ttir = mlir::tt::ttir;

constexpr StringLiteral kMeshesAttrName = "ttcore.meshes";

/// Notes the ops that a builder writes, so that they can be taken back.
class WrittenOps : public OpBuilder::Listener {
public:
  void notifyOperationInserted(Operation *op,
                               OpBuilder::InsertPoint /*previous*/) override {
    ops.push_back(op);
  }
  void eraseAll() {
    for (Operation *op : llvm::reverse(ops))
      op->erase();
  }

private:
  SmallVector<Operation *> ops;
};

/// Whether `op` is an attention, its gradients, or a softmax that may be one's.
bool mayBeRaised(Operation *op) {
  return isAttention(op) || isCacheAttention(op) ||
         isa<ttir::SDPABackwardOp>(op) || endsSoftmax(op);
}

/// Whether an all_gather is not far before `op`.
bool isNearGather(Operation *op) {
  constexpr size_t kMost = 64;
  llvm::SmallSetVector<Operation *, 16> seen;
  seen.insert(op);
  for (size_t next = 0; next < std::min(seen.size(), kMost); ++next) {
    if (isa<ttir::AllGatherOp>(seen[next]))
      return true;
    for (Value operand : seen[next]->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        seen.insert(producer);
  }
  return false;
}

class RingRaisePass : public impl::RingRaiseBase<RingRaisePass> {
public:
  using RingRaiseBase::RingRaiseBase;

  void runOnOperation() override {
    if (!readOptions())
      return signalPassFailure();
    ScopedDiagnosticHandler listen(&getContext(), [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Remark)
        left.push_back({current, diagnostic.str()});
      return failure();
    });
    // What a raised composite stood for is no attention any more.
    for (Operation *op : attentionsThat([](Operation *op) {
           return isa<ttcore::CompositeOp>(op) && isAttention(op);
         }))
      raise(current = op);
    eraseUnusedDecompositions();
    for (Operation *op : attentionsThat([](Operation *op) {
           return !isa<ttcore::CompositeOp>(op) &&
                  (isAttention(op) || isCacheAttention(op) ||
                   isa<ttir::SDPABackwardOp>(op));
         })) {
      current = op;
      if (auto backward = dyn_cast<ttir::SDPABackwardOp>(op))
        raiseBackward(backward, annotationOf(op));
      else if (isCacheAttention(op))
        raiseCacheAttention(op, annotationOf(op));
      else
        raise(op);
    }
    for (Operation *op : attentionsThat(endsSoftmax))
      raiseSpelledOut(current = op);
    nameMesh();
    warnOfNothingRaised();
    // Who plans need not say again that nothing was raised.
    getAnalysis<RaisedModule>();
    markAnalysesPreserved<RaisedModule>();
  }

private:
  /// The ops of the module, in order, of which `isWanted` says so.
  SmallVector<Operation *>
  attentionsThat(llvm::function_ref<bool(Operation *)> isWanted) {
    SmallVector<Operation *> found;
    getOperation().walk([&](Operation *op) {
      if (isWanted(op))
        found.push_back(op);
    });
    return found;
  }

  bool readOptions();
  ParallelAttr annotationOf(Operation *op);
  void raise(Operation *op);
  void raiseSpelledOut(Operation *softmax);
  void eraseUnusedDecompositions();
  void nameMesh();
  void warnOfNothingRaised();

  /// What the options say of attentions without an annotation.
  ParallelRules byName;
  ParallelAttr byDefault;
  /// Ops that were left as they are, with the remark that says why.
  SmallVector<std::pair<Operation *, std::string>> left;
  /// The one that is being raised.
  Operation *current = nullptr;
  /// Private functions that raised composites named.
  llvm::SmallSetVector<StringAttr, 4> decompositions;
};

//===----------------------------------------------------------------------===//
// Who is to be distributed
//===----------------------------------------------------------------------===//

bool RingRaisePass::readOptions() {
  for (auto [name, axis] : {std::pair("sequence-axis", int64_t(sequenceAxis)),
                            std::pair("head-axis", int64_t(headAxis))})
    if (axis < -1) {
      getOperation().emitError("ring-raise options: expects ")
          << name << " to be an axis of the mesh, or -1 for none, but got "
          << axis;
      return false;
    }
  if (sequenceAxis >= 0) {
    std::optional<int64_t> heads;
    if (headAxis >= 0)
      heads = headAxis;
    byDefault = ParallelAttr::getChecked(
        [&] { return getOperation().emitError("ring-raise options: "); },
        &getContext(), int64_t(sequenceAxis), heads);
    if (!byDefault)
      return false;
  }
  return parallel.empty() ||
         succeeded(byName.read(parallel, getOperation(),
                               attentionsThat(mayBeRaised)));
}

/// The blocks of a cache say nothing of sequences that are none.
static ParallelAttr forAttention(Operation *op, ParallelAttr parallel) {
  if (!parallel || isCacheAttention(op))
    return parallel;
  return ParallelAttr::get(op->getContext(), parallel.getSequence(),
                           parallel.getOuter(), parallel.getHeads(),
                           parallel.getJoint(), /*cache_block=*/std::nullopt);
}

/// The IR has the first word, then a rule that names the attention or its
/// function.
ParallelAttr RingRaisePass::annotationOf(Operation *op) {
  for (Operation *scope = op; scope; scope = scope->getParentOp())
    if (auto parallel = scope->getAttrOfType<ParallelAttr>(kParallelAttrName))
      return forAttention(op, parallel);
  return forAttention(op, byName.find(op).value_or(byDefault));
}

/// Who asks for a ring wants to know that none came of it, and what was there
/// instead.
void RingRaisePass::warnOfNothingRaised() {
  getOperation().walk<WalkOrder::PreOrder>([&](Operation *scope) {
    auto *seen = llvm::find_if(
        left, [&](const auto &one) { return scope->isAncestor(one.first); });
    bool asks =
        scope->hasAttr(kParallelAttrName) ||
        (scope == getOperation() && byDefault) || byName.asksForAllIn(scope) ||
        (seen != left.end() && seen->first == scope && byName.asksFor(scope));
    int64_t ops = 0;
    WalkResult rings = scope->walk([&](Operation *op) {
      ++ops;
      return isa_and_nonnull<RingDialect>(op->getDialect())
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (!asks || rings.wasInterrupted())
      return WalkResult::advance();
    InFlightDiagnostic warning =
        emitWarning(scope->getLoc(), "ring-raise: 0 attentions raised, ");
    if (seen == left.end()) {
      warning << "no attention op and no softmax between two products in "
              << ops << " ops";
      return WalkResult::skip();
    }
    warning << "though ring.parallel or an option asks for it";
    // The remark stands beside the warning where they are of the same op.
    if (seen->first != scope)
      warning.attachNote(seen->first->getLoc()) << seen->second;
    return WalkResult::skip();
  });
}

//===----------------------------------------------------------------------===//
// Raising it
//===----------------------------------------------------------------------===//

void RingRaisePass::raise(Operation *op) {
  SourceAttention source;
  if (!readAttention(op, source))
    return;
  StringAttr decomposition;
  if (auto composite = dyn_cast<ttcore::CompositeOp>(op)) {
    Operation *function = SymbolTable::lookupNearestSymbolFrom(
        op, composite.getDecompositionAttr());
    if (function && SymbolTable::getSymbolVisibility(function) ==
                        SymbolTable::Visibility::Private)
      decomposition = composite.getDecompositionAttr().getAttr();
  }
  if (raiseAttention(std::move(source), annotationOf(op)) && decomposition)
    decompositions.insert(decomposition);
}

/// Composites that were raised leave behind what they stood for.
void RingRaisePass::eraseUnusedDecompositions() {
  for (StringAttr name : decompositions) {
    Operation *function = SymbolTable::lookupSymbolIn(getOperation(), name);
    if (function && SymbolTable::symbolKnownUseEmpty(function, getOperation()))
      function->erase();
  }
}

/// A model that was exported for one device names a mesh of one. Where whole
/// attentions of it are to be distributed, that is over the mesh of the option;
/// one that is no mesh is for the planner to refuse.
void RingRaisePass::nameMesh() {
  SmallVector<int64_t> shape;
  for (StringRef size : llvm::split(meshShape.getValue(), 'x'))
    if (size.getAsInteger(10, shape.emplace_back()) || shape.back() <= 0)
      return;
  auto isWhole = [](WholeAttentionOpInterface op) {
    return op.getPerDevice() ? WalkResult::advance() : WalkResult::interrupt();
  };
  getOperation().walk([&](ModuleOp module) {
    auto meshes = module->getAttrOfType<ttcore::MeshesAttr>(kMeshesAttrName);
    if (!meshes || meshes.getMeshes().size() != 1 ||
        !llvm::all_of(meshes.getMeshes().front().getShape(),
                      [](int64_t size) { return size == 1; }) ||
        !module.walk(isWhole).wasInterrupted())
      return;
    auto mesh = ttcore::MeshAttr::get(
        &getContext(), meshes.getMeshes().front().getName(), shape);
    module->setAttr(kMeshesAttrName,
                    ttcore::MeshesAttr::get(&getContext(), {mesh}));
  });
}

/// Raises the attention around a softmax. Nothing is said of one that nothing
/// distributes: it may be any softmax.
void RingRaisePass::raiseSpelledOut(Operation *softmax) {
  SourceAttention source;
  std::string reason;
  WrittenOps written;
  OpBuilder builder(softmax->getContext(), &written);
  ParallelAttr annotation = annotationOf(softmax);
  switch (readSpelledOut(builder, softmax, source, reason)) {
  case Spelling::NoAttention:
    if (byName.asksFor(softmax))
      leaveAsItIs(softmax, "a softmax that is not between two products");
    return;
  case Spelling::Unreadable:
    if (annotation || isNearGather(softmax))
      leaveAsItIs(softmax, reason);
    return;
  case Spelling::Attention:
    bool isWanted = annotation || GatheredRows::ofGather(source.key) ||
                    GatheredRows::ofHeadTrade(source.key) ||
                    !GatheredRows::obstacleTo(source.key).empty();
    if (!isWanted || !raiseAttention(std::move(source), annotation))
      written.eraseAll();
  }
}

} // namespace
} // namespace mlir::ring
