// SPDX-License-Identifier: Apache-2.0
// RUN: ring-opt %s --ring-outline-dilated --verify-diagnostics -o /dev/null

!t = tensor<1x2x16x8xf32>

func.func @padding(%q: !t, %k: !t, %v: !t) -> !t {
  // expected-error @below {{'ring.attention' op cannot be a composite: expects no length, but got 9}}
  %0 = ring.attention %q, %k, %v pattern(#ring.dilated<segments = [4], rates = [1]>) length(9) : !t, !t, !t -> !t
  return %0 : !t
}
