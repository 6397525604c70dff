# SPDX-License-Identifier: Apache-2.0
"""What an attention has to compute and to receive, counted from its definition.

Nothing here knows how the compiler goes about it, except for three rules of
docs/Pipeline.md: a sub-ring passes all rows of a segment round, those of a causal
one forward only to who sees them; an all-to-all trades heads for rows where that
moves less; and anything else moves exactly the rows that some query of a device
sees.
"""

import dataclasses
import re

WORDS = {"segmentation": "tiled", "chunks": "1", "phase": "group",
         "mix": "head_partition", "extra": "first", "shorter": "error",
         "causal": "false"}


@dataclasses.dataclass
class Attention:
    """One attention of a file, and the words of its pattern."""

    heads: int
    kv_heads: int
    queries: int
    keys: int
    dim: int
    element_bytes: int
    causal: bool = False
    segments: list = None  # none: dense
    rates: list = None
    words: dict = None
    joint: int = 0
    length: int = 0  # keys from here on are padding
    start: int = 0  # the position of the first query
    heads_axis: bool = False  # heads over axis 0
    paged: bool = False


def numbers(text):
    return [int(piece) for piece in text.split(",")]


def read(text):
    """The attention in the text of a module."""
    found = re.search(r"ring\.attention %q, %k, %v(.*?)\n\s*: tensor<(\S+)>, "
                      r"tensor<(\S+)>, \S+ -> tensor", text, re.DOTALL)
    found = found or re.search(
        r'"ttir\.scaled_dot_product_attention"(.*?)\n\s*: \(tensor<(\S+)>, '
        r"tensor<(\S+)>, ", text, re.DOTALL)
    clauses, query, key = found.groups()
    *query, element = query.split("x")
    _, heads, queries, dim = map(int, query)
    _, kv_heads, keys, _ = map(int, key.split("x")[:4])
    result = Attention(heads, kv_heads, queries, keys, dim,
                       {"f32": 4, "bf16": 2}[element])
    result.causal = bool(re.search(r"causal = true|#ring\.causal", clauses))
    result.heads_axis = "heads = 0" in clauses
    dilated = re.search(r"#ring\.dilated<(.*?)>\)", clauses)
    if dilated:
        pieces = re.findall(r"(\w+) = (\[[^]]*\]|\w+)", dilated.group(1))
        result.words = {**WORDS, **dict(pieces)}
        result.segments = numbers(result.words.pop("segments")[1:-1])
        result.rates = numbers(result.words.pop("rates")[1:-1])
    joint = re.search(r"joint\(.*?: tensor<1x\d+x(\d+)x", clauses)
    result.joint = int(joint.group(1)) if joint else 0
    length = re.search(r"length\((\d+)\)", clauses)
    result.length = int(length.group(1)) if length else 0
    if "pages(" in clauses:
        result.paged = True
        result.keys *= int(re.search(r"pages\([^)]*tensor<1x(\d+)xi32>",
                                     clauses).group(1))
        result.start = int(re.search(r"dense<(\d+)> : tensor<1xi32>",
                                     text).group(1))
    return result


