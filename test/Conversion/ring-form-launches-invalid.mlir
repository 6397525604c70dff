// SPDX-License-Identifier: Apache-2.0
// Attentions that kernels cannot run are refused by what stands in their way.

// RUN: ring-opt %s --ring-form-launches --split-input-file --verify-diagnostics

!x = tensor<1x2x64x32xbf16>
!s = !ring.state<1x2x64x32>

func.func @two_masks(%q: !x, %k: !x, %v: !x, %mask: tensor<1x1x64x64xbf16>, %other: tensor<1x1x64x64xbf16>) -> !x {
  %s0 = ring.init : !s
  %s1 = ring.accumulate %q, %k, %v into %s0 mask(%mask : tensor<1x1x64x64xbf16>) : !x, !x, !x -> !s
  %s2 = ring.accumulate %q, %k, %v into %s1 mask(%other : tensor<1x1x64x64xbf16>) : !x, !x, !x -> !s
  // expected-error @+1 {{expects one tensor of masks for all blocks of a launch, but got two}}
  %out, %lse = ring.finish %s2 : !s -> !x, tensor<1x2x64x1xf32>
  return %out : !x
}

// -----

!x = tensor<1x2x64x32xbf16>
!s = !ring.state<1x2x64x32>

func.func @a_block_without_mask(%q: !x, %k: !x, %v: !x, %mask: tensor<1x1x64x64xbf16>) -> !x {
  %s0 = ring.init : !s
  %s1 = ring.accumulate %q, %k, %v into %s0 mask(%mask : tensor<1x1x64x64xbf16>) : !x, !x, !x -> !s
  %s2 = ring.accumulate %q, %k, %v into %s1 : !x, !x, !x -> !s
  // expected-error @+1 {{expects one tensor of masks for all blocks of a launch, but got blocks without one}}
  %out, %lse = ring.finish %s2 : !s -> !x, tensor<1x2x64x1xf32>
  return %out : !x
}

// -----

!x = tensor<1x2x64x32xbf16>

func.func @columns_of_no_whole_tiles(%q: !x, %k: !x, %v: !x, %mask: tensor<1x1x64x80xbf16>) -> !x {
  %own = "ttir.slice_static"(%mask) <{begins = [0 : i32, 0 : i32, 0 : i32, 16 : i32], ends = [1 : i32, 1 : i32, 64 : i32, 80 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x1x64x80xbf16>) -> tensor<1x1x64x64xbf16>
  // expected-error @+1 {{expects masks in whole tiles of 32 columns, but got one from column 16 on}}
  %out, %lse = ring.partial %q, %k, %v mask(%own : tensor<1x1x64x64xbf16>) : !x, !x, !x -> !x, tensor<1x2x64x1xf32>
  return %out : !x
}

// -----

!x = tensor<1x2x64x32xbf16>
!s = !ring.state<1x2x64x32>

func.func @two_queries(%q: !x, %other: !x, %k: !x, %v: !x) -> !x {
  %s0 = ring.init : !s
  // expected-error @+1 {{expects one launch to have one tensor of queries, but got two}}
  %s1 = ring.accumulate %other, %k, %v into %s0 : !x, !x, !x -> !s
  %s2 = ring.accumulate %q, %k, %v into %s1 : !x, !x, !x -> !s
  %out, %lse = ring.finish %s2 : !s -> !x, tensor<1x2x64x1xf32>
  return %out : !x
}

// -----

!x = tensor<1x2x64x32xbf16>
!s = !ring.state<1x2x64x32>

func.func @chosen(%q: !x, %k: !x, %v: !x) -> !x {
  %s0 = ring.init : !s
  %s1 = ring.accumulate %q, %k, %v into %s0 : !x, !x, !x -> !s
  %s2 = ring.select %s0, %s1 where [false, true] on <0 in 2> : !s
  // expected-error @+1 {{expects a state that one chain of ring.accumulate carries, but got one of ring.select}}
  %out, %lse = ring.finish %s2 : !s -> !x, tensor<1x2x64x1xf32>
  return %out : !x
}

// -----

!s = !ring.state<1x2x64x32>

func.func @from_outside(%state: !s) -> tensor<1x2x64x32xbf16> {
  // expected-error @+1 {{expects a state that one chain of ring.accumulate carries, but got an argument}}
  %out, %lse = ring.finish %state : !s -> tensor<1x2x64x32xbf16>, tensor<1x2x64x1xf32>
  return %out : tensor<1x2x64x32xbf16>
}

// -----

// Kernels read values where a transfer of their own leaves them.
module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x2>]>} {
  func.func @values_in_keys(%q: tensor<1x2x64x64xbf16>, %k: tensor<1x1x64x64xbf16>) -> tensor<1x2x64x32xbf16> {
    %b = ring.buffer : !ring.buffer<1x1x64x64xbf16>
    %t = ring.start_shift %k into %b by 1 on <1 in 1x2> : tensor<1x1x64x64xbf16> into !ring.buffer<1x1x64x64xbf16>
    %k1 = ring.wait %t : tensor<1x1x64x64xbf16>
    %v1 = "ttir.slice_static"(%k1) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 64 : i32, 32 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x1x64x64xbf16>) -> tensor<1x1x64x32xbf16>
    %s = ring.init : !ring.state<1x2x64x32>
    // expected-error @+1 {{expects values that travel beside their keys in a launch, but got columns of the keys}}
    %s1 = ring.accumulate %q, %k1, %v1 into %s : tensor<1x2x64x64xbf16>, tensor<1x1x64x64xbf16>, tensor<1x1x64x32xbf16> -> !ring.state<1x2x64x32>
    %out, %lse = ring.finish %s1 : !ring.state<1x2x64x32> -> tensor<1x2x64x32xbf16>, tensor<1x2x64x1xf32>
    return %out : tensor<1x2x64x32xbf16>
  }
}
