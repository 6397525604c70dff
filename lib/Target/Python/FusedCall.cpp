// SPDX-License-Identifier: Apache-2.0
// A fused attention as the call of the device op.

#include "FusedCall.h"
#include "PythonText.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::ring {

namespace ttcore = mlir::tt::ttcore;

namespace {

constexpr int64_t kRows = 2, kTile = 32;

class FusedCall {
public:
  FusedCall(ttcore::CompositeOp op, ArrayRef<std::string> operands,
            SharedResources &resources)
      : op(op), operands(operands), resources(resources) {}

  FailureOr<std::string> write() {
    if (op.getCompositeName() == "ring_joint_scaled_dot_product_attention")
      return writeRingJoint();
    if (op.getCompositeName() ==
        "ring_distributed_scaled_dot_product_attention")
      return writeRingDistributed();
    return op.emitOpError("has no form in Python: no device op is known by the "
                          "name ")
           << op.getCompositeName();
  }

private:
  Attribute parameter(StringRef name) {
    DictionaryAttr all = op.getCompositeAttributesAttr();
    return all ? all.get(name) : Attribute();
  }
  int64_t integer(StringRef name, int64_t otherwise) {
    auto value = dyn_cast_or_null<IntegerAttr>(parameter(name));
    return value ? value.getValue().getSExtValue() : otherwise;
  }
  RankedTensorType typeOf(int64_t operand) {
    return cast<RankedTensorType>(op.getInputs()[operand].getType());
  }

  /// Adds `name=...` for each parameter that is there.
  void pass(ArrayRef<StringRef> names) {
    for (StringRef name : names)
      if (Attribute value = parameter(name))
        if (std::optional<std::string> text = pythonValue(value))
          arguments.push_back(name.str() + "=" + *text);
  }

  /// The largest usual chunk that divides `rows`.
  static int64_t chunkFor(int64_t rows) {
    for (int64_t chunk : {256, 128, 64})
      if (rows % chunk == 0)
        return chunk;
    return kTile;
  }

  /// A grid or an offset `[x, y]` of the plan, or that part of the script's
  /// own choice.
  std::string coordinates(StringRef name, StringRef otherwise) {
    if (auto given = dyn_cast_or_null<DenseI64ArrayAttr>(parameter(name)))
      return "ttnn.CoreCoord(" + std::to_string(given[0]) + ", " +
             std::to_string(given[1]) + ")";
    return otherwise.str();
  }

  void passProgram(int64_t rows) {
    std::string program =
        "program_config=ttnn.SDPAProgramConfig(compute_with_storage_grid_"
        "size=" +
        coordinates("compute_with_storage_grid_size", "shared[\"grid\"]") +
        ", q_chunk_size=" +
        std::to_string(integer("q_chunk_size", chunkFor(rows))) +
        ", k_chunk_size=" +
        std::to_string(integer("k_chunk_size", chunkFor(rows)));
    if (Attribute approximate = parameter("exp_approx_mode"))
      program += ", exp_approx_mode=" + *pythonValue(approximate);
    arguments.push_back(program + ")");
    auto fidelity = dyn_cast_or_null<StringAttr>(parameter("math_fidelity"));
    if (!fidelity)
      return;
    static constexpr std::pair<StringRef, StringRef> names[] = {
        {"lofi", "LoFi"},
        {"hifi2", "HiFi2"},
        {"hifi3", "HiFi3"},
        {"hifi4", "HiFi4"}};
    for (auto [ours, theirs] : names)
      if (fidelity.getValue().equals_insensitive(ours))
        arguments.push_back(
            "compute_kernel_config=ttnn.init_device_compute_kernel_config("
            "device.arch(), math_fidelity=ttnn.MathFidelity." +
            theirs.str() + ", fp32_dest_acc_en=" +
            (parameter("fp32_dest_acc_en")
                 ? *pythonValue(parameter("fp32_dest_acc_en"))
                 : "False") +
            ")");
  }

