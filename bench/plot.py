# SPDX-License-Identifier: Apache-2.0
"""Line plots on logarithmic axes as one self-contained SVG, so that a benchmark
needs nothing but Python to draw what it measured."""

import dataclasses
import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 460, 340  # of one panel
LEFT, RIGHT, TOP, BOTTOM = 70, 16, 16, 46
COLOURS = ("#1b6ca8", "#c8553d", "#3a7d44", "#7b4b94", "#b8860b", "#444444")


@dataclasses.dataclass
class Line:
    name: str
    points: list  # of (x, y), both positive
    dashed: bool = False


@dataclasses.dataclass
class Panel:
    across: str
    up: str
    lines: list


def number(value):
    """4096 as 4K, 1048576 as 1M, 0.5 as it is."""
    for unit, letter in ((1 << 20, "M"), (1 << 10, "K")):
        if value >= unit and value % unit == 0:
            return f"{value // unit:g}{letter}"
    return f"{value:g}"


class Scale:
    """Powers of two on a stretch of the page: from the largest one below all
    numbers to the smallest one above them."""

    def __init__(self, values, begin, end):
        self.low = math.floor(math.log2(min(values)))
        self.high = max(math.ceil(math.log2(max(values))), self.low + 1)
        self.begin, self.end = begin, end

    def at(self, value):
        share = (math.log2(value) - self.low) / (self.high - self.low)
        return self.begin + share * (self.end - self.begin)

    def ticks(self):
        """At most about eight of them."""
        step = max(1, math.ceil((self.high - self.low) / 8))
        return [2.0 ** power for power in range(self.low, self.high + 1, step)]


def draw(panel, left):
    """The elements of one panel whose left edge is at `left`."""
    points = [point for line in panel.lines for point in line.points]
    across = Scale([x for x, _ in points], left + LEFT, left + WIDTH - RIGHT)
    up = Scale([y for _, y in points], HEIGHT - BOTTOM, TOP)
    # Room for the names of the lines: of 278 points of height, seven names take
    # 120, so that a span of 6 powers grows by 6 * 120 / (278 - 120), hence 5.
    names, height = 8 + 16 * len(panel.lines), up.begin - up.end
    up.high += max(1, math.ceil((up.high - up.low) * names / (height - names)))
    out = []

    def text(x, y, words, anchor="middle", turn=""):
        out.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{turn}>'
                   f"{escape(words)}</text>")

    def rule(x1, y1, x2, y2, style):
        out.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" '
                   f'y2="{y2:.1f}" {style}/>')

    grid = 'stroke="#dddddd"'
    for value in across.ticks():
        rule(across.at(value), up.begin, across.at(value), up.end, grid)
        text(across.at(value), up.begin + 15, number(value))
    for value in up.ticks():
        rule(across.begin, up.at(value), across.end, up.at(value), grid)
        text(across.begin - 6, up.at(value) + 4, number(value), "end")
    text((across.begin + across.end) / 2, HEIGHT - 10, panel.across)
    middle = (up.begin + up.end) / 2
    text(left + 16, middle, panel.up,
         turn=f' transform="rotate(-90 {left + 16} {middle:.1f})"')
    for index, line in enumerate(panel.lines):
        colour = COLOURS[index % len(COLOURS)]
        dash = ' stroke-dasharray="6 4"' if line.dashed else ""
        path = " ".join(f"{across.at(x):.1f},{up.at(y):.1f}"
                        for x, y in line.points)
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" '
                   f'stroke-width="2"{dash}/>')
        for x, y in line.points:
            out.append(f'<circle cx="{across.at(x):.1f}" cy="{up.at(y):.1f}" '
                       f'r="3" fill="{colour}"/>')
        y = TOP + 14 + 16 * index
        rule(across.begin + 8, y - 4, across.begin + 32, y - 4,
             f'stroke="{colour}" stroke-width="2"{dash}')
        text(across.begin + 38, y, line.name, "start")
    return out


def page(title, panels):
    """The whole picture as text."""
    width, height, heading = WIDTH * len(panels), HEIGHT, 30
    body = [f'<text x="{width / 2}" y="20" text-anchor="middle" '
            f'font-size="15">{escape(title)}</text>',
            f'<g transform="translate(0 {heading})">']
    for index, panel in enumerate(panels):
        body += draw(panel, index * WIDTH)
    return ('<svg xmlns="http://www.w3.org/2000/svg" '
            f'viewBox="0 0 {width} {height + heading}" width="{width}" '
            f'height="{height + heading}" font-family="sans-serif" '
            'font-size="11" fill="#222222">\n'
            f'<rect width="{width}" height="{height + heading}" fill="#ffffff"/>\n'
            + "\n".join(body) + "\n</g>\n</svg>\n")
