#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A block of a video transformer built as Wan's, for tt-xla.

Tokens are sharded over the mesh axis "sp", heads and features over "tp". Tokens
are padded until every device has whole tiles of 32 of them; self attention cuts
keys and values to the real number again and leaves its queries padded.

Run where tt-xla and a mesh of SP x TP devices are, it writes the IR of every
stage into wan-block/irs: shlo_*.mlir and ttir_*.mlir are the next two files here.
"""

import torch
import torch.nn.functional as F
from torch import nn

SP, TP = 4, 2
REAL = 370
PADDED = -(-REAL // (32 * SP)) * 32 * SP
HEADS, DIM, TEXT, WIDE = 4, 16, 48, 160
FEATURES = HEADS * DIM


class RMSNorm(nn.Module):
    """Over all heads at once, so that devices that have some of them add up."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(FEATURES))

    def forward(self, x):
        wide = x.float()
        mean = (wide * wide).sum(-1, keepdim=True) * (1 / FEATURES)
        return (wide * torch.rsqrt(mean + 1e-6)).type_as(x) * self.weight


def rotate(x, cos, sin):
    early, late = x[..., : DIM // 2], x[..., DIM // 2:]
    return x * cos + torch.cat([-late, early], -1) * sin


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        for name in ("to_q", "to_k", "to_v", "to_out"):
            setattr(self, name, nn.Linear(FEATURES, FEATURES, bias=False))
        self.norm_q, self.norm_k = RMSNorm(), RMSNorm()

    def forward(self, x, context=None, angles=None):
        is_self = context is None
        context = x if is_self else context
        query = self.norm_q(self.to_q(x)).unflatten(2, (HEADS, DIM))
        key = self.norm_k(self.to_k(context)).unflatten(2, (HEADS, DIM))
        value = self.to_v(context).unflatten(2, (HEADS, DIM))
        if angles:
            query, key = rotate(query, *angles), rotate(key, *angles)
        if is_self:
            key, value = key[:, :REAL], value[:, :REAL]
        out = F.scaled_dot_product_attention(
            *(tensor.transpose(1, 2) for tensor in (query, key, value)))
        return self.to_out(out.transpose(1, 2).flatten(2, 3))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attn1, self.attn2 = Attention(), Attention()
        self.up = nn.Linear(FEATURES, WIDE, bias=False)
        self.down = nn.Linear(WIDE, FEATURES, bias=False)

    def forward(self, x, text, shift, scale, gate, cos, sin):
        def norm(x):
            return F.layer_norm(x, (FEATURES,), eps=1e-6)

        x = x + self.attn1(norm(x) * (1 + scale) + shift, angles=(cos, sin)) * gate
        x = x + self.attn2(norm(x), text)
        return x + self.down(F.gelu(self.up(norm(x)), approximate="tanh"))


def shardings(block):
    """Columns of what comes before an attention or an activation, rows of what
    comes behind it."""
    columns, rows, norms = ("tp", None), (None, "tp"), ("tp",)
    for attention in (block.attn1, block.attn2):
        yield from ((layer.weight, columns)
                    for layer in (attention.to_q, attention.to_k, attention.to_v))
        yield attention.to_out.weight, rows
        yield from ((norm.weight, norms)
                    for norm in (attention.norm_q, attention.norm_k))
    yield block.up.weight, columns
    yield block.down.weight, rows


def main():
    import numpy as np
    import torch_xla
    import torch_xla.core.xla_model as xm
    import torch_xla.distributed.spmd as xs
    import torch_xla.runtime as xr

    xr.set_device_type("TT")
    xr.use_spmd()
    torch_xla.set_custom_compile_options({"export_path": "wan-block"})
    mesh = xs.Mesh(np.arange(SP * TP), (SP, TP), ("sp", "tp"))
    device = xm.xla_device()
    block = Block().eval().bfloat16().to(device)
    for weight, spec in shardings(block):
        xs.mark_sharding(weight, mesh, spec)

    def given(shape, spec):
        tensor = torch.randn(shape, dtype=torch.bfloat16).to(device)
        xs.mark_sharding(tensor, mesh, spec)
        return tensor

    tokens = given((1, PADDED, FEATURES), (None, "sp", None))
    text = given((1, TEXT, FEATURES), (None, None, None))
    steps = [given((1, 1, FEATURES), (None, None, None)) for _ in range(3)]
    angles = [given((1, PADDED, 1, DIM), (None, "sp", None, None)) for _ in range(2)]
    with torch.no_grad():
        torch.compile(block, backend="tt")(tokens, text, *steps, *angles).cpu()


if __name__ == "__main__":
    main()
