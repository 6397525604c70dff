# SPDX-License-Identifier: Apache-2.0
"""Reads a report without a browser: is it whole, self-contained and labelled,
and are its numbers those of --stats?

usage: read-page.py report.html [--stats stats.json] [--measured | --predicted]
                    [--sections a,b,c] [--devices N] [--check WORDS]
"""

import argparse
import html.parser
import json
import sys

VOID = {"meta", "link", "br", "hr", "img", "input", "col"}


class Page(html.parser.HTMLParser):
    """Elements with their texts, and everything that is wrong with them."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open = []
        self.elements = []
        self.problems = []
        self.feed(text)
        self.close()
        if self.open:
            self.problems.append(f"not closed: {[e['tag'] for e in self.open]}")

    def handle_starttag(self, tag, attributes):
        names = [name for name, _ in attributes]
        if len(names) != len(set(names)):
            self.problems.append(f"<{tag}> has an attribute twice: {names}")
        element = {"tag": tag, "text": "", "inside": [e["tag"] for e in self.open],
                   **{"@" + name: value for name, value in attributes}}
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag):
        if not self.open or self.open[-1]["tag"] != tag:
            self.problems.append(f"</{tag}> closes nothing at {self.getpos()}")
            return
        self.open.pop()

    def handle_data(self, data):
        for element in self.open:
            element["text"] += data

    def all(self, tag):
        return [e for e in self.elements if e["tag"] == tag]

    def by_id(self, name):
        found = [e for e in self.elements if e.get("@id") == name]
        return found[0] if found else None


def check_structure(page, fail):
    for problem in page.problems:
        fail(problem)
    ids = [e["@id"] for e in page.elements if "@id" in e]
    for name in {i for i in ids if ids.count(i) > 1}:
        fail(f"id '{name}' is there more than once")
    for element in page.elements:
        for reference in ("@aria-labelledby", "@aria-describedby"):
            for name in element.get(reference, "").split():
                if name not in ids:
                    fail(f"{reference} names '{name}', which is not there")
        address = element.get("@src") or element.get("@href")
        if address and not address.startswith(("#", "data:")):
            fail(f"<{element['tag']}> needs '{address}'")
        if address and address.startswith("#") and address[1:] not in ids:
            fail(f"a link leads to '{address}', which is not there")
    for word in ("url(", "@import", "http://", "https://"):
        for element in page.all("style") + page.all("script"):
            text = element["text"].replace("http://www.w3.org/2000/svg", "")
            if word in text:
                fail(f"<{element['tag']}> has '{word}'")
    if page.all("html")[0].get("@lang") != "en":
        fail("the page does not say its language")
    if len(page.all("h1")) != 1 or len(page.all("main")) != 1:
        fail("expects one <h1> and one <main>")
    first = next(e for e in page.elements if e["inside"][-1:] == ["body"])
    if first.get("@class") != "skip" or first.get("@href") != "#content":
        fail("expects the skip link first in <body>")
    for table in page.all("section"):
        if "@aria-labelledby" not in table:
            fail("a section has no name")
    for cell in page.all("th"):
        if cell.get("@scope") not in ("row", "col"):
            fail(f"a heading '{cell['text']}' has no scope")
    for region in page.elements:
        if region.get("@class") == "wide" and region.get("@tabindex") != "0":
            fail("a table that scrolls cannot be reached by keyboard")


def check_words(page, arguments, fail):
    text = page.by_id("provenance")["text"]
    if arguments.measured and not text.startswith("Measured"):
        fail(f"expects a measurement, but got '{text}'")
    if arguments.predicted and not (
        text.startswith("Predicted:")
        and ("\u00b1" in text or "not covered by any published figure" in text)
        and "Nothing" in text
    ):
        fail(f"expects a prediction with its error, but got '{text}'")
    figures = page.by_id("key-figures")["text"] + page.by_id("device-table")["text"]
    if ("busy" in figures) == arguments.measured:
        fail("expects shares of busy devices in predictions, and only there")
    if not page.by_id("check")["text"].startswith(arguments.check or ""):
        fail(f"expects the check '{arguments.check}', but got '{page.by_id('check')['text']}'")
    if arguments.sections is not None:
        wanted = [name for name in arguments.sections.split(",") if name]
        found = [e["@id"] for e in page.all("section") if "@id" in e]
        if found != wanted:
            fail(f"expects the sections {wanted}, but got {found}")


def close(a, b):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b))


def check_numbers(data, arguments, fail):
    if arguments.devices is not None and len(data["devices"]) != arguments.devices:
        fail(f"expects {arguments.devices} devices, but got {len(data['devices'])}")
    for row in data["rows"]:
        for start, end, kind, label, step, count, busy, _, last in row["events"]:
            if not (0 <= start <= end <= data["seconds"] * (1 + 1e-6)):
                fail(f"an event from {start} to {end} is outside the run")
            if busy > (end - start) * (1 + 1e-6) + 1e-12 and count == 1:
                fail(f"an event of {busy} s is longer than its bar")
            if not 0 <= label < len(data["labels"]) or kind not in range(4):
                fail(f"an event has label {label} and kind {kind}")
            if not 0 <= step <= last < data["steps"]:
                fail(f"an event has steps {step} to {last} of {data['steps']}")
    for ring in data["rings"]:
        sent = dict.fromkeys(ring["devices"], 0)
        for step in ring["rounds"]:
            for source, target, count, _, _ in step["sends"]:
                if source == target or source not in sent or target not in sent:
                    fail(f"{source} sends to {target} in the ring of {ring['devices']}")
                sent[source] = sent.get(source, 0) + count
        for source, count in sent.items():
            whole = data["devices"][source]["bytes_sent"]
            if not 0 < count <= whole:
                fail(f"device {source} sends {count} bytes in its ring, of {whole}")
    if not arguments.stats:
        return
    with open(arguments.stats) as file:
        stats = json.load(file)
    if not close(data["seconds"], stats["seconds"]):
        fail(f"expects {stats['seconds']} s, but got {data['seconds']}")
    if len(data["devices"]) != len(stats["devices"]):
        fail(f"expects {len(stats['devices'])} devices, but got {len(data['devices'])}")
    for i, (ours, theirs) in enumerate(zip(data["devices"], stats["devices"])):
        for key, value in ours.items():
            if not close(value, theirs[key]):
                fail(f"device {i}: expects {key} {theirs[key]}, but got {value}")
    for row in data["rows"]:
        for device in row["devices"]:
            peak = max(bytes_held for _, bytes_held in row["memory"])
            if peak != stats["devices"][device]["peak_bytes"]:
                fail(f"device {device}: the curve's peak is {peak}")
    for device, theirs in enumerate(stats["devices"]):
        sent = sum(link[2] for link in data["links"] if link[0] == device)
        if data["links"] and sent != theirs["bytes_sent"]:
            fail(f"device {device}: the links carry {sent}, not {theirs['bytes_sent']}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page")
    parser.add_argument("--stats")
    parser.add_argument("--measured", action="store_true")
    parser.add_argument("--predicted", action="store_true")
    parser.add_argument("--sections")
    parser.add_argument("--check")
    parser.add_argument("--devices", type=int)
    arguments = parser.parse_args()
    with open(arguments.page, encoding="utf-8") as file:
        page = Page(file.read())
    failures = []
    check_structure(page, failures.append)
    check_words(page, arguments, failures.append)
    data = json.loads(page.by_id("report-data")["text"])
    check_numbers(data, arguments, failures.append)
    for failure in failures:
        print(f"{arguments.page}: {failure}")
    if failures:
        sys.exit(1)
    events = sum(len(row["events"]) for row in data["rows"])
    print(f"{len(data['devices'])} devices, {len(data['rows'])} rows, {events} bars: sound")


if __name__ == "__main__":
    main()
