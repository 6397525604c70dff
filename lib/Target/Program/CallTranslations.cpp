// SPDX-License-Identifier: Apache-2.0
// Calls, composites that stand for their decomposition, and launches: all are
// written out where they stand. Composites of the fused rings may stay what
// they are.

#include "OpTranslations.h"
#include "mlir/IR/SymbolTable.h"
#include "ring/Dialect/Ring/IR/RingOps.h"
#include "ttmlir/Dialect/TTCore/IR/TTCoreOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::ring {

static LogicalResult writeCallee(Operation *op, ProgramWriter &writer,
                                 FlatSymbolRefAttr name) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, name);
  if (!callee || callee.isExternal())
    return op->emitOpError("cannot run: expects a function with a body, but "
                           "got ")
           << name;
  return writer.inlineBody(op, callee.getBody());
}

/// What a barrier lets through is what it was given.
static LogicalResult writeBarrier(Operation *op, ProgramWriter &writer) {
  FailureOr<std::vector<int32_t>> inputs = writer.operands(op);
  if (failed(inputs))
    return failure();
  for (auto [result, input] : llvm::zip_equal(op->getResults(), *inputs))
    writer.bind(result, input);
  return success();
}

/// A parameter of a device op as the program format has it; nothing for kinds
/// that it does not have.
static std::optional<rt::Attribute> parameterOf(Attribute attribute) {
  if (auto flag = dyn_cast<BoolAttr>(attribute))
    return int64_t(flag.getValue());
  if (auto number = dyn_cast<IntegerAttr>(attribute))
    return number.getValue().getSExtValue();
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return number.getValueAsDouble();
  if (auto text = dyn_cast<StringAttr>(attribute))
    return text.str();
  if (auto list = dyn_cast<DenseI64ArrayAttr>(attribute))
    return std::vector<int64_t>(list.asArrayRef().begin(),
                                list.asArrayRef().end());
  if (auto topology = dyn_cast<tt::ttcore::TopologyAttr>(attribute))
    return std::string(tt::ttcore::stringifyTopology(topology.getValue()));
  return std::nullopt;
}

/// Says that all instructions from `first` on stand for `op`.
static LogicalResult writeTogether(Operation *op, ProgramWriter &writer,
                                   StringRef name, size_t first,
                                   ArrayRef<NamedAttribute> parameters) {
  if (writer.program().instructionCount() == first)
    return success();
  std::vector<int32_t> lists[2];
  for (auto [list, values] :
       {std::pair(&lists[0], ValueRange(op->getOperands())),
        std::pair(&lists[1], ValueRange(op->getResults()))})
    for (Value value : values) {
      FailureOr<int32_t> index = writer.operand(op, value, writer.placement());
      if (failed(index))
        return failure();
      list->push_back(*index);
    }
  rt::Attributes attributes;
  for (NamedAttribute parameter : parameters)
    if (auto value = parameterOf(parameter.getValue()))
      attributes[parameter.getName().str()] = *value;
  writer.program().addComposite(name.str(), first, lists[0], lists[1],
                                std::move(attributes));
  return success();
}

/// Writes the decomposition, and beside it which op of the device it stands
/// for, so that a simulator can time that op.
static LogicalResult writeComposite(tt::ttcore::CompositeOp op,
                                    ProgramWriter &writer) {
  size_t first = writer.program().instructionCount();
  if (failed(writeCallee(op, writer, op.getDecompositionAttr())))
    return failure();
  DictionaryAttr parameters = op.getCompositeAttributesAttr();
  return writeTogether(op, writer, op.getCompositeName(), first,
                       parameters ? parameters.getValue()
                                  : ArrayRef<NamedAttribute>());
}

/// Writes the schedule of a launch, and beside it that kernels of our own run
/// it as one program, where there are any.
static LogicalResult writeLaunch(Operation *op, ProgramWriter &writer) {
  // What is written where it is first used is no part of the launch.
  if (failed(writer.operands(op)))
    return failure();
  size_t first = writer.program().instructionCount();
  if (failed(writer.inlineBody(op, cast<LaunchOp>(op).getBody())))
    return failure();
  ComputeAttr compute = cast<LaunchOp>(op).getCompute();
  Builder builder(op->getContext());
  return writeTogether(
      op, writer, LaunchOp::getOperationName(), first,
      {builder.getNamedAttr("chunks",
                            builder.getDenseI64ArrayAttr(
                                {*compute.getQChunk(), *compute.getKChunk()})),
       builder.getNamedAttr("grid",
                            builder.getDenseI64ArrayAttr(compute.getGrid())),
       builder.getNamedAttr("exp_approx",
                            builder.getBoolAttr(compute.getExpApprox())),
       builder.getNamedAttr(
           "chained", builder.getBoolAttr(cast<LaunchOp>(op).getChained())),
       builder.getNamedAttr("fidelity",
                            builder.getI64IntegerAttr(
                                static_cast<int64_t>(compute.getFidelity())))});
}

