# SPDX-License-Identifier: Apache-2.0
"""Products, reductions, norms and look-ups."""

import numpy as np

from .rules import check_flag, check_type, require
from .tensor import check_device, compute
from .values import DataType, FLOATS, Layout


def _product(a, b, bias, transpose_a, transpose_b, dtype, op):
    a, b = (check_device(x, op, dtypes=FLOATS) for x in (a, b))
    check_flag(transpose_a, "transpose_a")
    check_flag(transpose_b, "transpose_b")

    def turned(shape, turn):
        return shape[:-2] + (shape[-1], shape[-2]) if turn else shape

    left, right = turned(a._shape, transpose_a), turned(b._shape, transpose_b)
    require(len(left) >= 2 and len(right) >= 2, f"{op}: expects matrices")
    require(left[-1] == right[-2], f"{op}: expects inner dimensions that are the same")
    # Batches of the second operand are those of the first, or there are none.
    require(right[:-2] in (left[:-2], (1,) * len(right[:-2])) or
            np.prod(left[:-2]) == 1, f"{op}: expects batches that are the same")
    shape = np.broadcast_shapes(left[:-2], right[:-2]) + (left[-2], right[-1])
    operands = [a, b]
    if bias is not None:
        operands.append(check_device(bias, op, dtypes=FLOATS))

    def multiply(x, y, *z):
        x = np.swapaxes(x, -1, -2) if transpose_a else x
        y = np.swapaxes(y, -1, -2) if transpose_b else y
        made = np.matmul(x.astype(np.float64), y.astype(np.float64))
        return made + z[0] if z else made

    return compute(operands, shape, dtype or a._dtype, multiply)


def matmul(input_tensor_a, input_tensor_b, *, transpose_a=False, transpose_b=False,
           memory_config=None, dtype=None, program_config=None, activation=None,
           compute_kernel_config=None, core_grid=None, output_tile=None,
           optional_output_tensor=None, global_cb=None, sub_device_id=None):
    return _product(input_tensor_a, input_tensor_b, None, transpose_a, transpose_b, dtype, "matmul")


def linear(input_tensor_a, input_tensor_b, *, bias=None, transpose_a=False, transpose_b=False,
           memory_config=None, dtype=None, program_config=None, activation=None,
           compute_kernel_config=None, core_grid=None, output_tile=None,
           optional_output_tensor=None, global_cb=None, sub_device_id=None):
    return _product(input_tensor_a, input_tensor_b, bias, transpose_a, transpose_b, dtype, "linear")


def _reduction(name, function):
    def reduce(input_tensor, dim=None, keepdim=False, *, memory_config=None,
               compute_kernel_config=None, scalar=1.0, correction=None, sub_core_grids=None):
        tensor = check_device(input_tensor, name, dtypes=FLOATS)
        check_flag(keepdim, "keepdim")
        rank = len(tensor._shape)
        dims = range(rank) if dim is None else [dim] if isinstance(dim, int) else dim
        require(all(-rank <= one < rank for one in dims), f"{name}: expects dimensions")
        dims = tuple(sorted(one % rank for one in dims))
        shape = [1 if i in dims else size for i, size in enumerate(tensor._shape)
                 if keepdim or i not in dims]
        return compute([tensor], shape, tensor._dtype,
                       lambda x: function(x.astype(np.float64), axis=dims, keepdims=keepdim))
    return reduce


max = _reduction("max", np.max)
mean = _reduction("mean", np.mean)
min = _reduction("min", np.min)
sum = _reduction("sum", np.sum)


def softmax(input_tensor, dim=-1, *, memory_config=None, compute_kernel_config=None,
            numeric_stable=True):
    tensor = check_device(input_tensor, "softmax", dtypes=FLOATS)
    check_flag(numeric_stable, "numeric_stable")

    def normalise(x):
        x = x.astype(np.float64)
        weights = np.exp(x - x.max(axis=dim, keepdims=True))
        return weights / weights.sum(axis=dim, keepdims=True)

    return compute([tensor], tensor._shape, tensor._dtype, normalise)


def _norm(name, centre):
    def norm(input_tensor, *, epsilon=1e-12, weight=None, bias=None, residual_input_tensor=None,
             memory_config=None, program_config=None, compute_kernel_config=None):
        tensor = check_device(input_tensor, name, dtypes=FLOATS)
        require(residual_input_tensor is None, f"{name}: the stand-in has no residuals")
        given = [check_device(x, name, dtypes=FLOATS) for x in (weight, bias) if x is not None]
        for one in given:
            require(one._shape[-1] == tensor._shape[-1], f"{name}: expects weights of the last "
                    "dimension")

        def normalise(x, *more):
            x = x.astype(np.float64)
            if centre:
                x = x - x.mean(axis=-1, keepdims=True)
            made = x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + epsilon)
            more = [one.astype(np.float64).reshape(one.shape[-1]) for one in more]
            if weight is not None:
                made = made * more.pop(0)
            return made + more[0] if bias is not None else made

        return compute([tensor, *given], tensor._shape, tensor._dtype, normalise)
    return norm


layer_norm = _norm("layer_norm", True)
rms_norm = _norm("rms_norm", False)


def embedding(input_tensor, weight, *, padding_idx=None, layout=None, embeddings_type=None,
              dtype=None, memory_config=None, output_tensor=None):
    indices = check_device(input_tensor, "embedding", (Layout.TILE, Layout.ROW_MAJOR),
                           (DataType.UINT32, DataType.BFLOAT16))
    table = check_device(weight, "embedding", (Layout.TILE, Layout.ROW_MAJOR))
    require(table._dtype == DataType.BFLOAT16, "embedding: expects a table of bf16")
    require(len(indices._shape) <= 2, "embedding: expects indices of one or two dimensions")
    require(np.prod(table._shape[:-2]) == 1, "embedding: expects one table")
    check_type(layout or table._layout, Layout, "layout")

    def take(numbers, rows):
        rows = rows.reshape(rows.shape[-2:])
        numbers = numbers.astype(np.int64)
        require(numbers.size == 0 or (numbers.min() >= 0 and numbers.max() < len(rows)),
                "embedding: expects rows that the table has")
        return rows[numbers]

    return compute([indices, table], indices._shape + table._shape[-1:], table._dtype, take,
                   layout or table._layout)
