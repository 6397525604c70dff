// SPDX-License-Identifier: Apache-2.0
// The quieter figures: memory over time, traffic between devices, scaling.

(function memory() {
  const figure = document.getElementById("memory-figure");
  if (!figure)
    return;
  const rows = report.rows.filter((row) => row.memory.length > 0);
  const most = Math.max(...rows.map((row) => Math.max(...row.memory.map(([, bytes]) => bytes))));
  const limit = report.memoryLimit;
  // A limit far above what is held would flatten every curve.
  const limitDrawn = limit > 0 && limit < 4 * most;
  const highest = Math.max(most, limitDrawn ? limit : 0, 1);
  const height = 92, top = 8, bottom = 16, left = 52;
  const note = document.getElementById("memory-limit");
  note.textContent = !(limit > 0) ? "No limit was given." : limitDrawn ? `The dashed line is the limit of a device, ${bytesText(limit)}.` :
    `The limit of a device, ${bytesText(limit)}, is far above the figure: at most ${threeDigits((100 * most) / limit)}${NO_BREAK}% of it is held.`;

  /** 0, half of it and all of a round number of bytes that is below the highest. */
  function byteSteps() {
    const unit = 1024 ** Math.floor(Math.log(highest) / Math.log(1024));
    return roundSteps(highest / unit, 3).map((place) => place * unit);
  }
  const bytesAxis = (bytes) => (bytes === 0 ? "0" : bytesText(bytes).replace(/\.?0+(?=\u00a0)/, (zeros) => (zeros.startsWith(".") ? "" : zeros)));
  const axis = secondsAxis(report.seconds);

  for (const row of rows) {
    const peak = row.memory.reduce((best, sample) => (sample[1] > best[1] ? sample : best));
    const panel = make(figure, "figure");
    const caption = make(panel, "figcaption");
    make(caption, "span", { title: rowName(row) }, (row.devices.length > 1 ? "devices " : "device ") + shortRowName(row));
    make(caption, "b", {}, bytesText(peak[1]));
    const svg = draw(panel, "svg", {
      height, role: "img",
      "aria-label": `${rowName(row)} holds at most ${bytesText(peak[1])}, first after ${secondsText(peak[0])}`,
    });
    let cursor = null;
    const place = (seconds, width) => left + (seconds / Math.max(report.seconds, 1e-30)) * (width - left - 3);
    paintByWidth(panel, (width) => {
      svg.textContent = "";
      svg.setAttribute("width", width);
      const x = (seconds) => place(seconds, width);
      const floor = height - bottom - 0.5;
      const y = (bytes) => floor - (bytes / highest) * (floor - top);
      for (const bytes of byteSteps()) {
        draw(svg, "line", { class: bytes ? "grid" : "axis", x1: left, x2: width, y1: y(bytes), y2: y(bytes) });
        draw(svg, "text", { x: left - 5, y: y(bytes) + 4, "text-anchor": "end" }, bytesAxis(bytes));
      }
      draw(svg, "text", { x: left, y: height - 3 }, "0" + NO_BREAK + axis.unit);
      draw(svg, "text", { x: width - 1, y: height - 3, "text-anchor": "end" }, secondsText(report.seconds));
      let path = "";
      row.memory.forEach(([time, bytes], i) => {
        path += (i ? `H${x(time).toFixed(1)}V` : `M${x(time).toFixed(1)} `) + y(bytes).toFixed(1);
      });
      path += `H${x(report.seconds).toFixed(1)}`;
      draw(svg, "path", { class: "area", d: `${path}V${floor}H${x(row.memory[0][0]).toFixed(1)}Z` });
      draw(svg, "path", { class: "curve", d: path });
      if (limitDrawn)
        draw(svg, "line", { class: "limit", x1: left, x2: width, y1: y(limit), y2: y(limit) });
      draw(svg, "circle", { class: "dot", cx: x(peak[0]), cy: y(peak[1]), r: 2.5 });
      cursor = draw(svg, "line", { class: "cursor", y1: top, y2: floor, visibility: "hidden" });
    });
    selectionListeners.push((seconds) => {
      if (!cursor)
        return;
      const x = place(seconds, Number(svg.getAttribute("width")));
      for (const end of ["x1", "x2"])
        cursor.setAttribute(end, x);
      cursor.setAttribute("visibility", "visible");
    });
  }
})();

(function traffic() {
  const figure = document.getElementById("link-figure");
  const count = report.devices.length;
  if (!figure || count > 64)
    return;
  const most = Math.max(1, ...report.links.map(([, , bytes]) => bytes));
  const matrix = draw(figure, "svg", {
    role: "img", "aria-label": "Bytes by sender (rows) and receiver (columns); the table has the numbers",
  });
  paintByWidth(figure, (width) => {
    matrix.textContent = "";
    const left = 30, top = 30;
    const side = Math.max(3, Math.min(26, Math.floor((Math.min(width, 352) - left - 4) / count)));
    matrix.setAttribute("width", left + side * count + 4);
    matrix.setAttribute("height", top + side * count + 4);
    const center = (i) => i * side + side / 2;
    const every = Math.max(1, Math.ceil(16 / side));
    draw(matrix, "text", { x: left, y: 11 }, "to");
    draw(matrix, "text", { x: 0, y: top + 9 }, "from");
    for (let i = 0; i < count; ++i) {
      draw(matrix, "rect", { class: "no-load", x: left, y: top + i * side, width: side * count - 1, height: side - 1 });
      if (i % every)
        continue;
      draw(matrix, "text", { x: left + center(i), y: top - 5, "text-anchor": "middle" }, String(i));
      if (i > 0 || side >= 22)
        draw(matrix, "text", { x: left - 4, y: top + center(i) + 4 + (i === 0 ? 5 : 0), "text-anchor": "end" }, String(i));
    }
    for (const [source, target, bytes] of report.links) {
      const cell = draw(matrix, "rect", {
        class: "load", x: left + target * side, y: top + source * side, width: side - 1, height: side - 1,
        "fill-opacity": String(0.15 + (0.85 * bytes) / most),
      });
      draw(cell, "title", {}, `${source} → ${target}: ${bytesText(bytes)}`);
    }
  });
})();

