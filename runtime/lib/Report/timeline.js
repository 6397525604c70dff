// SPDX-License-Identifier: Apache-2.0
// The timeline: devices over time. It is a grid to the keyboard: one bar has the focus, arrow keys move it.

(function timeline() {
  const figure = document.getElementById("timeline-figure");
  if (!figure)
    return;

  /** Puts bars that overlap in time into lanes of their own, in order. */
  function lanesOf(events) {
    const lanes = [];
    for (const event of events) {
      let lane = lanes.find((other) => other[other.length - 1][END] <= event[START] + report.seconds * 1e-9);
      if (!lane)
        lanes.push(lane = []);
      lane.push(event);
    }
    return lanes;
  }

  // Each row has a lane for its own work and one or more for transfers.
  const rows = report.rows.map((row) => {
    const isTransfer = (event) => KINDS[event[KIND]] === "transfer";
    const work = lanesOf(row.events.filter((event) => !isTransfer(event)));
    const transfers = lanesOf(row.events.filter(isTransfer));
    return { row, work, transfers };
  });
  const many = rows.length > 24;
  const workHeight = many ? 9 : 16, transferHeight = many ? 3 : 5, rowGap = many ? 3 : 8, axisHeight = 22;
  const heightOf = ({ work, transfers }) =>
    Math.max(1, work.length) * workHeight + transfers.length * transferHeight + (transfers.length ? 1 : 0);
  const height = rows.reduce((sum, row) => sum + heightOf(row) + rowGap, axisHeight);

  const detail = make(figure, "div", { class: "detail" });
  const words = make(detail, "output", { "aria-live": "polite", id: "timeline-detail" },
    "Select a bar to read what it is.");
  const buttons = make(detail, "span");
  const zoomOut = make(buttons, "button", { type: "button", "aria-label": "Zoom out" }, "−");
  buttons.append(" ");
  const zoomIn = make(buttons, "button", { type: "button", "aria-label": "Zoom in" }, "+");
  const frame = make(figure, "div", { class: "timeline" });

  const names = draw(frame, "svg", { class: "names", height, "aria-hidden": "true" });
  const scroll = make(frame, "div", { class: "scroll" });
  const canvas = draw(scroll, "svg", {
    height, role: "grid", "aria-label": "Timeline of " + countText(report.devices.length) + " devices",
    "aria-describedby": "timeline-hint",
  });

  function describe(row, event) {
    const label = report.labels[event[LABEL]];
    const others = event[COUNT] > 1 ? ` and ${countText(event[COUNT] - 1)} more` : "";
    const bytes = event[BYTES] > 0 ? `, ${bytesText(event[BYTES])}` : "";
    const step = event[LAST_STEP] > event[STEP] ? `steps ${event[STEP]} to ${event[LAST_STEP]}` : `step ${event[STEP]}`;
    return `${rowName(row)}, ${step}: ${label}${others}, ${secondsText(event[BUSY])}` +
      ` (${secondsText(event[START])} to ${secondsText(event[END])})${bytes}`;
  }

  /** Bars in the order they are drawn: lanes[i][j] is an element. */
  let lanes = [];
  let selected = null;
  let zoom = 1;
  const zooms = [1, 2, 4, 8, 16, 32];

  function select(element, takeFocus) {
    if (selected) {
      selected.classList.remove("selected");
      selected.setAttribute("tabindex", "-1");
    }
    selected = element;
    element.setAttribute("tabindex", "0");
    element.classList.add("selected");
    words.textContent = element.getAttribute("aria-label");
    words.textContent = words.textContent[0].toUpperCase() + words.textContent.slice(1);
    if (takeFocus)
      element.focus({ preventScroll: false });
    selectTime(element.reportEvent[START]);
  }

  function drawNames() {
    names.textContent = "";
    let y = 0, widest = 0;
    for (const entry of rows) {
      const text = draw(names, "text", { y: y + (many ? 8 : 12), class: "strong" },
        shortRowName(entry.row));
      draw(text, "title", {}, rowName(entry.row));
      widest = Math.max(widest, text.getComputedTextLength());
      y += heightOf(entry) + rowGap;
    }
    const caption = draw(names, "text", { y: height - 5 }, "device");
    widest = Math.max(widest, caption.getComputedTextLength());
    names.setAttribute("width", Math.ceil(widest) + 8);
  }

  function drawBar(parent, row, event, index, x, y, barHeight, scale) {
    const kind = KINDS[event[KIND]];
    const odd = kind === "compute" && event[STEP] % 2 ? " odd" : "";
    const left = x(event[START]);
    // A hair of paper between neighbours, where there is room for it.
    const full = (event[END] - event[START]) * scale;
    const width = Math.max(1, full > 4 ? full - 0.75 : full);
    const cell = draw(parent, "g", {
      class: "cell", role: "gridcell", tabindex: "-1", "aria-label": describe(row, event),
      "aria-colindex": index + 1,
    });
    const share = event[BUSY] / Math.max(event[END] - event[START], 1e-30);
    // Standing still is a thin line; what can be pointed at is as high as a bar.
    if (kind === "wait")
      draw(cell, "line", { class: "line-wait", x1: left, x2: left + width, y1: y + barHeight / 2, y2: y + barHeight / 2 });
    draw(cell, "rect", {
      class: `bar-${kind}${odd}`, x: left, y, width, height: barHeight,
      ...(event[COUNT] > 1 && share < 0.95 ? { "fill-opacity": String(Math.max(0.3, share)) } : {}),
    });
    if (kind === "compute" && event[LAST_STEP] === event[STEP] && barHeight >= 12 && width > 8 + 7 * String(event[STEP]).length)
      draw(cell, "text", { class: "step" + odd, x: left + width / 2, y: y + barHeight / 2 + 3.5, "aria-hidden": "true" },
        String(event[STEP]));
    cell.reportEvent = event;
    return cell;
  }

  function paint() {
    const inside = scroll.clientWidth;
    if (inside <= 0)
      return;
    const keep = selected && selected.reportEvent;
    const hadFocus = selected && document.activeElement === selected;
    const width = inside * zoom, margin = 2, top = 0;
    const scale = (width - 2 * margin) / Math.max(report.seconds, 1e-30);
    const x = (seconds) => margin + seconds * scale;
    canvas.textContent = "";
    canvas.setAttribute("width", width);
    selected = null;
    lanes = [];

    const axis = secondsAxis(report.seconds);
    const bottom = height - axisHeight;
    for (const place of roundSteps(report.seconds, Math.max(2, Math.floor(width / 80)))) {
      draw(canvas, "line", { class: "grid", x1: x(place), x2: x(place), y1: top, y2: bottom });
      const isFirst = place === 0, isLast = x(place) > width - 30;
      draw(canvas, "text", { x: x(place), y: height - 5, "text-anchor": isFirst ? "start" : isLast ? "end" : "middle" },
        axis.text(place) + (isFirst ? NO_BREAK + axis.unit : ""));
    }
    let y = top;
    for (const entry of rows) {
      let laneTop = y;
      const addLane = (events, barHeight) => {
        const group = draw(canvas, "g", { role: "row", "aria-label": rowName(entry.row) });
        const lane = events.map((event, index) => drawBar(group, entry.row, event, index, x, laneTop, barHeight, scale));
        lanes.push(lane);
        for (const cell of lane)
          if (cell.reportEvent === keep)
            select(cell, hadFocus);
      };
      for (const events of entry.work) {
        addLane(events, workHeight);
        laneTop += workHeight;
      }
      if (entry.work.length === 0)
        laneTop += workHeight;
      draw(canvas, "line", { class: "baseline", x1: 0, x2: width, y1: laneTop + 0.5, y2: laneTop + 0.5 });
      laneTop += entry.transfers.length ? 1 : 0;
      for (const events of entry.transfers) {
        addLane(events, transferHeight - 1);
        laneTop += transferHeight;
      }
      y += heightOf(entry) + rowGap;
    }
    lanes = lanes.filter((lane) => lane.length > 0);
    if (!selected && lanes.length)
      lanes[0][0].setAttribute("tabindex", "0");
    zoomOut.disabled = zoom === zooms[0];
    zoomIn.disabled = zoom === zooms[zooms.length - 1];
  }

  function setZoom(next) {
    if (!zooms.includes(next))
      return;
    const middle = selected ? (selected.reportEvent[START] + selected.reportEvent[END]) / 2 / report.seconds
      : (scroll.scrollLeft + scroll.clientWidth / 2) / scroll.scrollWidth;
    zoom = next;
    paint();
    scroll.scrollLeft = middle * scroll.scrollWidth - scroll.clientWidth / 2;
  }

  /** The bar of a lane whose middle is nearest to that of another one. */
  function nearest(lane, event) {
    const middle = (other) => (other[START] + other[END]) / 2;
    return lane.reduce((best, cell) =>
      Math.abs(middle(cell.reportEvent) - middle(event)) < Math.abs(middle(best.reportEvent) - middle(event)) ? cell : best);
  }

  canvas.addEventListener("keydown", (key) => {
    const at = lanes.findIndex((lane) => lane.includes(document.activeElement));
    if (at < 0 || key.ctrlKey || key.metaKey || key.altKey)
      return;
    const lane = lanes[at], column = lane.indexOf(document.activeElement);
    const moves = {
      ArrowRight: () => lane[Math.min(column + 1, lane.length - 1)],
      ArrowLeft: () => lane[Math.max(column - 1, 0)],
      ArrowDown: () => nearest(lanes[Math.min(at + 1, lanes.length - 1)], lane[column].reportEvent),
      ArrowUp: () => nearest(lanes[Math.max(at - 1, 0)], lane[column].reportEvent),
      Home: () => lane[0],
      End: () => lane[lane.length - 1],
    };
    if (moves[key.key])
      select(moves[key.key](), true);
    else if (key.key === "+" || key.key === "=")
      setZoom(zoom * 2);
    else if (key.key === "-")
      setZoom(zoom / 2);
    else
      return;
    key.preventDefault();
  });
  canvas.addEventListener("focusin", (focus) => {
    const cell = focus.target.closest(".cell");
    if (cell && cell !== selected)
      select(cell, false);
  });
  canvas.addEventListener("pointerover", (pointer) => {
    const cell = pointer.target.closest(".cell");
    if (cell && !canvas.contains(document.activeElement))
      select(cell, false);
  });
  canvas.addEventListener("click", (click) => {
    const cell = click.target.closest(".cell");
    if (cell)
      select(cell, true);
  });
  zoomIn.addEventListener("click", () => setZoom(zoom * 2));
  zoomOut.addEventListener("click", () => setZoom(zoom / 2));

  drawNames();
  paintByWidth(figure, paint);
})();
