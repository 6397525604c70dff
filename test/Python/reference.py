# SPDX-License-Identifier: Apache-2.0
"""Attention from its definition, in double precision, and arrays to try it on."""

import numpy as np


def normal(*shape, seed=1):
    return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)


def inputs(queries, keys=None, heads=4, key_heads=2, dim=32, batch=1):
    keys = queries if keys is None else keys
    return (normal(batch, heads, queries, dim, seed=1), normal(batch, key_heads, keys, dim, seed=2),
            normal(batch, key_heads, keys, dim, seed=3))


def attention(q, k, v, causal=False, window=None, scale=None, mask=None):
    q, k, v = (np.asarray(x, np.float64) for x in (q, k, v))
    k, v = (np.repeat(x, q.shape[-3] // x.shape[-3], -3) for x in (k, v))
    scores = q @ k.swapaxes(-1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if mask is not None:
        scores = scores + mask
    behind = np.arange(q.shape[-2])[:, None] - np.arange(k.shape[-2])
    if causal:
        scores = np.where(behind >= 0, scores, -np.inf)
    if window is not None:
        scores = np.where(behind < window, scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v


def round_to_bf16(array):
    """To nearest, ties to even, by the definition: 8 significant bits."""
    fraction, exponent = np.frexp(np.asarray(array, np.float64))
    return np.ldexp(np.rint(np.ldexp(fraction, 8)), exponent - 8).astype(np.float32)
