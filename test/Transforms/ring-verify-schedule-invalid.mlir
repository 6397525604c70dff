// SPDX-License-Identifier: Apache-2.0
// One unsafe schedule for every rule.

// RUN: ring-opt %s --ring-verify-schedule --split-input-file --verify-diagnostics

!x = tensor<1x2x64x16xbf16>
!b = !ring.buffer<1x2x64x16xbf16>

// A transfer that is lost.
func.func @no_wait(%k: !x) {
  %a = ring.buffer : !b
  // expected-error @+1 {{expects a ring.wait for its token before the function returns, but got none}}
  %t = ring.start_shift %k into %a by 1 on <0 in 4> : !x into !b
  return
}

// -----

!x = tensor<1x2x64x16xbf16>
!b = !ring.buffer<1x2x64x16xbf16>

// A transfer that leaves the function.
func.func @token_leaves(%k: !x) -> !ring.token {
  %a = ring.buffer : !b
  // expected-error @+1 {{expects only a ring.wait to take its token, but got func.return}}
  %t = ring.start_shift %k into %a by 1 on <0 in 4> : !x into !b
  // expected-note @+1 {{taken here}}
  return %t : !ring.token
}

// -----

!x = tensor<1x2x64x16xbf16>
!b = !ring.buffer<1x2x64x16xbf16>

// Two transfers into one buffer at a time.
func.func @written_twice(%k: !x, %v: !x) -> (!x, !x) {
  %a = ring.buffer : !b
  // expected-note @+1 {{started here}}
  %t1 = ring.start_shift %k into %a by 1 on <0 in 4> : !x into !b
  // expected-error @+1 {{expects its buffer to be free, but a transfer into it has not been waited for}}
  %t2 = ring.start_shift %v into %a by 1 on <0 in 4> : !x into !b
  %k1 = ring.wait %t1 : !x
  %v1 = ring.wait %t2 : !x
  return %k1, %v1 : !x, !x
}

// -----

!x = tensor<1x2x64x16xbf16>
!b = !ring.buffer<1x2x64x16xbf16>
!s = !ring.state<1x2x64x16>

// A block reads what has been overwritten.
func.func @read_later(%q: !x, %k: !x, %v: !x, %s0: !s) -> (!s, !x) {
  %a = ring.buffer : !b
  // expected-note @+1 {{arrived by this transfer}}
  %t1 = ring.start_shift %k into %a by 1 on <0 in 4> : !x into !b
  %k1 = ring.wait %t1 : !x
  // expected-error @+1 {{expects its buffer to be free, but what arrived in it is read later}}
  %t2 = ring.start_shift %v into %a by 1 on <0 in 4> : !x into !b
  // expected-note @+1 {{read here}}
  %s1 = ring.accumulate %q, %k1, %k1 into %s0 : !x, !x, !x -> !s
  %v1 = ring.wait %t2 : !x
  return %s1, %v1 : !s, !x
}

// -----

!x = tensor<1x2x64x16xbf16>
!b = !ring.buffer<1x2x64x16xbf16>

// What is read inside a region is read, too.
func.func @read_in_region(%k: !x, %v: !x, %condition: i1) -> (!x, !x) {
  %a = ring.buffer : !b
  // expected-note @+1 {{arrived by this transfer}}
  %t1 = ring.start_shift %k into %a by 1 on <0 in 4> : !x into !b
  %k1 = ring.wait %t1 : !x
  // expected-error @+1 {{expects its buffer to be free, but what arrived in it is read later}}
  %t2 = ring.start_shift %v into %a by 1 on <0 in 4> : !x into !b
  %r = scf.if %condition -> !x {
    // expected-note @+1 {{read here}}
    scf.yield %k1 : !x
  } else {
    scf.yield %k : !x
  }
  %v1 = ring.wait %t2 : !x
  return %r, %v1 : !x, !x
}

// -----

!x = tensor<1x2x64x16xbf16>
!b = !ring.buffer<1x2x64x16xbf16>

// What is being sent is overwritten.
func.func @still_sent(%k: !x, %v: !x) -> (!x, !x) {
  %a = ring.buffer : !b
  %b = ring.buffer : !b
  // expected-note @+1 {{arrived by this transfer}}
  %t1 = ring.start_shift %k into %a by 1 on <0 in 4> : !x into !b
  %k1 = ring.wait %t1 : !x
  // expected-note @+1 {{sent here}}
  %t2 = ring.start_shift %k1 into %b by 1 on <0 in 4> : !x into !b
  // expected-error @+1 {{expects its buffer to be free, but what arrived in it is still being sent}}
  %t3 = ring.start_shift %v into %a by 1 on <0 in 4> : !x into !b
  %k2 = ring.wait %t2 : !x
  %v1 = ring.wait %t3 : !x
  return %k2, %v1 : !x, !x
}

