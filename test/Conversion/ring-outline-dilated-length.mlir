// SPDX-License-Identifier: Apache-2.0
// A composite of a padded sequence, and of keys in another order. Rows are listed
// then, of which ring-split-blocks makes masks.

// RUN: ring-opt %s --ring-outline-dilated | FileCheck %s
// RUN: ring-opt %s --ring-outline-dilated --ring-raise | FileCheck %s --check-prefix=AGAIN
// RUN: ring-run %s --function=padded --ring-outline-dilated --ring-shard --ring-split-blocks --convert-ring-to-ttir --check
// RUN: ring-run %s --function=ordered --ring-outline-dilated --ring-shard --ring-split-blocks --convert-ring-to-ttir --check

!t = tensor<1x2x16x8xf32>

// CHECK-LABEL: func.func @padded(
// CHECK:         "ttcore.composite"{{.+}}length = 9 : i64
// AGAIN-LABEL: func.func @padded(
// AGAIN:         ring.attention {{.*}} length(9) parallel(<sequence = 1>)
func.func @padded(%q: !t, %k: !t, %v: !t) -> !t {
  %0 = ring.attention %q, %k, %v pattern(#ring.dilated<segments = [4, 16], rates = [1, 2]>)
      length(9) parallel(<sequence = 1>) : !t, !t, !t -> !t
  return %0 : !t
}

// CHECK-LABEL: func.func @ordered(
// CHECK:         "ttcore.composite"{{.+}}key_order = "hilbert"
// AGAIN-LABEL: func.func @ordered(
// AGAIN:         ring.attention {{.*}}order = hilbert, causal = true
func.func @ordered(%q: !t, %k: !t, %v: !t) -> !t {
  %0 = ring.attention %q, %k, %v pattern(#ring.dilated<segments = [8], rates = [1], order = hilbert, causal = true>)
      parallel(<sequence = 1>) : !t, !t, !t -> !t
  return %0 : !t
}
