// SPDX-License-Identifier: Apache-2.0
//
// Puts the op table together.

#include "Ops/Op.h"

#include <algorithm>

namespace ring::rt {

OpTable::OpTable() {
  registerElementwiseOps(*this);
  registerCreationOps(*this);
  registerShapeOps(*this);
  registerReductionOps(*this);
  registerMatmulOps(*this);
  registerNormalizationOps(*this);
  registerAttentionOps(*this);
  registerCacheAttentionOps(*this);
  registerCacheWriteOps(*this);
  registerFusedRingOps(*this);
  registerBlockOps(*this);
  registerBackwardOps(*this);
  registerTransferOps(*this);
  registerCollectiveOps(*this);
  registerShardingOps(*this);
  registerScheduleOps(*this);
}

const Op *OpTable::find(const std::string &name) const {
  auto found = ops.find(name);
  return found == ops.end() ? nullptr : &found->second;
}

void OpTable::add(Op op) {
  std::string name = op.name;
  bool added = ops.emplace(std::move(name), std::move(op)).second;
  assert(added && "an op is registered once");
  (void)added;
}

std::vector<std::string> OpTable::names() const {
  std::vector<std::string> names;
  for (const auto &entry : ops)
    names.push_back(entry.first);
  std::sort(names.begin(), names.end());
  return names;
}

const OpTable &opTable() {
  static const OpTable table;
  return table;
}

OpExchange::OpExchange(Arrivals *from, Carriage how)
    : sources([from](const OpTypes &types, int64_t stream,
                     std::vector<int64_t> &list) {
        std::vector<Arrival> all;
        from(types, stream, all);
        for (const Arrival &arrival : all)
          if (std::find(list.begin(), list.end(), arrival.source) == list.end())
            list.push_back(arrival.source);
      }),
      arrivals(from), carriage(how) {}

int64_t bytesTouched(const OpTypes &types) {
  int64_t bytes = 0;
  for (size_t i = 0; i < types.inputCount(); ++i)
    if (types.input(i) && types.input(i)->kind != ValueKind::Buffer)
      bytes += heldBytes(*types.input(i));
  for (size_t i = 0; i < types.outputCount(); ++i)
    if (types.output(i))
      bytes += heldBytes(*types.output(i));
  return bytes;
}

std::vector<AttributeSpec> axisAttributes(bool required) {
  return {{"axis", AttributeKind::Int, required},
          {"axis_size", AttributeKind::Int},
          {"axis_stride", AttributeKind::Int}};
}

std::vector<AttributeSpec> withAxis(std::vector<AttributeSpec> more) {
  for (const AttributeSpec &spec : axisAttributes())
    more.push_back(spec);
  return more;
}

} // namespace ring::rt
