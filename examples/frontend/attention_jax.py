#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Attention over a padded sequence that is sharded, in JAX.

`attention` is one device's program: it gathers keys and values itself and cuts
them to their real number, so that no partitioner has to guess what is meant. The
StableHLO that this prints is the next file here, in another form.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

DEVICES, PADDED, REAL, HEADS, DIM = 4, 256, 250, 4, 32
# [batch, tokens, heads, dim]
SHARDED = PartitionSpec(None, "sp", None, None)


def mesh():
    devices = np.array(jax.devices()[:DEVICES]).reshape(1, DEVICES)
    return Mesh(devices, ("x", "sp"))


def attention(query, key, value):
    key, value = (jax.lax.all_gather(shard, "sp", axis=1, tiled=True)[:, :REAL]
                  for shard in (key, value))
    return jax.nn.dot_product_attention(query, key, value)


def main():
    devices = mesh()
    on_devices = functools.partial(
        jax.shard_map, mesh=devices, in_specs=(SHARDED,) * 3, out_specs=SHARDED)
    tokens = jax.ShapeDtypeStruct((1, PADDED, HEADS, DIM), jnp.bfloat16,
                                  sharding=NamedSharding(devices, SHARDED))
    print(jax.jit(on_devices(attention)).lower(*[tokens] * 3).as_text())


if __name__ == "__main__":
    main()
