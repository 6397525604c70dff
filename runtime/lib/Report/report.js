// SPDX-License-Identifier: Apache-2.0
// What all figures of the page share: the data, units, axes and SVG elements.

const report = JSON.parse(document.getElementById("report-data").textContent);

/** The places of an event's array. */
const START = 0, END = 1, KIND = 2, LABEL = 3, STEP = 4, COUNT = 5, BUSY = 6, BYTES = 7, LAST_STEP = 8;
const KINDS = ["compute", "move", "transfer", "wait"];
const NO_BREAK = "\u00a0";

/** Three digits of a number: 1.71, 17.1, 171. */
function threeDigits(number) {
  const size = Math.abs(number);
  return number.toFixed(size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

/** A number in the largest of its units that leaves it at 1 or more. */
function scaled(number, base, units) {
  let unit = 0;
  while (unit + 1 < units.length && Math.abs(number) >= base * 0.9995) {
    number /= base;
    ++unit;
  }
  const whole = unit === 0 && Number.isInteger(number);
  return (whole ? String(number) : threeDigits(number)) + NO_BREAK + units[unit];
}

const secondsText = (seconds) =>
  seconds === 0 ? "0" + NO_BREAK + "s" : scaled(seconds * 1e9, 1000, ["ns", "µs", "ms", "s"]);
const bytesText = (bytes) => scaled(bytes, 1024, ["B", "KiB", "MiB", "GiB", "TiB"]);
const countText = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, NO_BREAK);

/** Numbers for an axis in words as short as they can be: 0, 5, 10 ms. */
function secondsAxis(longest) {
  for (const [unit, size] of [["s", 1], ["ms", 1e-3], ["µs", 1e-6], ["ns", 1e-9]])
    if (longest >= size || unit === "ns")
      return { unit, text: (seconds) => String(Number((seconds / size).toPrecision(6))) };
}

/** Round numbers from 0 to `end`, at most `most` of them: 0, 5, 10, 15. */
function roundSteps(end, most) {
  if (!(end > 0))
    return [0];
  const rough = end / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) || 10);
  const places = [];
  for (let i = 0; i * step <= end * 1.0001; ++i)
    places.push(i * step);
  return places;
}

/** A new SVG element within `parent`. */
function draw(parent, name, attributes = {}, text = "") {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes))
    element.setAttribute(key, typeof value === "number" ? Math.round(value * 100) / 100 : value);
  if (text !== "")
    element.textContent = text;
  parent.append(element);
  return element;
}

/** A new HTML element within `parent`. */
function make(parent, name, attributes = {}, text = "") {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    element.setAttribute(key, value);
  if (text !== "")
    element.textContent = text;
  parent.append(element);
  return element;
}

/** "device 3", "devices 0 to 7" or "host". */
function rowName(row) {
  if (row.devices.length === 0)
    return row.name;
  return (row.devices.length > 1 ? "devices " : "device ") + row.name;
}

/** The same where there is little room: "3", "0–7" or "0 ×256". */
function shortRowName(row) {
  const count = row.devices.length;
  if (count < 2)
    return row.name;
  const first = row.devices[0], last = row.devices[count - 1];
  return last - first === count - 1 ? `${first}–${last}` : `${first} ×${count}`;
}

/** Calls `paint(width)` now and whenever the width of `element` changes. */
function paintByWidth(element, paint) {
  let painted = 0;
  const repaint = () => {
    const width = Math.floor(element.clientWidth);
    if (width > 0 && width !== painted) {
      painted = width;
      paint(width);
    }
  };
  repaint();
  new ResizeObserver(repaint).observe(element);
}

/** What is told of the moment that is selected in the timeline. */
const selectionListeners = [];
const selectTime = (seconds) => selectionListeners.forEach((listen) => listen(seconds));

// What cannot be played on paper is told by its table.
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("#ring-tables, #check-details"))
    details.open = true;
});
