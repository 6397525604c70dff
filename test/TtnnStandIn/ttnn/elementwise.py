# SPDX-License-Identifier: Apache-2.0
"""Functions of one number at a time, in double precision before rounding."""

import math

import numpy as np

from .rules import check_type, require
from .tensor import Tensor, check_device, compute
from .values import DataType, FLOATS

__all__ = []


def _erf(x):
    return np.vectorize(math.erf, otypes=[np.float64])(x)


def _sigmoid(x):
    return np.where(x >= 0, 1 / (1 + np.exp(-np.abs(x))), np.exp(-np.abs(x)) / (1 + np.exp(-np.abs(x))))


_UNARY = {
    "abs": np.abs, "cbrt": np.cbrt, "ceil": np.ceil, "cos": np.cos, "erf": _erf, "exp": np.exp,
    "expm1": np.expm1, "floor": np.floor, "gelu": lambda x: x * (1 + _erf(x / math.sqrt(2))) / 2,
    "isfinite": np.isfinite, "log": np.log, "log1p": np.log1p, "logical_not": lambda x: x == 0,
    "neg": np.negative, "reciprocal": np.reciprocal, "relu": lambda x: np.maximum(x, 0),
    "relu6": lambda x: np.clip(x, 0, 6), "rsqrt": lambda x: 1 / np.sqrt(x), "sigmoid": _sigmoid,
    "sign": np.sign, "silu": lambda x: x * _sigmoid(x), "sin": np.sin, "sqrt": np.sqrt,
    "tan": np.tan, "tanh": np.tanh,
}
_BINARY = {
    "add": np.add, "divide": np.divide, "eq": np.equal, "ge": np.greater_equal, "gt": np.greater,
    "le": np.less_equal, "logical_and": np.logical_and, "logical_or": np.logical_or, "lt": np.less,
    "maximum": np.maximum, "minimum": np.minimum, "multiply": np.multiply, "ne": np.not_equal,
    "pow": np.power, "remainder": np.remainder, "subtract": np.subtract,
}


def _make_unary(name, function):
    def unary(input_tensor, *, memory_config=None, output_tensor=None):
        tensor = check_device(input_tensor, name, dtypes=FLOATS)
        return compute([tensor], tensor._shape, tensor._dtype,
                       lambda x: function(x.astype(np.float64)))
    return unary


def _make_binary(name, function):
    def binary(input_tensor_a, input_tensor_b, *, dtype=None, memory_config=None,
               output_tensor=None):
        a = check_device(input_tensor_a, name)
        if not isinstance(input_tensor_b, Tensor):
            number = check_type(input_tensor_b, (int, float), "input_tensor_b")
            return compute([a], a._shape, dtype or a._dtype,
                           lambda x: function(x.astype(np.float64), number))
        b = check_device(input_tensor_b, name)
        require((a._dtype in FLOATS) == (b._dtype in FLOATS),
                f"{name}: expects operands of like types")
        wide = DataType.FLOAT32 if DataType.FLOAT32 in (a._dtype, b._dtype) else a._dtype
        return compute([a, b], _broadcast(name, a, b), dtype or wide,
                       lambda x, y: function(x.astype(np.float64), y.astype(np.float64)))
    return binary


def _broadcast(name, *tensors):
    try:
        return np.broadcast_shapes(*(tensor._shape for tensor in tensors))
    except ValueError:
        raise RuntimeError(f"TT_FATAL: {name}: expects shapes that broadcast") from None


for _name, _function in _UNARY.items():
    globals()[_name] = _make_unary(_name, _function)
for _name, _function in _BINARY.items():
    globals()[_name] = _make_binary(_name, _function)
__all__ += [*_UNARY, *_BINARY, "clamp", "where"]


def where(predicate, true_value, false_value, *, memory_config=None, output_tensor=None,
          sub_core_grids=None):
    operands = [check_device(predicate, "where")]
    values = []
    for value in (true_value, false_value):
        if isinstance(value, Tensor):
            operands.append(check_device(value, "where"))
        values.append(value)
    tensors = [value for value in values if isinstance(value, Tensor)]
    require(len({tensor._dtype for tensor in tensors}) <= 1, "where: expects values of one type")
    dtype = tensors[0]._dtype if tensors else operands[0]._dtype

    def choose(condition, *arrays):
        arrays = list(arrays)
        chosen = [arrays.pop(0) if isinstance(value, Tensor) else value for value in values]
        return np.where(condition != 0, *chosen)

    return compute(operands, _broadcast("where", *operands), dtype, choose)


def clamp(input_tensor, min=None, max=None, *, memory_config=None, output_tensor=None):
    tensor = check_device(input_tensor, "clamp")
    return compute([tensor], tensor._shape, tensor._dtype, lambda x: np.clip(x, min, max))
