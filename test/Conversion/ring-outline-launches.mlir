// SPDX-License-Identifier: Apache-2.0
// A launch becomes a composite; its decomposition runs the kernels.

// RUN: ring-opt %s --ring-outline-launches --split-input-file --mlir-print-local-scope | FileCheck %s
// RUN: ring-opt %s --ring-outline-launches --split-input-file | ring-opt --split-input-file --verify-roundtrip --ring-verify-device-rules -o /dev/null

!q = tensor<1x4x64x64xbf16>
!x = tensor<1x2x64x64xbf16>
!b = !ring.buffer<1x2x64x64xbf16>
!s = !ring.state<1x4x64x64>

// CHECK-LABEL: func.func @ring(
// CHECK-SAME:      %[[Q:[a-z0-9]+]]: {{[^,]+}}, %[[K:[a-z0-9]+]]: {{[^,]+}}, %[[V:[a-z0-9]+]]:
// CHECK:         %[[DONE:.+]]:2 = "ttcore.composite"(%[[Q]], %[[K]], %[[V]]) <{composite_name = "ring_launch", decomposition = @ring_launch}>
// CHECK-NEXT:    return %[[DONE]]#0
func.func @ring(%query: !q, %key: !x, %value: !x) -> !q {
  %output, %lse = ring.launch(%q = %query, %k = %key, %v = %value) compute(<q_chunk = 32, k_chunk = 64, fidelity = hifi4, grid = 2x1>)
      : (!q, !x, !x) -> (!q, tensor<1x4x64x1xf32>) {
    %0 = ring.buffer : !b
    %1 = ring.buffer : !b
    %2 = ring.start_shift %k, %v into %0, %1 by 1 on <1 in 1x2> : !x, !x into !b, !b
    %3 = ring.init : !s
    %4 = ring.accumulate %q, %k, %v into %3 : !q, !x, !x -> !s
    %5:2 = ring.wait %2 : !x, !x
    %6 = ring.accumulate %q, %5#0, %5#1 into %4 : !q, !x, !x -> !s
    %out, %sums = ring.finish %6 : !s -> !q, tensor<1x4x64x1xf32>
    ring.yield %out, %sums : !q, tensor<1x4x64x1xf32>
  }
  return %output : !q
}

// Semaphores of different cores, landing buffers of different types; the output
// comes last of the tensors.

