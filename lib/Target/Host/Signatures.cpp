// SPDX-License-Identifier: Apache-2.0
// The table of ttnn's functions, for both languages.

#include "Signatures.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::ring::host {

namespace {

constexpr StringRef kNone = "std::nullopt";

Parameter at(StringRef name, CppForm form = CppForm::Plain) {
  return {name, /*isKeyword=*/false, "", form};
}

/// A parameter that Python takes by name and C++ in its place.
Parameter by(StringRef name, StringRef cppDefault = "",
             CppForm form = CppForm::Plain) {
  return {name, /*isKeyword=*/true, cppDefault, form};
}

/// A function of the namespace ttnn that has the same name in both languages.
Signature function(StringRef name, StringRef header,
                   std::vector<Parameter> parameters, StringRef python = "",
                   StringRef cpp = "") {
  return {name, python, cpp, header, std::move(parameters)};
}

Signature record(StringRef name, StringRef python, StringRef cpp,
                 StringRef header, std::vector<Parameter> parameters,
                 bool namesFields) {
  return {name,
          python,
          cpp,
          header,
          std::move(parameters),
          /*isRecord=*/true,
          namesFields};
}

/// Functions of one, two or three tensors and nothing else.
void addElementwise(std::vector<Signature> &table) {
  static constexpr StringRef kUnary = "ttnn/operations/eltwise/unary/unary.hpp";
  static constexpr StringRef kBinary =
      "ttnn/operations/eltwise/binary/binary.hpp";
  static constexpr StringRef kComposite =
      "ttnn/operations/eltwise/binary/binary_composite.hpp";
  for (StringRef name :
       {"abs",  "cbrt",  "ceil",        "cos",     "erf",
        "exp",  "expm1", "floor",       "gelu",    "isfinite",
        "log",  "log1p", "logical_not", "neg",     "reciprocal",
        "relu", "relu6", "rsqrt",       "sigmoid", "sign",
        "silu", "sin",   "sqrt",        "tan",     "tanh"})
    table.push_back(function(name, kUnary, {at("input_tensor")}));
  for (StringRef name : {"add", "divide", "eq", "ge", "gt", "le", "logical_and",
                         "logical_or", "lt", "multiply", "ne", "subtract"})
    table.push_back(
        function(name, kBinary, {at("input_tensor_a"), at("input_tensor_b")}));
  for (StringRef name : {"maximum", "minimum", "pow", "remainder"})
    table.push_back(function(name, kComposite,
                             {at("input_tensor_a"), at("input_tensor_b")}));
  table.push_back(
      function("where", "ttnn/operations/eltwise/ternary/ternary.hpp",
               {at("predicate"), at("true_value"), at("false_value")}));
  table.push_back(
      function("clamp", "ttnn/operations/eltwise/unary/unary_composite.hpp",
               {at("input_tensor"), by("min", kNone), by("max", kNone)}));
  table.push_back(function("tril",
                           "ttnn/operations/eltwise/unary/unary_composite.hpp",
                           {at("input_tensor"), by("diagonal", "0")}));
}

void addShape(std::vector<Signature> &table) {
  auto add = [&](StringRef name, StringRef folder,
                 std::vector<Parameter> parameters, StringRef file = "") {
    // The table outlives every program, so that its strings may too.
    static std::vector<std::unique_ptr<std::string>> paths;
    paths.push_back(std::make_unique<std::string>(
        ("ttnn/operations/data_movement/" + folder + "/" +
         (file.empty() ? folder : file) + ".hpp")
            .str()));
    table.push_back(function(name, *paths.back(), std::move(parameters)));
  };
  add("clone", "clone",
      {at("input"), by("dtype", kNone), by("memory_config", kNone),
       by("compute_kernel_config", kNone)});
  table.back().cppRequired = table.back().parameters.size();
  add("concat", "concat", {at("tensors", CppForm::Tensors), by("dim")});
  add("pad", "pad",
      {at("input_tensor"), at("padding", CppForm::Plain), at("value")});
  add("permute", "permute", {at("input_tensor"), at("dims", CppForm::Places)});
  add("repeat", "repeat",
      {at("input_tensor"), at("repeat_dims", CppForm::Counts)});
  add("repeat_interleave", "repeat_interleave",
      {at("input_tensor"), by("repeats"), by("dim")});
  add("reshape", "reshape_view",
      {at("input_tensor"), at("shape", CppForm::Shape)}, "reshape");
  add("slice", "slice",
      {at("input_tensor"), at("starts", CppForm::Dims),
       at("ends", CppForm::Dims), at("steps", CppForm::Dims)});
  add("transpose", "transpose", {at("input_tensor"), at("dim1"), at("dim2")});
}

void addProducts(std::vector<Signature> &table) {
  static constexpr StringRef kMatmul = "ttnn/operations/matmul/matmul.hpp";
  table.push_back(function(
      "matmul", kMatmul,
      {at("input_tensor_a"), at("input_tensor_b"), by("transpose_a", "false"),
       by("transpose_b", "false"), by("memory_config", kNone),
       by("dtype", kNone), by("program_config", kNone), by("activation", kNone),
       by("compute_kernel_config", kNone)}));
  table.push_back(
      function("linear", kMatmul,
               {at("input_tensor_a"), at("input_tensor_b"), by("bias", kNone),
                by("transpose_a", "false"), by("transpose_b", "false"),
                by("memory_config", kNone), by("dtype", kNone)}));
  static constexpr StringRef kReductions =
      "ttnn/operations/reduction/generic/generic_reductions.hpp";
  for (StringRef name : {"max", "mean", "min", "sum"})
    table.push_back(
        function(name, kReductions,
                 {at("input_tensor"), by("dim", kNone, CppForm::Dims),
                  by("keepdim", "false"), by("memory_config", kNone),
                  by("compute_kernel_config", kNone)}));
  table.push_back(function(
      "softmax", "ttnn/operations/normalization/softmax/softmax.hpp",
      {at("input_tensor"), by("dim"), by("memory_config", kNone),
       by("compute_kernel_config", kNone), by("numeric_stable", "true")}));
  table.push_back(function(
      "layer_norm", "ttnn/operations/normalization/layernorm/layernorm.hpp",
      {at("input_tensor"), by("epsilon", "1e-12f"), by("weight", kNone),
       by("bias", kNone)}));
  table.push_back(function("rms_norm",
                           "ttnn/operations/normalization/rmsnorm/rmsnorm.hpp",
                           {at("input_tensor"), by("epsilon", "1e-12f"),
                            by("weight", kNone), by("bias", kNone)}));
  table.push_back(function("embedding",
                           "ttnn/operations/embedding/embedding.hpp",
                           {at("input_tensor"), at("weight"),
                            by("padding_idx", kNone), by("layout", kNone)}));
}

void addMemory(std::vector<Signature> &table) {
  static constexpr StringRef kCreation =
      "ttnn/operations/creation/creation.hpp";
  static constexpr StringRef kCore = "ttnn/operations/core/core.hpp";
  auto filled = [](std::vector<Parameter> parameters) {
    parameters.push_back(by("dtype", kNone));
    parameters.push_back(by("layout", kNone));
    parameters.push_back(by("device", kNone, CppForm::Reference));
    return parameters;
  };
  table.push_back(
      function("full", kCreation,
               filled({at("shape", CppForm::Shape), at("fill_value")})));
  table.push_back(
      function("ones", kCreation, filled({at("shape", CppForm::Shape)})));
  table.push_back(
      function("zeros", kCreation, filled({at("shape", CppForm::Shape)})));
  table.push_back(
      function("empty", kCreation,
               {at("shape", CppForm::Shape), by("dtype"), by("layout"),
                by("device", "", CppForm::Pointer), by("memory_config")}));
  table.push_back(function("arange", kCreation,
                           {at("start"), at("end"), at("step"), by("dtype"),
                            by("device", "", CppForm::Reference),
                            by("memory_config"), by("layout")}));
  table.push_back(function(
      "to_device", kCore,
      {at("tensor"), at("device", CppForm::Pointer), by("memory_config")}));
  table.push_back(function("from_device", kCore, {at("tensor")}));
  table.push_back(function("deallocate", kCore, {at("tensor"), by("force")}));
  table.push_back(function("to_layout",
                           "ttnn/operations/core/to_layout/to_layout_op.hpp",
                           {at("tensor"), at("layout")}));
  table.push_back(function("typecast",
                           "ttnn/operations/copy/typecast/typecast.hpp",
                           {at("input_tensor"), at("dtype")}));
  table.push_back(function(
      "init_device_compute_kernel_config",
      "ttnn/operations/core/compute_kernel/compute_kernel_config.hpp",
      {at("arch"), by("device_kernel_config", kNone), by("math_fidelity"),
       by("math_approx_mode"), by("fp32_dest_acc_en"), by("packer_l1_acc")}));
}

void addMesh(std::vector<Signature> &table) {
  static constexpr StringRef kTensors =
      "ttnn/distributed/distributed_tensor.hpp";
  table.push_back(function("distribute_tensor", kTensors,
                           {at("tensor"), by("mapper"),
                            by("mesh_device", kNone, CppForm::Reference)},
                           "", "ttnn::distributed::distribute_tensor"));
  table.push_back(function("aggregate_tensor", kTensors,
                           {at("tensor"), by("composer")}, "",
                           "ttnn::distributed::aggregate_tensor"));
  table.push_back(function("get_device_tensors", "ttnn/distributed/api.hpp",
                           {at("tensor")}, "",
                           "ttnn::distributed::get_device_tensors"));
  table.push_back(function("create_mesh_mapper", kTensors,
                           {at("mesh_device"), at("config")}, "",
                           "*ttnn::distributed::create_mesh_mapper"));
  table.push_back(function("create_mesh_composer", kTensors,
                           {at("mesh_device"), at("config")}, "",
                           "*ttnn::distributed::create_mesh_composer"));
  table.push_back(record("MeshMapperConfig", "ttnn.MeshMapperConfig",
                         "ttnn::distributed::MeshMapperConfig", kTensors,
                         {at("placements", CppForm::Braced)},
                         /*namesFields=*/true));
  table.push_back(
      record("MeshComposerConfig", "ttnn.MeshComposerConfig",
             "ttnn::distributed::MeshComposerConfig", kTensors,
             {at("dims", CppForm::Braced), by("mesh_shape_override", kNone)},
             /*namesFields=*/true));
  table.push_back(record("PlacementShard", "ttnn.PlacementShard",
                         "ttnn::distributed::MeshMapperConfig::Shard", kTensors,
                         {at("dim")}, /*namesFields=*/false));
  table.push_back(record("PlacementReplicate", "ttnn.PlacementReplicate",
                         "ttnn::distributed::MeshMapperConfig::Replicate",
                         kTensors, {}, /*namesFields=*/false));
  table.push_back(function("MeshShape", "ttnn/types.hpp",
                           {at("rows"), at("columns")}, "", "ttnn::MeshShape"));
  table.push_back(function("MeshCoordinate", "ttnn/types.hpp",
                           {at("c0"), at("c1")}, "", "ttnn::MeshCoordinate"));
  table.push_back(function("CoreCoord", "ttnn/types.hpp", {at("x"), at("y")}));

  table.push_back(
      function("all_gather", "ttnn/operations/ccl/all_gather/all_gather.hpp",
               {at("input_tensor"), by("dim"), by("cluster_axis", kNone)}));
  table.push_back(function("all_reduce",
                           "ttnn/operations/ccl/all_reduce/all_reduce.hpp",
                           {at("input_tensor"), by("cluster_axis", kNone)}));
  table.push_back(function(
      "reduce_scatter", "ttnn/operations/ccl/reduce_scatter/reduce_scatter.hpp",
      {at("input_tensor"), by("dim"), by("cluster_axis", kNone)}));
  table.push_back(function(
      "mesh_partition", "ttnn/operations/ccl/mesh_partition/mesh_partition.hpp",
      {at("input_tensor"), by("dim"), by("cluster_axis", kNone)}));
  table.back().cppRequired = table.back().parameters.size();
  table.push_back(function(
      "point_to_point", "ttnn/operations/point_to_point/point_to_point.hpp",
      {at("input_tensor"), by("receiver_coord"), by("sender_coord"),
       by("topology", "ttnn::ccl::Topology::Linear"),
       by("output_tensor", kNone)}));
}

void addAttention(std::vector<Signature> &table) {
  static constexpr StringRef kSdpa =
      "ttnn/operations/transformer/sdpa/sdpa.hpp";
  table.push_back(record(
      "SDPAProgramConfig", "ttnn.SDPAProgramConfig",
      "ttnn::operations::transformer::SDPAProgramConfig", kSdpa,
      {by("compute_with_storage_grid_size"), by("sub_core_grids", kNone),
       by("q_chunk_size"), by("k_chunk_size"), by("exp_approx_mode", kNone)},
      /*namesFields=*/true));
  table.push_back(function(
      "scaled_dot_product_attention", kSdpa,
      {at("input_tensor_q"), at("input_tensor_k"), at("input_tensor_v"),
       by("attn_mask", kNone), by("is_causal", "true"), by("scale", kNone),
       by("sliding_window_size", kNone), by("memory_config", kNone),
       by("program_config", kNone), by("compute_kernel_config", kNone),
       by("attention_sink", kNone)},
      "ttnn.transformer.scaled_dot_product_attention",
      "ttnn::transformer::scaled_dot_product_attention"));
  table.push_back(function(
      "ring_joint_scaled_dot_product_attention", kSdpa,
      {at("input_tensor_q"),
       at("input_tensor_k"),
       at("input_tensor_v"),
       at("joint_tensor_q"),
       at("joint_tensor_k"),
       at("joint_tensor_v"),
       by("persistent_output_buffer_k"),
       by("persistent_output_buffer_v"),
       by("joint_strategy"),
       by("logical_n"),
       by("logical_l", "0"),
       by("program_config"),
       by("dim"),
       by("multi_device_global_semaphore"),
       by("num_links"),
       by("cluster_axis"),
       by("mesh_device"),
       by("topology"),
       by("subdevice_id", kNone),
       by("ccl_core_grid_offset"),
       by("is_causal", "false"),
       by("is_balanced", "false"),
       by("is_cross", "false"),
       by("scale", kNone),
       by("compute_kernel_config", kNone),
       by("use_column_major_ccl",
          "ttnn::ccl::CoreAllocationStrategy::ROW_MAJOR", CppForm::ColumnMajor),
       by("kv_cache_batch_idx", kNone),
       by("kv_actual_isl", kNone),
       by("attention_sink", kNone),
       by("sliding_window_size", kNone),
       by("persistent_output_buffer_joint_k", kNone),
       by("persistent_output_buffer_joint_v", kNone)},
      "ttnn.transformer.ring_joint_scaled_dot_product_attention",
      "ttnn::transformer::ring_joint_scaled_dot_product_attention"));
  table.push_back(function(
      "ring_mla", kSdpa,
      {at("input_tensor_q"),
       at("input_tensor_kv"),
       by("persistent_output_buffer_kv"),
       by("head_dim_v"),
       by("logical_n"),
       by("program_config"),
       by("dim"),
       by("multi_device_global_semaphore"),
       by("num_links"),
       by("cluster_axis"),
       by("mesh_device"),
       by("topology"),
       by("subdevice_id", kNone),
       by("ccl_core_grid_offset"),
       by("is_balanced", "false"),
       by("scale", kNone),
       by("compute_kernel_config", kNone),
       by("use_column_major_ccl",
          "ttnn::ccl::CoreAllocationStrategy::ROW_MAJOR", CppForm::ColumnMajor),
       by("kv_cache_batch_idx", kNone),
       by("kv_actual_isl", kNone),
       by("slot_id", kNone),
       by("kv_actual_isl_tensor", kNone),
       by("kv_cache_num_layers", kNone),
       by("kv_cache_layer_idx", kNone)},
      "ttnn.transformer.ring_mla", "ttnn::transformer::ring_mla"));
  table.push_back(function(
      "ring_distributed_scaled_dot_product_attention", kSdpa,
      {at("input_tensor_q"), at("input_tensor_k"), at("input_tensor_v"),
       by("ring_size"), by("ring_id", kNone), by("scale", kNone),
       by("memory_config", kNone), by("program_config", kNone),
       by("compute_kernel_config", kNone), by("page_table", kNone),
       by("chunk_start_idx", kNone)},
      "ttnn.transformer.ring_distributed_scaled_dot_product_attention",
      "ttnn::transformer::ring_distributed_scaled_dot_product_attention"));
}

const llvm::StringMap<Signature> &signatures() {
  static const llvm::StringMap<Signature> table = [] {
    std::vector<Signature> all;
    addElementwise(all);
    addShape(all);
    addProducts(all);
    addMemory(all);
    addMesh(all);
    addAttention(all);
    llvm::StringMap<Signature> byName;
    for (Signature &entry : all)
      byName[entry.name] = std::move(entry);
    return byName;
  }();
  return table;
}

constexpr Constant kConstants[] = {
    {"bfloat16", "ttnn.bfloat16", "ttnn::DataType::BFLOAT16"},
    {"float32", "ttnn.float32", "ttnn::DataType::FLOAT32"},
    {"int32", "ttnn.int32", "ttnn::DataType::INT32"},
    {"uint32", "ttnn.uint32", "ttnn::DataType::UINT32"},
    {"uint16", "ttnn.uint16", "ttnn::DataType::UINT16"},
    {"uint8", "ttnn.uint8", "ttnn::DataType::UINT8"},
    {"bfloat8_b", "ttnn.bfloat8_b", "ttnn::DataType::BFLOAT8_B"},
    {"bfloat4_b", "ttnn.bfloat4_b", "ttnn::DataType::BFLOAT4_B"},
    {"tile", "ttnn.TILE_LAYOUT", "ttnn::Layout::TILE"},
    {"row_major", "ttnn.ROW_MAJOR_LAYOUT", "ttnn::Layout::ROW_MAJOR"},
    {"dram", "ttnn.DRAM_MEMORY_CONFIG", "ttnn::DRAM_MEMORY_CONFIG"},
    {"ring", "ttnn.Topology.Ring", "ttnn::ccl::Topology::Ring"},
    {"linear", "ttnn.Topology.Linear", "ttnn::ccl::Topology::Linear"},
    {"lofi", "ttnn.MathFidelity.LoFi", "tt::tt_metal::MathFidelity::LoFi"},
    {"hifi2", "ttnn.MathFidelity.HiFi2", "tt::tt_metal::MathFidelity::HiFi2"},
    {"hifi3", "ttnn.MathFidelity.HiFi3", "tt::tt_metal::MathFidelity::HiFi3"},
    {"hifi4", "ttnn.MathFidelity.HiFi4", "tt::tt_metal::MathFidelity::HiFi4"},
};

} // namespace

