// SPDX-License-Identifier: Apache-2.0
// The closed choices of the ring dialect: sequence layouts, strategies and the
// settings that a plan carries.

#ifndef RING_DIALECT_RING_IR_RINGENUMS_TD
#define RING_DIALECT_RING_IR_RINGENUMS_TD

include "mlir/IR/EnumAttr.td"

class Ring_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mlir::ring";
  let genSpecializedAttr = 0;
}

def Ring_LayoutKind : Ring_Enum<"LayoutKind",
    "how the positions of a sequence are dealt to ranks", [
  I32EnumAttrCase<"Contiguous", 0, "contiguous">,
  I32EnumAttrCase<"Mirrored", 1, "mirrored">,
  I32EnumAttrCase<"Zigzag", 2, "zigzag">,
  I32EnumAttrCase<"Striped", 3, "striped">,
  I32EnumAttrCase<"BlockCyclic", 4, "block_cyclic">]>;

def Ring_Strategy : Ring_Enum<"Strategy",
    "which distributed algorithm computes an attention", [
  I32EnumAttrCase<"Replicate", 0, "replicate">,
  I32EnumAttrCase<"AllGather", 1, "all_gather">,
  I32EnumAttrCase<"Ring", 2, "ring">,
  I32EnumAttrCase<"Ulysses", 3, "ulysses">,
  I32EnumAttrCase<"Usp", 4, "usp">,
  I32EnumAttrCase<"Halo", 5, "halo">,
  I32EnumAttrCase<"SplitKV", 6, "split_kv">,
  I32EnumAttrCase<"DoubleRing", 7, "double_ring">,
  I32EnumAttrCase<"PassQ", 8, "pass_q">]>;

def Ring_Form : Ring_Enum<"Form",
    "explicit ops, or one fused device op with the explicit ops as fallback", [
  I32EnumAttrCase<"Explicit", 0, "explicit">,
  I32EnumAttrCase<"Fused", 1, "fused">]>;

def Ring_Directions : Ring_Enum<"Directions",
    "whether shards travel one way round the ring or both", [
  I32EnumAttrCase<"Forward", 0, "forward">,
  I32EnumAttrCase<"Both", 1, "both">]>;

def Ring_PartMerge : Ring_Enum<"PartMerge",
    "how the parts that devices have of the same queries become one", [
  I32EnumAttrCase<"Tree", 0, "tree">,
  I32EnumAttrCase<"Round", 1, "round">,
  I32EnumAttrCase<"Gather", 2, "gather">,
  I32EnumAttrCase<"Reduce", 3, "reduce">]>;

def Ring_Topology : Ring_Enum<"Topology",
    "whether the first and the last device of an axis are neighbours", [
  I32EnumAttrCase<"Ring", 0, "ring">,
  I32EnumAttrCase<"Linear", 1, "linear">]>;

def Ring_JointPlacement : Ring_Enum<"JointPlacement",
    "whether every device has all joint tokens or only its share of them", [
  I32EnumAttrCase<"Replicated", 0, "replicated">,
  I32EnumAttrCase<"Sharded", 1, "sharded">]>;

def Ring_MathFidelity : Ring_Enum<"MathFidelity",
    "how many passes the matrix engine makes over the mantissas", [
  I32EnumAttrCase<"LoFi", 0, "lofi">,
  I32EnumAttrCase<"HiFi2", 1, "hifi2">,
  I32EnumAttrCase<"HiFi3", 2, "hifi3">,
  I32EnumAttrCase<"HiFi4", 3, "hifi4">]>;

def Ring_Segmentation : Ring_Enum<"Segmentation",
    "how dilated attention cuts the sequence into segments", [
  I32EnumAttrCase<"Tiled", 0, "tiled">,
  I32EnumAttrCase<"Concat", 1, "concat">,
  I32EnumAttrCase<"Prefix", 2, "prefix">]>;

def Ring_DilationPhase : Ring_Enum<"DilationPhase",
    "which residue modulo the rate a head keeps", [
  I32EnumAttrCase<"Group", 0, "group">,
  I32EnumAttrCase<"HeadMod", 1, "head_mod">,
  I32EnumAttrCase<"HeadBlock", 2, "head_block">,
  I32EnumAttrCase<"AllResidues", 3, "all_residues">,
  I32EnumAttrCase<"Zero", 4, "zero">]>;

def Ring_ExtraHeads : Ring_Enum<"ExtraHeads",
    "which groups have one head more where the heads do not divide", [
  I32EnumAttrCase<"First", 0, "first">,
  I32EnumAttrCase<"Last", 1, "last">]>;

def Ring_DilationMix : Ring_Enum<"DilationMix",
    "how the results of the (segment, rate) pairs are combined", [
  I32EnumAttrCase<"HeadPartition", 0, "head_partition">,
  I32EnumAttrCase<"Lse", 1, "lse">,
  I32EnumAttrCase<"Mean", 2, "mean">]>;

def Ring_DilationNorm : Ring_Enum<"DilationNorm",
    "what the combined result is divided by", [
  I32EnumAttrCase<"Groups", 0, "groups">,
  I32EnumAttrCase<"None", 1, "none">]>;

def Ring_ShortSequence : Ring_Enum<"ShortSequence",
    "what happens when the sequence is shorter than a segment", [
  I32EnumAttrCase<"Error", 0, "error">,
  I32EnumAttrCase<"Skip", 1, "skip">,
  I32EnumAttrCase<"Clamp", 2, "clamp">]>;

def Ring_KeyOrder : Ring_Enum<"KeyOrder",
    "the order in which keys are visited; masks always follow the original positions", [
  I32EnumAttrCase<"Identity", 0, "identity">,
  I32EnumAttrCase<"Hilbert", 1, "hilbert">,
  I32EnumAttrCase<"Snake", 2, "snake">]>;

#endif // RING_DIALECT_RING_IR_RINGENUMS_TD
