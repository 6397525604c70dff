// SPDX-License-Identifier: Apache-2.0
//
// Puts the op table together.

#include "Ops/FusedRing.h"

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