// CHECK-LABEL: func.func private @ring_launch(
// CHECK-SAME:      %[[Q:[a-z0-9]+]]: {{[^,]+}}, %[[K:[a-z0-9]+]]: {{[^,]+}}, %[[V:[a-z0-9]+]]:
// CHECK-NEXT:    %[[DEVICE:.+]] = "ttnn.get_device"() <{{.+}}mesh_shape 1x2
// CHECK-NEXT:    %[[S0:.+]] = "ttnn.create_global_semaphore"(%[[DEVICE]]) <{core_range_set = {{(#ttnn.core_range_set)?}}<[#ttnn.core_range<(0,1), (0,1)>]>, initial_value = 0 : ui32}>
// CHECK-NEXT:    %[[S1:.+]] = "ttnn.create_global_semaphore"(%[[DEVICE]]) <{core_range_set = {{(#ttnn.core_range_set)?}}<[#ttnn.core_range<(0,0), (0,1)>]>,
// CHECK-NEXT:    %[[S2:.+]] = "ttnn.create_global_semaphore"
// CHECK-NEXT:    %[[S3:.+]] = "ttnn.create_global_semaphore"
// CHECK-NEXT:    %[[K1:.+]] = ttir.empty() : tensor<128x64xbf16>
// CHECK-NEXT:    %[[V1:.+]] = ttir.empty() : tensor<160x64xbf16>
// CHECK-NEXT:    %[[OUT:.+]] = ttir.empty() : tensor<1x4x64x64xbf16>
// CHECK-NEXT:    %[[LSE:.+]] = ttir.empty() : tensor<1x4x64x1xf32>
// CHECK-NEXT:    "ttnn.generic"(%[[Q]], %[[K]], %[[V]], %[[K1]], %[[V1]], %[[LSE]], %[[OUT]], %[[S0]], %[[S1]], %[[S2]], %[[S3]]) <{operandSegmentSizes = array<i32: 7, 4>,
// One program for both devices: without a mask they do the same.
// CHECK-SAME:      program = #ttnn.mesh_program_descriptor<[#ttnn.mesh_program<range = #ttnn.mesh_range<(0,0), (0,1)>, program = #ttnn.program<kernels =
// A reader for each core; sizes and settings stand in the text.
// CHECK-SAME:      #ttnn.source_read_kernel<source = "#define RING_CONSTANTS 1u, 2u, 2u, 2u,
// CHECK-SAME:      #define RING_LOGICAL_CORES 1
// CHECK-SAME:      core_ranges = {{(#ttnn.core_range_set)?}}<[#ttnn.core_range<(0,0), (0,0)>]>, ct_args = [#ttnn.kernel_arg_tensor_accessor_args<0>, #ttnn.kernel_arg_tensor_accessor_args<1>, #ttnn.kernel_arg_tensor_accessor_args<2>,
// CHECK-SAME:      common_rt_args = [#ttnn.kernel_named_arg<name = "word", value = 2>,
// CHECK-SAME:      #ttnn.kernel_arg_address_of_tensor<0>
// CHECK-SAME:      rt_args = [{{(#ttnn.core_runtime_args)?}}<core_coord = {{(#ttnn.core_coord)?}}<0, 0>, args = [#ttnn.kernel_named_arg<name = "word", value = 0>, #ttnn.kernel_named_arg<name = "word", value = 4>, #ttnn.kernel_arg_semaphore_at<2>
// CHECK-SAME:      #ttnn.source_read_kernel<
// CHECK-SAME:      core_ranges = {{(#ttnn.core_range_set)?}}<[#ttnn.core_range<(1,0), (1,0)>]>
// CHECK-SAME:      #ttnn.source_compute_kernel<
// CHECK-SAME:      math_fidelity = hifi4, fp32_dest_acc_en = true, dst_full_sync_en = false, unpack_to_dest_modes = [default]
// The mover, with the semaphores behind the seven tensors.
// CHECK-SAME:      #define RING_ROUTED_CONNECTIONS 1
// CHECK-SAME:      core_ranges = {{(#ttnn.core_range_set)?}}<[#ttnn.core_range<(0,1), (0,1)>]>, ct_args = [#ttnn.kernel_arg_tensor_accessor_args<1>, #ttnn.kernel_arg_tensor_accessor_args<2>], common_rt_args = []
// CHECK-SAME:      #ttnn.kernel_arg_global_semaphore<7>, #ttnn.kernel_arg_global_semaphore<8>
// CHECK-SAME:      cbs = [{{(#ttnn.kernel_cb)?}}<total_size = 8192, core_ranges = {{(#ttnn.core_range_set)?}}<[#ttnn.core_range<(0,0), (1,0)>]>, formats = [<buffer_index = 0, dtype = bf16, page_size = 2048>]>
// Reads are counted at the mover alone.
// CHECK-SAME:      semaphores = [{{(#ttnn.kernel_semaphore)?}}<id = 0, core_type = worker, core_ranges = {{(#ttnn.core_range_set)?}}<[#ttnn.core_range<(0,0), (1,0)>, #ttnn.core_range<(0,1), (0,1)>]>, initial_value = 0>
// CHECK-SAME:      {{(#ttnn.kernel_semaphore)?}}<id = 3, core_type = worker, core_ranges = {{(#ttnn.core_range_set)?}}<[#ttnn.core_range<(0,1), (0,1)>]>, initial_value = 0>
// CHECK-SAME:      fabric_connection_config = #ttcore.fabric_connection_config<noc_index = noc0, topology = linear, cluster_axis = 1, routing_mode = bidir_line_mesh, num_links = 1>
// CHECK-NEXT:    return %[[OUT]], %[[LSE]]

// -----

!x = tensor<1x2x40x20xbf16>

// Each device by itself: one program for all, and no fabric. Rows and columns
// are filled up to whole tiles, and log-sum-exps that are used say where rows
// had no keys. A second launch has results of another type.

