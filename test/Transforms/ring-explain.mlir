// SPDX-License-Identifier: Apache-2.0
// The table of candidates, and that showing it changes nothing.

// RUN: ring-opt %s --ring-explain -o /dev/null | FileCheck %s --check-prefix=TABLE
// RUN: ring-opt %s --ring-explain | FileCheck %s --check-prefix=SAME
// RUN: ring-opt %s --ring-explain="machine=quiet-box strategy=ring" -o /dev/null | FileCheck %s --check-prefix=ASKED
// RUN: not ring-opt %s --ring-explain="machine=nowhere" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not ring-opt %s --ring-explain="machine=n300" 2>&1 | FileCheck %s --check-prefix=MESH
// RUN: ring-opt %s --ring-explain="machine=t3000" -o /dev/null | FileCheck %s --check-prefix=PART
// RUN: not ring-opt %s --ring-explain="machine=help" 2>&1 | FileCheck %s --check-prefix=HELP
// RUN: ring-run %s --explain=quiet-box | FileCheck %s --check-prefix=TABLE

// UNKNOWN: expects a machine of {{.*}} or the path of a machine file, but got 'nowhere'
// MESH: cannot be planned: expects at most the 2 chips of 1x2 for machine 'n300', but got 2x2

// HELP: expects a machine of these, or the path of a machine file:
// HELP: {{^ *t3000 +8 +2x4, lines +eight Wormhole chips}}
// A part of a machine says which.
// PART: @causal: {{.*}} on t3000, 2x2 (the first 2 x 2 chips, a line and a line):

// Of the strategy that is asked for there are plans, and of no other.
// ASKED-LABEL: @causal: {{.*}} on quiet-box, 2x2:
// ASKED-NEXT:  candidate
// ASKED-NEXT:  {{^ *(zigzag |striped )?ring, }}
// ASKED-NOT:   {{_|ulysses|usp|halo|replicate|not possible}}
// ASKED:       not covered: by
// ASKED-LABEL: @gradients: {{.*}} on quiet-box, 2x2:
// ASKED-NEXT:  candidate
// ASKED-NEXT:  {{^ *ring, }}
// ASKED-NOT:   {{_|ulysses|usp|halo|replicate|not possible}}
// ASKED:       not covered: by

!t = tensor<1x8x4096x64xbf16>
!kv = tensor<1x4x4096x64xbf16>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 2x2>]>} {
  // TABLE-LABEL: @causal: ring.attention of 8 heads (4 of keys), 4096 x 4096, #ring.causal, on quiet-box, 2x2:
  // TABLE-NEXT: candidate predicted used exposed a device error
  // TABLE-NEXT: q{{[0-9]+}} k{{[0-9]+}} {{[0-9.]+}} {{us|ms}} {{[0-9]+}} % {{[0-9.]+}} {{us|ms}} {{[0-9.]+}} {{KiB|MiB}}
  // TABLE: not possible:
  // TABLE: halo: expects a sliding window
  // TABLE: split_kv: expects every query to attend to every key
  // TABLE: not covered: by any published figure
  // TABLE-NEXT: bound by {{.+}}, without which it would take {{[0-9]+}} % less
  // TABLE-NEXT: to be faster: {{.+}}: {{[0-9.]+}} {{us|ms}}, {{[0-9]+}} % less ({{.*}}q{{[0-9]+}} k{{[0-9]+}})
  // SAME-LABEL: func.func @causal(
  // SAME-NOT: plan(
  func.func @causal(%q: !t, %k: !kv) -> !t {
    %0 = ring.attention %q, %k, %k pattern(#ring.causal) parallel(<sequence = 0, heads = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }

  // Equal attentions are shown once.
  // TABLE-NOT: @again
  func.func @again(%q: !t, %k: !kv) -> !t {
    %0 = ring.attention %q, %k, %k pattern(#ring.causal) parallel(<sequence = 0, heads = 1>) : !t, !kv, !kv -> !t
    return %0 : !t
  }

  // TABLE-LABEL: @gradients: ring.attention_backward
  // TABLE: ulysses: expects ring, all_gather or replicate for gradients, but got ulysses
  func.func @gradients(%q: !t, %lse: tensor<1x8x4096x1xf32>) -> !t {
    %dq, %dk, %dv = ring.attention_backward %q, %q, %lse, %q, %q, %q parallel(<sequence = 0>) : !t, !t, tensor<1x8x4096x1xf32>, !t, !t, !t -> !t, !t, !t
    return %dq : !t
  }
}
