// SPDX-License-Identifier: Apache-2.0
// How each TTIR op is written in TTNN.

#include "OpTable.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::ring {

/// Ops with the same operands and attributes in both dialects; those that are
/// called otherwise in TTNN have two entries.
static const llvm::StringMap<StringRef> &sameOps() {
  static const llvm::StringMap<StringRef> names = [] {
    llvm::StringMap<StringRef> table;
    for (StringRef name : {"add",
                           "subtract",
                           "multiply",
                           "neg",
                           "exp",
                           "log",
                           "sqrt",
                           "rsqrt",
                           "sigmoid",
                           "silu",
                           "gelu",
                           "tanh",
                           "relu",
                           "sin",
                           "cos",
                           "reciprocal",
                           "maximum",
                           "minimum",
                           "where",
                           "eq",
                           "gt",
                           "ge",
                           "lt",
                           "le",
                           "typecast",
                           "slice_static",
                           "concat",
                           "permute",
                           "transpose",
                           "reshape",
                           "matmul",
                           "linear",
                           "repeat_interleave",
                           "softmax",
                           "sum",
                           "max",
                           "mean",
                           "all_gather",
                           "all_reduce",
                           "embedding",
                           "reduce_scatter",
                           "mesh_partition",
                           "sdpa_fw",
                           "sdpa_bw",
                           "rms_norm",
                           "layer_norm",
                           "scaled_dot_product_attention",
                           "scaled_dot_product_attention_decode"})
      table[name] = name;
    table["div"] = "divide";
    return table;
  }();
  return names;
}

std::optional<StringRef> findSameOp(StringRef ttirName) {
  if (!ttirName.consume_front("ttir."))
    return std::nullopt;
  auto entry = sameOps().find(ttirName);
  if (entry == sameOps().end())
    return std::nullopt;
  return entry->second;
}

OpLowering findLowering(StringRef ttirName) {
  static const llvm::StringMap<OpLowering> lowerings = [] {
    llvm::StringMap<OpLowering> table;
    table["ttir.all_to_all"] = lowerAllToAll;
    table["ttir.arange"] = lowerArange;
    table["ttir.broadcast"] = lowerBroadcast;
    table["ttir.collective_permute"] = lowerCollectivePermute;
    table["ttir.constant"] = lowerConstant;
    table["ttir.empty"] = lowerFilled;
    table["ttir.full"] = lowerFilled;
    table["ttir.mesh_shard"] = lowerMeshShard;
    table["ttir.ones"] = lowerFilled;
    table["ttir.pad"] = lowerPad;
    table["ttir.squeeze"] = lowerToReshape;
    table["ttir.unsqueeze"] = lowerToReshape;
    table["ttir.zeros"] = lowerFilled;
    table["func.call"] = lowerTypesOnly;
    table["ttcore.composite"] = lowerTypesOnly;
    return table;
  }();
  return lowerings.lookup(ttirName);
}

} // namespace mlir::ring