// -----

!x = tensor<1x2x64x16xbf16>
!b = !ring.buffer<1x2x64x16xbf16>

// A transfer overwrites what it sends itself.
func.func @in_place(%k: !x) -> !x {
  %a = ring.buffer : !b
  %t1 = ring.start_shift %k into %a by 1 on <0 in 4> : !x into !b
  %k1 = ring.wait %t1 : !x
  // expected-error @+1 {{expects to write to another buffer than it sends from}}
  %t2 = ring.start_shift %k1 into %a by 1 on <0 in 4> : !x into !b
  %k2 = ring.wait %t2 : !x
  return %k2 : !x
}

// -----

!x = tensor<1x2x64x16xbf16>
!b = !ring.buffer<1x2x64x16xbf16>

// Memory that somebody else may use.
func.func @foreign_buffer(%k: !x, %a: !b) -> !x {
  // expected-error @+1 {{expects a buffer that ring.buffer allocates in the same function}}
  %t1 = ring.start_shift %k into %a by 1 on <0 in 4> : !x into !b
  %k1 = ring.wait %t1 : !x
  return %k1 : !x
}

// -----

!x = tensor<1x2x64x16xbf16>
!b = !ring.buffer<1x2x64x16xbf16>

// Memory that is given to somebody else.
func.func @shared_buffer(%k: !x) -> (!x, !b) {
  // expected-error @+1 {{expects only transfers to use it, but got func.return}}
  %a = ring.buffer : !b
  %t1 = ring.start_shift %k into %a by 1 on <0 in 4> : !x into !b
  %k1 = ring.wait %t1 : !x
  // expected-note @+1 {{used here}}
  return %k1, %a : !x, !b
}

// -----

!x = tensor<1x2x64x16xbf16>

// Devices that are numbered in two ways would not find each other.
func.func @two_meshes(%k: !x) -> (!x, !x) {
  // expected-note @+1 {{used here}}
  %k1 = ring.shift %k by 1 on <0 in 8x4> : !x
  // expected-error @+1 {{expects the mesh of #ring.axis<0 in 8x4>, but got #ring.axis<1 in 4x8>}}
  %k2 = ring.shift %k by 1 on <1 in 4x8> : !x
  return %k1, %k2 : !x, !x
}

// -----

!x = tensor<1x2x64x16xbf16>

// A device that takes the other branch leaves its neighbour waiting.
func.func @under_a_branch(%k: !x, %condition: i1) -> !x {
  // expected-note @+1 {{of scf.if, which a device may skip or repeat}}
  %r = scf.if %condition -> !x {
    // expected-error @+1 {{expects every device to come past this transfer, but it is in a region}}
    %k1 = ring.shift %k by 1 on <0 in 4> : !x
    scf.yield %k1 : !x
  } else {
    scf.yield %k : !x
  }
  return %r : !x
}

// -----

!x = tensor<1x2x64x16xbf16>

func.func @between_blocks(%k: !x, %condition: i1) -> !x {
  cf.cond_br %condition, ^one, ^two(%k : !x)
^one:
  // expected-error @+1 {{expects every device to come past this transfer, but it is in a function with branches}}
  %k1 = ring.shift %k by 1 on <0 in 4> : !x
  cf.br ^two(%k1 : !x)
^two(%r: !x):
  return %r : !x
}

// -----

!x = tensor<1x2x64x16xbf16>

// The same through a call of a call.
func.func private @inner(%k: !x) -> !x {
  %k1 = ring.shift %k by 1 on <0 in 4> : !x
  return %k1 : !x
}
func.func private @outer(%k: !x) -> !x {
  %k1 = func.call @inner(%k) : (!x) -> !x
  return %k1 : !x
}
func.func @call_under_a_branch(%k: !x, %condition: i1) -> !x {
  // expected-note @+1 {{of scf.if, which a device may skip or repeat}}
  %r = scf.if %condition -> !x {
    // expected-error @+1 {{expects every device to come past this transfer, but it is in a region}}
    %k1 = func.call @outer(%k) : (!x) -> !x
    scf.yield %k1 : !x
  } else {
    scf.yield %k : !x
  }
  return %r : !x
}
