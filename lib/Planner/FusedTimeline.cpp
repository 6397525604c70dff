// SPDX-License-Identifier: Apache-2.0
// ring_joint and ring_mla pass keys round while they compute; ring_distributed
// finds all of them on every device.

#include "FusedTimeline.h"
#include "BlockCalls.h"
#include "ReplicatedShards.h"
#include "ring/Dialect/Ring/IR/TensorSize.h"
#include "ring/Strategies/FusedForms.h"

namespace mlir::ring {
namespace {

double real(int64_t value) { return static_cast<double>(value); }

/// The events of one call.
class FusedEvents {
public:
  FusedEvents(const AttentionTraits &traits, PlanAttr plan,
              machine::Timeline &timeline)
      : traits(traits), plan(plan), timeline(timeline), calls(timeline),
        ranks(plan.getRanks()), heads(traits.heads), kvHeads(traits.kvHeads) {
    if (auto axis = plan.getHeadsAxis()) {
      int64_t shards = plan.getAxis().getMesh()[*axis];
      heads /= shards;
      if (kvHeads % shards != 0)
        sharedHeads = kvHeads;
      kvHeads = std::max<int64_t>(kvHeads / shards, 1);
    }
    elementBytes = tileBytesOf(traits.elementType) / 1024;
    // Keys of ring_mla may be of another type than the queries.
    keyType =
        traits.otherElementType ? traits.otherElementType : traits.elementType;
    latent = deviceOpOf(traits, plan) == DeviceOp::RingMla;
    queries = layoutOf(traits.queries);
    keys = gathers() ? layoutOf(traits.keys) : ringKeys(traits, plan);
    start = isChunkOverCache(traits) ? traits.chunkStart.value_or(0) : 0;
    timeline.oneCall = true;
  }

  void add(const machine::Machine &machine) {
    takeOwnHeads(machine);
    // Whoever wants all rows gathers them; of a device's own function, what
    // lies there in another order is dealt anew. Each tensor by an op of its
    // own.
    std::vector<double> given = {queryBytes()};
    if (!gathers() || !traits.pages) {
      given.push_back(keyBytes(kvHeads, traits.dim));
      if (!latent)
        given.push_back(keyBytes(kvHeads, traits.valueDim));
    }
    for (double bytes : given)
      gathers() ? exchange(machine::Carriage::AllGather, bytes) : deal(bytes);
    gathers() ? addRingDistributed() : addRingJoint();
    if (traits.wholeResults & 1)
      gatherOutput(machine);
    else
      deal(outputBytes());
  }

  /// The rings have two buffers for all that they pass; ring_distributed finds
  /// all rows, and pages beside what is put together from them.
  double held() const {
    double own = queryBytes() + outputBytes() + keyBytes(), all = real(ranks);
    // The whole cache is there, whatever of it travels.
    if (isChunkOverCache(traits) && !gathers()) {
      double cache = keyBytes() * real(traits.keys) / real(keys.getLength());
      return own - keyBytes() + cache + 2 * all * cache;
    }
    if (!gathers())
      return std::max(own, heldWhileTakingHeads()) + 2 * all * keyBytes();
    return own + all * (queryBytes() + (traits.pages ? 2 : 1) * keyBytes());
  }

private:
  LayoutAttr layoutOf(int64_t rows) const {
    return LayoutAttr::get(
        plan.getContext(), plan.getLayout(),
        paddedLength(rows, plan.getLayout(), ranks, traits.perDevice), ranks,
        /*offset=*/0);
  }

  double bytes(int64_t ofHeads, int64_t rows, int64_t dim) const {
    return real(traits.batch * ofHeads) * real(rows) * real(dim) * elementBytes;
  }
  bool gathers() const { return plan.getStrategy() == Strategy::AllGather; }

  /// Of a device's queries, of its output, and of its keys and values.
  double queryBytes() const {
    return bytes(heads, queries.getShardLength(), traits.dim);
  }
  double outputBytes() const {
    return bytes(heads, queries.getShardLength(), traits.valueDim);
  }
  double keyBytes() const {
    return keyBytes(kvHeads, traits.dim + (latent ? 0 : traits.valueDim));
  }
  double keyBytes(int64_t ofHeads, int64_t columns) const {
    return bytes(ofHeads, keys.getShardLength(), columns) *
           (tileBytesOf(keyType) / tileBytesOf(traits.elementType));
  }

  /// Of key heads that devices share, each cuts out one after the other and
  /// keeps its own (OwnHeads.h).
  void takeOwnHeads(const machine::Machine &machine) {
    if (sharedHeads < 2)
      return;
    for (int64_t columns : {traits.dim, traits.valueDim})
      for (int64_t head = 0; head < sharedHeads; ++head)
        timeline.compute(
            machine::moveTime(machine, keyBytes(sharedHeads + 1, columns))
                .seconds);
  }

