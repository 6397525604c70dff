// SPDX-License-Identifier: Apache-2.0
// Masks whose numbers are known and say blocks along the diagonal are packed
// documents; what is only nearly so stays a mask.

// RUN: ring-opt %s --ring-raise --split-input-file --verify-diagnostics | FileCheck %s

!t = tensor<1x2x6x16xf32>
!m = tensor<1x1x6x6xf32>

module attributes {ring.parallel = #ring.parallel<sequence = 0>} {
  // CHECK-LABEL: func.func @windows(
  // CHECK-NEXT: ring.attention {{.*}} pattern(#ring.documents<ends = [2, 3, 6]>) parallel
  // CHECK-NEXT: return
  func.func @windows(%q: !t) -> !t {
    %m = "ttir.constant"() <{value = dense<[[[
        [0.0, 0.0, -1.0e9, -1.0e9, -1.0e9, -1.0e9],
        [0.0, -0.0, -1.0e9, -1.0e9, -1.0e9, 0xFF800000],
        [-1.0e9, -1.0e9, 0.0, -1.0e9, -1.0e9, -1.0e9],
        [-1.0e9, -1.0e9, -1.0e9, 0.0, 0.0, 0.0],
        [-1.0e9, -1.0e9, -1.0e9, 0.0, 0.0, 0.0],
        [-1.0e9, -1.0e9, -1.0e9, 0.0, 0.0, 0.0]]]]> : !m}> : () -> !m
    %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q, %m) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (!t, !t, !t, !m) -> !t
    return %0 : !t
  }

  // Rows that see nothing, and that nobody sees, are behind the last document.
  // CHECK-LABEL: func.func @causal_documents(
  // CHECK-NEXT: ring.attention {{.*}} pattern(#ring.documents<ends = [2, 4], causal = true>) parallel
  // CHECK-NEXT: return
  func.func @causal_documents(%q: !t) -> !t {
    %m = "ttir.constant"() <{value = dense<[[[
        [0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000],
        [0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000],
        [0xFF800000, 0xFF800000, 0.0, 0xFF800000, 0xFF800000, 0xFF800000],
        [0xFF800000, 0xFF800000, 0.0, 0.0, 0xFF800000, 0xFF800000],
        [0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000],
        [0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000]]]]> : !m}> : () -> !m
    %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q, %m) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (!t, !t, !t, !m) -> !t
    return %0 : !t
  }

  // The last key is padding.
  // CHECK-LABEL: func.func @with_a_length(
  // CHECK-NEXT: ring.attention {{.*}} pattern(#ring.documents<ends = [2, 6]>) length(5) parallel
  // CHECK-NEXT: return
  func.func @with_a_length(%q: !t) -> !t {
    %m = "ttir.constant"() <{value = dense<[[[
        [0.0, 0.0, -1.0e9, -1.0e9, -1.0e9, -1.0e9],
        [0.0, 0.0, -1.0e9, -1.0e9, -1.0e9, -1.0e9],
        [-1.0e9, -1.0e9, 0.0, 0.0, 0.0, -1.0e9],
        [-1.0e9, -1.0e9, 0.0, 0.0, 0.0, -1.0e9],
        [-1.0e9, -1.0e9, 0.0, 0.0, 0.0, -1.0e9],
        [-1.0e9, -1.0e9, 0.0, 0.0, 0.0, -1.0e9]]]]> : !m}> : () -> !m
    %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q, %m) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (!t, !t, !t, !m) -> !t
    return %0 : !t
  }

  // One entry is wrong: key 3 sees key 2.
  // CHECK-LABEL: func.func @one_more_key(
  // CHECK: ring.attention {{.*}} mask(
  func.func @one_more_key(%q: !t) -> !t {
    %m = "ttir.constant"() <{value = dense<[[[
        [0.0, 0.0, 0.0, -1.0e9, -1.0e9, -1.0e9],
        [0.0, 0.0, 0.0, -1.0e9, -1.0e9, -1.0e9],
        [0.0, 0.0, 0.0, -1.0e9, -1.0e9, -1.0e9],
        [-1.0e9, -1.0e9, 0.0, 0.0, 0.0, 0.0],
        [-1.0e9, -1.0e9, -1.0e9, 0.0, 0.0, 0.0],
        [-1.0e9, -1.0e9, -1.0e9, 0.0, 0.0, 0.0]]]]> : !m}> : () -> !m
    %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q, %m) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (!t, !t, !t, !m) -> !t
    return %0 : !t
  }

  // One entry is wrong: the fifth query does not see key 4.
  // CHECK-LABEL: func.func @one_key_less(
  // CHECK: ring.attention {{.*}} mask(
  func.func @one_key_less(%q: !t) -> !t {
    %m = "ttir.constant"() <{value = dense<[[[
        [0.0, 0.0, 0.0, -1.0e9, -1.0e9, -1.0e9],
        [0.0, 0.0, 0.0, -1.0e9, -1.0e9, -1.0e9],
        [0.0, 0.0, 0.0, -1.0e9, -1.0e9, -1.0e9],
        [-1.0e9, -1.0e9, -1.0e9, 0.0, 0.0, 0.0],
        [-1.0e9, -1.0e9, -1.0e9, 0.0, -1.0e9, 0.0],
        [-1.0e9, -1.0e9, -1.0e9, 0.0, 0.0, 0.0]]]]> : !m}> : () -> !m
    %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q, %m) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (!t, !t, !t, !m) -> !t
    return %0 : !t
  }

  // The first document is causal, the second is not.
  // CHECK-LABEL: func.func @of_two_kinds(
  // CHECK: ring.attention {{.*}} mask(
  func.func @of_two_kinds(%q: !t) -> !t {
    %m = "ttir.constant"() <{value = dense<[[[
        [0.0, -1.0e9, -1.0e9, -1.0e9, -1.0e9, -1.0e9],
        [0.0, 0.0, -1.0e9, -1.0e9, -1.0e9, -1.0e9],
        [0.0, 0.0, 0.0, -1.0e9, -1.0e9, -1.0e9],
        [-1.0e9, -1.0e9, -1.0e9, 0.0, 0.0, 0.0],
        [-1.0e9, -1.0e9, -1.0e9, 0.0, 0.0, 0.0],
        [-1.0e9, -1.0e9, -1.0e9, 0.0, 0.0, 0.0]]]]> : !m}> : () -> !m
    %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q, %m) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (!t, !t, !t, !m) -> !t
    return %0 : !t
  }

  // A row of low numbers that are finite has a softmax over all keys.
  // CHECK-LABEL: func.func @finite_rows_behind(
  // CHECK: ring.attention {{.*}} mask(
  func.func @finite_rows_behind(%q: !t) -> !t {
    %m = "ttir.constant"() <{value = dense<[[[
        [0.0, 0.0, -1.0e9, -1.0e9, -1.0e9, -1.0e9],
        [0.0, 0.0, -1.0e9, -1.0e9, -1.0e9, -1.0e9],
        [-1.0e9, -1.0e9, 0.0, 0.0, 0.0, -1.0e9],
        [-1.0e9, -1.0e9, 0.0, 0.0, 0.0, -1.0e9],
        [-1.0e9, -1.0e9, 0.0, 0.0, 0.0, -1.0e9],
        [-1.0e9, -1.0e9, -1.0e9, -1.0e9, -1.0e9, -1.0e9]]]]> : !m}> : () -> !m
    %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q, %m) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (!t, !t, !t, !m) -> !t
    return %0 : !t
  }

  // CHECK-LABEL: func.func @with_a_sink(
  // CHECK: ring.attention {{.*}} mask({{.*}} sink(
  func.func @with_a_sink(%q: !t, %s: tensor<1x2x1x1xf32>) -> !t {
    %zero = "ttir.zeros"() <{shape = array<i32: 1, 1, 3, 3>}> : () -> tensor<1x1x3x3xf32>
    %one = "ttir.pad"(%zero) <{padding = array<i32: 0, 0, 0, 0, 0, 3, 0, 3>, value = -1.0e9 : f32}> : (tensor<1x1x3x3xf32>) -> !m
    %two = "ttir.pad"(%zero) <{padding = array<i32: 0, 0, 0, 0, 3, 0, 3, 0>, value = -1.0e9 : f32}> : (tensor<1x1x3x3xf32>) -> !m
    %m = "ttir.maximum"(%one, %two) : (!m, !m) -> !m
    // expected-remark @below {{ring-raise: a mask in blocks along the diagonal stays a mask: no sink goes with packed documents}}
    %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q, %m, %s) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>}> : (!t, !t, !t, !m, tensor<1x2x1x1xf32>) -> !t
    return %0 : !t
  }

  // Another mask beside them.
  // CHECK-LABEL: func.func @with_another_mask(
  // CHECK: ring.attention {{.*}} mask(
  // CHECK-NOT: ring.documents
  func.func @with_another_mask(%q: !t, %b: !m) -> !t {
    %zero = "ttir.zeros"() <{shape = array<i32: 1, 1, 3, 3>}> : () -> tensor<1x1x3x3xf32>
    %one = "ttir.pad"(%zero) <{padding = array<i32: 0, 0, 0, 0, 0, 3, 0, 3>, value = -1.0e9 : f32}> : (tensor<1x1x3x3xf32>) -> !m
    %two = "ttir.pad"(%zero) <{padding = array<i32: 0, 0, 0, 0, 3, 0, 3, 0>, value = -1.0e9 : f32}> : (tensor<1x1x3x3xf32>) -> !m
    %both = "ttir.maximum"(%one, %two) : (!m, !m) -> !m
    %m = "ttir.add"(%both, %b) : (!m, !m) -> !m
    %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q, %m) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (!t, !t, !t, !m) -> !t
    return %0 : !t
  }
}

