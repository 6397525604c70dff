// SPDX-License-Identifier: Apache-2.0
// What has no form in TTNN is refused by name.

// RUN: ring-opt %s --convert-ring-to-ttnn --split-input-file --verify-diagnostics

!x = tensor<1x2x64x64xbf16>

func.func @unknown_op(%x: !x) -> !x {
  // expected-error @+1 {{'ttir.pow' op has no form in TTNN that this pass knows}}
  %0 = "ttir.pow"(%x, %x) : (!x, !x) -> !x
  return %0 : !x
}

// -----

!x = tensor<1x2x64x64xbf16>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x4>]>} {
  func.func @one_to_itself(%x: !x) -> !x {
    // expected-error @+1 {{expects every device of the mesh to receive where one sends to itself, but got 2 of 4}}
    %0 = "ttir.collective_permute"(%x) <{source_target_pairs = dense<[[0, 0], [1, 2]]> : tensor<2x2xi64>}> : (!x) -> !x
    return %0 : !x
  }
}

// -----

!x = tensor<1x2x64x64xbf16>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x2>]>} {
  func.func @outside_the_mesh(%x: !x) -> !x {
    // expected-error @+1 {{expects devices of a mesh of 2, but got 2}}
    %0 = "ttir.collective_permute"(%x) <{source_target_pairs = dense<[[0, 2]]> : tensor<1x2xi64>}> : (!x) -> !x
    return %0 : !x
  }
}

// -----

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 2x2x2>]>} {
  // expected-error @+1 {{expects a mesh of 2 axes, but got 3}}
  func.func @three_axes(%x: tensor<32x32xbf16>) -> tensor<32x32xbf16> {
    return %x : tensor<32x32xbf16>
  }
}
