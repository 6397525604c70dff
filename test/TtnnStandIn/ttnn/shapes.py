# SPDX-License-Identifier: Apache-2.0
"""Numbers that move and stay what they are."""

import math

import numpy as np

from .distributed import _dim
from .rules import check_int, check_type, require
from .tensor import check_device, compute, view
from .values import DataType, FLOATS, Layout

_ANY = (Layout.TILE, Layout.ROW_MAJOR)


def clone(input, *, dtype=None, memory_config=None, compute_kernel_config=None):
    tensor = check_device(input, "clone", _ANY)
    return compute([tensor], tensor._shape, dtype or tensor._dtype, lambda x: x, tensor._layout)


def concat(tensors, dim=0, *, memory_config=None, output_tensor=None, groups=1,
           sub_core_grids=None):
    check_type(tensors, list, "tensors")
    first = check_device(tensors[0], "concat", _ANY)
    dim = _dim(first, dim, "concat")
    for tensor in tensors:
        check_device(tensor, "concat", _ANY)
        require((tensor._dtype, tensor._layout) == (first._dtype, first._layout),
                "concat: expects tensors of one type and layout")
        require(tensor._shape[:dim] + tensor._shape[dim + 1:] ==
                first._shape[:dim] + first._shape[dim + 1:],
                "concat: expects shapes that are the same elsewhere")
    shape = list(first._shape)
    shape[dim] = sum(tensor._shape[dim] for tensor in tensors)
    return compute(list(tensors), shape, first._dtype,
                   lambda *arrays: np.concatenate(arrays, axis=dim), first._layout)


def pad(input_tensor, padding, value, *, use_multicore=True, memory_config=None,
        sub_core_grids=None):
    tensor = check_device(input_tensor, "pad", _ANY)
    require(len(padding) == len(tensor._shape), "pad: expects a pair for each dimension")
    require(tensor._layout != Layout.TILE or all(before == 0 for before, _ in padding),
            "pad: expects nothing in front of a tensor in tiles")
    shape = [before + size + after for size, (before, after) in zip(tensor._shape, padding)]
    return compute([tensor], shape, tensor._dtype,
                   lambda x: np.pad(x, padding, constant_values=value), tensor._layout)


def permute(input_tensor, dims, *, memory_config=None, pad_value=0.0):
    tensor = check_device(input_tensor, "permute", _ANY)
    require(sorted(dims) == list(range(len(tensor._shape))), "permute: expects all dimensions")
    return compute([tensor], [tensor._shape[dim] for dim in dims], tensor._dtype,
                   lambda x: np.ascontiguousarray(x.transpose(dims)), tensor._layout)


def transpose(input_tensor, dim1, dim2, *, memory_config=None, pad_value=0.0):
    tensor = check_device(input_tensor, "transpose", _ANY)
    dims = list(range(len(tensor._shape)))
    dims[dim1], dims[dim2] = dims[dim2], dims[dim1]
    return permute(tensor, dims)


def repeat(input_tensor, repeat_dims, *, memory_config=None, implementation="auto",
           optional_output_tensor=None):
    tensor = check_device(input_tensor, "repeat", _ANY)
    require(len(repeat_dims) >= len(tensor._shape), "repeat: expects a count for each dimension")
    shape = [1] * (len(repeat_dims) - len(tensor._shape)) + list(tensor._shape)
    return compute([tensor], [a * b for a, b in zip(shape, repeat_dims)], tensor._dtype,
                   lambda x: np.tile(x, repeat_dims), tensor._layout)


def repeat_interleave(input_tensor, repeats, dim, *, memory_config=None):
    tensor = check_device(input_tensor, "repeat_interleave", _ANY)
    dim = _dim(tensor, dim, "repeat_interleave")
    shape = list(tensor._shape)
    shape[dim] *= check_int(repeats, "repeats")
    return compute([tensor], shape, tensor._dtype, lambda x: np.repeat(x, repeats, axis=dim),
                   tensor._layout)


def reshape(input_tensor, shape, *, memory_config=None, pad_value=None, reshape_tile_mode=None,
            sub_core_grids=None, skip_padding_fill=False):
    tensor = check_device(input_tensor, "reshape", _ANY)
    shape = tuple(check_int(size, "shape") for size in shape)
    require(math.prod(shape) == math.prod(tensor._shape), "reshape: expects as many numbers")
    return view(tensor, shape)


def slice(input_tensor, starts, ends, steps, *, memory_config=None, output_tensor=None,
          pad_value=None, sub_core_grids=None):
    tensor = check_device(input_tensor, "slice", _ANY)
    require(len(starts) == len(ends) == len(steps) == len(tensor._shape),
            "slice: expects bounds for each dimension")
    require(all(0 <= a < b <= size and s > 0 for a, b, s, size in
                zip(starts, ends, steps, tensor._shape)), "slice: expects bounds inside the tensor")
    cut = tuple(__builtins__["slice"](a, b, s) for a, b, s in zip(starts, ends, steps))
    shape = [len(range(a, b, s)) for a, b, s in zip(starts, ends, steps)]
    return compute([tensor], shape, tensor._dtype, lambda x: np.ascontiguousarray(x[cut]),
                   tensor._layout)


def to_layout(tensor, layout, dtype=None, memory_config=None, sub_core_grids=None, pad_value=0.0):
    tensor = check_device(tensor, "to_layout", _ANY)
    check_type(layout, Layout, "layout")
    return compute([tensor], tensor._shape, dtype or tensor._dtype, lambda x: x, layout)


def typecast(input_tensor, dtype, *, memory_config=None, output_tensor=None, sub_core_grids=None):
    tensor = check_device(input_tensor, "typecast")
    check_type(dtype, DataType, "dtype")
    return compute([tensor], tensor._shape, dtype,
                   lambda x: np.trunc(x) if dtype not in FLOATS else x)


def tril(input_tensor, *, diagonal=0, memory_config=None):
    tensor = check_device(input_tensor, "tril")
    return compute([tensor], tensor._shape, tensor._dtype, lambda x: np.tril(x, diagonal))
