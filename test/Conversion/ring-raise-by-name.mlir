// SPDX-License-Identifier: Apache-2.0
// Attentions of IR that nobody edits are named by an option: functions by their
// symbols, attentions by the names or lines of their locations.

// RUN: ring-opt %s --ring-raise="parallel=@main:sequence=1,heads=0" | FileCheck %s --check-prefixes=CHECK,MAIN
// RUN: ring-opt %s --pass-pipeline="builtin.module(ring-raise{parallel=@main:sequence=1,heads=0})" | FileCheck %s --check-prefixes=CHECK,MAIN
// RUN: ring-opt %s --ring-raise="parallel=*/attn/*:sequence=0;@main:sequence=1 sequence-axis=2" | FileCheck %s --check-prefixes=CHECK,NAMES
// RUN: ring-opt %s --ring-raise="parallel=@ma*:sequence=2;@main:sequence=0;@main/*:sequence=3;blocks.0/attn/sdpa:sequence=0;@main/blocks.0/cross/sdpa:none sequence-axis=1" | FileCheck %s --check-prefixes=CHECK,PRECISE
// RUN: ring-opt %s --ring-raise="parallel='@main/blocks.?/attn/sdpa:sequence=1,joint=sharded; with a space:sequence=0,outer=1'" | FileCheck %s --check-prefixes=CHECK,WORDS
// RUN: ring-opt %s --ring-attention-pipeline="parallel=@main/*attn*:sequence=1 mesh-shape=4x2 strategy=ring" | FileCheck %s --check-prefix=PIPELINE

!t = tensor<1x2x64x16xbf16>
!local = tensor<1x2x16x16xbf16>

// CHECK-LABEL: func.func @main(
func.func @main(%q: !t) -> (!t, !t, !t) {
  // MAIN: ring.attention {{.+}} parallel(<sequence = 1, heads = 0>) :
  // NAMES: ring.attention {{.+}} parallel(<sequence = 0>) :
  // PRECISE: ring.attention {{.+}} parallel(<sequence = 0>) :
  // WORDS: ring.attention {{.+}} parallel(<sequence = 1, joint = sharded>) :
  // PIPELINE: ring.start_shift
  %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!t, !t, !t) -> !t loc("blocks.0/attn/sdpa")
  // MAIN: ring.attention {{.+}} parallel(<sequence = 1, heads = 0>) :
  // NAMES: ring.attention {{.+}} parallel(<sequence = 1>) :
  // PRECISE: scaled_dot_product_attention
  // WORDS: scaled_dot_product_attention
  // PIPELINE: scaled_dot_product_attention
  %1 = "ttir.scaled_dot_product_attention"(%q, %q, %q) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!t, !t, !t) -> !t loc("blocks.0/cross/sdpa")
  // The annotation of the IR counts before all of them.
  // CHECK: ring.attention {{.+}} parallel(<sequence = 0, heads = 1>) :
  %2 = "ttir.scaled_dot_product_attention"(%q, %q, %q) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> {ring.parallel = #ring.parallel<sequence = 0, heads = 1>} : (!t, !t, !t) -> !t loc("blocks.1/attn/sdpa")
  return %0, %1, %2 : !t, !t, !t
}

// CHECK-LABEL: func.func @other(
func.func @other(%q: !t) -> !t {
  // MAIN: scaled_dot_product_attention
  // NAMES: ring.attention {{.+}} parallel(<sequence = 2>) :
  // PRECISE: ring.attention {{.+}} parallel(<sequence = 1>) :
  // WORDS: ring.attention {{.+}} parallel(<sequence = 0, outer = 1>) :
  %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!t, !t, !t) -> !t loc(fused["with a space", "other.mlir":12:3])
  return %0 : !t
}

// What is gathered shows its axis itself.
// CHECK-LABEL: func.func @gathered(
func.func @gathered(%local: !local) -> !t {
  // CHECK: ring.attention {{.+}} parallel(<sequence = 0>) per_device
  %0 = "ttir.all_gather"(%local) <{all_gather_dim = 2 : si32, cluster_axis = 0 : ui32}> : (!local) -> !t
  %1 = "ttir.scaled_dot_product_attention"(%0, %0, %0) <{is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!t, !t, !t) -> !t
  return %1 : !t
}

// An attention that is spelled out has the name of its softmax; so do lines that
// it comes from.
// RUN: ring-opt %s --ring-raise="parallel=softmax.7:sequence=1;12:sequence=0" | FileCheck %s --check-prefix=SPELLED
// SPELLED-LABEL: func.func @other(
// SPELLED: ring.attention {{.+}} parallel(<sequence = 0>) :
// SPELLED-LABEL: func.func @spelled(
// SPELLED: ring.attention {{.+}} parallel(<sequence = 1>) :
func.func @spelled(%x: !t) -> !t {
  %0 = "ttir.matmul"(%x, %x) <{transpose_b = true}> : (!t, !t) -> tensor<1x2x64x64xbf16>
  %1 = "ttir.softmax"(%0) <{dimension = -1 : si32}> : (tensor<1x2x64x64xbf16>) -> tensor<1x2x64x64xbf16> loc("softmax.7")
  %2 = "ttir.matmul"(%1, %x) : (tensor<1x2x64x64xbf16>, !t) -> !t
  return %2 : !t
}
