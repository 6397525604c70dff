// SPDX-License-Identifier: Apache-2.0
// One ring op at a time, in ops that tt-mlir has.

// RUN: ring-opt %s --convert-ring-to-ttir --cse --split-input-file | FileCheck %s --implicit-check-not="ring."
// RUN: ring-opt %s --convert-ring-to-ttir=sdpa-fw-mask=none --split-input-file | FileCheck %s --check-prefix=NONE
// RUN: ring-opt %s --convert-ring-to-ttir=sdpa-fw-types=any --split-input-file | FileCheck %s --check-prefix=ANY

!q = tensor<1x4x64x32xbf16>
!k = tensor<1x2x64x32xbf16>
!o = tensor<1x4x64x32xf32>
!l = tensor<1x4x64x1xf32>

// CHECK-LABEL: func.func @whole_block(
// CHECK-SAME:      %[[Q:[a-z0-9]+]]: {{[^,]+}}, %[[K:[a-z0-9]+]]: {{[^,]+}}, %[[V:[a-z0-9]+]]:
// CHECK:         %[[ONES:.+]] = "ttir.full"() <{fill_value = 1.000000e+00 : f32, shape = array<i32: 1, 1, 64, 64>}> : () -> tensor<1x1x64x64xbf16>
// CHECK:         %[[O:.+]], %[[I:.+]] = "ttir.sdpa_fw"(%[[Q]], %[[K]], %[[V]], %[[ONES]]) <{dropout_probability = 0.000000e+00 : f32, mask_type = #ttcore.attention_mask_type<arbitrary>, return_intermediates = true}>
// CHECK:         %[[LSE:.+]] = "ttir.slice_static"(%[[I]]) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 4 : i32, 64 : i32, 1 : i32]
// CHECK:         %[[OUT:.+]] = "ttir.typecast"(%[[O]])
// CHECK:         %[[MERGED:.+]] = "ttir.maximum"(%[[LSE]],
// NONE-LABEL: func.func @whole_block(
// NONE:         "ttir.sdpa_fw"(%{{[^,]+}}, %{{[^,]+}}, %{{[^,]+}}) <{{.*}}mask_type = #ttcore.attention_mask_type<none>
func.func @whole_block(%q: !q, %k: !k, %v: !k, %l1: !l) -> (!o, !l) {
  %o, %l = ring.partial %q, %k, %v : !q, !k, !k -> !o, !l
  %o2, %l2 = ring.merge %o, %l with %o, %l1 : !o, !l
  return %o2, %l2 : !o, !l
}

