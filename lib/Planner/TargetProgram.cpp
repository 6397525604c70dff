// SPDX-License-Identifier: Apache-2.0
// Writes an example out, then takes it through the steps of the pipeline.

#include "TargetProgram.h"
#include "ExampleAttention.h"
#include "LiveBytes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "ring/Strategies/DeviceProgram.h"
#include "ring/Strategies/FusedForms.h"

namespace mlir::ring {
namespace {

class TargetWriter {
public:
  TargetWriter(const AttentionTraits &traits, PlanAttr plan,
               const ProgramForm &form)
      : traits(traits), form(form), context(plan.getContext()),
        module(ModuleOp::create(UnknownLoc::get(context))) {
    function = makeExample(traits, plan).release();
    module->push_back(function);
  }

  TargetProgram write(ProgramPart part) {
    std::string error;
    ScopedDiagnosticHandler listen(context, [&](Diagnostic &said) {
      if (said.getSeverity() == DiagnosticSeverity::Error && error.empty())
        error = said.str();
      return success();
    });
    writeOutAttention();
    if (part != ProgramPart::Whole)
      keepBorder(part);
    else if (!form.fromHost && !traits.perDevice)
      dropBorder();
    double bytes = 0;
    if (failed(convert(bytes)) && error.empty())
      error = "expects a program of ops that the target has";
    return {std::move(module), error, bytes};
  }

private:
  void writeOutAttention() {
    WholeAttentionOpInterface attention;
    function.walk([&](WholeAttentionOpInterface op) { attention = op; });
    writeOut(attention);
    canonicalize();
    eliminateCommon();
  }

  /// The order of the pipeline. Memory is counted before landing buffers and
  /// deallocations are written down.
  LogicalResult convert(double &bytes) {
    if (failed(splitBlocks(function)))
      return failure();
    canonicalize();
    if (failed(placeOnDevices(*module)) ||
        failed(convertRingToTTIR(*module, form.blocks)))
      return failure();
    eliminateCommon();
    bytes = static_cast<double>(
        liveBytes(function.getBody().front(), !form.fromHost));
    return form.ops == ProgramOps::TTNN ? convertRingToTTNN(*module)
                                        : success();
  }

  /// Shards come to the function as they are, and leave it so.
  void dropBorder() {
    Block &body = function.getBody().front();
    for (Operation &op : llvm::make_early_inc_range(body))
      if (auto shard = dyn_cast<ShardOp>(op); shard && !shard.getReplicated()) {
        shard.replaceAllUsesWith(
            Value(body.addArgument(shard.getType(), shard.getLoc())));
        shard.erase();
      }
    for (OpOperand &result : body.getTerminator()->getOpOperands())
      if (auto unshard = result.get().getDefiningOp<UnshardOp>();
          unshard && !unshard.getReplicated())
        result.set(unshard.getInput());
    eraseDead(body);
    body.eraseArguments(
        [](BlockArgument argument) { return argument.use_empty(); });
    updateType();
  }

  /// Only the shards that come are made, or only those that leave put together.
  void keepBorder(ProgramPart part) {
    Block &body = function.getBody().front();
    auto leave = cast<func::ReturnOp>(body.getTerminator());
    if (part == ProgramPart::Before) {
      SmallVector<Value> shards;
      for (auto shard : body.getOps<ShardOp>())
        shards.push_back(shard.getResult());
      leave.getOperandsMutable().assign(shards);
    } else {
      for (Value result : leave.getOperands())
        if (auto unshard = result.getDefiningOp<UnshardOp>())
          unshard.getInputMutable().assign(
              body.addArgument(unshard.getInput().getType(), unshard.getLoc()));
    }
    eraseDead(body);
    updateType();
  }

  void updateType() {
    Block &body = function.getBody().front();
    function.setType(
        FunctionType::get(context, body.getArgumentTypes(),
                          body.getTerminator()->getOperandTypes()));
  }

  static void eraseDead(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }

  void canonicalize() {
    RewritePatternSet patterns(context);
    for (RegisteredOperationName name : context->getRegisteredOperations())
      if (StringRef dialect = name.getDialectNamespace();
          dialect == "ring" || dialect == "ttir")
        name.getCanonicalizationPatterns(patterns, context);
    (void)applyPatternsGreedily(function, std::move(patterns));
  }

  void eliminateCommon() {
    IRRewriter rewriter(context);
    DominanceInfo dominance(function);
    eliminateCommonSubExpressions(rewriter, dominance, function);
  }

  const AttentionTraits &traits;
  const ProgramForm &form;
  MLIRContext *context;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
};

} // namespace

TargetProgram writeTargetProgram(const AttentionTraits &traits, PlanAttr plan,
                                 const ProgramForm &form, ProgramPart part) {
  return TargetWriter(traits, inExplicitForm(plan), form).write(part);
}

} // namespace mlir::ring
