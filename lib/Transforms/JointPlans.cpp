// SPDX-License-Identifier: Apache-2.0
// Plans for all attentions of a function together. Worked example, three causal
// layers on a ring of 4: by itself each takes a zigzag all_gather, 20 us, whose
// keys are wanted in order though the queries are not, so that keys and values
// are dealt anew in every layer, 12 us. With a zigzag ring, 22 us, nothing is:
// 66 us in place of 96.

#include "JointPlans.h"
#include "TokenWise.h"
#include "ring/Dialect/Ring/IR/TensorSize.h"
#include "ring/Strategies/Strategies.h"

#include <limits>

namespace mlir::ring {
namespace {

/// Gains below this share are no reason to leave what is fastest alone.
constexpr double kLeastGain = 0.005;
/// Ways in which all are split alike that are tried.
constexpr size_t kMostUniform = 4;

/// How an attention's tensors are split.
struct Split {
  bool splitsQueries = true;
  LayoutKind queries = LayoutKind::Contiguous;
  LayoutKind keys = LayoutKind::Contiguous;
  std::optional<int64_t> headsAxis;

  bool operator==(const Split &other) const {
    return splitsQueries == other.splitsQueries && queries == other.queries &&
           keys == other.keys && headsAxis == other.headsAxis;
  }
};

Split splitOf(PlanAttr plan) {
  bool gathers = plan.getStrategy() == Strategy::AllGather;
  return {infoOf(plan.getStrategy()).splitsQueries, plan.getLayout(),
          gathers ? LayoutKind::Contiguous : plan.getLayout(),
          plan.getHeadsAxis()};
}

class JointSearch {
public:
  JointSearch(func::FuncOp function, std::vector<AttentionChoice> &choices,
              const PlannerMachine &machine)
      : function(function), choices(choices), machine(machine),
        before(choices.size()), behind(choices.size()) {
    findNeighbours();
  }

  std::vector<size_t> cheapestWay();
  JointCost costOf(const std::vector<size_t> &taken) const;
  std::vector<std::vector<size_t>> uniformWays() const;

private:
  void findNeighbours();
  double bytesOf(Value whole, PlanAttr plan) const;
  double secondsToDeal(double bytes, PlanAttr plan) const;
  double between(PlanAttr from, size_t attention, PlanAttr to) const;

