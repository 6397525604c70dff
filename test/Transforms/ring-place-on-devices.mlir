// SPDX-License-Identifier: Apache-2.0
// Between arguments and results everything is on the devices: the host's tensors
// are split as they lie, and padded, cut and dealt there.

// RUN: ring-opt %s --ring-place-on-devices --split-input-file | FileCheck %s
// RUN: ring-opt %s --ring-place-on-devices --split-input-file | ring-opt --split-input-file --ring-place-on-devices | FileCheck %s

// Rows that need padding: heads by the host, rows by the devices.
// CHECK-LABEL: func.func @padded(
// CHECK-SAME:      %[[X:[a-z0-9]+]]:
// CHECK-NEXT:    %[[ROWS:.+]] = ring.shard %[[X]] as <[_, 0, _, _] in 4x2> : tensor<1x8x100x64xbf16> -> tensor<1x2x100x64xbf16>
// CHECK-NEXT:    %[[OWN:.+]] = ring.shard %[[ROWS]] as <[_, _, 1, _] in 4x2, sequence = 2 as <zigzag, 128 over 2>> replicated : tensor<1x2x100x64xbf16> -> tensor<1x2x64x64xbf16>
// CHECK-NEXT:    %[[ALL:.+]] = ring.unshard %[[OWN]] as <[_, _, 1, _] in 4x2, sequence = 2 as <zigzag, 128 over 2>> replicated : tensor<1x2x64x64xbf16> -> tensor<1x2x100x64xbf16>
// CHECK-NEXT:    %[[WHOLE:.+]] = ring.unshard %[[ALL]] as <[_, 0, _, _] in 4x2> : tensor<1x2x100x64xbf16> -> tensor<1x8x100x64xbf16>
// CHECK-NEXT:    return %[[WHOLE]]
func.func @padded(%x: tensor<1x8x100x64xbf16>) -> tensor<1x8x100x64xbf16> {
  %0 = ring.shard %x as <[_, 0, 1, _] in 4x2, sequence = 2 as <zigzag, 128 over 2>> : tensor<1x8x100x64xbf16> -> tensor<1x2x64x64xbf16>
  %1 = ring.unshard %0 as <[_, 0, 1, _] in 4x2, sequence = 2 as <zigzag, 128 over 2>> : tensor<1x2x64x64xbf16> -> tensor<1x8x100x64xbf16>
  return %1 : tensor<1x8x100x64xbf16>
}

// Rows that are only dealt otherwise are split where they lie: no device ever
// has more than its share.
// CHECK-LABEL: func.func @dealt(
// CHECK-SAME:      %[[X:[a-z0-9]+]]:
// CHECK-NEXT:    %[[ROWS:.+]] = ring.shard %[[X]] as <[_, 0, 1, _] in 4x2, sequence = 2 as <contiguous, 128 over 2>> :
// CHECK-NEXT:    %[[OWN:.+]] = ring.relayout %[[ROWS]] dim 2 from <contiguous, 128 over 2> to <zigzag, 128 over 2> on <1 in 4x2>
// CHECK-NEXT:    %[[BACK:.+]] = ring.relayout %[[OWN]] dim 2 from <zigzag, 128 over 2> to <contiguous, 128 over 2> on <1 in 4x2>
// CHECK-NEXT:    ring.unshard %[[BACK]] as <[_, 0, 1, _] in 4x2, sequence = 2 as <contiguous, 128 over 2>> :
func.func @dealt(%x: tensor<1x8x128x64xbf16>) -> tensor<1x8x128x64xbf16> {
  %0 = ring.shard %x as <[_, 0, 1, _] in 4x2, sequence = 2 as <zigzag, 128 over 2>> : tensor<1x8x128x64xbf16> -> tensor<1x2x64x64xbf16>
  %1 = ring.unshard %0 as <[_, 0, 1, _] in 4x2, sequence = 2 as <zigzag, 128 over 2>> : tensor<1x2x64x64xbf16> -> tensor<1x8x128x64xbf16>
  return %1 : tensor<1x8x128x64xbf16>
}

// In order and in whole shares: as it was.
// CHECK-LABEL: func.func @as_it_lies(
// CHECK-NEXT:    ring.shard %{{.+}} as <[_, 0, 1, _] in 4x2, sequence = 2 as <contiguous, 128 over 2>> :
// CHECK-NEXT:    return
func.func @as_it_lies(%x: tensor<1x8x128x64xbf16>) -> tensor<1x8x128x64xbf16> {
  %0 = ring.shard %x as <[_, 0, 1, _] in 4x2, sequence = 2 as <contiguous, 128 over 2>> : tensor<1x8x128x64xbf16> -> tensor<1x2x64x64xbf16>
  return %x : tensor<1x8x128x64xbf16>
}

// -----

!x = tensor<1x8x64x64xbf16>
!s = tensor<1x8x32x64xbf16>

