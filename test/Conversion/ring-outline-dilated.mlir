// SPDX-License-Identifier: Apache-2.0
// A dilated attention as a composite: the pattern is in its parameters, and the
// decomposition is plain TTIR.

// RUN: ring-opt %s --ring-outline-dilated | FileCheck %s --check-prefix=OUTLINED
// RUN: ring-opt %s --ring-outline-dilated --ring-shard --convert-ring-to-ttir --canonicalize --cse | FileCheck %s --implicit-check-not="= ring."
// RUN: ring-run %s --function=heads --ring-outline-dilated --ring-shard --convert-ring-to-ttir --check
// RUN: ring-run %s --function=longnet --ring-outline-dilated --ring-shard --convert-ring-to-ttir --check

// What is outlined and raised again is what it was.
// RUN: ring-opt %s --ring-outline-dilated --ring-raise | FileCheck %s --check-prefix=AGAIN

!t = tensor<1x2x16x32xbf16>

// OUTLINED-LABEL: func.func @heads(
// OUTLINED:         "ttcore.composite"(%{{.+}}, %{{.+}}, %{{.+}}) <{composite_attributes = {chunks = 1 : i64, dilation_rates = array<i64: 1, 2>, extra_heads = "last", is_causal = true, key_order = "identity", mix = "head_partition", norm = "groups", phase = "group", scale = 5.000000e-01 : f32, segment_lengths = array<i64: 4, 16>, segmentation = "tiled", shorter = "error"}, composite_name = "dilated_attention", decomposition = @[[BODY:.+]]}> {ring.parallel = #ring.parallel<sequence = 1>}
// OUTLINED:       func.func private @[[BODY]](
// OUTLINED:         ring.attention {{.*}} plan(<strategy = replicate, axis = <0 in 1x1>>) per_device
// CHECK-LABEL: func.func @heads(
// CHECK:       func.func private @dilated_attention
// CHECK:         "ttir.scaled_dot_product_attention"{{.*}}is_causal = true{{.*}} -> tensor<1x1x8x32xbf16>
// CHECK:         "ttir.pad"
// CHECK:         "ttir.reshape"{{.*}} -> tensor<1x4x4x32xbf16>
// CHECK:         "ttir.scaled_dot_product_attention"{{.*}}is_causal = true{{.*}} -> tensor<1x4x4x32xbf16>
// CHECK:         "ttir.concat"
// AGAIN-LABEL: func.func @heads(
// AGAIN:         ring.attention %{{.+}}, %{{.+}}, %{{.+}} pattern(#ring.dilated<segments = [4, 16], rates = [1, 2], extra = last, causal = true>) scale(5.000000e-01) parallel(<sequence = 1>)
// AGAIN-NOT:   func.func private
func.func @heads(%q: !t, %k: !t, %v: !t) -> !t {
  %0 = ring.attention %q, %k, %v
      pattern(#ring.dilated<segments = [4, 16], rates = [1, 2], extra = last, causal = true>)
      scale(0.5) parallel(<sequence = 1>) : !t, !t, !t -> !t
  return %0 : !t
}

// AGAIN-LABEL: func.func @longnet(
// AGAIN:         ring.attention %{{.+}}, %{{.+}}, %{{.+}} pattern(#ring.dilated<segments = [6, 10], rates = [1, 3], segmentation = concat, phase = all_residues, mix = lse, norm = none>) {{.*}} lse(tensor<1x2x16x1xf32>)
func.func @longnet(%q: !t, %k: !t, %v: !t) -> (!t, tensor<1x2x16x1xf32>) {
  %0, %lse = ring.attention %q, %k, %v
      pattern(#ring.dilated<segments = [6, 10], rates = [1, 3], segmentation = concat, phase = all_residues, mix = lse, norm = none>)
      parallel(<sequence = 1>) : !t, !t, !t -> !t lse(tensor<1x2x16x1xf32>)
  return %0, %lse : !t, tensor<1x2x16x1xf32>
}
