# SPDX-License-Identifier: Apache-2.0
"""What is known of a program before and after it ran: plans, judgements, predictions, pages."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Sequence

from ._checks import Path, write_file

PlanRow = Dict[str, Any]


def format_seconds(seconds: float) -> str:
    """Such as "17.1 ms"."""
    for unit, name in ((1, "s"), (1e-3, "ms")):
        if seconds >= unit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds / 1e-6:.3g} us"


def format_bytes(count: float) -> str:
    """Such as "1.8 MiB"."""
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.0f} B" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} GiB"


class Plan(Sequence[PlanRow]):
    """What the planner had to choose from for each attention, the fastest first. All
    numbers are predicted.

    A row is a dictionary: attention, name, strategy, chosen, seconds, utilisation,
    exposed_seconds, sent_bytes (by a device), device_bytes and error (of the prediction).
    """

    def __init__(self, attentions: List[Dict[str, Any]], remarks: Sequence[str] = ()):
        """`remarks` are what the compiler said, which tells why nothing was planned."""
        self.attentions = attentions
        """Each with attention, count, mesh, machine, has_file, note, reason, candidates and
        rejected."""
        self._remarks = list(remarks)
        self._rows = [{"attention": one["attention"], **row}
                      for one in attentions for row in one["candidates"]]

    @property
    def chosen(self) -> List[PlanRow]:
        """The row that was taken, of each attention."""
        return [row for row in self._rows if row["chosen"]]

    @property
    def rejected(self) -> List[PlanRow]:
        """What is not possible: attention, name, strategy and rejection, which says why."""
        return [{"attention": one["attention"], **row}
                for one in self.attentions for row in one["rejected"]]

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: Any) -> Any:
        return self._rows[index]

    def __iter__(self) -> Iterator[PlanRow]:
        return iter(self._rows)

    def _tables(self) -> Iterator[Any]:
        """The heading, the lines and the note of each attention."""
        for one in self.attentions:
            heading = (f"{one['attention']}, on {one['machine']}, "
                       f"{'x'.join(map(str, one['mesh']))}"
                       + (f" ({one['count']} alike)" if one["count"] > 1 else ""))
            lines = [("", "candidate", "predicted", "used", "exposed", "a device", "error")]
            lines += [("*" if row["chosen"] else "", row["name"], format_seconds(row["seconds"]),
                       f"{100 * row['utilisation']:.0f} %", format_seconds(row["exposed_seconds"]),
                       format_bytes(row["device_bytes"]), row["error"])
                      for row in one["candidates"]]
            yield heading, lines, f"{one['note']}; * was taken: {one['reason']}"

    def _nothing(self) -> List[str]:
        return ["nothing was planned", *self._remarks]

    def __str__(self) -> str:
        text = []
        for heading, lines, note in self._tables():
            widths = [max(map(len, column)) for column in zip(*lines)]
            text.append(heading)
            for mark, name, *numbers in lines:
                cells = [f"{cell:>{width}}" for cell, width in zip(numbers, widths[2:])]
                text.append(f"{mark:1} {name:<{widths[1]}}  " + "  ".join(cells))
            text.append(note)
        return "\n".join(text or self._nothing())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        text = []
        for heading, lines, note in self._tables():
            text.append(f"<p>{html.escape(heading)}</p><table>")
            for number, line in enumerate(lines):
                tag = "td" if number else "th"
                text.append("<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>"
                                             for cell in line) + "</tr>")
            text.append(f"</table><p>{html.escape(note)}</p>")
        return "".join(text or (f"<p>{html.escape(line)}</p>" for line in self._nothing()))


@dataclass(frozen=True)
class OutputCheck:
    """What is to be said of one output, against the reference in double precision."""
    name: str
    passed: bool
    finite: bool
    relative_error: float
    max_error: float
    rmse: float
    pcc: float
    share_of_bound: float
    """Above 1 a bound is broken. The bounds follow from element types and roundings."""
    fault: str


class Check(Sequence[OutputCheck]):
    """The judgement of all outputs; true if every one of them passed."""

    def __init__(self, outputs: List[OutputCheck], text: str):
        self.outputs = outputs
        self.text = text

    @property
    def passed(self) -> bool:
        return all(output.passed for output in self.outputs)

    def __bool__(self) -> bool:
        return self.passed

    def __len__(self) -> int:
        return len(self.outputs)

    def __getitem__(self, index: Any) -> Any:
        return self.outputs[index]

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


class Prediction:
    """What a model of a machine says that a run would cost. Nothing in here was measured."""

    def __init__(self, text: str, statistics: Dict[str, Any]):
        predicted = statistics["prediction"]
        self.text = text
        self.statistics = statistics
        self.machine: str = predicted["machine"]
        self.note: str = predicted["note"]
        """The prediction in one line, with its error."""
        self.seconds: float = statistics["seconds"]
        self.utilisation: float = predicted["utilisation"]
        self.exposed_seconds: float = max(
            (device["exposed_seconds"] for device in predicted["devices"]), default=0.0)
        """Of the device that stands still for transfers longest."""
        self.device_bytes: int = max(
            (device["peak_bytes"] for device in statistics["devices"]), default=0)
        """That a device holds at most."""
        self.device_memory: int = predicted["dram_bytes"]
        """That a chip has; 0 if it is not known."""
        self.fits: bool = predicted["fits_dram"] and predicted["fits_l1"]

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


class Report:
    """A run as one page of HTML, which a notebook shows where it is the last value of a cell."""

    def __init__(self, page: str):
        self.html = page

    def save(self, path: Path) -> None:
        write_file(path, self.html.encode())

    def _repr_html_(self) -> str:
        # In a frame, so that the page's styles and scripts stay its own.
        return (f'<iframe srcdoc="{html.escape(self.html)}" '
                'style="width: 100%; height: 800px; border: 0"></iframe>')

    def __repr__(self) -> str:
        return f"<report, {format_bytes(len(self.html))} of HTML; save(path) writes it>"
