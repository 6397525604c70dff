// SPDX-License-Identifier: Apache-2.0
// Communication between the devices of a mesh. A type is that of one device's
// part; the mesh itself is an attribute of the module.
#ifndef TTMLIR_DIALECT_TTIR_IR_TTIRCOLLECTIVEOPS_TD
#define TTMLIR_DIALECT_TTIR_IR_TTIRCOLLECTIVEOPS_TD

include "ttmlir/Dialect/TTCore/IR/TTCoreOpsTypes.td"
include "ttmlir/Dialect/TTIR/IR/TTIRBase.td"

include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"

def TTIR_AllGatherOp : TTIR_NamedOp<"all_gather"> {
  let summary = "joins the parts along one mesh axis on every device";
  let description = [{
    Constraints:
    - (C1) `all_gather_dim` is a dimension of the input, negative from the end
    - (C2) the result has the input's shape, but for a multiple of it in that
      dimension
  }];
  let arguments = (ins AnyRankedTensor:$input,
                       SI32Attr:$all_gather_dim,
                       UI32Attr:$cluster_axis);
  let hasVerifier = 1;
}

def TTIR_AllReduceOp : TTIR_NamedOp<"all_reduce"> {
  let summary = "reduces the parts along one mesh axis, for every device";
  let description = [{
    Constraints:
    - (C1) `reduce_type` is `sum`
    - (C2) the result has the input's shape
  }];
  let arguments = (ins AnyRankedTensor:$input,
                       TTCore_ReduceTypeAttr:$reduce_type,
                       UI32Attr:$cluster_axis);
  let hasVerifier = 1;
}

def TTIR_ReduceScatterOp : TTIR_NamedOp<"reduce_scatter"> {
  let summary = "reduces along one mesh axis and leaves each device a part";
  let description = [{
    Constraints:
    - (C1) `reduce_type` is `sum`, `max` or `min`
    - (C2) `scatter_dim` is a dimension of the input, negative from the end
  }];
  let arguments = (ins AnyRankedTensor:$input,
                       TTCore_ReduceTypeAttr:$reduce_type,
                       SI32Attr:$scatter_dim,
                       UI32Attr:$cluster_axis);
  let hasVerifier = 1;
}

def TTIR_CollectivePermuteOp : TTIR_NamedOp<"collective_permute"> {
  let summary = "sends each device's part to at most one other";
  let description = [{
    Row [s, t] of `source_target_pairs` sends the part of device s to device t.
    A device that is no target gets zeros.

    Constraints:
    - (C1) `source_target_pairs` is a list of pairs
    - (C2) no device is the source, or the target, of two pairs
    - (C3) the result has the input's shape
  }];
  let arguments = (ins AnyRankedTensor:$input,
                       I64ElementsAttr:$source_target_pairs);
  let hasVerifier = 1;
}

def TTIR_AllToAllOp : TTIR_NamedOp<"all_to_all"> {
  let summary = "splits one dimension over a group and joins another";
  let description = [{
    Constraints:
    - (C1) `split_dim` and `concat_dim` are dimensions of the input
    - (C2) `split_count` is positive and divides the split dimension
    - (C3) the result's split dimension is divided by `split_count` and its
      concat dimension multiplied by it
    - (C4) input and result have the same element type
    - (C5) `replica_groups` is a table of `split_count` columns that names each
      device 0, 1, ... once
  }];
  let arguments = (ins AnyRankedTensor:$input,
                       SI32Attr:$split_dim,
                       SI32Attr:$concat_dim,
                       SI32Attr:$split_count,
                       I64ElementsAttr:$replica_groups);
  let hasVerifier = 1;
}

def TTIR_MeshPartitionOp : TTIR_NamedOp<"mesh_partition"> {
  let summary = "leaves each device its own part of what all of them hold";
  let description = [{
    Constraints:
    - (C1) `dim` is a dimension of the input, negative from the end
    - (C2) `cluster_axis` is 0 or 1
    - (C3) the result has the input's shape, but for a divisor of it in that
      dimension
  }];
  let arguments = (ins AnyRankedTensor:$input,
                       SI32Attr:$dim,
                       OptionalAttr<UI32Attr>:$cluster_axis);
  let hasVerifier = 1;
}

def TTIR_MeshShardOp : TTIR_Op<"mesh_shard", [Pure]> {
  let summary = "moves between a whole tensor and its shards over the mesh";
  let description = [{
    `shard_shape` says into how many parts each dimension is cut, `shard_dims`
    which tensor dimension each mesh axis cuts (-1 for none).

    Constraints:
    - (C1) `shard_type` is not `maximal`
  }];
  let arguments = (ins AnyRankedTensorOrMemRef:$input,
                       TTCore_MeshShardTypeAttr:$shard_type,
                       TTCore_MeshShardDirectionAttr:$shard_direction,
                       DenseI64ArrayAttr:$shard_shape,
                       DenseI64ArrayAttr:$shard_dims);
  let results = (outs AnyRankedTensorOrMemRef:$result);
  let hasVerifier = 1;
}

#endif // TTMLIR_DIALECT_TTIR_IR_TTIRCOLLECTIVEOPS_TD