  func::FuncOp function;
  std::vector<AttentionChoice> &choices;
  const PlannerMachine &machine;
  /// By attention: the last one whose tokens it takes, if any, and those that
  /// take its own.
  std::vector<std::optional<size_t>> before;
  std::vector<std::vector<size_t>> behind;
};

/// Follows tokens through the ops that treat all of them alike.
void JointSearch::findNeighbours() {
  llvm::DenseMap<Operation *, size_t> numbers;
  for (auto [number, choice] : llvm::enumerate(choices))
    numbers[choice.op] = number;
  llvm::DenseMap<Value, size_t> madeBy;
  for (Operation &op : function.getBody().front()) {
    auto own = numbers.find(&op);
    if (own == numbers.end() && !tokenWiseDims(&op))
      continue;
    std::optional<size_t> last;
    for (Value operand : op.getOperands())
      if (auto maker = madeBy.find(operand); maker != madeBy.end())
        last = std::max(last.value_or(0), maker->second);
    if (own != numbers.end()) {
      before[own->second] = last;
      if (last)
        behind[*last].push_back(own->second);
      last = own->second;
    }
    if (last)
      for (Value result : op.getResults())
        madeBy[result] = *last;
  }
}

double JointSearch::bytesOf(Value whole, PlanAttr plan) const {
  auto bytes =
      static_cast<double>(sizeInBytes(cast<RankedTensorType>(whole.getType())));
  bytes /= static_cast<double>(plan.getRanks());
  if (plan.getHeadsAxis())
    bytes /= static_cast<double>(machine.mesh[*plan.getHeadsAxis()]);
  return bytes;
}

/// Nearly every row goes to another device, a part of the way round.
double JointSearch::secondsToDeal(double bytes, PlanAttr plan) const {
  return machine::allToAllSeconds(machine.axes[plan.getAxis().getIndex()],
                                  bytes);
}

/// What lies between an attention and the one whose tokens it takes: its
/// queries come as those were left, keys and values too, and its result meets
/// them again. Without one before it, tokens come as its queries want them.
double JointSearch::between(PlanAttr from, size_t attention,
                            PlanAttr to) const {
  Split left = splitOf(from), wanted = splitOf(to);
  auto attend = cast<AttendOpInterface>(choices[attention].op.getOperation());
  double seconds = 0;
  auto isMade = [](Value value) { return value.getDefiningOp() != nullptr; };
  if (left.queries != wanted.queries ||
      left.splitsQueries != wanted.splitsQueries ||
      left.headsAxis != wanted.headsAxis)
    seconds += 2 * secondsToDeal(bytesOf(attend.getQuery(), to), to);
  if (left.queries != wanted.keys)
    for (Value operand : {attend.getKey(), attend.getValue()})
      if (isMade(operand))
        seconds += secondsToDeal(bytesOf(operand, to), to);
  return seconds;
}

/// From the last attention to the first: the cheapest way on for each candidate
/// of each, given what those behind it do.
std::vector<size_t> JointSearch::cheapestWay() {
  std::vector<std::vector<double>> costs(choices.size());
  /// By attention, candidate of the one before and then own: the best.
  std::vector<std::vector<size_t>> best(choices.size());
  for (size_t i = choices.size(); i-- > 0;) {
    const auto &own = choices[i].candidates;
    for (const PlanCandidate &candidate : own) {
      double cost = candidate.cost.seconds;
      for (size_t next : behind[i]) {
        double least = std::numeric_limits<double>::infinity();
        size_t taken = 0;
        for (auto [number, other] : llvm::enumerate(choices[next].candidates)) {
          double way =
              costs[next][number] + between(candidate.plan, next, other.plan);
          if (way < least) {
            least = way;
            taken = number;
          }
        }
        best[next].push_back(taken);
        cost += least;
      }
      costs[i].push_back(cost);
    }
  }
  std::vector<size_t> taken(choices.size());
  for (size_t i = 0; i < choices.size(); ++i) {
    if (before[i]) {
      taken[i] = best[i][taken[*before[i]]];
      continue;
    }
    double least = std::numeric_limits<double>::infinity();
    for (auto [number, candidate] : llvm::enumerate(choices[i].candidates)) {
      double cost =
          costs[i][number] + between(candidate.plan, i, candidate.plan);
      if (cost < least) {
        least = cost;
        taken[i] = number;
      }
    }
  }
  return taken;
}

/// All split alike, as the candidates of the first one are.
std::vector<std::vector<size_t>> JointSearch::uniformWays() const {
  std::vector<std::vector<size_t>> ways;
  for (const PlanCandidate &like : choices.front().candidates) {
    std::vector<size_t> way;
    for (const AttentionChoice &choice : choices)
      for (auto [number, candidate] : llvm::enumerate(choice.candidates))
        if (splitOf(candidate.plan) == splitOf(like.plan)) {
          way.push_back(number);
          break;
        }
    if (way.size() == choices.size() && ways.size() < kMostUniform)
      ways.push_back(way);
  }
  return ways;
}

JointCost JointSearch::costOf(const std::vector<size_t> &taken) const {
  JointCost cost;
  PlansOfFunction plans;
  for (auto [number, choice] : llvm::zip_equal(taken, choices)) {
    cost.attentions += choice.candidates[number].cost.seconds;
    plans[choice.op] = choice.candidates[number].plan;
  }
  cost.between = secondsBetween(function, plans, machine);
  return cost;
}

/// One of every split, the fastest, in the order of their times.
void keepOneOfEach(std::vector<PlanCandidate> &candidates) {
  std::vector<PlanCandidate> kept;
  for (const PlanCandidate &candidate : candidates)
    if (llvm::none_of(kept, [&](const PlanCandidate &other) {
          return splitOf(other.plan) == splitOf(candidate.plan);
        }))
      kept.push_back(candidate);
  candidates = std::move(kept);
}

} // namespace

JointPlans planTogether(func::FuncOp function,
                        std::vector<AttentionChoice> choices,
                        const PlannerMachine &machine) {
  JointPlans plans;
  for (AttentionChoice &choice : choices)
    keepOneOfEach(choice.candidates);
  JointSearch search(function, choices, machine);
  std::vector<size_t> taken(choices.size(), 0);
  plans.alone = plans.together = search.costOf(taken);
  if (plans.alone.between > kLeastGain * plans.alone.attentions) {
    std::vector<std::vector<size_t>> ways = search.uniformWays();
    ways.push_back(search.cheapestWay());
    double most = plans.alone.seconds() * (1 - kLeastGain);
    for (const std::vector<size_t> &way : ways) {
      double attentions = 0;
      for (auto [number, choice] : llvm::zip_equal(way, choices))
        attentions += choice.candidates[number].cost.seconds;
      if (attentions >= most)
        continue;
      JointCost cost = search.costOf(way);
      if (cost.seconds() < most) {
        most = cost.seconds();
        plans.together = cost;
        taken = way;
      }
    }
  }
  for (auto [choice, number] : llvm::zip_equal(choices, taken))
    choice.taken = number;
  plans.choices = std::move(choices);
  return plans;
}

} // namespace mlir::ring