(function scaling() {
  const figure = document.getElementById("scaling-figure");
  if (!figure)
    return;

  /** 1, 2, 5, 10, 20 ... between two numbers, or powers of ten if those are many. */
  function logSteps(low, high, most) {
    const all = [], tens = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power)
      for (const factor of [1, 2, 5]) {
        const place = factor * 10 ** power;
        if (place < low * 0.999 || place > high * 1.001)
          continue;
        all.push(place);
        if (factor === 1)
          tens.push(place);
      }
    return all.length <= most || tens.length < 2 ? all : tens;
  }

  for (const chart of report.scaling) {
    const panel = make(figure, "div");
    const points = chart.series.flatMap((series) => series.points);
    if (points.length === 0)
      continue;
    const xs = [...new Set(points.map(([x]) => x))].sort((a, b) => a - b);
    const times = points.map(([, seconds]) => seconds).filter((seconds) => seconds > 0);
    const low = Math.min(...times), high = Math.max(...times);
    const longest = Math.max(...chart.series.map((series) => series.name.length));
    const height = 250, left = 52, right = 30 + 6.5 * longest, top = 34, bottom = 34;
    const svg = draw(panel, "svg", { height, role: "img", "aria-label": `${chart.title}, ${chart.fixed}; the tables have the numbers` });

    paintByWidth(panel, (width) => {
      svg.textContent = "";
      svg.setAttribute("width", width);
      const span = (value, from, to) => (to > from ? (Math.log(value) - Math.log(from)) / (Math.log(to) - Math.log(from)) : 0.5);
      const x = (value) => left + span(value, xs[0], xs[xs.length - 1]) * (width - left - right);
      const y = (seconds) => height - bottom - span(seconds, low, high) * (height - top - bottom);
      draw(svg, "text", { x: 0, y: 12, class: "strong" }, chart.title);
      draw(svg, "text", { x: 0, y: 26 }, chart.fixed);
      for (const place of logSteps(low, high, 6)) {
        draw(svg, "line", { class: "grid", x1: left, x2: width - right, y1: y(place), y2: y(place) });
        draw(svg, "text", { x: left - 6, y: y(place) + 4, "text-anchor": "end" }, secondsText(place).replace(/\.?0+(?=\D*$)/, (zeros) => (zeros.startsWith(".") ? "" : zeros)));
      }
      let free = -Infinity;
      for (const place of xs) {
        draw(svg, "line", { class: "axis", x1: x(place), x2: x(place), y1: height - bottom, y2: height - bottom + 4 });
        const text = countText(place);
        if (x(place) - 3.2 * text.length < free)
          continue;
        draw(svg, "text", { x: x(place), y: height - bottom + 16, "text-anchor": "middle" }, text);
        free = x(place) + 3.2 * text.length + 4;
      }
      draw(svg, "text", { x: left, y: height - 3 }, chart.axis);
      if (chart.current > 0)
        draw(svg, "line", { class: "now", x1: x(chart.current), x2: x(chart.current), y1: top, y2: height - bottom });
      // Names beside the figure, by the heights at which their lines end, each with a piece of its line.
      const ends = [];
      chart.series.forEach((series, index) => {
        const solid = series.points.filter(([, seconds]) => seconds > 0);
        if (solid.length === 0)
          return;
        const kind = series.ideal ? "series ideal" : `series series-${index % 5}`;
        draw(svg, "path", { class: kind, d: solid.map(([place, seconds], i) => `${i ? "L" : "M"}${x(place).toFixed(1)} ${y(seconds).toFixed(1)}`).join("") });
        if (!series.ideal)
          for (const [place, seconds] of solid) {
            const dot = draw(svg, "circle", { class: `series-${index % 5}`, cx: x(place), cy: y(seconds), r: 2.25 });
            draw(dot, "title", {}, `${series.name}: ${secondsText(seconds)} at ${countText(place)} ${chart.axis}`);
          }
        const [, seconds] = solid[solid.length - 1];
        ends.push({ name: series.name, kind, y: y(seconds) + 4 });
      });
      ends.sort((a, b) => a.y - b.y);
      for (let i = 1; i < ends.length; ++i)
        ends[i].y = Math.max(ends[i].y, ends[i - 1].y + 12);
      let lowest = height - bottom;
      for (let i = ends.length - 1; i >= 0; --i, lowest -= 12)
        ends[i].y = Math.min(ends[i].y, lowest);
      const names = width - right + 8;
      ends.forEach((end) => {
        draw(svg, "line", { class: end.kind, x1: names, x2: names + 12, y1: end.y - 4, y2: end.y - 4 });
        draw(svg, "text", { x: names + 16, y: end.y, class: "strong" }, end.name);
      });
    });
  }
})();
