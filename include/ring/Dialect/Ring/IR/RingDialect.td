// SPDX-License-Identifier: Apache-2.0
// The ring dialect itself, and the base classes that its attributes, types and ops share.

#ifndef RING_DIALECT_RING_IR_RINGDIALECT_TD
#define RING_DIALECT_RING_IR_RINGDIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"

def Ring_Dialect : Dialect {
  let name = "ring";
  let cppNamespace = "::mlir::ring";
  let summary = "Attention whose sequence is distributed over a mesh of devices";
  let description = [{
    The ring dialect takes an attention from *what* is to be computed, over
    *how* the devices of a mesh share the work, to *when* each transfer and
    each block of compute happens.

    | stage | ops | tensors are |
    |---|---|---|
    | WHAT | `ring.attention` | whole |
    | HOW  | `ring.shard`, `ring.unshard`, `ring.relayout`, `ring.partial`, `ring.merge`, `ring.empty`, `ring.init`, `ring.accumulate`, `ring.finish`, `ring.select`, `ring.shift`, `ring.all_gather`, `ring.all_to_all`, `ring.gather` | one device's |
    | WHEN | `ring.buffer`, `ring.start_*`, `ring.wait`, and the compute ops of HOW | one device's |

    From HOW on, a function is one program that every device runs on its own
    shards (SPMD). What a device holds follows from its *rank*, its place in a
    `#ring.axis`; a `#ring.layout` says which global positions a rank holds.

    The annotation that asks for a ring, `ring.parallel`, is a discardable
    attribute on a TTIR attention, on a function or on the module; the
    innermost one counts.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
}

class Ring_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Ring_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

class Ring_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<Ring_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

class Ring_Op<string mnemonic, list<Trait> traits = []>
    : Op<Ring_Dialect, mnemonic, traits>;

#endif // RING_DIALECT_RING_IR_RINGDIALECT_TD
