// SPDX-License-Identifier: Apache-2.0
// Composites: a fused attention is the call of the device op, with the memory
// and the semaphores that it wants to be given; any other composite is the call
// of its decomposition.

#include "FunctionDescriber.h"
#include "mlir/IR/SymbolTable.h"
#include "ttmlir/Dialect/TTCore/IR/TTCoreOps.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::ring::host {

namespace ttcore = mlir::tt::ttcore;

namespace {

constexpr int64_t kRows = 2, kTile = 32;

/// The call of one device op. Attributes of the composite that have the name of
/// a parameter are passed on as they are.
class FusedCall {
public:
  FusedCall(ttcore::CompositeOp op, FunctionDescriber &function)
      : op(op), function(function), operands(function.operandsOf(op)) {}

  LogicalResult describeRingJoint();
  LogicalResult describeRingMla();
  LogicalResult describeRingDistributed();

private:
  Attribute attribute(StringRef name) {
    DictionaryAttr all = op.getCompositeAttributesAttr();
    return all ? all.get(name) : Attribute();
  }
  int64_t integer(StringRef name, int64_t otherwise) {
    auto value = dyn_cast_or_null<IntegerAttr>(attribute(name));
    return value ? value.getValue().getSExtValue() : otherwise;
  }
  Expression flag(StringRef name, bool otherwise) {
    auto value = dyn_cast_or_null<BoolAttr>(attribute(name));
    return Expression::flag(value ? value.getValue() : otherwise);
  }
  RankedTensorType typeOf(int64_t operand) {
    return cast<RankedTensorType>(op.getInputs()[operand].getType());
  }
  void pass(StringRef name, Expression value) {
    arguments.push_back({name.str(), std::move(value)});
  }
  void passGiven(ArrayRef<StringRef> names) {
    for (StringRef name : names)
      if (Attribute value = attribute(name))
        if (std::optional<Expression> expression = Expression::of(value))
          pass(name, std::move(*expression));
  }
  LogicalResult verifyAttributes(ArrayRef<StringRef> known);
  LogicalResult verifyRingAttributes(ArrayRef<StringRef> others);

  std::optional<Expression> cores(StringRef name);
  void passProgram(int64_t rows, Expression grid);
  LogicalResult passCompute();
  void takeRing();
  LogicalResult passRing();
  LogicalResult passBuffer(StringRef role, StringRef parameter,
                           int64_t operand);
  bool isColumnMajor();

