// SPDX-License-Identifier: Apache-2.0
// Under a branch nothing moves: which transfers a device comes past is not
// known there.

// RUN: ring-opt %s --ring-overlap | FileCheck %s

!x = tensor<1x2x64x16xbf16>

// CHECK-LABEL: func.func @branch(
func.func @branch(%k: !x, %condition: i1) -> !x {
  // CHECK: ring.shift
  // CHECK-NOT: ring.start_shift
  %r = scf.if %condition -> !x {
    %k1 = ring.shift %k by 1 on <0 in 4> : !x
    scf.yield %k1 : !x
  } else {
    scf.yield %k : !x
  }
  return %r : !x
}
