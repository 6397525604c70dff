// SPDX-License-Identifier: Apache-2.0
// Stage WHEN, for devices: which part of a schedule is one program of our own
// kernels.

#ifndef RING_DIALECT_RING_IR_RINGLAUNCHOPS_TD
#define RING_DIALECT_RING_IR_RINGLAUNCHOPS_TD

include "mlir/Interfaces/ControlFlowInterfaces.td"
include "ring/Dialect/Ring/IR/RingOpBase.td"

def Ring_LaunchOp : Ring_Op<"launch", [IsolatedFromAbove, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "one device program: an attention with its transfers";
  let description = [{
    The body is the verified schedule, as `ring-overlap` left it: transfers
    with a start, a wait and a buffer, one state that is carried through all
    blocks. Kernels of our own follow it, all devices at once; nothing of it is
    decided again. `compute` says how a device computes it: rows of queries and
    of keys that a core holds at a time, passes over the mantissas, and the
    cores, beside which one more moves data. If it is `chained`, the cores that
    work on one head of keys hand them on to each other, and DRAM is read once
    for all of them.

    ```mlir
    func.func @ring(%query: tensor<1x4x64x64xbf16>, %key: tensor<1x2x64x64xbf16>, %value: tensor<1x2x64x64xbf16>)
        -> (tensor<1x4x64x64xbf16>, tensor<1x4x64x1xf32>) {
      %output, %lse = ring.launch(%q = %query, %k = %key, %v = %value) compute(<q_chunk = 32, k_chunk = 64, grid = 8x1>)
          : (tensor<1x4x64x64xbf16>, tensor<1x2x64x64xbf16>, tensor<1x2x64x64xbf16>)
          -> (tensor<1x4x64x64xbf16>, tensor<1x4x64x1xf32>) {
        %0 = ring.buffer : !ring.buffer<1x2x64x64xbf16>
        %1 = ring.buffer : !ring.buffer<1x2x64x64xbf16>
        %2 = ring.start_shift %k, %v into %0, %1 by 1 on <1 in 1x2>
            : tensor<1x2x64x64xbf16>, tensor<1x2x64x64xbf16> into !ring.buffer<1x2x64x64xbf16>, !ring.buffer<1x2x64x64xbf16>
        %3 = ring.init : !ring.state<1x4x64x64>
        %4 = ring.accumulate %q, %k, %v into %3
            : tensor<1x4x64x64xbf16>, tensor<1x2x64x64xbf16>, tensor<1x2x64x64xbf16> -> !ring.state<1x4x64x64>
        %5:2 = ring.wait %2 : tensor<1x2x64x64xbf16>, tensor<1x2x64x64xbf16>
        %6 = ring.accumulate %q, %5#0, %5#1 into %4
            : tensor<1x4x64x64xbf16>, tensor<1x2x64x64xbf16>, tensor<1x2x64x64xbf16> -> !ring.state<1x4x64x64>
        %out, %sums = ring.finish %6 : !ring.state<1x4x64x64> -> tensor<1x4x64x64xbf16>, tensor<1x4x64x1xf32>
        ring.yield %out, %sums : tensor<1x4x64x64xbf16>, tensor<1x4x64x1xf32>
      }
      return %output, %lse : tensor<1x4x64x64xbf16>, tensor<1x4x64x1xf32>
    }
    ```

    Constraints:
    - (C1) there is an argument of the body for each input, of its type.
    - (C2) the body yields the results.
    - (C3) the chunks and the grid are there.
  }];
  let arguments = (ins Variadic<Ring_Tensor>:$inputs, Ring_ComputeAttr:$compute,
                       UnitAttr:$chained);
  let results = (outs Variadic<Ring_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// What the body yields.
    ::mlir::OperandRange getYielded();
  }];
}

def Ring_YieldOp : Ring_Op<"yield", [Pure, ReturnLike, Terminator, HasParent<"LaunchOp">]> {
  let summary = "the results of a launch";
  let description = [{
    Ends the body of `ring.launch`, whose example has one.
  }];
  let arguments = (ins Variadic<Ring_Tensor>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

#endif // RING_DIALECT_RING_IR_RINGLAUNCHOPS_TD
