// SPDX-License-Identifier: Apache-2.0
// Attentions that kernels cannot run are refused by what stands in their way.

// RUN: ring-opt %s --ring-form-launches --split-input-file --verify-diagnostics

!x = tensor<1x2x64x32xbf16>

func.func @mask(%q: !x, %k: !x, %v: !x, %mask: tensor<1x1x64x64xbf16>) -> !x {
  // expected-error @+1 {{expects masks that follow from positions in a launch, but got a tensor}}
  %out, %lse = ring.partial %q, %k, %v mask(%mask : tensor<1x1x64x64xbf16>) : !x, !x, !x -> !x, tensor<1x2x64x1xf32>
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
