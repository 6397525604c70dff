# SPDX-License-Identifier: Apache-2.0
"""Tensors spread over the mesh and put together again, and transfers between
devices."""

import numpy as np

from .mesh import MeshDevice
from .rules import TILE, TRACING, check_int, check_type, require
from .tensor import Buffer, Tensor, check_device, on_device, shards_of, stored, to_device
from .values import (Layout, MeshComposerConfig, MeshCoordinate,
                     MeshMapperConfig, PlacementShard, Topology)


class CppTensorToMesh:
    def __init__(self, device, config):
        self.device, self.config = device, config


class CppMeshToTensor:
    def __init__(self, device, config):
        self.device, self.config = device, config


def create_mesh_mapper(mesh_device, config):
    check_type(mesh_device, MeshDevice, "mesh_device").check_open()
    check_type(config, MeshMapperConfig, "config")
    require(len(config.placements) == 2, "mapper: expects a placement for each axis of the mesh")
    return CppTensorToMesh(mesh_device, config)


def create_mesh_composer(mesh_device, config):
    check_type(mesh_device, MeshDevice, "mesh_device").check_open()
    check_type(config, MeshComposerConfig, "config")
    require(len(config.dims) == 2, "composer: expects a dimension for each axis of the mesh")
    return CppMeshToTensor(mesh_device, config)


def distribute_tensor(tensor, mapper, mesh_device=None):
    check_type(tensor, Tensor, "tensor")
    check_type(mapper, CppTensorToMesh, "mapper")
    require(tensor._device is None, "distribute_tensor: expects a tensor of the host")
    whole = shards_of(tensor)
    require(len(whole) == 1, "distribute_tensor: expects one buffer, not one for each device")
    shape, parts = list(tensor._shape), {}
    for axis, placement in enumerate(mapper.config.placements):
        if isinstance(placement, PlacementShard):
            require(0 <= placement.dim < len(shape), "distribute_tensor: expects a dimension")
            count = mapper.device.shape[axis]
            require(shape[placement.dim] % count == 0, "distribute_tensor: expects equal shards")
            shape[placement.dim] //= count
    shards = []
    for index in range(mapper.device.get_num_devices()):
        key, array = (), whole[0]
        for axis, (placement, place) in enumerate(zip(mapper.config.placements,
                                                      mapper.device.place(index))):
            if isinstance(placement, PlacementShard):
                key += (axis, place)
                count = mapper.device.shape[axis]
                array = np.split(array, count, axis=placement.dim)[place]
        shards.append(parts.setdefault(key, array))
    made = Tensor._make(Buffer(shards), shape, tensor._dtype, tensor._layout)
    return made if mesh_device is None else to_device(made, mesh_device)


def aggregate_tensor(tensor, composer):
    check_type(tensor, Tensor, "tensor")
    check_type(composer, CppMeshToTensor, "composer")
    rows, columns = composer.device.shape
    dims = composer.config.dims
    require(dims[0] != dims[1], "aggregate_tensor: expects a dimension of its own for each axis")
    require(max(dims) < len(tensor._shape), "aggregate_tensor: expects dimensions of the tensor")
    shards = shards_of(tensor)
    require(len(shards) == rows * columns, "aggregate_tensor: expects a part for every device")
    asked = composer.config.mesh_shape_override
    if asked is not None:
        require(asked.numbers[0] <= rows and asked.numbers[1] <= columns,
                "aggregate_tensor: expects devices of the mesh")
        shards = [shards[row * columns + column]
                  for row in range(asked.numbers[0]) for column in range(asked.numbers[1])]
        rows, columns = asked.numbers
    shape = list(tensor._shape)
    shape[dims[0]] *= rows
    shape[dims[1]] *= columns
    if TRACING:
        whole = np.broadcast_to(np.float32(0), tuple(shape))
    else:
        whole = np.concatenate(
            [np.concatenate(shards[row * columns:(row + 1) * columns], axis=dims[1])
             for row in range(rows)], axis=dims[0])
    return Tensor._make(Buffer([whole]), shape, tensor._dtype, tensor._layout)


# ---- Between devices -----------------------------------------------------------

def _axis(tensor, cluster_axis, op):
    """The mesh axis, and how many devices it has."""
    require(cluster_axis in (0, 1), f"{op}: expects a mesh axis of 0 or 1")
    count = tensor._device.shape[cluster_axis]
    require(count > 1, f"{op}: expects a mesh axis of more than one device")
    return count


def _dim(tensor, dim, op):
    check_int(dim, "dim")
    require(-len(tensor._shape) <= dim < len(tensor._shape), f"{op}: expects a dimension")
    return dim % len(tensor._shape)


