// SPDX-License-Identifier: Apache-2.0
// From a fused plan to what the device op is told.

#include "FusedParameters.h"
#include "mlir/IR/Builders.h"
#include "ring/Strategies/FusedForms.h"
#include "ttmlir/Dialect/TTCore/IR/TTCore.h"
#include "ttmlir/Dialect/TTCore/IR/TTCoreOpsTypes.h"

namespace mlir::ring {

namespace ttcore = mlir::tt::ttcore;

namespace {

constexpr int64_t kRows = 2;
/// One for each direction in which keys and values arrive.
constexpr int64_t kSemaphores = 2;
/// Of the operands.
enum Operand : unsigned {
  kKey = 1,
  kValue = 2,
  kJointKey = 4,
  kJointValue = 5
};

/// Collects the parameters of one call.
class Parameters {
public:
  Parameters(const AttentionTraits &traits, PlanAttr plan)
      : traits(traits), plan(plan), builder(plan.getContext()) {}

  /// What all ops have.
  void appendCommon(float scale) {
    list.append("scale", builder.getF32FloatAttr(scale));
    list.append("ring_size", ui32(plan.getAxis().getRanks()));
    list.append("cluster_axis", ui32(plan.getAxis().getIndex()));
    appendKernel();
  }

  /// What is told to the op that passes keys and values round.
  void appendRingJoint(ValueRange operands) {
    appendRing();
    appendI64("logical_l", traits.realJoint);
    list.append("joint_strategy", builder.getStringAttr("rear"));
    appendBool("is_causal", traits.isCausal());
    appendBool("is_cross", isCross(traits, plan));
    appendBuffer("persistent_output_buffer_k", operands[kKey]);
    appendBuffer("persistent_output_buffer_v", operands[kValue]);
    if (traits.jointSharded) {
      appendBuffer("persistent_output_buffer_joint_k", operands[kJointKey]);
      appendBuffer("persistent_output_buffer_joint_v", operands[kJointValue]);
    }
  }

  /// What is told to the op that passes keys round which have the values.
  void appendRingMla(ValueRange operands) {
    appendRing();
    list.append("head_dim_v", ui32(traits.valueDim));
    if (isChunkOverCache(traits))
      appendI64("kv_actual_isl", *traits.chunkStart);
    appendBuffer("persistent_output_buffer_kv", operands[kKey]);
  }

  /// What is told to the op that finds all keys on every device.
  void appendRingDistributed() {
    if (traits.chunkStart)
      appendI64("chunk_start_idx", *traits.chunkStart);
  }

  DictionaryAttr get() { return list.getDictionary(builder.getContext()); }

private:
  /// What both ops with communication of their own are told.
  void appendRing() {
    appendI64("logical_n", ringJointLength(traits, plan));
    list.append("dim", builder.getSI32IntegerAttr(kRows));
    list.append("num_links", ui32(plan.getNumLinks()));
    list.append("topology",
                ttcore::TopologyAttr::get(builder.getContext(),
                                          plan.getTopology() == Topology::Ring
                                              ? ttcore::Topology::Ring
                                              : ttcore::Topology::Linear));
    appendBool("is_balanced", plan.getLayout() == LayoutKind::Zigzag);
    list.append("num_global_semaphores", ui32(kSemaphores));
    appendMovers();
  }

  IntegerAttr ui32(int64_t value) {
    return builder.getIntegerAttr(
        builder.getIntegerType(32, /*isSigned=*/false), value);
  }
  void appendI64(StringRef name, int64_t value) {
    list.append(name, builder.getI64IntegerAttr(value));
  }
  void appendBool(StringRef name, bool value) {
    list.append(name, builder.getBoolAttr(value));
  }

  /// Says all that the op has defaults for, since those are not what was asked
  /// for: fewer passes of the matrix engine, approximate exponentials.
  void appendKernel() {
    ComputeAttr compute = plan.getCompute();
    bool approximate = compute && compute.getExpApprox();
    MathFidelity fidelity =
        compute ? compute.getFidelity() : MathFidelity::HiFi2;
    appendI64("q_chunk_size", queryChunkOf(plan));
    appendI64("k_chunk_size", keyChunkOf(plan));
    appendBool("exp_approx_mode", approximate);
    appendBool("math_approx_mode", approximate);
    list.append("math_fidelity",
                builder.getStringAttr(stringifyMathFidelity(fidelity)));
    appendBool("fp32_dest_acc_en", compute && compute.getFp32Accumulation());
    if (compute && !compute.getGrid().empty())
      list.append("compute_with_storage_grid_size",
                  builder.getDenseI64ArrayAttr(compute.getGrid()));
  }

  void appendMovers() {
    ComputeAttr compute = plan.getCompute();
    if (!compute || compute.getCclOffset().empty())
      return;
    list.append("ccl_core_grid_offset",
                builder.getDenseI64ArrayAttr(compute.getCclOffset()));
    appendBool("use_column_major_ccl", compute.movesByColumn());
  }

  /// What the caller has to allocate beside the tensors: a buffer in which the
  /// shards of all devices arrive.
  void appendBuffer(StringRef name, Value operand) {
    auto shard = cast<RankedTensorType>(operand.getType());
    SmallVector<int64_t> shape(shard.getShape());
    shape[kRows] *= plan.getAxis().getRanks();
    list.append(name, TypeAttr::get(RankedTensorType::get(
                          shape, shard.getElementType())));
  }

  const AttentionTraits &traits;
  PlanAttr plan;
  Builder builder;
  NamedAttrList list;
};

} // namespace

DictionaryAttr fusedParameters(const AttentionTraits &traits, PlanAttr plan,
                               float scale, ValueRange operands) {
  Parameters parameters(traits, plan);
  parameters.appendCommon(scale);
  switch (deviceOpOf(traits, plan)) {
  case DeviceOp::RingJoint:
    parameters.appendRingJoint(operands);
    break;
  case DeviceOp::RingMla:
    parameters.appendRingMla(operands);
    break;
  case DeviceOp::RingDistributed:
    parameters.appendRingDistributed();
    break;
  }
  return parameters.get();
}

} // namespace mlir::ring
