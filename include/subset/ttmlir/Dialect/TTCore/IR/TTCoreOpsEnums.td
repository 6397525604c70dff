// SPDX-License-Identifier: Apache-2.0
// The enumerations of ttcore. Spellings and values are tt-mlir's: both are
// visible in printed IR or in serialised programs.
#ifndef TTMLIR_DIALECT_TTCORE_IR_TTCOREOPSENUMS_TD
#define TTMLIR_DIALECT_TTCORE_IR_TTCOREOPSENUMS_TD

include "mlir/IR/EnumAttr.td"

class TTCore_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::mlir::tt::ttcore";
}

def TTCore_DataType : TTCore_Enum<"DataType",
    "how a device stores one number", [
  I32EnumAttrCase<"Float32", 0, "f32">,
  I32EnumAttrCase<"Float16", 1, "f16">,
  I32EnumAttrCase<"BFloat16", 2, "bf16">,
  I32EnumAttrCase<"BFP_Float8", 3, "bfp_f8">,
  I32EnumAttrCase<"BFP_BFloat8", 4, "bfp_bf8">,
  I32EnumAttrCase<"BFP_Float4", 5, "bfp_f4">,
  I32EnumAttrCase<"BFP_BFloat4", 6, "bfp_bf4">,
  I32EnumAttrCase<"BFP_Float2", 7, "bfp_f2">,
  I32EnumAttrCase<"BFP_BFloat2", 8, "bfp_bf2">,
  I32EnumAttrCase<"UInt32", 9, "u32">,
  I32EnumAttrCase<"UInt16", 10, "u16">,
  I32EnumAttrCase<"UInt8", 11, "u8">,
  I32EnumAttrCase<"Int32", 12, "si32">,
  I32EnumAttrCase<"Bool", 13, "i1">]> {
  let stringToSymbolFnName = "DataTypeStringToEnum";
  let symbolToStringFnName = "DataTypeEnumToString";
}

def TTCore_Arch : TTCore_Enum<"Arch", "chip generation", [
  I32EnumAttrCase<"WormholeB0", 1, "wormhole_b0">,
  I32EnumAttrCase<"Blackhole", 2, "blackhole">,
  I32EnumAttrCase<"Quasar", 3, "quasar">]>;

def TTCore_MemorySpace : TTCore_Enum<"MemorySpace",
    "memory a buffer lives in", [
  I32EnumAttrCase<"System", 0, "system">,
  I32EnumAttrCase<"SystemMMIO", 1, "mmio">,
  I32EnumAttrCase<"DeviceDRAM", 2, "dram">,
  I32EnumAttrCase<"DeviceL1", 3, "l1">,
  I32EnumAttrCase<"RegisterDst", 4, "dst">]>;

def TTCore_IteratorType : TTCore_Enum<"IteratorType",
    "kind of a loop dimension", [
  I32EnumAttrCase<"Parallel", 0, "parallel">,
  I32EnumAttrCase<"Reduction", 1, "reduction">]>;

def TTCore_OOBVal : TTCore_Enum<"OOBVal",
    "value read outside a tensor's bounds", [
  I32EnumAttrCase<"Undef", 0, "undef">,
  I32EnumAttrCase<"Zero", 1, "zero">,
  I32EnumAttrCase<"One", 2, "one">,
  I32EnumAttrCase<"Inf", 3, "inf">,
  I32EnumAttrCase<"NegInf", 4, "neginf">]>;

def TTCore_ReduceType : TTCore_Enum<"ReduceType", "operation of a reduction", [
  I32EnumAttrCase<"Sum", 0, "sum">,
  I32EnumAttrCase<"Mean", 1, "mean">,
  I32EnumAttrCase<"Max", 2, "max">,
  I32EnumAttrCase<"Min", 3, "min">,
  I32EnumAttrCase<"Std", 4, "std">,
  I32EnumAttrCase<"Var", 5, "var">,
  I32EnumAttrCase<"Prod", 6, "prod">,
  I32EnumAttrCase<"Invalid", 7, "invalid">]>;

def TTCore_MeshShardDirection : TTCore_Enum<"MeshShardDirection",
    "whether mesh_shard splits or joins", [
  I32EnumAttrCase<"FullToShard", 0, "full_to_shard">,
  I32EnumAttrCase<"ShardToFull", 1, "shard_to_full">]>;

def TTCore_MeshShardType : TTCore_Enum<"MeshShardType",
    "what each device of a mesh holds", [
  I32EnumAttrCase<"Replicate", 1, "replicate">,
  I32EnumAttrCase<"Maximal", 2, "maximal">,
  I32EnumAttrCase<"Devices", 3, "devices">]>;

def TTCore_ArgumentType : TTCore_Enum<"ArgumentType",
    "role of a function argument", [
  I32EnumAttrCase<"Input", 0, "input">,
  I32EnumAttrCase<"Parameter", 1, "parameter">,
  I32EnumAttrCase<"Constant", 2, "constant">,
  I32EnumAttrCase<"Default", 3, "default">]> {
  let stringToSymbolFnName = "ArgumentTypeStringToEnum";
  let symbolToStringFnName = "ArgumentTypeEnumToString";
}

def TTCore_TensorMemoryLayout : TTCore_Enum<"TensorMemoryLayout",
    "how a buffer is spread over banks", [
  I32EnumAttrCase<"Interleaved", 0, "interleaved">,
  I32EnumAttrCase<"Sharded", 1, "sharded">]>;

def TTCore_ShardStatus : TTCore_Enum<"ShardStatus",
    "whether the caller hands over shards or a whole tensor", [
  I32EnumAttrCase<"Presharded", 0, "presharded">,
  I32EnumAttrCase<"Unsharded", 1, "unsharded">]>;

def TTCore_NocIndex : TTCore_Enum<"NocIndex", "network on chip", [
  I32EnumAttrCase<"Noc0", 0, "noc0">,
  I32EnumAttrCase<"Noc1", 1, "noc1">]>;

def TTCore_Topology : TTCore_Enum<"Topology", "how a mesh axis is wired", [
  I32EnumAttrCase<"Ring", 0, "ring">,
  I32EnumAttrCase<"Linear", 1, "linear">,
  I32EnumAttrCase<"Mesh", 2, "mesh">,
  I32EnumAttrCase<"Torus", 3, "torus">,
  I32EnumAttrCase<"Disabled", 4, "disabled">]>;

def TTCore_RoutingMode : TTCore_Enum<"RoutingMode",
    "direction policy of a fabric connection", [
  I32EnumAttrCase<"BidirLineMesh", 0, "bidir_line_mesh">,
  I32EnumAttrCase<"UnidirRingTorus", 1, "unidir_ring_torus">]>;

def TTCore_AttentionMaskType : TTCore_Enum<"AttentionMaskType",
    "mask of an attention op", [
  I32EnumAttrCase<"None", 0, "none">,
  I32EnumAttrCase<"Causal", 1, "causal">,
  I32EnumAttrCase<"Arbitrary", 2, "arbitrary">]>;

#endif // TTMLIR_DIALECT_TTCORE_IR_TTCOREOPSENUMS_TD
