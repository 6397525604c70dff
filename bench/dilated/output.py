# SPDX-License-Identifier: Apache-2.0
"""What was measured, as a table, as CSV and JSON, and as a plot."""

import csv
import dataclasses
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import plot  # noqa: E402

HEADINGS = ("kind", "tokens", "devices", "ms", "tokens/s", "held KiB",
            "KiB/token", "of matrix", "sent KiB")
FORMAT = ("{:<15} {:>8} {:>7} {:>10} {:>10} {:>10} {:>10} {:>10} "
          "{:>10}")


def heading():
    return FORMAT.format(*HEADINGS)


def line(m):
    """A measurement as a line of the table; a device's memory and bytes."""
    return FORMAT.format(
        m.kind, m.tokens, m.devices, f"{m.ms:.2f}", f"{m.tokens_per_second:.0f}",
        f"{m.peak_bytes / 1024:.0f}", f"{m.kb_per_token:.3f}", f"{100 * m.fraction:.3f}%",
        f"{m.bytes_sent / 1024:.0f}")


def series(measurements, across, up, label):
    """Lines of a panel: one for each label, in order of appearance."""
    lines = {}
    for m in measurements:
        x, y = across(m), up(m)
        if x > 0 and y > 0:
            lines.setdefault(label(m), []).append((x, y))
    return [plot.Line(name, sorted(points)) for name, points in lines.items()]


def write(prefix, title, measurements, panels, extra=None):
    """PREFIX.csv, .json and .svg; returns their names."""
    rows = [dataclasses.asdict(m) for m in measurements]
    with open(prefix + ".csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    with open(prefix + ".json", "w", encoding="utf-8") as file:
        json.dump({"title": title, "measurements": rows, **(extra or {})}, file,
                  indent=1)
        file.write("\n")
    with open(prefix + ".svg", "w", encoding="utf-8") as file:
        file.write(plot.page(title, panels))
    return [prefix + suffix for suffix in (".csv", ".json", ".svg")]
