// SPDX-License-Identifier: Apache-2.0
// Blocks lose their positions: what is left is the same on every device, but for
// what ring.select picks by rank.

// RUN: ring-opt %s --ring-split-blocks --canonicalize --cse | FileCheck %s --implicit-check-not="block(" --implicit-check-not="length("

!q = tensor<1x4x64x32xbf16>
!k = tensor<1x2x64x32xbf16>
!all = tensor<1x2x256x32xbf16>
!o = tensor<1x4x64x32xf32>
!l = tensor<1x4x64x1xf32>

// Two quarters: one chosen by rank, and late queries against early keys. The
// keys come from the rank before, which for rank 0 is the last one.
// CHECK-LABEL: func.func @zigzag_step(
// CHECK-SAME:      %[[Q:[a-z0-9]+]]: {{[^,]+}}, %[[K:[a-z0-9]+]]: {{[^,]+}}, %[[V:[a-z0-9]+]]:
// CHECK-DAG:     %[[QE:.+]] = "ttir.slice_static"(%[[Q]]) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32]
// CHECK-DAG:     %[[QL:.+]] = "ttir.slice_static"(%[[Q]]) <{begins = [0 : i32, 0 : i32, 32 : i32, 0 : i32]
// CHECK:         %[[QS:.+]] = ring.select %[[QL]], %[[QE]] where [true, false, false, false] on <1 in 1x4>
// CHECK-DAG:     %[[KE:.+]] = "ttir.slice_static"(%[[K]]) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32]
// CHECK-DAG:     %[[KL:.+]] = "ttir.slice_static"(%[[K]]) <{begins = [0 : i32, 0 : i32, 32 : i32, 0 : i32]
// CHECK:         %[[KS:.+]] = ring.select %[[KL]], %[[KE]] where [true, false, false, false] on <1 in 1x4>
// CHECK-DAG:     %[[VE:.+]] = "ttir.slice_static"(%[[V]]) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32]
// CHECK-DAG:     %[[VL:.+]] = "ttir.slice_static"(%[[V]]) <{begins = [0 : i32, 0 : i32, 32 : i32, 0 : i32]
// CHECK:         %[[VS:.+]] = ring.select %[[VL]], %[[VE]] where [true, false, false, false] on <1 in 1x4>
// CHECK:         %[[SO:.+]], %[[SL:.+]] = ring.partial %[[QS]], %[[KS]], %[[VS]] : tensor<1x4x32x32xbf16>
// CHECK:         %[[EO:.+]], %[[EL:.+]] = ring.empty
// CHECK:         %[[EARLY:.+]] = ring.select %[[SO]], %[[EO]] where [false, true, true, true]
// CHECK:         %[[EARLYLSE:.+]] = ring.select %[[SL]], %[[EL]] where [false, true, true, true]
// CHECK:         %[[LATE:.+]] = ring.select %[[SO]], %[[EO]] where [true, false, false, false]
// CHECK:         %[[LATELSE:.+]] = ring.select %[[SL]], %[[EL]] where [true, false, false, false]
// CHECK:         %[[WO:.+]], %[[WL:.+]] = ring.partial %[[QL]], %[[KE]], %[[VE]] : tensor<1x4x32x32xbf16>
// CHECK:         %[[MO:.+]], %[[ML:.+]] = ring.merge %[[LATE]], %[[LATELSE]] with %[[WO]], %[[WL]]
// CHECK:         %[[OUT:.+]] = "ttir.concat"(%[[EARLY]], %[[MO]]) <{dim = 2 : si32}>
// CHECK:         %[[LSE:.+]] = "ttir.concat"(%[[EARLYLSE]], %[[ML]]) <{dim = 2 : si32}>
// CHECK:         return %[[OUT]], %[[LSE]]
func.func @zigzag_step(%q: !q, %k: !k, %v: !k) -> (!o, !l) {
  %o, %l = ring.partial %q, %k, %v pattern(#ring.causal)
      block(<queries = <zigzag, 256 over 4>, keys = <zigzag, 256 over 4>, source = -1, axis = <1 in 1x4>>) : !q, !k, !k -> !o, !l
  return %o, %l : !o, !l
}

// Two triangles and one whole quarter, the same on every rank.
// CHECK-LABEL: func.func @zigzag_own(
// CHECK-NOT:     ring.select
// CHECK:         ring.partial {{.*}} pattern(#ring.causal) :
// CHECK-NOT:     ring.select
// CHECK:         ring.partial %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} :
// CHECK-NOT:     ring.select
// CHECK:         ring.partial {{.*}} pattern(#ring.causal) :
// CHECK-NOT:     ring.partial
// CHECK:         return
func.func @zigzag_own(%q: !q, %k: !k, %v: !k) -> (!o, !l) {
  %o, %l = ring.partial %q, %k, %v pattern(#ring.causal)
      block(<queries = <zigzag, 256 over 4>, keys = <zigzag, 256 over 4>, axis = <1 in 1x4>>) : !q, !k, !k -> !o, !l
  return %o, %l : !o, !l
}

// Keys from two ranks before: whole from rank 2 on, nothing before.
// CHECK-LABEL: func.func @contiguous_step(
// CHECK-SAME:      %[[Q:[a-z0-9]+]]: {{[^,]+}}, %[[K:[a-z0-9]+]]: {{[^,]+}}, %[[V:[a-z0-9]+]]:
// CHECK-NEXT:    %[[O:.+]], %[[L:.+]] = ring.partial %[[Q]], %[[K]], %[[V]] :
// CHECK-NEXT:    %[[EO:.+]], %[[EL:.+]] = ring.empty
// CHECK-NEXT:    %[[OUT:.+]] = ring.select %[[O]], %[[EO]] where [false, false, true, true]
// CHECK-NEXT:    %[[LSE:.+]] = ring.select %[[L]], %[[EL]] where [false, false, true, true]
// CHECK-NEXT:    return %[[OUT]], %[[LSE]]
func.func @contiguous_step(%q: !q, %k: !k, %v: !k) -> (!o, !l) {
  %o, %l = ring.partial %q, %k, %v pattern(#ring.causal)
      block(<queries = <contiguous, 256 over 4>, keys = <contiguous, 256 over 4>, source = -2, axis = <1 in 1x4>>) : !q, !k, !k -> !o, !l
  return %o, %l : !o, !l
}

// Row a reaches back to position a - 20, which is key 64 + a - 20 of the rank
// before: the first tile of queries sees the last tile of keys, from which 32
// keys are left: b >= a + 44 - 32.
// CHECK-LABEL: func.func @window_step(
// CHECK-SAME:      %[[Q:[a-z0-9]+]]: {{[^,]+}}, %[[K:[a-z0-9]+]]: {{[^,]+}}, %[[V:[a-z0-9]+]]:
// CHECK:         %[[FIRST:.+]] = "ttir.slice_static"(%[[Q]]){{.*}} -> tensor<1x4x32x32xbf16>
// CHECK:         %[[LAST:.+]] = "ttir.slice_static"(%[[K]]) <{begins = [0 : i32, 0 : i32, 32 : i32, 0 : i32]
// CHECK:         ring.partial %[[FIRST]], %[[LAST]], %{{.+}} pattern(#ring.window<before = -12, after = 31>) :
// CHECK:         ring.select {{.*}} where [false, true, true, true]
func.func @window_step(%q: !q, %k: !k, %v: !k) -> (!o, !l) {
  %o, %l = ring.partial %q, %k, %v pattern(#ring.window<before = 20, after = 0>)
      block(<queries = <contiguous, 256 over 4>, keys = <contiguous, 256 over 4>, source = -1, axis = <1 in 1x4>>) : !q, !k, !k -> !o, !l
  return %o, %l : !o, !l
}

// No rank reaches two ranks back.
// CHECK-LABEL: func.func @out_of_reach(
// CHECK-NEXT:    %[[O:.+]], %[[L:.+]] = ring.empty
// CHECK-NEXT:    return %[[O]], %[[L]]
func.func @out_of_reach(%q: !q, %k: !k, %v: !k) -> (!o, !l) {
  %o, %l = ring.partial %q, %k, %v pattern(#ring.window<before = 20, after = 0>)
      block(<queries = <contiguous, 256 over 4>, keys = <contiguous, 256 over 4>, source = -2, axis = <1 in 1x4>>) : !q, !k, !k -> !o, !l
  return %o, %l : !o, !l
}

// A triangle on every rank; on rank 0, whose keys are of the last one, without
// the diagonal. One computation, with the bound from a table.
// CHECK-LABEL: func.func @striped_step(
// CHECK-SAME:      %[[Q:[a-z0-9]+]]: {{[^,]+}}, %[[K:[a-z0-9]+]]: {{[^,]+}}, %[[V:[a-z0-9]+]]:
// CHECK:         %[[TABLE:.+]] = "ttir.constant"() <{value = dense<{{\[\[\[\[}}-1.000000e+00]]], {{\[\[\[}}0.000000e+00]]], {{\[\[\[}}0.000000e+00]]], {{\[\[\[}}0.000000e+00]]]]> : tensor<4x1x1x1xf32>
// CHECK:         %[[AFTER:.+]] = ring.shard %[[TABLE]] as <[1, _, _, _] in 1x4> replicated
// CHECK:         %[[KEEP:.+]] = "ttir.le"
// CHECK-DAG:     %[[ZERO:.+]] = "ttir.full"() <{fill_value = 0.000000e+00 : f32, shape = array<i32: 1, 1, 64, 64>}>
// CHECK-DAG:     %[[INF:.+]] = "ttir.full"() <{fill_value = 0xFF800000 : f32, shape = array<i32: 1, 1, 64, 64>}>
// CHECK:         %[[MASK:.+]] = "ttir.where"(%[[KEEP]], %[[ZERO]], %[[INF]])
// CHECK:         ring.partial %[[Q]], %[[K]], %[[V]] mask(%[[MASK]] : tensor<1x1x64x64xf32>) :
// CHECK-NOT:     ring.partial
// CHECK:         return
func.func @striped_step(%q: !q, %k: !k, %v: !k) -> (!o, !l) {
  %o, %l = ring.partial %q, %k, %v pattern(#ring.causal)
      block(<queries = <striped, 256 over 4>, keys = <striped, 256 over 4>, source = -1, axis = <1 in 1x4>>) : !q, !k, !k -> !o, !l
  return %o, %l : !o, !l
}

// 200 real keys: rank 3 holds 8 of them, and its keys are on rank 0.
// CHECK-LABEL: func.func @padding(
// CHECK:         dense<{{\[\[\[\[}}8.000000e+00]]], {{\[\[\[}}6.400000e+01]]], {{\[\[\[}}6.400000e+01]]], {{\[\[\[}}6.400000e+01]]]]> : tensor<4x1x1x1xf32>
// CHECK:         ring.partial {{.*}} mask({{.*}} : tensor<1x1x1x64xf32>) :
// CHECK-NOT:     ring.select
// CHECK:         return
func.func @padding(%q: !q, %k: !k, %v: !k) -> (!o, !l) {
  %o, %l = ring.partial %q, %k, %v length(200)
      block(<keys = <contiguous, 256 over 4>, source = -1, axis = <1 in 1x4>>) : !q, !k, !k -> !o, !l
  return %o, %l : !o, !l
}

// 150 real keys: rank 3 has none, so that what rank 0 computes does not count.
// CHECK-LABEL: func.func @only_padding(
// CHECK:         dense<{{\[\[\[\[}}6.400000e+01]]], {{\[\[\[}}6.400000e+01]]], {{\[\[\[}}6.400000e+01]]], {{\[\[\[}}2.200000e+01]]]]> : tensor<4x1x1x1xf32>
// CHECK:         ring.select {{.*}} where [false, true, true, true]
func.func @only_padding(%q: !q, %k: !k, %v: !k) -> (!o, !l) {
  %o, %l = ring.partial %q, %k, %v length(150)
      block(<keys = <contiguous, 256 over 4>, source = -1, axis = <1 in 1x4>>) : !q, !k, !k -> !o, !l
  return %o, %l : !o, !l
}

// CHECK-LABEL: func.func @no_padding(
// CHECK-SAME:      %[[Q:[a-z0-9]+]]: {{[^,]+}}, %[[K:[a-z0-9]+]]: {{[^,]+}}, %[[V:[a-z0-9]+]]:
// CHECK-NEXT:    %[[O:.+]], %[[L:.+]] = ring.partial %[[Q]], %[[K]], %[[V]] :
// CHECK-NEXT:    return %[[O]], %[[L]]
func.func @no_padding(%q: !q, %k: !k, %v: !k) -> (!o, !l) {
  %o, %l = ring.partial %q, %k, %v length(256)
      block(<keys = <contiguous, 256 over 4>, source = -1, axis = <1 in 1x4>>) : !q, !k, !k -> !o, !l
  return %o, %l : !o, !l
}

// The same on every device, and not square anyway: only the real keys.
// CHECK-LABEL: func.func @few_queries(
// CHECK:         %[[KEYS:.+]] = "ttir.slice_static"{{.*}} -> tensor<1x2x200x32xbf16>
// CHECK:         %[[VALUES:.+]] = "ttir.slice_static"{{.*}} -> tensor<1x2x200x32xbf16>
// CHECK:         ring.partial %{{.+}}, %[[KEYS]], %[[VALUES]] :
func.func @few_queries(%q: tensor<1x4x3x32xbf16>, %k: !all, %v: !all) -> (tensor<1x4x3x32xf32>, tensor<1x4x3x1xf32>) {
  %o, %l = ring.partial %q, %k, %v length(200) : tensor<1x4x3x32xbf16>, !all, !all -> tensor<1x4x3x32xf32>, tensor<1x4x3x1xf32>
  return %o, %l : tensor<1x4x3x32xf32>, tensor<1x4x3x1xf32>
}

// All keys on every device, in square pieces: the triangle that every rank has
// somewhere is one computation, the pieces before it three.
// CHECK-LABEL: func.func @all_keys(
// CHECK:         ring.select {{.*}} where [false, true, false, false]
// CHECK:         ring.select {{.*}} where [false, false, true, false]
// CHECK:         ring.select {{.*}} where [false, false, false, true]
// CHECK:         ring.partial {{.*}} pattern(#ring.causal) :
// CHECK-NOT:     pattern
// CHECK-COUNT-3: ring.partial
// CHECK-NOT:     ring.partial
// CHECK:         return
func.func @all_keys(%q: !q, %k: !all, %v: !all) -> (!o, !l) {
  %o, %l = ring.partial %q, %k, %v pattern(#ring.causal)
      block(<queries = <contiguous, 256 over 4>, keys = <contiguous, 256 over 1>, axis = <1 in 1x4>>) : !q, !all, !all -> !o, !l
  return %o, %l : !o, !l
}

// Coordinates 0, 1, 2, 3 have ranks 0, 0, 1, 1.
// CHECK-LABEL: func.func @sub_ring(
// CHECK:         dense<{{\[\[\[\[}}3.600000e+01]]], {{\[\[\[}}3.600000e+01]]], {{\[\[\[}}6.400000e+01]]], {{\[\[\[}}6.400000e+01]]]]> : tensor<4x1x1x1xf32>
func.func @sub_ring(%q: !q, %k: !k, %v: !k) -> (!o, !l) {
  %o, %l = ring.partial %q, %k, %v length(100)
      block(<keys = <contiguous, 128 over 2>, source = -1, axis = <1 in 1x4, size = 2, stride = 2>>) : !q, !k, !k -> !o, !l
  return %o, %l : !o, !l
}

// The block's own mask goes with its rows and columns.
// CHECK-LABEL: func.func @with_mask(
// CHECK-SAME:      %[[M:[a-z0-9]+]]: tensor<1x1x64x64xf32>
// CHECK-DAG:     %[[LEFT:.+]] = "ttir.slice_static"(%[[M]]) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 1 : i32, 64 : i32, 32 : i32]
// CHECK-DAG:     %[[EARLY:.+]] = "ttir.slice_static"(%[[LEFT]]) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32]
// CHECK-DAG:     %[[RIGHT:.+]] = "ttir.slice_static"(%[[M]]) <{begins = [0 : i32, 0 : i32, 0 : i32, 32 : i32]
// CHECK-DAG:     %[[LATE:.+]] = "ttir.slice_static"(%[[RIGHT]]) <{begins = [0 : i32, 0 : i32, 32 : i32, 0 : i32]
// CHECK:         %[[MASK:.+]] = ring.select %[[LATE]], %[[EARLY]] where [true, false, false, false]
// CHECK:         ring.partial {{.*}} mask(%[[MASK]] : tensor<1x1x32x32xf32>)
// CHECK:         %[[WHOLE:.+]] = "ttir.slice_static"(%[[LEFT]]) <{begins = [0 : i32, 0 : i32, 32 : i32, 0 : i32]
// CHECK:         ring.partial {{.*}} mask(%[[WHOLE]] : tensor<1x1x32x32xf32>)
func.func @with_mask(%q: !q, %k: !k, %v: !k, %m: tensor<1x1x64x64xf32>) -> (!o, !l) {
  %o, %l = ring.partial %q, %k, %v mask(%m : tensor<1x1x64x64xf32>) pattern(#ring.causal)
      block(<queries = <zigzag, 256 over 4>, keys = <zigzag, 256 over 4>, source = -1, axis = <1 in 1x4>>) : !q, !k, !k -> !o, !l
  return %o, %l : !o, !l
}

// Without a pattern and padding, positions mean nothing.
// CHECK-LABEL: func.func @zigzag_without_pattern(
// CHECK-SAME:      %[[Q:[a-z0-9]+]]: {{[^,]+}}, %[[K:[a-z0-9]+]]: {{[^,]+}}, %[[V:[a-z0-9]+]]:
// CHECK-NEXT:    %[[O:.+]], %[[L:.+]] = ring.partial %[[Q]], %[[K]], %[[V]] :
// CHECK-NEXT:    return %[[O]], %[[L]]
func.func @zigzag_without_pattern(%q: !q, %k: !k, %v: !k) -> (!o, !l) {
  %o, %l = ring.partial %q, %k, %v
      block(<keys = <zigzag, 256 over 4>, source = -1, axis = <1 in 1x4>>) : !q, !k, !k -> !o, !l
  return %o, %l : !o, !l
}

// 48 joint queries behind 64 of the sequence: a square, and a rest against all
// keys.
// CHECK-LABEL: func.func @joint_queries(
// CHECK:         ring.partial {{.*}} : tensor<1x4x64x32xbf16>, tensor<1x2x64x32xbf16>
// CHECK:         ring.partial {{.*}} : tensor<1x4x48x32xbf16>, tensor<1x2x64x32xbf16>
// CHECK-NOT:     ring.partial
func.func @joint_queries(%q: tensor<1x4x112x32xbf16>, %k: !k, %v: !k) -> (tensor<1x4x112x32xf32>, tensor<1x4x112x1xf32>) {
  %o, %l = ring.partial %q, %k, %v
      block(<keys = <contiguous, 256 over 4>, source = -1, axis = <1 in 1x4>>) : tensor<1x4x112x32xbf16>, !k, !k -> tensor<1x4x112x32xf32>, tensor<1x4x112x1xf32>
  return %o, %l : tensor<1x4x112x32xf32>, tensor<1x4x112x1xf32>
}

// 32 of them against 64 keys are two squares more.
// CHECK-LABEL: func.func @tiles_of_joint_queries(
// CHECK:         ring.partial {{.*}} : tensor<1x4x64x32xbf16>, tensor<1x2x64x32xbf16>
// CHECK-COUNT-2: ring.partial {{.*}} : tensor<1x4x32x32xbf16>, tensor<1x2x32x32xbf16>
// CHECK-NOT:     ring.partial
func.func @tiles_of_joint_queries(%q: tensor<1x4x96x32xbf16>, %k: !k, %v: !k) -> (tensor<1x4x96x32xf32>, tensor<1x4x96x1xf32>) {
  %o, %l = ring.partial %q, %k, %v : tensor<1x4x96x32xbf16>, !k, !k -> tensor<1x4x96x32xf32>, tensor<1x4x96x1xf32>
  return %o, %l : tensor<1x4x96x32xf32>, tensor<1x4x96x1xf32>
}

// 32 keys of a halo: the queries that see them, no other.
// CHECK-LABEL: func.func @halo(
// CHECK:         ring.partial {{.*}} pattern(#ring.window<before = -12, after = 31>) : tensor<1x4x32x32xbf16>, tensor<1x2x32x32xbf16>
// CHECK-NOT:     ring.partial
// CHECK:         "ttir.concat"{{.*}} -> tensor<1x4x64x32xf32>
func.func @halo(%q: !q, %k: tensor<1x2x32x32xbf16>, %v: tensor<1x2x32x32xbf16>) -> (!o, !l) {
  %o, %l = ring.partial %q, %k, %v pattern(#ring.window<before = 20, after = 0>)
      block(<queries = <contiguous, 256 over 4>, keys = <contiguous, 256 over 4>, source = -1, first_key = 32, axis = <1 in 1x4>>) : !q, tensor<1x2x32x32xbf16>, tensor<1x2x32x32xbf16> -> !o, !l
  return %o, %l : !o, !l
}

// A window of 20 in 256 rows goes along the diagonal: 8 pieces on it and 7
// beside it, of 64.
// CHECK-LABEL: func.func @narrow_window(
// CHECK-COUNT-15: ring.partial {{.*}} pattern(#ring.window<{{.*}}>) : tensor<1x2x32x32xbf16>
// CHECK-NOT:      ring.partial
func.func @narrow_window(%t: !all) -> tensor<1x2x256x32xf32> {
  %o, %l = ring.partial %t, %t, %t pattern(#ring.window<before = 20, after = 0>) : !all, !all, !all -> tensor<1x2x256x32xf32>, tensor<1x2x256x1xf32>
  return %o : tensor<1x2x256x32xf32>
}
