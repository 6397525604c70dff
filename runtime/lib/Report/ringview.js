// SPDX-License-Identifier: Apache-2.0
// Who has whose keys: devices in a circle with what travels between them, and beside it where in the sequence
// the keys of each lie. A round at a time, by hand or played.

(function ringView() {
  const figure = document.getElementById("ring-figure");
  if (!figure || report.rings.length === 0)
    return;
  /** The places of the arrays. */
  const DEVICE = 0, KEYS_OF = 1, QUERIES_OF = 2, KEYS = 3, QUERIES = 4, FLOPS = 5;
  const SOURCE = 0, TARGET = 1, SENT = 2, SHARDS_OF = 3, WHAT = 4;
  const MOST_IN_CIRCLE = 32, MILLISECONDS_A_ROUND = 1500;
  const still = matchMedia("(prefers-reduced-motion: reduce)");

  let ring = report.rings[0], at = 0, timer = 0, followed = KEYS_OF;
  const player = make(figure, "div", { class: "player", role: "group", "aria-label": "Rounds" });
  const play = make(player, "button", { type: "button" }, "Play");
  const back = make(player, "button", { type: "button", "aria-label": "Previous round" }, "←");
  const forth = make(player, "button", { type: "button", "aria-label": "Next round" }, "→");
  const slider = make(player, "input", { type: "range", min: "0", step: "1", value: "0", "aria-label": "Round" });
  const count = make(player, "output", {});
  if (report.rings.length > 1) {
    const choice = make(player, "select", { "aria-label": "Group of devices" });
    report.rings.forEach((other, i) => make(choice, "option", { value: String(i) }, other.title));
    choice.addEventListener("change", () => {
      ring = report.rings[Number(choice.value)];
      stop();
      start();
    });
  } else if (ring.title.includes("further")) {
    make(figure, "p", { class: "hint" }, "Drawn: " + ring.title + ".");
  }
  const words = make(figure, "p", { class: "ring-words", "aria-live": "polite" });
  const pair = make(figure, "div", { class: "ring-pair" });
  const circlePanel = make(pair, "div"), stripPanel = make(pair, "div");
  const circle = draw(circlePanel, "svg", { role: "img" });
  // Below the circle, where no arrow crosses it.
  const circleNote = make(circlePanel, "p", { class: "circle-note" });
  const strips = draw(stripPanel, "svg", { role: "img" });
  make(stripPanel, "p", { class: "strip-note" }, "Position in the sequence: of its keys above, of its queries as a line below.");

  const hueOf = (device) => Math.round((360 * ring.devices.indexOf(device)) / ring.devices.length + 210) % 360;
  const hue = (device) => ({ style: `--hue: ${hueOf(device)}` });

  const isAll = (numbers) => numbers.length > 1 && ring.devices.every((device) => numbers.includes(device));

  /** "3", "0 to 7" or "0, 2 and 5". */
  function listed(numbers) {
    const apart = numbers.length ? numbers[numbers.length - 1] - numbers[0] : 0;
    if (numbers.length > 2 && apart === numbers.length - 1)
      return `${numbers[0]} to ${numbers[numbers.length - 1]}`;
    return numbers.length < 2 ? numbers.join("") : numbers.slice(0, -1).join(", ") + " and " + numbers[numbers.length - 1];
  }
  const short = (numbers) => (isAll(numbers) ? "all" : numbers.length < 2 ? numbers.join("") :
    numbers[numbers.length - 1] - numbers[0] === numbers.length - 1 ? `${numbers[0]}–${numbers[numbers.length - 1]}` : numbers.join(","));

  const holdingOf = (round, device) => round.holdings.find((holding) => holding[DEVICE] === device);

  /** Where keys stay and queries travel, it is queries that are followed. */
  function whatTravels() {
    const holdings = ring.rounds.flatMap((round) => round.holdings);
    const foreign = (place) => holdings.some((holding) => holding[place].length > 0 && (holding[place].length > 1 || holding[place][0] !== holding[DEVICE]));
    return !foreign(KEYS_OF) && foreign(QUERIES_OF) ? QUERIES_OF : KEYS_OF;
  }

  /** Whose keys, or queries, a device has in a round: what it computes with, else what it sends. */
  function shardsOf(round, device) {
    const holding = holdingOf(round, device);
    if (holding)
      return holding[followed];
    const sent = round.sends.filter((send) => send[SOURCE] === device).flatMap((send) => send[SHARDS_OF]);
    return [...new Set(sent)].sort((a, b) => a - b);
  }

  function describe(round) {
    const idle = round.holdings.filter((holding) => !(holding[FLOPS] > 0)).map((holding) => holding[DEVICE]);
    const first = round.holdings.find((holding) => holding[FLOPS] > 0);
    let text = "";
    if (first) {
      const foreign = first[QUERIES_OF].length && (first[QUERIES_OF].length > 1 || first[QUERIES_OF][0] !== first[DEVICE]);
      const whose = first[KEYS_OF].length === 1 && first[KEYS_OF][0] === first[DEVICE] ? "its own keys" :
        isAll(first[KEYS_OF]) ? "the keys of all devices" : first[KEYS_OF].length ? "keys of " + (first[KEYS_OF].length > 1 ? "devices " : "device ") + listed(first[KEYS_OF]) : "keys that all devices have";
      text = `Device ${first[DEVICE]} computes with ${whose}`;
      text += foreign ? `, for queries of ${isAll(first[QUERIES_OF]) ? "all of them" : listed(first[QUERIES_OF])}.` : ".";
    } else {
      text = "Nothing is attended to yet.";
      if (round.holdings.length === 0 && at > 0)
        text = "Nothing is attended to any more.";
    }
    if (idle.length)
      text += ` The mask leaves nothing to do for ${idle.length > 1 ? "devices" : "device"} ${listed(idle)}.`;
    if (round.sends.length === 0)
      return text + " Nothing is sent.";
    const what = [...new Set(round.sends.map((send) => send[WHAT]))].join("; ");
    const most = Math.max(...ring.devices.map((device) =>
      round.sends.filter((send) => send[SOURCE] === device).reduce((sum, send) => sum + send[SENT], 0)));
    return `${text} Sent meanwhile: ${what}, ${bytesText(most)} by a device at most.`;
  }

  let places = new Map(), radius = 0;

  /** A curve from one device to another that keeps to its right, so that the two directions do not cover each other. */
  function curve(from, to) {
    const [x1, y1] = places.get(from), [x2, y2] = places.get(to);
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const ux = (x2 - x1) / length, uy = (y2 - y1) / length;
    const bend = Math.min(0.18 * length, 28);
    const middle = [(x1 + x2) / 2 - uy * bend, (y1 + y2) / 2 + ux * bend];
    const inset = (x, y, towards) => {
      const far = Math.hypot(towards[0] - x, towards[1] - y) || 1;
      return [x + ((towards[0] - x) / far) * (radius + 3), y + ((towards[1] - y) / far) * (radius + 3)];
    };
    return { start: inset(x1, y1, middle), middle, end: inset(x2, y2, middle) };
  }

  const along = ({ start, middle, end }, t) => [0, 1].map((i) =>
    (1 - t) * (1 - t) * start[i] + 2 * t * (1 - t) * middle[i] + t * t * end[i]);

  let travellers = [];

  function paintCircle(width) {
    const devices = ring.devices, round = ring.rounds[at];
    circle.textContent = "";
    circlePanel.hidden = devices.length > MOST_IN_CIRCLE;
    if (circlePanel.hidden)
      return;
    const size = Math.min(width, 384);
    circle.setAttribute("width", size);
    circle.setAttribute("height", size);
    circle.setAttribute("aria-label", `Round ${at + 1}: ${words.textContent}`);
    radius = Math.min(24, (Math.PI * size * 0.4) / devices.length - 3);
    const outer = size / 2 - radius - 16;
    places = new Map(devices.map((device, i) => {
      const angle = (2 * Math.PI * i) / devices.length - Math.PI / 2;
      return [device, [size / 2 + outer * Math.cos(angle), size / 2 + outer * Math.sin(angle)]];
    }));
    travellers = [];
    const many = round.sends.length > 2 * devices.length ? " many" : "";
    for (const send of round.sends) {
      if (!places.has(send[SOURCE]) || !places.has(send[TARGET]))
        continue;
      const path = curve(send[SOURCE], send[TARGET]);
      const shard = send[SHARDS_OF].length === 1 ? send[SHARDS_OF][0] : send[SOURCE];
      const group = draw(circle, "g", hue(shard));
      draw(group, "title", {}, `${send[SOURCE]} → ${send[TARGET]}: ${send[WHAT]}, ${bytesText(send[SENT])}`);
      const [[x1, y1], [xm, ym], [x2, y2]] = [path.start, path.middle, path.end];
      draw(group, "path", { class: "shard-line arrow" + many, d: `M${x1.toFixed(1)} ${y1.toFixed(1)}Q${xm.toFixed(1)} ${ym.toFixed(1)} ${x2.toFixed(1)} ${y2.toFixed(1)}` });
      const slope = Math.atan2(y2 - ym, x2 - xm), tip = many ? 4 : 7;
      const corner = (turn) => `${(x2 - tip * Math.cos(slope + turn)).toFixed(1)} ${(y2 - tip * Math.sin(slope + turn)).toFixed(1)}`;
      draw(group, "path", { class: "shard" + many, d: `M${x2.toFixed(1)} ${y2.toFixed(1)}L${corner(0.45)}L${corner(-0.45)}Z` });
      const dot = draw(group, "circle", { class: "shard", r: many ? 2 : 4, visibility: "hidden" });
      travellers.push({ dot, path });
    }
    for (const device of devices) {
      const [x, y] = places.get(device);
      const shards = shardsOf(round, device), holding = holdingOf(round, device);
      const idle = holding && !(holding[FLOPS] > 0) ? " idle" : "";
      const group = draw(circle, "g", shards.length === 1 ? hue(shards[0]) : {});
      draw(group, "circle", { class: "node " + (shards.length === 1 ? "shard" : "") + idle, cx: x, cy: y, r: radius, ...(shards.length === 1 ? {} : { fill: "var(--soft)" }) });
      // The whole of a ring's shards as slices of its node.
      if (shards.length > 1 && radius >= 10)
        shards.forEach((shard, i) => {
          const turn = (j) => (2 * Math.PI * j) / shards.length - Math.PI / 2;
          const edge = (j) => `${(x + radius * Math.cos(turn(j))).toFixed(1)} ${(y + radius * Math.sin(turn(j))).toFixed(1)}`;
          const slice = draw(group, "g", hue(shard));
          draw(slice, "path", { class: "shard" + (idle ? " node idle" : ""), d: `M${x.toFixed(1)} ${y.toFixed(1)}L${edge(i)}A${radius} ${radius} 0 ${shards.length === 2 && i === 0 ? 1 : 0} 1 ${edge(i + 1)}Z` });
        });
      const label = short(shards);
      if (label && radius >= 9)
        draw(group, "text", { class: "node-keys" + idle, x, y: y + 5, ...(radius < 14 || label.length > 4 ? { style: `font-size: ${label.length > 4 ? 9 : 10}px` } : {}) }, label);
      const far = outer + radius + 9, angle = Math.atan2(y - size / 2, x - size / 2);
      draw(group, "text", { class: "node-name", x: size / 2 + far * Math.cos(angle), y: size / 2 + far * Math.sin(angle) + 4 }, String(device));
      const parts = holding ? [`keys of ${listed(holding[KEYS_OF]) || "all"}`, `queries of ${listed(holding[QUERIES_OF]) || "all"}`] : [];
      draw(group, "title", {}, [`Device ${device}`, ...parts, ...(idle ? ["nothing to do"] : [])].join(", "));
    }
    circleNote.textContent = `Inside: whose ${followed === KEYS_OF ? "keys" : "queries"} it computes with. Outside: the device.`;
  }

  /** Whether the program says where keys lie in the sequence, and how long that is. */
  function sequenceLength() {
    let end = 0;
    for (const round of ring.rounds)
      for (const holding of round.holdings)
        for (const [begin, size, stride] of [...holding[KEYS], ...holding[QUERIES]])
          end = Math.max(end, begin + (size - 1) * stride + 1);
    return end;
  }
  let length = 0;

  /** Rectangles for ranges; those of a stride are drawn as far as they can be told apart. */
  function drawRanges(parent, ranges, x, y, height, kind) {
    for (const [begin, size, stride] of ranges) {
      const solid = stride === 1 || x(stride) - x(0) < 2;
      const pieces = solid ? [[begin, (size - 1) * stride + 1]] : Array.from({ length: size }, (_, i) => [begin + i * stride, 1]);
      for (const [first, rows] of pieces)
        draw(parent, "rect", { class: kind, x: x(first), y, width: Math.max(0.75, x(first + rows) - x(first)), height, ...(solid && stride > 1 ? { "fill-opacity": "0.6" } : {}) });
    }
  }

  function paintStrips(width) {
    const devices = ring.devices, round = ring.rounds[at];
    strips.textContent = "";
    stripPanel.hidden = length === 0;
    if (stripPanel.hidden)
      return;
    const left = 28, tall = devices.length > 16 ? 9 : 20, gap = devices.length > 16 ? 3 : 6, bottom = 18;
    const height = devices.length * (tall + gap) + bottom;
    strips.setAttribute("width", width);
    strips.setAttribute("height", height);
    strips.setAttribute("aria-label", "Where in the sequence the keys and queries of each device lie; the table names their devices");
    const x = (position) => left + (position / length) * (width - left - 2);
    devices.forEach((device, i) => {
      const y = i * (tall + gap), line = Math.max(2, tall / 7);
      draw(strips, "text", { x: left - 6, y: y + tall / 2 + 4, "text-anchor": "end", class: "strong" }, String(device));
      draw(strips, "rect", { class: "strip", x: left, y, width: width - left - 2, height: tall });
      const holding = holdingOf(round, device);
      if (!holding)
        return;
      const part = (place) => draw(strips, "g", { ...hue(holding[place].length === 1 ? holding[place][0] : device), ...(holding[FLOPS] > 0 ? {} : { opacity: "0.3" }) });
      const ownQueries = holding[QUERIES_OF].length !== 1 || holding[QUERIES_OF][0] === device;
      drawRanges(part(KEYS_OF), holding[KEYS], x, y, tall - line - 1, holding[KEYS_OF].length === 1 ? "shard" : "bar-compute");
      drawRanges(part(QUERIES_OF), holding[QUERIES], x, y + tall - line, line, ownQueries ? "own-queries" : "shard");
    });
    for (const place of roundSteps(length, Math.max(2, Math.floor(width / 110)))) {
      const isLast = x(place) > width - 24;
      draw(strips, "text", { x: x(place), y: height - bottom + 14, "text-anchor": place === 0 ? "start" : isLast ? "end" : "middle" }, countText(place));
    }
  }

  const paint = () => {
    const round = ring.rounds[at];
    words.textContent = describe(round);
    count.textContent = `round ${at + 1} of ${ring.rounds.length}` + (ring.leftOut ? ` (${ring.leftOut} more)` : "");
    slider.value = String(at);
    slider.setAttribute("aria-valuetext", `round ${at + 1}: ${words.textContent}`);
    back.disabled = at === 0;
    forth.disabled = at === ring.rounds.length - 1;
    pair.classList.toggle("both", ring.devices.length <= MOST_IN_CIRCLE && length > 0);
    paintCircle(circlePanel.clientWidth || figure.clientWidth);
    paintStrips(stripPanel.clientWidth || figure.clientWidth);
    const begins = report.rows.flatMap((row) => row.events.filter((event) => event[STEP] === round.step).map((event) => event[START]));
    if (begins.length)
      selectTime(Math.min(...begins));
  };

  function show(next) {
    at = Math.max(0, Math.min(ring.rounds.length - 1, next));
    paint();
  }

  /** What is sent moves along its arrow while rounds are played. */
  function travel(begin, now) {
    if (!timer || still.matches)
      return;
    const t = Math.min(1, (now - begin) / (MILLISECONDS_A_ROUND * 0.8));
    for (const { dot, path } of travellers) {
      const [x, y] = along(path, t);
      dot.setAttribute("cx", x.toFixed(1));
      dot.setAttribute("cy", y.toFixed(1));
      dot.setAttribute("visibility", t < 1 ? "visible" : "hidden");
    }
    if (t < 1)
      requestAnimationFrame((later) => travel(begin, later));
  }

  function stop() {
    clearTimeout(timer);
    timer = 0;
    play.textContent = "Play";
    words.setAttribute("aria-live", "polite");
  }

  function tick() {
    requestAnimationFrame((now) => travel(now, now));
    timer = setTimeout(() => {
      if (at + 1 >= ring.rounds.length)
        return stop();
      show(at + 1);
      tick();
    }, MILLISECONDS_A_ROUND);
  }

  function toggle() {
    if (timer)
      return stop();
    if (at + 1 >= ring.rounds.length)
      show(0);
    play.textContent = "Pause";
    // Read aloud round by round it could not keep up.
    words.setAttribute("aria-live", "off");
    tick();
  }

  function start() {
    at = 0;
    length = sequenceLength();
    followed = whatTravels();
    slider.max = String(ring.rounds.length - 1);
    player.hidden = ring.rounds.length < 2;
    paint();
  }

  play.addEventListener("click", toggle);
  back.addEventListener("click", () => { stop(); show(at - 1); });
  forth.addEventListener("click", () => { stop(); show(at + 1); });
  slider.addEventListener("input", () => { stop(); show(Number(slider.value)); });
  figure.addEventListener("keydown", (key) => {
    if (key.key !== " " || key.target.tagName === "BUTTON" || key.target.tagName === "SELECT")
      return;
    toggle();
    key.preventDefault();
  });
  start();
  paintByWidth(figure, paint);
})();
