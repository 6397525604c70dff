// SPDX-License-Identifier: Apache-2.0
// Ops of ttmetal: host commands. None is verified beyond its types: what their
// attributes may hold is the backend's business.
#ifndef TTMLIR_DIALECT_TTMETAL_IR_TTMETALOPS_TD
#define TTMLIR_DIALECT_TTMETAL_IR_TTMETALOPS_TD

include "ttmlir/Dialect/TTCore/IR/TTCoreOpsTypes.td"
include "ttmlir/Dialect/TTMetal/IR/TTMetalOpsAttrs.td"
include "ttmlir/Dialect/TTMetal/IR/TTMetalOpsTypes.td"

include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TTMetal_EnqueueProgramOp
    : TTMetal_Op<"enqueue_program", [AttrSizedOperandSegments,
                                     MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "queues a program made of kernels";
  let description = [{
    `args` are what the kernels refer to by number, `cbs` the circular buffers
    bound to `cb_ports`.
  }];
  let arguments = (ins Variadic<AnyType>:$args,
                       Variadic<AnyNon0RankedMemRef>:$cbs,
                       DenseI64ArrayAttr:$cb_ports,
                       ArrayAttr:$kernelConfigs,
                       OptionalAttr<ArrayAttr>:$fabricConnectionConfigs);
}

def TTMetal_EnqueueWriteBufferOp
    : TTMetal_Op<"enqueue_write_buffer", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "queues a copy from the host to a device buffer";
  let arguments = (ins AnyMemRef:$input, AnyNon0RankedMemRef:$output);
}

def TTMetal_EnqueueReadBufferOp
    : TTMetal_Op<"enqueue_read_buffer", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "queues a copy from a device buffer to the host";
  let arguments = (ins AnyNon0RankedMemRef:$input, AnyMemRef:$output);
}

def TTMetal_CreateBufferOp
    : TTMetal_Op<"create_buffer", [MemoryEffects<[MemAlloc]>]> {
  let summary = "makes a device buffer at an address";
  let arguments = (ins I64Attr:$address,
                       OptionalAttr<AffineMapAttr>:$virtualGridInverseMapping,
                       OptionalAttr<AffineMapAttr>:$virtualGridForwardMapping);
  let results = (outs AnyNon0RankedMemRef:$result);
}

def TTMetal_DeallocateBufferOp
    : TTMetal_Op<"deallocate_buffer", [MemoryEffects<[MemFree]>]> {
  let summary = "frees a device buffer";
  let arguments = (ins AnyNon0RankedMemRef:$input);
}

def TTMetal_CreateGlobalSemaphoreOp
    : TTMetal_Op<"create_global_semaphore", [MemoryEffects<[MemWrite]>]> {
  let summary = "makes a semaphore at an address of a range of cores";
  let arguments = (ins I64Attr:$address,
                       OptionalAttr<UI32Attr>:$initial_value,
                       TTMetal_CoreRangeAttr:$core_range);
  let results = (outs TTMetal_GlobalSemaphore:$result);
}

def TTMetal_ResetGlobalSemaphoreOp
    : TTMetal_Op<"reset_global_semaphore", [MemoryEffects<[MemWrite]>]> {
  let summary = "sets a semaphore to a value";
  let arguments = (ins TTMetal_GlobalSemaphore:$semaphore, UI32Attr:$value);
}

def TTMetal_MeshShardOp
    : TTMetal_Op<"mesh_shard", [MemoryEffects<[MemRead, MemAlloc]>]> {
  let summary = "moves between a whole host buffer and its shards";
  let arguments = (ins AnyNon0RankedMemRef:$input,
                       TTCore_MeshShardTypeAttr:$shard_type,
                       TTCore_MeshShardDirectionAttr:$shard_direction,
                       DenseI64ArrayAttr:$shard_shape,
                       DenseI64ArrayAttr:$shard_dims);
  let results = (outs AnyNon0RankedMemRef:$result);
}

def TTMetal_FinishOp
    : TTMetal_Op<"finish", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until the queue is empty";
}

#endif // TTMLIR_DIALECT_TTMETAL_IR_TTMETALOPS_TD
