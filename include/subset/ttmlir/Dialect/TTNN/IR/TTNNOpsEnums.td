// SPDX-License-Identifier: Apache-2.0
// The enumerations of ttnn, with tt-mlir's spellings and values.
#ifndef TTMLIR_DIALECT_TTNN_IR_TTNNOPSENUMS_TD
#define TTMLIR_DIALECT_TTNN_IR_TTNNOPSENUMS_TD

include "mlir/IR/EnumAttr.td"

class TTNN_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::mlir::tt::ttnn";
}

def TTNN_Layout : TTNN_Enum<"Layout", "order of numbers in a page", [
  I32EnumAttrCase<"RowMajor", 0, "row_major">,
  I32EnumAttrCase<"Tile", 1, "tile">,
  I32EnumAttrCase<"Invalid", 2, "invalid">]>;

def TTNN_TensorMemoryLayout : TTNN_Enum<"TensorMemoryLayout",
    "how the pages of a tensor are spread", [
  I32EnumAttrCase<"Interleaved", 0, "interleaved">,
  I32EnumAttrCase<"HeightSharded", 2, "height_sharded">,
  I32EnumAttrCase<"WidthSharded", 3, "width_sharded">,
  I32EnumAttrCase<"BlockSharded", 4, "block_sharded">,
  I32EnumAttrCase<"NDSharded", 5, "nd_sharded">]>;

def TTNN_BufferType : TTNN_Enum<"BufferType", "memory a tensor lives in", [
  I32EnumAttrCase<"DRAM", 0, "dram">,
  I32EnumAttrCase<"L1", 1, "l1">,
  I32EnumAttrCase<"SystemMemory", 2, "system_memory">,
  I32EnumAttrCase<"L1Small", 3, "l1_small">,
  I32EnumAttrCase<"Trace", 4, "trace">]>;

def TTNN_ShardOrientation : TTNN_Enum<"ShardOrientation",
    "order in which shards go to cores", [
  I32EnumAttrCase<"RowMajor", 0, "row_major">,
  I32EnumAttrCase<"ColMajor", 1, "col_major">]>;

def TTNN_ShardDistributionStrategy : TTNN_Enum<"ShardDistributionStrategy",
    "how shards of many dimensions go to cores", [
  I32EnumAttrCase<"RoundRobin1D", 0, "round_robin_1d">,
  I32EnumAttrCase<"Grid2D", 1, "grid_2d">]>;

def TTNN_MathFidelity : TTNN_Enum<"MathFidelity", "passes of the multiplier", [
  I32EnumAttrCase<"LoFi", 0, "lofi">,
  I32EnumAttrCase<"HiFi2", 2, "hifi2">,
  I32EnumAttrCase<"HiFi3", 3, "hifi3">,
  I32EnumAttrCase<"HiFi4", 4, "hifi4">]>;

def TTNN_PlacementType : TTNN_Enum<"PlacementType",
    "what a mesh axis does to a tensor", [
  I32EnumAttrCase<"Replicate", 0, "replicate">,
  I32EnumAttrCase<"Shard", 1, "shard">]>;

#endif // TTMLIR_DIALECT_TTNN_IR_TTNNOPSENUMS_TD
