// SPDX-License-Identifier: Apache-2.0
//
// One walk over the instructions carries along, for every value and device,
// the devices that its numbers came from. An attention then says whose keys it
// meets, and an exchange what it sends to whom. Example, a ring of 4 after one
// shift: device 2 has the keys of device 1, and sends them on to device 3.

#include "Report/RingWalk.h"
#include "Ops/Op.h"

#include <algorithm>

namespace ring::rt {

namespace {

/// Ranges of positions of a device that are told.
constexpr size_t kMostRanges = 64;

DeviceSet only(int64_t device) { return DeviceSet(1) << device; }

/// What a value is for, as bits.
enum Use : unsigned { kQueries = 1, kKeys = 2, kOther = 4, kResults = 8 };

bool attends(const Op &op) { return !op.costs.keysAndValues.empty(); }
/// Keys follow the queries in every op that attends.
size_t queryOf(const Op &op) { return op.costs.keysAndValues[0] - 1; }

/// What each value of a program is for. Projections end the search: what is
/// computed from a result is no result any more.
std::vector<unsigned> usesOf(const Program &program) {
  const std::vector<Instruction> &steps = program.instructions();
  std::vector<unsigned> uses(program.values().size(), 0);
  auto add = [&](int32_t value, unsigned use) {
    if (value != kAbsent)
      uses[value] |= use;
  };
  auto all = [&](const std::vector<int32_t> &values) {
    unsigned use = 0;
    for (int32_t value : values)
      use |= value == kAbsent ? 0 : uses[value];
    return use;
  };
  auto opOf = [&](size_t i) -> const Op & {
    return *opTable().find(steps[i].op);
  };
  // A wait brings what its start has sent.
  auto sent = [&](size_t i) -> const std::vector<int32_t> & {
    return steps[opOf(i).role == Op::Role::Wait ? program.startOf(i) : i]
        .inputs;
  };
  for (size_t i = steps.size(); i-- > 0;) {
    const Op &op = opOf(i);
    if (op.costs.product)
      continue;
    const std::vector<size_t> &pairs = op.costs.keysAndValues;
    for (size_t j = 0; j < sent(i).size(); ++j) {
      bool isKey = std::find(pairs.begin(), pairs.end(), j) != pairs.end();
      add(sent(i)[j], !attends(op)       ? all(steps[i].outputs)
                      : isKey            ? kKeys
                      : j == queryOf(op) ? kQueries
                                         : kOther);
    }
  }
  for (size_t i = 0; i < steps.size(); ++i) {
    const Op &op = opOf(i);
    if (attends(op) || (!op.costs.product && all(sent(i)) & kResults))
      for (int32_t value : steps[i].outputs)
        add(value, kResults);
  }
  return uses;
}

std::string textOf(unsigned use) {
  std::string text;
  for (auto [bit, name] :
       {std::pair<unsigned, const char *>(kQueries, "queries"),
        {kKeys, "keys and values"},
        {kResults, "results"}})
    if (use & bit)
      text += (text.empty() ? "" : ", ") + std::string(name);
  return text.empty() ? "masks" : text;
}

std::vector<ReportPositions> positionsOf(const Positions &positions) {
  std::vector<ReportPositions> ranges;
  if (positions.size() <= kMostRanges)
    for (const PositionRange &range : positions)
      ranges.push_back({range.begin, range.size, range.stride});
  return ranges;
}

template <typename T>
void append(std::vector<T> &to, const std::vector<T> &more) {
  to.insert(to.end(), more.begin(), more.end());
}

class Walk {
public:
  Walk(const Program &program, const std::vector<int32_t> &steps)
      : program(program), steps(steps), devices(program.deviceCount()),
        uses(usesOf(program)), origins(program.values().size()) {
    for (const Port &port : program.inputs())
      if (program.values()[port.value].placement == Placement::Local)
        origins[port.value] = own();
  }

  std::map<int32_t, Round> run() {
    for (size_t i = 0; i < program.instructions().size(); ++i)
      visit(i);
    return std::move(rounds);
  }

private:
  /// The origins of one value, by device; empty: none.
  using Origins = std::vector<DeviceSet>;

  Origins own() const {
    Origins all;
    for (int64_t device = 0; device < devices; ++device)
      all.push_back(only(device));
    return all;
  }

  DeviceSet originOf(int32_t value, int64_t device) const {
    return value == kAbsent || origins[value].empty() ? 0
                                                      : origins[value][device];
  }

  void visit(size_t index) {
    const Instruction &step = program.instructions()[index];
    const Op &op = *opTable().find(step.op);
    OpTypes types(program, index);
    if (op.role == Op::Role::Buffer)
      return;
    if (op.role == Op::Role::Wait) {
      const std::vector<Origins> &brought = underWay[program.startOf(index)];
      for (size_t i = 0; i < step.outputs.size() && i < brought.size(); ++i)
        set(step.outputs[i], brought[i]);
      return;
    }
    if (op.signature.crossesPlacement) {
      for (int32_t value : step.outputs)
        if (value != kAbsent &&
            program.values()[value].placement == Placement::Local)
          set(value, own());
      return;
    }
    if (runsWhole(types))
      return;
    bool exchanges = op.exchanges() && op.exchange.arrivals;
    if (exchanges)
      exchange(index, op, types);
    if (attends(op))
      attend(index, op, types);
    else if (!exchanges)
      compute(op, step);
  }

  static bool runsWhole(const OpTypes &types) {
    for (size_t i = 0; i < types.outputCount(); ++i)
      if (types.output(i) && types.output(i)->placement == Placement::Whole)
        return true;
    return false;
  }