def mesh_partition(input_tensor, dim, cluster_axis=None, *, memory_config=None):
    tensor = check_device(input_tensor, "mesh_partition", (Layout.TILE, Layout.ROW_MAJOR))
    count = _axis(tensor, cluster_axis, "mesh_partition")
    dim = _dim(tensor, dim, "mesh_partition")
    shape = list(tensor._shape)
    require(shape[dim] % count == 0, "mesh_partition: expects the devices to divide the dimension")
    shape[dim] //= count
    require(tensor._layout != Layout.TILE or dim < len(shape) - 2 or shape[dim] % TILE == 0,
            "mesh_partition: expects whole tiles in every share")
    shards = []
    for index, array in enumerate(shards_of(tensor)):
        place = tensor._device.place(index)[cluster_axis]
        shards.append(np.split(array, count, axis=dim)[place])
    return on_device(tensor._device, shards, shape, tensor._dtype, tensor._layout)


def all_gather(input_tensor, dim, *, cluster_axis=None, memory_config=None, output_tensor=None,
               subdevice_id=None, sub_core_grids=None):
    # num_links, topology and the rest are about to go: not having them keeps scripts from them.
    tensor = check_device(input_tensor, "all_gather", (Layout.TILE, Layout.ROW_MAJOR))
    tensor._device.check_fabric()
    count = _axis(tensor, cluster_axis, "all_gather")
    dim = _dim(tensor, dim, "all_gather")
    shape = list(tensor._shape)
    shape[dim] *= count
    arrays, made, known = shards_of(tensor), [], {}
    for index in range(len(arrays)):
        line = tuple(tensor._device.along(index, cluster_axis))
        if line not in known:
            known[line] = (np.broadcast_to(np.float32(0), tuple(shape)) if TRACING else
                           np.concatenate([arrays[i] for i in line], axis=dim))
        made.append(known[line])
    return on_device(tensor._device, made, shape, tensor._dtype, tensor._layout)


def _sums(tensor, cluster_axis):
    arrays, known = shards_of(tensor), {}
    for index in range(len(arrays)):
        line = tuple(tensor._device.along(index, cluster_axis))
        if line not in known:
            known[line] = (arrays[index] if TRACING else
                           stored(np.sum([arrays[i].astype(np.float64) for i in line], axis=0),
                                  tensor._dtype))
        yield index, known[line]


def all_reduce(input_tensor, *, cluster_axis=None, subdevice_id=None, memory_config=None,
               num_links=None, topology=None):
    tensor = check_device(input_tensor, "all_reduce")
    tensor._device.check_fabric(topology or Topology.Linear)
    _axis(tensor, cluster_axis, "all_reduce")
    return on_device(tensor._device, [array for _, array in _sums(tensor, cluster_axis)],
                     tensor._shape, tensor._dtype)


def reduce_scatter(input_tensor, dim, *, cluster_axis=None, subdevice_id=None, memory_config=None,
                   intermediate_memory_config=None, output_tensor=None, num_links=None,
                   topology=None, chunks_per_sync=None, num_workers_per_link=None,
                   num_buffers_per_channel=None, compute_kernel_config=None,
                   use_l1_small_for_semaphores=False):
    tensor = check_device(input_tensor, "reduce_scatter")
    tensor._device.check_fabric(topology or Topology.Linear)
    count = _axis(tensor, cluster_axis, "reduce_scatter")
    dim = _dim(tensor, dim, "reduce_scatter")
    shape = list(tensor._shape)
    require(shape[dim] % count == 0, "reduce_scatter: expects the devices to divide the dimension")
    shape[dim] //= count
    shards = [np.split(array, count, axis=dim)[tensor._device.place(index)[cluster_axis]]
              for index, array in _sums(tensor, cluster_axis)]
    return on_device(tensor._device, shards, shape, tensor._dtype)


def point_to_point(input_tensor, sender_coord, receiver_coord, *, output_tensor=None,
                   intermediate_tensor=None, topology=Topology.Linear):
    tensor = check_device(input_tensor, "point_to_point", (Layout.TILE, Layout.ROW_MAJOR))
    check_type(sender_coord, MeshCoordinate, "sender_coord")
    check_type(receiver_coord, MeshCoordinate, "receiver_coord")
    check_type(topology, Topology, "topology")
    device = tensor._device
    device.check_fabric(topology)
    for place in (sender_coord, receiver_coord):
        require(place[0] < device.shape[0] and place[1] < device.shape[1],
                "point_to_point: expects devices of the mesh")
    require(sender_coord[0] == receiver_coord[0] or sender_coord[1] == receiver_coord[1],
            "point_to_point: expects devices in one row or column")
    if output_tensor is None:
        empty = np.full(tensor._shape, np.nan, dtype=np.float32)
        output = on_device(device, [empty] * device.get_num_devices(), tensor._shape,
                           tensor._dtype, tensor._layout)
    else:
        output = check_device(output_tensor, "point_to_point", (Layout.TILE, Layout.ROW_MAJOR))
        require((output._shape, output._dtype, output._layout) ==
                (tensor._shape, tensor._dtype, tensor._layout),
                "point_to_point: expects an output like the input")
        require(output._device is device, "point_to_point: expects an output on the same mesh")
    shards_of(output)[device.index(*receiver_coord)] = \
        shards_of(tensor)[device.index(*sender_coord)]
    return Tensor._make(output._buffer, output._shape, output._dtype, output._layout, device,
                        output._memory)
