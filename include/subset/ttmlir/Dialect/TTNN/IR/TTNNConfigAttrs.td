// SPDX-License-Identifier: Apache-2.0
// Attributes that tune a library call. Program configurations of other calls
// (matmul, convolution, generic kernels) stay opaque: no ring program has them.
#ifndef TTMLIR_DIALECT_TTNN_IR_TTNNCONFIGATTRS_TD
#define TTMLIR_DIALECT_TTNN_IR_TTNNCONFIGATTRS_TD

include "ttmlir/Dialect/TTNN/IR/TTNNCoreAttrs.td"

def TTNN_SDPAProgramConfigAttr
    : TTNN_Attr<"SDPAProgramConfig", "sdpa_program_config"> {
  let summary = "cores and chunk sizes of an attention call";
  let parameters = (ins
    "CoreCoordAttr":$compute_with_storage_grid_size,
    OptionalParameter<"CoreRangeSetAttr">:$sub_core_grids,
    "uint64_t":$q_chunk_size,
    "uint64_t":$k_chunk_size,
    OptionalParameter<"::mlir::BoolAttr">:$exp_approx_mode,
    OptionalParameter<"std::optional<uint32_t>">:$max_cores_per_head_batch);
  let assemblyFormat = "`<` struct(params) `>`";
}

def TTNN_DeviceComputeKernelConfig
    : TTNN_Attr<"DeviceComputeKernelConfig", "device_compute_kernel_config"> {
  let summary = "precision of a call's arithmetic";
  let parameters = (ins
    OptionalParameter<"std::optional<MathFidelity>">:$math_fidelity,
    OptionalParameter<"::mlir::BoolAttr">:$math_approx_mode,
    OptionalParameter<"::mlir::BoolAttr">:$fp32_dest_acc_en,
    OptionalParameter<"::mlir::BoolAttr">:$packer_l1_acc,
    OptionalParameter<"::mlir::BoolAttr">:$dst_full_sync_en);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif // TTMLIR_DIALECT_TTNN_IR_TTNNCONFIGATTRS_TD
