# SPDX-License-Identifier: Apache-2.0
"""Tensors: where they are, what they hold, and how results of ops are made."""

import math
import weakref

import numpy as np

from .mesh import MeshDevice
from .rules import TILE, TRACING, check_flag, check_type, require
from .values import (BYTES, BufferType, DataType, DRAM_MEMORY_CONFIG, FLOATS, Layout, MemoryConfig,
                     MeshShape)

_INTEGERS = {DataType.UINT32: np.uint32, DataType.INT32: np.int32, DataType.UINT16: np.uint16,
             DataType.UINT8: np.uint8}


def round_bf16(array):
    """To the nearest bf16, ties to even; infinities and NaNs stay."""
    bits = np.ascontiguousarray(array, dtype=np.float32).view(np.uint32)
    rounded = (bits + (((bits >> 16) & 1) + 0x7FFF)) & np.uint32(0xFFFF0000)
    return np.where(np.isfinite(array), rounded.view(np.float32), array).astype(np.float32)


def round_block(array, bits):
    """To block floats: 16 numbers of a row share the exponent of the largest, and
    each has a sign and `bits` bits."""
    width = array.shape[-1]
    padded = np.pad(array, [(0, 0)] * (array.ndim - 1) + [(0, -width % 16)])
    blocks = padded.reshape(*padded.shape[:-1], -1, 16).astype(np.float64)
    exponent = np.frexp(np.abs(blocks).max(axis=-1, keepdims=True))[1]
    step = np.ldexp(1.0, exponent - bits)
    most = 2 ** bits - 1
    rounded = np.clip(np.rint(blocks / step), -most, most) * step
    return rounded.reshape(padded.shape)[..., :width].astype(np.float32)


def stored(array, dtype):
    """The numbers as a tensor of that type holds them."""
    if TRACING:
        return np.broadcast_to(np.float32(0), array.shape)
    if dtype in _INTEGERS:
        return np.asarray(array).astype(np.int64).astype(_INTEGERS[dtype])
    with np.errstate(over="ignore"):
        array = np.asarray(array, dtype=np.float32)
    if dtype == DataType.FLOAT32:
        return array
    if dtype == DataType.BFLOAT16:
        return round_bf16(array)
    return round_block(array, 7 if dtype == DataType.BFLOAT8_B else 3)