def group_of(attention, head):
    """The pair of a head where the heads are shared out."""
    groups, heads = len(attention.segments), attention.heads
    sizes = [heads // groups] * groups
    for extra in range(heads % groups):
        last = attention.words["extra"] == "last"
        sizes[groups - 1 - extra if last else extra] += 1
    for group, size in enumerate(sizes):
        if head < size:
            return group
        head -= size
    raise ValueError("expects a head of the attention")


def pairs_of(attention, head):
    """The numbers of the pairs (segment, rate) that a head runs."""
    if attention.words["mix"] == "head_partition":
        return [group_of(attention, head)]
    return range(len(attention.segments))


def circles(attention, head, pair):
    """Lists of rows that attend to each other."""
    words, length = attention.words, attention.queries
    segment, rate = attention.segments[pair], attention.rates[pair]
    if words["segmentation"] == "concat":
        begin = sum(attention.segments[:pair])
        return [list(range(begin + residue, begin + segment, rate))
                for residue in range(rate)]
    if words["shorter"] == "clamp":
        segment = min(segment, length)
    phase = {"group": pair % rate, "head_mod": head % rate, "zero": 0,
             "head_block": head // -(-attention.heads // rate)}[words["phase"]]
    if words["segmentation"] == "prefix":
        chunk = length // int(words["chunks"])
        return [[row for begin in range(0, length, chunk) for row in
                 list(range(begin + phase, begin + chunk, rate))[:segment]]]
    return [list(range(begin + phase, begin + segment, rate))
            for begin in range(0, length, segment)]


def flops(attention, devices):
    """Of all devices: two products of two operations each per pair and number."""
    return 4 * attention.dim * count_pairs(attention, devices)


def count_pairs(attention, devices):
    """Pairs of a query and a key. Every device attends to its own keys with all
    joint queries."""
    a = attention
    if a.segments:
        sizes = [len(rows) for head in range(a.heads)
                 for pair in pairs_of(a, head) for rows in circles(a, head, pair)]
        return sum(m * (m + 1) // 2 if a.causal else m * m for m in sizes)
    if a.causal:
        return a.heads * sum(min(a.start + row + 1, a.keys)
                             for row in range(a.queries))
    keys = (a.length or a.keys) + a.joint
    return a.heads * (a.queries + devices * a.joint) * keys


def trades_heads(attention, pair, ranks, traded):
    """Whether the all-to-all is chosen for a pair: it moves 4 (t - 1) / t rows
    for each 2 (t - 1) of the ring, and every rank needs equally many heads."""
    heads = sum(pair in pairs_of(attention, head)
                for head in range(attention.heads))
    return traded and ranks > 2 and heads % ranks == 0


def chain_shards(rank, ranks, both, rows):
    """Shards that a rank of a causal ring over contiguous shards receives: those
    before it. With both directions the ones that come backward are passed on by
    all, and of the one across half comes either way, in whole tiles; one tile
    comes forward."""
    if not both or ranks <= 2:
        return rank
    hops = (ranks - 1) // 2
    unit = 1 if rows % 32 else 32
    backward = 1 - rows // unit // 2 * unit / rows
    if backward == 1:
        backward = 0
    across = 0 if ranks % 2 else backward + (1 - backward) * (rank >= ranks // 2)
    return min(rank, hops) + hops + across


def received(attention, mesh, options):
    """The bytes that each device receives under the options of the pipeline."""
    a, (outer, ranks) = attention, mesh
    row_bytes = a.dim * a.element_bytes
    if not a.segments:
        rows = (a.keys // ranks) * a.kv_heads
        both = "directions=both" in options
        chain = "strategy=ring layout=contiguous" in options and not a.paged
        if a.causal and chain:
            return [2 * rows * row_bytes * chain_shards(
                        device % ranks, ranks, both, a.keys // ranks)
                    for device in range(outer * ranks)]
        return [2 * rows * row_bytes * (ranks - 1)] * (outer * ranks)
    shard = a.queries // ranks
    result = []
    for device in range(outer * ranks):
        line, rank = divmod(device, ranks)
        mine = range(a.heads)
        if a.heads_axis:
            mine = mine[line * a.heads // outer:(line + 1) * a.heads // outer]
        rows = 0
        for head in mine:
            for pair in pairs_of(a, head):
                rows += rows_received(a, head, pair, rank, shard, options)
        result.append(int(rows * row_bytes))
    return result


def rows_received(attention, head, pair, rank, shard, options):
    """Rows of keys and values, and of queries and outputs if heads are traded,
    that a device receives for one head."""
    a = attention
    segment, rate = a.segments[pair], a.rates[pair]
    if a.words["shorter"] == "clamp":
        segment = min(segment, a.queries)
    tiled = a.words["segmentation"] == "tiled"
    ring = tiled and segment % shard == 0 and shard % rate == 0
    ranks = segment // shard
    rows = 0
    for circle in circles(a, head, pair):
        own = [row for row in circle if row // shard == rank]
        if not own:
            continue
        others = [row for row in circle if row // shard != rank]
        if ring and trades_heads(a, pair, ranks, "usp" in options):
            return 4 * (ranks - 1) * (shard // rate) / ranks
        if ring and a.causal and "directions=both" in options:
            rows += 2 * (shard // rate) * chain_shards(
                rank % ranks, ranks, True, shard // rate)
            continue
        if a.causal and not (ring and "all_gather" in options):
            others = [row for row in others if row <= own[-1]]
        rows += 2 * len(others)
    return rows
