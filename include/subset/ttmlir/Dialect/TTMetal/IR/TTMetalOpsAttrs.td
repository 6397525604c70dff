// SPDX-License-Identifier: Apache-2.0
// Attributes of ttmetal. Kernel configurations stay opaque.
#ifndef TTMLIR_DIALECT_TTMETAL_IR_TTMETALOPSATTRS_TD
#define TTMLIR_DIALECT_TTMETAL_IR_TTMETALOPSATTRS_TD

include "ttmlir/Dialect/TTMetal/IR/TTMetalBase.td"

include "mlir/IR/AttrTypeBase.td"

def TTMetal_CoreRangeAttr : AttrDef<TTMetal_Dialect, "CoreRange"> {
  let mnemonic = "core_range";
  let attrName = "ttmetal.core_range";
  let summary = "rectangle of cores, by first core and size";
  let parameters = (ins ArrayRefParameter<"int64_t">:$offset,
                        ArrayRefParameter<"int64_t">:$size);
  let assemblyFormat = [{
    `<` custom<DimensionList>($offset) `,` custom<DimensionList>($size) `>`
  }];
}

#endif // TTMLIR_DIALECT_TTMETAL_IR_TTMETALOPSATTRS_TD
