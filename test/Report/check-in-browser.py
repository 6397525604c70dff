# SPDX-License-Identifier: Apache-2.0
"""Opens reports in Chromium and uses them: no errors, nothing wider than a
phone, bars where the data says, everything within reach of the keyboard, and
colours that can be read.

usage: check-in-browser.py report.html...
"""

import sys

from browser import Browser

# The bars with their places, and the events that they stand for.
BARS = """(() => {
  const data = JSON.parse(document.getElementById("report-data").textContent);
  const canvas = document.querySelector("#timeline-figure .scroll svg");
  const bars = [...canvas.querySelectorAll(".cell")].map((cell) => {
    const bar = cell.querySelector("rect");
    return [Number(bar.getAttribute("x")), Number(bar.getAttribute("width")),
            cell.getAttribute("aria-label")];
  });
  return { bars, width: Number(canvas.getAttribute("width")),
           seconds: data.seconds, rows: data.rows };
})()"""

# The ratio of two colours as WCAG defines it.
CONTRAST = """((names) => {
  const style = getComputedStyle(document.documentElement);
  const light = (name) => {
    const hex = style.getPropertyValue("--" + name).trim().slice(1);
    const parts = [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  return names.map(([a, b]) => {
    const [x, y] = [light(a), light(b)].sort((p, q) => q - p);
    return (x + 0.05) / (y + 0.05);
  });
})"""
TEXTS = [["ink", "paper"], ["soft", "paper"], ["ink", "raised"], ["soft", "raised"],
         ["right", "paper"], ["wait", "paper"]]
SHAPES = [["compute", "paper"], ["compute-odd", "paper"], ["transfer", "paper"],
          ["wait", "paper"], ["focus", "paper"], ["on-compute", "compute"],
          ["on-compute", "compute-odd"]]

# Words in which a line may end between a number and its unit.
TORN = """(() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (texts.nextNode()) {
    const parent = texts.currentNode.parentElement;
    if (parent.closest("script, pre, svg") || getComputedStyle(parent).whiteSpace === "nowrap")
      continue;
    const torn = texts.currentNode.data.match(/[0-9] ([nuµm]?s|%|[KMGT]?i?B|[kMGTP]?FLOP|devices?|ranks|times)(?!\\w).*/);
    if (torn)
      found.push(torn[0].slice(0, 40));
  }
  return found;
})()"""

# What a page on paper has to show where it has it.
ON_PAPER = """["check", "provenance", "bound", "memory-limit"].filter((id) => {
  const element = document.getElementById(id);
  return element && element.textContent && element.getClientRects().length === 0;
})"""

FOCUS = """(() => {
  const element = document.activeElement;
  const bar = element.querySelector && element.querySelector("rect");
  return { label: element.getAttribute("aria-label") || element.textContent.trim(),
           cell: element.classList.contains("cell"),
           stroke: bar ? getComputedStyle(bar).stroke : "",
           box: element.getBoundingClientRect().toJSON() };
})()"""