// -----

// As frontends write them, in sizes at which a mask would be gigabytes: nothing
// of it is left, and none of it was ever there.

!t = tensor<1x2x131072x16xbf16>
!m = tensor<1x1x131072x131072xbf16>
!b = tensor<1x1x131072x131072xi1>
!row = tensor<1x1x131072x1xi32>
!key = tensor<1x1x1x131072xi32>

module attributes {ring.parallel = #ring.parallel<sequence = 0>} {
  // Ids of two documents, joined with the triangle.
  // CHECK-LABEL: func.func @compared_ids(
  // CHECK-NEXT: ring.attention {{.*}} pattern(#ring.documents<ends = [32768, 131072], causal = true>) parallel
  // CHECK-NEXT: return
  func.func @compared_ids(%q: !t) -> !t {
    %first = "ttir.zeros"() <{shape = array<i32: 32768>}> : () -> tensor<32768xi32>
    %second = "ttir.ones"() <{shape = array<i32: 98304>}> : () -> tensor<98304xi32>
    %ids = "ttir.concat"(%first, %second) <{dim = 0 : si32}> : (tensor<32768xi32>, tensor<98304xi32>) -> tensor<131072xi32>
    %places = "ttir.arange"() <{arange_dimension = 0 : i64, end = 131072 : si64, start = 0 : si64, step = 1 : si64}> : () -> tensor<131072xi32>
    %ir = "ttir.reshape"(%ids) <{shape = [1 : i32, 1 : i32, 131072 : i32, 1 : i32]}> : (tensor<131072xi32>) -> !row
    %ik = "ttir.reshape"(%ids) <{shape = [1 : i32, 1 : i32, 1 : i32, 131072 : i32]}> : (tensor<131072xi32>) -> !key
    %pr = "ttir.reshape"(%places) <{shape = [1 : i32, 1 : i32, 131072 : i32, 1 : i32]}> : (tensor<131072xi32>) -> !row
    %pk = "ttir.reshape"(%places) <{shape = [1 : i32, 1 : i32, 1 : i32, 131072 : i32]}> : (tensor<131072xi32>) -> !key
    %same = "ttir.eq"(%ir, %ik) : (!row, !key) -> !b
    %before = "ttir.le"(%pk, %pr) : (!key, !row) -> !b
    %seen = "ttir.logical_and"(%same, %before) : (!b, !b) -> !b
    %keep = "ttir.full"() <{fill_value = 0.0 : f32, shape = array<i32: 1, 1, 131072, 131072>}> : () -> !m
    %drop = "ttir.full"() <{fill_value = 0xFF800000 : f32, shape = array<i32: 1, 1, 131072, 131072>}> : () -> !m
    %m = "ttir.where"(%seen, %keep, %drop) : (!b, !m, !m) -> !m
    %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q, %m) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (!t, !t, !t, !m) -> !t
    return %0 : !t
  }

  // Windows of one size by their numbers, repeated.
  // CHECK-LABEL: func.func @numbered_windows(
  // CHECK-NEXT: ring.attention {{.*}} pattern(#ring.documents<ends = [32768, 65536, 98304, 131072]>) parallel
  // CHECK-NEXT: return
  func.func @numbered_windows(%q: !t) -> !t {
    %numbers = "ttir.arange"() <{arange_dimension = 0 : i64, end = 4 : si64, start = 0 : si64, step = 1 : si64}> : () -> tensor<4xi32>
    %column = "ttir.unsqueeze"(%numbers) <{dim = -1 : si32}> : (tensor<4xi32>) -> tensor<4x1xi32>
    %wide = "ttir.broadcast"(%column) <{broadcast_dimensions = array<i64: 1, 32768>}> : (tensor<4x1xi32>) -> tensor<4x32768xi32>
    %ids = "ttir.reshape"(%wide) <{shape = [131072 : i32]}> : (tensor<4x32768xi32>) -> tensor<131072xi32>
    %again = "ttir.repeat_interleave"(%numbers) <{dim = 0 : si32, repeats = 32768 : ui32}> : (tensor<4xi32>) -> tensor<131072xi32>
    %ir = "ttir.reshape"(%ids) <{shape = [1 : i32, 1 : i32, 131072 : i32, 1 : i32]}> : (tensor<131072xi32>) -> !row
    %ik = "ttir.reshape"(%again) <{shape = [1 : i32, 1 : i32, 1 : i32, 131072 : i32]}> : (tensor<131072xi32>) -> !key
    %other = "ttir.ne"(%ir, %ik) : (!row, !key) -> !b
    %number = "ttir.typecast"(%other) <{conservative_folding = false}> : (!b) -> !m
    %low = "ttir.full"() <{fill_value = -3.0e38 : f32, shape = array<i32: 1, 1, 1, 1>}> : () -> tensor<1x1x1x1xbf16>
    %m = "ttir.multiply"(%number, %low) : (!m, tensor<1x1x1x1xbf16>) -> !m
    %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q, %m) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (!t, !t, !t, !m) -> !t
    return %0 : !t
  }

  // A block that is written into a mask of another one.
  // CHECK-LABEL: func.func @written_block_by_block(
  // CHECK-NEXT: ring.attention {{.*}} pattern(#ring.documents<ends = [65536, 131072]>) parallel
  // CHECK-NEXT: return
  func.func @written_block_by_block(%q: !t) -> !t {
    %block = "ttir.constant"() <{value = dense<0.0> : tensor<65536x65536xbf16>}> : () -> tensor<65536x65536xbf16>
    %first = "ttir.pad"(%block) <{padding = array<i32: 0, 65536, 0, 65536>, value = 0xFF800000 : f32}> : (tensor<65536x65536xbf16>) -> tensor<131072x131072xbf16>
    %top = "ttir.slice_static"(%first) <{begins = [0 : i32, 0 : i32], ends = [65536 : i32, 131072 : i32], step = [1 : i32, 1 : i32]}> : (tensor<131072x131072xbf16>) -> tensor<65536x131072xbf16>
    %left = "ttir.slice_static"(%first) <{begins = [65536 : i32, 0 : i32], ends = [131072 : i32, 65536 : i32], step = [1 : i32, 1 : i32]}> : (tensor<131072x131072xbf16>) -> tensor<65536x65536xbf16>
    %bottom = "ttir.concat"(%left, %block) <{dim = -1 : si32}> : (tensor<65536x65536xbf16>, tensor<65536x65536xbf16>) -> tensor<65536x131072xbf16>
    %both = "ttir.concat"(%top, %bottom) <{dim = 0 : si32}> : (tensor<65536x131072xbf16>, tensor<65536x131072xbf16>) -> tensor<131072x131072xbf16>
    %m = "ttir.reshape"(%both) <{shape = [1 : i32, 1 : i32, 131072 : i32, 131072 : i32]}> : (tensor<131072x131072xbf16>) -> !m
    %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q, %m) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (!t, !t, !t, !m) -> !t
    return %0 : !t
  }

  // Ids of the running program may come in any order.
  // CHECK-LABEL: func.func @ids_of_the_program(
  // CHECK: ring.attention {{.*}} mask(
  func.func @ids_of_the_program(%q: !t, %ids: tensor<131072xi32>) -> !t {
    %ir = "ttir.reshape"(%ids) <{shape = [1 : i32, 1 : i32, 131072 : i32, 1 : i32]}> : (tensor<131072xi32>) -> !row
    %ik = "ttir.reshape"(%ids) <{shape = [1 : i32, 1 : i32, 1 : i32, 131072 : i32]}> : (tensor<131072xi32>) -> !key
    %same = "ttir.eq"(%ir, %ik) : (!row, !key) -> !b
    %keep = "ttir.full"() <{fill_value = 0.0 : f32, shape = array<i32: 1, 1, 131072, 131072>}> : () -> !m
    %drop = "ttir.full"() <{fill_value = 0xFF800000 : f32, shape = array<i32: 1, 1, 131072, 131072>}> : () -> !m
    %m = "ttir.where"(%same, %keep, %drop) : (!b, !m, !m) -> !m
    // expected-remark @below {{a mask that compares ids of the running program stays a mask: nothing says that they ascend; ring.attention takes the ends of documents as a tensor}}
    %0 = "ttir.scaled_dot_product_attention"(%q, %q, %q, %m) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (!t, !t, !t, !m) -> !t
    return %0 : !t
  }
}