  /// The most is there while the values are cut: all of their heads, the choice
  /// so far and the next head; with more than two heads also the new choice.
  double heldWhileTakingHeads() const {
    if (sharedHeads < 2)
      return 0;
    int64_t there = sharedHeads + (sharedHeads > 2 ? 3 : 2);
    return queryBytes() +
           std::max(keyBytes(there, traits.dim),
                    keyBytes(1, traits.dim) + keyBytes(there, traits.valueDim));
  }

  machine::TransferOptions options() const {
    machine::TransferOptions result;
    result.packet = machine::packetBytes(tileBytesOf(keyType));
    result.links = plan.getNumLinks();
    return result;
  }

  void deal(double ofDevice) {
    if (traits.perDevice && plan.getLayout() != LayoutKind::Contiguous)
      exchange(machine::Carriage::AllToAll, ofDevice / real(ranks));
  }

  /// In a device's own function somebody takes all rows.
  void gatherOutput(const machine::Machine &machine) {
    exchange(machine::Carriage::AllGather, outputBytes());
    for (double moved :
         bytesToOrder(bytes(heads, traits.queries, traits.valueDim),
                      traits.queries, queries))
      timeline.compute(machine::moveTime(machine, moved).seconds);
  }

  void exchange(machine::Carriage carriage, double bytesOfEach) {
    if (ranks == 1)
      return;
    machine::MeshTransfer transfer;
    transfer.carriage = carriage;
    transfer.axis = plan.getAxis().getIndex();
    transfer.ranks = ranks;
    transfer.options = options();
    transfer.parts = {{1, bytesOfEach}};
    timeline.wait(timeline.start(transfer));
  }

  machine::TimelineBlock blockOf(int64_t queryRows, int64_t keyRows) const {
    machine::TimelineBlock block;
    block.call.batch = traits.batch;
    block.call.heads = heads;
    block.call.keyHeads = kvHeads;
    block.call.latentValues = latent;
    block.call.queries = queryRows;
    block.call.keys = keyRows;
    block.call.keyDim = traits.dim;
    block.call.valueDim = traits.valueDim;
    setFormat(block.call, keyType, plan);
    return block;
  }

  void addRingJoint() {
    machine::FusedRing ring;
    ring.axis = plan.getAxis().getIndex();
    ring.ranks = ranks;
    ring.closed =
        timeline.axes[ring.axis].topology == machine::Topology::Ring &&
        plan.getTopology() != Topology::Linear && ranks > 2;
    ring.shardBytes = keyBytes();
    ring.startSeconds = machine::fusedStartSeconds(timeline.axes[ring.axis]);
    ring.options = options();
    int64_t length = ringJointLength(traits, plan);
    machine::addRingJoint(
        timeline, ring, [&](int64_t rank, int64_t owner) -> int32_t {
          // Joint tokens are met together with the last shard.
          int64_t extra = owner == ranks - 1 ? traits.realJoint : 0;
          machine::TimelineBlock block =
              blockOf(queries.getShardLength() + jointRows(traits, plan),
                      keys.getShardLength() + extra);
          block.call.jointQueries = jointRows(traits, plan);
          block.call.jointKeys = extra;
          block.call.fixedL1Bytes = machine::ringMaskBytes(
              traits.isCausal(), traits.sink, length, traits.realJoint);
          Positions rows = queries.positionsOf(rank);
          for (PositionRange &range : rows)
            range.begin += start;
          return calls.number(block, rows, keys.positionsOf(owner), traits.band,
                              length, extra);
        });
  }

  void addRingDistributed() {
    int64_t start = traits.chunkStart.value_or(0);
    std::vector<int32_t> byRank;
    for (int64_t rank = 0; rank < ranks; ++rank) {
      Positions rows = queries.positionsOf(rank);
      for (PositionRange &range : rows)
        range.begin += start;
      machine::TimelineBlock block =
          blockOf(queries.getShardLength(), traits.keys);
      block.call.kernel = machine::AttentionKernel::Distributed;
      if (traits.pages)
        block.call.fixedL1Bytes =
            machine::pageTableBytes(traits.keys / traits.pageRows);
      byRank.push_back(calls.number(block, rows, PositionRange{0, traits.keys},
                                    traits.band, traits.keys));
    }
    timeline.compute(std::move(byRank));
  }

  const AttentionTraits &traits;
  PlanAttr plan;
  machine::Timeline &timeline;
  BlockCalls calls;
  int64_t ranks, heads, kvHeads;
  /// Key heads of the whole attention where devices share them, else 0.
  int64_t sharedHeads = 0;
  double elementBytes;
  Type keyType;
  bool latent;
  LayoutAttr queries, keys;
  /// Where the queries of a chunk over a cache stand, else 0.
  int64_t start = 0;
};

} // namespace

void addFusedAttention(const AttentionTraits &traits, PlanAttr plan,
                       const machine::Machine &machine,
                       machine::Timeline &timeline) {
  FusedEvents(traits, plan, timeline).add(machine);
}

double fusedBytes(const AttentionTraits &traits, PlanAttr plan) {
  machine::Timeline none;
  return FusedEvents(traits, plan, none).held();
}

} // namespace mlir::ring