  ttcore::CompositeOp op;
  FunctionDescriber &function;
  std::vector<Expression> operands;
  std::vector<Argument> arguments;
  /// The variable that has the ring resources.
  std::string ring;
};

/// What is not passed on would silently be computed without.
LogicalResult FusedCall::verifyAttributes(ArrayRef<StringRef> known) {
  if (DictionaryAttr all = op.getCompositeAttributesAttr())
    for (NamedAttribute entry : all)
      if (!llvm::is_contained(known, entry.getName().strref()))
        return function.refuse(op)
               << "nothing is known to write for " << entry.getName();
  return success();
}

/// The largest usual chunk that divides `rows`.
int64_t chunkFor(int64_t rows) {
  for (int64_t chunk : {256, 128, 64})
    if (rows % chunk == 0)
      return chunk;
  return kTile;
}

/// The core that two numbers `[x, y]` of the plan name, if they do.
std::optional<Expression> FusedCall::cores(StringRef name) {
  auto given = dyn_cast_or_null<DenseI64ArrayAttr>(attribute(name));
  if (!given)
    return std::nullopt;
  return call("CoreCoord",
              {Expression::integer(given[0]), Expression::integer(given[1])});
}

void FusedCall::passProgram(int64_t rows, Expression grid) {
  int64_t chunk = chunkFor(rows);
  std::vector<Argument> program{
      {"compute_with_storage_grid_size", std::move(grid)},
      {"q_chunk_size", Expression::integer(integer("q_chunk_size", chunk))},
      {"k_chunk_size", Expression::integer(integer("k_chunk_size", chunk))}};
  if (attribute("exp_approx_mode"))
    program.push_back({"exp_approx_mode", flag("exp_approx_mode", false)});
  pass("program_config", call("SDPAProgramConfig", std::move(program)));
}

LogicalResult FusedCall::passCompute() {
  auto fidelity = dyn_cast_or_null<StringAttr>(attribute("math_fidelity"));
  if (!fidelity)
    return success();
  std::string name = fidelity.getValue().lower();
  if (!findConstant(name))
    return function.refuse(op)
           << "expects a fidelity from lofi to hifi4, but got " << fidelity;
  pass("compute_kernel_config",
       call("init_device_compute_kernel_config",
            {{"arch", Expression::method("arch")},
             {"math_fidelity", Expression::enumerator(name)},
             {"math_approx_mode", flag("math_approx_mode", false)},
             {"fp32_dest_acc_en", flag("fp32_dest_acc_en", false)},
             {"packer_l1_acc", flag("packer_l1_acc", false)}}));
  return success();
}

/// Where the keys, or values, of all devices arrive: as the attribute says, or
/// as many rows as all devices have.
LogicalResult FusedCall::passBuffer(StringRef role, StringRef parameter,
                                    int64_t operand) {
  RankedTensorType type = typeOf(operand);
  SmallVector<int64_t> shape(type.getShape());
  shape[kRows] *= integer("ring_size", 1);
  if (auto given = dyn_cast_or_null<TypeAttr>(attribute(parameter)))
    shape.assign(cast<RankedTensorType>(given.getValue()).getShape());
  FailureOr<Expression> element = function.typeOf(op, type);
  if (failed(element))
    return failure();
  std::string name =
      (role + "_" +
       llvm::join(llvm::map_range(
                      shape, [](int64_t size) { return std::to_string(size); }),
                  "x") +
       "_" + element->text)
          .str();
  function.program().program.rings.buffers[name] =
      call("empty", {{"shape", Expression::list(shape)},
                     {"dtype", *element},
                     {"layout", Expression::enumerator("tile")},
                     {"device", Expression::device()},
                     {"memory_config", Expression::enumerator("dram")}});
  pass(parameter, Expression::member(ring, name));
  return success();
}

/// Whether the cores that transfer stand in a column beside those that
/// compute, rather than in a row below them.
bool FusedCall::isColumnMajor() {
  if (auto said = dyn_cast_or_null<BoolAttr>(attribute("use_column_major_ccl")))
    return said.getValue();
  auto offset =
      dyn_cast_or_null<DenseI64ArrayAttr>(attribute("ccl_core_grid_offset"));
  auto grid = dyn_cast_or_null<DenseI64ArrayAttr>(
      attribute("compute_with_storage_grid_size"));
  return offset && grid && offset[0] >= grid[0];
}

/// Takes the resources of a ring: semaphores, cores and a fabric.
void FusedCall::takeRing() {
  auto topology = dyn_cast_or_null<ttcore::TopologyAttr>(attribute("topology"));
  function.program().needFabric(
      topology && topology.getValue() == ttcore::Topology::Ring ? Fabric::Ring
                                                                : Fabric::Line);
  RingResources &rings = function.program().program.rings;
  rings.semaphores =
      std::max(rings.semaphores, integer("num_global_semaphores", 2));
  ring = function.takeRing();
}

/// Passes what the ops with communication of their own have in common.
LogicalResult FusedCall::passRing() {
  std::optional<Expression> grid = cores("compute_with_storage_grid_size");
  std::optional<Expression> offset = cores("ccl_core_grid_offset");
  function.program().program.rings.choosesCores |= !grid || !offset;
  passProgram(
      typeOf(0).getDimSize(kRows) /
          (attribute("is_balanced") == BoolAttr::get(op.getContext(), true)
               ? 2
               : 1),
      grid.value_or(Expression::member(ring, "grid")));
  if (failed(passCompute()))
    return failure();
  pass("multi_device_global_semaphore", Expression::member(ring, "semaphores"));
  pass("mesh_device", Expression::device());
  pass("ccl_core_grid_offset",
       offset.value_or(Expression::member(ring, "offset")));
  pass("use_column_major_ccl", Expression::flag(isColumnMajor()));
  return success();
}

/// The attributes of every op that passes keys round.
static constexpr StringLiteral kRingAttributes[] = {
    "ccl_core_grid_offset",
    "cluster_axis",
    "compute_with_storage_grid_size",
    "dim",
    "exp_approx_mode",
    "fp32_dest_acc_en",
    "is_balanced",
    "k_chunk_size",
    "logical_n",
    "math_approx_mode",
    "math_fidelity",
    "num_global_semaphores",
    "num_links",
    "packer_l1_acc",
    "q_chunk_size",
    "ring_size",
    "scale",
    "topology",
    "use_column_major_ccl"};

LogicalResult FusedCall::verifyRingAttributes(ArrayRef<StringRef> others) {
  SmallVector<StringRef> known(std::begin(kRingAttributes),
                               std::end(kRingAttributes));
  llvm::append_range(known, others);
  return verifyAttributes(known);
}

LogicalResult FusedCall::describeRingJoint() {
  if (failed(verifyRingAttributes(
          {"is_causal", "is_cross", "joint_strategy", "logical_l",
           "persistent_output_buffer_joint_k",
           "persistent_output_buffer_joint_v", "persistent_output_buffer_k",
           "persistent_output_buffer_v", "sliding_window_size"})))
    return failure();
  takeRing();
  static constexpr StringRef kOperands[] = {"input_tensor_q", "input_tensor_k",
                                            "input_tensor_v", "joint_tensor_q",
                                            "joint_tensor_k", "joint_tensor_v"};
  bool isJoint = operands.size() == 6;
  for (auto [index, name] : llvm::enumerate(kOperands))
    pass(name, index < 3 || isJoint ? operands[index] : Expression());
  static constexpr std::tuple<StringRef, StringRef, int64_t> kBuffers[] = {
      {"keys", "persistent_output_buffer_k", 1},
      {"values", "persistent_output_buffer_v", 2},
      {"joint_keys", "persistent_output_buffer_joint_k", 4},
      {"joint_values", "persistent_output_buffer_joint_v", 5}};
  for (auto [role, parameter, operand] : kBuffers) {
    // Joint tokens that every device has need not be gathered.
    if (operand > 2 && !attribute(parameter))
      continue;
    if (failed(passBuffer(role, parameter, operand)))
      return failure();
  }
  passGiven({"joint_strategy", "logical_n", "logical_l", "dim", "num_links",
             "cluster_axis", "topology", "is_causal", "is_balanced", "is_cross",
             "scale", "sliding_window_size"});
  // The device op normalises with what the composite says: its sink is divided
  // by the scale already.
  if (operands.size() == 4)
    pass("attention_sink", operands[3]);
  if (failed(passRing()))
    return failure();
  // The device op returns its output, that of the joint tokens and scratch.
  return function.assign(
      op, call("ring_joint_scaled_dot_product_attention", std::move(arguments)),
      3 - op->getNumResults());
}

LogicalResult FusedCall::describeRingMla() {
  if (failed(verifyRingAttributes(
          {"head_dim_v", "kv_actual_isl", "persistent_output_buffer_kv"})))
    return failure();
  takeRing();
  pass("input_tensor_q", operands[0]);
  pass("input_tensor_kv", operands[1]);
  if (failed(passBuffer("keys", "persistent_output_buffer_kv", 1)))
    return failure();
  passGiven({"head_dim_v", "logical_n", "dim", "num_links", "cluster_axis",
             "topology", "is_balanced", "scale", "kv_actual_isl"});
  if (failed(passRing()))
    return failure();
  // The device op returns its output and scratch.
  return function.assign(op, call("ring_mla", std::move(arguments)), 1);
}

LogicalResult FusedCall::describeRingDistributed() {
  if (failed(verifyAttributes(
          {"chunk_start_idx", "cluster_axis", "compute_with_storage_grid_size",
           "exp_approx_mode", "fp32_dest_acc_en", "k_chunk_size",
           "math_approx_mode", "math_fidelity", "packer_l1_acc", "q_chunk_size",
           "ring_size", "scale"})))
    return failure();
  // The device op asks its place on the mesh, not the composite, for its rank:
  // along axis 0 wherever that is as long as the ring.
  int64_t axis = integer("cluster_axis", 0), ranks = integer("ring_size", 1);
  ArrayRef<int64_t> mesh = function.program().program.mesh;
  if (axis == 1 && mesh[0] == ranks)
    return function.refuse(op)
           << "the device op takes its rank from mesh axis 0, which has "
           << ranks << " devices too, but the ring is on axis 1";
  static constexpr StringRef kOperands[] = {"input_tensor_q", "input_tensor_k",
                                            "input_tensor_v"};
  for (auto [name, operand] : llvm::zip(kOperands, operands))
    pass(name, operand);
  passGiven({"ring_size", "scale"});
  if (std::optional<Expression> grid = cores("compute_with_storage_grid_size"))
    passProgram(typeOf(0).getDimSize(kRows) / (2 * ranks), *grid);
  if (failed(passCompute()))
    return failure();
  if (operands.size() == 4) {
    pass("page_table",
         function.step("pages", call("to_layout",
                                     {operands[3],
                                      Expression::enumerator("row_major")})));
    passGiven({"chunk_start_idx"});
  }
  return function.assign(op,
                         call("ring_distributed_scaled_dot_product_attention",
                              std::move(arguments)));
}

} // namespace