// -----

// On a device: this device's rows of a mask (P3); keeping masks, and gradients.

!local = tensor<1x2x4x32xbf16>
!whole = tensor<1x2x8x32xbf16>
!i = tensor<1x2x8x32xf32>
!m = tensor<1x1x8x8xbf16>
!rows = tensor<1x1x4x8xbf16>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 2x1>]>} {
  // CHECK-LABEL: func.func @rows_of_windows(
  // CHECK-NOT: ttir.constant
  // CHECK: ring.attention {{.*}} pattern(#ring.documents<ends = [3, 8]>) parallel(<sequence = 0>) per_device
  func.func @rows_of_windows(%q: !local, %k: !local, %v: !local) -> !local {
    %0 = "ttir.all_gather"(%k) <{all_gather_dim = 2 : si32, cluster_axis = 0 : ui32}> : (!local) -> !whole
    %1 = "ttir.all_gather"(%v) <{all_gather_dim = 2 : si32, cluster_axis = 0 : ui32}> : (!local) -> !whole
    %ids = "ttir.constant"() <{value = dense<[0, 0, 0, 5, 5, 5, 5, 5]> : tensor<8xi32>}> : () -> tensor<8xi32>
    %ir = "ttir.reshape"(%ids) <{shape = [1 : i32, 1 : i32, 8 : i32, 1 : i32]}> : (tensor<8xi32>) -> tensor<1x1x8x1xi32>
    %ik = "ttir.reshape"(%ids) <{shape = [1 : i32, 1 : i32, 1 : i32, 8 : i32]}> : (tensor<8xi32>) -> tensor<1x1x1x8xi32>
    %same = "ttir.eq"(%ir, %ik) : (tensor<1x1x8x1xi32>, tensor<1x1x1x8xi32>) -> tensor<1x1x8x8xi1>
    %keep = "ttir.full"() <{fill_value = 0.0 : f32, shape = array<i32: 1, 1, 8, 8>}> : () -> !m
    %drop = "ttir.full"() <{fill_value = 0xFF800000 : f32, shape = array<i32: 1, 1, 8, 8>}> : () -> !m
    %2 = "ttir.where"(%same, %keep, %drop) : (tensor<1x1x8x8xi1>, !m, !m) -> !m
    %3 = "ttir.mesh_partition"(%2) <{cluster_axis = 0 : ui32, dim = 2 : si32}> : (!m) -> !rows
    %4 = "ttir.scaled_dot_product_attention"(%q, %0, %1, %3) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (!local, !whole, !whole, !rows) -> !local
    return %4 : !local
  }

  // CHECK-LABEL: func.func @gradients(
  // CHECK: ring.attention {{.*}} pattern(#ring.documents<ends = [3, 8]>)
  // CHECK: ring.attention_backward {{.*}} pattern(#ring.documents<ends = [3, 8]>)
  func.func @gradients(%q: !whole, %g: !whole) -> (!whole, !whole, !whole) attributes {ring.parallel = #ring.parallel<sequence = 0>} {
    %zero = "ttir.zeros"() <{shape = array<i32: 1, 1, 3, 5>}> : () -> tensor<1x1x3x5xbf16>
    %block = "ttir.ones"() <{shape = array<i32: 1, 1, 3, 3>}> : () -> tensor<1x1x3x3xbf16>
    %top = "ttir.concat"(%block, %zero) <{dim = 3 : si32}> : (tensor<1x1x3x3xbf16>, tensor<1x1x3x5xbf16>) -> tensor<1x1x3x8xbf16>
    %ones = "ttir.ones"() <{shape = array<i32: 1, 1, 5, 5>}> : () -> tensor<1x1x5x5xbf16>
    %bottom = "ttir.pad"(%ones) <{padding = array<i32: 0, 0, 0, 0, 0, 0, 3, 0>, value = 0.0 : f32}> : (tensor<1x1x5x5xbf16>) -> tensor<1x1x5x8xbf16>
    %m = "ttir.concat"(%top, %bottom) <{dim = 2 : si32}> : (tensor<1x1x3x8xbf16>, tensor<1x1x5x8xbf16>) -> !m
    %o, %l = "ttir.sdpa_fw"(%q, %q, %q, %m) <{mask_type = #ttcore.attention_mask_type<arbitrary>, dropout_probability = 0.0 : f32, return_intermediates = true}> : (!whole, !whole, !whole, !m) -> (!whole, !i)
    %dq, %dk, %dv = "ttir.sdpa_bw"(%g, %o, %q, %q, %q, %l, %m) <{mask_type = #ttcore.attention_mask_type<arbitrary>, dropout_probability = 0.0 : f32}> : (!whole, !whole, !whole, !whole, !whole, !i, !m) -> (!whole, !whole, !whole)
    return %dq, %dk, %dv : !whole, !whole, !whole
  }
}
