// SPDX-License-Identifier: Apache-2.0
// A fused plan that was written by hand is held to the rules of the device op;
// ring-plan, which knows the machine, also to its cores and its L1.

// RUN: split-file %s %t
// RUN: ring-opt %t/outline.mlir --ring-outline-fused --split-input-file --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/cores.mlir --ring-plan --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/movers.mlir --ring-plan --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/chunks.mlir --ring-plan --verify-diagnostics -o /dev/null
// RUN: ring-opt %t/blackhole.mlir --ring-plan="machine=blackhole-galaxy" -o /dev/null
// RUN: ring-opt %t/rule.mlir --ring-plan --verify-diagnostics -o /dev/null

//--- outline.mlir
!x = tensor<1x4x512x64xbf16>

func.func @ring_joint(%q: !x) -> !x {
  // expected-error @below {{attention cannot use strategy ring (fused): expects a query chunk to divide half a shard, 64, but got 96}}
  %0 = ring.attention %q, %q, %q pattern(#ring.causal) parallel(<sequence = 1>)
      plan(<strategy = ring, axis = <1 in 1x4>, layout = zigzag, form = fused, compute = <q_chunk = 96>>) : !x, !x, !x -> !x
  return %0 : !x
}

// -----

!x = tensor<1x4x512x64xbf16>

func.func @ring_distributed(%q: !x) -> !x {
  // expected-error @below {{attention cannot use strategy all_gather (fused): expects the sequence on mesh axis 0 where both have 4 devices, but got axis 1: the device op would take a device's place from axis 0}}
  %0 = ring.attention %q, %q, %q pattern(#ring.causal) parallel(<sequence = 1>)
      plan(<strategy = all_gather, axis = <1 in 4x4>, layout = zigzag, form = fused>) : !x, !x, !x -> !x
  return %0 : !x
}

// -----

!x = tensor<1x4x512x64xbf16>

// The same on the axis that the op takes is as it should be.
func.func @ring_distributed_on_the_first_axis(%q: !x) -> !x {
  %0 = ring.attention %q, %q, %q pattern(#ring.causal) parallel(<sequence = 0>)
      plan(<strategy = all_gather, axis = <0 in 4x4>, layout = zigzag, form = fused>) : !x, !x, !x -> !x
  return %0 : !x
}

//--- cores.mlir
!x = tensor<1x8x2048x64xbf16>
func.func @attention(%q: !x) -> !x {
  // expected-error @below {{attention cannot use strategy all_gather (fused): expects cores within the 8x8 of the chip, but got 9x8}}
  %0 = ring.attention %q, %q, %q pattern(#ring.causal) parallel(<sequence = 1>)
      plan(<strategy = all_gather, axis = <1 in 1x4>, layout = zigzag, form = fused, compute = <grid = 9x8>>) : !x, !x, !x -> !x
  return %0 : !x
}

//--- movers.mlir
// Four links take eight cores of a column that has eight.
!x = tensor<1x8x2048x64xbf16>
func.func @attention(%q: !x) -> !x {
  // expected-error @below {{attention cannot use strategy ring (fused): expects 8 cores that move data, two for a link, within the 8x8 of the chip, but got 7x8 among those from 7x1 on}}
  %0 = ring.attention %q, %q, %q parallel(<sequence = 1>)
      plan(<strategy = ring, axis = <1 in 1x4>, form = fused, num_links = 4, compute = <grid = 7x8, ccl_offset = 7x1>>) : !x, !x, !x -> !x
  return %0 : !x
}

//--- chunks.mlir
// 32 heads of two chunks are 64 on 56 cores, so that the queries are there twice:
// 702 tiles and 80 bytes beside the 104 KiB that are reserved.
!x = tensor<1x32x2048x128xbf16>
func.func @attention(%q: !x) -> !x {
  // expected-error @below {{attention cannot use strategy ring (fused): needs 1509 KiB of L1 a core, there are 1464}}
  %0 = ring.attention %q, %q, %q parallel(<sequence = 1>)
      plan(<strategy = ring, axis = <1 in 1x4>, form = fused, compute = <q_chunk = 288, k_chunk = 512, grid = 7x8, ccl_offset = 7x0>>) : !x, !x, !x -> !x
  return %0 : !x
}

//--- blackhole.mlir
// What is too large for Wormhole fits into the 1536 KiB of Blackhole.
!x = tensor<1x64x4096x128xbf16>
func.func @attention(%q: !x) -> !x {
  %0 = ring.attention %q, %q, %q parallel(<sequence = 0>)
      plan(<strategy = ring, axis = <0 in 8x4>, form = fused, compute = <q_chunk = 288, k_chunk = 512, grid = 11x10, ccl_offset = 11x0>>) : !x, !x, !x -> !x
  return %0 : !x
}

//--- rule.mlir
!x = tensor<1x8x2048x128xbf16>
func.func @attention(%q: !x) -> !x {
  // expected-error @below {{attention cannot use strategy ring (fused): expects a zigzag layout only beside a causal pattern}}
  %0 = ring.attention %q, %q, %q parallel(<sequence = 1>)
      plan(<strategy = ring, axis = <1 in 1x4>, layout = zigzag, form = fused>) : !x, !x, !x -> !x
  return %0 : !x
}
