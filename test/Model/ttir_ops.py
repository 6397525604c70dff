# SPDX-License-Identifier: Apache-2.0
"""The ops of TTIR that the model is made of, and the sizes of the model."""

import sys

from printed_ir import i32_array, i32_list, i64_array, shape_of, tensor

# The sizes of Llama-8B, or those of a model that a test can run.
SMALL = "--small" in sys.argv
TOKENS, DEVICES, HIDDEN, HEADS, KV_HEADS, DIM = (
    (256, 4, 64, 8, 4, 32) if SMALL else (4096, 8, 4096, 32, 8, 128))
FFN, VOCABULARY = (96, 101) if SMALL else (14336, 128256)
ROWS, EXPERTS, LAYERS = TOKENS // DEVICES, 8, 4
AXIS = "1 : ui32"


class Ops:
    """The ops of TTIR by name, with the attributes that tt-mlir prints."""

    def __init__(self, function):
        self.f = function

    def unary(self, name, x, **attributes):
        return self.f.op(f"ttir.{name}", [x], x.type, attributes)

    def binary(self, name, a, b, element=None):
        sizes, kind = shape_of(a.type)
        return self.f.op(f"ttir.{name}", [a, b], tensor(*sizes, element=element or kind))

    def matmul(self, a, b, *sizes, transpose_b="false"):
        return self.f.op("ttir.matmul", [a, b], tensor(*sizes, element=shape_of(a.type)[1]),
                         {"transpose_a": "false", "transpose_b": transpose_b})

    def linear(self, a, b, bias, *sizes):
        return self.f.op("ttir.linear", [a, b, bias], tensor(*sizes),
                         {"transpose_a": "false", "transpose_b": "true"})

    def dot_general(self, a, b, *sizes):
        return self.f.op("ttir.dot_general", [a, b], tensor(*sizes), {
            "batch_dims_lhs": "array<i64>", "batch_dims_rhs": "array<i64>",
            "contract_dims_lhs": i64_array([1]), "contract_dims_rhs": i64_array([1])})

    def reshape(self, x, *sizes):
        return self.f.op("ttir.reshape", [x], tensor(*sizes, element=shape_of(x.type)[1]),
                         {"shape": i32_list(sizes)})

    def permute(self, x, *order):
        sizes, element = shape_of(x.type)
        return self.f.op("ttir.permute", [x], tensor(*(sizes[i] for i in order), element=element),
                         {"permutation": i64_array(order)})

    def typecast(self, x, element):
        return self.f.op("ttir.typecast", [x], tensor(*shape_of(x.type)[0], element=element),
                         {"conservative_folding": "false"})

    def broadcast(self, x, *factors):
        sizes, element = shape_of(x.type)
        return self.f.op("ttir.broadcast", [x],
                         tensor(*(s * n for s, n in zip(sizes, factors)), element=element),
                         {"broadcast_dimensions": i64_array(factors)})

    def slice(self, x, begins, ends):
        element = shape_of(x.type)[1]
        return self.f.op("ttir.slice_static", [x],
                         tensor(*(e - b for b, e in zip(begins, ends)), element=element),
                         {"begins": i32_list(begins), "ends": i32_list(ends),
                          "step": i32_list([1] * len(begins))})

    def concat(self, parts, dim):
        sizes, element = shape_of(parts[0].type)
        sizes[dim] = sum(shape_of(part.type)[0][dim] for part in parts)
        return self.f.op("ttir.concat", parts, tensor(*sizes, element=element),
                         {"dim": f"{dim} : si32"})

    def reduce(self, name, x, dim):
        sizes, element = shape_of(x.type)
        sizes[dim] = 1
        return self.f.op(f"ttir.{name}", [x], tensor(*sizes, element=element),
                         {"dim_arg": i32_list([dim]), "keep_dim": "true"})

    def full(self, value, *sizes, element="bf16"):
        return self.f.op("ttir.full", [], tensor(*sizes, element=element),
                         {"fill_value": f"{value:e} : f32", "shape": i32_array(sizes)})

    def all_gather(self, x, dim):
        sizes, element = shape_of(x.type)
        sizes[dim] *= DEVICES
        return self.f.op("ttir.all_gather", [x], tensor(*sizes, element=element),
                         {"all_gather_dim": f"{dim} : si32", "cluster_axis": AXIS})

    def mesh_partition(self, x, dim):
        sizes, element = shape_of(x.type)
        sizes[dim] //= DEVICES
        return self.f.op("ttir.mesh_partition", [x], tensor(*sizes, element=element),
                         {"cluster_axis": AXIS, "dim": f"{dim} : si32"})

    def all_to_all(self, x, split, concat):
        sizes, element = shape_of(x.type)
        sizes[split] //= DEVICES
        sizes[concat] *= DEVICES
        group = ", ".join(map(str, range(DEVICES)))
        return self.f.op("ttir.all_to_all", [x], tensor(*sizes, element=element), {
            "concat_dim": f"{concat} : si32",
            "replica_groups": f"dense<[[{group}]]> : tensor<1x{DEVICES}xi64>",
            "split_count": f"{DEVICES} : si32", "split_dim": f"{split} : si32"})

    def rms_norm(self, x, weight):
        return self.f.op("ttir.rms_norm", [x, weight], x.type, {
            "epsilon": "9.99999974E-6 : f32", "normalized_shape": i64_array([HIDDEN]),
            "operandSegmentSizes": i32_array([1, 1, 0])})

    def rms_norm_by_hand(self, x, weight):
        """The same in pieces, as a model that was not fused has it."""
        wide = self.typecast(x, "f32")
        two = self.full(2.0, *shape_of(wide.type)[0], element="f32")
        mean = self.reduce("mean", self.binary("pow", wide, two), 1)
        epsilon = self.full(0.125, *shape_of(mean.type)[0], element="f32")
        scale = self.unary("rsqrt", self.binary("add", mean, epsilon))
        scaled = self.binary("multiply", wide, self.broadcast(scale, 1, HIDDEN))
        gain = self.broadcast(self.reshape(weight, 1, HIDDEN), ROWS, 1)
        return self.binary("multiply", self.typecast(scaled, "bf16"), gain)

    def rotate(self, x, heads, cos, sin):
        """x * cos + rotated(x) * sin, the second half of dim negated and first."""
        half = DIM // 2
        late = self.slice(x, [0, 0, 0, half], [1, heads, ROWS, DIM])
        early = self.slice(x, [0, 0, 0, 0], [1, heads, ROWS, half])
        rotated = self.concat([self.unary("neg", late), early], 3)
        return self.binary(
            "add", self.binary("multiply", x, self.broadcast(cos, 1, heads, 1, 1)),
            self.binary("multiply", rotated, self.broadcast(sin, 1, heads, 1, 1)))

    def attention(self, q, k, v, mask=None, window=None, attributes=None):
        operands = [q, k, v] + ([mask] if mask else [])
        properties = {
            "is_causal": "false" if mask else "true",
            "operandSegmentSizes": i32_array([1, 1, 1, int(bool(mask)), 0]),
            "scale": "0.0883883461 : f32"}
        if window:
            properties["sliding_window_size"] = f"{window} : ui32"
        return self.f.op("ttir.scaled_dot_product_attention", operands, q.type, properties,
                         attributes)
