// SPDX-License-Identifier: Apache-2.0
// The numbered constraints of the ring dialect's types, each violated
// once or more. The line above a case names its constraint;
// test/Docs/constraints.test checks that none is missing.

// RUN: ring-opt %s -split-input-file -verify-diagnostics

// !ring.state (C1)
// expected-error @+1 {{expects a state to have 4 positive dimensions, but got [1, 8, 64]}}
func.func private @state(!ring.state<1x8x64>)

// -----

// !ring.state (C1)
// expected-error @+1 {{expects a state to have 4 positive dimensions, but got [1, 8, 0, 64]}}
func.func private @state(!ring.state<1x8x0x64>)

// -----

// !ring.buffer (C1)
// expected-error @+1 {{expects a buffer to have positive dimensions, but got [1, 0, 64]}}
func.func private @buffer(!ring.buffer<1x0x64xbf16>)

// -----

// !ring.buffer (C1)
// expected-error @+1 {{expects a buffer to have positive dimensions, but got []}}
func.func private @buffer(!ring.buffer<bf16>)

// -----

// !ring.buffer (C1)
// expected-error @+1 {{expected static shape}}
func.func private @buffer(!ring.buffer<?x64xbf16>)

// -----

// !ring.buffer (C2)
// expected-error @+1 {{expects a buffer of tensor elements, but got 'tuple<i32>'}}
func.func private @buffer(!ring.buffer<4xtuple<i32>>)
