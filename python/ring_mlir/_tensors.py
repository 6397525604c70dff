# SPDX-License-Identifier: Apache-2.0
"""Arrays and tensors of callers, and what the runtime takes for them.

What is contiguous and of the right type is read where it lies. NumPy has no
bf16 and no block formats: the runtime rounds f32 to them, and gives results in
f32, which hold them exactly. `uint16` stands for the bits of bf16. Tensors of torch
keep their types; torch is never imported, since whoever has a tensor has done so.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Dict, Optional, Tuple

import numpy as np

from ._checks import shape_text
from .errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray
    Array = NDArray[Any]

F32, BF16, BFP8_B, BFP4_B, I32, U32, U16, U8, I64, BOOL = range(10)
NAMES = ("f32", "bf16", "bfp8_b", "bfp4_b", "i32", "u32", "u16", "u8", "i64", "bool")
# How the numbers of a type lie in memory; the block formats lie in tiles.
DTYPES: Dict[int, np.dtype[Any]] = {
    F32: np.dtype(np.float32), BF16: np.dtype(np.uint16), I32: np.dtype(np.int32),
    U32: np.dtype(np.uint32), U16: np.dtype(np.uint16), U8: np.dtype(np.uint8),
    I64: np.dtype(np.int64), BOOL: np.dtype(np.bool_)}
FLOATS = (F32, BF16, BFP8_B, BFP4_B)


def torch_of(value: Any) -> Optional[Any]:
    """The module torch if `value` is a tensor of it."""
    torch = sys.modules.get("torch")
    return torch if torch is not None and isinstance(value, torch.Tensor) else None


def refuse_gradients(value: Any, name: str) -> None:
    """Results have no gradients. Who needs them is told, rather than trained on nothing."""
    torch = torch_of(value)
    if torch is not None and value.requires_grad and torch.is_grad_enabled():
        raise InputError(f"input '{name}' expects a tensor that requires no gradients, since "
                         "results have none, but got one that does; detach() it, or run within "
                         "torch.no_grad()")


def to_numpy(value: Any, name: str) -> Tuple[Array, bool]:
    """An array with the memory of `value`, and whether its numbers are the bits of bf16."""
    if torch_of(value) is not None:
        try:
            return _tensor_to_numpy(value)
        except (RuntimeError, TypeError) as problem:  # on meta, sparse, quantized, ...
            raise InputError(f"input '{name}' expects a tensor that NumPy can read, but got "
                             f"{value.dtype} on {value.device}: {problem}") from None
    try:
        array = np.asarray(value)
    except ValueError as problem:  # lists of lists that are no array
        raise InputError(f"input '{name}' expects an array or a tensor, but got "
                         f"{type(value).__name__}: {problem}") from None
    if array.dtype.kind in "OSU":  # NumPy takes anything for an array
        raise InputError(f"input '{name}' expects an array or a tensor of numbers, but got "
                         f"{type_name(value)}")
    # ml_dtypes' bfloat16 and the like, where somebody has them.
    if array.dtype.name == "bfloat16":
        return array.view(np.uint16), True
    return array, False


def _tensor_to_numpy(tensor: Any) -> Tuple[Array, bool]:
    torch = torch_of(tensor)
    tensor = tensor.detach().cpu()
    if torch is not None and tensor.dtype == torch.bfloat16:
        return tensor.contiguous().view(torch.int16).numpy().view(np.uint16), True
    return tensor.numpy(), False


def type_name(value: Any) -> str:
    """How a caller calls the type of its array."""
    return str(getattr(value, "dtype", type(value).__name__)).replace("torch.", "")


def cast_advice(value: Any) -> str:
    """The end of a refusal to round in silence; empty where no cast makes it numbers of f32."""
    if torch_of(value) is not None:
        cast = "float()" if type_name(value).startswith(("float", "int", "uint", "bool")) else ""
    elif isinstance(value, (list, tuple)):
        cast = "np.array(..., np.float32)"
    else:
        kind = getattr(getattr(value, "dtype", None), "kind", "none")
        cast = "astype(np.float32)" if kind in "fiub" else ""
    return f"; a cast such as {cast} says that its roundings are meant" if cast else ""


def prepare(value: Any, name: str, element: int, shape: Tuple[int, ...]) -> Array:
    """A contiguous array that the runtime takes for an input: of the type itself, or f32
    that is to be rounded to it."""
    array, is_bf16 = to_numpy(value, name)
    if array.shape != shape:
        raise InputError(f"input '{name}' expects the shape {shape_text(shape)}, "
                         f"but got {shape_text(array.shape)}")
    if element in FLOATS:
        array = _real(array, is_bf16, name, element, cast_advice(value))
    elif is_bf16 or array.dtype.kind not in "iub":
        raise InputError(f"input '{name}' expects integers for {NAMES[element]}, "
                         f"but got {type_name(value)}")
    elif array.dtype != DTYPES[element]:
        array = _fitting(array, name, element)
    return np.ascontiguousarray(array)


def _real(array: Array, is_bf16: bool, name: str, element: int, advice: str) -> Array:
    """The bits of bf16 for bf16, if that is what there is; otherwise f32."""
    if is_bf16 or (element == BF16 and array.dtype == np.uint16):
        return array if element == BF16 else widen(array)
    if array.dtype not in (np.float32, np.float16):
        raise InputError(f"input '{name}' expects numbers of f32, bf16 or f16 for "
                         f"{NAMES[element]}, but got {array.dtype}{advice}")
    return array.astype(np.float32, copy=False)


def _fitting(array: Array, name: str, element: int) -> Array:
    """The same integers in another type, if it holds them all."""
    cast = array.astype(DTYPES[element])
    if not np.array_equal(cast, array):
        raise InputError(f"input '{name}' expects numbers that {NAMES[element]} holds, "
                         f"but got others, in {array.dtype}")
    return cast


def widen(bits: Array) -> Array:
    """The numbers of bf16 in f32, exactly."""
    wide: Array = (bits.astype(np.uint32) << 16).view(np.float32)
    return wide


def from_bits(bits: Array, torch: Any) -> Any:
    """bf16 for a caller: its own type in torch, f32 in NumPy."""
    if torch is None:
        return widen(bits)
    return torch.from_numpy(bits.view(np.int16)).view(torch.bfloat16)
