// SPDX-License-Identifier: Apache-2.0
// Latent attention: values that are the first columns of the keys are a slice of
// what the keys are in ring.attention, so that one tensor is known to be enough.

// RUN: split-file %s %t
// RUN: ring-opt %t/raised.mlir --ring-raise | FileCheck %s
// RUN: ring-opt %t/left.mlir --ring-raise --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/decode.mlir --ring-raise --verify-diagnostics | FileCheck %s --check-prefix=DECODE

//--- raised.mlir
!Q = tensor<1x8x256x96xbf16>
!K = tensor<1x1x256x96xbf16>
!V = tensor<1x1x256x64xbf16>
!O = tensor<1x8x256x64xbf16>
!M = tensor<1x1x256x256xbf16>
!q = tensor<1x8x64x96xbf16>
!k = tensor<1x1x64x96xbf16>
!v = tensor<1x1x64x64xbf16>
!o = tensor<1x8x64x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  // CHECK-NOT: @mla
  func.func private @mla(!Q, !K) -> !O
  func.func private @mla_with_value(!Q, !K, !V) -> !O
  func.func private @mla_masked(!Q, !K, !M) -> !O
  func.func private @mla_of_own_rows(!q, !K, !V) -> !o

  // P4 without values.
  // CHECK-LABEL: func.func @whole
  // CHECK-SAME: (%[[Q:.*]]: tensor<1x8x256x96xbf16>, %[[K:.*]]: tensor<1x1x256x96xbf16>)
  // CHECK: %[[V:.*]] = "ttir.slice_static"(%[[K]]) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 256 : i32, 64 : i32]
  // CHECK: ring.attention %[[Q]], %[[K]], %[[V]] pattern(#ring.causal) scale(1.250000e-01) parallel(<sequence = 1>) :
  func.func @whole(%q: !Q, %k: !K) -> !O {
    %0 = "ttcore.composite"(%q, %k) <{composite_attributes = {has_attention_mask = false, has_value = false, head_dim_v = 64 : ui32, is_causal = true, scale = 0.125 : f32},
        composite_name = "flash_mla_prefill", decomposition = @mla}> {ring.parallel = #ring.parallel<sequence = 1>} : (!Q, !K) -> !O
    return %0 : !O
  }

  // With values, which are a tensor of their own then; and with a mask.
  // CHECK-LABEL: func.func @with_value
  // CHECK-SAME: (%[[Q:.*]]: tensor<{{.*}}>, %[[K:.*]]: tensor<{{.*}}>, %[[V:.*]]: tensor<{{.*}}>)
  // CHECK-NEXT: ring.attention %[[Q]], %[[K]], %[[V]] parallel(<sequence = 1>) :
  func.func @with_value(%q: !Q, %k: !K, %v: !V) -> !O {
    %0 = "ttcore.composite"(%q, %k, %v) <{composite_attributes = {has_value = true, head_dim_v = 64 : ui32, is_causal = false},
        composite_name = "flash_mla_prefill", decomposition = @mla_with_value}> {ring.parallel = #ring.parallel<sequence = 1>} : (!Q, !K, !V) -> !O
    return %0 : !O
  }
  // CHECK-LABEL: func.func @masked
  // CHECK: ring.attention %{{.*}}, %[[K:.*]], %{{.*}} mask(%{{.*}} : tensor<1x1x256x256xbf16>) parallel
  func.func @masked(%q: !Q, %k: !K, %m: !M) -> !O {
    %0 = "ttcore.composite"(%q, %k, %m) <{composite_attributes = {has_attention_mask = true, has_value = false, head_dim_v = 64 : ui32, is_causal = false},
        composite_name = "flash_mla_prefill", decomposition = @mla_masked}> {ring.parallel = #ring.parallel<sequence = 1>} : (!Q, !K, !M) -> !O
    return %0 : !O
  }

  // P1: the slice is one of the gathered keys.
  // CHECK-LABEL: func.func @gathered
  // CHECK: %[[K:.*]] = "ttir.all_gather"(%arg1)
  // CHECK: %[[V:.*]] = "ttir.slice_static"(%[[K]])
  // CHECK: ring.attention %{{.*}}, %[[K]], %[[V]] pattern(#ring.causal) parallel(<sequence = 1>) per_device
  func.func @gathered(%q: !q, %k: !k) -> !o {
    %0 = "ttir.all_gather"(%q) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!q) -> !Q
    %1 = "ttir.all_gather"(%k) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!k) -> !K
    %2 = "ttcore.composite"(%0, %1) <{composite_attributes = {has_attention_mask = false, has_value = false, head_dim_v = 64 : ui32, is_causal = true},
        composite_name = "flash_mla_prefill", decomposition = @mla}> : (!Q, !K) -> !O
    %3 = "ttir.mesh_partition"(%2) <{cluster_axis = 1 : ui32, dim = 2 : si32}> : (!O) -> !o
    return %3 : !o
  }

  // P3: values that were cut out before the gather, which one gather does for.
  // CHECK-LABEL: func.func @cut_before
  // CHECK-COUNT-2: "ttir.all_gather"
  // CHECK-NOT: "ttir.all_gather"
  // CHECK: ring.attention
  func.func @cut_before(%q: !q, %k: !k) -> !o {
    %0 = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 64 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!k) -> !v
    %1 = "ttir.all_gather"(%k) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!k) -> !K
    %2 = "ttir.all_gather"(%0) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}> : (!v) -> !V
    %3 = "ttcore.composite"(%q, %1, %2) <{composite_attributes = {has_attention_mask = false, has_value = true, head_dim_v = 64 : ui32, is_causal = false},
        composite_name = "flash_mla_prefill", decomposition = @mla_of_own_rows}> : (!q, !K, !V) -> !o
    return %3 : !o
  }

  // The training op takes values of another width; here rows come before heads.
  // CHECK-LABEL: func.func @rows_first
  // CHECK: %[[K:.*]] = "ttir.permute"(%arg1)
  // CHECK: %[[V:.*]] = "ttir.slice_static"(%[[K]])
  // CHECK: ring.attention %arg0, %[[K]], %[[V]]
  func.func @rows_first(%q: !Q, %k: tensor<1x256x1x96xbf16>) -> !O {
    %0 = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 256 : i32, 1 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x256x1x96xbf16>) -> tensor<1x256x1x64xbf16>
    %1 = "ttir.permute"(%k) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x256x1x96xbf16>) -> !K
    %2 = "ttir.permute"(%0) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<1x256x1x64xbf16>) -> !V
    %3 = "ttir.sdpa_fw"(%q, %1, %2) <{mask_type = #ttcore.attention_mask_type<causal>, return_intermediates = false}> {ring.parallel = #ring.parallel<sequence = 1>} : (!Q, !K, !V) -> !O
    return %3 : !O
  }

  // Columns that are not the first are values of their own.
  // CHECK-LABEL: func.func @other_columns
  // CHECK: %[[V:.*]] = "ttir.slice_static"(%arg1) <{begins = [0 : i32, 0 : i32, 0 : i32, 32 : i32]
  // CHECK: ring.attention %arg0, %arg1, %[[V]]
  func.func @other_columns(%q: !Q, %k: !K) -> !O {
    %0 = "ttir.slice_static"(%k) <{begins = [0 : i32, 0 : i32, 0 : i32, 32 : i32], ends = [1 : i32, 1 : i32, 256 : i32, 96 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!K) -> !V
    %1 = "ttir.sdpa_fw"(%q, %k, %0) <{mask_type = #ttcore.attention_mask_type<causal>, return_intermediates = false}> {ring.parallel = #ring.parallel<sequence = 1>} : (!Q, !K, !V) -> !O
    return %1 : !O
  }
}

//--- left.mlir
!Q = tensor<1x8x256x96xbf16>
!K = tensor<1x1x256x96xbf16>
!V = tensor<1x1x256x64xbf16>
!O = tensor<1x8x256x64xbf16>
!M = tensor<1x1x256x256xbf16>
!h = tensor<1x8x128x96xbf16>
!o = tensor<1x8x128x64xbf16>
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  func.func private @two(!Q, !K) -> !O
  func.func private @wide(!Q, !K) -> !Q
  func.func private @half(!h, !K) -> !o
  func.func private @three(!Q, !K, !M) -> !O
  func.func private @values(!Q, !K, !K) -> !O
  func.func @left(%q: !Q, %k: !K, %m: !M, %h: !h) {
    // expected-remark @below {{left as it is: the parameter window of a latent attention}}
    %0 = "ttcore.composite"(%q, %k) <{composite_attributes = {head_dim_v = 64 : ui32, is_causal = true, window = 3 : ui32}, composite_name = "flash_mla_prefill", decomposition = @two}> : (!Q, !K) -> !O
    // expected-remark @below {{left as it is: a latent attention without head_dim_v or is_causal}}
    %1 = "ttcore.composite"(%q, %k) <{composite_attributes = {head_dim_v = 64 : ui32}, composite_name = "flash_mla_prefill", decomposition = @two}> : (!Q, !K) -> !O
    // expected-remark @below {{left as it is: a latent attention of other operands or results than its parameters say}}
    %2 = "ttcore.composite"(%q, %k) <{composite_attributes = {has_value = true, head_dim_v = 64 : ui32, is_causal = true}, composite_name = "flash_mla_prefill", decomposition = @two}> : (!Q, !K) -> !O
    // expected-remark @below {{left as it is: a mask beside is_causal}}
    %3 = "ttcore.composite"(%q, %k, %m) <{composite_attributes = {has_attention_mask = true, head_dim_v = 64 : ui32, is_causal = true}, composite_name = "flash_mla_prefill", decomposition = @three}> : (!Q, !K, !M) -> !O
    // expected-remark @below {{left as it is: values of 128 columns in keys of 96}}
    %4 = "ttcore.composite"(%q, %k) <{composite_attributes = {head_dim_v = 128 : ui32, is_causal = true}, composite_name = "flash_mla_prefill", decomposition = @two}> : (!Q, !K) -> !O
    // expected-remark @below {{left as it is: tensors of a latent attention that do not fit together}}
    %5 = "ttcore.composite"(%q, %k) <{composite_attributes = {head_dim_v = 64 : ui32, is_causal = true}, composite_name = "flash_mla_prefill", decomposition = @wide}> : (!Q, !K) -> !Q
    // expected-remark @below {{left as it is: tensors of a latent attention that do not fit together}}
    %6 = "ttcore.composite"(%q, %k, %k) <{composite_attributes = {has_value = true, head_dim_v = 64 : ui32, is_causal = true}, composite_name = "flash_mla_prefill", decomposition = @values}> : (!Q, !K, !K) -> !O
    // expected-remark @below {{left as it is: is_causal over other queries than keys}}
    %7 = "ttcore.composite"(%h, %k) <{composite_attributes = {head_dim_v = 64 : ui32, is_causal = true}, composite_name = "flash_mla_prefill", decomposition = @half}> : (!h, !K) -> !o
    // expected-remark @below {{left as it is: its sequence is neither gathered nor annotated}}
    %8 = "ttcore.composite"(%q, %k) <{composite_attributes = {head_dim_v = 64 : ui32, is_causal = true}, composite_name = "flash_mla_prefill", decomposition = @two}> : (!Q, !K) -> !O
    return
  }
}

