// SPDX-License-Identifier: Apache-2.0
// How each TTIR op is written in TTNN.

#include "LoweringTable.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::ring {

/// Ops with the same operands and attributes in both dialects; those that are
/// called otherwise in TTNN have two entries.
static const llvm::StringMap<StringRef> &sameOps() {
  static const llvm::StringMap<StringRef> names = [] {
    llvm::StringMap<StringRef> table;
    for (StringRef name : {"abs",
                           "acos",
                           "add",
                           "asin",
                           "asinh",
                           "atan",
                           "atan2",
                           "bitwise_and",
                           "bitwise_not",
                           "bitwise_or",
                           "bitwise_xor",
                           "cbrt",
                           "ceil",
                           "clamp_scalar",
                           "clamp_tensor",
                           "concat",
                           "cos",
                           "eq",
                           "erf",
                           "erfc",
                           "exp",
                           "expm1",
                           "floor",
                           "ge",
                           "gelu",
                           "gt",
                           "hardsigmoid",
                           "isfinite",
                           "le",
                           "leaky_relu",
                           "log",
                           "log1p",
                           "logical_and",
                           "logical_left_shift",
                           "logical_not",
                           "logical_or",
                           "logical_right_shift",
                           "logical_xor",
                           "lt",
                           "matmul",
                           "maximum",
                           "minimum",
                           "mish",
                           "multiply",
                           "ne",
                           "neg",
                           "reciprocal",
                           "relu",
                           "relu6",
                           "remainder",
                           "repeat_interleave",
                           "reshape",
                           "rotary_embedding",
                           "rsqrt",
                           "sdpa_bw",
                           "sdpa_fw",
                           "sigmoid",
                           "sign",
                           "silu",
                           "sin",
                           "slice_static",
                           "softmax",
                           "sqrt",
                           "subtract",
                           "tan",
                           "tanh",
                           "transpose",
                           "typecast"})
      table[name] = name;
    table["div"] = "divide";
    table["pow"] = "pow_tensor";
    table["upsample2d"] = "upsample";
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
    table["ttir.all_gather"] = lowerAllGather;
    table["ttir.all_reduce"] = lowerReduction;
    table["ttir.all_to_all"] = lowerAllToAll;
    table["ttir.arange"] = lowerArange;
    table["ttir.argmax"] = lowerArgMax;
    table["ttir.broadcast"] = lowerBroadcast;
    table["ttir.collective_permute"] = lowerCollectivePermute;
    table["ttir.constant"] = lowerConstant;
    table["ttir.cumsum"] = lowerAlongDim;
    table["ttir.dot_general"] = lowerDotGeneral;
    table["ttir.embedding"] = lowerEmbedding;
    table["ttir.empty"] = lowerFilled;
    table["ttir.fill_cache"] = lowerCache;
    table["ttir.full"] = lowerFilled;
    table["ttir.gather"] = lowerAlongDim;
    table["ttir.layer_norm"] = lowerNorm;
    table["ttir.linear"] = lowerLinear;
    table["ttir.mesh_partition"] = lowerMeshPartition;
    table["ttir.mesh_shard"] = lowerMeshShard;
    table["ttir.ones"] = lowerFilled;
    table["ttir.pad"] = lowerPad;
    table["ttir.paged_fill_cache"] = lowerCache;
    table["ttir.paged_update_cache"] = lowerCache;
    table["ttir.prod"] = lowerProd;
    table["ttir.reduce_scatter"] = lowerReduction;
    table["ttir.repeat"] = lowerRepeat;
    table["ttir.rms_norm"] = lowerNorm;
    table["ttir.scaled_dot_product_attention"] = lowerAttention;
    table["ttir.scaled_dot_product_attention_decode"] = lowerDecodeAttention;
    table["ttir.scatter"] = lowerAlongDim;
    table["ttir.sort"] = lowerSort;
    table["ttir.squeeze"] = lowerToReshape;
    table["ttir.topk"] = lowerAlongDim;
    table["ttir.unsqueeze"] = lowerToReshape;
    table["ttir.update_cache"] = lowerCache;
    table["ttir.where"] = lowerWhere;
    table["ttir.zeros"] = lowerFilled;
    for (StringRef name : {"max", "mean", "min", "permute", "sum"})
      table[("ttir." + name).str()] = lowerAsFloat;
    table["func.call"] = lowerTypesOnly;
    table["ttcore.composite"] = lowerTypesOnly;
    table["ttcore.load_cached"] = lowerTypesOnly;
    table["ttcore.optimization_barrier"] = lowerTypesOnly;
    return table;
  }();
  return lowerings.lookup(ttirName);
}

} // namespace mlir::ring