class Checker:
    def __init__(self, browser, page):
        self.browser = browser
        self.page = page
        self.failures = []

    def expect(self, is_so, what):
        if not is_so:
            self.failures.append(f"{self.page}: {what}")

    def look(self, width, dark):
        """Errors, overflow and colours."""
        browser = self.browser
        browser.problems.clear()
        browser.show(self.page, width=width, dark=dark)
        seen = f"at {width} px, {'dark' if dark else 'light'}"
        wide = browser.evaluate(
            "[document.scrollingElement.scrollWidth, document.scrollingElement.clientWidth]"
        )
        self.expect(wide[0] <= wide[1], f"{seen} the page is {wide[0]} px wide")
        for names, least in ((TEXTS, 4.5), (SHAPES, 3.0)):
            ratios = browser.evaluate(f"{CONTRAST}({names})")
            for pair, ratio in zip(names, ratios):
                self.expect(ratio >= least, f"{seen} {pair} has a contrast of {ratio:.2f}")
        self.expect(not browser.problems, f"{seen} {browser.problems}")

    def read(self):
        """Numbers stay with their units, and paper has what cannot be asked for."""
        torn = self.browser.evaluate(TORN)
        self.expect(not torn, f"lines may end within {torn}")
        self.browser.call("Emulation.setEmulatedMedia", media="print")
        hidden = self.browser.evaluate(ON_PAPER)
        self.expect(not hidden, f"on paper {hidden} are missing")
        self.browser.call("Emulation.setEmulatedMedia", media="")

    def compare_bars(self):
        """Every event is a bar in its place."""
        drawn = self.browser.evaluate(BARS)
        events = [event for row in drawn["rows"] for event in row["events"]]
        self.expect(
            len(drawn["bars"]) == len(events),
            f"{len(events)} events are {len(drawn['bars'])} bars",
        )
        margin = 2
        scale = (drawn["width"] - 2 * margin) / drawn["seconds"]
        wanted = sorted((e[0] * scale + margin, (e[1] - e[0]) * scale) for e in events)
        found = sorted((x, width) for x, width, _ in drawn["bars"])
        for (x, width), (left, full) in zip(wanted, found):
            self.expect(abs(x - left) < 0.02, f"a bar is at {left}, not at {x}")
        total = sum(max(1, width) for _, width in wanted)
        drawn_total = sum(width for _, width in found)
        self.expect(
            abs(total - drawn_total) <= 0.76 * len(events),
            f"bars are {drawn_total} px long together, not {total}",
        )

    def press(self, *keys):
        for key in keys:
            self.browser.press(key, text=key if len(key) == 1 else "")
        return self.browser.evaluate(FOCUS)

    def play_rounds(self):
        """The ring view shows a round at a time, by keyboard and played."""
        rounds = self.browser.evaluate(
            "(JSON.parse(document.getElementById('report-data').textContent).rings[0] || { rounds: [] }).rounds.length"
        )
        if rounds < 2:
            return
        told = "document.querySelector('#ring-figure output').textContent"
        self.browser.evaluate("document.querySelector('#ring-figure input').focus()")
        self.expect(self.browser.evaluate(told).startswith("round 1 of"), "starts at the first round")
        self.press("ArrowRight")
        self.expect(self.browser.evaluate(told).startswith("round 2 of"), "ArrowRight goes on")
        self.press("Home")
        self.press("End")
        self.expect(self.browser.evaluate(told).startswith(f"round {rounds} of"), "End goes to the last")
        self.press("Home", " ")
        button = "document.querySelector('#ring-figure button').textContent"
        self.expect(self.browser.evaluate(button) == "Pause", "space plays")
        self.browser.evaluate("new Promise(r => setTimeout(r, 1800))")
        self.expect(self.browser.evaluate(told).startswith("round 2 of"), "playing goes on")
        self.press(" ")
        self.expect(self.browser.evaluate(button) == "Play", "space pauses")

    def use_keyboard(self):
        """Tab reaches the skip link, then the timeline; arrows move in it."""
        first = self.press("Tab")
        self.expect(first["label"].startswith("Skip"), f"Tab first goes to {first}")
        self.expect(first["box"]["x"] >= 0, "the skip link cannot be seen")
        self.press("Enter")
        for _ in range(24):
            focus = self.press("Tab")
            if focus["cell"]:
                break
        self.expect(focus["cell"], f"Tab does not reach the timeline but {focus}")
        self.expect(focus["stroke"] not in ("", "none"), "the focus cannot be seen")
        lanes = self.browser.evaluate(
            "[...document.querySelectorAll('#timeline-figure [role=row]')]"
            ".map(row => [...row.querySelectorAll('.cell')].map(c => c.getAttribute('aria-label')))"
            ".filter(row => row.length)"
        )
        self.expect(focus["label"] == lanes[0][0], f"starts at {focus['label']}")
        if len(lanes[0]) > 1:
            self.expect(self.press("ArrowRight")["label"] == lanes[0][1], "ArrowRight")
            self.expect(self.press("End")["label"] == lanes[0][-1], "End")
            self.expect(self.press("ArrowRight")["label"] == lanes[0][-1], "the end")
            self.expect(self.press("Home")["label"] == lanes[0][0], "Home")
        if len(lanes) > 1:
            self.expect(self.press("ArrowDown")["label"] in lanes[1], "ArrowDown")
            down = self.press(*["ArrowDown"] * len(lanes))
            self.expect(down["label"] in lanes[-1], "the last device")
            up = self.press(*["ArrowUp"] * len(lanes))
            self.expect(up["label"] in lanes[0], "the first device")
        told = self.browser.evaluate("document.getElementById('timeline-detail').textContent")
        focus = self.browser.evaluate(FOCUS)
        self.expect(told.lower() == focus["label"].lower(), f"the words say '{told}'")
        before = self.browser.evaluate(BARS)["width"]
        zoomed = self.press("+")
        self.expect(zoomed["cell"] and zoomed["label"] == focus["label"], "zoom loses the focus")
        self.expect(self.browser.evaluate(BARS)["width"] == 2 * before, "+ does not zoom")
        self.press("-")
        self.expect(self.browser.evaluate(BARS)["width"] == before, "- does not zoom out")
        out = self.press("Tab")
        self.expect(not out["cell"], "Tab does not leave the timeline")


def main():
    failures = []
    with Browser() as browser:
        for page in sys.argv[1:]:
            checker = Checker(browser, page)
            for width, dark in ((390, False), (360, True), (1400, True), (1280, False)):
                checker.look(width, dark)
            checker.read()
            checker.compare_bars()
            checker.use_keyboard()
            checker.play_rounds()
            checker.expect(not browser.problems, str(browser.problems))
            failures += checker.failures
            if not checker.failures:
                print(f"{page.split('/')[-1]}: works in a browser")
    for failure in failures[:40]:
        print(failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