// What is computed with goes to every device, which then keeps its part; what
// is used again is put together there; a whole result comes from one of them.
// CHECK-LABEL: func.func @computed(
// CHECK-SAME:      %[[X:[a-z0-9]+]]: {{[^,]+}}, %[[Y:[a-z0-9]+]]:
// CHECK:         %[[EVERYWHERE:.+]] = ring.shard %[[X]] as <[_, _, _, _] in 1x2> :
// CHECK:         %[[SUM:.+]] = "ttir.add"(%[[EVERYWHERE]], %[[EVERYWHERE]])
// CHECK:         %[[OWN:.+]] = ring.shard %[[SUM]] as <[_, _, 1, _] in 1x2> replicated :
// CHECK:         %[[DIRECT:.+]] = ring.shard %[[X]] as <[_, _, 1, _] in 1x2> :
// CHECK:         %[[PARTS:.+]] = "ttir.multiply"(%[[OWN]], %[[DIRECT]])
// CHECK:         %[[WHOLE:.+]] = ring.unshard %[[PARTS]] as <[_, _, 1, _] in 1x2> replicated :
// CHECK:         %[[LAST:.+]] = "ttir.exp"(%[[WHOLE]])
// CHECK-DAG:     %[[R0:.+]] = ring.unshard %[[WHOLE]] as <[_, _, _, _] in 1x2> :
// CHECK-DAG:     %[[R1:.+]] = ring.unshard %[[LAST]] as <[_, _, _, _] in 1x2> :
// CHECK:         return %[[R0]], %[[R1]], %[[Y]]
func.func @computed(%x: !x, %y: !x) -> (!x, !x, !x) {
  %0 = "ttir.add"(%x, %x) : (!x, !x) -> !x
  %1 = ring.shard %0 as <[_, _, 1, _] in 1x2> : !x -> !s
  %2 = ring.shard %x as <[_, _, 1, _] in 1x2> : !x -> !s
  %3 = "ttir.multiply"(%1, %2) : (!s, !s) -> !s
  %4 = ring.unshard %3 as <[_, _, 1, _] in 1x2> : !s -> !x
  %5 = "ttir.exp"(%4) : (!x) -> !x
  return %4, %5, %y : !x, !x, !x
}

// A constant is on every device already.
// CHECK-LABEL: func.func @constant(
// CHECK:         %[[ONES:.+]] = "ttir.full"
// CHECK:         ring.shard %[[ONES]] as <[_, _, 1, _] in 1x2> replicated :
func.func @constant() -> !x {
  %0 = "ttir.full"() <{shape = array<i32: 1, 8, 64, 64>, fill_value = 1.0 : f32}> : () -> !x
  %1 = ring.shard %0 as <[_, _, 1, _] in 1x2> : !x -> !s
  %2 = ring.unshard %1 as <[_, _, 1, _] in 1x2> : !s -> !x
  return %2 : !x
}

// Who is called has what the caller's devices have.
// CHECK-LABEL: func.func private @callee(
// CHECK-SAME:      %[[X:[a-z0-9]+]]:
// CHECK-NEXT:    %[[OWN:.+]] = ring.shard %[[X]] as <[_, _, 1, _] in 1x2> replicated :
// CHECK-NEXT:    %[[WHOLE:.+]] = ring.unshard %[[OWN]] as <[_, _, 1, _] in 1x2> replicated :
// CHECK-NEXT:    return %[[WHOLE]]
func.func private @callee(%x: !x) -> !x {
  %0 = ring.shard %x as <[_, _, 1, _] in 1x2> : !x -> !s
  %1 = ring.unshard %0 as <[_, _, 1, _] in 1x2> : !s -> !x
  return %1 : !x
}

// CHECK-LABEL: func.func @caller(
// CHECK-SAME:      %[[X:[a-z0-9]+]]:
// CHECK-NEXT:    %[[EVERYWHERE:.+]] = ring.shard %[[X]] as <[_, _, _, _] in 1x2> :
// CHECK-NEXT:    %[[CALLED:.+]] = call @callee(%[[EVERYWHERE]])
// CHECK-NEXT:    %[[RESULT:.+]] = ring.unshard %[[CALLED]] as <[_, _, _, _] in 1x2> :
// CHECK-NEXT:    return %[[RESULT]]
func.func @caller(%x: !x) -> !x {
  %0 = call @callee(%x) : (!x) -> !x
  return %0 : !x
}

// A device's own program, and one without a mesh, stay as they are.
// CHECK-LABEL: func.func @of_one_device(
// CHECK-NEXT:    ring.shift
// CHECK-NEXT:    return
func.func @of_one_device(%x: !x) -> !x {
  %0 = ring.shift %x by 1 on <1 in 1x2> : !x
  return %0 : !x
}

// CHECK-LABEL: func.func @without_a_mesh(
// CHECK-NEXT:    "ttir.exp"
// CHECK-NEXT:    return
func.func @without_a_mesh(%x: !x) -> !x {
  %0 = "ttir.exp"(%x) : (!x) -> !x
  return %0 : !x
}

// An argument that says it is on its device is not sent there.
// CHECK-LABEL: func.func @presharded(
// CHECK-SAME:      %[[X:[a-z0-9]+]]: {{[^,]+}}, %[[OWN:[a-z0-9]+]]:
// CHECK:         %[[HALF:.+]] = ring.shard %[[X]] as <[_, _, 1, _] in 1x2> :
// CHECK:         "ttir.add"(%[[HALF]], %[[OWN]])
func.func @presharded(%x: !x, %own: !s {ttcore.shard_status = #ttcore.shard_status<presharded>}) -> !x {
  %0 = ring.shard %x as <[_, _, 1, _] in 1x2> : !x -> !s
  %1 = "ttir.add"(%0, %own) : (!s, !s) -> !s
  %2 = ring.unshard %1 as <[_, _, 1, _] in 1x2> : !s -> !x
  return %2 : !x
}