// CHECK-LABEL: func.func @alone(
// CHECK:         %[[ONE:.+]]:2 = "ttcore.composite"{{.+}}decomposition = @ring_launch}
// CHECK:         %[[TWO:.+]]:2 = "ttcore.composite"{{.+}}decomposition = @ring_launch_0}
// CHECK:         return %[[ONE]]#0, %[[ONE]]#1, %[[TWO]]#0
func.func @alone(%q: !x, %k: !x, %v: !x) -> (!x, tensor<1x2x40x1xf32>, !x) {
  %o0, %l0 = ring.launch(%lq = %q, %lk = %k, %lv = %v) compute(<q_chunk = 32, k_chunk = 64, fidelity = hifi4, grid = 2x1>) : (!x, !x, !x) -> (!x, tensor<1x2x40x1xf32>) {
    %s0 = ring.init : !ring.state<1x2x40x20>
    %s1 = ring.accumulate %lq, %lk, %lv into %s0 scale(0.5) : !x, !x, !x -> !ring.state<1x2x40x20>
    %out, %lse = ring.finish %s1 : !ring.state<1x2x40x20> -> !x, tensor<1x2x40x1xf32>
    ring.yield %out, %lse : !x, tensor<1x2x40x1xf32>
  }
  %o1, %l1 = ring.launch(%lq = %o0, %lk = %k, %lv = %v) compute(<q_chunk = 32, k_chunk = 64, fidelity = hifi4, grid = 2x1>) : (!x, !x, !x) -> (!x, tensor<1x2x40x1xf32>) {
    %s0 = ring.init : !ring.state<1x2x40x20>
    %s1 = ring.accumulate %lq, %lk, %lv into %s0 scale(0.5) : !x, !x, !x -> !ring.state<1x2x40x20>
    %out, %lse = ring.finish %s1 : !ring.state<1x2x40x20> -> !x, tensor<1x2x40x1xf32>
    ring.yield %out, %lse : !x, tensor<1x2x40x1xf32>
  }
  return %o0, %l0, %o1 : !x, tensor<1x2x40x1xf32>, !x
}

// CHECK-LABEL: func.func private @ring_launch(
// CHECK:         "ttir.pad"
// CHECK-SAME:      -> tensor<1x2x64x20xbf16>
// CHECK:         "ttir.pad"
// CHECK-SAME:      -> tensor<1x2x64x32xbf16>
// CHECK:         %[[OUT:.+]] = ttir.empty() : tensor<1x2x64x32xbf16>
// CHECK-NEXT:    %[[LSE:.+]] = ttir.empty() : tensor<1x2x64x1xf32>
// CHECK-NEXT:    "ttnn.generic"({{.+}}, %[[LSE]], %[[OUT]])
// CHECK-SAME:      program = #ttnn.program<kernels =
// CHECK-SAME:      core_ranges = {{(#ttnn.core_range_set)?}}<[#ttnn.core_range<(0,0), (1,0)>]>
// CHECK:         %[[SUMS:.+]] = "ttir.slice_static"(%[[LSE]])
// CHECK:         %[[LOWEST:.+]] = "ttir.full"() <{fill_value = -1.84467441E+19 : f32
// CHECK:         %[[EMPTY:.+]] = "ttir.lt"(%[[SUMS]], %[[LOWEST]])
// CHECK:         "ttir.where"(%[[EMPTY]], %{{.+}}, %[[SUMS]])

// CHECK-LABEL: func.func private @ring_launch_0(
// CHECK:         %[[OUT:.+]] = ttir.empty() : tensor<1x1x160x32xbf16>
// CHECK-NEXT:    %[[LSE:.+]] = ttir.empty() : tensor<1x1x160x1xf32>
// CHECK:         %[[CUT:.+]] = "ttir.slice_static"(%[[OUT]])
// CHECK:         "ttir.reshape"(%[[CUT]])
// CHECK-SAME:      -> tensor<1x2x64x32xbf16>
// CHECK-NOT:     "ttir.where"

// -----

!x = tensor<1x1x128x32xbf16>
!b = !ring.buffer<1x1x128x32xbf16>
!s = !ring.state<1x1x128x32>

// Connections to two neighbours leave a core no semaphores to hand keys on by,
// which a launch may ask for: its cores then read them all.

// CHECK-LABEL: func.func private @ring_launch(
// CHECK:         topology = ring
func.func @chained(%q: !x, %k: !x, %v: !x) -> !x {
  %o, %l = ring.launch(%lq = %q, %lk = %k, %lv = %v) compute(<q_chunk = 32, k_chunk = 64, fidelity = hifi4, grid = 4x1>) chained : (!x, !x, !x) -> (!x, tensor<1x1x128x1xf32>) {
    %bk = ring.buffer : !b
    %bv = ring.buffer : !b
    %t = ring.start_shift %lk, %lv into %bk, %bv by 1 on <1 in 1x4> : !x, !x into !b, !b
    %s0 = ring.init : !s
    %k1, %v1 = ring.wait %t : !x, !x
    %s1 = ring.accumulate %lq, %k1, %v1 into %s0 : !x, !x, !x -> !s
    %out, %lse = ring.finish %s1 : !s -> !x, tensor<1x1x128x1xf32>
    ring.yield %out, %lse : !x, tensor<1x1x128x1xf32>
  }
  return %o : !x
}
