// SPDX-License-Identifier: Apache-2.0
// The ways in which the parts of a decode step become one are plans of their own, and
// one that is asked for is the only one.

// RUN: ring-opt %s --ring-explain="strategy=split_kv" -o /dev/null | FileCheck %s
// RUN: ring-opt %s --ring-explain="strategy=split_kv merge=round" -o /dev/null | FileCheck %s --check-prefix=ASKED

!q = tensor<32x32x1x128xbf16>
!kv = tensor<32x8x8192x128xbf16>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x8>]>} {
  // CHECK: candidate
  // CHECK-DAG: split_kv, merged by a reduce, {{.+}} {{us|ms}}
  // CHECK-DAG: split_kv, merged from a gather, {{.+}} {{us|ms}}
  // CHECK-DAG: split_kv, merged in a tree, {{.+}} {{us|ms}}
  // CHECK-DAG: split_kv, merged round the ring, {{.+}} {{us|ms}}
  // CHECK: bound by
  // ASKED: candidate
  // ASKED-NEXT: split_kv, merged round the ring,
  // Merging takes more than a little, and no figure speaks for it.
  // ASKED-NEXT: not covered: by any published figure
  // ASKED-NEXT: bound by
  func.func @decode(%q: !q, %k: !kv) -> !q {
    %0 = ring.attention %q, %k, %k parallel(<sequence = 1>) : !q, !kv, !kv -> !q
    return %0 : !q
  }
}
