module {
  func.func @op(%x: tensor<1x4x32x32xbf16>) -> tensor<1x8x64x32xbf16> {
    %0 = "ttnn.upsample"(%x) : (tensor<1x4x32x32xbf16>) -> tensor<1x8x64x32xbf16>
    return %0 : tensor<1x8x64x32xbf16>
  }
}

// -----

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 2x4>]>} {
  func.func @parameter(%q: tensor<1x4x64x64xbf16>) -> tensor<1x4x64x64xbf16> {
    %0 = "ttcore.composite"(%q, %q, %q) <{composite_attributes = {novel = 1 : i64}, composite_name = "ring_joint_scaled_dot_product_attention", decomposition = @ring}> : (tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>, tensor<1x4x64x64xbf16>) -> tensor<1x4x64x64xbf16>
    return %0 : tensor<1x4x64x64xbf16>
  }
  func.func private @ring(%q: tensor<1x4x64x64xbf16>, %k: tensor<1x4x64x64xbf16>, %v: tensor<1x4x64x64xbf16>) -> tensor<1x4x64x64xbf16> {
    return %q : tensor<1x4x64x64xbf16>
  }
}

// -----

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 4x4>]>} {
  func.func @square(%q: tensor<1x4x256x64xbf16>) -> tensor<1x4x64x64xbf16> {
    %0 = "ttcore.composite"(%q, %q, %q) <{composite_attributes = {cluster_axis = 1 : ui32, ring_size = 4 : ui32}, composite_name = "ring_distributed_scaled_dot_product_attention", decomposition = @ring}> : (tensor<1x4x256x64xbf16>, tensor<1x4x256x64xbf16>, tensor<1x4x256x64xbf16>) -> tensor<1x4x64x64xbf16>
    return %0 : tensor<1x4x64x64xbf16>
  }
  func.func private @ring(%q: tensor<1x4x256x64xbf16>, %k: tensor<1x4x256x64xbf16>, %v: tensor<1x4x256x64xbf16>) -> tensor<1x4x64x64xbf16> {
    %0 = "ttnn.slice_static"(%q) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 4 : i32, 64 : i32, 64 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (tensor<1x4x256x64xbf16>) -> tensor<1x4x64x64xbf16>
    return %0 : tensor<1x4x64x64xbf16>
  }
}

// -----

module {
  func.func @type(%x: tensor<32x32xf64>) -> tensor<32x32xf64> {
    return %x : tensor<32x32xf64>
  }
}

// -----

module {
}