/// The decomposition, as a function of the program.
static LogicalResult describeDecomposition(ttcore::CompositeOp op,
                                           FunctionDescriber &function) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, op.getDecompositionAttr());
  if (!callee || callee.isExternal())
    return function.refuse(op)
           << "no device op is known by the name " << op.getCompositeName()
           << ", and its decomposition has no body";
  FailureOr<const Function *> described = function.program().describe(callee);
  if (failed(described))
    return failure();
  Expression value;
  value.kind = Expression::Kind::Own;
  value.text = (*described)->name;
  value.parts = function.operandsOf(op);
  value.numbers = {(*described)->takesRings};
  function.made().takesRings |= (*described)->takesRings;
  return function.assign(op, std::move(value));
}

LogicalResult describeComposite(Operation *any, FunctionDescriber &function) {
  auto op = cast<ttcore::CompositeOp>(any);
  if (op.getCompositeName() == "ring_joint_scaled_dot_product_attention")
    return FusedCall(op, function).describeRingJoint();
  if (op.getCompositeName() == "ring_mla")
    return FusedCall(op, function).describeRingMla();
  if (op.getCompositeName() == "ring_distributed_scaled_dot_product_attention")
    return FusedCall(op, function).describeRingDistributed();
  return describeDecomposition(op, function);
}

} // namespace mlir::ring::host