const Signature *findSignature(StringRef name) {
  auto found = signatures().find(name);
  return found == signatures().end() ? nullptr : &found->second;
}

const Constant *findConstant(StringRef name) {
  for (const Constant &constant : kConstants)
    if (constant.name == name)
      return &constant;
  return nullptr;
}

StringRef typeConstant(Type element) {
  if (element.isBF16())
    return "bfloat16";
  if (element.isF32())
    return "float32";
  if (element.isInteger(32))
    return element.isUnsignedInteger() ? "uint32" : "int32";
  if (element.isInteger(16))
    return "uint16";
  if (element.isInteger(8))
    return "uint8";
  return "";
}

Expression call(StringRef name, std::vector<Argument> arguments) {
  Expression made;
  made.kind = Expression::Kind::Call;
  made.signature = findSignature(name);
  assert(made.signature && "the table has every function that is called");
  for ([[maybe_unused]] const Argument &argument : arguments)
    assert(llvm::any_of(made.signature->parameters,
                        [&](const Parameter &parameter) {
                          return parameter.name == argument.parameter;
                        }) &&
           "the function has every parameter that is named");
  made.arguments = std::move(arguments);
  return made;
}

Expression call(StringRef name, ArrayRef<Expression> leading,
                std::vector<Argument> more) {
  const Signature *signature = findSignature(name);
  assert(signature && leading.size() <= signature->parameters.size());
  std::vector<Argument> arguments;
  for (auto [parameter, value] : llvm::zip(signature->parameters, leading))
    arguments.push_back({parameter.name.str(), value});
  llvm::append_range(arguments, std::move(more));
  return call(name, std::move(arguments));
}

} // namespace mlir::ring::host
