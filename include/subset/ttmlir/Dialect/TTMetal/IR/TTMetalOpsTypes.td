// SPDX-License-Identifier: Apache-2.0
// Types of ttmetal.
#ifndef TTMLIR_DIALECT_TTMETAL_IR_TTMETALOPSTYPES_TD
#define TTMLIR_DIALECT_TTMETAL_IR_TTMETALOPSTYPES_TD

include "ttmlir/Dialect/TTMetal/IR/TTMetalBase.td"

include "mlir/IR/AttrTypeBase.td"

class TTMetal_Type<string name, string typeMnemonic>
    : TypeDef<TTMetal_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def TTMetal_GlobalSemaphore
    : TTMetal_Type<"GlobalSemaphore", "global_semaphore"> {
  let summary = "a semaphore with one address on all cores of a range";
}

def TTMetal_LocalSemaphore : TTMetal_Type<"LocalSemaphore", "local_semaphore"> {
  let summary = "a semaphore of one program";
}

#endif // TTMLIR_DIALECT_TTMETAL_IR_TTMETALOPSTYPES_TD
