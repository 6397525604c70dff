// SPDX-License-Identifier: Apache-2.0
// ring-plan: what the options leave open is decided from the attention itself.

#include "ring/Analysis/AttentionTraits.h"
#include "ring/Analysis/MeshShape.h"
#include "ring/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::ring {

#define GEN_PASS_DEF_RINGPLAN
#include "ring/Transforms/Passes.h.inc"

namespace {

/// Few enough queries that splitting the keys alone keeps every device busy.
constexpr int64_t kFewQueries = kTileRows;

/// A mesh shape written as 8x4; empty when it is not one.
SmallVector<int64_t> parseMeshShape(StringRef text) {
  SmallVector<int64_t> shape;
  for (StringRef piece : llvm::split(text, 'x')) {
    int64_t size = 0;
    if (piece.getAsInteger(10, size) || size <= 0)
      return {};
    shape.push_back(size);
  }
  return shape;
}

/// A way to distribute an attention, and the reason that the remark gives.
struct Choice {
  Strategy strategy;
  LayoutKind layout;
  Form form;
  std::string reason;
};

/// What `auto` stands for.
Choice chooseStrategy(const AttentionTraits &traits, int64_t ranks) {
  constexpr Form kExplicit = Form::Explicit;
  if (ranks == 1)
    return {Strategy::Replicate, LayoutKind::Contiguous, kExplicit,
            "there is one rank"};
  if (traits.dilation)
    return {Strategy::Usp, LayoutKind::Contiguous, kExplicit,
            "each group of heads moves what is less"};
  if (traits.backward && traits.isCausal() && !traits.isWindow())
    return {Strategy::Ring, LayoutKind::Zigzag, kExplicit,
            "zigzag balances a causal triangle"};
  if (traits.backward)
    return {Strategy::Ring, LayoutKind::Contiguous, kExplicit,
            "gradients travel with their keys"};
  if (traits.pages)
    return {Strategy::AllGather, LayoutKind::Zigzag, Form::Fused,
            "the keys are paged"};
  if (traits.queries <= kFewQueries && traits.band.isUnbounded() &&
      !traits.joint)
    return {Strategy::SplitKV, LayoutKind::Contiguous, kExplicit,
            "there are few queries against many keys"};
  if (traits.mask)
    return {Strategy::AllGather, LayoutKind::Contiguous, kExplicit,
            "a mask needs all keys in order"};
  if (traits.isWindow() && traits.band.after)
    return {Strategy::Halo, LayoutKind::Contiguous, kExplicit,
            "a window needs only the neighbours' keys"};
  if (traits.isCausal())
    return {Strategy::Ring, LayoutKind::Zigzag, kExplicit,
            "zigzag balances a causal triangle"};
  return {Strategy::Ring, LayoutKind::Contiguous, kExplicit,
          "every query attends to every key"};
}

/// Where the best choice cannot honour some feature, the next one is taken.
SmallVector<Choice> automaticChoices(const AttentionTraits &traits,
                                     int64_t ranks) {
  SmallVector<Choice> choices{chooseStrategy(traits, ranks)};
  for (Strategy strategy :
       {Strategy::Ring, Strategy::AllGather, Strategy::Replicate})
    choices.push_back({strategy, LayoutKind::Contiguous, Form::Explicit, ""});
  return choices;
}

class RingPlanPass : public impl::RingPlanBase<RingPlanPass> {
public:
  using RingPlanBase::RingPlanBase;

  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](WholeAttentionOpInterface op) {
      if (op.getPlanAttr())
        return WalkResult::advance();
      return failed(plan(op)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  FailureOr<AxisAttr> findAxis(WholeAttentionOpInterface op);
  FailureOr<Choice> readStrategy(WholeAttentionOpInterface op,
                                 const AttentionTraits &traits);
  FailureOr<PlanAttr> makePlan(WholeAttentionOpInterface op, AxisAttr axis,
                               const AttentionTraits &traits, Choice choice);
  LogicalResult plan(WholeAttentionOpInterface op);

  /// Reads an option that names an enumerant.
  template <typename Enum>
  FailureOr<Enum> symbolizeOption(WholeAttentionOpInterface op,
                                  StringRef option, StringRef text,
                                  std::optional<Enum> (*symbolize)(StringRef)) {
    if (std::optional<Enum> value = symbolize(text))
      return *value;
    return op.emitOpError("cannot be planned: unknown ")
           << option << " '" << text << "'";
  }
};

FailureOr<AxisAttr> RingPlanPass::findAxis(WholeAttentionOpInterface op) {
  ParallelAttr parallel = op.getParallelAttr();
  if (!parallel)
    return op.emitOpError("expects a parallel annotation to be planned");
  SmallVector<int64_t> mesh = findMeshShape(op);
  if (!meshShape.empty()) {
    SmallVector<int64_t> asked = parseMeshShape(meshShape);
    if (asked.empty())
      return op.emitOpError("expects mesh-shape to be like 8x4, but got '")
             << meshShape << "'";
    if (!mesh.empty() && mesh != asked)
      return op.emitOpError("expects mesh-shape to be the IR's own mesh, [")
             << mesh << "], but got [" << asked << "]";
    mesh = asked;
  }
  if (mesh.empty())
    return op.emitOpError("expects a mesh: ttcore.meshes on the module, a "
                          "ttcore.device, or the option mesh-shape");
  for (auto [what, axis] :
       {std::pair("sequence", std::optional(parallel.getSequence())),
        std::pair("heads", parallel.getHeads())})
    if (axis && *axis >= static_cast<int64_t>(mesh.size()))
      return op.emitOpError("expects the axis of the ")
             << what << " to be one of the " << mesh.size()
             << "-D mesh, but got " << *axis;
  return AxisAttr::get(op.getContext(), parallel.getSequence(), mesh);
}

/// The strategy that the option names, with the layout that suits it.
FailureOr<Choice> RingPlanPass::readStrategy(WholeAttentionOpInterface op,
                                             const AttentionTraits &traits) {
  bool triangle = traits.isCausal() && !traits.isWindow();
  // The device ops are known by name; each is one strategy in fused form.
  if (strategy == "ring_joint")
    return Choice{Strategy::Ring,
                  triangle ? LayoutKind::Zigzag : LayoutKind::Contiguous,
                  Form::Fused, "asked for"};
  if (strategy == "ring_distributed")
    return Choice{Strategy::AllGather, LayoutKind::Zigzag, Form::Fused,
                  "asked for"};
  auto asked =
      symbolizeOption<Strategy>(op, "strategy", strategy, symbolizeStrategy);
  if (failed(asked))
    return failure();
  bool deals = *asked == Strategy::Ring || *asked == Strategy::AllGather;
  return Choice{*asked,
                triangle && deals ? LayoutKind::Zigzag : LayoutKind::Contiguous,
                Form::Explicit, "asked for"};
}

FailureOr<PlanAttr> RingPlanPass::makePlan(WholeAttentionOpInterface op,
                                           AxisAttr axis,
                                           const AttentionTraits &traits,
                                           Choice choice) {
  auto [chosen, dealt, written, reason] = choice;
  if (layout != "auto") {
    auto asked =
        symbolizeOption<LayoutKind>(op, "layout", layout, symbolizeLayoutKind);
    if (failed(asked))
      return failure();
    dealt = *asked;
  }
  if (form != "auto") {
    auto asked = symbolizeOption<Form>(op, "form", form, symbolizeForm);
    if (failed(asked))
      return failure();
    written = *asked;
  }
  auto wiring =
      symbolizeOption<Topology>(op, "topology", topology, symbolizeTopology);
  if (failed(wiring))
    return failure();
  // On two ranks both directions are the same neighbour, and gradients follow
  // their keys one way.
  Directions ways = (chosen == Strategy::Ring || traits.dilation) &&
                            axis.getRanks() > 2 && !traits.backward
                        ? Directions::Both
                        : Directions::Forward;
  if (directions != "auto") {
    auto asked = symbolizeOption<Directions>(op, "directions", directions,
                                             symbolizeDirections);
    if (failed(asked))
      return failure();
    ways = *asked;
  }

  // A replicated attention is already one device's: its heads are local.
  std::optional<int64_t> heads;
  if (!op.getReplicated())
    heads = op.getParallelAttr().getHeads();
  std::optional<int64_t> trade;
  if (chosen == Strategy::Usp && !traits.dilation) {
    trade = ulysses > 0 ? int64_t(ulysses) : 1;
    int64_t kvHeads = std::max<int64_t>(
        traits.kvHeads / (heads ? axis.getMesh()[*heads] : 1), 1);
    // As many ranks as the heads allow; the ring does the rest.
    for (int64_t ranks = axis.getRanks(); ulysses == 0 && ranks > 1; --ranks)
      if (axis.getRanks() % ranks == 0 && kvHeads % ranks == 0) {
        trade = ranks;
        break;
      }
  }
  auto positive = [](int64_t value) {
    return value > 0 ? std::optional(value) : std::nullopt;
  };
  MLIRContext *context = op.getContext();
  auto emitError = [&] { return op.emitOpError("cannot be planned: "); };
  ComputeAttr compute;
  if (qChunk > 0 || kChunk > 0) {
    compute = ComputeAttr::getChecked(
        emitError, context, positive(qChunk), positive(kChunk),
        /*exp_approx=*/false, MathFidelity::HiFi2, /*fp32_accumulation=*/false,
        ArrayRef<int64_t>(), ArrayRef<int64_t>());
    if (!compute)
      return failure();
  }
  PlanAttr plan =
      PlanAttr::getChecked(emitError, context, chosen, axis, heads, dealt, ways,
                           written, *wiring, trade, int64_t(numLinks), compute);
  if (!plan)
    return failure();
  return plan;
}

LogicalResult RingPlanPass::plan(WholeAttentionOpInterface op) {
  FailureOr<AxisAttr> axis = findAxis(op);
  if (failed(axis))
    return failure();
  AttentionTraits traits = AttentionTraits::of(op);
  SmallVector<Choice> choices;
  if (strategy == "auto") {
    choices = automaticChoices(traits, axis->getRanks());
  } else {
    FailureOr<Choice> asked = readStrategy(op, traits);
    if (failed(asked))
      return failure();
    choices.push_back(*asked);
  }

  std::string refused;
  for (const Choice &choice : choices) {
    FailureOr<PlanAttr> plan = makePlan(op, *axis, traits, choice);
    if (failed(plan))
      return failure();
    if (std::optional<std::string> refusal = refusalOf(traits, *plan)) {
      if (refused.empty())
        refused =
            (stringifyStrategy(plan->getStrategy()) +
             (plan->getForm() == Form::Fused ? " (fused): " : ": ") + *refusal)
                .str();
      continue;
    }
    op.setPlanAttr(*plan);
    if (traits.dilation && traits.dilation.getOrder() != KeyOrder::Identity)
      emitRemark(op.getLoc(),
                 "ring-plan: keys are visited as they lie, not in ")
          << stringifyKeyOrder(traits.dilation.getOrder())
          << " order: no result depends on it";
    emitRemark(op.getLoc(), "ring-plan: ")
        << stringifyStrategy(plan->getStrategy()) << ", "
        << stringifyLayoutKind(plan->getLayout()) << ", "
        << stringifyDirections(plan->getDirections()) << ", "
        << stringifyForm(plan->getForm()) << " over " << axis->getRanks()
        << " ranks: "
        << (refused.empty() ? choice.reason : "cannot use " + refused);
    return success();
  }
  return op.emitOpError("cannot use strategy ") << refused;
}

} // namespace
} // namespace mlir::ring
