// SPDX-License-Identifier: Apache-2.0
// Devices, memory, layouts and semaphores.
#ifndef TTMLIR_DIALECT_TTNN_IR_TTNNDEVICEOPS_TD
#define TTMLIR_DIALECT_TTNN_IR_TTNNDEVICEOPS_TD

include "ttmlir/Dialect/TTNN/IR/TTNNOpsAttrs.td"
include "ttmlir/Dialect/TTNN/IR/TTNNOpsTypes.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TTNN_GetDeviceOp : TTNN_Op<"get_device"> {
  let summary = "opens the device";
  let arguments = (ins OptionalAttr<TTNN_MeshShapeAttr>:$mesh_shape,
                       OptionalAttr<TTNN_MeshOffsetAttr>:$mesh_offset);
  let results = (outs TTNN_Device:$device);
}

def TTNN_DeallocateOp
    : Op<TTNN_Dialect, "deallocate", [MemoryEffects<[MemFree]>]> {
  let summary = "frees a tensor's memory";
  let arguments = (ins AnyRankedTensor:$input,
                       DefaultValuedAttr<BoolAttr, "false">:$force);
}

class TTNN_MoveOp<string mnemonic, string what> : TTNN_TensorOp<mnemonic> {
  let summary = what;
  let arguments = (ins AnyRankedTensor:$input);
}

def TTNN_ToDeviceOp : TTNN_TensorOp<"to_device"> {
  let summary = "copies a tensor from the host to the device";
  let arguments = (ins AnyRankedTensor:$input, TTNN_Device:$device);
}

def TTNN_FromDeviceOp
    : TTNN_MoveOp<"from_device", "copies a tensor from the device to the host">;

def TTNN_ToLayoutOp
    : TTNN_MoveOp<"to_layout", "switches between tiles and row-major">;

def TTNN_ToTensorSpecOp
    : TTNN_MoveOp<"to_tensor_spec", "changes how a tensor is stored">;

def TTNN_AssignOp : TTNN_MoveOp<"assign", "copies a tensor"> {
  let description = [{
    Constraints:
    - (C1) the result has the input's shape
  }];
  let hasVerifier = 1;
}

def TTNN_CreateGlobalSemaphoreOp
    : Op<TTNN_Dialect, "create_global_semaphore"> {
  let summary = "makes a semaphore on a range of cores of every device";
  let description = [{
    Each one is a semaphore of its own, so two of them are never merged.
  }];
  let arguments = (ins TTNN_Device:$device,
                       OptionalAttr<UI32Attr>:$initial_value,
                       TTNN_CoreRangeSetAttr:$core_range_set);
  let results = (outs Res<TTNN_GlobalSemaphore, "", [MemAlloc]>:$result);
}

def TTNN_ResetGlobalSemaphoreOp
    : Op<TTNN_Dialect, "reset_global_semaphore", [MemoryEffects<[MemWrite]>]> {
  let summary = "sets a semaphore to a value";
  let arguments = (ins TTNN_GlobalSemaphore:$semaphore, UI32Attr:$value);
}

def TTNN_GenericOp
    : Op<TTNN_Dialect, "generic", [AttrSizedOperandSegments,
                                   MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "runs kernels given as a program";
  let description = [{
    `program` is `#ttnn.program` or `#ttnn.mesh_program_descriptor`, which stay
    opaque here.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs_and_outputs,
                       Variadic<AnyType>:$additional_args,
                       AnyAttr:$program);
}

def TTNN_D2MSubgraphOp
    : Op<TTNN_Dialect, "d2m_subgraph", [AttrSizedOperandSegments]> {
  let summary = "calls a function compiled by another backend";
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs,
                       Variadic<AnyRankedTensor>:$outputs,
                       SymbolRefAttr:$d2m_func);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $d2m_func attr-dict `\n`
    `ins` `(` $inputs `:` type($inputs) `)` `\n`
    `outs` `(` $outputs `:` type($outputs) `)` (`:` type($results)^)?
  }];
}

def TTNN_TTLangOp : Op<TTNN_Dialect, "tt_lang_op"> {
  let summary = "call of a kernel written in tt-lang";
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs,
                       StrAttr:$kernel_id,
                       StrAttr:$version_tag,
                       StrAttr:$arg_roles,
                       DefaultValuedStrAttr<StrAttr, "">:$shard_spec,
                       OptionalAttr<StrAttr>:$kernel_artifact);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `(` $inputs `)` attr-dict `:` `(` type($inputs) `)` `->`
    `(` type($results) `)`
  }];
}

#endif // TTMLIR_DIALECT_TTNN_IR_TTNNDEVICEOPS_TD
