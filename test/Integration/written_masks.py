# SPDX-License-Identifier: Apache-2.0
"""Packed documents as models write them where nothing else says so: a mask of
0 and -inf in blocks along the diagonal."""


def ends_of(case):
    return [int(end) for end in case.documents.split("+")]


def dense(case, writer):
    """A constant of all entries."""
    infinity = "0xFF80" if writer.dtype == "bf16" else "0xFF800000"
    rows, begin = [], 0
    for end in ends_of(case) + [case.queries]:
        behind = end == case.queries and begin == ends_of(case)[-1]
        for row in range(begin, end):
            last = row + 1 if case.causal else end
            first, last = (0, 0) if behind else (begin, last)
            rows.append("[" + ", ".join("0.0" if first <= key < last else infinity
                                        for key in range(case.queries)) + "]")
        begin = max(begin, end)
    return writer.constant(f"[[[{', '.join(rows)}]]]",
                           [1, 1, case.queries, case.queries])


def compared(case, writer):
    """Ids of documents as rows and as columns, positions beside them."""
    size = case.queries
    ids = [sum(row >= end for end in ends_of(case)) for row in range(size)]
    whole, bits = [1, 1, size, size], f"tensor<1x1x{size}x{size}xi1>"
    numbers = writer.typed("constant", [], f"value = dense<{ids}> : tensor<{size}xi32>",
                           f"tensor<{size}xi32>")

    def standing(numbers, shape):
        text = ", ".join(f"{size} : i32" for size in shape)
        return writer.typed("reshape", [numbers], f"shape = [{text}]",
                            f"tensor<{'x'.join(map(str, shape))}xi32>")

    rows, columns = [1, 1, size, 1], [1, 1, 1, size]
    seen = writer.typed("eq", [standing(numbers, rows), standing(numbers, columns)], "", bits)
    if case.causal:
        places = writer.typed("arange", [], "arange_dimension = 0 : i64, start = 0 : si64, "
                              f"end = {size} : si64, step = 1 : si64", f"tensor<{size}xi32>")
        before = writer.typed("ge", [standing(places, rows), standing(places, columns)], "",
                              bits)
        seen = writer.typed("logical_and", [seen, before], "", bits)
    kind = writer.type(whole)
    keep, drop = writer.full(whole, 0.0), writer.full(whole, -1e9)
    return writer.typed("where", [seen, (keep[0], kind), (drop[0], kind)], "",
                        kind)[0], whole


def blocks(case, writer):
    """Blocks of zeros, each written into a mask that drops everything: rows
    before it, its own between two pieces of the mask, rows behind it."""
    size = case.queries
    whole = [1, 1, size, size]
    mask, begin = writer.full(whole, -1e9), 0
    for end in ends_of(case):
        rows = end - begin
        if not rows:
            continue
        own = [writer.full([1, 1, rows, rows], 0.0)]
        if begin:
            own.insert(0, writer.slice(mask, [0, 0, begin, 0], [1, 1, end, begin]))
        if end < size:
            own.append(writer.slice(mask, [0, 0, begin, end], [1, 1, end, size]))
        row = writer.op("concat", own, "dim = -1 : si32", [1, 1, rows, size])
        parts = [row]
        if begin:
            parts.insert(0, writer.slice(mask, [0, 0, 0, 0], [1, 1, begin, size]))
        if end < size:
            parts.append(writer.slice(mask, [0, 0, end, 0], whole))
        mask = writer.op("concat", parts, "dim = 2 : si32", whole)
        begin = end
    return mask


WAYS = {"dense": dense, "compared": compared, "blocks": blocks}
