// SPDX-License-Identifier: Apache-2.0
// What passes may ask of an attention pattern, of an op that attends and of an
// op that moves data, without knowing which one it is.

#ifndef RING_DIALECT_RING_IR_RINGINTERFACES_TD
#define RING_DIALECT_RING_IR_RINGINTERFACES_TD

include "mlir/IR/OpBase.td"

def Ring_PatternAttrInterface : AttrInterface<"PatternAttrInterface"> {
  let cppNamespace = "::mlir::ring";
  let description = [{
    Which keys a query attends to, by their positions in the whole sequence.
  }];
  let methods = [
    InterfaceMethod<[{
      The band of keys around a query's own position, or nothing for a pattern
      that is not one band of positions (dilated attention, packed documents).
    }], "std::optional<::mlir::ring::Band>", "getBand">,
    InterfaceMethod<"Whether no query attends to a later key.",
                    "bool", "isCausal">
  ];
}

def Ring_AttendOpInterface : OpInterface<"AttendOpInterface"> {
  let cppNamespace = "::mlir::ring";
  let description = [{
    An op that scores queries against keys and averages values: a whole
    attention or one block of it.
  }];
  let methods = [
    InterfaceMethod<"The queries, `[batch, heads, queries, dim]`.",
                    "::mlir::TypedValue<::mlir::RankedTensorType>", "getQuery">,
    InterfaceMethod<"The keys, `[batch, kv heads, keys, dim]`.",
                    "::mlir::TypedValue<::mlir::RankedTensorType>", "getKey">,
    InterfaceMethod<"The values, `[batch, kv heads, keys, value dim]`.",
                    "::mlir::TypedValue<::mlir::RankedTensorType>", "getValue">,
    InterfaceMethod<[{
      How many (query, key) pairs of one batch entry, summed over the query
      heads, the device with the given linear index in the mesh computes.
    }], "int64_t", "countPairs", (ins "int64_t":$device)>,
    InterfaceMethod<[{
      Floating-point operations of one (query, key) pair. By default those of
      the two products of an attention, scores and output, `2 * dim` each.
    }], "int64_t", "countFlopsPerPair", (ins), "", [{
      return 2 * ($_op.getQuery().getType().getDimSize(3) +
                  $_op.getValue().getType().getDimSize(3));
    }]>
  ];
  let extraSharedClassDeclaration = [{
    /// Floating-point operations on `device`, for all batch entries.
    int64_t countFlops(int64_t device) {
      return $_op.getQuery().getType().getDimSize(0) *
             $_op.countFlopsPerPair() * $_op.countPairs(device);
    }
  }];
}

def Ring_WholeAttentionOpInterface : OpInterface<"WholeAttentionOpInterface"> {
  let cppNamespace = "::mlir::ring";
  let description = [{
    An attention on whole tensors, or its gradients: what `ring-plan` plans and
    `ring-shard` distributes.
  }];
  let methods = [
    InterfaceMethod<"Which keys a query attends to; nothing for all.",
                    "::mlir::ring::PatternAttrInterface", "getPatternAttr">,
    InterfaceMethod<"What is added to the scores, or nothing.",
                    "::mlir::TypedValue<::mlir::RankedTensorType>", "getMask">,
    InterfaceMethod<"The ends of documents behind each other, or nothing.",
                    "::mlir::TypedValue<::mlir::RankedTensorType>",
                    "getDocuments">,
    InterfaceMethod<"What multiplies the scores; nothing for 1 / sqrt(dim).",
                    "::mlir::FloatAttr", "getScaleAttr">,
    InterfaceMethod<"Keys from this position on are padding.",
                    "::mlir::IntegerAttr", "getLengthAttr">,
    InterfaceMethod<"The mesh axes it may be distributed over.",
                    "::mlir::ring::ParallelAttr", "getParallelAttr">,
    InterfaceMethod<"What was decided, or nothing yet.",
                    "::mlir::ring::PlanAttr", "getPlanAttr">,
    InterfaceMethod<"Notes what was decided.", "void", "setPlanAttr",
                    (ins "::mlir::ring::PlanAttr":$plan)>,
    InterfaceMethod<[{
      Whether the function is one device's program already, and the whole
      tensors are values that every device of the sequence axis has.
    }], "bool", "getPerDevice">
  ];
}

def Ring_TransferOpInterface : OpInterface<"TransferOpInterface"> {
  let cppNamespace = "::mlir::ring";
  let description = [{
    An op that moves tensors between the devices of one axis. Where devices
    differ (routes, and shifts that do not reach all), bytes are those of the
    device that gets most.
  }];
  let methods = [
    InterfaceMethod<"The axis along which the data moves.",
                    "::mlir::ring::AxisAttr", "getAxis">,
    InterfaceMethod<[{
      The ranks that a device receives from, relative to its own and modulo the
      ring, with the bytes each one sends it. Its own rank is not among them.
    }], "::llvm::SmallVector<::mlir::ring::Transfer>", "getTransfers">
  ];
  let extraSharedClassDeclaration = [{
    /// Bytes one device sends; by symmetry, also the bytes it receives.
    int64_t countBytesSent() {
      int64_t bytes = 0;
      for (const ::mlir::ring::Transfer &transfer : $_op.getTransfers())
        bytes += transfer.bytes;
      return bytes;
    }
  }];
}

def Ring_StartOpInterface : OpInterface<"StartOpInterface"> {
  let cppNamespace = "::mlir::ring";
  let description = [{
    An op that starts a transfer which a `ring.wait` ends.
  }];
  let methods = [
    InterfaceMethod<"The tensors that are sent.",
                    "::mlir::OperandRange", "getPayload", (ins), "", [{
      return $_op->getOperands().drop_back($_op.getLandings().size());
    }]>,
    InterfaceMethod<"The buffers that the tensors of the wait live in, in order.",
                    "::mlir::OperandRange", "getLandings">
  ];
}

#endif // RING_DIALECT_RING_IR_RINGINTERFACES_TD
