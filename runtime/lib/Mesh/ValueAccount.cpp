// SPDX-License-Identifier: Apache-2.0
//
// Charging and releasing by value.

#include "Mesh/ValueAccount.h"

#include "Mesh/KeyValueMarks.h"
#include "Ops/OpRun.h"

#include <algorithm>

namespace ring::rt {

std::string describeValue(const Program &program, int32_t value) {
  return "value %" + std::to_string(value) + " " +
         describe(program.values()[value]);
}

/// What operands and results of block formats take while they are not packed.
/// Of the peers of an exchange one is unpacked at a time.
static int64_t unpackedBytes(const Op &op, const OpTypes &types) {
  int64_t bytes = 0;
  if (op.access.shares)
    return bytes;
  for (size_t i = 0; i < types.inputCount(); ++i)
    if (const ValueType *type = types.input(i);
        type && type->kind == ValueKind::Tensor && isBlockFormat(type->element))
      bytes += elementCount(type->shape) *
               heldElementBytes(heldElement(type->element));
  for (size_t i = 0; i < types.outputCount(); ++i)
    if (const ValueType *type = types.output(i);
        type && isBlockFormat(type->element))
      bytes +=
          elementCount(type->shape) * heldElementBytes(op.outputElement(*type));
  return bytes;
}

int64_t scratchOf(const Op &op, const OpTypes &types, int threads) {
  int64_t scratch =
      op.costs.scratchBytes ? op.costs.scratchBytes(types, threads) : 0;
  if (op.costs.packedBytes)
    scratch += op.costs.packedBytes(types);
  return scratch + unpackedBytes(op, types);
}

ValueAccount::ValueAccount(const Program &program, int64_t limit)
    : program(program), account(limit), charges(program.values().size(), 0),
      isKeyOrValue(markKeysAndValues(program)),
      isInKeys(markValuesInKeys(program)),
      isInput(program.values().size(), false) {
  for (const Port &port : program.inputs())
    isInput[port.value] = true;
}

Status ValueAccount::charge(int32_t value) {
  if (isInKeys[value])
    return Status::success();
  int64_t bytes = heldBytes(program.values()[value]);
  if (Status status = account.charge(bytes, describeValue(program, value),
                                     isKeyOrValue[value]);
      !status)
    return status;
  charges[value] = bytes;
  return Status::success();
}

bool ValueAccount::diesAt(size_t index, int32_t value) const {
  const std::vector<int32_t> &dying = program.diesAfter(index);
  return std::find(dying.begin(), dying.end(), value) != dying.end();
}

bool ValueAccount::takesOver(size_t index, const Op &op,
                             const OpTypes &types) const {
  if (op.access.inPlaceInput < 0 ||
      op.access.inPlaceInput >= static_cast<int>(types.inputCount()))
    return false;
  int32_t from = types.inputValue(op.access.inPlaceInput);
  int32_t into = types.outputValue(0);
  if (from == kAbsent || into == kAbsent || !diesAt(index, from))
    return false;
  const ValueType &old = program.values()[from], &made = program.values()[into];
  // Block formats are packed into memory of their own.
  return old.kind == made.kind && old.element == made.element &&
         old.placement == made.placement &&
         elementCount(old.shape) == elementCount(made.shape) &&
         !isBlockFormat(made.element) && !isInput[from] && !isKeyOrValue[from];
}

Status ValueAccount::chargeResults(size_t index, const Op &op,
                                   const OpTypes &types, bool intoBuffers,
                                   int threads) {
  for (size_t i = 0; i < types.outputCount(); ++i) {
    int32_t value = types.outputValue(i);
    if (value == kAbsent)
      continue;
    bool inPlace = i == 0 && takesOver(index, op, types);
    int32_t reused =
        inPlace ? types.inputValue(op.access.inPlaceInput) : kAbsent;
    if (inPlace && charges[reused] > 0) {
      // The result takes over what the operand takes.
      charges[value] = charges[reused];
      charges[reused] = 0;
      if (isKeyOrValue[value])
        account.becomeKeyValue(charges[value]);
    } else if (!intoBuffers) {
      if (Status status = charge(value); !status)
        return status;
    }
  }
  if (threads > 0)
    account.noteScratch(scratchOf(op, types, threads));
  return Status::success();
}

void ValueAccount::releaseDead(size_t index) {
  for (int32_t value : program.diesAfter(index)) {
    account.release(charges[value], isKeyOrValue[value]);
    charges[value] = 0;
  }
}

} // namespace ring::rt