/// The attributes of a fused ring under the program's names; an error for one
/// that a program cannot say.
static FailureOr<rt::Attributes> fusedAttributes(tt::ttcore::CompositeOp op) {
  rt::Attributes attributes;
  static const llvm::StringMap<StringRef> kInts = {
      {"cluster_axis", "axis"},
      {"logical_n", "length"},
      {"is_causal", "causal"},
      {"is_balanced", "balanced"},
      {"is_cross", "cross"},
      {"num_links", "num_links"},
      {"q_chunk_size", "q_chunk"},
      {"k_chunk_size", "k_chunk"},
      {"exp_approx_mode", "exp_approx"},
      {"math_approx_mode", "math_approx"},
      {"fp32_dest_acc_en", "fp32_accumulation"},
      {"use_column_major_ccl", "column_major_ccl"}};
  static const llvm::StringMap<StringRef> kLists = {
      {"compute_with_storage_grid_size", "grid"},
      {"ccl_core_grid_offset", "ccl_offset"}};
  // What the operands, the mesh and the op itself say already.
  static const llvm::StringSet<> kSaid = {"ring_size",
                                          "joint_strategy",
                                          "dim",
                                          "num_global_semaphores",
                                          "persistent_output_buffer_k",
                                          "persistent_output_buffer_v"};
  for (NamedAttribute entry : op.getCompositeAttributesAttr()) {
    StringRef name = entry.getName();
    if (kSaid.contains(name))
      continue;
    auto known = kInts.find(name);
    if (known != kInts.end()) {
      auto value = cast<IntegerAttr>(entry.getValue());
      attributes[known->second.str()] =
          static_cast<int64_t>(value.getValue().getZExtValue());
    } else if (auto list = kLists.find(name); list != kLists.end()) {
      ArrayRef<int64_t> entries =
          cast<DenseI64ArrayAttr>(entry.getValue()).asArrayRef();
      attributes[list->second.str()] =
          std::vector<int64_t>(entries.begin(), entries.end());
    } else if (name == "math_fidelity") {
      attributes["fidelity"] = cast<StringAttr>(entry.getValue()).str();
    } else if (name == "logical_l") {
      // The joint tokens themselves, as long as all of them are there.
      int64_t length = cast<IntegerAttr>(entry.getValue()).getInt();
      int64_t rows =
          op.getInputs().size() == 6
              ? cast<ShapedType>(op.getInputs()[4].getType()).getDimSize(2)
              : 0;
      if (length != rows)
        return op.emitOpError("cannot stay fused: expects all ")
               << length << " joint tokens on every device, but got " << rows;
    } else if (name == "scale") {
      attributes["scale"] =
          cast<FloatAttr>(entry.getValue()).getValueAsDouble();
    } else if (name == "topology") {
      auto topology = cast<tt::ttcore::TopologyAttr>(entry.getValue());
      attributes["topology"] = std::string(
          topology.getValue() == tt::ttcore::Topology::Ring ? "ring"
                                                            : "linear");
    } else {
      return op.emitOpError("cannot stay fused: expects attributes that a "
                            "program has, but got ")
             << name;
    }
  }
  return attributes;
}

/// Joint operands come behind query, key and value, or else a sink.
static LogicalResult writeFused(tt::ttcore::CompositeOp op,
                                ProgramWriter &writer, StringRef name,
                                bool mayHaveMore) {
  FailureOr<std::vector<int32_t>> inputs = writer.operands(op);
  FailureOr<rt::Attributes> attributes = fusedAttributes(op);
  if (failed(inputs) || failed(attributes))
    return failure();
  size_t count = inputs->size();
  if (count != 3 && !(mayHaveMore && (count == 4 || count == 6)))
    return op.emitOpError("cannot stay fused: expects 3 operands")
           << (mayHaveMore ? ", 4 or 6" : "") << ", but got " << count;
  if (count == 4)
    inputs->insert(inputs->begin() + 3, 3, rt::kAbsent);
  return writer.write(op, name, *inputs, *attributes);
}

void addCallTranslations(OpTranslations &translations) {
  translations.add("ttcore.optimization_barrier", writeBarrier);
  translations.add(
      "ttcore.load_cached", [](Operation *op, ProgramWriter &writer) {
        return writeCallee(op, writer,
                           cast<tt::ttcore::LoadCachedOp>(op).getCalleeAttr());
      });
  translations.add(LaunchOp::getOperationName(), writeLaunch, Runs::OnDevices);
  translations.add("func.call", [](Operation *op, ProgramWriter &writer) {
    return writeCallee(op, writer, cast<func::CallOp>(op).getCalleeAttr());
  });
  translations.add(
      "ttcore.composite", [](Operation *op, ProgramWriter &writer) {
        auto composite = cast<tt::ttcore::CompositeOp>(op);
        StringRef name = composite.getCompositeName();
        if (writer.keepsFusedOps() &&
            name == "ring_joint_scaled_dot_product_attention")
          return writeFused(composite, writer, "ring_joint_sdpa",
                            /*mayHaveMore=*/true);
        if (writer.keepsFusedOps() &&
            name == "ring_distributed_scaled_dot_product_attention")
          return writeFused(composite, writer, "ring_distributed_sdpa",
                            /*mayHaveMore=*/false);
        return writeComposite(composite, writer);
      });
}

} // namespace mlir::ring