  /// Where the keys, or values, of all devices arrive: as the parameter
  /// `keyword` says, or as many rows as all devices have.
  FailureOr<std::string> gatherBuffer(StringRef role, StringRef keyword,
                                      int64_t operand) {
    RankedTensorType type = typeOf(operand);
    SmallVector<int64_t> shape(type.getShape());
    shape[kRows] *= integer("ring_size", 1);
    if (auto given = dyn_cast_or_null<TypeAttr>(parameter(keyword)))
      shape.assign(cast<RankedTensorType>(given.getValue()).getShape());
    std::optional<std::string> element = pythonType(type.getElementType());
    if (!element)
      return op.emitOpError("has no form in Python: ttnn has no tensors of ")
             << type.getElementType();
    std::string name =
        (role + "_" +
         llvm::join(
             llvm::map_range(shape,
                             [](int64_t size) { return std::to_string(size); }),
             "x"))
            .str();
    resources.buffers[name] = "ttnn.empty(" + pythonList(shape) + ", " +
                              *element +
                              ", ttnn.TILE_LAYOUT, device, "
                              "ttnn.DRAM_MEMORY_CONFIG)";
    return keyword.str() + "=shared[\"" + name + "\"]";
  }

  FailureOr<std::string> writeRingJoint() {
    bool joint = operands.size() == 6;
    arguments.assign(operands.begin(), operands.begin() + 3);
    for (int64_t index : {3, 4, 5})
      arguments.push_back(joint ? operands[index] : "None");
    static constexpr std::tuple<StringRef, StringRef, int64_t> buffers[] = {
        {"keys", "persistent_output_buffer_k", 1},
        {"values", "persistent_output_buffer_v", 2},
        {"joint_keys", "persistent_output_buffer_joint_k", 4},
        {"joint_values", "persistent_output_buffer_joint_v", 5}};
    for (auto [role, keyword, operand] : buffers) {
      // Joint tokens that every device has need not be gathered.
      if (operand > 2 && !parameter(keyword))
        continue;
      FailureOr<std::string> buffer = gatherBuffer(role, keyword, operand);
      if (failed(buffer))
        return failure();
      arguments.push_back(*buffer);
    }
    pass({"joint_strategy", "logical_n", "logical_l", "dim", "num_links",
          "cluster_axis", "topology", "is_causal", "is_balanced", "scale",
          "sliding_window_size"});
    passProgram(typeOf(0).getDimSize(kRows));
    int64_t count = integer("num_global_semaphores", 2);
    resources.semaphores = std::max(resources.semaphores, count);
    arguments.push_back("multi_device_global_semaphore=shared[\"semaphores\"]"
                        "[:" +
                        std::to_string(count) + "]");
    arguments.push_back("mesh_device=device");
    arguments.push_back(
        "ccl_core_grid_offset=" +
        coordinates("ccl_core_grid_offset", "shared[\"ccl_offset\"]"));
    if (operands.size() == 4)
      arguments.push_back("attention_sink=" + operands[3]);
    return "ttnn.transformer.ring_joint_scaled_dot_product_attention(" +
           llvm::join(arguments, ", ") + ")";
  }

  FailureOr<std::string> writeRingDistributed() {
    arguments.assign(operands.begin(), operands.begin() + 3);
    pass({"ring_size", "scale"});
    passProgram(typeOf(0).getDimSize(kRows) / (2 * integer("ring_size", 1)));
    return "ttnn.transformer.ring_distributed_scaled_dot_product_attention(" +
           llvm::join(arguments, ", ") + ")";
  }

  ttcore::CompositeOp op;
  ArrayRef<std::string> operands;
  SharedResources &resources;
  SmallVector<std::string> arguments;
};

} // namespace

FailureOr<std::string> fusedCall(ttcore::CompositeOp op,
                                 ArrayRef<std::string> operands,
                                 SharedResources &resources) {
  return FusedCall(op, operands, resources).write();
}

} // namespace mlir::ring
