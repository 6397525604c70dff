// SPDX-License-Identifier: Apache-2.0
// Stage HOW: transfers between the devices of one axis, as values.

#ifndef RING_DIALECT_RING_IR_RINGTRANSFEROPS_TD
#define RING_DIALECT_RING_IR_RINGTRANSFEROPS_TD

include "ring/Dialect/Ring/IR/RingOpBase.td"

class Ring_TransferOp<string mnemonic, list<Trait> traits = []>
    : Ring_Op<mnemonic, traits # [Pure,
        DeclareOpInterfaceMethods<Ring_TransferOpInterface, ["getTransfers"]>]> {
  let hasVerifier = 1;
}

def Ring_ShiftOp : Ring_TransferOp<"shift"> {
  let summary = "passes tensors on round the ring";
  let description = [{
    Rank `r` sends its tensors to rank `r + by` and receives those of
    `r - by`, modulo the ring. Several tensors make one transfer: K and V of a
    ring step travel together. Shifting by 0 folds away; a shift of a shift
    that nobody else uses becomes one.

    `reaching n` leaves out the ranks below `n`: nothing that counts is sent to
    them, and nobody may read their results, which are 0 here and anything on a
    device. The ring of a causal pattern is such an open chain. The keys that
    have come h hops are those of h ranks before, and only ranks from h on have
    queries that see them.

    ```mlir
    func.func @pass_on_the_keys_of_the_rank_before(%k: tensor<1x2x512x64xbf16>) -> tensor<1x2x512x64xbf16> {
      %next = ring.shift %k by 1 on <0 in 8x4> reaching 2 : tensor<1x2x512x64xbf16>
      return %next : tensor<1x2x512x64xbf16>
    }
    ```

    ```mlir
    func.func @pass_on(%k: tensor<1x2x512x64xbf16>, %v: tensor<1x2x512x64xbf16>)
        -> (tensor<1x2x512x64xbf16>, tensor<1x2x512x64xbf16>) {
      %next:2 = ring.shift %k, %v by 1 on <0 in 8x4> : tensor<1x2x512x64xbf16>, tensor<1x2x512x64xbf16>
      return %next#0, %next#1 : tensor<1x2x512x64xbf16>, tensor<1x2x512x64xbf16>
    }
    ```

    Constraints:
    - (C1) there is at least one tensor, and every result has its operand's type.
    - (C2) the first rank that is reached is one of the axis, and not 0.
  }];
  let arguments = (ins Variadic<Ring_Tensor>:$inputs, I64Attr:$by, Ring_AxisAttr:$axis,
                       OptionalAttr<I64Attr>:$reaching);
  let results = (outs Variadic<Ring_Tensor>:$results);
  let assemblyFormat = [{
    $inputs `by` $by `on` $axis (`reaching` $reaching^)? attr-dict `:` custom<SameTypes>(type($inputs), type($results))
  }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Ring_AllGatherOp : Ring_TransferOp<"all_gather"> {
  let summary = "every device gets all shards";
  let description = [{
    Concatenates the shards of all ranks along `dim`, in rank order.

    ```mlir
    func.func @gather_keys(%k: tensor<1x2x512x64xbf16>) -> tensor<1x2x4096x64xbf16> {
      %0 = ring.all_gather %k dim 2 on <0 in 8x4> : tensor<1x2x512x64xbf16> -> tensor<1x2x4096x64xbf16>
      return %0 : tensor<1x2x4096x64xbf16>
    }
    ```

    Constraints:
    - (C1) the dimension exists.
    - (C2) the result is the operand with that dimension times the ranks.
  }];
  let arguments = (ins Ring_Tensor:$input, I64Attr:$dim, Ring_AxisAttr:$axis);
  let results = (outs Ring_Tensor:$result);
  let assemblyFormat = [{
    $input `dim` $dim `on` $axis attr-dict `:` type($input) `->` type($result)
  }];
  let hasFolder = 1;
}

def Ring_AllToAllOp : Ring_TransferOp<"all_to_all"> {
  let summary = "trades a split of one dimension for a split of another";
  let description = [{
    Cuts `split` into as many pieces as there are ranks, sends piece `i` to
    rank `i`, and concatenates what arrives along `concat` in rank order: from
    sequence shards to head shards, and back with the dimensions exchanged.

    ```mlir
    func.func @to_heads(%q: tensor<1x8x512x64xbf16>) -> tensor<1x1x4096x64xbf16> {
      %0 = ring.all_to_all %q split 1 concat 2 on <0 in 8x4> : tensor<1x8x512x64xbf16> -> tensor<1x1x4096x64xbf16>
      return %0 : tensor<1x1x4096x64xbf16>
    }
    ```

    Constraints:
    - (C1) both dimensions exist and differ.
    - (C2) the ranks divide the split dimension.
    - (C3) the result has the split dimension divided and the other multiplied by the ranks.
  }];
  let arguments = (ins Ring_Tensor:$input, I64Attr:$split, I64Attr:$concat, Ring_AxisAttr:$axis);
  let results = (outs Ring_Tensor:$result);
  let assemblyFormat = [{
    $input `split` $split `concat` $concat `on` $axis attr-dict
    `:` type($input) `->` type($result)
  }];
  let hasFolder = 1;
}

def Ring_GatherOp : Ring_TransferOp<"gather"> {
  let summary = "fetches some rows of some ranks";
  let description = [{
    Concatenates the listed parts of other ranks' tensors along `dim`, in the
    order of the list: a halo for a sliding window, the packed rows of a
    dilated segment. Ranks count modulo the ring.

    ```mlir
    func.func @halo(%k: tensor<1x2x512x64xbf16>) -> tensor<1x2x576x64xbf16> {
      %0 = ring.gather %k dim 2 parts [<source = -1, offset = 448, size = 64>, <source = 0, size = 512>] on <0 in 8x4>
          : tensor<1x2x512x64xbf16> -> tensor<1x2x576x64xbf16>
      return %0 : tensor<1x2x576x64xbf16>
    }
    ```

    Constraints:
    - (C1) the dimension exists.
    - (C2) there is at least one part, and each lies within the operand.
    - (C3) the result is the operand with that dimension the sum of the parts' sizes.
  }];
  let arguments = (ins Ring_Tensor:$input, I64Attr:$dim,
                       TypedArrayAttrBase<Ring_PartAttr, "parts">:$parts, Ring_AxisAttr:$axis);
  let results = (outs Ring_Tensor:$result);
  let assemblyFormat = [{
    $input `dim` $dim `parts` custom<Parts>($parts) `on` $axis attr-dict
    `:` type($input) `->` type($result)
  }];
  let hasFolder = 1;
}

def Ring_RouteOp : Ring_TransferOp<"route"> {
  let summary = "fetches and places rows, differently on every device";
  let description = [{
    `legs` has a list for every device of the mesh, in the order of the devices:
    which rows of which ranks it gets, and where they go. Rows that none of them
    brings are `fill`, or 0. Packs and unpacks the rows of a dilated segment that
    lies across the borders of shards, and moves exactly the rows that are needed.

    Its bytes are those of the device that gets most.

    ```mlir
    func.func @straddling(%k: tensor<1x2x6x64xbf16>) -> tensor<1x2x3x64xbf16> {
      // Every other row of 12; the first device fetches one of the second.
      %0 = ring.route %k dim 2 legs [
          [#ring.leg<size = 2, stride = 2>, #ring.leg<source = 1, offset = 4, size = 1, at = 2>],
          [#ring.leg<offset = 1, size = 2, stride = 2>]] on <0 in 2>
          : tensor<1x2x6x64xbf16> -> tensor<1x2x3x64xbf16>
      return %0 : tensor<1x2x3x64xbf16>
    }
    ```

    Constraints:
    - (C1) the dimension exists.
    - (C2) there is one list of legs for every device of the mesh.
    - (C3) every leg lies within the operand and within the result.
    - (C4) no two legs of a device go to the same row.
    - (C5) the result is the operand but for that dimension, which is at most 2^24.
  }];
  let arguments = (ins Ring_Tensor:$input, I64Attr:$dim, Ring_Legs:$legs,
                       OptionalAttr<F32Attr>:$fill, Ring_AxisAttr:$axis);
  let results = (outs Ring_Tensor:$result);
  let assemblyFormat = [{
    $input `dim` $dim `legs` $legs (`fill` `(` $fill^ `)`)? `on` $axis attr-dict
    `:` type($input) `->` type($result)
  }];
}

#endif // RING_DIALECT_RING_IR_RINGTRANSFEROPS_TD
