// SPDX-License-Identifier: Apache-2.0
//
// Ring attention written by hand, as the compiler is going to write it.

#ifndef RING_RUNTIME_TEST_RINGPROGRAMS_H
#define RING_RUNTIME_TEST_RINGPROGRAMS_H

#include "ProgramCheck.h"

namespace ring::rt::test {

/// What a ring program is to compute, and how.
struct RingProgram {
  int64_t ranks = 4;
  int64_t batch = 1, heads = 4, keyHeads = 2, sequence = 256, dim = 16;
  int64_t length = 256; ///< padded, for the layout
  encode::LayoutKind layout = encode::LayoutKind::Contiguous;
  bool causal = false;
  bool overlapped = false; ///< start, wait and two pairs of buffers
  bool carried = true;     ///< a state, or parts that are merged
  bool composite = false;  ///< stands for the device op
  bool compared = true;    ///< whole attention is computed beside it
  ElementType element = ElementType::F32;

  /// Whole q, k, v in; the ring's output, and whole attention, out.
  ProgramBuilder build() const {
    ProgramBuilder builder("ring", {ranks});
    Shape whole = {batch, heads, sequence, dim};
    Shape wholeKeys = {batch, keyHeads, sequence, dim};
    int32_t q = builder.addInput("q", wholeTensor(element, whole));
    int32_t k = builder.addInput("k", wholeTensor(element, wholeKeys));
    int32_t v = builder.addInput("v", wholeTensor(element, wholeKeys));

    Attributes sharding;
    encode::sharding(sharding, {-1, -1, 0, -1}, 2, place());
    Shape shard = {batch, heads, length / ranks, dim};
    Shape keyShard = {batch, keyHeads, length / ranks, dim};
    int32_t local = builder.addOne("ring.shard", {q},
                                   localTensor(element, shard), sharding);
    std::vector<int32_t> kv;
    for (int32_t value : {k, v})
      kv.push_back(builder.addOne("ring.shard", {value},
                                  localTensor(element, keyShard), sharding));
    size_t first = builder.instructionCount();
    int32_t out = ring(builder, local, kv, shard, keyShard);
    if (composite)
      builder.addComposite(
          "ring_joint_scaled_dot_product_attention", first,
          {local, kv[0], kv[1]}, {out},
          {{"ring_size", ranks},
           {"cluster_axis", int64_t(0)},
           {"logical_n", sequence},
           {"is_causal", int64_t(causal)},
           {"is_balanced", int64_t(layout == encode::LayoutKind::Zigzag)}});
    builder.addOutput("ring",
                      builder.addOne("ring.unshard", {out},
                                     wholeTensor(element, whole), sharding));
    if (!compared)
      return builder;
    Attributes band;
    if (causal)
      encode::band(band, -1, 0);
    builder.addOutput("whole",
                      builder.addOne("ring.attention", {q, k, v},
                                     wholeTensor(element, whole), band));
    return builder;
  }

private:
  encode::Layout place() const { return {layout, length, ranks, 0}; }

  Attributes blockOf(int64_t step) const {
    Attributes attributes;
    encode::block(attributes, place(), place(), -step, {0});
    if (causal)
      encode::band(attributes, -1, 0);
    if (length != sequence)
      attributes["length"] = sequence;
    return attributes;
  }

  int32_t ring(ProgramBuilder &builder, int32_t q, std::vector<int32_t> kv,
               const Shape &shard, const Shape &keyShard) const {
    ValueType part = localTensor(ElementType::F32, shard);
    ValueType lse =
        localTensor(ElementType::F32, {shard[0], shard[1], shard[2], 1});
    ValueType keys = localTensor(element, keyShard);
    Attributes shift = {{"by", int64_t(1)}, {"axis", int64_t(0)}};
    std::vector<int32_t> buffers;
    for (int i = 0; overlapped && i < 4; ++i)
      buffers.push_back(
          builder.addOne("ring.buffer", {}, localBuffer(element, keyShard)));
    std::vector<int32_t> parts;
    int32_t state = kAbsent;
    if (carried)
      state = builder.addOne("ring.init", {}, localState(shard));
    for (int64_t step = 0; step < ranks; ++step) {
      bool more = step + 1 < ranks;
      int32_t token = kAbsent;
      if (more && overlapped) {
        size_t pair = step % 2 * 2;
        token = builder.addOne("ring.start_shift",
                               {kv[0], kv[1], buffers[pair], buffers[pair + 1]},
                               localToken(), shift);
      }
      if (carried) {
        state = builder.addOne("ring.accumulate", {q, kv[0], kv[1], state},
                               localState(shard), blockOf(step));
      } else {
        auto next = builder.add("ring.partial", {q, kv[0], kv[1]}, {part, lse},
                                blockOf(step));
        parts = parts.empty()
                    ? next
                    : builder.add("ring.merge",
                                  {parts[0], parts[1], next[0], next[1]},
                                  {part, lse});
      }
      if (more && overlapped)
        kv = builder.add("ring.wait", {token}, {keys, keys});
      else if (more)
        kv = builder.add("ring.shift", kv, {keys, keys}, shift);
    }
    if (carried)
      return builder.add("ring.finish", {state},
                         {localTensor(element, shard), lse})[0];
    if (element == ElementType::F32)
      return parts[0];
    return builder.addOne("typecast", {parts[0]}, localTensor(element, shard));
  }
};

} // namespace ring::rt::test

#endif // RING_RUNTIME_TEST_RINGPROGRAMS_H