// CHECK-LABEL: func.func @triangle(
// CHECK:         "ttir.sdpa_fw"(%{{[^,]+}}, %{{[^,]+}}, %{{[^,]+}}) <{{.*}}mask_type = #ttcore.attention_mask_type<causal>
func.func @triangle(%q: !q, %k: !k, %v: !k) -> (!o, !l) {
  %o, %l = ring.partial %q, %k, %v pattern(#ring.causal) : !q, !k, !k -> !o, !l
  return %o, %l : !o, !l
}

// Nobody asks for the log-sum-exp: TTIR's own attention, where a device has it.
// CHECK-LABEL: func.func @no_lse(
// CHECK:         "ttir.scaled_dot_product_attention"(%{{.*}}) <{is_causal = true, {{.*}}scale = 5.000000e-01 : f32}>
// CHECK:         "ttir.scaled_dot_product_attention"(%{{.*}}) <{is_causal = false,
// CHECK-NOT:     sdpa_fw
func.func @no_lse(%q: !q, %k: !k, %v: !k) -> (!o, !o) {
  %o, %l = ring.partial %q, %k, %v pattern(#ring.causal) scale(5.000000e-01) : !q, !k, !k -> !o, !l
  %o1, %l1 = ring.partial %q, %k, %v : !q, !k, !k -> !o, !l
  return %o, %o1 : !o, !o
}

// A device's attention knows neither f32 nor dims of broken tiles.
// CHECK-LABEL: func.func @no_lse_no_kernel(
// CHECK-NOT:     scaled_dot_product_attention
// CHECK:         return
func.func @no_lse_no_kernel(%q: !o, %k: !o, %v: !o, %p: tensor<1x4x64x40xbf16>) -> (!o, tensor<1x4x64x40xf32>) {
  %o, %l = ring.partial %q, %k, %v : !o, !o, !o -> !o, !l
  %o1, %l1 = ring.partial %p, %p, %p : tensor<1x4x64x40xbf16>, tensor<1x4x64x40xbf16>, tensor<1x4x64x40xbf16> -> tensor<1x4x64x40xf32>, !l
  return %o, %o1 : !o, tensor<1x4x64x40xf32>
}

// The kernel's scale is 1 / sqrt(32); 0.5 * sqrt(32) goes into the queries,
// which are rounded once, after it.
// CHECK-LABEL: func.func @scaled(
// CHECK-SAME:      %[[Q:[a-z0-9]+]]:
// CHECK:         %[[WIDE:.+]] = "ttir.typecast"(%[[Q]]){{.*}} -> tensor<1x4x64x32xf32>
// CHECK:         %[[FACTOR:.+]] = "ttir.full"() <{fill_value = 2.82842{{.*}} -> tensor<1x4x64x32xf32>
// CHECK:         %[[SCALED:.+]] = "ttir.multiply"(%[[WIDE]], %[[FACTOR]])
// CHECK:         %[[ROUNDED:.+]] = "ttir.typecast"(%[[SCALED]]){{.*}} -> tensor<1x4x64x32xbf16>
// CHECK:         "ttir.sdpa_fw"(%[[ROUNDED]],
func.func @scaled(%q: !q, %k: !k, %v: !k) -> (!o, !l) {
  %o, %l = ring.partial %q, %k, %v scale(5.000000e-01) : !q, !k, !k -> !o, !l
  return %o, %l : !o, !l
}

// 2 / sqrt(32) is twice the kernel's scale: exact in bf16.
// CHECK-LABEL: func.func @doubled(
// CHECK-SAME:      %[[Q:[a-z0-9]+]]:
// CHECK:         %[[FACTOR:.+]] = "ttir.full"() <{fill_value = 2.000000e+00 : f32{{.*}} -> tensor<1x4x64x32xbf16>
// CHECK:         %[[SCALED:.+]] = "ttir.multiply"(%[[Q]], %[[FACTOR]])
// CHECK:         "ttir.sdpa_fw"(%[[SCALED]],
func.func @doubled(%q: !q, %k: !k, %v: !k) -> (!o, !l) {
  %o, %l = ring.partial %q, %k, %v scale(0.353553385) : !q, !k, !k -> !o, !l
  return %o, %l : !o, !l
}

// f32 stays exact, unless it may be rounded.
// CHECK-LABEL: func.func @exact(
// CHECK-NOT:     sdpa_fw
// CHECK:         "ttir.matmul"
// ANY-LABEL: func.func @exact(
// ANY-SAME:      %[[Q:[a-z0-9]+]]:
// ANY:         %[[ROUNDED:.+]] = "ttir.typecast"(%[[Q]]){{.*}} -> tensor<1x4x64x32xbf16>
// ANY:         "ttir.sdpa_fw"(%[[ROUNDED]],
func.func @exact(%q: !o, %k: !o, %v: !o) -> (!o, !l) {
  %o, %l = ring.partial %q, %k, %v : !o, !o, !o -> !o, !l
  return %o, %l : !o, !l
}

// Not square, but nearly: filled up to whole tiles, and what was added is
// hidden and cut off again.
// CHECK-LABEL: func.func @more_keys(
// CHECK-SAME:      %[[Q:[a-z0-9]+]]:
// CHECK:         %[[REAL:.+]] = "ttir.lt"{{.*}} -> tensor<1x1x1x96xf32>
// CHECK:         %[[KEEP:.+]] = "ttir.typecast"(%[[REAL]])
// CHECK:         %[[MASK:.+]] = "ttir.broadcast"(%[[KEEP]]){{.*}} -> tensor<1x1x96x96xbf16>
// CHECK:         %[[FILLED:.+]] = "ttir.pad"(%[[Q]]){{.*}} -> tensor<1x4x96x32xbf16>
// CHECK:         %[[O:.+]], %[[I:.+]] = "ttir.sdpa_fw"(%[[FILLED]], %{{[^,]+}}, %{{[^,]+}}, %[[MASK]])
// CHECK:         "ttir.slice_static"(%[[O]]){{.*}} -> tensor<1x4x64x32xbf16>
func.func @more_keys(%q: !q, %k: tensor<1x2x72x32xbf16>, %v: tensor<1x2x72x32xbf16>) -> (!o, !l) {
  %o, %l = ring.partial %q, %k, %v : !q, tensor<1x2x72x32xbf16>, tensor<1x2x72x32xbf16> -> !o, !l
  return %o, %l : !o, !l
}

// Far from square: no kernel, and scores that are few.
// CHECK-LABEL: func.func @few_keys(
// CHECK-NOT:     sdpa_fw
// CHECK:         "ttir.matmul"{{.*}} -> tensor<1x2x128x24xf32>
func.func @few_keys(%q: !q, %k: tensor<1x2x24x32xbf16>, %v: tensor<1x2x24x32xbf16>) -> (!o, !l) {
  %o, %l = ring.partial %q, %k, %v : !q, tensor<1x2x24x32xbf16>, tensor<1x2x24x32xbf16> -> !o, !l
  return %o, %l : !o, !l
}

// Values of fewer columns are filled up.
// CHECK-LABEL: func.func @narrow_values(
// CHECK-SAME:      %[[Q:[a-z0-9]+]]: {{[^,]+}}, %[[K:[a-z0-9]+]]: {{[^,]+}}, %[[V:[a-z0-9]+]]:
// CHECK:         %[[FILLED:.+]] = "ttir.pad"(%[[V]]){{.*}} -> tensor<1x4x64x64xbf16>
// CHECK:         %[[O:.+]], %[[I:.+]] = "ttir.sdpa_fw"(%[[Q]], %[[K]], %[[FILLED]],
// CHECK:         "ttir.slice_static"(%[[O]]){{.*}} -> tensor<1x4x64x48xbf16>
func.func @narrow_values(%q: tensor<1x4x64x64xbf16>, %k: tensor<1x4x64x64xbf16>, %v: tensor<1x4x64x48xbf16>) -> (tensor<1x4x64x48xf32>, !l) {
  %o, %l = ring.partial %q, %k, %v : tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x48xbf16> -> tensor<1x4x64x48xf32>, !l
  return %o, %l : tensor<1x4x64x48xf32>, !l
}

// A dim of 16 filled up to 64 has a fourth of the scale's square: 2 is exact.
// CHECK-LABEL: func.func @narrow_keys(
// CHECK:         "ttir.full"() <{fill_value = 2.000000e+00 : f32
// CHECK:         "ttir.sdpa_fw"
func.func @narrow_keys(%q: tensor<1x4x64x16xbf16>, %k: tensor<1x4x64x16xbf16>, %v: tensor<1x4x64x64xbf16>) -> (tensor<1x4x64x64xf32>, !l) {
  %o, %l = ring.partial %q, %k, %v : tensor<1x4x64x16xbf16>, tensor<1x4x64x16xbf16>, tensor<1x4x64x64xbf16> -> tensor<1x4x64x64xf32>, !l
  return %o, %l : tensor<1x4x64x64xf32>, !l
}

// 40 filled up to 64 would round the queries: no kernel.
// CHECK-LABEL: func.func @odd_dim(
// CHECK-NOT:     sdpa_fw
// CHECK:         "ttir.matmul"
func.func @odd_dim(%q: tensor<1x4x64x40xbf16>, %k: tensor<1x4x64x40xbf16>, %v: tensor<1x4x64x40xbf16>) -> (tensor<1x4x64x40xf32>, !l) {
  %o, %l = ring.partial %q, %k, %v : tensor<1x4x64x40xbf16>, tensor<1x4x64x40xbf16>, tensor<1x4x64x40xbf16> -> tensor<1x4x64x40xf32>, !l
  return %o, %l : tensor<1x4x64x40xf32>, !l
}

// A window is a mask of ones and zeros: b <= a and b >= a - 10.
// CHECK-LABEL: func.func @window(
// CHECK:         %[[UP:.+]] = "ttir.le"
// CHECK:         "ttir.arange"() <{arange_dimension = 2 : i64, end = 54 : si64, start = -10 : si64
// CHECK:         %[[DOWN:.+]] = "ttir.ge"
// CHECK:         %[[BOTH:.+]] = "ttir.multiply"(%[[UP]], %[[DOWN]])
// CHECK:         %[[MASK:.+]] = "ttir.typecast"(%[[BOTH]]){{.*}} -> tensor<1x1x64x64xbf16>
// CHECK:         "ttir.sdpa_fw"(%{{[^,]+}}, %{{[^,]+}}, %{{[^,]+}}, %[[MASK]])
func.func @window(%q: !q, %k: !k, %v: !k) -> !o {
  %o, %l = ring.partial %q, %k, %v pattern(#ring.window<before = 10, after = 0>) : !q, !k, !k -> !o, !l
  return %o : !o
}

// A mask of 0 and -inf is what it was made from.
// CHECK-LABEL: func.func @keep_mask(
// CHECK-SAME:      %[[KEEP:[a-z0-9]+]]: tensor<1x1x1x64xf32>
// CHECK-NOT:     "ttir.where"
// CHECK:         %[[NARROW:.+]] = "ttir.typecast"(%[[KEEP]])
// CHECK:         %[[MASK:.+]] = "ttir.broadcast"(%[[NARROW]])
// CHECK:         %[[O:.+]], %[[I:.+]] = "ttir.sdpa_fw"(%{{[^,]+}}, %{{[^,]+}}, %{{[^,]+}}, %[[MASK]])
// A row of which nothing is kept has a very low log-sum-exp: its output is 0.
// CHECK:         %[[LSE:.+]] = "ttir.slice_static"(%[[I]])
// CHECK:         %[[EMPTY:.+]] = "ttir.lt"(%[[LSE]],
// CHECK:         %[[ROWS:.+]] = "ttir.broadcast"
// CHECK:         "ttir.where"(%[[ROWS]], %{{[^,]+}}, %[[O]])
func.func @keep_mask(%q: !q, %k: !k, %v: !k, %keep: tensor<1x1x1x64xf32>) -> !o {
  %zero = "ttir.full"() <{shape = array<i32: 1, 1, 1, 64>, fill_value = 0.0 : f32}> : () -> tensor<1x1x1x64xf32>
  %inf = "ttir.full"() <{shape = array<i32: 1, 1, 1, 64>, fill_value = 0xFF800000 : f32}> : () -> tensor<1x1x1x64xf32>
  %mask = "ttir.where"(%keep, %zero, %inf) : (tensor<1x1x1x64xf32>, tensor<1x1x1x64xf32>, tensor<1x1x1x64xf32>) -> tensor<1x1x1x64xf32>
  %o, %l = ring.partial %q, %k, %v mask(%mask : tensor<1x1x1x64xf32>) : !q, !k, !k -> !o, !l
  return %o : !o
}

// Any other mask is added to scores, and rows without keys are guarded. Two
// query heads share a key head: 2 * 64 rows against it.
// CHECK-LABEL: func.func @added_mask(
// CHECK-NOT:     sdpa_fw
// CHECK:         "ttir.reshape"{{.*}} -> tensor<1x2x128x32xf32>
// CHECK:         %[[SCORES:.+]] = "ttir.matmul"{{.*}} transpose_b = true{{.*}} -> tensor<1x2x128x64xf32>
// CHECK:         %[[MASKED:.+]] = "ttir.add"
// CHECK:         %[[MAX:.+]] = "ttir.max"(%[[MASKED]])
// CHECK:         %[[LOWEST:.+]] = "ttir.full"() <{fill_value = -1.000000e+30 : f32
// CHECK:         %[[SAFE:.+]] = "ttir.maximum"(%[[MAX]], %[[LOWEST]])
// CHECK:         %[[WEIGHTS:.+]] = "ttir.exp"
// CHECK:         %[[SUM:.+]] = "ttir.sum"(%[[WEIGHTS]])
// CHECK:         %[[EMPTY:.+]] = "ttir.eq"(%[[SUM]],
// CHECK:         %[[DIVISOR:.+]] = "ttir.where"(%[[EMPTY]],
// CHECK:         "ttir.matmul"
// CHECK:         "ttir.div"
// CHECK:         "ttir.log"(%[[DIVISOR]])
func.func @added_mask(%q: !q, %k: !k, %v: !k, %mask: tensor<1x1x64x64xbf16>) -> (!o, !l) {
  %o, %l = ring.partial %q, %k, %v mask(%mask : tensor<1x1x64x64xbf16>) : !q, !k, !k -> !o, !l
  return %o, %l : !o, !l
}

// CHECK-LABEL: func.func @merge(
// CHECK-SAME:      %[[O0:[a-z0-9]+]]: {{[^,]+}}, %[[L0:[a-z0-9]+]]: {{[^,]+}}, %[[O1:[a-z0-9]+]]: {{[^,]+}}, %[[L1:[a-z0-9]+]]:
// What comes from outside may be -inf.
// CHECK:         %[[LOWEST:.+]] = "ttir.full"() <{fill_value = -1.000000e+30 : f32
// CHECK:         %[[F0:.+]] = "ttir.maximum"(%[[L0]], %[[LOWEST]])
// CHECK:         %[[F1:.+]] = "ttir.maximum"(%[[L1]], %[[LOWEST]])
// CHECK:         %[[D:.+]] = "ttir.subtract"(%[[F1]], %[[F0]])
// CHECK:         %[[S:.+]] = "ttir.sigmoid"(%[[D]])
// CHECK:         %[[W:.+]] = "ttir.broadcast"(%[[S]])
// CHECK:         %[[DIFF:.+]] = "ttir.subtract"(%[[O1]], %[[O0]])
// CHECK:         %[[UPDATE:.+]] = "ttir.multiply"(%[[W]], %[[DIFF]])
// CHECK:         %[[OUT:.+]] = "ttir.add"(%[[O0]], %[[UPDATE]])
// CHECK:         %[[M:.+]] = "ttir.maximum"(%[[F0]], %[[F1]])
// Who asks for the log-sum-exp gets -inf where there are no keys.
// CHECK:         %[[INF:.+]] = "ttir.full"() <{fill_value = 0xFF800000 : f32
// CHECK:         %[[LSE:.+]] = "ttir.where"(%{{[^,]+}}, %[[INF]], %{{.+}})
// CHECK:         return %[[OUT]], %[[LSE]]
func.func @merge(%o0: !o, %l0: !l, %o1: !o, %l1: !l) -> (!o, !l) {
  %o, %l = ring.merge %o0, %l0 with %o1, %l1 : !o, !l
  return %o, %l : !o, !l
}

// CHECK-LABEL: func.func @sink(
// CHECK-SAME:      %[[SINK:[a-z0-9]+]]: tensor<1x4x1x1xbf16>
// CHECK:         %[[F32:.+]] = "ttir.typecast"(%[[SINK]])
// CHECK:         "ttir.broadcast"(%[[F32]]) <{broadcast_dimensions = array<i64: 1, 1, 64, 1>}>
// CHECK:         "ttir.full"() <{fill_value = 0.000000e+00 : f32, shape = array<i32: 1, 4, 64, 32>}>
func.func @sink(%sink: tensor<1x4x1x1xbf16>) -> (!o, !l) {
  %o, %l = ring.empty sink(%sink : tensor<1x4x1x1xbf16>) : !o, !l
  return %o, %l : !o, !l
}

// -----

!k = tensor<1x2x64x32xbf16>

// K and V travel as one, on both rings of the mesh.
// CHECK: module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 2x3>]>}
// CHECK-LABEL: func.func @shift(
// CHECK-SAME:      %[[K:[a-z0-9]+]]: {{[^,]+}}, %[[V:[a-z0-9]+]]:
// CHECK:         %[[KV:.+]] = "ttir.concat"(%[[K]], %[[V]]) <{dim = 2 : si32}>
// CHECK:         %[[MOVED:.+]] = "ttir.collective_permute"(%[[KV]])
// CHECK-SAME:        dense<{{\[\[}}0, 1], [1, 2], [2, 0], [3, 4], [4, 5], [5, 3]]> : tensor<6x2xi64>
// CHECK-DAG:     %[[K1:.+]] = "ttir.slice_static"(%[[MOVED]]) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32]
// CHECK-DAG:     %[[V1:.+]] = "ttir.slice_static"(%[[MOVED]]) <{begins = [0 : i32, 0 : i32, 64 : i32, 0 : i32]
// CHECK:         return %[[K1]], %[[V1]]
func.func @shift(%k: !k, %v: !k) -> (!k, !k) {
  %0:2 = ring.shift %k, %v by 1 on <1 in 2x3> : !k, !k
  return %0#0, %0#1 : !k, !k
}

// CHECK-LABEL: func.func @gather(
// CHECK-SAME:      %[[K:[a-z0-9]+]]:
// CHECK:         %[[LAST:.+]] = "ttir.slice_static"(%[[K]]) <{begins = [0 : i32, 0 : i32, 56 : i32, 0 : i32]
// CHECK:         %[[BEFORE:.+]] = "ttir.collective_permute"(%[[LAST]])
// CHECK-SAME:        dense<{{\[\[}}0, 3], [1, 4], [2, 5], [3, 0], [4, 1], [5, 2]]>
// CHECK:         "ttir.concat"(%[[BEFORE]], %[[K]])
func.func @gather(%k: !k) -> tensor<1x2x72x32xbf16> {
  %0 = ring.gather %k dim 2 parts [<source = -1, offset = 56, size = 8>, <source = 0, size = 64>] on <0 in 2x3>
      : !k -> tensor<1x2x72x32xbf16>
  return %0 : tensor<1x2x72x32xbf16>
}

// CHECK-LABEL: func.func @all_gather(
// CHECK:         "ttir.all_gather"(%{{.+}}) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}>
func.func @all_gather(%k: !k) -> tensor<1x2x192x32xbf16> {
  %0 = ring.all_gather %k dim 2 on <1 in 2x3> : !k -> tensor<1x2x192x32xbf16>
  return %0 : tensor<1x2x192x32xbf16>
}

// CHECK-LABEL: func.func @all_to_all(
// CHECK:         "ttir.all_to_all"(%{{.+}}) <{concat_dim = 2 : si32, replica_groups = dense<{{\[\[}}0, 3], [1, 4], [2, 5]]> : tensor<3x2xi64>, split_count = 2 : si32, split_dim = 1 : si32}>
func.func @all_to_all(%k: !k) -> tensor<1x1x128x32xbf16> {
  %0 = ring.all_to_all %k split 1 concat 2 on <0 in 2x3> : !k -> tensor<1x1x128x32xbf16>
  return %0 : tensor<1x1x128x32xbf16>
}

// CHECK-LABEL: func.func @select(
// CHECK-SAME:      %[[A:[a-z0-9]+]]: {{[^,]+}}, %[[B:[a-z0-9]+]]:
// CHECK:         %[[FLAGS:.+]] = "ttir.constant"() <{value = dense<{{\[\[\[\[}}0.000000e+00]]], {{\[\[\[}}1.000000e+00]]], {{\[\[\[}}1.000000e+00]]]]> : tensor<3x1x1x1xbf16>}>
// CHECK:         %[[FLAG:.+]] = "ttir.mesh_partition"(%[[FLAGS]]) <{cluster_axis = 1 : ui32, dim = 0 : si32}>
// CHECK:         %[[SPREAD:.+]] = "ttir.broadcast"(%[[FLAG]]) <{broadcast_dimensions = array<i64: 1, 2, 64, 32>}>
// CHECK:         "ttir.where"(%[[SPREAD]], %[[A]], %[[B]])
func.func @select(%a: !k, %b: !k) -> !k {
  %0 = ring.select %a, %b where [false, true, true] on <1 in 2x3> : !k
  return %0 : !k
}

// The table has four dimensions whatever is chosen: its first is in no tiles.
// Block floats are chosen as bf16.
// CHECK-LABEL: func.func @select_matrices(
// CHECK:         %[[FLAG:.+]] = "ttir.mesh_partition"(%{{.+}}) <{cluster_axis = 1 : ui32, dim = 0 : si32}> : (tensor<3x1x1x1xbf16>) -> tensor<1x1x1x1xbf16>
// CHECK:         %[[OWN:.+]] = "ttir.reshape"(%[[FLAG]]) <{shape = [1 : i32, 1 : i32]}>
// CHECK:         %[[SPREAD:.+]] = "ttir.broadcast"(%[[OWN]])
// CHECK:         %[[CHOSEN:.+]] = "ttir.where"(%[[SPREAD]], %{{.+}}, %{{.+}}){{.*}} -> tensor<64x32xbf16>
// CHECK:         "ttir.typecast"(%[[CHOSEN]]){{.*}} -> tensor<64x32x!ttcore.tile<32x32, bfp_bf8>>
func.func @select_matrices(%a: tensor<64x32x!ttcore.tile<32x32, bfp_bf8>>, %b: tensor<64x32x!ttcore.tile<32x32, bfp_bf8>>) -> tensor<64x32x!ttcore.tile<32x32, bfp_bf8>> {
  %0 = ring.select %a, %b where [false, true, true] on <1 in 2x3> : tensor<64x32x!ttcore.tile<32x32, bfp_bf8>>
  return %0 : tensor<64x32x!ttcore.tile<32x32, bfp_bf8>>
}

// Who is not reached keeps what it has, and the chain is closed on its line.
// CHECK-LABEL: func.func @chain(
// CHECK:         "ttir.collective_permute"{{.*}} dense<{{\[\[}}0, 0], [1, 2], [2, 1], [3, 3], [4, 5], [5, 4]]>
func.func @chain(%k: !k) -> !k {
  %0 = ring.shift %k by 1 on <1 in 2x3> reaching 2 : !k
  return %0 : !k
}

// -----

!half = tensor<1x2x64x32xbf16>

// A sub-ring has no cluster axis: what came from each rank takes its place.
// CHECK-LABEL: func.func @sub_ring(
// CHECK-SAME:      %[[X:[a-z0-9]+]]:
// CHECK:         %[[OTHER:.+]] = "ttir.collective_permute"(%[[X]])
// CHECK-SAME:        dense<{{\[\[}}0, 2], [1, 3], [2, 0], [3, 1]]>
// CHECK:         %[[FIRST:.+]] = "ttir.where"(%[[RANK1:.+]], %[[OTHER]], %[[X]])
// CHECK:         %[[SECOND:.+]] = "ttir.where"(%[[RANK1]], %[[X]], %[[OTHER]])
// CHECK:         "ttir.concat"(%[[FIRST]], %[[SECOND]])
func.func @sub_ring(%x: !half) -> tensor<1x2x128x32xbf16> {
  %0 = ring.all_gather %x dim 2 on <1 in 1x4, size = 2, stride = 2> : !half -> tensor<1x2x128x32xbf16>
  return %0 : tensor<1x2x128x32xbf16>
}

// Chunks 0 2 4 6 of 8 go to ranks 0 2 3 1, chunks 1 3 5 7 to 1 3 2 0.
// CHECK-LABEL: func.func @balance(
// CHECK:         %[[EVEN:.+]] = "ttir.collective_permute"{{.*}} dense<{{\[\[}}0, 0], [1, 2], [2, 3], [3, 1]]>{{.*}} -> tensor<1x2x32x32xbf16>
// CHECK:         %[[ODD:.+]] = "ttir.collective_permute"{{.*}} dense<{{\[\[}}0, 1], [1, 3], [2, 2], [3, 0]]>{{.*}} -> tensor<1x2x32x32xbf16>
// CHECK:         %[[EARLY:.+]] = "ttir.where"(%[[FLAG:.+]], %[[EVEN]], %[[ODD]])
// CHECK:         %[[LATE:.+]] = "ttir.where"(%[[FLAG]], %[[ODD]], %[[EVEN]])
// CHECK:         "ttir.concat"(%[[EARLY]], %[[LATE]])
func.func @balance(%x: !half) -> !half {
  %0 = ring.relayout %x dim 2 from <contiguous, 256 over 4> to <zigzag, 256 over 4> on <1 in 1x4> : !half
  return %0 : !half
}

// CHECK-LABEL: func.func @stripe(
// CHECK-NOT:     all_gather
// CHECK:         "ttir.all_to_all"
// CHECK-NOT:     all_gather
func.func @stripe(%x: !half) -> !half {
  %0 = ring.relayout %x dim 2 from <contiguous, 256 over 4> to <striped, 256 over 4> on <1 in 1x4> : !half
  return %0 : !half
}

// -----

// The host's tensor is split as it lies.
// CHECK-LABEL: func.func @shard(
// CHECK-SAME:      %[[X:[a-z0-9]+]]:
// CHECK-NEXT:    "ttir.mesh_shard"(%[[X]]) <{shard_dims = array<i64: 1, 2>, shard_direction = #ttcore.shard_direction<full_to_shard>, shard_shape = array<i64: 1, 4, 2, 1>, shard_type = #ttcore.shard_type<devices>}> : (tensor<1x8x128x64xbf16>) -> tensor<1x2x64x64xbf16>
func.func @shard(%x: tensor<1x8x128x64xbf16>) -> tensor<1x2x64x64xbf16> {
  %0 = ring.shard %x as <[_, 0, 1, _] in 4x2, sequence = 2 as <contiguous, 128 over 2>> : tensor<1x8x128x64xbf16> -> tensor<1x2x64x64xbf16>
  return %0 : tensor<1x2x64x64xbf16>
}

// CHECK-LABEL: func.func @unshard(
// CHECK:         %[[WHOLE:.+]] = "ttir.mesh_shard"{{.*}} shard_direction = #ttcore.shard_direction<shard_to_full>{{.*}} -> tensor<1x8x128x64xbf16>
// CHECK-NEXT:    return %[[WHOLE]]
func.func @unshard(%x: tensor<1x2x64x64xbf16>) -> tensor<1x8x128x64xbf16> {
  %0 = ring.unshard %x as <[_, 0, 1, _] in 4x2, sequence = 2 as <contiguous, 128 over 2>> : tensor<1x2x64x64xbf16> -> tensor<1x8x128x64xbf16>
  return %0 : tensor<1x8x128x64xbf16>
}

// Devices pad, deal and cut: chunks 0 3 1 2 of a zigzag over 2.
// CHECK-LABEL: func.func @pad_and_cut(
// CHECK:         %[[PADDED:.+]] = "ttir.pad"
// CHECK:         "ttir.slice_static"(%[[PADDED]]) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32]
// CHECK:         "ttir.slice_static"(%[[PADDED]]) <{begins = [0 : i32, 0 : i32, 96 : i32, 0 : i32]
// CHECK:         "ttir.slice_static"(%[[PADDED]]) <{begins = [0 : i32, 0 : i32, 32 : i32, 0 : i32]
// CHECK:         "ttir.slice_static"(%[[PADDED]]) <{begins = [0 : i32, 0 : i32, 64 : i32, 0 : i32]
// CHECK:         %[[DEALT:.+]] = "ttir.concat"
// CHECK:         "ttir.mesh_partition"(%[[DEALT]]) <{cluster_axis = 1 : ui32, dim = 2 : si32}> : (tensor<1x2x128x64xbf16>) -> tensor<1x2x64x64xbf16>
func.func @pad_and_cut(%x: tensor<1x2x100x64xbf16>) -> tensor<1x2x64x64xbf16> {
  %0 = ring.shard %x as <[_, _, 1, _] in 4x2, sequence = 2 as <zigzag, 128 over 2>> replicated : tensor<1x2x100x64xbf16> -> tensor<1x2x64x64xbf16>
  return %0 : tensor<1x2x64x64xbf16>
}

// CHECK-LABEL: func.func @gather_and_cut(
// CHECK:         %[[ALL:.+]] = "ttir.all_gather"{{.*}} <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}>
// CHECK:         "ttir.slice_static"(%[[ALL]]){{.*}} -> tensor<1x2x100x64xbf16>
func.func @gather_and_cut(%x: tensor<1x2x64x64xbf16>) -> tensor<1x2x100x64xbf16> {
  %0 = ring.unshard %x as <[_, _, 1, _] in 4x2, sequence = 2 as <contiguous, 128 over 2>> replicated : tensor<1x2x64x64xbf16> -> tensor<1x2x100x64xbf16>
  return %0 : tensor<1x2x100x64xbf16>
}

// CHECK-LABEL: func.func @replicate(
// CHECK:         "ttir.mesh_shard"(%{{.+}}) <{shard_dims = array<i64: -1>, {{.*}} shard_shape = array<i64: 1>, shard_type = #ttcore.shard_type<replicate>}>
func.func @replicate(%x: tensor<1x8x100x64xbf16>) -> tensor<1x8x100x64xbf16> {
  %0 = ring.shard %x as <[_, _, _, _] in 4x2> : tensor<1x8x100x64xbf16> -> tensor<1x8x100x64xbf16>
  return %0 : tensor<1x8x100x64xbf16>
}

// On the devices: each keeps its part, each gets all parts.
// CHECK-LABEL: func.func @on_devices(
// CHECK:         %[[HEADS:.+]] = "ttir.mesh_partition"(%{{.+}}) <{cluster_axis = 0 : ui32, dim = 1 : si32}>
// CHECK:         %[[LOCAL:.+]] = "ttir.mesh_partition"(%[[HEADS]]) <{cluster_axis = 1 : ui32, dim = 2 : si32}>
// CHECK:         "ttir.all_gather"(%[[LOCAL]]) <{all_gather_dim = 2 : si32, cluster_axis = 1 : ui32}>
func.func @on_devices(%x: tensor<1x8x128x64xbf16>) -> tensor<1x2x128x64xbf16> {
  %0 = ring.shard %x as <[_, 0, 1, _] in 4x2> replicated : tensor<1x8x128x64xbf16> -> tensor<1x2x64x64xbf16>
  %1 = ring.unshard %0 as <[_, _, 1, _] in 4x2> replicated : tensor<1x2x64x64xbf16> -> tensor<1x2x128x64xbf16>
  return %1 : tensor<1x2x128x64xbf16>
}
