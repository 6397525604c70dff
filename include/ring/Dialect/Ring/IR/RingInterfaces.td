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
      that is not one band (dilated attention is several strided ones).
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
    }], "int64_t", "countPairs", (ins "int64_t":$device)>
  ];
  let extraSharedClassDeclaration = [{
    /// Floating-point operations on `device`: two matrix products of
    /// `2 * pairs * dim` each, for every batch entry.
    int64_t countFlops(int64_t device) {
      auto query = $_op.getQuery().getType();
      auto value = $_op.getValue().getType();
      return 2 * query.getDimSize(0) *
             (query.getDimSize(3) + value.getDimSize(3)) *
             $_op.countPairs(device);
    }
  }];
}

def Ring_TransferOpInterface : OpInterface<"TransferOpInterface"> {
  let cppNamespace = "::mlir::ring";
  let description = [{
    An op that moves tensors between the devices of one axis. The same on
    every device: each sends and receives the same number of bytes.
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
