// SPDX-License-Identifier: Apache-2.0
// Safe schedules pass, and a remark says what they cost a device.

// RUN: ring-opt %s --ring-verify-schedule --split-input-file --verify-diagnostics

!x = tensor<1x2x64x16xbf16>
!b = !ring.buffer<1x2x64x16xbf16>
!s = !ring.state<1x2x64x16>

// Double buffering: A is written again after it has been read and sent. One
// tensor is 2 * 64 * 16 * 2 = 4096 bytes: the own one and two buffers.
// expected-remark @+1 {{a device sends 12288 bytes on #ring.axis<0 in 4>, has 2 buffers of 8192 bytes together and holds at most 12288 bytes of keys and values}}
func.func @double_buffering(%q: !x, %k: !x, %s0: !s) -> !s {
  %a = ring.buffer : !b
  %b = ring.buffer : !b
  %t1 = ring.start_shift %k into %a by 1 on <0 in 4> : !x into !b
  %s1 = ring.accumulate %q, %k, %k into %s0 : !x, !x, !x -> !s
  %k1 = ring.wait %t1 : !x
  %t2 = ring.start_shift %k1 into %b by 1 on <0 in 4> : !x into !b
  %s2 = ring.accumulate %q, %k1, %k1 into %s1 : !x, !x, !x -> !s
  %k2 = ring.wait %t2 : !x
  %t3 = ring.start_shift %k2 into %a by 1 on <0 in 4> : !x into !b
  %s3 = ring.accumulate %q, %k2, %k2 into %s2 : !x, !x, !x -> !s
  %k3 = ring.wait %t3 : !x
  %s4 = ring.accumulate %q, %k3, %k3 into %s3 : !x, !x, !x -> !s
  return %s4 : !s
}

// -----

!x = tensor<1x2x64x16xbf16>
!b = !ring.buffer<1x2x64x16xbf16>

// Sub-rings of one axis, and a transfer that blocks. Queries that travel are
// neither keys nor values.
// expected-remark @+1 {{a device sends 4096 bytes on #ring.axis<0 in 8x4, size = 4>, 6144 bytes on #ring.axis<0 in 8x4, size = 2, stride = 4>, has 1 buffers of 4096 bytes together and holds at most 0 bytes of keys and values}}
func.func @two_axes(%q: !x) -> (!x, !x, tensor<1x1x128x16xbf16>) {
  %a = ring.buffer : !b
  %t1 = ring.start_shift %q into %a by 1 on <0 in 8x4, size = 4> : !x into !b
  %q1 = ring.wait %t1 : !x
  %q2 = ring.shift %q by 1 on <0 in 8x4, size = 2, stride = 4> : !x
  %q3 = ring.all_to_all %q split 1 concat 2 on <0 in 8x4, size = 2, stride = 4> : !x -> tensor<1x1x128x16xbf16>
  return %q1, %q2, %q3 : !x, !x, tensor<1x1x128x16xbf16>
}

// -----

!x = tensor<1x2x64x16xbf16>

// Nothing is scheduled, so nothing is said.
func.func @blocking(%k: !x) -> !x {
  %k1 = ring.shift %k by 1 on <0 in 4> : !x
  return %k1 : !x
}

// A call in straight-line code is passed by every device.
func.func @calls(%k: !x) -> !x {
  %k1 = func.call @blocking(%k) : (!x) -> !x
  return %k1 : !x
}
