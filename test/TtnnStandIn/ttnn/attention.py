# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of attention, some rows at a time."""

import numpy as np

_ROWS = 512


def attend(query, key, value, scale, query_places, key_places, sink=None, added=None, window=None):
    """softmax(scale Q K') V in double precision: with places of queries, keys
    behind them do not count; with a window, nor do those before it."""
    groups = query.shape[1] // key.shape[1]
    value_groups = query.shape[1] // value.shape[1]
    made = np.zeros(query.shape[:3] + value.shape[3:])
    for batch in range(query.shape[0]):
        for head in range(query.shape[1]):
            keys = key[batch, head // groups].astype(np.float64)
            values = value[batch, head // value_groups].astype(np.float64)
            for first in range(0, query.shape[2], _ROWS):
                rows = slice(first, first + _ROWS)
                scores = query[batch, head, rows].astype(np.float64) @ keys.T * scale
                if added is not None:
                    scores = scores + added[batch % added.shape[0], head % added.shape[1], rows]
                if query_places is not None:
                    behind = query_places[rows, None] - key_places[None, :]
                    hidden = behind < 0
                    if window:
                        hidden |= behind >= window
                    scores[hidden] = -np.inf
                top = scores.max(axis=1, keepdims=True)
                if sink is not None:
                    top = np.maximum(top, sink[head])
                top = np.where(np.isfinite(top), top, 0)
                weights = np.exp(scores - top)
                total = weights.sum(axis=1, keepdims=True)
                if sink is not None:
                    total = total + np.exp(sink[head] - top)
                made[batch, head, rows] = weights @ values / np.where(total > 0, total, 1)
    return made