//--- decode.mlir
// A step over latent pages is one over any: the values are columns of its cache.
#split = #ring.parallel<sequence = 0>
!q = tensor<1x2x8x96xbf16>
!k = tensor<16x1x32x96xbf16>
!v = tensor<16x1x32x64xbf16>
!o = tensor<1x2x8x64xbf16>
!t = tensor<2x8xi32>

// DECODE-LABEL: func.func @constant_position(
// DECODE: %[[Q:.+]] = "ttir.permute"(%arg0)
// DECODE: %[[V:.+]] = "ttir.slice_static"(%arg1) {{.*}} -> tensor<16x1x32x64xbf16>
// DECODE: %[[START:.+]] = "ttir.constant"() <{value = dense<99>
// DECODE: ring.attention %[[Q]], %arg1, %[[V]] pages(%arg2 : {{.+}}) start(%[[START]] : {{.+}}) pattern(#ring.causal) scale(5.000000e-01) parallel(<sequence = 0>)
func.func @constant_position(%q: !q, %k: !k, %t: !t) -> !o {
  %p = "ttir.constant"() <{value = dense<99> : tensor<2xi32>}> : () -> tensor<2xi32>
  %0 = "ttir.paged_flash_multi_latent_attention_decode"(%q, %k, %t, %p) <{head_dim_v = 64 : ui32, is_causal = true, operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 1, 0>, scale = 0.5 : f32}> {ring.parallel = #split} : (!q, !k, !t, tensor<2xi32>) -> !o
  return %0 : !o
}

// DECODE-LABEL: func.func @with_value(
// DECODE: ring.attention %{{.+}}, %arg1, %arg2 pages(%arg3 : {{.+}}) start(%{{.+}})
func.func @with_value(%q: !q, %k: !k, %v: !v, %t: !t) -> !o {
  %0 = "ttir.paged_flash_multi_latent_attention_decode"(%q, %k, %v, %t) <{head_dim_v = 64 : ui32, is_causal = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> {ring.parallel = #split} : (!q, !k, !v, !t) -> !o
  return %0 : !o
}

// DECODE-LABEL: func.func @not_asked_for(
// DECODE: "ttir.paged_flash_multi_latent_attention_decode"
func.func @not_asked_for(%q: !q, %k: !k, %t: !t) -> !o {
  // expected-remark @below {{left as it is: its sequence is neither gathered nor annotated}}
  %0 = "ttir.paged_flash_multi_latent_attention_decode"(%q, %k, %t) <{head_dim_v = 64 : ui32, is_causal = true, operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 0, 0>}> : (!q, !k, !t) -> !o
  return %0 : !o
}
