// SPDX-License-Identifier: Apache-2.0
// Heads behind each other, pairs on top of each other.

#include "DilatedParts.h"
#include "ring/Dialect/Ring/IR/Dilation.h"

#include <limits>

namespace mlir::ring {

static constexpr int64_t kHeads = 1;

DilatedMixer::DilatedMixer(ShardedAttention &attention, int64_t heads,
                           int64_t rows)
    : attention(attention), tensors(attention.tensors()),
      dilated(attention.traits().dilation), heads(heads), rows(rows) {}

bool DilatedMixer::needsLse() const {
  return attention.traits().lse || dilated.getMix() == DilationMix::Lse;
}

Type DilatedMixer::elementType() const {
  if (dilated.getMix() == DilationMix::HeadPartition)
    return attention.traits().elementType;
  return Float32Type::get(dilated.getContext());
}

Value DilatedMixer::weighted(Value output) {
  RankedTensorType type = TTIRBuilder::typeOf(output);
  float weight = 1.0f / static_cast<float>(divisorOf(dilated));
  if (weight != 1.0f)
    output = tensors.multiply(
        output, tensors.full(type.getShape(), type.getElementType(), weight));
  return tensors.typecast(output, elementType());
}

void DilatedMixer::begin(int64_t next) {
  if (pair && *pair != next && dilated.getMix() != DilationMix::HeadPartition)
    mixParts();
  pair = next;
}

void DilatedMixer::add(HeadPart part) { parts.push_back(part); }

/// The part of heads that attend to nothing.
Part DilatedMixer::nothing(int64_t heads) {
  const AttentionTraits &traits = attention.traits();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  return {tensors.full({traits.batch, heads, rows, traits.valueDim},
                       elementType(), 0.0f),
          tensors.full({traits.batch, heads, rows, 1},
                       Float32Type::get(dilated.getContext()), -kInfinity)};
}

Part DilatedMixer::assemble() {
  llvm::sort(parts, [](const HeadPart &a, const HeadPart &b) {
    return a.first < b.first;
  });
  SmallVector<Value> outputs, lses;
  int64_t next = 0;
  auto append = [&](Part part) {
    outputs.push_back(part.output);
    lses.push_back(part.lse);
  };
  for (const HeadPart &piece : parts) {
    if (piece.first < next) {
      // Other rows of the same heads: one of the two has nothing there.
      outputs.back() = tensors.add(outputs.back(), piece.part.output);
      if (needsLse())
        lses.back() = tensors.maximum(lses.back(), piece.part.lse);
      continue;
    }
    if (piece.first > next)
      append(nothing(piece.first - next));
    append(piece.part);
    next = piece.first + piece.count;
  }
  if (next < heads)
    append(nothing(heads - next));
  return {tensors.concat(outputs, kHeads),
          needsLse() ? tensors.concat(lses, kHeads) : Value()};
}

void DilatedMixer::mixParts() {
  if (parts.empty())
    return;
  Part part = assemble();
  parts.clear();
  if (!sum.output) {
    sum = part;
    return;
  }
  Part merged;
  if (needsLse())
    merged = attention.merge(sum, part);
  if (dilated.getMix() != DilationMix::Lse)
    merged.output = tensors.add(sum.output, part.output);
  sum = merged;
}

Part DilatedMixer::mix() {
  mixParts();
  return sum.output ? sum : nothing(heads);
}

} // namespace mlir::ring
