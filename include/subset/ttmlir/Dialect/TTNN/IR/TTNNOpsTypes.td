// SPDX-License-Identifier: Apache-2.0
// Types of ttnn that are not tensors.
#ifndef TTMLIR_DIALECT_TTNN_IR_TTNNOPSTYPES_TD
#define TTMLIR_DIALECT_TTNN_IR_TTNNOPSTYPES_TD

include "ttmlir/Dialect/TTNN/IR/TTNNBase.td"

include "mlir/IR/AttrTypeBase.td"

class TTNN_Type<string name, string typeMnemonic>
    : TypeDef<TTNN_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def TTNN_Device : TTNN_Type<"Device", "device"> {
  let summary = "an open device, one chip or a mesh of them";
}

def TTNN_GlobalSemaphore : TTNN_Type<"GlobalSemaphore", "global_semaphore"> {
  let summary = "a semaphore with one address on all cores of a range";
}

#endif // TTMLIR_DIALECT_TTNN_IR_TTNNOPSTYPES_TD