  void set(int32_t value, const Origins &from) {
    if (value != kAbsent)
      origins[value] = from;
  }

  /// What a device makes of numbers of several devices is its own.
  void compute(const Op &op, const Instruction &step) {
    Origins all;
    for (int64_t device = 0; device < devices; ++device) {
      DeviceSet from = 0;
      for (int32_t value : step.inputs)
        from |= originOf(value, device);
      bool several = (from & (from - 1)) != 0;
      all.push_back(op.computes() && several ? only(device) : from);
    }
    for (int32_t value : step.outputs)
      set(value, all);
  }

  /// The round that a transfer is under way in. One that is started belongs to
  /// the block that is computed before it is waited for.
  int32_t roundOf(size_t index, const Op &op) const {
    const std::vector<Instruction> &all = program.instructions();
    if (op.role != Op::Role::Start)
      return steps[index];
    for (size_t i = index + 1; i < all.size(); ++i) {
      const Op &later = *opTable().find(all[i].op);
      if (later.role == Op::Role::Wait && program.startOf(i) == index)
        break;
      if (attends(later))
        return steps[i];
    }
    return steps[index];
  }

  void exchange(size_t index, const Op &op, const OpTypes &types) {
    // What a blocking exchange sends are as many operands as it has results;
    // those behind them are kept where nothing arrives.
    bool blocks = op.role == Op::Role::Compute && !attends(op);
    size_t count = blocks ? types.outputCount() : types.inputCount();
    std::vector<int32_t> sent, kept;
    unsigned use = 0;
    for (size_t i = 0; i < types.inputCount(); ++i) {
      const ValueType *type = types.input(i);
      if (type && type->kind != ValueKind::Tensor)
        continue;
      (i < count ? sent : kept).push_back(types.inputValue(i));
      use |= type && i < count ? uses[types.inputValue(i)] : 0;
    }
    if (attends(op))
      use = kKeys;
    // Sums are new numbers, and another layout makes other shards.
    bool anew = op.computes() || op.name == "ring.relayout";
    std::vector<Origins> brought(sent.size(), Origins(devices, 0));
    for (int64_t device = 0; device < devices; ++device) {
      std::vector<Arrival> arrivals;
      op.exchange.arrivals(types, device, arrivals);
      std::map<int64_t, int64_t> bytes;
      for (const Arrival &arrival : arrivals)
        bytes[arrival.source] += arrival.bytes;
      for (size_t i = 0; bytes.empty() && i < kept.size(); ++i)
        brought[i][device] = originOf(kept[i], device);
      for (auto [source, arrived] : bytes) {
        DeviceSet from = 0;
        for (size_t i = 0; i < sent.size(); ++i) {
          brought[i][device] |= originOf(sent[i], source);
          from |= originOf(sent[i], source);
        }
        if (use && source != device && arrived > 0)
          rounds[roundOf(index, op)].sends.push_back(
              {source, device, arrived, membersOf(from), textOf(use)});
      }
    }
    if (anew)
      brought.assign(sent.size(), own());
    if (attends(op))
      gathered = brought;
    else if (op.role == Op::Role::Start)
      underWay[index] = std::move(brought);
    else
      for (size_t i = 0; i < types.outputCount(); ++i)
        set(types.outputValue(i), brought[std::min(i, brought.size() - 1)]);
  }

  void attend(size_t index, const Op &op, const OpTypes &types) {
    size_t query = queryOf(op), key = query + 1;
    bool placed = types.hasBlock() && types.input(query)->shape.size() == 4 &&
                  types.input(key)->shape.size() == 4;
    for (int64_t device = 0; device < devices; ++device) {
      Holding &holding = rounds[steps[index]].holdings[device];
      holding.queriesOf |= originOf(types.inputValue(query), device);
      for (size_t operand : op.costs.keysAndValues) {
        if (operand >= types.inputCount())
          continue;
        holding.keysOf |= originOf(types.inputValue(operand), device);
        // A device op that exchanges brings its keys itself.
        if (op.exchanges() && operand < gathered.size())
          holding.keysOf |= gathered[operand][device];
      }
      if (op.costs.flops)
        holding.flops += op.costs.flops(types, device);
      if (!placed)
        continue;
      BlockPositions rows = types.positions(query, key, device);
      append(holding.keys, positionsOf(rows.keys));
      append(holding.queries, positionsOf(rows.queries));
    }
    // Results are those of the queries.
    Origins of(devices, 0);
    for (int64_t device = 0; device < devices; ++device)
      of[device] = originOf(types.inputValue(query), device);
    for (int32_t value : types.instruction().outputs)
      set(value, of);
  }

  const Program &program;
  const std::vector<int32_t> &steps;
  int64_t devices;
  std::vector<unsigned> uses;    ///< by value
  std::vector<Origins> origins;  ///< by value
  std::vector<Origins> gathered; ///< by operand of a device op that exchanges
  std::map<size_t, std::vector<Origins>> underWay; ///< by instruction
  std::map<int32_t, Round> rounds;                 ///< by step
};

} // namespace

std::vector<int64_t> membersOf(DeviceSet set) {
  std::vector<int64_t> members;
  for (int64_t device = 0; device < kMostDevices; ++device)
    if (set & only(device))
      members.push_back(device);
  return members;
}

std::map<int32_t, Round> walkRounds(const Program &program,
                                    const std::vector<int32_t> &steps) {
  return Walk(program, steps).run();
}

} // namespace ring::rt
