// SPDX-License-Identifier: Apache-2.0
// A cache that is written where it lies has to lie on the devices.

// RUN: ring-opt %s --ring-place-on-devices --split-input-file --verify-diagnostics

!c = tensor<1x2x64x32xbf16>
!s = tensor<1x2x32x32xbf16>

func.func @written_in_place(%cache: !c, %x: !c) -> !c {
  // expected-error @+1 {{'ttir.fill_cache' op cannot write into the host's tensor: expects an argument that is presharded, or the written cache as a result}}
  "ttir.fill_cache"(%cache, %x) <{batch_offset = 0 : i32}> : (!c, !c) -> ()
  %0 = ring.shard %x as <[_, _, 1, _] in 1x2> : !c -> !s
  %1 = ring.unshard %0 as <[_, _, 1, _] in 1x2> : !s -> !c
  return %1 : !c
}

// -----

!x = tensor<1x2x64x32xbf16>
!s = tensor<1x2x32x32xbf16>

// expected-error @+1 {{expects one block in a function, but got 2}}
func.func @branches(%x: !x) -> !x {
  %0 = ring.shard %x as <[_, _, 1, _] in 1x2> : !x -> !s
  cf.br ^last
^last:
  %1 = ring.unshard %0 as <[_, _, 1, _] in 1x2> : !s -> !x
  return %1 : !x
}
