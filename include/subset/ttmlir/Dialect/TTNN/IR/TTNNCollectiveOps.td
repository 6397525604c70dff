// SPDX-License-Identifier: Apache-2.0
// Communication between the devices of a mesh.
#ifndef TTMLIR_DIALECT_TTNN_IR_TTNNCOLLECTIVEOPS_TD
#define TTMLIR_DIALECT_TTNN_IR_TTNNCOLLECTIVEOPS_TD

include "ttmlir/Dialect/TTCore/IR/TTCoreOpsTypes.td"
include "ttmlir/Dialect/TTNN/IR/TTNNOpsAttrs.td"
include "ttmlir/Dialect/TTNN/IR/TTNNOpsTypes.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"

def TTNN_AllGatherOp : TTNN_TensorOp<"all_gather"> {
  let summary = "joins the parts along one mesh axis on every device";
  let description = [{
    Constraints:
    - (C1) `all_gather_dim` is a dimension of the input, negative from the end
    - (C2) the result has the input's shape, but for a multiple of it in that
      dimension
    - (C3) input and result are both tiled or both row-major
  }];
  let arguments = (ins AnyRankedTensor:$input,
                       SI32Attr:$all_gather_dim,
                       UI32Attr:$cluster_axis,
                       OptionalAttr<UI32Attr>:$sub_device_id,
                       OptionalAttr<UI32Attr>:$num_links,
                       OptionalAttr<TTCore_TopologyAttr>:$topology);
  let hasVerifier = 1;
}

def TTNN_AllReduceOp : TTNN_TensorOp<"all_reduce"> {
  let summary = "reduces the parts along one mesh axis, for every device";
  let description = [{
    Constraints:
    - (C1) `reduce_type` is `sum`
    - (C2) the result has the input's shape
  }];
  let arguments = (ins AnyRankedTensor:$input,
                       TTCore_ReduceTypeAttr:$reduce_type,
                       UI32Attr:$cluster_axis,
                       OptionalAttr<UI32Attr>:$sub_device_id,
                       OptionalAttr<UI32Attr>:$num_links,
                       OptionalAttr<TTCore_TopologyAttr>:$topology);
  let hasVerifier = 1;
}

def TTNN_ReduceScatterOp : TTNN_TensorOp<"reduce_scatter"> {
  let summary = "reduces along one mesh axis and leaves each device a part";
  let description = [{
    Constraints:
    - (C1) `reduce_type` is `sum`
    - (C2) `scatter_dim` is a dimension of the input, negative from the end
  }];
  let arguments = (ins AnyRankedTensor:$input,
                       TTCore_ReduceTypeAttr:$reduce_type,
                       SI32Attr:$scatter_dim,
                       UI32Attr:$cluster_axis,
                       OptionalAttr<UI32Attr>:$sub_device_id,
                       OptionalAttr<UI32Attr>:$num_links,
                       OptionalAttr<TTCore_TopologyAttr>:$topology,
                       OptionalAttr<TTNN_DeviceComputeKernelConfig>:
                           $compute_config);
  let hasVerifier = 1;
}

def TTNN_PointToPointOp : TTNN_TensorOp<"point_to_point"> {
  let summary = "sends one device's part to another";
  let description = [{
    On all devices but the receiver the result is what
    `optional_output_tensor` holds.

    Constraints:
    - (C1) `optional_output_tensor` has the input's shape and element type
    - (C2) with it, sender and receiver differ
  }];
  let arguments = (ins AnyRankedTensor:$input,
                       DenseI64ArrayAttr:$sender_coord,
                       DenseI64ArrayAttr:$receiver_coord,
                       Arg<Optional<AnyRankedTensor>, "written by the receiver",
                           [MemWrite]>:$optional_output_tensor);
  let hasVerifier = 1;
}

def TTNN_MeshPartitionOp : TTNN_TensorOp<"mesh_partition"> {
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

def TTNN_DistributeTensorOp : TTNN_TensorOp<"distribute_tensor"> {
  let summary = "spreads a host tensor over a mesh";
  let arguments = (ins AnyRankedTensor:$input,
                       TTNN_MeshMapperConfigAttr:$mapper_config,
                       TTNN_Device:$mesh_device,
                       OptionalAttr<UI32Attr>:$cq_id);
}

def TTNN_AggregateTensorOp : TTNN_TensorOp<"aggregate_tensor"> {
  let summary = "joins the parts of a mesh into a host tensor";
  let arguments = (ins AnyRankedTensor:$input,
                       TTNN_MeshComposerConfigAttr:$composer_config,
                       TTNN_Device:$mesh_device);
}

#endif // TTMLIR_DIALECT_TTNN_IR_TTNNCOLLECTIVEOPS_TD
