// SPDX-License-Identifier: Apache-2.0
// Joint attention of Flux.1 as a model in TTIR has it: a composite that names the
// attention and says what it means. Its 512 text tokens are dealt to the devices
// as the 4096 image tokens are; 4 of the 24 heads, small enough to check.
!image = tensor<1x4x4096x128xbf16>
!text = tensor<1x4x512x128xbf16>
!all = tensor<1x4x4608x128xbf16>

module attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 2x4>]>} {
  func.func @attention(%q: !image, %k: !image, %v: !image, %jq: !text, %jk: !text, %jv: !text) -> (!image, !text) {
    %0:2 = "ttcore.composite"(%q, %k, %v, %jq, %jk, %jv) <{composite_attributes = {joint_strategy = "rear"}, composite_name = "joint_scaled_dot_product_attention", decomposition = @joint_attention}>
        {ring.parallel = #ring.parallel<sequence = 0, heads = 1, joint = sharded>} : (!image, !image, !image, !text, !text, !text) -> (!image, !text)
    return %0#0, %0#1 : !image, !text
  }

  func.func private @joint_attention(%q: !image, %k: !image, %v: !image, %jq: !text, %jk: !text, %jv: !text) -> (!image, !text) {
    %0 = "ttir.concat"(%q, %jq) <{dim = 2 : si32}> : (!image, !text) -> !all
    %1 = "ttir.concat"(%k, %jk) <{dim = 2 : si32}> : (!image, !text) -> !all
    %2 = "ttir.concat"(%v, %jv) <{dim = 2 : si32}> : (!image, !text) -> !all
    %3 = "ttir.scaled_dot_product_attention"(%0, %1, %2) <{is_causal = false, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!all, !all, !all) -> !all
    %4 = "ttir.slice_static"(%3) <{begins = [0 : i32, 0 : i32, 0 : i32, 0 : i32], ends = [1 : i32, 4 : i32, 4096 : i32, 128 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!all) -> !image
    %5 = "ttir.slice_static"(%3) <{begins = [0 : i32, 0 : i32, 4096 : i32, 0 : i32], ends = [1 : i32, 4 : i32, 4608 : i32, 128 : i32], step = [1 : i32, 1 : i32, 1 : i32, 1 : i32]}> : (!all) -> !text
    return %4, %5 : !image, !text
  }
}
