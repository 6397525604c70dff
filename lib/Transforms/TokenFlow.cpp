// SPDX-License-Identifier: Apache-2.0
// Where the tokens of a function's attentions come from and go to.

#include "TokenFlow.h"
#include "ring/Support/TTIRBuilder.h"

namespace mlir::ring {

static constexpr int64_t kNone = ShardingAttr::kReplicated;

bool splitsBy(ShardingAttr sharding, int64_t axis) {
  return llvm::is_contained(sharding.getAxes(), axis) ||
         sharding.getOuter() == axis;
}

GivenSharding
givenSharding(Operation &op, const TokenWiseDims &dims,
              llvm::function_ref<ShardingAttr(Value)> shardingOf) {
  GivenSharding given;
  for (auto [index, operand] : llvm::enumerate(op.getOperands())) {
    ShardingAttr sharding = shardingOf(operand);
    if (!sharding)
      continue;
    ShardingAttr result = resultSharding(&op, dims, index, sharding);
    given.mixesTokens |= !result;
    if (result && (!given.sharding ||
                   (result.getSequence() && !given.sharding.getSequence())))
      given.sharding = result;
  }
  return given;
}

std::optional<AxisAttr> findHeadsAxis(Block &block) {
  SmallVector<ShardingAttr> shardings;
  for (Operation &op : block) {
    if (auto shard = dyn_cast<ShardOp>(op); shard && !shard.getReplicated())
      shardings.push_back(shard.getSharding());
    if (auto unshard = dyn_cast<UnshardOp>(op);
        unshard && !unshard.getReplicated())
      shardings.push_back(unshard.getSharding());
  }
  llvm::DenseSet<int64_t> ofSequence;
  for (ShardingAttr sharding : shardings)
    if (std::optional<int64_t> sequence = sharding.getSequence())
      for (int64_t axis : sharding.axesOf(*sequence))
        ofSequence.insert(axis);
  for (ShardingAttr sharding : shardings)
    for (int64_t axis : sharding.getAxes())
      if (axis != kNone && !ofSequence.contains(axis))
        return AxisAttr::get(sharding.getContext(), axis, sharding.getMesh());
  return std::nullopt;
}

TokenFlow::TokenFlow(Block &block) : headsAxis(findHeadsAxis(block)) {
  for (Operation &op : block)
    follow(op);
  for (Operation &op : llvm::reverse(block))
    ask(op);
}

bool TokenFlow::isPrepared(Value whole) const {
  return isa<BlockArgument>(whole) || prepared.contains(whole);
}

//===----------------------------------------------------------------------===//
// From what attentions make down to the results
//===----------------------------------------------------------------------===//

void TokenFlow::follow(Operation &op) {
  if (auto unshard = dyn_cast<UnshardOp>(op)) {
    if (unshard.getReplicated())
      return;
    ShardingAttr sharding = unshard.getSharding();
    attends = true;
    resultLayouts.insert(sharding.getLayout());
    made[unshard.getResult()] = sharding;
    for (auto [dim, axis] : llvm::enumerate(sharding.getAxes()))
      if (headsAxis && axis == headsAxis->getIndex())
        splitDim[unshard.getResult()] = dim;
    return;
  }
  if (auto shard = dyn_cast<ShardOp>(op))
    attends |= !shard.getReplicated();
  if (isa<ShardOp>(op) ||
      llvm::any_of(op.getOperands(), [&](Value v) { return isLocal(v); })) {
    local.insert(op.result_begin(), op.result_end());
    return;
  }
  if (isConstant(&op) ||
      (onlyMoves(&op) && llvm::all_of(op.getOperands(), [&](Value operand) {
         return isPrepared(operand);
       })))
    prepared.insert(op.result_begin(), op.result_end());
  std::optional<TokenWiseDims> dims = tokenWiseDims(&op);
  if (!dims)
    return;
  GivenSharding given = givenSharding(
      op, *dims, [&](Value operand) { return made.lookup(operand); });
  if (!given.sharding || given.mixesTokens)
    return;
  made[op.getResult(0)] = given.sharding;
  followHeads(op, *dims);
}

/// A product makes its features on whichever device wants them. What has
/// tokens has to come in the right parts, weights can be split as needed.
void TokenFlow::followHeads(Operation &op, const TokenWiseDims &dims) {
  RankedTensorType type = TTIRBuilder::typeOf(op.getResult(0));
  std::optional<int64_t> dim;
  if (dims.sums()) {
    dim = type.getRank() - 1;
  } else {
    for (auto [operand, to] :
         llvm::zip_equal(op.getOperands(), dims.operands)) {
      if (!made.contains(operand))
        continue;
      auto split = splitDim.find(operand);
      int64_t here =
          split == splitDim.end() ? TokenWiseDims::kWhole : to[split->second];
      if (here < 0 || (dim && *dim != here))
        return;
      dim = here;
    }
  }
  if (!dim || !headsAxis || type.getDimSize(*dim) % headsAxis->getRanks() != 0)
    return;
  splitDim[op.getResult(0)] = *dim;
  if (dims.sums()
          ? !hasTermsInParts(op, dims)
          : op.getNumOperands() == 1 && features.contains(op.getOperand(0)))
    features.insert(op.getResult(0));
}

//===----------------------------------------------------------------------===//
// From what attentions take up to the arguments
//===----------------------------------------------------------------------===//

ShardingAttr TokenFlow::agreed(ShardingAttr given, ShardingAttr wanted) {
  if (!given || !wanted)
    return given ? given : wanted;
  if (!given.getSequence())
    return wanted;
  if (given.getSequence() != wanted.getSequence() ||
      given.getOuter() != wanted.getOuter() ||
      given.getAxes()[*given.getSequence()] !=
          wanted.getAxes()[*given.getSequence()])
    return given;
  return ShardingAttr::get(given.getContext(), wanted.getAxes(),
                           given.getMesh(), given.getSequence(),
                           given.getLayout(), given.getOuter());
}

/// Tokens that are split come before tensors that every device has, and tokens
/// dealt as an attention's result before those of gathered keys: a residual
/// meets that result.
void TokenFlow::demand(Value whole, ShardingAttr sharding) {
  auto rank = [&](ShardingAttr sharding) {
    return sharding.getSequence()
               ? 1 + resultLayouts.contains(sharding.getLayout())
               : 0;
  };
  ShardingAttr &known = wants[whole];
  if (!known || rank(known) < rank(sharding))
    known = sharding;
}

/// Whether the devices have a product's terms in parts anyway: that of the
/// projection behind an attention whose heads are split, and of the last one of
/// a feed-forward network.
bool TokenFlow::hasTermsInParts(Operation &op,
                                const TokenWiseDims &dims) const {
  auto split = splitDim.find(op.getOperand(0));
  return dims.sums() && split != splitDim.end() &&
         dims.operands[0][split->second] == TokenWiseDims::kSummed &&
         llvm::count(dims.operands[0], TokenWiseDims::kSummed) == 1;
}

int64_t TokenFlow::summedAxis(Operation &op, const TokenWiseDims &dims,
                              ShardingAttr result) const {
  return hasTermsInParts(op, dims) && !splitsBy(result, headsAxis->getIndex())
             ? headsAxis->getIndex()
             : kNone;
}

bool TokenFlow::leaves(Value whole) const {
  return llvm::all_of(whole.getUsers(), [&](Operation *user) {
    return user->hasTrait<OpTrait::IsTerminator>() ||
           (user->getNumOperands() == 1 && user->getNumResults() == 1 &&
            leaving.contains(user->getResult(0)));
  });
}

/// Features that go to the caller, such as the scores of all words, are put
/// together there, whoever made them: each device of the heads' axis makes
/// some.
ShardingAttr TokenFlow::withSplitFeatures(Value whole,
                                          ShardingAttr sharding) const {
  int64_t dim = splitDim.lookup(whole);
  if (!features.contains(whole) || !leaving.contains(whole) ||
      splitsBy(sharding, headsAxis->getIndex()) ||
      sharding.getAxes()[dim] != kNone)
    return sharding;
  SmallVector<int64_t> axes(sharding.getAxes());
  axes[dim] = headsAxis->getIndex();
  return ShardingAttr::get(sharding.getContext(), axes, sharding.getMesh(),
                           sharding.getSequence(), sharding.getLayout(),
                           sharding.getOuter());
}

void TokenFlow::ask(Operation &op) {
  if (auto shard = dyn_cast<ShardOp>(op)) {
    if (!shard.getReplicated())
      demand(shard.getInput(), shard.getSharding());
    return;
  }
  if (op.getNumResults() != 1 || isLocal(op.getResult(0)))
    return;
  if (leaves(op.getResult(0)))
    leaving.insert(op.getResult(0));
  std::optional<TokenWiseDims> dims = tokenWiseDims(&op);
  ShardingAttr result =
      agreed(made.lookup(op.getResult(0)), wanted(op.getResult(0)));
  if (!dims || !result)
    return;
  result = withSplitFeatures(op.getResult(0), result);
  wants[op.getResult(0)] = result;
  if (isPrepared(op.getResult(0)) && !result.getSequence())
    return;
  std::optional<TokenWiseRule> rule =
      ruleFor(&op, *dims, result, summedAxis(op, *dims, result));
  if (!rule)
    return;
  for (auto [operand, sharding] :
       llvm::zip_equal(op.getOperands(), rule->operands))
    demand(operand, sharding);
}

} // namespace mlir::ring
