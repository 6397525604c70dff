# SPDX-License-Identifier: Apache-2.0
"""Tensors from nothing."""

import numpy as np

from .mesh import MeshDevice
from .rules import TRACING, check_int, check_type, require
from .tensor import on_device, stored
from .values import DataType, DRAM_MEMORY_CONFIG, FLOATS, Layout


def _filled(device, array, dtype, layout, memory=None):
    check_type(device, MeshDevice, "device").check_open()
    check_type(dtype, DataType, "dtype")
    check_type(layout, Layout, "layout")
    return on_device(device, [stored(array, dtype)] * device.get_num_devices(), array.shape, dtype,
                     layout, memory or DRAM_MEMORY_CONFIG)


def _shape(shape):
    return tuple(check_int(size, "shape") for size in shape)


def full(shape, fill_value, dtype=None, layout=None, device=None, memory_config=None,
         optional_tensor=None):
    if isinstance(fill_value, bool) or not isinstance(fill_value, (int, float)):
        raise TypeError("incompatible function arguments: fill_value")
    require(isinstance(fill_value, int) or dtype in FLOATS,
            "full: expects a whole number for integers")
    return _filled(device, np.broadcast_to(np.float64(fill_value), _shape(shape)), dtype, layout,
                   memory_config)


def zeros(shape, dtype=None, layout=None, device=None, memory_config=None):
    return _filled(device, np.broadcast_to(np.float64(0), _shape(shape)), dtype, layout,
                   memory_config)


def ones(shape, dtype=None, layout=None, device=None, memory_config=None):
    return _filled(device, np.broadcast_to(np.float64(1), _shape(shape)), dtype, layout,
                   memory_config)


def empty(shape, dtype=DataType.BFLOAT16, layout=Layout.ROW_MAJOR, device=None,
          memory_config=DRAM_MEMORY_CONFIG):
    value = np.nan if dtype in FLOATS else 0
    return _filled(device, np.broadcast_to(np.float64(value), _shape(shape)), dtype, layout,
                   memory_config)


def arange(start, end, step=1, *, dtype=DataType.BFLOAT16, device=None,
           memory_config=DRAM_MEMORY_CONFIG, layout=Layout.ROW_MAJOR):
    for name, value in (("start", start), ("end", end), ("step", step)):
        check_int(value, name)
    numbers = range(start, end, step)
    array = (np.broadcast_to(np.float64(0), (len(numbers),)) if TRACING else
             np.arange(start, end, step, dtype=np.float64))
    return _filled(device, array, dtype, layout, memory_config)