def bytes_of(shape, dtype, layout):
    shape = list(shape) or [1]
    if layout == Layout.TILE:
        for dim in range(1, min(2, len(shape)) + 1):
            shape[-dim] = -(-shape[-dim] // TILE) * TILE
        if len(shape) == 1:
            shape = [TILE] + shape
    return math.prod(shape) * BYTES[dtype]


class Buffer:
    """Memory that a tensor and its views share: an array for each device, or for
    each part of a distributed tensor of the host."""

    def __init__(self, shards, device=None, size=0):
        self.shards = list(shards)
        self.is_freed = False
        self.owners = weakref.WeakSet()
        self.created = device.tick() if device else 0
        if device:
            device.allocate(size)
            self._release = weakref.finalize(self, device.release, size)

    def free(self):
        self.is_freed = True
        self.shards = None
        if hasattr(self, "_release"):
            self._release()


class Tensor:
    """Made from numbers as the bindings make it: from a list with a shape, or
    from an array."""

    def __init__(self, *args, **kwargs):
        data = args[0] if args else kwargs.get("tensor", kwargs.get("data"))
        (self._init_from_array if isinstance(data, np.ndarray) else self._init_from_list)(
            *args, **kwargs)

    def _init_from_list(self, data, shape, data_type, layout, device=None, tile=None, pad_value=0):
        check_type(data, list, "data")
        require(len(data) == math.prod(shape), "tensor: expects as many numbers as the shape has")
        self._init_from_array(np.array(data).reshape(shape), data_type, device, layout)

    def _init_from_array(self, tensor, data_type=None, device=None, layout=None, mem_config=None,
                         tile=None, cq_id=None, pad_value=None, mesh_mapper=None,
                         preserve_nan_values=False, col_tilize=False, enable_bfloat_opt=False):
        check_type(data_type, DataType, "data_type")
        layout = layout or Layout.ROW_MAJOR
        check_type(layout, Layout, "layout")
        require(mesh_mapper is None, "the stand-in distributes tensors by distribute_tensor")
        self._set(Buffer([stored(tensor, data_type)]), tensor.shape, data_type, layout, None, None)
        if device is not None:
            sent = to_device(self, device)
            self._set(sent._buffer, sent._shape, data_type, layout, device, sent._memory)

    def _set(self, buffer, shape, dtype, layout, device, memory):
        self._buffer, self._shape = buffer, tuple(int(size) for size in shape)
        self._dtype, self._layout, self._device, self._memory = dtype, layout, device, memory
        buffer.owners.add(self)

    @classmethod
    def _make(cls, buffer, shape, dtype, layout, device=None, memory=None):
        made = cls.__new__(cls)
        made._set(buffer, shape, dtype, layout, device, memory)
        return made

    shape = property(lambda self: self._shape)
    dtype = property(lambda self: self._dtype)
    layout = property(lambda self: self._layout)

    def device(self):
        return self._device

    def deallocate(self, force=False):
        deallocate(self, force)

    def to_numpy(self, mesh_composer=None):
        require(self._device is None, "to_numpy: expects a tensor of the host")
        require(mesh_composer is None, "the stand-in composes by aggregate_tensor")
        shards = shards_of(self)
        require(len(shards) == 1, "to_numpy: expects one buffer, not one for each device")
        if self._dtype not in (DataType.FLOAT32, *_INTEGERS):
            raise TypeError("to_numpy: NumPy has no such type")
        return np.array(shards[0])

    def __repr__(self):
        where = "host" if self._device is None else "device"
        return f"Tensor({'x'.join(map(str, self._shape))}, {self._dtype.value}, {where})"


def shards_of(tensor):
    """The arrays, one for each device."""
    require(not tensor._buffer.is_freed, "expects a tensor that was not deallocated")
    if tensor._device is not None:
        tensor._device.check_open()
    return tensor._buffer.shards


def check_device(tensor, op, layouts=(Layout.TILE,), dtypes=None):
    """The tensor, after what every device op asks of its operands."""
    check_type(tensor, Tensor, "input tensor")
    require(tensor._device is not None, f"{op}: expects operands on the device")
    require(tensor._layout in layouts, f"{op}: expects operands in another layout than "
            f"{tensor._layout.name}")
    require(dtypes is None or tensor._dtype in dtypes,
            f"{op}: expects operands of another type than {tensor._dtype.name}")
    shards_of(tensor)
    return tensor


def on_device(device, shards, shape, dtype, layout=Layout.TILE, memory=DRAM_MEMORY_CONFIG):
    """A tensor of the devices with these arrays, which are rounded already."""
    size = bytes_of(shape, dtype, layout)
    return Tensor._make(Buffer(shards, device, size), shape, dtype, layout, device, memory)


def compute(operands, shape, dtype, function, layout=Layout.TILE):
    """What `function` makes of the operands' arrays on every device, rounded to
    the type. Devices that have the same arrays compute once."""
    device = operands[0]._device
    for operand in operands:
        require(operand._device is device, "expects operands on one mesh")
    shape = tuple(shape)
    if TRACING:
        one = np.broadcast_to(np.float32(0), shape)
        return on_device(device, [one] * device.get_num_devices(), shape, dtype, layout)
    made, known = [], {}
    for arrays in zip(*(shards_of(operand) for operand in operands)):
        key = tuple(id(array) for array in arrays)
        if key not in known:
            with np.errstate(all="ignore"):
                known[key] = stored(function(*arrays), dtype)
            assert known[key].shape == shape, (known[key].shape, shape)
        made.append(known[key])
    return on_device(device, made, shape, dtype, layout)


def view(tensor, shape):
    """The same memory in another shape."""
    if TRACING:
        shards = [np.broadcast_to(np.float32(0), tuple(shape))] * len(tensor._buffer.shards)
    else:
        known = {}
        shards = [known.setdefault(id(array), array.reshape(shape)) for array in shards_of(tensor)]
    return on_device(tensor._device, shards, shape, tensor._dtype, tensor._layout)


# ---- Between host and devices ------------------------------------------------

def to_device(tensor, device, memory_config=None, *, queue_id=None):
    check_type(tensor, Tensor, "tensor")
    check_type(device, MeshDevice, "device").check_open()
    if memory_config is not None:
        check_type(memory_config, MemoryConfig, "memory_config")
    require(tensor._device is None, "to_device: expects a tensor of the host")
    shards = shards_of(tensor)
    count = device.get_num_devices()
    if len(shards) == 1:
        shards = shards * count
    require(len(shards) == count, "to_device: expects a part for every device of the mesh")
    return on_device(device, shards, tensor._shape, tensor._dtype, tensor._layout,
                     memory_config or DRAM_MEMORY_CONFIG)


def from_device(tensor, blocking=True, *, queue_id=None):
    check_type(tensor, Tensor, "tensor")
    require(tensor._device is not None, "from_device: expects a tensor of the device")
    check_flag(blocking, "blocking")
    return Tensor._make(Buffer(shards_of(tensor)), tensor._shape, tensor._dtype, tensor._layout)


def deallocate(tensor, force=True):
    check_type(tensor, Tensor, "tensor")
    check_flag(force, "force")
    shards_of(tensor)
    if force or len(tensor._buffer.owners) == 1:
        tensor._buffer.free()


def to_dtype(tensor, dtype):
    check_type(tensor, Tensor, "tensor")
    check_type(dtype, DataType, "dtype")
    require(tensor._device is None, "to_dtype: expects a tensor of the host")
    shards = [stored(array, dtype) for array in shards_of(tensor)]
    return Tensor._make(Buffer(shards), tensor._shape, dtype, tensor._layout)


def get_device_tensors(tensor):
    check_type(tensor, Tensor, "tensor")
    require(tensor._device is None, "the stand-in takes apart tensors of the host")
    return [Tensor._make(Buffer([array]), tensor._shape, tensor._dtype, tensor._layout)
            for array in shards_of(tensor)]


def from_host_shards(tensors, mesh_shape):
    check_type(mesh_shape, MeshShape, "mesh_shape")
    first = tensors[0]
    for one in tensors:
        require(one._device is None and len(shards_of(one)) == 1,
                "from_host_shards: expects single tensors of the host")
        require((one._shape, one._dtype, one._layout) == (first._shape, first._dtype, first._layout),
                "from_host_shards: expects parts that are alike")
    require(len(tensors) == mesh_shape.mesh_size(),
            "from_host_shards: expects a part for every device of the mesh")
    return Tensor._make(Buffer([shards_of(one)[0] for one in tensors]), first._shape, first._dtype,
                        first._layout)


def is_in_dram(tensor):
    return tensor._memory.buffer_type == BufferType.DRAM


def is_float(tensor):
    return tensor._dtype in FLOATS
