# SPDX-License-Identifier: Apache-2.0
"""New queries over a cache, and documents behind each other: the words for them,
and the clauses of a ring.attention that they become."""

import dataclasses


@dataclasses.dataclass
class Cached:
    page: int = 0  # keys of a page; there are keys / page of them in use
    cached: bool = False  # a cache without pages
    start: int = 0  # the position of the first query over a cache
    starts: str = ""  # the same for each batch entry, -1+0+150
    dynamic: bool = False  # the start is not a constant
    given: bool = False  # page table and start, or the ends, are arguments
    block: int = 0  # rows of the blocks in which a cache is dealt out
    unused: int = 0  # pages at the end that are not there, in the last entry
    ends: str = ""  # the ends of documents as a tensor, 40+100+128; with `given` how many

    def pages(self):
        """Logical pages of a batch entry."""
        return self.keys // self.page

    def owner(self, page):
        """The rank that has a logical page of a cache that is dealt out."""
        return page // (self.block // self.page) % self.ranks

    def blocks(self):
        """Physical blocks of the whole cache: some more than are in use."""
        if not self.block:
            return self.batch * self.pages() + 2
        most = max(sum(self.owner(page) == rank for page in range(self.pages()))
                   for rank in range(self.ranks))
        return self.ranks * (self.batch * most + 1)

    def table(self):
        """A page table that goes through the cache backwards: in steps of three,
        or through the blocks of each rank."""
        count, blocks = self.pages(), self.blocks()
        if self.block:
            share = blocks // self.ranks
            last = [share * (rank + 1) for rank in range(self.ranks)]
            rows = []
            for _ in range(self.batch):
                rows.append([])
                for page in range(count):
                    last[self.owner(page)] -= 1
                    rows[-1].append(last[self.owner(page)])
        else:
            step = 3 if blocks % 3 else 1
            used = [(blocks - 1 - step * i) % blocks
                    for i in range(self.batch * count)]
            rows = [used[b * count:(b + 1) * count] for b in range(self.batch)]
        for page in range(count - self.unused, count):
            rows[-1][page] = -1
        return rows


def integers(writer, name, numbers, shape):
    """A constant; returns its type."""
    type = f"tensor<{'x'.join(str(size) for size in shape)}xi32>"
    writer.lines.append(f'{name} = "ttir.constant"() <{{value = dense<{numbers}> : '
                        f"{type}}}> : () -> {type}")
    return type


def start_clause(case, writer):
    """Where queries start."""
    if case.given:
        writer.arguments.append("%start: tensor<1xi32>")
        return " start(%start : tensor<1xi32>)"
    starts = [int(start) for start in case.starts.split("+")] if case.starts \
        else [case.start]
    known = [start - case.dynamic for start in starts]
    type = integers(writer, "%start", known, [len(known)])
    name = "%start"
    if case.dynamic:
        integers(writer, "%one", 1, [len(known)])
        writer.lines.append(f'%sum = "ttir.add"(%start, %one) : ({type}, {type}) -> '
                            f"{type}")
        name = "%sum"
    return f" start({name} : {type})"


def clauses(case, writer):
    """Pages, start and documents of a ring.attention, as far as it has them."""
    text = ""
    if case.page and case.given:
        table = f"tensor<{case.batch}x{case.pages()}xi32>"
        writer.arguments.append(f"%table: {table}")
        text += f" pages(%table : {table})"
    elif case.page:
        table = integers(writer, "%table", case.table(), [case.batch, case.pages()])
        text += f" pages(%table : {table})"
    if case.page or case.cached:
        text += start_clause(case, writer)
    if case.ends and case.given:
        ends = f"tensor<{case.ends}xi32>"
        writer.arguments.append(f"%ends: {ends}")
        text += f" documents(%ends : {ends})"
    elif case.ends:
        numbers = [int(end) for end in case.ends.split("+")]
        ends = integers(writer, "%ends", numbers, [len(numbers)])
        text += f" documents(%ends : {ends})"
    return text
